"""Whether a text is a moment: ISO 8601 with its zone, on a day that exists. Pure."""

import re
from datetime import datetime

_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_UTC = ("Z", "+00:00", "-00:00")


def is_moment(text: str) -> bool:
    """Say whether this is a date and a time with `Z` or an offset; a day alone is none."""
    return _zone(text) != ""


def is_utc_moment(text: str) -> bool:
    """Say whether this is such a moment in UTC, with `Z` or an offset of zero."""
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
