"""What the judge says. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, EffectKey, TreeId


class Standing(StrEnum):
    """Where one clause stands. Only `PROVEN` and `WAIVED` let a delivery through."""

    PROVEN = "proven"
    WAIVED = "waived"
    FAILED = "failed"
    VACUOUS = "vacuous"
    """It passes on the base already, so its pass says nothing about the change."""
    UNPROVEN = "unproven"
    """Nothing on the right tree shows it."""
    NOT_JUDGED = "could-not-be-judged"
    """The check could not run or its output could not be read."""


class VerdictOutcome(StrEnum):
    """The whole in one word."""

    SIGNED_OFF = "signed-off"
    REFUSED = "refused"
    NOT_JUDGED = "could-not-be-judged"


class Trees(Record, frozen=True, kw_only=True):
    """The three trees of a run, None for one that was never built."""

    base: TreeId
    final: TreeId | None = None
    base_with_tests: TreeId | None = None


class Objection(Record, frozen=True, kw_only=True):
    """A finding that stands, about one clause on one tree. It can lower a clause, never raise one."""

    clause: ClauseId
    tree: TreeId
    why: str


class ClauseVerdict(Record, frozen=True, kw_only=True):
    """One row of the matrix."""

    clause: ClauseId
    standing: Standing
    why: str
    receipts: tuple[EffectKey, ...] = ()
    required: bool = True


class Verdict(Record, frozen=True, kw_only=True):
    """Computed from contract, receipts and tree ids, and from nothing else."""

    outcome: VerdictOutcome
    trees: Trees
    clauses: tuple[ClauseVerdict, ...]
