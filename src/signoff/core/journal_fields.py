"""What a field of an event may hold, as data, and the one loop that holds a record against it.

Pure; `audit_events` and `cycle_events` build their tables of these. Light to import, like the checker: no
typing, no msgspec.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable

from signoff.core.journal_faults import Faults
from signoff.core.journal_format import is_timestamp
from signoff.core.journal_rules import JournalCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

_MISSING = object()
_INFINITE = float("inf")

LARGEST_COUNT = 1 << 53
"""Beyond this, readers of JSON disagree about integers."""


class Kind(namedtuple("Kind", ("what", "has_type", "is_good"))):
    """What a field may hold."""

    __slots__ = ()
    what: str
    """For the message: "an integer from 1 to 6"."""
    has_type: Callable[[object], bool]
    is_good: Callable[[object], bool]
    """Type and value together: the only one asked of a good record."""


class Field(namedtuple("Field", ("name", "kind", "required"), defaults=(True,))):
    """One field of an event."""

    __slots__ = ()
    name: str
    kind: Kind
    required: bool


def is_whole(value: object) -> bool:
    """Say whether this is an integer; `true` is none."""
    return type(value) is int


def is_number(value: object) -> "TypeGuard[float]":
    """Say whether this is a finite number; `true` is none, nor is what overflows a float."""
    return type(value) is int or (type(value) is float and -_INFINITE < value < _INFINITE)


def is_text(value: object) -> bool:
    """Say whether this is text, empty or not."""
    return type(value) is str


def is_names(value: object) -> "TypeGuard[list[str]]":
    """Say whether this is a list of texts that say something."""
    return type(value) is list and all(type(item) is str and item.strip() for item in value)


def _is_list(value: object) -> bool:
    return type(value) is list


def _is_version(value: object) -> bool:
    if type(value) is not str:
        return False
    major = value.partition(".")[0]
    return major.isascii() and major.isdigit() and len(major) <= 4


def whole(least: int, most: int) -> Kind:
    """Give an integer of this range."""
    return Kind(
        f"an integer from {least} to {most}",
        is_whole,
        lambda value: type(value) is int and least <= value <= most,
    )


def number(least: float, most: float) -> Kind:
    """Give a number of this range."""
    return Kind(
        f"a number from {least} to {most}",
        is_number,
        lambda value: is_number(value) and least <= value <= most,
    )


def one_of(*words: str) -> Kind:
    """Give one of these words."""
    allowed = frozenset(words)
    listed = " or ".join(f'"{word}"' for word in words)
    return Kind(listed, is_text, lambda value: type(value) is str and value in allowed)


TEXT = Kind("text that is not empty", is_text, lambda value: type(value) is str and bool(value.strip()))
ANY_TEXT = Kind("text", is_text, is_text)
FLAG = Kind("true or false", lambda value: type(value) is bool, lambda value: type(value) is bool)
COUNT = Kind(
    "an integer, 0 or more", is_whole, lambda value: type(value) is int and 0 <= value <= LARGEST_COUNT
)
ATTEMPT = Kind("an integer, 1 or more", is_whole, lambda value: type(value) is int and value >= 1)
AMOUNT = Kind(
    "a number, 0 or more",
    is_number,
    lambda value: is_number(value) and value >= 0,
)
MOMENT = Kind(
    "an ISO 8601 UTC time with `Z`", is_text, lambda value: type(value) is str and is_timestamp(value)
)
VERSION = Kind('a version such as "1.5.6"', is_text, _is_version)
NAMES = Kind("a list of names", _is_list, is_names)
SOME_NAMES = Kind("a list of one or more names", _is_list, lambda value: is_names(value) and bool(value))
LIST = Kind("a list", _is_list, _is_list)
OBJECT = Kind("an object", lambda value: type(value) is dict, lambda value: type(value) is dict)
TEXT_OR_NULL = Kind(
    "text that is not empty, or null",
    lambda value: value is None or is_text(value),
    lambda value: value is None or TEXT.is_good(value),
)


def check_fields(record: dict[str, object], fields: Iterable[Field], faults: Faults, path: str = "") -> None:
    """Report every field that is missing or wrong; fields the table does not name are nobody's business."""
    for name, kind, required in fields:
        value = record.get(name, _MISSING)
        if value is _MISSING:
            if required:
                faults.add(JournalCode.FIELD_MISSING, f"`{name}` is missing", f"{path}/{name}")
        elif not kind.is_good(value):
            code = JournalCode.FIELD_VALUE if kind.has_type(value) else JournalCode.FIELD_TYPE
            faults.add(code, f"`{name}` is {value!r:.60}, not {kind.what}", f"{path}/{name}")


def check_relative(value: object, faults: Faults, path: str) -> None:
    """Report a path that is absolute or leads out of the target."""
    if type(value) is not str:
        return
    parts = value.replace("\\", "/").split("/")
    if parts[0] in ("", "~") or ".." in parts or parts[0][1:2] == ":":
        faults.add(JournalCode.PATH_NOT_RELATIVE, f"{value!r:.60} is not relative to the target", path)


def check_schema_version(value: object, faults: Faults) -> None:
    """Report a later major version: it may mean something else by a field."""
    if VERSION.is_good(value) and type(value) is str and int(value.partition(".")[0]) > 1:
        message = f"`schema_version` is {value[:60]!r}; this checker knows 1"
        faults.add(JournalCode.SCHEMA_VERSION_UNSUPPORTED, message, "/schema_version")
