"""What is known of a merge before it is made. Pure records."""

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, TaskId


class MergeCandidate(Record, frozen=True, kw_only=True):
    """A task's commit that waits to be merged."""

    task: TaskId
    commit: CommitId


class PredictedConflict(Record, frozen=True, kw_only=True):
    """A candidate that does not go together with what stands before it."""

    task: TaskId
    beside: tuple[TaskId, ...] = ()
    """The tasks that touched the same paths and come first."""
    conflicts: tuple[str, ...] = ()
    """Paths that both sides wrote."""
    lost: tuple[str, ...] = ()
    """Paths that the merge would take away, although it has no right to."""


class Forecast(Record, frozen=True, kw_only=True):
    """Every candidate that cannot be merged, in the order in which they were tried."""

    conflicts: tuple[PredictedConflict, ...]
