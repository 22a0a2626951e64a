"""What the engine knows of files and commits. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, TreeId


class Base(Record, frozen=True, kw_only=True):
    """Where a run starts from, pinned once."""

    commit: CommitId
    tree: TreeId
    branch: str | None
    """None on a detached head."""
    dirty: tuple[str, ...] = ()
    """Paths with uncommitted changes in the person's working tree. They are not part of the base."""
    submodules: tuple[str, ...] = ()


class ProblemKind(StrEnum):
    """Why a folder cannot be captured faithfully. Every one of them means *could not be judged*."""

    SUBMODULE_DIRTY = "submodule-dirty"
    UNREADABLE = "unreadable"
    SPECIAL_FILE = "special-file"
    UNSTORABLE_NAME = "unstorable-name"


class CaptureProblem(Record, frozen=True, kw_only=True):
    """One path that git cannot hold as it is."""

    kind: ProblemKind
    path: str


class Capture(Record, frozen=True, kw_only=True):
    """The files of a folder as a tree. With problems, the tree is not the whole truth."""

    tree: TreeId
    problems: tuple[CaptureProblem, ...] = ()
    meddled: tuple[str, ...] = ()
    """Paths below `.signoff/` that differ from the base. They are not part of the tree."""


class ChangeKind(StrEnum):
    """What happened to a path between two trees. A rename is a deletion and an addition."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RETYPED = "retyped"
    """File to symbolic link or submodule, or the executable bit."""


class PathChange(Record, frozen=True, kw_only=True):
    """One path that differs between two trees."""

    path: str
    kind: ChangeKind
    added: int = 0
    removed: int = 0
    binary: bool = False


class Merge(Record, frozen=True, kw_only=True):
    """A merge of two commits: either a commit and its tree, or the paths in conflict."""

    commit: CommitId | None
    tree: TreeId | None
    conflicts: tuple[str, ...] = ()
