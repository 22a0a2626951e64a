"""`tests`: the project's test command, judged by its report and its exit code together.

Neither is believed alone: a report without the exit code may be forged or old, an exit code without the
report may be of a run that collected nothing. Wording is never read.
"""

import contextlib
import os
import re
import stat

from signoff.checks.base import (
    CheckJudgement,
    CheckTools,
    Escape,
    Ran,
    Unfinished,
    beneath,
    could_not_run,
    failed,
    inside,
    passed,
)
from signoff.checks.command import launch, missing_module, not_on_this_machine, where_to_look
from signoff.checks.report_options import TestRunner, recognise, reporting_argv
from signoff.domain.evidence.receipts import CaseOutcome, FailureReason, TestReport
from signoff.domain.work.checks import RunTests
from signoff.host.files.durable_files import remove_tree, write_atomic
from signoff.judges.test_results.report_comparison import counts, covers, parse_junit
from signoff.text.formats.junit_xml import ReportFault, UnreadableReport
from signoff.text.redaction import MARK, redact, redaction

_REPORT_LIMIT = 64 * 1024 * 1024
_NOTHING_COLLECTED = 5
"""The exit code of pytest when it collected nothing."""
_USAGE = 4
_XML_TEXT = re.compile(rb"""[^<>"']+""")
"""What lies between the delimiters of XML. No secret has one inside."""


def tests(bench: CheckTools, check: RunTests) -> CheckJudgement:
    """Check that every test that was collected passes, and that every selected item was collected."""
    runner = recognise(bench.order.test_command)
    if problem := _unusable(bench, runner, check.select):
        return problem
    left_in_tree = _report_in_tree(bench, runner)
    if isinstance(left_in_tree, Escape):
        return could_not_run(left_in_tree.detail)
    report, drop = bench.log(".xml"), bench.log(".drop")
    left = os.path.join(drop, "report.xml")
    argv = reporting_argv(runner, bench.order.test_command, check.select, bench.order.folder, left)
    if not bench.is_recovery:
        # The one folder beside the tree that a test run may write to. It may not write to our own logs.
        remove_tree(drop)
        os.makedirs(drop)
    try:
        ran = launch(bench, argv, bench.order.timeout_s, stale=(report, *left_in_tree), writable=(drop,))
    finally:  # however it ended
        _take(left, report)
        remove_tree(drop)
    if isinstance(ran, CheckJudgement):
        return ran
    if left_in_tree and not bench.is_recovery:
        keep_report(bench, bench.order.test_report or "", report)
    return _judge(bench, ran, runner, check.select)


def _unusable(bench: CheckTools, runner: TestRunner, select: tuple[str, ...]) -> CheckJudgement | None:
    """Return why this run cannot be judged, or its judgement, before it begins. None lets it begin.

    The selection comes from a plan: each item must be a file or a test, in a form that this runner takes.
    """
    folder = bench.order.folder
    if not bench.order.test_command:
        return could_not_run("no test command is known")
    if problem := not_on_this_machine(bench, bench.order.test_command):
        return problem
    if runner is TestRunner.OTHER and bench.order.test_report is None:
        return could_not_run("the runner gives no report we can read")
    if runner is TestRunner.OTHER and select:
        return could_not_run("we do not know how to narrow this runner to a selection")
    for item in select:
        path = beneath(folder, item.split("::")[0])
        if item.startswith("-") or isinstance(path, Escape):
            return could_not_run(f"{item!r} is neither a file nor a test")
        if "::" in item and runner is not TestRunner.PYTEST:
            return could_not_run(f"{runner} takes files, not single tests such as {item!r}")
        if runner is TestRunner.NODE and not os.path.exists(path):  # it would end without a report
            return failed(f"{item} is not in the tree", FailureReason.TESTS_FAILED)
    return None


def _report_in_tree(bench: CheckTools, runner: TestRunner) -> tuple[str, ...] | Escape:
    """Return where the command itself leaves its report. Nothing for runners that are told where."""
    named = bench.order.test_report
    if runner is not TestRunner.OTHER or named is None:
        return ()
    path = inside(bench.order.folder, named)
    return path if isinstance(path, Escape) else (path,)


def keep_report(bench: CheckTools, named: str, copy: str) -> None:
    """Copy the report out of the tree, which is thrown away: recovery reads the copy alone."""
    path = inside(bench.order.folder, named)  # again: a link may be there by now
    if isinstance(path, str):
        with contextlib.suppress(OSError):
            write_atomic(copy, _redact(_read(path)))


def _take(left: str, report: str) -> None:
    """Take over the report that a runner left, without secrets. A link in its place is not followed."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if stat.S_ISREG(os.lstat(left).st_mode):
            write_atomic(report, _redact(_read(left)))


def _redact(xml: bytes) -> bytes:
    """Redact text alone: the begin of a key in one case and its end in another must not swallow both."""
    if redact(xml) == xml:
        return xml
    found = re.compile(redaction().pattern)
    return found.sub(lambda match: _XML_TEXT.sub(lambda text: found.sub(MARK, text[0]), match[0]), xml)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_REPORT_LIMIT + 1)


def _judge(bench: CheckTools, ran: Ran, runner: TestRunner, select: tuple[str, ...]) -> CheckJudgement:
    report = read_report(bench)
    if isinstance(report, TestReport):
        judgement = judge_report(ran, report, select, is_pytest=runner is TestRunner.PYTEST)
        return judgement._replace(report=report)
    if bench.is_recovery:
        raise Unfinished  # a slip is durable and a report need not be: better run again than conclude
    if report is None:
        return _judge_without_report(bench, ran, runner)
    return could_not_run(f"the report is {fault_of(report)}", ran=ran)


def fault_of(report: UnreadableReport) -> str:
    """Return what is wrong in words that are equal in every run, so without a parser's line and column."""
    return report.fault if report.fault is ReportFault.UNPARSABLE else f"{report.fault}: {report.detail}"


def read_report(bench: CheckTools) -> TestReport | UnreadableReport | None:
    """Read the report of this run, or return None if it left no report."""
    try:
        data = _read(bench.log(".xml"))
    except FileNotFoundError:
        return None
    if len(data) > _REPORT_LIMIT:
        return UnreadableReport(ReportFault.UNPARSABLE, f"longer than {_REPORT_LIMIT} bytes")
    return parse_junit(data, bench.ran_in)


def _judge_without_report(bench: CheckTools, ran: Ran, runner: TestRunner) -> CheckJudgement:
    code = ran.outcome.exit_code
    if runner is TestRunner.PYTEST:
        if missing_module(bench, ran.argv):
            return could_not_run("pytest is not installed", FailureReason.DEPENDENCY_MISSING, ran)
        if code == _NOTHING_COLLECTED:
            return failed("no test was collected", FailureReason.TESTS_FAILED, ran)
        if code == _USAGE:
            said = f"pytest could not begin, exit code {code}; {where_to_look(bench)}"
            return failed(said, FailureReason.TESTS_FAILED, ran)
    return could_not_run(f"no report was left, exit code {code}; {where_to_look(bench)}", ran=ran)


def judge_report(ran: Ran, report: TestReport, select: tuple[str, ...], *, is_pytest: bool) -> CheckJudgement:
    """Judge a readable report with the exit code beside it. The first problem below is the one named.

    Neither report nor exit code is believed alone: a pass needs an exit code of 0, no failure listed, and a
    case for every selected test.
    """
    code, seen = ran.outcome.exit_code, counts(report)
    bad = [case.id for case in report.cases if case.outcome in (CaseOutcome.FAILED, CaseOutcome.ERROR)]
    unseen = [item for item in select if not any(covers(item, case.id) for case in report.cases)]
    if not seen.collected or (is_pytest and code == _NOTHING_COLLECTED):
        problem = "no test was collected"
    elif bad and code == 0:
        problem = f"exit code and report disagree: exit code 0, and {len(bad)} failed, first {bad[0]}"
    elif bad:
        problem = f"{len(bad)} of {seen.collected} failed, first {bad[0]}"
    elif code != 0:
        problem = f"exit code and report disagree: exit code {code}, and no failure is listed"
    elif seen.skipped == seen.collected:
        problem = f"every one of {seen.collected} tests was skipped"
    elif unseen:
        problem = f"no test was collected for {unseen[0]}"
    else:
        skipped = f", {seen.skipped} skipped" if seen.skipped else ""
        return passed(f"{seen.passed} passed{skipped}", ran)
    return failed(problem, FailureReason.TESTS_FAILED, ran)
