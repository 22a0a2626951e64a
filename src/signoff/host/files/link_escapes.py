"""Check whether a path without `..` leads out of its folder through a symbolic link."""

import os


class Escapes:
    """Checks paths below one folder, looking at each folder on the way only once."""

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root)
        self._inside: dict[str, bool] = {"": True}

    def leads_out(self, path: str) -> bool:
        """Check whether a path or glob leads out. A path that does not exist leads nowhere."""
        parts = [part for part in path.split("/") if part not in ("", ".")]
        at = ""
        for part in parts:
            if "*" in part or "?" in part or "{" in part:
                return False
            before, at = at, os.path.join(at, part)
            if at not in self._inside:
                self._inside[at] = self._inside[before] and self._stays(at)
            if not self._inside[at]:
                return True
        return False

    def _stays(self, path: str) -> bool:
        full = os.path.join(self._root, path)
        try:
            if not os.path.islink(full):
                return True
        except ValueError:  # a NUL, which no file has
            return True
        real = os.path.realpath(full)
        return real == self._root or real.startswith(self._root + os.sep)
