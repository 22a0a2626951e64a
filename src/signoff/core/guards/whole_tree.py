"""Say whether a path is the whole working tree or more: `.`, `..`, `/`, `~`, `*`. Pure; for `removals`."""

from collections import namedtuple

from signoff.core.guards.shell_parts import HOLE, Word

REPOSITORY, FILES = "repository", "files"
"""What is lost: all with `.git`, or all files beside it."""

_HOME = "~"
_ABOVE = ("..", _HOME)
_NARROWING = frozenset(
    (
        "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname",
        "-empty", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-anewer",
        "-cnewer", "-user", "-group", "-uid", "-gid", "-nouser", "-nogroup", "-perm", "-links", "-inum",
        "-samefile", "-executable", "-fstype", "-used",
    )
)  # fmt: skip


class Place(namedtuple("Place", ("folder", "here"))):
    """Where a command runs."""

    __slots__ = ()
    folder: str
    """As the line says it surely entered it; "" is where the line starts."""
    here: str
    """The absolute path of where the line starts; "" if it is not known."""


def tree_lost(word: Word, place: Place) -> str:
    """Say what is lost with this path; empty if it is only some part of the tree, or another place."""
    path = word.text.replace("\\", "/")
    for base in (place.folder, place.here):
        if base and not path.startswith(("/", _HOME)):
            path = f"{base}/{path}"
    parts = _normal(path)
    has_stars = False
    while parts and word.has_wildcard and _takes_all(parts[-1]):
        parts, has_stars = parts[:-1], True
    here = _normal(place.here) if path.startswith("/") else []
    is_around = parts == here[: len(parts)] or all(part in _ABOVE for part in parts)
    if not is_around and not _is_home(parts, word):
        return ""
    is_here = parts == here and (bool(here) or not path.startswith("/"))
    return FILES if has_stars and is_here else REPOSITORY


def _takes_all(part: str) -> bool:
    return "*" in part and (set(part) <= {"*", "?"} or part in ("[!.]*", "[^.]*"))


def _normal(path: str) -> list[str]:
    """Split a path and take `x/..` out of it; what is above a hole nobody knows."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in _ABOVE and HOLE not in parts[-1]:
            parts.pop()
        elif part == ".." and not parts and path.startswith("/"):
            continue
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _is_home(parts: list[str], word: Word) -> bool:
    """Say whether it is somebody's home, as in `~bob`."""
    return len(parts) == 1 and word.text.startswith(_HOME) and word.mask[:1] == "b" and not word.has_wildcard


def tree_found(words: tuple[Word, ...], place: Place) -> str:
    """Say what is lost if all that `find` finds is removed; `words` end where the removal begins."""
    starts: list[Word] = []
    for word in words:
        if word.text.startswith(("-", "(", "!")) and word.text not in ("-H", "-L", "-P"):
            break
        starts += [] if word.text.startswith("-") else [word]
    lost = [tree_lost(start, place) for start in starts or [Word(".", "b")]]
    texts = [word.text for word in words]
    if not any(lost) or any(_narrows(texts, at) for at in range(len(texts))):
        return ""
    # Whoever leaves `.git` out loses the files all the same.
    return FILES if any(".git" in text for text in texts) or REPOSITORY not in lost else REPOSITORY


def _narrows(texts: list[str], at: int) -> bool:
    """Say whether a test leaves all but some files alone; turned around, it leaves only some."""
    is_test = texts[at] in _NARROWING or texts[at].startswith("-newer")
    if not is_test or texts[at - 1 : at] in (["!"], ["-not"]) or "-prune" in texts[at + 2 : at + 4]:
        return False
    value = texts[at + 1] if at + 1 < len(texts) else ""
    return not ("name" in texts[at] or "path" in texts[at]) or bool(set(value) - set("*./"))
