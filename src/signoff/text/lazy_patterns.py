"""Regular expressions that are compiled when they are first used. Pure.

Compiling the patterns of one module costs as much as loading ten others, and most commands use few of them.
Only methods may be used: the result is no `re.Pattern` to `re` itself. No typing here: `journal check` loads
this and must start fast.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AnyStr


class _Pattern:
    """A stand-in that looks up each method of the compiled pattern once."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        found: object = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, found)
        return found


def pattern(source: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Return a pattern that is compiled on first use.

    A source that cannot be compiled raises only then.
    """
    return _Pattern(source, flags)  # type: ignore[return-value]  # it has every method of one
