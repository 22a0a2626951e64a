"""What a host's agent hands in, slice by slice, as it is asked for. Pure records.

A slice may hold more. What is listed here is looked at, and never counts as a verdict of the engine.
"""

from enum import StrEnum

from signoff.domain.base.record import Record


class RefinedPrompt(Record, frozen=True, kw_only=True):
    """What was made of a prompt: `input.data` gets these two."""

    reconstructed_ac: tuple[str, ...]
    """Acceptance criteria, each something that can be observed."""
    assumptions: tuple[str, ...] = ()


class PlanStep(Record, frozen=True, kw_only=True):
    """One step of a plan."""

    title: str
    why: str = ""


class ClaimedFollowUp(Record, frozen=True, kw_only=True):
    """Something that was left for later."""

    note: str
    anchor: str = ""
    """File and line."""


class StructuredPlan(Record, frozen=True, kw_only=True):
    """A plan as an object."""

    steps: tuple[PlanStep | str, ...]
    followups: tuple[ClaimedFollowUp, ...] = ()


class ChangeClaim(Record, frozen=True, kw_only=True):
    """One file that the host says it changed."""

    path: str
    lines: str = ""
    purpose: str = ""
    kind: str = ""
    """`deleted` for a file that was removed."""


class TestVerdict(StrEnum):
    """How a host says its tests ended."""

    __test__ = False

    SUCCESS = "success"
    FAILED = "failed"
    MIXED = "mixed"


class TestsClaim(Record, frozen=True, kw_only=True):
    """What a host says of its test run. The engine runs the tests itself."""

    __test__ = False

    verdict: TestVerdict
    command: str = ""
    summary: str = ""
    followups: tuple[ClaimedFollowUp, ...] = ()


class ReviewVerdict(StrEnum):
    """How a host says its review ended."""

    SUCCESS = "success"
    BLOCKED = "blocked"
    PARTIAL = "partial"


class ClaimedFinding(Record, frozen=True, kw_only=True):
    """One finding of a review."""

    message: str
    severity: str = ""
    path: str = ""
    line: int | None = None


class ReviewClaim(Record, frozen=True, kw_only=True):
    """What a host says of its review."""

    verdict: ReviewVerdict
    findings: tuple[ClaimedFinding, ...] = ()
    followups: tuple[ClaimedFollowUp, ...] = ()


PlanClaim = str | tuple[PlanStep | str, ...] | StructuredPlan
"""A plan: a text, a list of steps, or an object with `steps`."""
ChangesClaim = tuple[ChangeClaim, ...]
