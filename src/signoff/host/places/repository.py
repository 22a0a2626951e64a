"""The `Repository` port: the engine's git directory beside the person's.

Everything the engine makes goes to `<state_dir>/engine.git`, which borrows the person's objects and
shares nothing else with them. Threads may share one `GitRepository`.
"""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property

from msgspec.structs import replace

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import CommitId, RunId, TreeId
from signoff.domain.machine.surroundings import Surroundings
from signoff.domain.machine.trees import Base, Capture, Merge
from signoff.domain.ports import TreeEntry
from signoff.host.files.scratch import Scratch
from signoff.host.git import commits, tree_objects
from signoff.host.git.bundles import write_bundle
from signoff.host.git.git_directories import ENGINE, write_git_dir
from signoff.host.git.git_door import Git, find_git, text
from signoff.host.git.person_repository import Person, find_place
from signoff.host.places import checkouts
from signoff.host.places.capture import capture
from signoff.host.places.state_folder_probe import meddled
from signoff.host.places.surroundings_probe import look_around


class GitRepository(tree_objects.TreeReader):
    """Trees, commits and checkouts of the repository whose top is `root`.

    `env` is the environment git runs in: PATH and HOME at least. Any `GIT_*` in it is dropped.
    """

    def __init__(self, root: str, state_dir: str, env: Mapping[str, str]) -> None:
        tool = find_git(env)
        place = find_place(tool, root)
        if os.path.realpath(place.root) != os.path.realpath(root):
            raise ConfigError(
                f"{root} is not the top of its repository",
                slug="not-a-repository",
                why=f"the top is {place.root}",
                fix=f"cd {place.root}",
            )
        self._person = Person(tool, place)
        self._state_dir = os.path.realpath(state_dir)
        self._scratch = Scratch(os.path.join(self._state_dir, "trees"))

    @cached_property
    def _git(self) -> Git:  # type: ignore[override] # mypy takes it for read-only
        """The engine's git directory, created or repaired on first use.

        The person may have moved the repository since, or deepened a shallow clone.
        """
        os.makedirs(self._state_dir, mode=0o700, exist_ok=True)
        git_dir = os.path.join(self._state_dir, "engine.git")
        write_git_dir(git_dir, ENGINE, self._person.place.lender)
        return self._person.git.at(git_dir)

    @cached_property
    def _checkouts(self) -> checkouts.Checkouts:
        place = self._person.place
        lender = place.lender._replace(objects=os.path.join(self._git.git_dir, "objects"))
        parent = os.path.join(self._state_dir, "checkouts")
        return checkouts.Checkouts(self._git, parent, lender, self._scratch, place.homes)

    def base(self, revision: str = "HEAD") -> Base:
        """Resolve the revision that a run starts from, and protect it from `git gc` with a ref."""
        return self._person.base(revision)

    def checkout(self, name: str, commit: CommitId) -> str:
        """Make a fresh shared-object clone at `commit`, replacing one of that name, and return its path."""
        return self._checkouts.make(name, commit)

    def checkout_path(self, name: str) -> str:
        """Return the path where `checkout` puts the clone of that name."""
        return self._checkouts.path(name)

    def drop_checkouts(self, prefix: str) -> None:
        """Remove the clones of that name and below it (`run/T1` is not above `run/T10`)."""
        self._checkouts.drop(prefix)

    def capture(self, folder: str, base: TreeId) -> Capture:
        """Write every file of `folder` as a tree. Only the ignore rules of `base` count."""
        captured = capture(self._git, folder, base, self._scratch, self._person.place.homes)
        return replace(captured, meddled=meddled(self._git, folder, base))

    def look_around(self, run_id: RunId, checkout: str, settled: tuple[str, ...]) -> Surroundings:
        """Fingerprint what an agent in `checkout` must not change. `settled` checkouts are out of use."""
        return look_around(self._person.place, self._state_dir, run_id, checkout, settled)

    def commit(self, tree: TreeId, parents: tuple[CommitId, ...], message: str, when: str) -> CommitId:
        """Commit with the engine's identity at `when`. The same arguments give the same id."""
        return commits.write_commit(self._git, tree, parents, message, when)

    def tree_of(self, commit: CommitId) -> TreeId:
        """Return the tree of a commit."""
        return tree_objects.tree_of(self._git, commit)

    def is_ancestor(self, ancestor: CommitId, commit: CommitId) -> bool:
        """Check whether `ancestor` is `commit` or in its history in the person's repository."""
        return self._person.is_ancestor(ancestor, commit)

    def entries(self, tree: TreeId) -> tuple[TreeEntry, ...]:
        """List every path of a tree, sorted as git sorts: by bytes."""
        found = tree_objects.read_entries(self._git, tree)
        return tuple(TreeEntry(text(path), entry.mode, entry.oid) for path, entry in found.items())

    def patch(self, before: TreeId, after: TreeId) -> str:
        """Return a patch that `apply_patch` can apply, binary files included."""
        return tree_objects.patch(self._git, before, after, self._scratch)

    def parent_of(self, commit: CommitId) -> CommitId:
        """Return the first parent of a commit."""
        return CommitId(self._git.line("rev-parse", "--verify", f"{commit}^"))

    def merge(self, ours: CommitId, theirs: CommitId, message: str, when: str) -> Merge:
        """Merge in memory. No working tree and no ref is touched."""
        return commits.merge(self._git, ours, theirs, message, when)

    def merge_base(self, ours: CommitId, theirs: CommitId) -> CommitId:
        """Return the commit that both started from."""
        return CommitId(self._git.line("merge-base", ours, theirs))

    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> AbstractContextManager[str]:
        """Write the tree into a throwaway folder, with copies of the dependency folders named in `carry`."""
        return self._checkouts.materialise(self._person.place.root, tree, carry)

    def bundle(self, tree: TreeId) -> bytes:
        """Return a tree as a git bundle of one commit without history."""
        return write_bundle(self._git, tree)

    def apply_patch(self, folder: str, patch: bytes) -> str | None:
        """Apply a unified diff to a checkout. Return None on success, else the error message of git."""
        return checkouts.apply_patch(self._git, folder, patch)

    def set_ref(self, name: str, new: CommitId | TreeId, expected: str | None) -> None:
        """Compare-and-swap a ref below `refs/signoff/`. `expected` None means that it must not exist yet."""
        commits.set_ref(self._git, name, new, expected)

    def ref(self, name: str) -> str | None:
        """Return what a ref below `refs/signoff/` points to in the engine's git directory, or None."""
        return commits.read_ref(self._git, name)

    def publish(self, name: str, commit: CommitId) -> str:
        """Make a commit reachable in the person's repository as `refs/signoff/<name>`. Return that ref."""
        return self._person.publish(self._git, name, commit)

    def published(self, name: str) -> CommitId | None:
        """Return the commit at `refs/signoff/<name>` in the person's repository, or None."""
        found = commits.read_ref(self._person.git, name)
        return None if found is None else CommitId(found)
