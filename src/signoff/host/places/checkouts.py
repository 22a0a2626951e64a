"""Checkouts for agents and throwaway trees for checks, both repositories of their own.

A linked worktree would share the person's configuration, hooks and refs with the program that works in it.
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
from signoff.host.git.git_door import Git, text, words
from signoff.host.git.submodules import Homes, find_module, module_homes
from signoff.host.git.tree_objects import GITLINK, read_entries
from signoff.host.places.dependency_copies import carry, check_carry

_EPOCH = "1970-01-01T00:00:00Z"


class Checkouts:
    """Creates and removes working folders that borrow their objects from the engine's git directory."""

    def __init__(self, git: Git, parent: str, lender: Lender, scratch: Scratch, homes: Homes) -> None:
        self._git = git
        self._parent = parent
        self._lender = lender
        self._scratch = scratch
        self._homes = homes
        self._commits: Kept[CommitId] = Kept(64)

    def path(self, name: str) -> str:
        """Return the path of the checkout of that name, whether or not it exists."""
        if any(part in ("", ".", "..", ".git") for part in name.split("/")):
            raise ValueError(f"not a checkout name: {name!r}")
        return os.path.join(self._parent, name)

    def make(self, name: str, commit: CommitId) -> str:
        """Make a fresh checkout at `commit`, replacing one of that name and everything in it."""
        folder = self.path(name)
        remove_tree(folder)
        os.makedirs(folder, mode=0o700)
        self._fill(folder, commit)
        return folder

    def drop(self, prefix: str) -> None:
        """Remove the checkout of that name, or all below it. A part of a name matches nothing."""
        remove_tree(self.path(prefix.rstrip("/")))

    @contextmanager
    def materialise(self, root: str, tree: TreeId, carried: tuple[str, ...]) -> Iterator[str]:
        """Write `tree` into a throwaway folder with copies of these dependency folders of `root`.

        It is a repository too, at a commit without history: checks like `git diff --exit-code` compare with
        this tree, and `git clean` in a check does not reach the person's files.
        """
        check_carry(root, carried)
        with self._scratch.folder() as place:
            folder = os.path.join(place, "tree")
            os.mkdir(folder)
            commit = self._commits.get(
                (tree,), lambda: write_commit(self._git, tree, (), "Tree under check", _EPOCH)
            )
            self._fill(folder, commit)
            for path in carried:
                carry(root, path, folder)
            yield folder

    def _fill(self, folder: str, commit: CommitId) -> None:
        git_dir = os.path.join(folder, ".git")
        write_git_dir(git_dir, CHECKOUT, self._lender)
        with open(os.path.join(git_dir, "refs/heads/signoff"), "w", encoding="ascii") as ref:
            ref.write(commit + "\n")
        _lay_out(self._git, commit, folder, os.path.join(git_dir, "index"), self._scratch, self._homes)


def _lay_out(git: Git, tree: str, folder: str, index: str, scratch: Scratch, homes: Homes) -> None:
    """Write the files of `tree` byte for byte into an empty `folder`, and an index that matches them.

    A submodule is filled if its commit is found below `homes`, and is an empty folder otherwise.
    """
    git.run("read-tree", tree, index=index)
    git.run("checkout-index", "--all", "--index", "--quiet", work_tree=folder, index=index)
    entries = read_entries(git, tree)
    for path, entry in entries.items():
        if entry.mode == GITLINK:
            candidates = module_homes(git, entries, path, homes)
            with find_module(git, entry.oid, candidates, scratch) as module:
                if module is not None:
                    inner = os.path.join(folder, text(path))
                    module_index = os.path.join(module.git.git_dir, "index")
                    _lay_out(module.git, module.commit, inner, module_index, scratch, module.homes)


def apply_patch(git: Git, folder: str, patch: bytes) -> str | None:
    """Apply a unified diff to a folder as a whole or not at all. Return None on success, else git's words."""
    if not patch.strip():
        return None  # git calls a patch without changes an error; `patch` of two equal trees is one
    answer = git.ask("apply", "--whitespace=nowarn", "-", stdin=patch, work_tree=folder)
    if answer.exit_code == 0:
        return None
    return words(answer) or f"git apply: exit {answer.exit_code}"
