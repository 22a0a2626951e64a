"""A change on disk as two trees, base and final, that can be mixed and run.

Nothing of the repository is run or changed: objects go to a throwaway git directory, and no ref is written.
Files count as they are on disk, untracked ones included, except those that `.gitignore` of the last commit
ignores.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.host.files.scratch import Scratch
from signoff.host.git import tree_objects
from signoff.host.git.git_directories import Lender, throwaway_git
from signoff.host.git.git_door import Git, GitTool, raw, text
from signoff.host.git.person_repository import Person, find_place
from signoff.host.git.submodules import Homes
from signoff.host.git.tree_objects import EXECUTABLE, REGULAR, Entries
from signoff.host.places.capture import capture
from signoff.host.places.checkouts import Checkouts

_MAIN_LINES = (
    "refs/heads/main",
    "refs/remotes/origin/main",
    "refs/heads/master",
    "refs/remotes/origin/master",
    "@{upstream}",
)
_PLAIN = (
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--no-relative",
)


class _Start(NamedTuple):
    commit: CommitId
    name: str


class ChangeOnDisk(tree_objects.TreeReader):
    """Base and final tree of a change, in a git directory of their own."""

    def __init__(self, git: Git, root: str, scratch: str, lender: Lender, homes: Homes) -> None:
        self.root = root
        self.base = self.final = TreeId("")
        self.base_id = self.base_name = ""
        self.problems: tuple[str, ...] = ()
        """Paths that could not be captured, and why. With any of them the final tree is incomplete."""
        self.logs = os.path.join(scratch, "logs")
        self._git = git
        self._homes = homes
        self._scratch = Scratch(os.path.join(scratch, "trees"))
        ours = lender._replace(objects=os.path.join(git.git_dir, "objects"))
        self._checkouts = Checkouts(git, os.path.join(scratch, "checkouts"), ours, self._scratch, homes)
        self._entries: dict[TreeId, Entries] = {}
        os.mkdir(self.logs)

    def take(self, folder: str, ignoring: TreeId) -> TreeId:
        """Capture a folder as a tree, and note what could not be captured as a problem."""
        found = capture(self._git, folder, ignoring, self._scratch, self._homes)
        self.problems += tuple(f"{problem.path}: {problem.kind}" for problem in found.problems)
        return found.tree

    def empty(self) -> TreeId:
        """Return the tree without files."""
        return tree_objects.write_tree(self._git, {}, self._scratch)

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Return a file's bytes as stored, or None if the tree has no such file."""
        return self.read_many(tree, (path,)).get(path)

    def read_many(self, tree: TreeId, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of the given paths, as far as they are files of the tree."""
        entries = self._listed(tree)
        wanted = {path: entry.oid for path in paths if (entry := entries.get(raw(path))) and _is_file(entry)}
        blobs = tree_objects.read_blobs(self._git, sorted(set(wanted.values())))
        return {path: blobs[oid] for path, oid in wanted.items()}

    def paths(self, tree: TreeId) -> list[str]:
        """List the regular files of a tree. Links are left out."""
        return [text(path) for path, entry in self._listed(tree).items() if _is_file(entry)]

    def exact_diff(self) -> str:
        """Return the unified diff from base to final with renames recognised and odd bytes as surrogates."""
        return text(self._git.run("diff-tree", "-r", "-p", "-M", *_PLAIN, self.base, self.final))

    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> AbstractContextManager[str]:
        """Write the tree into a throwaway folder, with copies of the root's folders named in `carry`."""
        return self._checkouts.materialise(self.root, tree, carry)

    def _listed(self, tree: TreeId) -> Entries:
        if tree not in self._entries:
            self._entries[tree] = tree_objects.read_entries(self._git, tree)
        return self._entries[tree]


def _is_file(entry: tree_objects.TreeObject) -> bool:
    return entry.mode in (REGULAR, EXECUTABLE)


def staged_diff(tool: GitTool, folder: str) -> str:
    """Return what the next commit would add. Files count as text whatever `.gitattributes` says of them."""
    person = Person(tool, find_place(tool, folder))
    base = "HEAD" if person.has_commits() else person.git.line("hash-object", "-t", "tree", "--stdin")
    options = ("-p", "--cached", "--text", "-U0", "--no-renames", *_PLAIN)
    return text(person.git.run("diff-index", *options, base))


@contextmanager
def change_here(tool: GitTool, folder: str, revision: str | None) -> Iterator[ChangeOnDisk]:
    """Compare the files of the repository around `folder` with the merge base of HEAD and `revision`.

    Without a revision, the main line is looked for: main, master, then the upstream of the branch. If none of
    them exists, the last commit is the base.
    """
    person = Person(tool, find_place(tool, folder))
    head = person.resolve("HEAD")
    start = _named(person, revision, head) if revision else _found(person, head)
    place = person.place
    with throwaway_git(tool, place.lender) as (git, scratch):
        ground = ChangeOnDisk(git, place.root, scratch, place.lender, place.homes)
        ground.base = tree_objects.tree_of(person.git, start.commit)
        ground.base_id, ground.base_name = start
        ground.final = ground.take(place.root, tree_objects.tree_of(person.git, head))
        yield ground


@contextmanager
def change_between(tool: GitTool, before: str, after: str) -> Iterator[ChangeOnDisk]:
    """Compare two folders, in a repository or not. Every file in them counts."""
    for folder in (before, after):
        if not os.path.isdir(folder):
            raise ConfigError(f"there is no folder {folder}", slug="folder-missing", fix="check its name")
    lender = Lender("", "sha1")
    with throwaway_git(tool, lender) as (git, scratch):
        ground = ChangeOnDisk(git, os.path.abspath(after), scratch, lender, ())
        empty = ground.empty()
        ground.base = ground.take(os.path.abspath(before), empty)
        ground.base_id, ground.base_name = ground.base, before
        ground.final = ground.take(ground.root, empty)
        yield ground


def _named(person: Person, revision: str, head: CommitId) -> _Start:
    commit = person.resolve(revision)
    meeting = _merge_base(person.git, commit, head)
    return _Start(meeting, revision if meeting == commit else f"where the work left {revision}")


def _found(person: Person, head: CommitId) -> _Start:
    for name in _MAIN_LINES:
        answer = person.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if answer.exit_code == 0:
            meeting = _merge_base(person.git, CommitId(text(answer.stdout).strip()), head)
            plain = name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
            said = "the last commit" if meeting == head else f"where the work left {plain}"
            return _Start(meeting, f"{said}, found by itself")
    return _Start(head, "the last commit, found by itself")


def _merge_base(git: Git, revision: CommitId, head: CommitId) -> CommitId:
    """Return the merge base, or the revision itself if they have no history in common."""
    answer = git.ask("merge-base", revision, head)
    found = text(answer.stdout).split()
    return CommitId(found[0]) if answer.exit_code == 0 and found else revision
