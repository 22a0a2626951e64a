"""Documents spelt in camelCase, read and written as if they were spelt in snake_case.

Pure. Only the keys our records know are respelt, and only where they stand in a record: what is unknown or
free-form keeps its spelling, so respelling there and back gives the document it was given. Where both
spellings of a field stand side by side, both are left alone with all that is in them: ours is the field then,
and the other one is an unknown key.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from msgspec import inspect as mi

from signoff.text.json.type_faults import alternatives, type_of

JsonObject = dict[str, object]
"""A parsed JSON object, exactly as it stands in a file. Only the readers and writers of formats hold one."""

_HUMP = re.compile(r"_([a-z0-9])")


@lru_cache(maxsize=1_000)
def camel(name: str) -> str:
    """Return the camelCase spelling of a field."""
    return _HUMP.sub(lambda hump: hump[1].upper(), name)


def is_camel(document: JsonObject, kind: Any) -> bool:
    """Check whether a document spells any field of `kind` in camelCase that could be spelt otherwise."""
    return any(camel(name) != name and camel(name) in document for name in kind.__struct_encode_fields__)


def to_snake(document: object, kind: Any) -> object:
    """Return the document with the fields of `kind`, at any depth, in our spelling."""
    return _respelt(document, type_of(kind), lambda name: (camel(name), name))


def to_camel(document: object, kind: Any) -> object:
    """Return the document with the fields of `kind`, at any depth, in camelCase."""
    return _respelt(document, type_of(kind), lambda name: (name, camel(name)))


def put_field(target: JsonObject, name: str, value: object, *, may_be_camel: bool) -> None:
    """Set a field where it stands. A new one goes to the end, in the spelling of the file."""
    target[camel(name) if may_be_camel and name not in target else name] = value


def pointer_in(path: str, document: object) -> str:
    """Return a JSON pointer into our spelling as the pointer into the camelCase document it was made from."""
    steps = []
    at = document
    for step in path.split("/")[1:]:
        if isinstance(at, dict):
            key = step.replace("~1", "/").replace("~0", "~")
            key = key if key in at else camel(key)
            at = at.get(key)
            steps.append(key.replace("~", "~0").replace("/", "~1"))
        else:
            at = at[int(step)] if isinstance(at, list) and step.isdecimal() and int(step) < len(at) else None
            # Below what is not there, only a field of a record can be meant.
            steps.append(camel(step))
    return "".join(f"/{step}" for step in steps)


@cache
def field_names(kind: Any) -> frozenset[str]:
    """Return the names of the fields of `kind`, at any depth, in our spelling."""
    names: set[str] = set()
    todo = [type_of(kind)]
    while todo:
        for one in alternatives(todo.pop()):
            if isinstance(one, mi.VarTupleType | mi.ListType):
                todo.append(one.item_type)
            elif isinstance(one, mi.DictType):
                todo.append(one.value_type)
            elif isinstance(one, mi.StructType):
                fields = _fields_of(one.cls)
                names |= fields.keys()
                todo += fields.values()
    return frozenset(names)


Spellings = Callable[[str], tuple[str, str]]
"""A function from the name of a field to the spelling it is found in and the spelling to write."""


def _respelt(value: object, kind: mi.Type, spellings: Spellings) -> object:
    """Return a value in the other spelling, walking it along with its type.

    A list or a free-form object stays as it is unless the type says what its entries are.
    """
    if isinstance(value, list):
        lists = (one for one in alternatives(kind) if isinstance(one, mi.VarTupleType | mi.ListType))
        items = next(lists, None)
        return [_respelt(item, items.item_type, spellings) for item in value] if items else value
    if not isinstance(value, dict):
        return value
    if fields := _fields(kind, value):
        return _respelt_object(value, fields, spellings)
    entries = next((one for one in alternatives(kind) if isinstance(one, mi.DictType)), None)
    if entries is None:
        return value
    return {key: _respelt(item, entries.value_type, spellings) for key, item in value.items()}


def _respelt_object(value: JsonObject, fields: dict[str, mi.Type], spellings: Spellings) -> JsonObject:
    named = {spelling: name for name in fields for spelling in spellings(name)}
    respelt: JsonObject = {}
    for key, inner in value.items():
        field = named.get(key)
        found, wanted = (key, key) if field is None else spellings(field)
        if field is None or (found != wanted and found in value and wanted in value):
            respelt[key] = inner
        else:
            respelt[wanted] = _respelt(inner, fields[field], spellings)
    return respelt


def _fields(kind: mi.Type, value: JsonObject) -> dict[str, mi.Type]:
    """Return the fields of the record this object is: of several possible ones, the one its tag names."""
    structs = [one for one in alternatives(kind) if isinstance(one, mi.StructType)]
    for one in structs:
        if len(structs) == 1 or (one.tag_field is not None and value.get(one.tag_field) == one.tag):
            return _fields_of(one.cls)
    return {}


@cache
def _fields_of(cls: type) -> dict[str, mi.Type]:
    kind = type_of(cls)
    assert isinstance(kind, mi.StructType)
    return {field.encode_name: field.type for field in kind.fields}
