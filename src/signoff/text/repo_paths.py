"""Paths from outside: whether one stays inside the repository, and whether two of them are one file. Pure."""

import re
import unicodedata
from typing import Final

from signoff.text.lazy_patterns import pattern

PRIVATE: Final = frozenset({".git", ".signoff"})
"""Folders that no contract may name, because they hold what is judged and the record of it."""

MAX_PATH: Final = 4_096
MAX_DEPTH: Final = 100

_ORDINARY = pattern(r"[\w@+(\[*?][\w@+()\[\]*?, ./-]*", re.ASCII)

_CONTROL = pattern(r"[\x00-\x1f\x7f]")
_DRIVE = pattern(r"[A-Za-z]:")


def why_outside(path: str) -> str:
    """Return why a path or glob is not a plain one below the root, empty if it is.

    One pattern lets ordinary paths through. Only the others go through the list of reasons.
    """
    parts = path[: MAX_PATH + 1].split("/")
    if len(path) <= MAX_PATH and len(parts) <= MAX_DEPTH and _is_ordinary(path):
        return ""
    if not path.strip():
        return "is empty"
    if len(path) > MAX_PATH:
        return f"is longer than {MAX_PATH:,} characters"
    if path.startswith("/"):
        return "is absolute"
    if len(parts) > MAX_DEPTH:
        return f"lies deeper than {MAX_DEPTH} folders"
    if path.startswith("-"):
        return "begins with a dash, which programs take for an option"
    if "\\" in path:
        return "holds a backslash"
    if _DRIVE.match(path):
        return "begins with a drive letter"
    if ".." in parts:
        return "leaves the repository through `..`"
    if _CONTROL.search(path):
        return "holds a control character"
    if private := next((part for part in parts if _folder_name(part) in PRIVATE), ""):
        return f"names `{_folder_name(private)}`, which no contract may touch"
    return ""


def plain(path: str) -> str:
    """Return the path without its empty and `.` parts, empty for the root itself."""
    if _is_ordinary(path) and "//" not in path and path[-1] != "/":
        return path
    return "/".join([part for part in path.split("/") if part not in ("", ".")])


def file_key(path: str) -> str:
    """Return a key under which two spellings of one file are equal.

    macOS and Windows fold case and compose accents. What is one file there must not be two tasks' work here.
    """
    if path.isascii():
        return plain(path).lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", plain(path)).casefold())


def folder_keys(path: str) -> list[str]:
    """Return the keys of the folders that a path lies in, nearest first."""
    # A longer one is refused elsewhere; here its keys alone would fill the memory.
    parts = file_key(path[:MAX_PATH]).split("/")[:MAX_DEPTH]
    return ["/".join(parts[:n]) for n in range(len(parts) - 1, 0, -1)]


def _folder_name(part: str) -> str:
    """Return the name as file systems read it: HFS+ drops format characters, Windows dots at the end."""
    visible = part if part.isascii() else "".join(c for c in part if unicodedata.category(c) != "Cf")
    return visible.casefold().rstrip(". ")


def _is_ordinary(path: str) -> bool:
    """Check quickly that a path gives no reason to refuse it. Contracts name them by the thousand."""
    return "/." not in path and ".." not in path and _ORDINARY.fullmatch(path) is not None
