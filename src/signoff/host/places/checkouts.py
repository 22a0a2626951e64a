"""Checkouts for agents and throwaway trees for checks, both repositories of their own.

A linked worktree would share the person's configuration, hooks and refs with whoever works in it.
Here each folder has a `.git` of its own that only borrows objects, so a `git` command run inside,
by an agent or by a check, stays inside.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.host.files.durable_files import remove_tree
from signoff.host.files.scratch import Scratch
from signoff.host.git.answer_cache import Kept
from signoff.host.git.commits import write_commit
from signoff.host.git.git_directories import CHECKOUT, Lender, write_git_dir
from signoff.host.git.git_door import Git, words
from signoff.host.git.submodules import Homes
from signoff.host.places.dependency_copies import carry, check_carry
from signoff.host.places.tree_layout import lay_out

_EPOCH = "1970-01-01T00:00:00Z"


class Checkouts:
    """Makes and removes working folders; the engine's git directory lends the objects."""

    def __init__(self, git: Git, parent: str, lender: Lender, scratch: Scratch, homes: Homes) -> None:
        self._git = git
        self._parent = parent
        self._lender = lender
        self._scratch = scratch
        self._homes = homes
        self._commits: Kept[CommitId] = Kept(64)

    def path(self, name: str) -> str:
        """Give where the checkout of that name is, or would be."""
        if any(part in ("", ".", "..", ".git") for part in name.split("/")):
            raise ValueError(f"not a checkout name: {name!r}")
        return os.path.join(self._parent, name)

    def make(self, name: str, commit: CommitId) -> str:
        """Make a fresh checkout at `commit`; one of that name is replaced, whatever is in it."""
        folder = self.path(name)
        remove_tree(folder)
        os.makedirs(folder, mode=0o700)
        self._fill(folder, commit)
        return folder

    def drop(self, prefix: str) -> None:
        """Remove the checkout of that name, or all below it; a part of a name matches nothing."""
        remove_tree(self.path(prefix.rstrip("/")))

    @contextmanager
    def materialise(self, root: str, tree: TreeId, carried: tuple[str, ...]) -> Iterator[str]:
        """Lay `tree` out in a throwaway folder with copies of `root`'s carried folders.

        It is a repository too, at a commit without history: gates like `git diff --exit-code` mean
        this tree, and `git clean` in a check does not reach the person's files.
        """
        check_carry(root, carried)
        with self._scratch.folder() as place:
            folder = os.path.join(place, "tree")
            os.mkdir(folder)
            self._fill(folder, self._commit_of(tree))
            for path in carried:
                carry(root, path, folder)
            yield folder

    def _commit_of(self, tree: TreeId) -> CommitId:
        return self._commits.get(
            (tree,), lambda: write_commit(self._git, tree, (), "Tree under check", _EPOCH)
        )

    def _fill(self, folder: str, commit: CommitId) -> None:
        git_dir = os.path.join(folder, ".git")
        write_git_dir(git_dir, CHECKOUT, self._lender)
        with open(os.path.join(git_dir, "refs/heads/signoff"), "w", encoding="ascii") as ref:
            ref.write(commit + "\n")
        lay_out(self._git, commit, folder, os.path.join(git_dir, "index"), self._scratch, self._homes)


def apply_patch(git: Git, folder: str, patch: bytes) -> str | None:
    """Apply a unified diff to a folder, all of it or nothing; None when it applied."""
    if not patch.strip():
        return None  # git calls a patch without changes an error; `patch` of two equal trees is one
    answer = git.ask("apply", "--whitespace=nowarn", "-", stdin=patch, work_tree=folder)
    if answer.exit_code == 0:
        return None
    return words(answer) or f"git apply: exit {answer.exit_code}"
