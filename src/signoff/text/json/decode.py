"""Decode bytes into records, and report everything that is wrong with them at once.

Pure. msgspec decodes and stays the judge of what is valid. It stops at the first error, though, and an agent
that mends one error a round wastes rounds. So when it refuses, the types are walked and every error is
placed. An unknown field does not make a file invalid unless its record says so, but it is always reported.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

import msgspec

from signoff.domain.base.violations import Severity
from signoff.text.json.decode_result import Decoded
from signoff.text.json.json_lines import located
from signoff.text.json.json_text import MAX_BYTES, MAX_DEPTH, DecodeCode, read_json
from signoff.text.json.type_faults import faults_in, unknown_fields
from signoff.text.json.violation_list import Findings, fault

__all__ = ["MAX_BYTES", "MAX_DEPTH", "DecodeCode", "Decoded", "convert", "decode"]

T = TypeVar("T")


@overload
def decode(data: bytes, kind: type[T]) -> Decoded[T]: ...
@overload
def decode(data: bytes, kind: Any) -> Decoded[Any]: ...
def decode(data: bytes, kind: Any) -> Decoded[Any]:
    """Decode JSON strictly into `kind`, a record or a union of records. Never raises on any bytes."""
    text, parsed, before = read_json(data)
    if text is None:
        return Decoded(None, before)
    findings = Findings(before)
    value = _attempt(lambda: msgspec.json.decode(text, type=kind), parsed, kind, findings)
    violations = findings.all()
    return Decoded(value, tuple(located(violations, text)) if violations else ())


@overload
def convert(obj: object, kind: type[T], *, is_shallow: bool = False) -> Decoded[T]: ...
@overload
def convert(obj: object, kind: Any, *, is_shallow: bool = False) -> Decoded[Any]: ...
def convert(obj: object, kind: Any, *, is_shallow: bool = False) -> Decoded[Any]:
    """Convert data that is parsed already, such as TOML, into `kind`. There are no lines to name.

    What `read_json` returned `is_shallow`: it has counted the levels already.
    """
    if not is_shallow and _is_too_deep(obj):
        return Decoded(None, (fault(DecodeCode.TOO_DEEP, f"nested deeper than {MAX_DEPTH} levels"),))
    findings = Findings()
    value = _attempt(lambda: msgspec.convert(obj, type=kind, strict=True), obj, kind, findings)
    return Decoded(value, findings.all())


def _attempt(ask: Callable[[], Any], parsed: object, kind: Any, findings: Findings) -> Any:
    """Return what msgspec makes of it, or None where there is any error, and note what the types say."""
    try:
        value = ask()
    except ValueError as refusal:
        findings.extend(faults_in(parsed, kind))
        if not findings.has_errors:
            findings.add(fault(DecodeCode.INVALID, str(refusal)))
        return None
    # msgspec has the last word on what is valid; unknown fields are what it passes over in silence.
    findings.extend(v for v in unknown_fields(parsed, kind) if v.severity is Severity.WARNING)
    return None if findings.has_errors else value


def _is_too_deep(obj: object) -> bool:
    layer = [obj]
    for _ in range(MAX_DEPTH + 1):
        layer = [child for item in layer for child in _children(item)]
        if not layer:
            return False
    return True


def _children(item: object) -> Iterable[object]:
    if isinstance(item, Mapping):
        return item.values()
    return item if isinstance(item, list | tuple) else ()
