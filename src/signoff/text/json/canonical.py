"""One way to write a JSON document, and digests of it.

Pure. Sorted keys, no spaces, UTF-8, and every field that was there, known to us or not: a contract is sealed
as it was approved, not as this version happens to read it. Numbers are kept as Python writes them, so `1` and
`1.0` differ. Anything that readers disagree on (duplicate keys, NaN) has no canonical form.
"""

import json

import msgspec

from signoff.domain.base.typed_ids import Digest
from signoff.domain.base.violations import Severity
from signoff.text.digests import sha256_hex
from signoff.text.json.json_text import read_json


def canonical(data: bytes | object) -> bytes:
    """Return the canonical JSON of a document's bytes, a record, or plain data.

    Raises ValueError (TypeError for an object that is no data) where there is none: decode what comes from
    outside first.
    """
    if isinstance(data, bytes | bytearray | memoryview):
        plain = _parsed(bytes(data))
    else:
        plain = msgspec.to_builtins(data, str_keys=True, enc_hook=_raw_value)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def digest(data: bytes) -> Digest:
    """Return the digest of exactly these bytes."""
    return Digest(f"sha256:{sha256_hex(data)}")


def contract_digest(raw: bytes) -> Digest:
    """Return the digest a contract is sealed under. Spaces and the order of keys do not change it."""
    return digest(canonical(raw))


def _parsed(data: bytes) -> object:
    read = read_json(data)
    wrong = next((v for v in read.violations if v.severity is Severity.ERROR), None)
    if wrong is not None:
        raise ValueError(f"{wrong.path}: {wrong.message}" if wrong.path else wrong.message)
    return read.value


def _raw_value(value: object) -> object:
    if isinstance(value, msgspec.Raw):
        return _parsed(bytes(value))
    raise TypeError(f"there is no JSON for {type(value).__name__}")
