"""A folder as it is on disk, for checks that run at once: its files as a tree, and what changed in it.

Works in a repository and outside of one, and leaves nothing behind: objects go to a throwaway git directory.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from signoff.domain.base.errors import ConfigError, SignoffError
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.machine.trees import Capture
from signoff.host.files.scratch import Scratch
from signoff.host.git import tree_objects
from signoff.host.git.git_directories import Lender, throwaway_git
from signoff.host.git.git_door import Git, GitTool
from signoff.host.git.person_repository import Person, find_place
from signoff.host.git.submodules import Homes
from signoff.host.places.capture import capture


class FolderWorkplace(tree_objects.TreeReader):
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
        # The ignore rules of the last commit count.
        found = capture(self._git, self.root, self.head() or self._empty, self._scratch, homes)
        return Capture(tree=self.without(found.tree, without), problems=found.problems)

    def without(self, tree: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return a tree without these files."""
        return self.overlay(tree, self._empty, paths)

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


@contextmanager
def open_workplace(tool: GitTool, folder: str) -> Iterator[FolderWorkplace]:
    """Open the repository around `folder` as a workplace, or the folder itself outside a repository."""
    person: Person | None = None
    try:
        person = Person(tool, find_place(tool, folder))
    except SignoffError as error:
        if error.slug != "not-a-repository":
            raise
    root = person.place.root if person else os.path.abspath(folder)
    with throwaway_git(tool, person.place.lender if person else Lender("", "sha1")) as (git, scratch):
        yield FolderWorkplace(root, git, person, scratch)
