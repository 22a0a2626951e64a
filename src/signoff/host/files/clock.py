"""Time as text. The only module that reads the current time."""

from __future__ import annotations

import os
import time
from _thread import allocate_lock  # what threading.Lock is, without the rest of threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class SystemClock:
    """The machine's clock, except that it never goes backwards within this process.

    If the system clock is set back during a run, the last moment is repeated until time has caught up.
    """

    _latest_ms = 0
    _guard = allocate_lock()

    def __init__(self, read_ns: Callable[[], int] = time.time_ns) -> None:
        self._read_ns = read_ns

    def now(self) -> str:
        """Return the current time, like `2026-11-15T17:40:41.123Z`."""
        with SystemClock._guard:
            moment_ms = SystemClock._latest_ms = max(SystemClock._latest_ms, self._read_ns() // 1_000_000)
        return _as_text(moment_ms)


def written_at(path: str) -> str:
    """Return when a file was last written."""
    return _as_text(os.stat(path).st_mtime_ns // 1_000_000)


def _as_text(moment_ms: int) -> str:
    seconds, milliseconds = divmod(moment_ms, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03d}Z"
