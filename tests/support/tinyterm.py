"""A terminal small enough to read: it shows what a person would see of what a program wrote."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable

from clibench import TIMEOUT_S, Bench

_PIECES = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)|(\x1b)")


def screen(written: str) -> list[str]:
    """Give the lines that stand there after all of it was written; an unknown escape fails here."""
    lines, row, column = [""], 0, 0
    for numbers, letter, turn, text, stray in _PIECES.findall(written):
        assert not stray, f"an escape that nobody here writes: {written!r}"
        if text:
            lines[row] = lines[row].ljust(column)[:column] + text + lines[row][column + len(text) :]
            column += len(text)
        elif turn == "\r":
            column = 0
        elif turn == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif letter == "A":
            row -= int(numbers or 1)
            assert row >= 0, "above the first line"
        elif letter == "K":
            lines[row] = lines[row][:column]
        elif letter == "J":
            lines = [*lines[:row], lines[row][:column]]
        else:
            assert letter == "m", f"an escape that nobody here writes: {numbers}{letter}"
    return [line.rstrip() for line in lines]


class Session:
    """A command on a terminal of its own."""

    def __init__(self, bench: Bench, *words: str, columns: int = 100, rows: int = 30) -> None:
        self._ours, theirs = pty.openpty()
        self.resize(columns, rows)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "signoff", *words],
            cwd=bench.root,
            env={**bench.env, "TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.written = ""

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait_for(self, seen: Callable[[str], bool]) -> str:
        """Read until what stands there is what is waited for."""
        deadline = time.monotonic() + TIMEOUT_S
        while not seen("\n".join(screen(self.written))):
            assert self._read(deadline), f"it never came: {self.written!r}"
        return "\n".join(screen(self.written))

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def end(self) -> list[str]:
        """Read to the end and give what stands there then."""
        deadline = time.monotonic() + TIMEOUT_S
        while self._read(deadline):
            pass
        self.process.wait(timeout=TIMEOUT_S)
        os.close(self._ours)
        return screen(self.written)

    def _read(self, deadline: float) -> bool:
        while time.monotonic() < deadline:
            if select.select([self._ours], [], [], 0.1)[0]:
                try:
                    chunk = os.read(self._ours, 65536)
                except OSError:  # EIO: the other side is closed
                    return False
                self.written += chunk.decode(errors="replace")
                return bool(chunk)
            if self.process.poll() is not None:
                return False
        raise AssertionError(f"too late: {self.written!r}")
