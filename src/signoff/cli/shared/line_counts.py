"""Line counts of the files that findings cite, below a root and nowhere else."""

import os
from collections.abc import Callable

from signoff.cli.shared.files import open_regular
from signoff.domain.base.errors import UsageError

_BLOCK = 1 << 20


def counting_lines(root: str) -> Callable[[str], int | None]:
    """Return a function from a path below `root` to its number of lines, None if it is not a regular file.

    Each file is read once, in pieces. A link that leads out of the root counts as no file.
    """
    top = real_root(root)
    known: dict[str, int | None] = {}

    def count(path: str) -> int | None:
        if path not in known:
            known[path] = _count(top, path)
        return known[path]

    return count


def real_root(root: str) -> str:
    """Return the root with its links followed, or raise: below a missing root every file would be missing."""
    if not os.path.isdir(root):
        raise UsageError(f"there is no folder {root}", slug="root-missing", fix="-C DIR names a repository")
    return os.path.realpath(root)


def place_below(top: str, path: str) -> str | None:
    """Return the real path of `path` below `top`, or None if it leads out. A NUL in it is a ValueError."""
    place = os.path.realpath(os.path.join(top, path))
    return place if os.path.commonpath((top, place)) == top else None


def _count(top: str, path: str) -> int | None:
    try:
        place = place_below(top, path)
        if place is None:
            return None
        with open_regular(place) as file:
            lines, last = 0, b"\n"
            while block := file.read(_BLOCK):
                lines, last = lines + block.count(b"\n"), block[-1:]
            return lines + (last != b"\n")
    except (OSError, ValueError):  # the latter: a NUL or a lone surrogate in the path
        return None
