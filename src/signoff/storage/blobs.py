"""Bodies by their digest: prompts, answers, patches, contracts. `<run>/blobs/<sha256 hex>`.

A blob is durable before the record that names it is written, and verified whenever it is read. What looks
like a secret is taken out before a byte is stored.
"""

import functools
import json
import os
import re

import msgspec

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import Digest
from signoff.host.files.durable_files import read_if_there, write_atomic
from signoff.text.digests import sha256_hex
from signoff.text.lazy_patterns import pattern
from signoff.text.redaction import MARK, redact, redaction

_DIGEST = pattern(r"sha256:([0-9a-f]{64})")
_JSON_STRING = pattern(rb'("(?:[^"\\]|\\.)*")(\s*:)?', re.DOTALL)
"""In a valid document a quotation mark outside a string begins one. A colon behind the string makes it a key.
"""


class BlobStore:
    """The blobs of one run, in a folder made when the first is stored."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def put(self, data: bytes) -> Digest:
        """Store a body and return its digest. Storing it again changes nothing, but repairs a damaged file.

        Text with the shape of a provider's secret is replaced by `[redacted]` first, and the digest is that
        of the bytes as stored: it differs from the digest of `data` if something was taken out. JSON stays
        JSON with the same structure, and storing the result of `get` changes nothing more.
        """
        data = _without_secrets(data)
        name = sha256_hex(data)
        path = os.path.join(self._folder, name)
        if read_if_there(path) != data:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            write_atomic(path, data)
        return Digest(f"sha256:{name}")

    def get(self, digest: Digest) -> bytes:
        """Return the bytes, verified against the digest."""
        known = _DIGEST.fullmatch(digest)
        data = read_if_there(os.path.join(self._folder, known[1])) if known else None
        if known is None or data is None:
            raise ConfigError(
                f"{digest[:80]} is not in {self._folder}",
                slug="blob-missing",
                why="" if known else "a digest is `sha256:` and 64 hex digits",
                fix="restore the run's folder from a copy",
            )
        if sha256_hex(data) != known[1]:
            raise ConfigError(
                f"{os.path.join(self._folder, known[1])} is not what was stored",
                slug="blob-damaged",
                why="its SHA-256 differs from its name",
                fix="restore that file from a copy",
            )
        return data


def _without_secrets(data: bytes) -> bytes:
    """Redact. A JSON document is redacted string by string, so that escapes and quotes stay intact."""
    if b"\\" not in data and redact(data) == data:
        return data
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _redacted(data)
    return _JSON_STRING.sub(_Strings(data).redacted, data)


def _redacted(data: bytes) -> bytes:
    """Redact until nothing is found, because text beside the mark may then look like a secret itself."""
    while (cleaner := _pattern().sub(MARK, data)) != data:
        data = cleaner
    return data


@functools.cache
def _pattern() -> re.Pattern[bytes]:
    """Return the rules of `redact`, compiled once, because a document has many strings."""
    return re.compile(redaction().pattern)


class _Strings:
    """Redacts the strings of one document by their meaning, whatever the escapes they are written with."""

    def __init__(self, document: bytes) -> None:
        self._document = document
        self._number = 0

    def redacted(self, match: re.Match[bytes]) -> bytes:
        """Return the replacement of a string. One without a secret stays as it is written."""
        written, colon = match[1], match[2] or b""
        said = json.loads(written).encode("utf-8", "surrogatepass")
        cleaned = _redacted(said)
        if cleaned == said:
            return match[0]
        text = cleaned.decode("utf-8", "surrogatepass")
        return (self._key(text) if colon else json.dumps(text).encode()) + colon

    def _key(self, text: str) -> bytes:
        """Return a key with a number, because two secrets must not become the same key."""
        while True:
            self._number += 1
            key = json.dumps(f"{text} {self._number}").encode()
            if key not in self._document:
                return key
