"""Which files a merge may take away. Pure.

A file may be missing from a merge only when one side deleted it and the other left it as it was. Git follows
renames, so a clean merge can also move what the other side wrote, or drop it. Such a merge is refused by
name, and the task is sent back to the merged tree.
"""

from collections.abc import Iterable
from typing import NamedTuple

from signoff.domain.machine.trees import ChangeKind, PathChange


class Side(NamedTuple):
    """One side of a merge."""

    changes: tuple[PathChange, ...]
    """The changes of this side to the common base."""
    to_merged: tuple[PathChange, ...]
    """The changes from this side to the merge."""


def deleted(changes: Iterable[PathChange]) -> frozenset[str]:
    """Return the paths that are deleted."""
    return frozenset(change.path for change in changes if change.kind is ChangeKind.DELETED)


def lost_files(ours: Side, theirs: Side) -> tuple[str, ...]:
    """Return the paths that one side has, the merge lacks, and the other side was not free to delete."""
    return tuple(sorted({*_lost(ours, theirs), *_lost(theirs, ours)}))


def _lost(side: Side, other: Side) -> frozenset[str]:
    touched = frozenset(change.path for change in side.changes)
    return deleted(side.to_merged) - (deleted(other.changes) - touched)
