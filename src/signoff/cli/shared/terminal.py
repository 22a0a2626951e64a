"""Input from a person at the terminal."""

import sys


def on_terminal() -> bool:
    """Check whether a person is at a terminal: both standard input and standard error are one."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def typed_line() -> str | None:
    """Read one line that the person types, or return None at the end of input."""
    print("> ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None
