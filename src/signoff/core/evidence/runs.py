"""What a log or a report shows of one run of one tool.

Pure. The modules of the runners make these; `verdicts` weighs them against the claim.
"""

from enum import StrEnum

from signoff.domain.receipts import Counts
from signoff.domain.record import Record


class Claim(StrEnum):
    """What kind of run is spoken of."""

    BUILD = "build"
    TEST = "test"
    LINT = "lint"


class Status(StrEnum):
    """How the run is said to have ended."""

    PASSED = "passed"
    FAILED = "failed"


class End(StrEnum):
    """How a run did end, by its own words."""

    GREEN = "green"
    RED = "red"
    EMPTY = "empty"
    """It found nothing to run or to check."""
    SKIPPED = "skipped"
    """Everything it found was skipped."""
    CUT = "cut"
    """It began, and the end is not there; or the end is there without what it sums up."""
    TORN = "torn"
    """Its own figures do not go together."""
    SILENT = "silent"
    """It was called, and says nothing when it succeeds."""


class Run(Record, frozen=True, kw_only=True):
    """One run of one tool."""

    runner: str
    kinds: tuple[Claim, ...]
    """What it can be evidence of."""
    end: End
    counts: Counts = Counts()
    line: int = 0
    """The last line of its summary; what comes after is no longer its output."""
    detail: str = ""
    is_one_line: bool = False
    """Its success is one line that anybody can write, without the run that it sums up."""
    unlisted: int = 0
    """How many tests a report counts beyond those that it lists."""


TESTS = (Claim.TEST,)


def ended(counts: Counts) -> End:
    """Tell from the counts of a complete and consistent run how it ended."""
    if counts.failed or counts.errors:
        return End.RED
    if counts.passed:
        return End.GREEN
    return End.SKIPPED if counts.skipped else End.EMPTY


def total(runs: "tuple[Run, ...]") -> Counts:
    """Add up the counts of several runs."""
    return Counts(
        collected=sum(run.counts.collected for run in runs),
        passed=sum(run.counts.passed for run in runs),
        failed=sum(run.counts.failed for run in runs),
        errors=sum(run.counts.errors for run in runs),
        skipped=sum(run.counts.skipped for run in runs),
    )


def number(digits: str) -> int:
    """Give a count as it stands in a log; nothing there counts beyond nine digits."""
    return int(digits[-9:])
