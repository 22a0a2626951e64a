"""Hold a state file against an older one: its shape whole, a few of its values exactly. Pure.

Keys (and their order), types and the length of lists must not change. Of the values, those count that say how
a run stands; what is written for people may be written better.
"""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

EXACT = (
    "/version",
    "/input/kind",
    "/input/data/confidence/band",
    "/input/data/confidence/score",
    "/input/data/confidence/dimensions/*",
    "/input/data/confidence/ui_intent",
    "/input/data/acceptance_criteria/*",
    "/ticket/id",
    "/intent",
    "/directive_set",
    "/persona",
    "/memory/*/id",
    "/changes/*/path",
    "/tests/verdict",
    "/verify/verdict",
    "/outcomes/*",
)
"""Pointers of the values that are compared as they are; a star stands for one key or number."""

_ABSENT = "(nothing)"


class Moved(NamedTuple):
    """One place in which two documents differ."""

    pointer: str
    before: str
    after: str


def compare_snapshots(before: bytes | None, after: bytes | None) -> Iterator[Moved]:
    """Give every difference between two state files that counts."""
    if before is None or after is None:
        if before != after:
            yield Moved("", _present(before), _present(after))
        return
    written = (_style(before), _style(after))
    if written[0] != written[1]:
        yield Moved("", *written)
    documents = (_parsed(before), _parsed(after))
    yield from compare_shapes(*documents, "")


def compare_shapes(before: object, after: object, at: str) -> Iterator[Moved]:
    """Give every place at which the shape differs, or a value that counts."""
    if kind_of(before) != kind_of(after):
        yield Moved(at, kind_of(before), kind_of(after))
    elif isinstance(before, dict) and isinstance(after, dict):
        yield from _objects(before, after, at)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(before, after, at)
    elif is_exact(at) and before != after:
        yield Moved(at, told(before), told(after))


def _objects(before: dict[str, object], after: dict[str, object], at: str) -> Iterator[Moved]:
    if list(before) != list(after) and set(before) == set(after):
        yield Moved(at, f"keys in the order {', '.join(before)}", f"keys in the order {', '.join(after)}")
    for key in (*before, *(key for key in after if key not in before)):
        pointer = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in after:
            yield Moved(pointer, kind_of(before[key]), _ABSENT)
        elif key not in before:
            yield Moved(pointer, _ABSENT, kind_of(after[key]))
        else:
            yield from compare_shapes(before[key], after[key], pointer)


def _lists(before: list[object], after: list[object], at: str) -> Iterator[Moved]:
    if len(before) != len(after):
        yield Moved(at, f"{len(before)} items", f"{len(after)} items")
    for number, (one, other) in enumerate(zip(before, after, strict=False)):
        yield from compare_shapes(one, other, f"{at}/{number}")


def is_exact(pointer: str) -> bool:
    """Say whether the value at this place is compared as it is."""
    parts = pointer.split("/")
    return any(len(pattern) == len(parts) and all(map(fnmatchcase, parts, pattern)) for pattern in _PATTERNS)


_PATTERNS = tuple(pattern.split("/") for pattern in EXACT)


def told(value: object) -> str:
    """Give a value as a person compares it."""
    return json.dumps(value, ensure_ascii=False)


def kind_of(value: object) -> str:
    """Name what kind of JSON a value is; 1 and 1.0 are two kinds, because hosts read them so."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a float"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _parsed(data: bytes) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode("utf-8", "replace")


def _present(data: bytes | None) -> str:
    return "no state file" if data is None else "a state file"


def _style(data: bytes) -> str:
    """Say how a file is written, as far as a host or a diff would notice."""
    escaped = "non-ASCII text is escaped" if _escapes(data) else "non-ASCII text is kept"
    indented = "two spaces" if data.startswith(b'{\n  "') else "another layout"
    end = "a newline at the end" if data.endswith(b"}\n") else "another end"
    return f"{escaped}, {indented}, {end}"


def _escapes(data: bytes) -> bool:
    """Say whether a character beyond ASCII is written as an escape; control characters always are."""
    text = data.replace(b"\\\\", b"")
    return any(
        int(text[at + 2 : at + 6], 16) > 0x7F for at in _starts(text) if _is_hex(text[at + 2 : at + 6])
    )


def _starts(text: bytes) -> Iterator[int]:
    at = text.find(b"\\u")
    while at >= 0:
        yield at
        at = text.find(b"\\u", at + 2)


def _is_hex(digits: bytes) -> bool:
    return len(digits) == 4 and all(digit in b"0123456789abcdefABCDEF" for digit in digits)
