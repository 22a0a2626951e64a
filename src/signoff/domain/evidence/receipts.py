"""What the engine saw when it ran a check. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import Digest, EffectKey
from signoff.domain.machine.process_records import Stream
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.work.observations import Counts as Counts
from signoff.domain.work.observations import FailureReason as FailureReason
from signoff.domain.work.observations import Observation as Observation
from signoff.domain.work.observations import Result as Result


class CaseOutcome(StrEnum):
    """How one test ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


class ReportedTest(Record, frozen=True, kw_only=True):
    """One test of a report."""

    __test__ = False

    id: str
    outcome: CaseOutcome


class TestReport(Record, frozen=True, kw_only=True):
    """A runner's own report, read by id."""

    __test__ = False

    cases: tuple[ReportedTest, ...]


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
    sandbox: Level = Level.NONE
    """The confinement its program ran under. `none` is also written if the check ran no program."""
    carried: dict[str, Digest] = {}
    """Lockfiles that say what the copied dependency folders hold."""
