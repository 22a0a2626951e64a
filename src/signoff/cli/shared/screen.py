"""A few lines at the end of a terminal, redrawn in place below ordinary output."""

import os
import sys
from collections.abc import Sequence

from signoff.cli.shared.command import visible
from signoff.delivery.report.live_view import LiveLine
from signoff.text.columns import width

_FALLBACK = (80, 24)
_UP = "\x1b[{}A"
_REST_OF_LINE = "\x1b[K"
_REST_OF_SCREEN = "\x1b[J"
_FAINT, _NORMAL = "\x1b[2m", "\x1b[0m"


def size() -> tuple[int, int]:
    """Return columns and rows of the terminal. Ask each time, because windows are resized."""
    try:
        columns, rows = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):  # no terminal any more, or none that knows its size
        return _FALLBACK
    return (columns, rows) if columns > 0 and rows > 0 else _FALLBACK


class Screen:
    """The lines that are drawn now. Not safe for two threads at once."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._shown: tuple[str, ...] = ()

    def show(self, lines: Sequence[LiveLine]) -> None:
        """Draw lines in place of those drawn before. Each must fit into the width of the terminal."""
        texts = tuple(visible(line.text) for line in lines)
        drawn = [
            (f"{_FAINT}{text}{_NORMAL}" if line.is_faint and self._colour else text) + _REST_OF_LINE
            for text, line in zip(texts, lines, strict=True)
        ]
        _write(self._home() + "\n".join(drawn) + _REST_OF_SCREEN)
        self._shown = texts

    def wipe(self) -> None:
        """Erase the lines and leave the cursor where the first of them began."""
        if self._shown:
            _write(self._home() + _REST_OF_SCREEN)
            self._shown = ()

    def _home(self) -> str:
        """Return the control sequence that moves the cursor to where the first line begins.

        A terminal that was made narrower has wrapped the lines, so each may take several rows.
        """
        columns, _ = size()
        taken = sum(max(1, -(-width(text) // columns)) for text in self._shown)
        return "\r" + (_UP.format(taken - 1) if taken > 1 else "")


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # the terminal is gone; the run is not, and what it comes to is in its journal
