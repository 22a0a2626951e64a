"""Tell errors that a person can put right from our own bugs, and keep the traceback of the latter."""

import errno
import os
import platform
import sys
import tempfile
import traceback

from signoff import __version__
from signoff.domain.base.errors import InfrastructureError, SignoffError

_MACHINE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EIO)


def mendable(error: Exception) -> SignoffError | None:
    """Return the error that a person can put right, or None for a bug. A disk that refuses is no bug."""
    if isinstance(error, SignoffError):
        return error
    if isinstance(error, OSError) and error.errno in _MACHINE:
        return InfrastructureError(
            "the machine refused something signoff needs",
            slug="machine-refused",
            why=str(error),
            fix="check the file permissions and the free disk space, then run the command again",
        )
    return None


def write_crash_file(error: BaseException, root: str) -> str:
    """Write versions, command line and traceback to a file, and return its path.

    An argument or an exception may hold a credential, so the text is redacted as everything else on disk.
    """
    from signoff.text.redaction import redact

    handle, path = _new_file(root)
    lines = (
        f"signoff {__version__} on Python {platform.python_version()}, {platform.platform()}",
        f"command: {sys.argv!r}",
        "",
        "".join(traceback.format_exception(error)),
    )
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(redact("\n".join(lines).encode("utf-8", "backslashreplace")).decode("utf-8", "replace"))
    return path


def _new_file(root: str) -> tuple[int, str]:
    """Make the file in the repository's own state folder, or where temporary files go."""
    try:
        state = os.path.join(os.path.abspath(root), ".signoff")
        if os.path.isdir(state):
            folder = os.path.join(state, "crashes")
            os.makedirs(folder, mode=0o700, exist_ok=True)
            return tempfile.mkstemp(prefix="crash-", suffix=".txt", dir=folder)
    except OSError:
        pass
    return tempfile.mkstemp(prefix="signoff-crash-", suffix=".txt")
