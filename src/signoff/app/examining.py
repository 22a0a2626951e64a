"""Run one check on one tree and keep its receipt."""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from signoff.app.guarding import bar_findings
from signoff.app.job import Job
from signoff.app.predicates import judge_predicate
from signoff.app.receipts import compared, in_one_line, keep_receipt
from signoff.core.canonical import digest
from signoff.core.check_kinds import Examiner, examiner_of, project_command
from signoff.core.scope import outside_scope
from signoff.core.secret_scan import scan_added_lines
from signoff.core.test_reports import broken_as_written, compare, new_ids, red_green
from signoff.domain.checks import (
    Behavioral,
    CommandExit,
    DiffPredicate,
    FileExists,
    GrepMatch,
    Place,
    ProtectedPaths,
    RedGreen,
    RunGate,
    RunTests,
    Scope,
    SecretScan,
    SomethingChanged,
    TestIntegrity,
)
from signoff.domain.effects import RunCheck
from signoff.domain.findings import Finding
from signoff.domain.ids import Digest
from signoff.domain.orders import CheckOrder
from signoff.domain.outcomes import Checked
from signoff.domain.ports import CheckSeen
from signoff.domain.receipts import FailureReason, Result, TestReport
from signoff.flows.view import View, baseline_key

_LOCKFILES = (
    "package-lock.json",
    "uv.lock",
    "poetry.lock",
    "requirements.txt",
    "pnpm-lock.yaml",
    "yarn.lock",
)


def examine(job: Job, effect: RunCheck) -> Checked | None:
    """Run the check on a materialised tree; None when the run was stopped meanwhile."""
    match examiner_of(effect.check):
        case Examiner.RUNNER:
            with job.kit.repository.materialise(effect.tree, job.settings.checks.carry) as folder:
                seen = job.kit.checks.run(_order(job, effect, folder))
            return None if seen is None else _kept(job, effect, seen)
        case Examiner.DIFF:
            order = _order(job, effect, job.kit.root)
            kit = job.kit
            receipt = judge_predicate(kit.repository, kit.checks, kit.clock, order, effect.base)
            return (
                None
                if receipt is None
                else keep_receipt(job.folder, CheckSeen(receipt), is_replay=job.is_replay)
            )
        case Examiner.COMPARISON:
            return keep_receipt(
                job.folder,
                CheckSeen(compared(effect, _findings(job, effect), job.kit.clock.now())),
                is_replay=job.is_replay,
            )


def recover_examination(job: Job, effect: RunCheck) -> Checked | None:
    """Adopt a check that had finished when its driver died."""
    match examiner_of(effect.check):
        case Examiner.RUNNER:
            if not job.kit.checks.was_started(_order(job, effect, "")):
                return None
            with job.kit.repository.materialise(effect.tree, job.settings.checks.carry) as folder:
                seen = job.kit.checks.recover(_order(job, effect, folder))
            return None if seen is None else _kept(job, effect, seen)
        case Examiner.DIFF:
            # Nothing of it is worth adopting; a search that still runs is ended all the same.
            order = _order(job, effect, job.kit.root)
            if job.kit.checks.was_started(order):
                job.kit.checks.recover(order)
            return None
        case Examiner.COMPARISON:
            return None


def _kept(job: Job, effect: RunCheck, seen: CheckSeen) -> Checked:
    return keep_receipt(job.folder, _with_every_test(job, effect, seen), is_replay=job.is_replay)


def _with_every_test(job: Job, effect: RunCheck, seen: CheckSeen) -> CheckSeen:
    """Hold the report of a further check against the base's: a pass over fewer tests is none."""
    was = seen.receipt.observation
    if project_command(effect.check) is None or seen.report is None or was.result is not Result.PASS:
        return seen
    view = View(job.state(), job.folder.blobs.get)
    before = view.observed(baseline_key(effect.clause))
    if effect.place is not Place.FINAL or before is None or before.report is None:
        return seen
    contract = view.contract()
    base = msgspec.json.decode(job.folder.blobs.get(before.report), type=TestReport)
    lost = compare(base, seen.report, contract.spec_changes if contract else ())
    if not lost:
        return seen
    reason, detail = FailureReason.TESTS_FAILED, in_one_line(lost)
    now = replace(was, result=Result.FAIL, failure_reason=reason, detail=detail)
    return seen._replace(receipt=replace(seen.receipt, observation=now))


def _order(job: Job, effect: RunCheck, folder: str) -> CheckOrder:
    settings = job.settings.checks
    facts = View(job.state(), job.folder.blobs.get).facts()
    return CheckOrder(
        key=effect.key,
        clause=effect.clause,
        check=effect.check,
        place=effect.place,
        tree=effect.tree,
        contract=effect.contract,
        folder=folder,
        logs=job.folder.log_path(effect.key),
        timeout_s=settings.timeout_s,
        test_command=facts.commands.get("test", ()) if facts else (),
        test_report=settings.test_report,
        carried=_lockfiles(job, effect) if settings.carry else {},
        citations=effect.citations,
        sandbox=job.settings.sandbox,
    )


def _lockfiles(job: Job, effect: RunCheck) -> dict[str, Digest]:
    found = {name: job.kit.repository.read(effect.tree, name) for name in _LOCKFILES}
    return {name: digest(data) for name, data in found.items() if data is not None}


def _findings(job: Job, effect: RunCheck) -> tuple[Finding, ...] | None:
    repository = job.kit.repository
    changes = repository.changes(effect.base, effect.tree)
    check = effect.check
    match check:
        case SomethingChanged():
            return () if changes else (Finding(code="nothing-changed", message="nothing was changed"),)
        case Scope():
            return outside_scope(changes, check.allowed)
        case ProtectedPaths():
            return bar_findings(job, effect.base, effect.tree, changes)
        case SecretScan():
            return scan_added_lines(repository.diff(effect.base, effect.tree))
        case TestIntegrity() | RedGreen():
            return _compare_reports(job, effect, check)
        case FileExists() | GrepMatch() | CommandExit() | Behavioral() | RunTests() | RunGate():
            raise AssertionError(f"{effect.clause} is not a comparing check")
        case DiffPredicate():
            raise AssertionError(f"{effect.clause} is not a comparing check")
        case _:
            assert_never(check)


def _compare_reports(
    job: Job, effect: RunCheck, check: TestIntegrity | RedGreen
) -> tuple[Finding, ...] | None:
    if not effect.reports:
        return None
    base, final, laid, *old = (
        msgspec.json.decode(job.folder.blobs.get(report), type=TestReport) for report in effect.reports
    )
    match check:
        case TestIntegrity():
            broken = broken_as_written(base, old[0], check.permitted) if old else ()
            return (*compare(base, final, check.permitted), *broken)
        case RedGreen():
            return red_green(laid, final, new_ids(base, final), check.guards)
