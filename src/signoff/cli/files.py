"""Read what a person names on the command line."""

import sys

from signoff.domain.errors import UsageError

LARGEST = 64_000_000
"""Bytes; what is larger is no ticket, answer or cassette, and may be a device without end."""


def readable(text: str) -> str:
    """Give a word of the command line as text that can be written down, whatever bytes it was typed as."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_file(path: str) -> bytes:
    """Read an input file, or standard input for `-`; a mistyped name is an error, never a ticket."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # the latter: a NUL in the path
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{path} cannot be read", slug="file-unreadable", why=str(why), fix="check the file name"
        ) from None
    if len(data) > LARGEST:
        raise UsageError(f"{path} is too large", slug="file-too-large", why=f"more than {LARGEST} bytes")
    return data
