"""The id of a replayed run: derived, so that a cassette gives the same journal every time. Pure."""

import hashlib
from datetime import datetime

from signoff.domain.ids import RunId

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def replayed_id(seed: str, started_at: str) -> RunId:
    """Give a ULID whose moment is `started_at` and whose chance depends on the seed alone."""
    moment = int(datetime.fromisoformat(started_at).timestamp() * 1000)
    chance = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:10])
    number = moment << 80 | chance
    return RunId("".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5)))
