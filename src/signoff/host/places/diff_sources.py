"""Diffs for commands that judge a change: what is staged, and the files on disk against a base.

Nothing of the repository is run or changed: no hooks, filters, text conversion or external diff, and objects
go to a throwaway git directory. Files count as they are on disk, untracked ones included, except those that
`.gitignore` of the last commit ignores.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.domain.machine.trees import PathChange
from signoff.host.files.scratch import Scratch
from signoff.host.git import tree_objects
from signoff.host.git.git_directories import THROWAWAY, write_git_dir
from signoff.host.git.git_door import Git, GitTool, raw, text
from signoff.host.git.person_repository import Person, find_place
from signoff.host.git.tree_objects import EXECUTABLE, REGULAR
from signoff.host.places.capture import capture

_PLAIN = (
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-relative",
)


def staged_diff(tool: GitTool, folder: str) -> str:
    """Return what the next commit would add. Files count as text whatever `.gitattributes` says of them."""
    person = Person(tool, find_place(tool, folder))
    base = "HEAD" if person.has_commits() else _empty_tree(person.git)
    options = ("-p", "--cached", "--text", "-U0", "--no-renames", *_PLAIN)
    return text(person.git.run("diff-index", *options, base))


def _empty_tree(git: Git) -> str:
    return text(git.run("hash-object", "-t", "tree", "--stdin")).strip()


class BaseView:
    """The files on disk, and those of the base they are compared with."""

    def __init__(self, git: Git, root: str, before: TreeId, after: TreeId) -> None:
        self.root = root
        self._git = git
        self._before = before
        self._after = after

    def diff(self) -> str:
        """Return the unified diff with renames recognised. Bytes that are not UTF-8 become surrogates."""
        return text(self._git.run("diff-tree", "-r", "-p", "-M", *_PLAIN, self._before, self._after))

    def changes(self) -> tuple[PathChange, ...]:
        """List the paths that differ."""
        return tree_objects.changes(self._git, self._before, self._after)

    def paths(self) -> list[str]:
        """List the regular files on disk. Links are left out."""
        entries = self._entries[1].items()
        return [text(path) for path, entry in entries if entry.mode in (REGULAR, EXECUTABLE)]

    def before(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of the given paths, as far as the base has them."""
        return self._read(0, paths)

    def after(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of the given paths, as far as they are on disk."""
        return self._read(1, paths)

    @cached_property
    def _entries(self) -> tuple[tree_objects.Entries, tree_objects.Entries]:
        return tree_objects.read_entries(self._git, self._before), tree_objects.read_entries(
            self._git, self._after
        )

    def _read(self, side: int, paths: Iterable[str]) -> dict[str, bytes]:
        entries = self._entries[side]
        known = {path: entry for path in paths if (entry := entries.get(raw(path))) is not None}
        wanted = {path: entry.oid for path, entry in known.items() if entry.mode in (REGULAR, EXECUTABLE)}
        blobs = tree_objects.read_blobs(self._git, sorted(set(wanted.values())))
        return {path: blobs[oid] for path, oid in wanted.items()}


@contextmanager
def against_base(tool: GitTool, folder: str, revision: str) -> Iterator[BaseView]:
    """Compare the working tree around `folder` with the merge base of HEAD and `revision`.

    If they have no history in common, the revision itself is the base.
    """
    person = Person(tool, find_place(tool, folder))
    with tempfile.TemporaryDirectory(prefix="signoff-", ignore_cleanup_errors=True) as place:
        git_dir = os.path.join(place, "objects.git")
        write_git_dir(git_dir, THROWAWAY, person.place.lender)
        git = person.git.at(git_dir)
        head, root = person.resolve("HEAD"), person.place.root
        base = _merge_base(person.git, person.resolve(revision), head)
        scratch = Scratch(os.path.join(place, "trees"))
        captured = capture(git, root, tree_objects.tree_of(git, head), scratch, person.place.homes)
        yield BaseView(git, root, tree_objects.tree_of(git, base), captured.tree)


def _merge_base(git: Git, revision: CommitId, head: CommitId) -> CommitId:
    answer = git.ask("merge-base", revision, head)
    found = text(answer.stdout).split()
    return CommitId(found[0]) if answer.exit_code == 0 and found else revision
