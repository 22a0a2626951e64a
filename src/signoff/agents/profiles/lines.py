"""Read single lines of JSON events without ever failing on them. Pure; shared by the profiles."""

from typing import TypeVar

import msgspec

from signoff.domain.machine.activity import UnknownLine
from signoff.text.truncation import short

T = TypeVar("T")

_LONGEST_LINE = 500
LONGEST_ABOUT = 200
LONGEST_NAME = 80
LONGEST_MESSAGE = 1000


def decoded(data: bytes | msgspec.Raw | str, kind: type[T]) -> T | None:
    """Give the record, or None where the text is anything else."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError):  # not JSON, not UTF-8, not of that shape; nested without end
        return None


def unread(line: bytes) -> UnknownLine:
    """Keep the beginning of a line nobody knows."""
    return UnknownLine(line=short(line[: 4 * _LONGEST_LINE].decode(errors="replace"), _LONGEST_LINE))


def count(number: int | None) -> int | None:
    """Give a count; what cannot be one is unknown."""
    return number if number is not None and number >= 0 else None


def price(number: float | None) -> float | None:
    """Give a price; what cannot be one is unknown."""
    return number if number is not None and 0 <= number < 1e9 else None
