"""Compare a state file with an older one: all of its shape, and a few of its values. Pure.

Keys (and their order), types and the length of lists must not change. Of the values,
only those count that tell how a run stands. Text for people may be improved.
"""

import json
import re
from collections.abc import Iterable, Iterator
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

_PATTERNS = tuple(pattern.split("/") for pattern in EXACT)
_ABSENT = "(nothing)"
_ESCAPE = re.compile(rb"\\u([0-9a-fA-F]{4})")


class Moved(NamedTuple):
    """One place in which two documents differ."""

    pointer: str
    before: str
    after: str


def compare_snapshots(before: bytes | None, after: bytes | None) -> Iterator[Moved]:
    """Yield every difference between two state files that counts, None being no file."""
    if before is None or after is None:
        if before != after:
            yield Moved(
                "", *("no state file" if data is None else "a state file" for data in (before, after))
            )
        return
    then, now = _style(before), _style(after)
    if then != now:
        yield Moved("", then, now)
    yield from compare_shapes(_parsed(before), _parsed(after), "")


def compare_fields(before: object, after: object, names: Iterable[str], at: str) -> Iterator[Moved]:
    """Yield the fields of two records that differ, with their values as JSON."""
    for name in names:
        then, now = getattr(before, name), getattr(after, name)
        if then != now:
            yield Moved(f"{at}/{name}", told(then), told(now))


def compare_shapes(before: object, after: object, at: str) -> Iterator[Moved]:
    """Yield every place where the shape differs, or a value that `EXACT` names."""
    if kind_of(before) != kind_of(after):
        yield Moved(at, kind_of(before), kind_of(after))
    elif isinstance(before, dict) and isinstance(after, dict):
        yield from _objects(before, after, at)
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield Moved(at, f"{len(before)} items", f"{len(after)} items")
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from compare_shapes(one, other, f"{at}/{number}")
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


def is_exact(pointer: str) -> bool:
    """Check whether the value at this place is compared exactly."""
    parts = pointer.split("/")
    return any(len(pattern) == len(parts) and all(map(fnmatchcase, parts, pattern)) for pattern in _PATTERNS)


def told(value: object) -> str:
    """Return a value as JSON, so that a person can compare it."""
    return json.dumps(value, ensure_ascii=False)


def kind_of(value: object) -> str:
    """Return the kind of a JSON value. 1 and 1.0 are two kinds, because hosts tell them apart."""
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


def _style(data: bytes) -> str:
    """Describe the layout of a file, as far as a host or a diff would notice it."""
    # An escaped backslash before a `u` is no escape of a character. Control characters are always escaped.
    codes = [int(digits, 16) for digits in _ESCAPE.findall(data.replace(b"\\\\", b""))]
    escaped = "non-ASCII text is escaped" if any(code > 0x7F for code in codes) else "non-ASCII text is kept"
    indented = "two spaces" if data.startswith(b'{\n  "') else "another layout"
    end = "a newline at the end" if data.endswith(b"}\n") else "another end"
    return f"{escaped}, {indented}, {end}"
