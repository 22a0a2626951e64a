"""Compare parsed data with a type and yield every difference, each with its JSON pointer.

Pure, used by `text.json.decode`. Knows the types our records are made of (see `msgspec.inspect`). About any
other type it says nothing, and then msgspec's own message stands.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from msgspec import inspect as mi

from signoff.domain.base.violations import Severity, Violation
from signoff.text.json.json_text import DecodeCode
from signoff.text.json.violation_list import below, fault, shown

_MOST = 5_000
"""The number of violations at which the walk of a hostile file ends. Far more than is ever listed."""

_ARRAY_TYPES = (mi.ListType, mi.VarTupleType, mi.SetType, mi.FrozenSetType, mi.CollectionType)
_JSON_TYPES: Mapping[type[mi.Type], tuple[str, tuple[type, ...]]] = {
    mi.NoneType: ("null", (type(None),)),
    mi.BoolType: ("boolean", (bool,)),
    mi.IntType: ("integer", (int,)),
    mi.FloatType: ("number", (int, float)),
    mi.StrType: ("string", (str,)),
    mi.StructType: ("object", (dict,)),
    mi.DictType: ("object", (dict,)),
    **dict.fromkeys(_ARRAY_TYPES, ("array", (list, tuple))),
}
"""The JSON type that each of our types is written as: its name, and what a parser makes of it."""
_NAMES: Mapping[type, str] = {
    dict: "object",
    list: "array",
    tuple: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}


def faults_in(value: object, kind: Any) -> Iterator[Violation]:
    """Yield what keeps `value` from being a `kind`, and unknown fields, in the order of the document."""
    return islice(_walk(value, type_of(kind), ""), _MOST)


def unknown_fields(value: object, kind: Any) -> Iterator[Violation]:
    """Yield the unknown fields of a value that fits its type otherwise, in the order of the document.

    Most files are right, so this goes only where a record can be and makes no pointer before it needs one.
    """
    return islice(_walk_unknown(value, _holder_of(kind), ()), _MOST)


def did_you_mean(word: str, known: list[str]) -> str:
    """Return the closest known word as advice, or an empty string."""
    close = difflib.get_close_matches(word[:60], known, n=1)
    return f"did you mean `{close[0]}`?" if close else ""


@cache
def type_of(kind: Any) -> mi.Type:
    """Return msgspec's description of a type. Making one takes longer than walking a small file."""
    return mi.type_info(kind)


def alternatives(kind: mi.Type) -> Iterator[mi.Type]:
    """Yield the members of a union, of unions inside it too, or the type itself, without their metadata."""
    if isinstance(kind, mi.Metadata):
        yield from alternatives(kind.type)
    elif isinstance(kind, mi.UnionType):
        for one in kind.types:
            yield from alternatives(one)
    else:
        yield kind


def _walk(value: object, kind: mi.Type, path: str) -> Iterator[Violation]:
    """Yield the differences between a value and one type.

    First the JSON type must fit. Then the content is compared in the way of that type: the members of a
    union, the fields of a record, the entries of a list, or the limits of a plain value.
    """
    if isinstance(kind, mi.Metadata):
        yield from _walk(value, kind.type, path)
    elif not _fits(value, kind):
        message = f"must be {_name(kind)}, not {_name_of(value)}"
        yield fault(DecodeCode.WRONG_TYPE, message, path, fix=f"write {_name(kind)}")
    elif isinstance(kind, mi.UnionType):
        yield from _union(value, kind, path)
    elif isinstance(kind, mi.StructType) and isinstance(value, dict):
        yield from _struct(value, kind, path)
    elif isinstance(kind, mi.DictType) and isinstance(value, dict):
        yield from _length(len(value), kind.min_length, kind.max_length, "entries", path)
        for key, item in value.items():
            if isinstance(kind.key_type, mi.StrType | mi.EnumType | mi.LiteralType):
                yield from _walk(key, kind.key_type, below(path, key))
            yield from _walk(item, kind.value_type, below(path, key))
    elif isinstance(kind, _ARRAY_TYPES) and isinstance(value, list | tuple):
        yield from _length(len(value), kind.min_length, kind.max_length, "items", path)
        for n, item in enumerate(value):
            yield from _walk(item, kind.item_type, below(path, n))
    elif isinstance(kind, mi.EnumType | mi.LiteralType):
        yield from _choice(value, _values(kind), path)
    elif isinstance(kind, mi.IntType | mi.FloatType) and isinstance(value, int | float):
        yield from _range(value, kind, path)
    elif isinstance(kind, mi.StrType) and isinstance(value, str):
        yield from _length(len(value), kind.min_length, kind.max_length, "characters", path)
        if kind.pattern is not None and not re.search(kind.pattern, value):
            message = f"{shown(value)} does not match /{kind.pattern}/"
            yield fault(DecodeCode.PATTERN_MISMATCH, message, path, fix="write a value that does")


def _fits(value: object, kind: mi.Type) -> bool:
    """Check whether `value` has the JSON type that `kind` is written as. Its content may still be wrong."""
    match kind:
        case mi.UnionType(types=kinds):
            return any(_fits(value, one) for one in kinds)
        case mi.Metadata(type=inner):
            return _fits(value, inner)
        case mi.EnumType() | mi.LiteralType():
            return any(type(value) is type(one) for one in _values(kind))
        case _:
            _, types = _JSON_TYPES.get(type(kind), ("", (object,)))
            # To Python a boolean is an integer, to JSON it is not.
            return isinstance(value, types) and (type(value) is not bool or types in ((bool,), (object,)))


def _name(kind: mi.Type) -> str:
    match kind:
        case mi.UnionType(types=kinds):
            return " or ".join(dict.fromkeys(_name(one) for one in kinds))
        case mi.Metadata(type=inner):
            return _name(inner)
        case mi.EnumType() | mi.LiteralType():
            return " or ".join(dict.fromkeys(_name_of(one) for one in _values(kind)))
        case _:
            return _JSON_TYPES.get(type(kind), ("array", ()))[0]


def _values(kind: mi.EnumType | mi.LiteralType) -> tuple[object, ...]:
    return kind.values if isinstance(kind, mi.LiteralType) else tuple(member.value for member in kind.cls)


def _name_of(value: object) -> str:
    return _NAMES.get(type(value)) or next(
        (name for base, name in _NAMES.items() if isinstance(value, base)), type(value).__name__
    )


class _Holder(NamedTuple):
    """What a value that can hold records looks like: one record by its tag, or a list of something."""

    structs: Mapping[object, tuple[mi.StructType, Mapping[str, "_Holder | None"]]]
    items: "_Holder | None"
    values: "_Holder | None"


@cache
def _holder_of(kind: Any) -> _Holder | None:
    return _holder(type_of(kind))


def _holder(kind: mi.Type) -> _Holder | None:
    """Return where records can be below a type, or None if there can be none.

    Built once for each type, so that walking a file skips every value that cannot hold a record.
    """
    plain = list(alternatives(kind))
    structs: dict[object, tuple[mi.StructType, Mapping[str, _Holder | None]]] = {
        one.tag: (one, {field.encode_name: _holder(field.type) for field in one.fields})
        for one in plain
        if isinstance(one, mi.StructType)
    }
    items = [_holder(one.item_type) for one in plain if isinstance(one, _ARRAY_TYPES)]
    values = [_holder(one.value_type) for one in plain if isinstance(one, mi.DictType)]
    found = _Holder(structs, next(iter(items), None), next(iter(values), None))
    return found if structs or found.items or found.values else None


def _walk_unknown(value: object, holder: _Holder | None, path: tuple[str | int, ...]) -> Iterator[Violation]:
    """Yield the unknown fields below a value. Where the holder is None there can be no record.

    The holder mirrors the type: items of a list, values of a mapping, fields of a record. Only in a record
    can a key be unknown.
    """
    if holder is None:
        return
    if isinstance(value, list | tuple):
        if holder.items is not None:
            for n, item in enumerate(value):
                yield from _walk_unknown(item, holder.items, (*path, n))
    elif isinstance(value, dict):
        found = _record_of(value, holder)
        if found is None:
            for key, item in value.items():
                yield from _walk_unknown(item, holder.values, (*path, key))
            return
        kind, fields = found
        for key, item in value.items():
            if key in fields:
                yield from _walk_unknown(item, fields[key], (*path, key))
            elif key != kind.tag_field:
                yield _unknown(key, kind, [*fields, kind.tag_field or ""], below("", *path))


def _record_of(
    value: dict[str, object], holder: _Holder
) -> tuple[mi.StructType, Mapping[str, _Holder | None]] | None:
    if len(holder.structs) < 2:
        return next(iter(holder.structs.values()), None)
    names = {kind.tag_field for kind, _ in holder.structs.values()}
    tags = (value.get(name) for name in names if name is not None)
    return next(
        (holder.structs[tag] for tag in tags if isinstance(tag, str | int) and tag in holder.structs), None
    )


def _struct(value: dict[str, object], kind: mi.StructType, path: str) -> Iterator[Violation]:
    fields = {field.encode_name: field for field in kind.fields}
    for name, field in fields.items():
        if field.required and name not in value:
            message = f"`{name}` is missing"
            yield fault(
                DecodeCode.MISSING_FIELD, message, below(path, name), fix=f"add it: {_name(field.type)}"
            )
    for key, item in value.items():
        if key in fields:
            yield from _walk(item, fields[key].type, below(path, key))
        elif key == kind.tag_field:
            yield from _tag(item, (kind.tag,), below(path, key))
        else:
            yield _unknown(key, kind, [*fields, kind.tag_field or ""], path)


def _unknown(key: str, kind: mi.StructType, known: list[str], path: str) -> Violation:
    return fault(
        DecodeCode.UNKNOWN_FIELD,
        f"{shown(key)} is no field of {kind.cls.__name__}",
        below(path, key),
        fix=did_you_mean(key, known) or "remove it",
        severity=Severity.ERROR if kind.forbid_unknown_fields else Severity.WARNING,
    )


def _union(value: object, kind: mi.UnionType, path: str) -> Iterator[Violation]:
    """Yield the differences of a value and a union.

    Records of a union are told apart by their tag. Of other members the one with the fewest differences
    is what was meant.
    """
    candidates = [one for one in kind.types if _fits(value, one)]
    structs = [one for one in candidates if isinstance(one, mi.StructType)]
    if len(structs) < 2 or not isinstance(value, dict):
        faults = [list(_walk(value, one, path)) for one in candidates]
        yield from min(faults, key=len)
        return
    by_tag = {struct.tag: struct for struct in structs}
    name = structs[0].tag_field or ""
    if name not in value:
        fix = f"add it: {_choices(tuple(by_tag))}"
        yield fault(DecodeCode.MISSING_FIELD, f"`{name}` is missing", below(path, name), fix=fix)
        return
    tag = value[name]
    if isinstance(tag, str | int) and tag in by_tag:
        yield from _struct(value, by_tag[tag], path)
    else:
        yield from _tag(tag, tuple(by_tag), below(path, name))


def _tag(tag: object, known: tuple[object, ...], path: str) -> Iterator[Violation]:
    yield from _choice(tag, known, path, DecodeCode.UNKNOWN_TAG)


def _choice(
    value: object,
    known: tuple[object, ...],
    path: str,
    code: DecodeCode = DecodeCode.UNKNOWN_VALUE,
) -> Iterator[Violation]:
    if any(value == one and type(value) is type(one) for one in known):
        return
    quoted = shown(value) if isinstance(value, str | int | float | None) else _name_of(value)
    words = [one for one in known if isinstance(one, str)]
    advice = did_you_mean(value, words) if isinstance(value, str) else ""
    message = f"must be {_choices(known)}, not {quoted}"
    yield fault(code, message, path, fix=advice or f"write {_choices(known)}")


def _choices(known: tuple[object, ...]) -> str:
    listed = ", ".join(shown(one) for one in known if isinstance(one, str | int | None))
    return f"one of {listed}" if len(known) > 1 else listed


def _range(value: float, kind: mi.IntType | mi.FloatType, path: str) -> Iterator[Violation]:
    # Asked this way round, because NaN is within no bound and beyond none.
    bounds = {
        f"at least {kind.ge}": kind.ge is not None and not value >= kind.ge,
        f"more than {kind.gt}": kind.gt is not None and not value > kind.gt,
        f"at most {kind.le}": kind.le is not None and not value <= kind.le,
        f"less than {kind.lt}": kind.lt is not None and not value < kind.lt,
        f"a multiple of {kind.multiple_of}": kind.multiple_of is not None and value % kind.multiple_of != 0,
    }
    for bound, is_broken in bounds.items():
        if is_broken:
            message = f"must be {bound}, not {shown(value)}"
            yield fault(DecodeCode.OUT_OF_RANGE, message, path, fix=f"write a number that is {bound}")


def _length(size: int, least: int | None, most: int | None, of: str, path: str) -> Iterator[Violation]:
    if least is not None and size < least:
        message = f"must have at least {least} {of}, not {size}"
        yield fault(DecodeCode.WRONG_LENGTH, message, path, fix="add to it")
    if most is not None and size > most:
        message = f"must have at most {most} {of}, not {size}"
        yield fault(DecodeCode.WRONG_LENGTH, message, path, fix="shorten it")
