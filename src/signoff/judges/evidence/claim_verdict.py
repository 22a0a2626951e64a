"""Judge a claim about a build, test or lint run by its log and report.

Pure. `signoff evidence check` and the gate ask `judge`. Success must be shown: anything missing, cut,
contradictory or unknown is a "no" with its reason. A report outranks the text, and cannot talk away a
failure that the text shows.
"""

from enum import StrEnum

from msgspec.structs import replace

from signoff.domain.base.record import Record
from signoff.domain.evidence.receipts import Counts
from signoff.judges.evidence import failure_marks, foreign_lines
from signoff.judges.evidence.build_logs import read_tools
from signoff.judges.evidence.log_interpreter import read_runs
from signoff.judges.evidence.log_lines import LogLine, ReadableLog, read_log
from signoff.judges.evidence.log_runs import Claim, LogStatus, Run, RunEnding, total
from signoff.judges.evidence.runner_reports import looks_like_report, read_report
from signoff.judges.evidence.runner_table import RUNNERS, without_captured

_LONGEST_SHOWN = 160


class Reason(StrEnum):
    """Why the evidence shows, or does not show, what is claimed."""

    BORNE_OUT = "borne-out"
    MISSING = "missing"
    """There is no such file."""
    EMPTY = "empty"
    NOT_READABLE = "not-readable"
    """No text, too large, or a report that cannot be read in full."""
    UNKNOWN_RUNNER = "unknown-runner"
    """It cannot be judged: no tool known here can be told from it."""
    WRONG_KIND = "wrong-kind"
    """A run of another kind than the claim."""
    TRUNCATED = "truncated"
    CONTRADICTORY = "contradictory"
    ZERO_COLLECTED = "zero-collected"
    ALL_SKIPPED = "all-skipped"
    FAILURE_MARKED = "failure-marked"
    NO_FAILURE = "no-failure"
    """A failure is claimed, and all is green."""


class ClaimJudgement(Record, frozen=True, kw_only=True):
    """Whether the evidence shows what is claimed."""

    ok: bool
    reason: Reason
    message: str
    counts: Counts = Counts()
    runner: str | None = None
    source: str = "log"
    line: int | None = None


_WORST_FIRST = {
    RunEnding.TORN: (Reason.CONTRADICTORY, "contradicts itself"),
    RunEnding.RED: (Reason.FAILURE_MARKED, "reports a failure"),
    RunEnding.CUT: (Reason.TRUNCATED, "is cut off"),
    RunEnding.EMPTY: (Reason.ZERO_COLLECTED, "ran nothing"),
    RunEnding.SKIPPED: (Reason.ALL_SKIPPED, "skipped everything"),
    RunEnding.SILENT: (
        Reason.UNKNOWN_RUNNER,
        "says nothing when it succeeds, as if it never ran; a report file would settle it",
    ),
}
"""The endings that are no success, with their reasons and their words for a message."""


def judge(claim: Claim, status: LogStatus, log: bytes | None, report: bytes | None = None) -> ClaimJudgement:
    """Judge whether log and report show that a run of this kind ended so. None is a missing file.

    A report decides where there is one, and the log may only speak against it. Without a report the log must
    show a complete run of a known tool.
    """
    if log is None:
        return _no(Reason.MISSING, "there is no log")
    told = None if report is None else read_report(report)
    if isinstance(told, str):
        return _no(Reason.NOT_READABLE, f"the report cannot be read: {told}", source="report")
    if told is None and looks_like_report(log):
        own = read_report(log)
        if isinstance(own, Run):
            return _by_report(claim, status, own, None)
    read = read_log(log)
    if isinstance(read, str):
        return _no(Reason.NOT_READABLE, f"the log cannot be read: {read}")
    read = read._replace(lines=without_captured(read.lines))
    if told is not None:
        return _by_report(claim, status, told, read)
    if not any(line.text for line in (*read.lines, *read.quoted)):
        return _no(Reason.EMPTY, "the log is empty, and an empty log shows nothing")
    found = _runs(read)
    runs = tuple(run for run in found if claim in run.kinds)
    if any(run.end is not RunEnding.SILENT for run in runs):
        runs = tuple(run for run in runs if run.end is not RunEnding.SILENT)
    if not runs:
        return _not_found(claim, found, read)
    verdict = _weighed(claim, status, runs, source="log")
    return _marked(read, runs, verdict) if verdict.ok and status is LogStatus.PASSED else verdict


def _no(
    reason: Reason, message: str, run: Run | None = None, source: str = "log", line: int = 0
) -> ClaimJudgement:
    return ClaimJudgement(
        ok=False,
        reason=reason,
        message=message,
        counts=run.counts if run else Counts(),
        runner=(run.runner if run else "") or None,
        source=source,
        line=line or None,
    )


# --- the report decides ---


def _by_report(claim: Claim, status: LogStatus, told: Run, log: ReadableLog | None) -> ClaimJudgement:
    if claim not in told.kinds:
        return _no(Reason.WRONG_KIND, f"the report is not of a {claim} run", told, source="report")
    against = _unlisted(told, log) or (_against(claim, told, log) if log else "")
    if against:
        return _no(Reason.CONTRADICTORY, against, told, source="report")
    return _weighed(claim, status, (told,), source="report")


def _unlisted(told: Run, log: ReadableLog | None) -> str:
    """Return the contradiction of a report that lists fewer tests than it counts, or an empty text.

    pytest counts subtests that it does not list: there the log shows as many tests as are listed.
    """
    runs = _runs(log) if log else ()
    is_shown = any(run.runner == "pytest" and run.counts == told.counts for run in runs)
    if not told.unlisted or told.end is RunEnding.RED or is_shown:
        return ""
    listed = told.counts.collected
    return f"the report lists {listed} tests and counts {told.unlisted} more"


def _against(claim: Claim, told: Run, log: ReadableLog) -> str:
    """Return how the log contradicts the report, or an empty text. A log that shows no run does not."""
    runs = tuple(run for run in _runs(log) if claim in run.kinds)
    if told.end is RunEnding.GREEN:
        if any(run.end is RunEnding.RED for run in runs):
            return "the report is green, and the log reports a failure"
        if mark := failure_marks.failure_mark((*log.lines, *log.quoted)):
            return f"the report is green, and line {mark.number} of the log says: {_shown(mark)}"
        # How the numbers of passed tests differ between the report and every run of the log.
        counted = [
            run for run in runs if run.end is RunEnding.GREEN and run.counts.passed and not run.is_one_line
        ]
        passed = [run.counts.passed for run in counted]
        if not counted or told.counts.passed in (*passed, sum(passed)):
            return ""
        return f"{told.counts.passed} passed by the report, and {sum(passed)} by the log"
    if told.end is RunEnding.RED and runs and all(run.end is RunEnding.GREEN for run in runs):
        return "the report has failures, and the log is green"
    return ""


# --- the log decides ---


def _runs(log: ReadableLog) -> tuple[Run, ...]:
    tests = (run for runner in RUNNERS for run in read_runs(runner, log.lines))
    return (*tests, *read_tools(log.lines))


def _not_found(claim: Claim, found: tuple[Run, ...], log: ReadableLog) -> ClaimJudgement:
    if found:
        if (
            claim is Claim.LINT
            and all(run.runner == "cargo" for run in found)
            and any(line.text.lstrip().startswith("Checking ") for line in log.lines)
        ):
            message = "cargo check and cargo clippy print the same; show the command in the log"
            return _no(Reason.UNKNOWN_RUNNER, message, found[0])
        names = ", ".join(dict.fromkeys(run.runner for run in found))
        return _no(Reason.WRONG_KIND, f"this is output of {names}, which is no {claim} run", found[0])
    if mark := failure_marks.failure_mark(log.lines):
        return _no(Reason.FAILURE_MARKED, f"line {mark.number}: {_shown(mark)}", line=mark.number)
    if mark := failure_marks.missing_mark(log.lines):
        return _no(Reason.TRUNCATED, f"line {mark.number}: {_shown(mark)}", line=mark.number)
    message = f"no {claim} tool can be told from this log, so it could not be judged"
    return _no(Reason.UNKNOWN_RUNNER, f"{message}; a report file would settle it")


def _marked(log: ReadableLog, runs: tuple[Run, ...], verdict: ClaimJudgement) -> ClaimJudgement:
    """Look for anything that speaks against a run that calls itself green."""
    everything = (*log.lines, *log.quoted)
    last = max(run.line for run in runs)
    for reason, mark in (
        (Reason.FAILURE_MARKED, failure_marks.failure_mark(everything)),
        (Reason.TRUNCATED, failure_marks.missing_mark(everything)),
        (Reason.FAILURE_MARKED, failure_marks.mark_below(everything, last)),
        (Reason.UNKNOWN_RUNNER, failure_marks.echoed(everything)),
    ):
        if mark:
            message = f"line {mark.number}: {_shown(mark)}"
            return replace(verdict, ok=False, reason=reason, message=message, line=mark.number)
    # Believe a success of one line only among lines of tools: beside prose it may be prose.
    one = next((run for run in runs if run.is_one_line), None)
    stranger = foreign_lines.first_stranger(log) if one else None
    if one is None or stranger is None:
        return verdict
    message = (
        f"line {stranger.number} is of no tool known here, and {one.runner} says in one line what anybody "
        f"could write: give its output alone, or a report file: {_shown(stranger)}"
    )
    return replace(verdict, ok=False, reason=Reason.UNKNOWN_RUNNER, message=message, line=stranger.number)


def _shown(line: LogLine) -> str:
    text = line.text.strip()
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


# --- weighing ---


def _weighed(claim: Claim, status: LogStatus, runs: tuple[Run, ...], source: str) -> ClaimJudgement:
    """Judge the claim by how its runs ended.

    A failure needs one red run, a success nothing but green ones. Of several reasons against it, the first of
    `_WORST_FIRST` is told.
    """
    names, ends = (
        ", ".join(dict.fromkeys(run.runner for run in runs if run.runner)),
        {run.end for run in runs},
    )
    verdict = ClaimJudgement(
        ok=False,
        reason=Reason.NO_FAILURE,
        message=f"a failure is claimed, and {names} is green",
        counts=total(runs),
        runner=names or None,
        source=source,
    )
    if status is LogStatus.FAILED and RunEnding.RED in ends:
        return replace(verdict, ok=True, reason=Reason.BORNE_OUT, message=f"{names} reports a failure")
    if status is LogStatus.PASSED and ends == {RunEnding.GREEN}:
        message = f"{names} reports a complete {claim} run, green"
        return replace(verdict, ok=True, reason=Reason.BORNE_OUT, message=message)
    if status is LogStatus.PASSED and RunEnding.RED in ends and RunEnding.GREEN in ends:
        message = "one run is green and another reports a failure"
        return replace(verdict, reason=Reason.CONTRADICTORY, message=message)
    worst = next((run for end in _WORST_FIRST for run in runs if run.end is end), None)
    if worst is None:
        return verdict
    reason, words = _WORST_FIRST[worst.end]
    message = f"{worst.runner or 'the run'} {words}" + (f": {worst.detail}" if worst.detail else "")
    return replace(verdict, reason=reason, message=message, line=worst.line or None)
