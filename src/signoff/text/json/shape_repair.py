"""Put harmless values where a document has the wrong shape, so that its rules can be asked all the same.

Pure, used by `contract check` and `spec check`. The author of a plan should see everything at once, and one
missing field must not hide a cycle. The repaired document is looked at and thrown away. What a rule says
about a repaired place is about our own value, and the caller drops it.
"""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from msgspec import inspect as mi

from signoff.domain.base.violations import Severity, Violation
from signoff.text.json.decode import convert
from signoff.text.json.json_text import DecodeCode
from signoff.text.json.type_faults import alternatives, type_of

_ROUNDS = 5
"""A repaired place can show the next fault below it. After so many rounds we know enough."""


def repaired(document: object, kind: Any, faults: Iterable[Violation]) -> Any | None:
    """Return a record of `kind` from a document with these shape faults, or None if there can be none."""
    copy = deepcopy(document)
    found = tuple(faults)
    for _ in range(_ROUNDS):
        for fault in found:
            if fault.severity is Severity.ERROR and not _mend(copy, kind, fault):
                return None
        value, again = convert(copy, kind)
        if value is not None:
            return value
        found = again
    return None


def _mend(document: object, kind: Any, fault: Violation) -> bool:
    """Put a value of the right type at the place of one fault. Return whether that could be done."""
    # An unknown tag does not say which record was meant, so the whole record is replaced.
    path = fault.path.rpartition("/")[0] if fault.code == DecodeCode.UNKNOWN_TAG else fault.path
    *steps, last = [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")[1:]] or [""]
    holder = document
    holder_type: mi.Type | None = type_of(kind)
    for step in steps:
        holder_type = _below(holder_type, holder, step)
        holder = _child(holder, step)
    if holder is None:
        return False
    wanted = _below(holder_type, holder, last)
    if wanted is None or fault.code == DecodeCode.UNKNOWN_FIELD:
        return False
    return _put(holder, last, _neutral(wanted))


def _child(holder: object, step: str) -> object:
    if isinstance(holder, dict):
        return holder.get(step)
    if isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        return holder[int(step)]
    return None


def _put(holder: object, step: str, value: object) -> bool:
    if isinstance(holder, dict):
        holder[step] = value
        return True
    if isinstance(holder, list) and step.isdecimal() and int(step) < len(holder):
        holder[int(step)] = value
        return True
    return False


def _below(kind: mi.Type | None, holder: object, step: str) -> mi.Type | None:
    """Return the type of what stands at a step below a value of `kind`, or None if it is not known.

    Of several records of a union, the one counts whose tag the value has, or the first if it has no tag.
    """
    for one in alternatives(kind) if kind else ():
        if isinstance(holder, list) and isinstance(one, mi.VarTupleType):
            return one.item_type
        if isinstance(holder, dict) and isinstance(one, mi.StructType):
            if one.tag_field is not None and holder.get(one.tag_field) not in (one.tag, None):
                continue
            if step == one.tag_field:
                return mi.LiteralType((one.tag,))
            return next((field.type for field in one.fields if field.encode_name == step), None)
    return None


def _neutral(kind: mi.Type) -> object:
    """Return the smallest value of a type: an empty one, or a number that comes before all others.

    One case for each type our records are made of. A record is filled with the smallest values it requires.
    """
    match kind:
        case mi.UnionType(types=kinds):
            plain = (one for one in kinds if isinstance(one, mi.StrType | mi.NoneType))
            return _neutral(next(plain, kinds[0]))
        case mi.Metadata(type=inner):
            return _neutral(inner)
        case mi.StrType():
            return ""
        case mi.BoolType():
            return False
        case mi.IntType() | mi.FloatType():
            return 0
        case mi.EnumType(cls=cls):
            return next(iter(cls)).value
        case mi.LiteralType(values=values):
            return values[0]
        case mi.StructType():
            tag = {kind.tag_field: kind.tag} if kind.tag_field else {}
            return {**tag, **{f.encode_name: _neutral(f.type) for f in kind.fields if f.required}}
        case mi.VarTupleType():
            return []
        case mi.DictType():
            return {}
        case _:
            return None
