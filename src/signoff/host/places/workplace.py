"""A folder as it is on disk, for checks that run at once: its files as a tree, and what changed in it.

Works in a repository and outside of one, and leaves nothing behind: objects go to a throwaway git directory.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from signoff.domain.base.errors import ConfigError, SignoffError
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.machine.trees import Capture, PathChange
from signoff.host.files.scratch import Scratch
from signoff.host.git import tree_objects
from signoff.host.git.git_directories import THROWAWAY, Lender, write_git_dir
from signoff.host.git.git_door import Git, GitTool
from signoff.host.git.person_repository import Person, find_place
from signoff.host.git.submodules import Homes
from signoff.host.places.capture import capture

_NO_REPOSITORY = ("not-a-repository",)


class FolderWorkplace:
    """The files below `root`, and a git directory of its own to hold them as trees."""

    def __init__(self, root: str, git: Git, person: Person | None, scratch: str) -> None:
        self.root = root
        self._git = git
        self._person = person
        self._scratch = Scratch(os.path.join(scratch, "trees"))
        self.logs = os.path.join(scratch, "logs")
        """A folder for the output of checks, removed when the workplace is left."""
        os.mkdir(self.logs)
        self._empty = tree_objects.write_tree(git, {}, self._scratch)

    def capture(self, without: tuple[str, ...] = ()) -> Capture:
        """Capture the files as a tree, as a run would. `without` names files that are not part of it."""
        homes: Homes = self._person.place.homes if self._person else ()
        found = capture(self._git, self.root, self._head(), self._scratch, homes)
        return Capture(tree=self.without(found.tree, without), problems=found.problems)

    def without(self, tree: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return a tree without these files."""
        return tree_objects.overlay(self._git, tree, self._empty, paths, self._scratch) if paths else tree

    def tree_at(self, revision: str) -> TreeId:
        """Return the tree of a revision of the person's repository. Unlike a run, this pins nothing."""
        if self._person is None:
            raise ConfigError(
                f"{self.root} is not in a git repository, so there is no {revision} to compare with",
                slug="not-a-repository",
                fix="leave --base out, or run this in a repository",
            )
        return tree_objects.tree_of(self._git, self._person.resolve(revision))

    def head(self) -> TreeId | None:
        """Return the tree of the last commit, or None if there is no commit."""
        is_there = self._person is not None and self._person.has_commits()
        return self.tree_at("HEAD") if is_there else None

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Return a file's bytes as stored, or None if the tree has no such file."""
        return tree_objects.read_file(self._git, tree, path)

    def changes(self, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
        """List the paths that differ, sorted as git sorts."""
        return tree_objects.changes(self._git, before, after)

    def diff(self, before: TreeId, after: TreeId) -> str:
        """Return the unified diff, without colours, filters or external tools."""
        return tree_objects.diff(self._git, before, after)

    def _head(self) -> TreeId:
        """Return the tree whose ignore rules count: the last commit's, or an empty one."""
        return self.head() or self._empty


@contextmanager
def open_workplace(tool: GitTool, folder: str) -> Iterator[FolderWorkplace]:
    """Open the repository around `folder` as a workplace, or the folder itself outside a repository."""
    with tempfile.TemporaryDirectory(prefix="signoff-", ignore_cleanup_errors=True) as scratch:
        person = _person(tool, folder)
        git_dir = os.path.join(scratch, "objects.git")
        lender = person.place.lender if person else Lender(os.path.join(scratch, "none"), "sha1")
        write_git_dir(git_dir, THROWAWAY, lender)
        os.makedirs(lender.objects, exist_ok=True)
        git = person.git.at(git_dir) if person else Git(tool, git_dir)
        root = person.place.root if person else os.path.abspath(folder)
        yield FolderWorkplace(root, git, person, scratch)


def _person(tool: GitTool, folder: str) -> Person | None:
    try:
        return Person(tool, find_place(tool, folder))
    except SignoffError as error:
        if error.slug not in _NO_REPOSITORY:
            raise
        return None
