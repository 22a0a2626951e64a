"""How the client program tells what an agent does: a line for each record, an empty one as a sign of life."""

import contextlib
import sys
import time
from collections.abc import Iterable

import msgspec

from signoff.domain.machine.activity import Activity

_ALIVE_EVERY_S = 5.0


def tell(activities: Iterable[Activity]) -> None:
    """Print activity."""
    lines = b"".join(msgspec.json.encode(each) + b"\n" for each in activities)
    if lines:
        _print(lines)


class SignsOfLife:
    """Empty lines that show that an agent is alive while it thinks aloud.

    Its words are reported later, as a whole, and until then it must not be taken for frozen.
    """

    def __init__(self) -> None:
        self._last = time.monotonic()

    def give(self) -> None:
        """Write an empty line, unless one was written a moment ago."""
        now = time.monotonic()
        if now - self._last >= _ALIVE_EVERY_S:
            self._last = now
            _print(b"\n")


def _print(data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):  # a reader that is gone is no concern of ours
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
