"""Count the lines of the files that findings cite, below a root and nowhere else."""

import os
from collections.abc import Callable

from signoff.cli.files import open_regular
from signoff.domain.errors import UsageError

_BLOCK = 1 << 20


def counting_lines(root: str) -> Callable[[str], int | None]:
    """Give a function from a path below `root` to its lines; None for what is no regular file there.

    Each file is read once, in pieces. A link that leads out of the root leads to nothing.
    """
    top = real_root(root)
    known: dict[str, int | None] = {}

    def count(path: str) -> int | None:
        if path not in known:
            known[path] = _count(top, path)
        return known[path]

    return count


def real_root(root: str) -> str:
    """Give the root with its links followed; below one that is not there, every file would be missing."""
    if not os.path.isdir(root):
        raise UsageError(f"there is no folder {root}", slug="root-missing", fix="-C DIR names a repository")
    return os.path.realpath(root)


def _count(top: str, path: str) -> int | None:
    try:
        place = os.path.realpath(os.path.join(top, path))
        if os.path.commonpath((top, place)) != top:
            return None
        with open_regular(place) as file:
            lines, last = 0, b"\n"
            while block := file.read(_BLOCK):
                lines, last = lines + block.count(b"\n"), block[-1:]
            return lines + (last != b"\n")
    except (OSError, ValueError):  # the latter: a NUL or a lone surrogate in the path
        return None
