"""Judge a non-goal on a change: what was touched, depended on, exported and added between two trees.

Called for a clause of a run and for a contract that is verified here and now, so it takes what it needs and
no run. Only the receipt is kept: after a crash it is simply judged again.
"""

from typing import Protocol

from msgspec.structs import replace

from signoff.domain.base.findings import Finding, shown
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.evidence.receipts import FailureReason, Observation, Receipt, Result
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.ports import CheckRunner, Clock
from signoff.domain.run.check_orders import AddedLine, CheckOrder
from signoff.domain.work.check_kinds import predicate_in
from signoff.domain.work.checks import DiffPredicate
from signoff.judges.scope.change_scope import ScanResult, untouched_findings
from signoff.judges.scope.exported_names import export_findings
from signoff.judges.scope.manifests.dependency_changes import dependency_findings
from signoff.judges.secrets.secret_scan import added_lines
from signoff.text.globs import matches_any
from signoff.text.truncation import short

_DETAIL_LIMIT = 300
_MOST_NAMED = 3
_MOST_BINARY_BYTES = 1_000_000


class ComparedTrees(Protocol):
    """Where two trees can be compared."""

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Return a file's bytes as stored, or None if the tree has no such file."""
        ...

    def changes(self, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
        """List the paths that differ, sorted."""
        ...

    def diff(self, before: TreeId, after: TreeId) -> str:
        """Return the unified diff, without colours, filters or external tools."""
        ...


def judge_predicate(
    trees: ComparedTrees, checks: CheckRunner, clock: Clock, order: CheckOrder, base: TreeId
) -> Receipt | None:
    """Return the receipt of a `diff-predicate` for `order.tree` against `base`, or None when asked to stop.

    Anything that was found fails it. Otherwise anything that could not be judged leaves it open, so only what
    was looked at in full passes. The order's folder must be there, although none of its files is read.
    """
    check = predicate_in(order.check)
    assert check is not None
    changes = trees.changes(base, order.tree)
    readings = [_compare_files(trees, check, changes, base, order.tree)]
    if check.forbidden:
        reading = _search_added_lines(trees, checks, changes, order, base, check)
        if reading is None:
            return None
        readings.append(reading)
    findings = [
        f"{finding.path}: {finding.message}" if finding.path else finding.message
        for reading in readings
        for finding in reading.findings
    ]
    undecided = [why for reading in readings for why in reading.undecided]
    return _receipt(order, findings, undecided, clock.now())


def _compare_files(
    trees: ComparedTrees, check: DiffPredicate, changes: tuple[PathChange, ...], base: TreeId, final: TreeId
) -> ScanResult:
    """Ask what paths and the files themselves tell."""

    def before(path: str) -> bytes | None:
        return trees.read(base, path)

    def after(path: str) -> bytes | None:
        return trees.read(final, path)

    touched = ScanResult(untouched_findings(changes, check.untouched))
    offered = export_findings(check.exports, changes, before, after)
    needed = (
        dependency_findings(changes, before, after, check.dependencies)
        if check.dependencies
        else ScanResult()
    )
    parts = (touched, needed, offered)
    return ScanResult(
        tuple(finding for part in parts for finding in part.findings),
        tuple(why for part in parts for why in part.undecided),
    )


def _search_added_lines(
    trees: ComparedTrees,
    checks: CheckRunner,
    changes: tuple[PathChange, ...],
    order: CheckOrder,
    base: TreeId,
    check: DiffPredicate,
) -> ScanResult | None:
    """Search the added lines for forbidden patterns, or return None when asked to stop.

    A diff shows nothing of a binary file, so its whole text is searched, up to a size.
    """
    lines = [
        AddedLine(path=path, line=number, text=text)
        for path, number, text in added_lines(trees.diff(base, order.tree))
    ]
    undecided: list[str] = []
    for change in changes:
        if (
            change.binary
            and change.kind is not ChangeKind.DELETED
            and any(not one.paths or matches_any(change.path, one.paths) for one in check.forbidden)
        ):
            # A diff shows nothing of it, and one NUL is enough to make any file binary.
            data = trees.read(order.tree, change.path) or b""
            if len(data) > _MOST_BINARY_BYTES:
                undecided.append(f"{shown(change.path)} is binary and too large to be searched")
            else:
                texts = data.decode("utf-8", "replace").split("\n")
                lines += [
                    AddedLine(path=change.path, line=number, text=text)
                    for number, text in enumerate(texts, start=1)
                ]
    seen = checks.run(replace(order, added=tuple(lines)))
    if seen is None:
        return None
    observation = seen.receipt.observation
    match observation.result:
        case Result.FAIL:
            return ScanResult(
                (Finding(code="forbidden-added", message=observation.detail),), tuple(undecided)
            )
        case Result.PARTIAL:
            return ScanResult(undecided=(observation.detail, *undecided))
        case Result.PASS:
            return ScanResult(undecided=tuple(undecided))


def _receipt(order: CheckOrder, findings: list[str], undecided: list[str], moment: str) -> Receipt:
    if findings:
        result, reason, said = Result.FAIL, FailureReason.CRITERIA_UNMET, findings
    elif undecided:
        result, reason, said = Result.PARTIAL, FailureReason.EXECUTION_ERROR, undecided
    else:
        result, reason, said = Result.PASS, None, []
    more = f" (and {len(said) - _MOST_NAMED} more)" if len(said) > _MOST_NAMED else ""
    observation = Observation(
        clause=order.clause,
        place=order.place,
        tree=order.tree,
        result=result,
        failure_reason=reason,
        detail=short("; ".join(said[:_MOST_NAMED]) + more, _DETAIL_LIMIT),
        contract=order.contract,
    )
    return Receipt(
        key=order.key, observation=observation, contract=order.contract, started_at=moment, ended_at=moment
    )
