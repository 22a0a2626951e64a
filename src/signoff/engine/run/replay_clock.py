"""The clock and the id of a replayed run, so that a cassette gives the same journal every time. Pure."""

import hashlib
from datetime import UTC, datetime
from typing import Final

from signoff.domain.base.typed_ids import RunId

_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST: Final = datetime(9000, 1, 1, tzinfo=UTC)
"""Far enough from the last moment that can be written: every record of a run is stamped later."""


def unusable_start(started_at: str) -> str:
    """Return why no replay can start at this moment, empty if one can."""
    try:
        start = datetime.fromisoformat(started_at)
    except ValueError:
        return "is no moment such as 2026-01-01T00:00:00.000Z"
    if start.tzinfo is None:
        return "has no time zone, so it is another moment on every machine; end it with Z"
    if not _FIRST <= start < _LAST:
        return "is not between the years 1970 and 9000"
    return ""


def replayed_id(seed: str, started_at: str) -> RunId:
    """Return a ULID whose moment is `started_at` and whose random part depends on the seed alone."""
    moment = int(datetime.fromisoformat(started_at).timestamp() * 1000)
    chance = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:10])
    number = moment << 80 | chance
    return RunId("".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5)))
