"""Whether a text is a moment: ISO 8601 with its zone, on a day that exists. Pure."""

import re
from datetime import datetime, timedelta

from signoff.text.lazy_patterns import pattern

_MOMENT = pattern(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_UTC = ("Z", "+00:00", "-00:00")


def is_moment(text: str) -> bool:
    """Check whether this is a date and a time with `Z` or an offset. A day alone is not enough."""
    return _zone(text) != ""


def is_utc_moment(text: str) -> bool:
    """Check whether this is such a moment in UTC, with `Z` or an offset of zero."""
    return _zone(text) in _UTC


def _zone(text: str) -> str:
    found = _MOMENT.fullmatch(text)
    if found is None:
        return ""
    try:
        datetime.fromisoformat(found[1])
    except ValueError:
        return ""
    return found[2]


def elapsed_ms(started: str, ended: str) -> int | None:
    """Return the milliseconds between two moments, None if one is no moment or the first is later."""
    if not (is_moment(started) and is_moment(ended)):
        return None
    took = datetime.fromisoformat(ended) - datetime.fromisoformat(started)
    return took // timedelta(milliseconds=1) if took >= timedelta() else None
