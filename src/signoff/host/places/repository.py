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
from signoff.domain.machine.trees import Base, Capture, Merge, PathChange
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


class GitRepository:
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
    def _engine(self) -> Git:
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
        lender = place.lender._replace(objects=os.path.join(self._engine.git_dir, "objects"))
        parent = os.path.join(self._state_dir, "checkouts")
        return checkouts.Checkouts(self._engine, parent, lender, self._scratch, place.homes)

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
        captured = capture(self._engine, folder, base, self._scratch, self._person.place.homes)
        return replace(captured, meddled=meddled(self._engine, folder, base))

    def look_around(self, run_id: RunId, checkout: str, settled: tuple[str, ...]) -> Surroundings:
        """Fingerprint what an agent in `checkout` must not change. `settled` checkouts are out of use."""
        return look_around(self._person.place, self._state_dir, run_id, checkout, settled)

    def commit(self, tree: TreeId, parents: tuple[CommitId, ...], message: str, when: str) -> CommitId:
        """Commit with the engine's identity at `when`. The same arguments give the same id."""
        return commits.write_commit(self._engine, tree, parents, message, when)

    def tree_of(self, commit: CommitId) -> TreeId:
        """Return the tree of a commit."""
        return tree_objects.tree_of(self._engine, commit)

    def is_ancestor(self, ancestor: CommitId, commit: CommitId) -> bool:
        """Check whether `ancestor` is `commit` or in its history in the person's repository."""
        return self._person.is_ancestor(ancestor, commit)

    def entries(self, tree: TreeId) -> tuple[TreeEntry, ...]:
        """List every path of a tree, sorted as git sorts: by bytes."""
        found = tree_objects.read_entries(self._engine, tree)
        return tuple(TreeEntry(text(path), entry.mode, entry.oid) for path, entry in found.items())

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Return a file's bytes as stored, or None if the tree has no such file."""
        return tree_objects.read_file(self._engine, tree, path)

    def changes(self, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
        """List the paths that differ, sorted as git sorts."""
        return tree_objects.changes(self._engine, before, after)

    def diff(self, before: TreeId, after: TreeId) -> str:
        """Return the unified diff, without colours, filters or external tools."""
        return tree_objects.diff(self._engine, before, after)

    def patch(self, before: TreeId, after: TreeId) -> str:
        """Return a patch that `apply_patch` can apply, binary files included."""
        return tree_objects.patch(self._engine, before, after, self._scratch)

    def parent_of(self, commit: CommitId) -> CommitId:
        """Return the first parent of a commit."""
        return CommitId(self._engine.line("rev-parse", "--verify", f"{commit}^"))

    def merge(self, ours: CommitId, theirs: CommitId, message: str, when: str) -> Merge:
        """Merge in memory. No working tree and no ref is touched."""
        return commits.merge(self._engine, ours, theirs, message, when)

    def merge_base(self, ours: CommitId, theirs: CommitId) -> CommitId:
        """Return the commit that both started from."""
        return CommitId(self._engine.line("merge-base", ours, theirs))

    def overlay(self, base: TreeId, source: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return `base` with these paths taken from `source`, and removed if `source` does not have them."""
        return tree_objects.overlay(self._engine, base, source, paths, self._scratch)

    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> AbstractContextManager[str]:
        """Write the tree into a throwaway folder, with copies of the dependency folders named in `carry`."""
        return self._checkouts.materialise(self._person.place.root, tree, carry)

    def bundle(self, tree: TreeId) -> bytes:
        """Return a tree as a git bundle of one commit without history."""
        return write_bundle(self._engine, tree)

    def apply_patch(self, folder: str, patch: bytes) -> str | None:
        """Apply a unified diff to a checkout. Return None on success, else the error message of git."""
        return checkouts.apply_patch(self._engine, folder, patch)

    def set_ref(self, name: str, new: CommitId | TreeId, expected: str | None) -> None:
        """Compare-and-swap a ref below `refs/signoff/`. `expected` None means that it must not exist yet."""
        commits.set_ref(self._engine, name, new, expected)

    def ref(self, name: str) -> str | None:
        """Return what a ref below `refs/signoff/` points to in the engine's git directory, or None."""
        return commits.read_ref(self._engine, name)

    def publish(self, name: str, commit: CommitId) -> str:
        """Make a commit reachable in the person's repository as `refs/signoff/<name>`. Return that ref."""
        return self._person.publish(self._engine, name, commit)

    def published(self, name: str) -> CommitId | None:
        """Return the commit at `refs/signoff/<name>` in the person's repository, or None."""
        found = commits.read_ref(self._person.git, name)
        return None if found is None else CommitId(found)
