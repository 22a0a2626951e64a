"""Read and write the files that a person names on the command line.

`signoff journal check` loads this and must start fast, so errors are imported where they are raised.
"""

import os
import stat
import sys
from io import BufferedReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.base.errors import UsageError

LARGEST = 64_000_000
"""In bytes. No ticket, answer or cassette is larger."""

NOT_REGULAR = "not a regular file"
_BLOCK = 1 << 20


def readable(text: str) -> str:
    """Return a word of the command line as valid Unicode, whatever bytes it was typed as."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_file(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for `-`. An unreadable file is a `UsageError`."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open_regular(path) as file:
                data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # the latter: a NUL in the path
        raise unreadable_file(path, error) from None
    if len(data) > LARGEST:
        from signoff.domain.base.errors import UsageError

        raise UsageError(f"{path} is too large", slug="file-too-large", why=f"more than {LARGEST} bytes")
    return data


def blocks(path: str) -> "Iterator[bytes]":
    """Yield a file, or standard input for `-`, block by block: it may be larger than the memory."""
    if path == "-":
        while block := sys.stdin.buffer.read(_BLOCK):
            yield block
        return
    with open_regular(path) as file:
        while block := file.read(_BLOCK):
            yield block


def open_regular(path: str) -> BufferedReader:
    """Open a regular file for reading. A FIFO or device raises OSError at once, where open(2) could wait."""
    flags = os.O_NONBLOCK | os.O_NOCTTY
    file = open(path, "rb", opener=lambda p, mode: os.open(p, mode | flags))  # noqa: SIM115 - the caller closes it
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(None, NOT_REGULAR)


def unreadable_file(path: str, error: OSError | ValueError) -> "UsageError":
    """Return the error for a file that cannot be read."""
    from signoff.domain.base.errors import UsageError

    why = str(error.strerror if isinstance(error, OSError) else error)
    fix = "check the file name, or use - for standard input" if why == NOT_REGULAR else ""
    return UsageError(
        f"{path} cannot be read", slug="file-unreadable", why=why, fix=fix or "check the file name"
    )


def project_root(folder: str) -> str:
    """Return the top of the repository around a folder without asking git, or the folder itself."""
    start = at = os.path.abspath(folder)
    while not os.path.exists(os.path.join(at, ".git")):
        at, below = os.path.dirname(at), at
        if at == below:
            return start
    return at


def json_text(document: object) -> bytes:
    """Return a document as indented JSON, for a file that people read too."""
    import json

    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def replace_file(path: str, data: bytes) -> None:
    """Replace a file that the person named, keeping its mode. A crash leaves the old one or the new one."""
    from signoff.wiring import write_file

    target = os.path.realpath(path)
    try:
        found = os.stat(target) if os.path.lexists(target) else None
        if found is not None and not stat.S_ISREG(found.st_mode):
            raise OSError(None, NOT_REGULAR)  # a device or pipe must not be replaced by a file
        write_file(target, data, stat.S_IMODE(found.st_mode) if found else 0o644)
    except OSError as error:
        raise _unwritable(path, error) from None


def make_folder(path: str) -> None:
    """Make a folder the person named, unless it is there."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None


def note_event(path: str, line: bytes) -> None:
    """Append a line to a history the person keeps."""
    from signoff.wiring import append_line

    try:
        append_line(path, line)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: str, error: OSError) -> "UsageError":
    from signoff.domain.base.errors import UsageError

    return UsageError(
        f"{path} cannot be written",
        slug="file-unwritable",
        why=str(error.strerror),
        fix="check the folder and its permissions",
    )
