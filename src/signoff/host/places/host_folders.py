"""The `Workplace` port: the folder a host works in.

Used once per cycle, so nothing heavy is loaded before the files are really looked at.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.domain.port_records import PinnedBase, Sight
from signoff.domain.work.work_state import V0_NAME, V1_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from signoff.domain.ports import Repository

_LARGEST = 10_000_000
_MOST_FILES = 20_000
_PASSED_BY = frozenset({".git", ".signoff", "node_modules", ".venv", "venv", "__pycache__", "vendor"})


class GitPlace:
    """A folder that is the top of a repository."""

    def __init__(self, open_repository: Callable[[], Repository], root: str, env: Mapping[str, str]) -> None:
        self._open = open_repository
        self._root = root
        self._env = env

    @cached_property
    def _repository(self) -> Repository:
        return self._open()

    def pin(self) -> PinnedBase:
        """Pin the last commit. The result is empty in a repository without one."""
        from signoff.host.git.quick_git import read_base

        return read_base(self._root, self._env)

    def look(self, base: TreeId, exchanged: str) -> Sight:
        """Capture the files, and compare them with the base."""
        if not base:
            return Sight(None)
        captured = self._repository.capture(self._root, base)
        tree = captured.tree
        changes = self._repository.changes(base, tree)
        ours = {exchanged, self._behind(exchanged)}
        # A state file or its backup, of any run, is never a change.
        names = (V0_NAME, V1_NAME)
        if written := tuple(
            c.path for c in changes if c.path in ours or os.path.basename(c.path).startswith(names)
        ):
            tree = self._repository.overlay(tree, base, written)
            changes = self._repository.changes(base, tree)
        return Sight(tree, changes, captured.problems)

    def _behind(self, exchanged: str) -> str:
        """Return the target of the state file if it is a link, because the engine writes the target."""
        real = os.path.realpath(os.path.join(self._root, exchanged))
        return os.path.relpath(real, os.path.realpath(self._root))

    def missing(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Return the paths that do not exist."""
        return _missing(self._root, paths)

    def paths(self, base: TreeId) -> frozenset[str]:
        """List the files of the base."""
        if not base:
            return _listed(self._root)
        return frozenset(entry.path for entry in self._repository.entries(base))

    def read(self, base: TreeId, path: str) -> bytes | None:
        """Return the bytes of a file of the base, or None."""
        return self._repository.read(base, path) if base else _read(self._root, path)

    def standing(self, tree: TreeId, carry: tuple[str, ...]) -> AbstractContextManager[str]:
        """Write the tree into a throwaway folder."""
        return self._repository.materialise(tree, carry) if tree else _in_place(self._root)


class FolderPlace:
    """A folder outside any repository: it has no base, and checks run in place."""

    def __init__(self, root: str) -> None:
        self._root = root

    def pin(self) -> PinnedBase:
        """Return the settings files in the folder."""
        return PinnedBase(
            CommitId(""), TreeId(""), _read(self._root, "signoff.toml"), _read(self._root, "pyproject.toml")
        )

    def look(self, base: TreeId, exchanged: str) -> Sight:
        """Return an empty sight, because there is no base."""
        del base, exchanged
        return Sight(None)

    def missing(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Return the paths that do not exist."""
        return _missing(self._root, paths)

    def paths(self, base: TreeId) -> frozenset[str]:
        """List the files of the folder."""
        del base
        return _listed(self._root)

    def read(self, base: TreeId, path: str) -> bytes | None:
        """Return the bytes of a file of the folder, or None."""
        del base
        return _read(self._root, path)

    def standing(self, tree: TreeId, carry: tuple[str, ...]) -> AbstractContextManager[str]:
        """Yield the folder itself."""
        del tree, carry
        return _in_place(self._root)


@contextmanager
def _in_place(root: str) -> Iterator[str]:
    yield root


def _missing(root: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    top = os.path.realpath(root)
    missing: list[str] = []
    for path in paths:
        place = "" if "\0" in path else os.path.realpath(os.path.join(top, path))
        if not (place.startswith(top + os.sep) and os.path.exists(place)):
            missing.append(path)
    return tuple(missing)


def _listed(root: str) -> frozenset[str]:
    found: list[str] = []
    for parent, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _PASSED_BY)
        inside = os.path.relpath(parent, root)
        found += (name if inside == "." else f"{inside}/{name}" for name in names)
        if len(found) > _MOST_FILES:
            break
    return frozenset(found)


def _read(root: str, path: str) -> bytes | None:
    try:
        with open(os.path.join(root, path), "rb") as file:
            return file.read(_LARGEST)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
