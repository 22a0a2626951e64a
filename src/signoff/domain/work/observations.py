"""What a verdict is computed from: one check, seen once. This much of a receipt is in the journal. Pure."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, Digest, TreeId


class Place(StrEnum):
    """The tree on which something must hold, or is looked at. The engine builds all of them."""

    FINAL = "final"
    BASE = "base"
    BASE_WITH_TESTS = "base+tests"
    """The base with the new and changed tests laid over it."""
    FINAL_WITH_BASE_TESTS = "final+base-tests"
    """The result with the base's own tests, as they were, and without the new ones."""
    TASK = "task"
    """What one task handed in, before the merge. It steers the work and is evidence of nothing."""


class Result(StrEnum):
    """The outcome of a check. `PARTIAL` means it could not be run or read, never that it half passed."""

    PASS = "pass"  # noqa: S105 - a result, not a password
    FAIL = "fail"
    PARTIAL = "partial"


class FailureReason(StrEnum):
    """The closed list of reasons, so that analytics never parse prose."""

    TSC_FAILED = "tsc-failed"
    LINT_FAILED = "lint-failed"
    TESTS_FAILED = "tests-failed"
    BUILD_FAILED = "build-failed"
    CRITERIA_UNMET = "verification-criteria-unmet"
    EVIDENCE_MISSING = "verification-evidence-missing"
    EXECUTION_ERROR = "verification-execution-error"
    FILE_NOT_FOUND = "file-not-found"
    DEPENDENCY_MISSING = "dependency-missing"
    LOCK_TIMEOUT = "lock-timeout"
    NETWORK_ERROR = "network-error"
    RATE_LIMITED = "rate-limited"
    CONTEXT_OVERFLOW = "context-overflow"
    TOOL_MISUSE = "tool-misuse"
    PRECONDITION_UNMET = "precondition-unmet"
    UNKNOWN = "unknown"


class Counts(Record, frozen=True, kw_only=True):
    """What a test report counted."""

    collected: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0


class Observation(Record, frozen=True, kw_only=True):
    """The facts of a check that a verdict is computed from, as the journal holds them."""

    clause: ClauseId
    place: Place
    tree: TreeId
    result: Result
    failure_reason: FailureReason | None = None
    detail: str = ""
    """One short line for a person, never parsed."""
    exit_code: int | None = None
    counts: Counts | None = None
    report: Digest | None = None
    """The blob of the `TestReport`, for checks that compare reports."""
    contract: Digest | None = None
    """The contract the clause stands in, or None for a gate of the project on the base."""
