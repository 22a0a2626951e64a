"""What the engine saw when it ran a check. Pure records."""

from enum import StrEnum

from signoff.domain.checks import Place
from signoff.domain.ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.processes import Stream
from signoff.domain.record import Record


class Result(StrEnum):
    """The outcome of a check; `PARTIAL` means it could not be run or read, never that it half passed."""

    PASS = "pass"  # noqa: S105 - a result, not a password
    FAIL = "fail"
    PARTIAL = "partial"


class FailureReason(StrEnum):
    """The closed list of reasons; analytics never parse prose."""

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


class CaseOutcome(StrEnum):
    """How one test ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


class TestCase(Record, frozen=True, kw_only=True):
    """One test of a report."""

    __test__ = False

    id: str
    outcome: CaseOutcome


class TestReport(Record, frozen=True, kw_only=True):
    """A runner's own report, read by id."""

    __test__ = False

    cases: tuple[TestCase, ...]


class Observation(Record, frozen=True, kw_only=True):
    """The facts of a check that a verdict is computed from; this much is in the journal."""

    clause: ClauseId
    place: Place
    tree: TreeId
    result: Result
    failure_reason: FailureReason | None = None
    detail: str = ""
    """One short line for a person; never parsed."""
    exit_code: int | None = None
    counts: Counts | None = None
    report: Digest | None = None
    """The blob of the `TestReport`, for checks that compare reports."""
    contract: Digest | None = None
    """The contract the clause stands in; None for a gate of the project on the base."""


class Receipt(Record, frozen=True, kw_only=True):
    """One observation with everything that was measured around it: `receipts/<key>.json`."""

    key: EffectKey
    observation: Observation
    contract: Digest | None
    argv: tuple[str, ...] = ()
    cwd: str = "."
    started_at: str = ""
    ended_at: str = ""
    duration_ms: int = 0
    stdout: Stream | None = None
    stderr: Stream | None = None
    sandbox: str = "none"
    """The level of confinement the check ran under."""
    carried: dict[str, Digest] = {}
    """Lockfiles that say what the carried dependency folders hold."""
