"""`gate`: a command of the project other than its tests, alone or beside a server of the project."""

import json
import os
import sys

from signoff.checks.base import (
    CheckJudgement,
    CheckTools,
    Escape,
    Ran,
    Unfinished,
    could_not_run,
    failed,
    inside,
    passed,
)
from signoff.checks.command import cannot_begin, launch, missing_module, run_words, where_to_look, words_of
from signoff.checks.tests import fault_of, judge_report, keep_report, read_report
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.work.checks import RunGate
from signoff.domain.work.strategies import ProjectServer, StrategyKind
from signoff.host.processes import project_server
from signoff.text.formats.junit_xml import UnreadableReport

_REASONS = {
    StrategyKind.BUILD: FailureReason.BUILD_FAILED,
    StrategyKind.LINT: FailureReason.LINT_FAILED,
    StrategyKind.TYPECHECK: FailureReason.TSC_FAILED,
    StrategyKind.API: FailureReason.TESTS_FAILED,
    StrategyKind.BROWSER: FailureReason.TESTS_FAILED,
}
_BY_CLAUSE = {"gate/build": FailureReason.BUILD_FAILED, "gate/lint": FailureReason.LINT_FAILED}
_NPX_LACKS = b"npx canceled due to missing packages"
"""What npx says on stderr when it may not install what it is to run."""


def gate(bench: CheckTools, check: RunGate) -> CheckJudgement:
    """Check that the command ends with 0 and that its report, if it writes one, shows no failure.

    A server's failure to start and a module that is not installed say nothing about the work, so they are
    looked for before the exit code is judged.
    """
    left = _report_in_tree(bench, check)
    if isinstance(left, Escape):
        return could_not_run(left.detail)
    stale = (bench.log(".xml"), left) if left else ()
    timeout_s = check.timeout_s or bench.order.timeout_s
    if check.serve:
        ran = _served(bench, check, check.serve, timeout_s, stale)
    else:
        ran = launch(bench, check.argv, timeout_s, stale=stale)
    if isinstance(ran, CheckJudgement):
        return ran
    if left and not bench.is_recovery:
        keep_report(bench, check.report or "", bench.log(".xml"))
    if problem := _nothing_known(bench, check, ran):
        return problem
    if check.report is not None:
        return _by_report(bench, ran)
    if ran.outcome.exit_code == 0:
        return passed("exit code 0", ran)
    return failed(f"exit code {ran.outcome.exit_code}; {where_to_look(bench)}", _reason(bench, check), ran)


def _report_in_tree(bench: CheckTools, check: RunGate) -> str | Escape:
    return inside(bench.order.folder, check.report) if check.report is not None else ""


def _served(
    bench: CheckTools, check: RunGate, server: ProjectServer, timeout_s: float, stale: tuple[str, ...]
) -> Ran | CheckJudgement:
    """Run the command with its server in one process family."""
    for argv in (check.argv, server.argv):
        if problem := cannot_begin(bench.order.folder, argv):
            return problem
    asked = {
        "serve": words_of(bench, server.argv),
        "command": words_of(bench, check.argv),
        "url": server.url,
        "port": server.port,
        "timeout_s": server.timeout_s,
    }
    script = os.path.abspath(project_server.__file__)
    return run_words(bench, (sys.executable, "-I", "-S", script, json.dumps(asked)), timeout_s, stale=stale)


def _nothing_known(bench: CheckTools, check: RunGate, ran: Ran) -> CheckJudgement | None:
    """Return what this machine or the server lacked, or None if the command itself decided."""
    code = ran.outcome.exit_code
    if code == 0:
        return None
    if check.serve and code in project_server.SAID:
        return could_not_run(f"{project_server.SAID[code]}; {where_to_look(bench)}", ran=ran)
    if module := missing_module(bench, check.argv):
        return could_not_run(f"{module} is not installed", FailureReason.DEPENDENCY_MISSING, ran)
    if check.argv[:2] == ("npx", "--no-install"):
        with open(bench.log(".err"), "rb") as file:
            is_missing = _NPX_LACKS in file.read(10_000)
        if is_missing:
            return could_not_run(f"{check.argv[2]} is not installed", FailureReason.DEPENDENCY_MISSING, ran)
    return None


def _by_report(bench: CheckTools, ran: Ran) -> CheckJudgement:
    report = read_report(bench)
    if report is None:
        if bench.is_recovery:
            raise Unfinished  # a slip is durable and a report need not be: better run again than conclude
        code = ran.outcome.exit_code
        return could_not_run(f"no report was left, exit code {code}; {where_to_look(bench)}", ran=ran)
    if isinstance(report, UnreadableReport):
        return could_not_run(f"the report is {fault_of(report)}", ran=ran)
    return judge_report(ran, report, (), is_pytest=False)._replace(report=report)


def _reason(bench: CheckTools, check: RunGate) -> FailureReason:
    if "tsc" in (os.path.basename(word) for word in check.argv):
        return FailureReason.TSC_FAILED
    named = _BY_CLAUSE.get(bench.order.clause, FailureReason.CRITERIA_UNMET)
    return _REASONS.get(check.kind, named)
