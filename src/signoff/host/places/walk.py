"""A walk over every name in a folder, with ignore rules from the base tree only.

Nothing an agent writes into `.gitignore`, `.git/info/exclude`, configuration or the index hides a
file from this walk.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from signoff.domain.machine.trees import CaptureProblem, ProblemKind
from signoff.host.files.durable_files import remove_tree
from signoff.host.git.git_door import Git, git_failed, text
from signoff.host.git.tree_objects import (
    EXECUTABLE,
    GITLINK,
    REGULAR,
    Entries,
    parents,
    write_index,
)

LEFTOVERS = frozenset({b"__pycache__", b".pytest_cache", b".mypy_cache", b".ruff_cache", b".hypothesis"})
"""Cache folders of tools. Unless the base has them they are left out, as if they were ignored: an agent that
runs the tests of a project without ignore rules has not changed that project.
"""


class _Folder(NamedTuple):
    """A folder to look into next."""

    path: bytes
    tracked_only: bool
    """It is ignored, yet the base has files in it, so only those count."""


class _WalkedName(NamedTuple):
    """One name found on disk."""

    path: bytes
    mode: int
    tracked_only: bool

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def question(self) -> bytes:
        """The name as check-ignore gets it. Only a final slash marks it as a folder."""
        return self.path + b"/" if self.is_folder else self.path


class IgnoreRules:
    """The `.gitignore` files of a tree, and git's reading of them."""

    def __init__(self, git: Git, tracked: Entries, work: str) -> None:
        self._git = git
        self._folder = f"{work}/rules"
        rules = {
            path: entry
            for path, entry in tracked.items()
            if path.rpartition(b"/")[2] == b".gitignore" and entry.mode in (REGULAR, EXECUTABLE)
        }
        self._folders = {parent for path in rules for parent in parents(path)}
        self._empty = not rules
        os.mkdir(self._folder)
        if rules:
            index = f"{work}/rules.index"
            write_index(git, rules, index)
            git.run("checkout-index", "--all", "--quiet", work_tree=self._folder, index=index)

    def ignored(self, seen: list[_WalkedName]) -> set[bytes]:
        """Return the questions whose names the rules ignore."""
        if self._empty or not seen:
            return set()
        for item in seen:
            # git looks at the disk to tell files from folders; a file where the base had a folder
            # must not be taken for that folder, or `name/` would hide it.
            if not item.is_folder and item.path in self._folders:
                remove_tree(os.path.join(self._folder, text(item.path)))
        # "./" keeps a name that begins with a colon from being read as pathspec magic.
        questions = b"".join(b"./" + item.question + b"\0" for item in seen)
        args = ("check-ignore", "--no-index", "-z", "--stdin")
        answer = self._git.ask(*args, stdin=questions, work_tree=self._folder)
        if answer.exit_code not in (0, 1):
            raise git_failed(args, answer)
        return {line[2:] for line in answer.stdout.split(b"\0")[:-1]}


class Walk:
    """One pass over a folder, which fills `files`, `links`, `modules` and `problems`."""

    def __init__(self, folder: bytes, tracked: Entries, rules: IgnoreRules, skipped: bytes) -> None:
        self.folder = folder
        self.tracked = tracked
        self.files: dict[bytes, str] = {}
        """Regular files and their mode in the tree."""
        self.links: dict[bytes, bytes] = {}
        """Symbolic links and their targets."""
        self.modules: list[bytes] = []
        """Folders at which the base has a submodule."""
        self.problems: list[CaptureProblem] = []
        self._rules = rules
        self._skipped = skipped
        self._tracked_folders = {parent for path in tracked for parent in parents(path)}

    def go(self) -> None:
        """Walk level by level, so that an ignored folder is never entered and git is asked once per level.

        What the base tracks counts even if it is ignored, so an ignored folder with such files is entered
        for those alone.
        """
        level = [_Folder(b"", tracked_only=False)]
        while level:
            seen = [item for folder in level for item in self._names(folder)]
            ignored = self._rules.ignored([item for item in seen if self._is_open(item)])
            level = []
            for item in seen:
                is_leftover = item.is_folder and item.path.rpartition(b"/")[2] in LEFTOVERS
                hidden = item.tracked_only or item.question in ignored or is_leftover
                if not item.is_folder:
                    self._meet_file(item, hidden)
                elif (inner := self._meet_folder(item, hidden)) is not None:
                    level.append(inner)

    def disk_path(self, path: bytes) -> bytes:
        """Return the path on disk of a path of the tree."""
        return self.folder + b"/" + path if path else self.folder

    def note(self, kind: ProblemKind, path: bytes) -> None:
        """Record a path that could not be captured."""
        self.problems.append(CaptureProblem(kind=kind, path=text(path) or "."))

    def _names(self, folder: _Folder) -> Iterator[_WalkedName]:
        try:
            with os.scandir(self.disk_path(folder.path)) as listing:
                found = [(entry.name, entry.stat(follow_symlinks=False).st_mode) for entry in listing]
        except OSError:
            self.note(ProblemKind.UNREADABLE, folder.path)
            return
        for name, mode in found:
            if name != b".git" and (folder.path or name != self._skipped):
                path = folder.path + b"/" + name if folder.path else name
                yield _WalkedName(path, mode, folder.tracked_only)

    def _is_open(self, item: _WalkedName) -> bool:
        """Check whether ignore rules apply. Files and submodules of the base are always captured."""
        return not item.tracked_only and item.path not in self.tracked

    def _meet_folder(self, item: _WalkedName, hidden: bool) -> _Folder | None:
        entry = self.tracked.get(item.path)
        if entry is not None and entry.mode == GITLINK:
            self.modules.append(item.path)
            return None
        if hidden:
            return _Folder(item.path, tracked_only=True) if item.path in self._tracked_folders else None
        if _is_refused(item):
            self.note(ProblemKind.UNSTORABLE_NAME, item.path)
            return None
        return _Folder(item.path, tracked_only=False)

    def _meet_file(self, item: _WalkedName, hidden: bool) -> None:
        if hidden and item.path not in self.tracked:
            return
        if _is_refused(item):
            self.note(ProblemKind.UNSTORABLE_NAME, item.path)
        elif stat.S_ISREG(item.mode):
            self.files[item.path] = EXECUTABLE if item.mode & stat.S_IXUSR else REGULAR
        elif stat.S_ISLNK(item.mode):
            with contextlib.suppress(OSError):  # gone in the meantime
                self.links[item.path] = os.readlink(self.disk_path(item.path))
        else:
            self.note(ProblemKind.SPECIAL_FILE, item.path)


def _is_refused(item: _WalkedName) -> bool:
    """Check whether git's index refuses the name: `.git` in any case, `.gitmodules` as a link."""
    name = item.path.rpartition(b"/")[2].lower()
    return name == b".git" or (name == b".gitmodules" and stat.S_ISLNK(item.mode))
