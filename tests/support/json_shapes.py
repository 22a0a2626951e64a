"""Strategies for JSON of our records' shapes: right, almost right and arbitrary."""

import builtins
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as mi

JSON_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | JSON_TEXT
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(JSON_TEXT, inner, max_size=4),
    max_leaves=12,
)
# Strings that rules look at, so that they meet often.
WORDS = st.sampled_from(
    ("", "T1", "T2", "T3", "T1/check-1", "C1", "gate/tests", "src/a.py", "SRC/A.py", "./src/a.py", "src")
) | st.sampled_from(
    ("../up", "/etc", ".git/config", "a\\b", "C:/x", "(", "a{2}", "npm test", "pytest", "x" * 501, "\0", "**")
)


def json_of(kind: Any, texts: st.SearchStrategy[str] = JSON_TEXT) -> st.SearchStrategy[Any]:
    """Give JSON that msgspec decodes into `kind`."""
    return _json_of(mi.type_info(kind), texts)


def _json_of(kind: mi.Type, texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    match kind:
        case mi.StructType():
            required = {f.encode_name: _json_of(f.type, texts) for f in kind.fields if f.required}
            optional = {f.encode_name: _json_of(f.type, texts) for f in kind.fields if not f.required}
            if kind.tag_field:
                required[kind.tag_field] = st.just(kind.tag)
            return st.fixed_dictionaries(required, optional=optional)
        case mi.UnionType():
            return st.one_of([_json_of(one, texts) for one in kind.types])
        case mi.VarTupleType() | mi.ListType():
            return st.lists(_json_of(kind.item_type, texts), min_size=kind.min_length or 0, max_size=3)
        case mi.DictType():
            return st.dictionaries(texts, _json_of(kind.value_type, texts), max_size=3)
        case mi.EnumType():
            return st.sampled_from([member.value for member in kind.cls])
        case mi.LiteralType():
            return st.sampled_from(kind.values)
        case mi.StrType(pattern=str(pattern)):
            return st.from_regex(pattern, fullmatch=True)
        case mi.StrType(min_length=int(least)):
            return texts.filter(lambda text: len(text) >= least)
        case mi.StrType():
            return texts
        case mi.IntType():
            return st.integers(kind.ge if kind.ge is not None else -2, kind.le if kind.le is not None else 12)
        case mi.FloatType():
            return st.floats(allow_nan=False, allow_infinity=False)
        case mi.BoolType():
            return st.booleans()
        case mi.NoneType():
            return st.none()
        case mi.RawType() | mi.AnyType() | mi.CustomType(cls=builtins.object):
            return ANY_JSON
        case mi.Metadata():
            return _json_of(kind.type, texts)
        case _:
            raise NotImplementedError(kind)


@st.composite
def spoiled(draw: st.DrawFn, kind: Any) -> Any:
    """Give JSON of a kind with one to three places changed: a value replaced, a key dropped, a key added."""
    document = draw(json_of(kind))
    for _ in range(draw(st.integers(1, 3))):
        document = _spoil(draw, document)
    return document


def _spoil(draw: st.DrawFn, node: Any) -> Any:
    if isinstance(node, dict) and node:
        key = draw(st.sampled_from(sorted(node)))
        deed = draw(st.sampled_from(["below", "below", "below", "drop", "add", "replace"]))
        if deed == "below":
            return {**node, key: _spoil(draw, node[key])}
        if deed == "drop":
            return {k: v for k, v in node.items() if k != key}
        if deed == "add":
            return {**node, draw(JSON_TEXT): draw(SCALARS)}
    elif isinstance(node, list) and node and draw(st.booleans()):
        n = draw(st.integers(0, len(node) - 1))
        return [*node[:n], _spoil(draw, node[n]), *node[n + 1 :]]
    return draw(ANY_JSON)


def as_json(document: Any) -> bytes:
    """Give the bytes of a document."""
    return msgspec.json.encode(document)
