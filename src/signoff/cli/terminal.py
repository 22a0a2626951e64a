"""Whether a person sits here, and what they type."""

import sys


def on_terminal() -> bool:
    """Say whether a person is typing here."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def typed_line() -> str | None:
    """Read one line the person types; None at the end of input."""
    print("> ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None
