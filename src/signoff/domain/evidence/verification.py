"""What running a contract's checks here and now gave: the content of `verification.json`. Pure records."""

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, Digest, TaskId, TreeId
from signoff.domain.evidence.receipts import FailureReason, Receipt, Result
from signoff.domain.work.clauses import ClauseKind


class Tails(Record, frozen=True, kw_only=True):
    """The last of what a program said."""

    stdout: str = ""
    stderr: str = ""


class VerifiedClause(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One clause and what its check showed. Every key is written."""

    id: ClauseId
    task: TaskId | None
    text: str
    result: Result
    failure_reason: FailureReason | None
    detail: str
    receipt: Receipt
    output: Tails | None = None
    """For a check that did not pass."""


class ReviewItem(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A clause that no command here could show, so a person or a reviewer must look."""

    id: ClauseId
    kind: ClauseKind
    text: str
    why: str


class Verification(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The results of one contract on one tree."""

    version: int = 1
    verification_result: Result
    contract: Digest
    """Digest of the contract the checks were taken from."""
    tree: TreeId
    """The files the checks ran on. Results say nothing about any other tree."""
    task: TaskId | None = None
    """Set where only the checks of one task ran."""
    base: TreeId | None = None
    """The tree that non-goals were compared with."""
    started_at: str
    ended_at: str
    clauses: tuple[VerifiedClause, ...]
    needs_review: tuple[ReviewItem, ...] = ()
    unreadable: tuple[str, ...] = ()
    """Files that could not be made part of the tree. With any of them nothing passes."""
    changed: tuple[str, ...] = ()
    """Files that had changed by the time the checks had run. Unless they are new, nothing passes."""
