"""SHA-256 without a wait for OpenSSL. Pure.

`hashlib` loads OpenSSL, which takes as long as a fifth of bare Python, and a host waits for that in every
cycle. The interpreter's own code is slower and there at once: it hashes the first pieces, and hashlib takes
over where there is more to do than its start is worth.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_WORTH_IT = 400_000
"""Bytes that the interpreter's own code hashes in the time in which OpenSSL is loaded."""


class _Sha256:
    """Hashes with what is at hand, and loads what is faster when that pays."""

    def __init__(self) -> None:
        self._make: Callable[[bytes], Any] | None = _built_in()
        self._left = _WORTH_IT if self._make else 0

    def __call__(self, data: bytes) -> str:
        """Return the digest in hex digits."""
        self._left -= len(data)
        if self._make is None or self._left < 0:
            from hashlib import sha256

            self._make, self._left = sha256, 1 << 62
        return str(self._make(data).hexdigest())


def _built_in() -> "Callable[[bytes], Any] | None":
    """Return the interpreter's own SHA-256, None if the build left it out. Python 3.12 changed its name."""
    try:
        from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        try:
            from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore,no-redef]
        except ImportError:
            return None
    return sha256  # type: ignore[no-any-return,unused-ignore]


sha256_hex = _Sha256()
