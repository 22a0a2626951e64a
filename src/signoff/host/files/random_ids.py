"""Random ids: ULIDs, 26 characters that sort by the moment they were drawn.

See https://github.com/ulid/spec.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock  # what threading.Lock is, without the rest of threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LETTERS = frozenset(_ALPHABET)
_LENGTH = 26
_RANDOM_BITS = 80


def is_ulid(text: str) -> bool:
    """Check whether this is a ULID as we write them: upper case, Crockford's alphabet."""
    return len(text) == _LENGTH and text[0] < "8" and _LETTERS.issuperset(text)


class Ulids:
    """Draws ULIDs, each greater than any drawn before in this process, from any thread."""

    _last = 0
    _guard = allocate_lock()

    def __init__(self, read_ns: Callable[[], int] = time.time_ns) -> None:
        self._read_ns = read_ns

    def new(self) -> str:
        """Draw a new id."""
        with Ulids._guard:
            moment_ms = self._read_ns() // 1_000_000
            drawn = moment_ms << _RANDOM_BITS | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
            if moment_ms <= Ulids._last >> _RANDOM_BITS:
                # A random step, not 1: a forked child counting on from the same id must not draw ours.
                drawn = Ulids._last + 1 + int.from_bytes(os.urandom(4))
            Ulids._last = drawn
        return "".join(_ALPHABET[drawn >> shift & 31] for shift in range(125, -1, -5))
