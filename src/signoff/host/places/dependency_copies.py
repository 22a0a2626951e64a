"""Copies of the person's dependency folders for a materialised tree."""

import os
import shutil
import stat

from signoff.domain.base.errors import ConfigError

_NEVER = (".git", ".signoff")


def check_carry(root: str, paths: tuple[str, ...]) -> None:
    """Refuse a path that is not a folder inside the person's repository."""
    for path in paths:
        parts = path.rstrip("/").split("/")
        parent = os.path.realpath(os.path.join(root, *parts[:-1]))
        is_inside = os.path.commonpath((parent, os.path.realpath(root))) == os.path.realpath(root)
        if {"", ".", ".."} & set(parts) or parts[0] in _NEVER or not is_inside:
            raise ConfigError(
                f"cannot copy the dependency folder {path!r}",
                slug="carry-outside",
                why="it has to be a relative path inside the repository, and not .git or .signoff",
                fix="name it in `[checks] carry` as seen from the top of the repository, like `node_modules`",
            )


def carry(root: str, path: str, folder: str) -> None:
    """Copy `path`, if it exists, from `root` to the same place below `folder`.

    Files that the tree itself has stay: a check must see the tree, not the person's edits.
    """
    source = os.path.join(root, path.rstrip("/"))
    if os.path.lexists(source):
        target = os.path.join(folder, path.rstrip("/"))
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            _copy(source, target)
        except OSError as error:
            raise ConfigError(
                f"cannot copy the dependency folder {path!r}",
                slug="carry-unreadable",
                why=str(error),
                fix="make it readable, or take it out of `[checks] carry`",
            ) from error


def _copy(source: str, target: str) -> None:
    mode = os.lstat(source).st_mode
    if stat.S_ISDIR(mode):
        _copy_folder(source, target)
    elif (stat.S_ISREG(mode) or stat.S_ISLNK(mode)) and not os.path.lexists(target):
        shutil.copy2(source, target, follow_symlinks=False)


def _copy_folder(source: str, target: str) -> None:
    if os.path.lexists(target) and (os.path.islink(target) or not os.path.isdir(target)):
        return
    os.makedirs(target, exist_ok=True)
    with os.scandir(source) as listing:
        names = [entry.name for entry in listing]
    for name in names:
        _copy(os.path.join(source, name), os.path.join(target, name))
    # Last, as a read-only folder could not be filled.
    shutil.copystat(source, target)
