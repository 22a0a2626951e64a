"""Readers of single lines of JSON events that never fail on them. Pure, and shared by the profiles."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from signoff.domain.machine.activity import Activity, UnknownLine
from signoff.text.truncation import short

T = TypeVar("T")

Found = tuple[Activity, ...] | None
"""The activity in a line, or None for a line that does not have its expected shape."""
LineReader = Callable[[bytes], Found]

_LONGEST_LINE = 500
LONGEST_ABOUT = 200
LONGEST_NAME = 80
LONGEST_MESSAGE = 1000


def decoded(data: bytes | msgspec.Raw | str, kind: type[T]) -> T | None:
    """Return the record, or None if the text is anything else."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError):  # not JSON, not UTF-8, not of that shape; nested without end
        return None


def reading(shape: type[T], mean: Callable[[T], Found]) -> LineReader:
    """Return a reader of lines of one shape, from what such a line means."""

    def read(line: bytes) -> Found:
        record = decoded(line, shape)
        return None if record is None else mean(record)

    return read


def dropped(_line: bytes) -> Found:
    """Read a line that says nothing about the work."""
    return ()


def activity_in(line: bytes, reader: LineReader | None) -> tuple[Activity, ...]:
    """Return the activity in a line. Without a reader, or in another shape, it is kept as unread."""
    found = reader(line) if reader else None
    return (unread(line),) if found is None else found


def unread(line: bytes) -> UnknownLine:
    """Keep the beginning of a line that is not understood."""
    return UnknownLine(line=short(line[: 4 * _LONGEST_LINE].decode(errors="replace"), _LONGEST_LINE))


def count(number: int | None) -> int | None:
    """Return a count, or None for a number that cannot be one."""
    return number if number is not None and number >= 0 else None


def price(number: float | None) -> float | None:
    """Return a price, or None for a number that cannot be one."""
    return number if number is not None and 0 <= number < 1e9 else None
