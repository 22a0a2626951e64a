"""Trees in the engine's git directory: list, write, overlay, compare, read.

Paths are bytes in here and strings with surrogate escapes at the port, so that a name in any
encoding survives the way out and back.
"""

import contextlib
from typing import NamedTuple

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.host.files.scratch import Scratch
from signoff.host.git.answer_cache import Kept
from signoff.host.git.git_door import Git, git_failed, is_object_id, raw, text

GITLINK = "160000"
SYMLINK = "120000"
EXECUTABLE = "100755"
REGULAR = "100644"

_KINDS = {"A": ChangeKind.ADDED, "D": ChangeKind.DELETED, "M": ChangeKind.MODIFIED, "T": ChangeKind.RETYPED}


class TreeObject(NamedTuple):
    """The entry of a tree at a path."""

    mode: str
    oid: str


Entries = dict[bytes, TreeObject]


_LISTED: Kept[Entries] = Kept(4)
_CHANGED: Kept[tuple[PathChange, ...]] = Kept(32)
_TREES: Kept[TreeId] = Kept(256)
_MOST_KEPT = 20_000
"""Longer listings are read again each time, to save memory."""


def read_entries(git: Git, tree: str) -> Entries:
    """List every file, link and submodule of a tree, in git's order. Do not change it: it is cached."""
    return _LISTED.get(
        (git.git_dir, tree),
        lambda: _parse_entries(git.run("ls-tree", "-r", "-z", "--full-tree", tree)),
        worth=lambda found: is_object_id(tree) and len(found) <= _MOST_KEPT,
    )


def _parse_entries(listing: bytes) -> Entries:
    entries: Entries = {}
    for line in listing.split(b"\0")[:-1]:
        about, path = line.split(b"\t", 1)
        mode, _, oid = about.decode("ascii").split(" ")
        entries[path] = TreeObject(mode, oid)
    return entries


def write_tree(git: Git, entries: Entries, scratch: Scratch) -> TreeId:
    """Write a tree of exactly these entries, through an index that no other process sees."""
    with scratch.folder() as folder:
        index = f"{folder}/index"
        write_index(git, entries, index)
        return TreeId(text(git.run("write-tree", index=index)).strip())


def write_index(git: Git, entries: Entries, index: str) -> None:
    """Write a fresh index of exactly these entries."""
    lines = (b"%s %s\t%s\0" % (mode.encode(), oid.encode(), path) for path, (mode, oid) in entries.items())
    args = ("update-index", "-z", "--index-info")
    answer = git.ask(*args, stdin=b"".join(lines), index=index)
    # A name git refuses is only mumbled about ("Ignoring path …"), with exit 0.
    if answer.exit_code != 0 or answer.stderr:
        raise git_failed(args, answer)


def overlay(git: Git, base: TreeId, source: TreeId, paths: tuple[str, ...], scratch: Scratch) -> TreeId:
    """Return `base` with these paths, files or whole folders, as `source` has them."""
    if not paths:
        return base
    wanted = frozenset(raw(path.rstrip("/")) for path in paths)
    taken = {
        path: entry for path, entry in read_entries(git, source).items() if _is_at_or_below(path, wanted)
    }
    blocked = {folder for path in taken for folder in parents(path)}
    kept = {
        path: entry
        for path, entry in read_entries(git, base).items()
        # A file of base where source has a folder would make the index refuse the folder.
        if not _is_at_or_below(path, wanted) and path not in blocked
    }
    return write_tree(git, {**kept, **taken}, scratch)


def _is_at_or_below(path: bytes, wanted: frozenset[bytes]) -> bool:
    return path in wanted or any(folder in wanted for folder in parents(path))


def parents(path: bytes) -> list[bytes]:
    """Return every folder above a path, the nearest first."""
    found = []
    while b"/" in path:
        path = path.rpartition(b"/")[0]
        found.append(path)
    return found


def changes(git: Git, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
    """List the paths that differ. A rename is a deletion and an addition."""
    return _CHANGED.get(
        (git.git_dir, before, after),
        lambda: _changes(git, before, after),
        worth=lambda found: is_object_id(before) and is_object_id(after) and len(found) <= _MOST_KEPT,
    )


def _changes(git: Git, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
    listing = git.run("diff-tree", "-r", "-z", "--no-renames", "--raw", "--numstat", before, after)
    words = iter(listing.split(b"\0")[:-1])
    kinds: dict[bytes, ChangeKind] = {}
    found = []
    for word in words:
        if word.startswith(b":"):
            kinds[next(words)] = _kind(word.decode("ascii"))
        else:
            added, removed, path = word.split(b"\t", 2)
            found.append(_change(path, kinds[path], added, removed))
    return tuple(found)


def _kind(raw_line: str) -> ChangeKind:
    """Parse `:100644 100755 <oid> <oid> M`."""
    mode_before, mode_after, _, _, letter = raw_line[1:].split(" ")
    if letter == "M" and mode_before != mode_after:
        return ChangeKind.RETYPED
    return _KINDS[letter]


def _change(path: bytes, kind: ChangeKind, added: bytes, removed: bytes) -> PathChange:
    if added == b"-":
        return PathChange(path=text(path), kind=kind, binary=True)
    return PathChange(path=text(path), kind=kind, added=int(added), removed=int(removed))


def patch(git: Git, before: TreeId, after: TreeId, scratch: Scratch) -> str:
    """Return a patch for `git apply` that loses nothing, and is text that any file or record can hold.

    If a changed file is text but not UTF-8, every change goes in as a binary patch. git has no
    such form for a link, so a link to a name that is not UTF-8 cannot be put into a patch.
    """
    with contextlib.suppress(UnicodeDecodeError):
        return _patch(git, before, after, "/dev/null").decode("utf-8")
    with scratch.folder() as folder, contextlib.suppress(UnicodeDecodeError):
        attributes = f"{folder}/attributes"
        with open(attributes, "w", encoding="ascii") as file:
            file.write("* -diff\n")
        return _patch(git, before, after, attributes).decode("utf-8")
    raise InfrastructureError(
        "the change cannot be written as a patch",
        slug="patch-not-text",
        why="a symbolic link points to a name that is not UTF-8",
        fix="rename what the link points to",
    )


def _patch(git: Git, before: TreeId, after: TreeId, attributes: str) -> bytes:
    options = ("-r", "-p", "--binary", "--full-index", "--no-renames", "--no-color", "--no-ext-diff")
    settings = {"core.quotePath": "true", "core.attributesFile": attributes}
    env = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (name, value) in enumerate(settings.items()):
        env |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return git.run("diff-tree", *options, "--no-textconv", before, after, env=env)


def read_file(git: Git, tree: TreeId, path: str) -> bytes | None:
    """Return the bytes stored at a path (of a link: its target), or None if there is no file or link."""
    if not _can_exist(path):
        return None
    args = ("ls-tree", "-z", "--full-tree", tree, "--", path)
    entry = _parse_entries(git.run(*args)).get(raw(path))
    if entry is None or entry.mode in (GITLINK, "040000"):
        return None
    return git.run("cat-file", "blob", entry.oid)


def read_blobs(git: Git, oids: list[str]) -> dict[str, bytes]:
    """Read many blobs with one git process."""
    if not oids:
        return {}
    said = git.run("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode())
    found: dict[str, bytes] = {}
    at = 0
    while at < len(said):
        end = said.index(b"\n", at)
        oid, _, size = said[at:end].split(b" ")
        at = end + 1 + int(size) + 1
        found[oid.decode()] = said[end + 1 : at - 1]
    return found


def _can_exist(path: str) -> bool:
    """Check whether a tree could hold this path at all, because agents cite all sorts of things."""
    try:
        raw(path)
    except UnicodeEncodeError:
        return False
    return "\0" not in path and not {"", ".", ".."} & set(path.split("/"))


class TreeReader:
    """Answers about the trees in one git directory, each tree named by its id."""

    _git: Git
    _scratch: Scratch

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Return a file's bytes as stored, or None if the tree has no such file."""
        return read_file(self._git, tree, path)

    def changes(self, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
        """List the paths that differ, sorted as git sorts."""
        return changes(self._git, before, after)

    def diff(self, before: TreeId, after: TreeId) -> str:
        """Return the unified diff without renames, colours, filters or external tools.

        It is for people and prompts: bytes that are not UTF-8 are replaced.
        """
        options = ("-r", "-p", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv")
        return self._git.run("diff-tree", *options, before, after).decode("utf-8", "replace")

    def overlay(self, base: TreeId, source: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return `base` with these paths taken from `source`, and removed if `source` does not have them."""
        return overlay(self._git, base, source, paths, self._scratch)


def tree_of(git: Git, revision: str) -> TreeId:
    """Return the tree of a commit. A tree is returned as it is."""
    return _TREES.get(
        (git.git_dir, revision),
        lambda: TreeId(git.line("rev-parse", "--verify", f"{revision}^{{tree}}")),
        worth=lambda _found: is_object_id(revision),
    )
