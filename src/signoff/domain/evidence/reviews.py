"""What a reviewer hands in, and what triage makes of it. Pure records.

Fields are spelt as in the files. What a list demands of its findings differs, so nearly everything is
optional here, and the rules of `reviews.review_rules` and `reviews.triage_rules` say what must be there.
"""

from enum import StrEnum

from msgspec import field

from signoff.domain.base.record import Record


class Weight(StrEnum):
    """How much a finding matters."""

    BLOCKING = "blocking"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"


class ReproResult(StrEnum):
    """What came of a test written to reproduce a finding."""

    CONFIRMED = "confirmed"
    NOT_REPRODUCED = "not-reproduced"
    INCONCLUSIVE = "inconclusive"


class ReproVerification(Record, frozen=True, kw_only=True):
    """The outcome of one repro test, stamped on its finding."""

    result: ReproResult
    test_ref: str | None = field(name="testRef", default=None)
    """The test as its runner names it."""
    note: str | None = None
    """Why it is inconclusive."""


class ReviewFinding(Record, frozen=True, kw_only=True):
    """One thing a reviewer says is wrong."""

    severity: Weight | None = None
    file: str | None = None
    """Below the root, with forward slashes."""
    line: int | None = None
    issue: str | None = None
    reviewer: str | None = None
    reason: str | None = None
    """Why triage deferred or rejected it."""
    suggestion: str | None = None
    fix: str | None = None
    verification: ReproVerification | None = None


class Review(Record, frozen=True, kw_only=True):
    """One reviewer's answer."""

    approved: bool
    findings: tuple[ReviewFinding, ...]
    reviewer: str | None = None
    summary: str | None = None


class Consensus(Record, frozen=True, kw_only=True):
    """How far the reviewers agreed. Agreement is not truth."""

    verdict: str | None = None
    reviewer_count: int | None = field(name="reviewerCount", default=None)
    """Reviewers that returned. An absent one approves nothing."""
    disagreements: tuple[object, ...] = ()


class Triage(Record, frozen=True, kw_only=True):
    """Every finding of the reviewers, sorted. `approved` follows from the accepted ones."""

    accepted: tuple[ReviewFinding, ...]
    deferred: tuple[ReviewFinding, ...]
    rejected: tuple[ReviewFinding, ...]
    approved: bool
    consensus: Consensus | None = None
