"""Examine the trees of a delivery: run checks on them, lay tests over them, weigh what an evaluator cites.

A check that runs a program goes through the checks room. One that compares is decided by pure functions.
"""

from typing import assert_never

import msgspec
from msgspec.structs import replace

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.run_view import View, baseline_key
from signoff.delivery.examination.cited_lines import weigh
from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.evidence.receipts import FailureReason, Result, TestReport
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.ports import CheckSeen, Repository
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.directives import Evaluation
from signoff.domain.run.effects import LayTests, RunCheck, WeighFindings
from signoff.domain.run.outcomes import Checked, FindingsWeighed, TestsLaid
from signoff.domain.work.check_kinds import Examiner, examiner_of, project_command
from signoff.domain.work.checks import (
    Behavioral,
    CommandExit,
    DeclaredScope,
    DiffPredicate,
    FileExists,
    GrepMatch,
    Place,
    ProtectedPaths,
    RedGreen,
    RunGate,
    RunTests,
    SecretScan,
    SomethingChanged,
    TestIntegrity,
)
from signoff.engine.run.receipt_files import check_order, compared, in_one_line, keep_receipt
from signoff.judges.scope.change_scope import outside_scope
from signoff.judges.scope.non_goal_check import judge_predicate
from signoff.judges.secrets.secret_scan import scan_added_lines
from signoff.judges.test_results.report_comparison import (
    broken_as_written,
    compare,
    is_test_path,
    new_ids,
    red_green,
    was_collected,
)
from signoff.project.detection.protected_changes import gate_programs, protected_changes
from signoff.text.globs import matches_any
from signoff.text.json.canonical import digest

_LOCKFILES = (
    "package-lock.json",
    "uv.lock",
    "poetry.lock",
    "requirements.txt",
    "pnpm-lock.yaml",
    "yarn.lock",
)


def examine(job: DeliveryJob, effect: RunCheck) -> Checked | None:
    """Run the check on a materialised tree. Return None if the run was stopped meanwhile."""
    match examiner_of(effect.check):
        case Examiner.RUNNER:
            with job.kit.repository.materialise(effect.tree, job.settings.checks.carry) as folder:
                seen = job.kit.checks().run(_order(job, effect, folder))
            return None if seen is None else _keep_check(job, effect, seen)
        case Examiner.DIFF:
            order = _order(job, effect, job.kit.root)
            kit = job.kit
            receipt = judge_predicate(kit.repository, kit.checks(), kit.clock, order, effect.base)
            if receipt is None:
                return None
        case Examiner.COMPARISON:
            receipt = compared(effect, _findings(job, effect), job.kit.clock.now())
    return keep_receipt(job.folder, CheckSeen(receipt), is_replay=job.is_replay)


def recover_examination(job: DeliveryJob, effect: RunCheck) -> Checked | None:
    """Adopt a check that had finished when its driver died."""
    match examiner_of(effect.check):
        case Examiner.RUNNER:
            if not job.kit.checks().was_started(_order(job, effect, "")):
                return None
            with job.kit.repository.materialise(effect.tree, job.settings.checks.carry) as folder:
                seen = job.kit.checks().recover(_order(job, effect, folder))
            return None if seen is None else _keep_check(job, effect, seen)
        case Examiner.DIFF:
            # Nothing of it is worth adopting; a search that still runs is ended all the same.
            order = _order(job, effect, job.kit.root)
            if job.kit.checks().was_started(order):
                job.kit.checks().recover(order)
            return None
        case Examiner.COMPARISON:
            return None


def _keep_check(job: DeliveryJob, effect: RunCheck, seen: CheckSeen) -> Checked:
    return keep_receipt(job.folder, _with_every_test(job, effect, seen), is_replay=job.is_replay)


def _with_every_test(job: DeliveryJob, effect: RunCheck, seen: CheckSeen) -> CheckSeen:
    """Fail a passing report of a further check if tests of the base's report are gone or no longer run."""
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


def _order(job: DeliveryJob, effect: RunCheck, folder: str) -> CheckOrder:
    facts = View(job.state(), job.folder.blobs.get).facts()
    command = facts.commands.get("test", ()) if facts else ()
    names = _LOCKFILES if job.settings.checks.carry else ()
    found = {name: job.kit.repository.read(effect.tree, name) for name in names}
    carried = {name: digest(data) for name, data in found.items() if data is not None}
    return check_order(job.folder, effect, job.settings, command, folder, carried)


def _findings(job: DeliveryJob, effect: RunCheck) -> tuple[Finding, ...] | None:
    repository = job.kit.repository
    changes = repository.changes(effect.base, effect.tree)
    check = effect.check
    match check:
        case SomethingChanged():
            return () if changes else (Finding(code="nothing-changed", message="nothing was changed"),)
        case DeclaredScope():
            return outside_scope(changes, check.allowed)
        case ProtectedPaths():
            return protection_findings(job, effect.base, effect.tree, changes)
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
    job: DeliveryJob, effect: RunCheck, check: TestIntegrity | RedGreen
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


def protection_findings(
    job: DeliveryJob, before: TreeId, after: TreeId, changes: tuple[PathChange, ...]
) -> tuple[Finding, ...]:
    """Judge a change against the protected paths. Which programs the gates run is read from the base."""
    repository, settings, base = job.kit.repository, job.settings.checks, job.base_tree
    facts = View(job.state(), job.folder.blobs.get).facts()
    programs: tuple[str, ...] = ()
    if facts is not None:
        paths = frozenset(entry.path for entry in repository.entries(base))
        programs = gate_programs(facts, paths, lambda path: repository.read(base, path), settings)
    return protected_changes(changes, repository.read, before, after, settings, programs)


def lay(job: DeliveryJob, effect: LayTests) -> TestsLaid:
    """Build one mixed tree of a run."""
    report = None
    if effect.baseline is not None:
        report = msgspec.json.decode(job.folder.blobs.get(effect.baseline), type=TestReport)
    return lay_tests(job.kit.repository, effect, report)


def lay_tests(repository: Repository, effect: LayTests, baseline: TestReport | None) -> TestsLaid:
    """Copy the test files of one tree into the other. The same trees give the same tree on every machine.

    The base's own tests run without any that were added: those could change how the old ones run.
    """
    tests = [
        change
        for change in repository.changes(effect.base, effect.final)
        if is_test_path(change.path)
        or matches_any(change.path, effect.named)
        or (baseline is not None and was_collected(change.path, baseline))
    ]
    if effect.place is Place.FINAL_WITH_BASE_TESTS:
        paths = tuple(change.path for change in tests)
        return TestsLaid(tree=repository.overlay(effect.final, effect.base, paths), count=len(paths))
    paths = tuple(change.path for change in tests if change.kind is not ChangeKind.DELETED)
    return TestsLaid(tree=repository.overlay(effect.base, effect.final, paths), count=len(paths))


def weigh_findings(job: DeliveryJob, effect: WeighFindings) -> FindingsWeighed:
    """Keep the findings whose citations are in the tree. The number of invented ones is recorded too."""
    answer = msgspec.json.decode(job.folder.blobs.get(effect.answer), type=Evaluation)
    files = {entry.path for entry in job.kit.repository.entries(effect.tree)}

    def read(path: str) -> bytes | None:
        return job.kit.repository.read(effect.tree, path) if path in files else None

    weighed = weigh(answer.findings, read)
    kept = Evaluation(findings=weighed.standing)
    body = job.folder.blobs.put(msgspec.json.encode(kept)) if weighed.standing else None
    return FindingsWeighed(
        tree=effect.tree, findings=body, standing=len(weighed.standing), invented=weighed.invented
    )
