"""Where the clock of a replay may start. Pure; called wherever a cassette comes in from outside."""

from datetime import UTC, datetime
from typing import Final

_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9000, 1, 1, tzinfo=UTC)
"""Far enough from the last moment that can be written: every record of a run is stamped later."""


def unusable_start(started_at: str) -> str:
    """Say why no replay can start at this moment; empty where one can."""
    try:
        start = datetime.fromisoformat(started_at)
    except ValueError:
        return "is no moment such as 2026-01-01T00:00:00.000Z"
    if start.tzinfo is None:
        return "has no time zone, so it is another moment on every machine; end it with Z"
    if not _FIRST <= start < _LAST:
        return "is not between the years 1970 and 9000"
    return ""
