"""Kinds of fields in the events of a log, and `Judge`, the one interpreter of the tables of a profile.

Pure; `audit_events` and `cycle_events` are such tables. Light to import, like the checker: no typing, no
msgspec.
"""

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping

from signoff.engine.journal_format import is_timestamp
from signoff.judges.journal.journal_rules import Faults, JournalCode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

_MISSING = object()
_INFINITIES = (float("inf"), float("-inf"))

LARGEST_COUNT = 1 << 53
"""Beyond this, readers of JSON disagree about integers."""

Record = dict[str, object]
Found = tuple[JournalCode, str, str]
"""A violation of the current record: code, message, JSON pointer."""


class FieldKind(namedtuple("FieldKind", ("what", "types", "accepts", "required"), defaults=(None, True))):
    """A kind of value: its types, which of their values are allowed, and its words for a message."""

    __slots__ = ()
    what: str
    """For the message: "an integer from 1 to 6"."""
    types: tuple[type, ...]
    """Exact types, so that `true` is not an integer."""
    accepts: "Callable[[Any], object] | None"
    """Which values of these types are allowed. None allows all."""
    required: bool

    def has_type(self, value: object) -> bool:
        """Check the type alone. A number that overflows a float is not a number."""
        return type(value) in self.types and value not in _INFINITIES

    def is_good(self, value: object) -> bool:
        """Check type and value."""
        return self.has_type(value) and (self.accepts is None or bool(self.accepts(value)))


Fields = Mapping[str, FieldKind]
"""Of one event or object, in the order of their violations. Fields without an entry are allowed anywhere."""


def is_names(value: object) -> "TypeGuard[list[str]]":
    """Check whether this is a list of texts of which none is blank."""
    return type(value) is list and all(type(item) is str and item.strip() for item in value)


def _is_version(value: str) -> bool:
    major = value.partition(".")[0]
    return major.isascii() and major.isdigit() and len(major) <= 4


def whole(least: int, most: int) -> FieldKind:
    """Return the kind of an integer in this range."""
    return FieldKind(f"an integer from {least} to {most}", (int,), lambda value: least <= value <= most)


def number(least: float, most: float) -> FieldKind:
    """Return the kind of a number in this range."""
    return FieldKind(f"a number from {least} to {most}", (int, float), lambda value: least <= value <= most)


def one_of(*words: str) -> FieldKind:
    """Return the kind of a text that is one of these words."""
    return FieldKind(" or ".join(f'"{word}"' for word in words), (str,), frozenset(words).__contains__)


def optional(kind: FieldKind) -> FieldKind:
    """Return this kind for a field that may be missing."""
    return kind._replace(required=False)


TEXT = FieldKind("text that is not empty", (str,), str.strip)
ANY_TEXT = FieldKind("text", (str,))
FLAG = FieldKind("true or false", (bool,))
COUNT = FieldKind("an integer, 0 or more", (int,), lambda value: 0 <= value <= LARGEST_COUNT)
ATTEMPT = FieldKind("an integer, 1 or more", (int,), lambda value: value >= 1)
AMOUNT = FieldKind("a number, 0 or more", (int, float), lambda value: value >= 0)
MOMENT = FieldKind("an ISO 8601 UTC time with `Z`", (str,), is_timestamp)
VERSION = FieldKind('a version such as "1.5.6"', (str,), _is_version)
NAMES = FieldKind("a list of names", (list,), is_names)
SOME_NAMES = FieldKind("a list of one or more names", (list,), lambda value: value and is_names(value))
LIST = FieldKind("a list", (list,))
OBJECT = FieldKind("an object", (dict,))
TEXT_OR_NULL = FieldKind(
    "text that is not empty, or null", (str, type(None)), lambda value: value is None or value.strip()
)


def check_fields(record: Record, fields: Fields, path: str = "") -> Iterator[Found]:
    """Yield every field that is missing or wrong."""
    for name, kind in fields.items():
        value = record.get(name, _MISSING)
        if value is _MISSING:
            if kind.required:
                yield JournalCode.FIELD_MISSING, f"`{name}` is missing", f"{path}/{name}"
        elif not kind.is_good(value):
            code = JournalCode.FIELD_VALUE if kind.has_type(value) else JournalCode.FIELD_TYPE
            yield code, f"`{name}` is {value!r:.60}, not {kind.what}", f"{path}/{name}"


def check_relative(value: object, path: str) -> Iterator[Found]:
    """Yield a violation for a path that is absolute or leads out of the target."""
    if type(value) is not str:
        return
    parts = value.replace("\\", "/").split("/")
    if parts[0] in ("", "~") or ".." in parts or parts[0][1:2] == ":":
        yield JournalCode.PATH_NOT_RELATIVE, f"{value!r:.60} is not relative to the target", path


def check_schema_version(value: object) -> Iterator[Found]:
    """Yield a violation for a later major version, in which a field may mean something else."""
    if type(value) is str and VERSION.is_good(value) and int(value.partition(".")[0]) > 1:
        message = f"`schema_version` is {value[:60]!r}; this checker knows 1"
        yield JournalCode.SCHEMA_VERSION_UNSUPPORTED, message, "/schema_version"


class Judge:
    """Check the events of one profile: each record's fields by the table, then what its own check yields.

    A profile's own check compares a record with the records before it, so it also remembers what it sees.
    """

    def __init__(
        self,
        faults: Faults,
        profile: str,
        events: Mapping[str, Fields],
        checks: Mapping[str, Callable[[Record], Iterator[Found]]],
    ) -> None:
        self.started = False
        self._faults = faults
        self._profile = profile
        self._events = events
        self._checks = checks

    def start(self, record: Record) -> Iterator[Found]:
        """Yield a violation if the run starts a second time."""
        if self.started:
            yield JournalCode.RUN_START_REPEATED, f"`{record.get('event')}` is repeated here", "/event"
        self.started = True

    def see(self, event: str, record: Record) -> None:
        """Check one record. The fields of an unknown event are not checked."""
        for code, message, path in self._violations(event, record):
            self._faults.add(code, message, path)

    def _violations(self, event: str, record: Record) -> Iterator[Found]:
        fields = self._events.get(event)
        if fields is None:
            yield (
                JournalCode.EVENT_UNKNOWN,
                f"{event[:60]!r} is not an event of {self._profile} log",
                "/event",
            )
            return
        yield from check_fields(record, fields)
        if event in self._checks:
            yield from self._checks[event](record)
