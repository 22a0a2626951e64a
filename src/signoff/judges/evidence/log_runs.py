"""What a log or a report shows of one run of one tool.

Pure. The readers of logs and reports make these records; `verdicts` weighs them against the claim.
"""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.evidence.receipts import Counts


class Claim(StrEnum):
    """The kind of run that is claimed."""

    BUILD = "build"
    TEST = "test"
    LINT = "lint"


class LogStatus(StrEnum):
    """How the run is claimed to have ended."""

    PASSED = "passed"
    FAILED = "failed"


class RunEnding(StrEnum):
    """How a run ended by its own words."""

    GREEN = "green"
    RED = "red"
    EMPTY = "empty"
    """It found nothing to run or to check."""
    SKIPPED = "skipped"
    """Everything it found was skipped."""
    CUT = "cut"
    """It began and its end is missing, or the end is there without what it sums up."""
    TORN = "torn"
    """Its own figures contradict each other."""
    SILENT = "silent"
    """It was called, and prints nothing when it succeeds."""


class Run(Record, frozen=True, kw_only=True):
    """One run of one tool."""

    runner: str
    kinds: tuple[Claim, ...]
    """What it can be evidence of."""
    end: RunEnding
    counts: Counts = Counts()
    line: int = 0
    """The last line of its summary. What comes after is no longer its output."""
    detail: str = ""
    is_one_line: bool = False
    """Its success is one line that anybody can write, without the run that it sums up."""
    unlisted: int = 0
    """How many tests a report counts beyond those that it lists."""


TESTS = (Claim.TEST,)


def ended(counts: Counts) -> RunEnding:
    """Return how a complete and consistent run ended, by its counts."""
    if counts.failed or counts.errors:
        return RunEnding.RED
    if counts.passed:
        return RunEnding.GREEN
    return RunEnding.SKIPPED if counts.skipped else RunEnding.EMPTY


def total(runs: "tuple[Run, ...]") -> Counts:
    """Add up the counts of several runs."""
    names = ("collected", "passed", "failed", "errors", "skipped")
    return Counts(**{name: sum(getattr(run.counts, name) for run in runs) for name in names})


def number(digits: str) -> int:
    """Return a count as it stands in a log. Only its last nine digits are read."""
    return int(digits[-9:])
