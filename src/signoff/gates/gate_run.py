"""Judge a change by every deterministic gate: the files here and now against a base.

Nothing is sealed, journalled or signed off by it. No agent and no model takes part, and no command of the
project is run unless a gate that runs commands was asked for.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from signoff.contracts.clauses.contract_clauses import (
    contract_clauses,
    declared_files,
    left_out,
    project_gates,
)
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.evidence.case_records import TOO_LONG, FileSides, Reader
from signoff.domain.evidence.gates import GateName, GateReport, GateResult, GateSeverity
from signoff.domain.evidence.receipts import Receipt, Result
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.directives import Facts
from signoff.domain.work.check_kinds import predicate_in
from signoff.domain.work.checks import Place
from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.domain.work.contract import Contract
from signoff.gates.compared_trees import (
    ChangeTrees,
    GateRunner,
    OpenRunner,
    ProtectedSettings,
    protected_settings,
)
from signoff.gates.gate_baseline import Draft, finished
from signoff.gates.red_green import show_red_green
from signoff.judges.diff_risk import rate
from signoff.judges.scope.change_scope import outside_scope, protected_findings
from signoff.judges.scope.non_goal_check import judge_predicate
from signoff.judges.secrets.secret_scan import Secret, scan_bytes, scan_diff_file
from signoff.judges.test_gap.missing_tests import SourceSides as GapSides
from signoff.judges.test_gap.missing_tests import gaps_between
from signoff.judges.test_gap.missing_tests import is_judged as has_symbols
from signoff.judges.test_integrity.comparison.integrity_verdict import is_judged as is_about_tests
from signoff.judges.test_integrity.comparison.integrity_verdict import judge, own_packages
from signoff.judges.test_results.report_comparison import is_test_path
from signoff.project.detection.extra_checks import bar_of_gates
from signoff.text.formats.unified_diff import Diff, parse_diff
from signoff.text.globs import matches_any
from signoff.text.json.canonical import digest

QUICK = (
    GateName.SECRETS,
    GateName.TEST_INTEGRITY,
    GateName.TEST_GAP,
    GateName.PROTECTED_PATHS,
    GateName.RISK,
)
OF_CONTRACT = (GateName.SCOPE, GateName.NON_GOALS)
RUNNING = (
    GateName.RED_GREEN,
    GateName.BUILD,
    GateName.LINT,
    GateName.TESTS,
    GateName.TYPECHECK,
    GateName.EXTRA,
)
_LARGEST_SOURCE = 2_000_000
_LARGEST_BINARY = 20_000_000
_RISKIEST = 5


class GateRequest(NamedTuple):
    """Which gates are to run, and what they need beside the change."""

    gates: tuple[GateName, ...]
    readers: Callable[[], Mapping[str, Reader]] = dict
    """Returns the readers of test files besides Python's."""
    contract: Contract | None = None
    own_files: tuple[str, ...] = ()
    """Files that the command itself reads or writes, such as the contract. No contract's scope names them."""


class _Found(NamedTuple):
    """Result of one gate, before its findings have fingerprints."""

    drafts: list[Draft]
    unjudged: str = ""
    notes: tuple[str, ...] = ()
    receipts: tuple[Receipt, ...] = ()


def run_gates(trees: ChangeTrees, asked: GateRequest, runner: OpenRunner) -> GateReport:
    """Run the gates one after the other, all of them even if one fails."""
    gates = _GateRun(trees, asked, runner)
    results = tuple(_result(trees, name, gates.run(name)) for name in asked.gates)
    files = len(trees.changes(trees.base, trees.final))
    return GateReport(base=trees.base_id, base_name=trees.base_name, files=files, gates=results)


def _result(trees: ChangeTrees, name: GateName, found: _Found) -> GateResult:
    unjudged = found.unjudged
    if trees.problems and not unjudged and name is not GateName.RISK:
        more = f" (and {len(trees.problems) - 1} more)" if len(trees.problems) > 1 else ""
        unjudged = f"not every file could be taken into account: {trees.problems[0]}{more}"
    return GateResult(
        name=name,
        findings=finished(name, found.drafts),
        unjudged=unjudged,
        notes=found.notes,
        receipts=found.receipts,
    )


class _GateRun:
    """The gates, and what several of them share."""

    def __init__(self, trees: ChangeTrees, asked: GateRequest, runner: OpenRunner) -> None:
        self._trees = trees
        self._asked = asked
        self._open = runner
        self._changes = trees.changes(trees.base, trees.final)

    def run(self, name: GateName) -> _Found:
        """Run one gate."""
        gates: dict[GateName, Callable[[], _Found]] = {
            GateName.SECRETS: self._secrets,
            GateName.TEST_INTEGRITY: self._test_integrity,
            GateName.TEST_GAP: self._test_gap,
            GateName.PROTECTED_PATHS: self._protected_paths,
            GateName.RISK: self._risk,
            GateName.SCOPE: self._scope,
            GateName.NON_GOALS: self._non_goals,
            GateName.RED_GREEN: self._red_green,
        }
        return gates[name]() if name in gates else self._command(name)

    @cached_property
    def _runner(self) -> GateRunner:
        return self._open()

    @cached_property
    def _diff(self) -> Diff:
        return parse_diff(self._trees.exact_diff())

    @cached_property
    def _protected(self) -> ProtectedSettings:
        return protected_settings(self._trees, self._trees.base)

    def _sides(self, is_wanted: Callable[[str], bool]) -> list[tuple[str, str | None, str | None]]:
        paths = [change.path for change in self._changes if is_wanted(change.path)]
        before = self._trees.read_many(self._trees.base, paths)
        after = self._trees.read_many(self._trees.final, paths)
        return [(path, _text(before.get(path)), _text(after.get(path))) for path in paths]

    # --- the change alone ---

    def _secrets(self) -> _Found:
        if self._diff.problems:
            return _Found([], unjudged=f"the diff cannot be read: {self._diff.problems[0].message}")
        drafts: list[Draft] = []
        notes: list[str] = []
        for file in self._diff.files:
            if not file.is_binary:
                drafts += map(_secret, scan_diff_file(file))
        drafts += self._binary_secrets(notes)
        return _Found(drafts, notes=tuple(notes))

    def _binary_secrets(self, notes: list[str]) -> list[Draft]:
        """Scan files that a diff does not show: one NUL is enough to make any file binary."""
        paths = [
            file.path
            for file in self._diff.files
            if file.new_path and (file.is_binary or any("\0" in line.text for line in file.added))
        ]
        drafts: list[Draft] = []
        for path, data in self._trees.read_many(self._trees.final, paths).items():
            if len(data) > _LARGEST_BINARY:
                notes.append(f"{path} is binary and larger than {_LARGEST_BINARY} bytes: not scanned")
            else:
                drafts += map(_secret, scan_bytes(path, _plain(data), generic=False))
        return drafts

    def _risk(self) -> _Found:
        rated = [risk for risk in rate(self._diff.files) if risk.score > 0][:_RISKIEST]
        drafts = [
            Draft(
                "risk",
                risk.path,
                None,
                GateSeverity.ADVICE,
                f"score {risk.score:g}: {', '.join(signal.name for signal in risk.signals)}",
                evidence="risk",
            )
            for risk in rated
        ]
        notes = tuple(f"not rated: {problem.message}" for problem in self._diff.problems)
        return _Found(drafts, notes=notes)

    # --- tests ---

    def _test_integrity(self) -> _Found:
        sides = [FileSides(*side) for side in self._sides(is_about_tests)]
        if not sides:
            return _Found([])
        contract = self._asked.contract
        permitted = frozenset(contract.spec_changes) if contract else frozenset()
        own = own_packages(self._trees.paths(self._trees.final))
        judged = judge(sides, self._asked.readers(), own, permitted)
        drafts = [
            Draft(f.kind, f.path, f.line, GateSeverity(f.severity), f.message, f.symbol)
            for f in judged.findings
        ]
        drafts += [
            Draft("assertion-changed", c.path, c.line, GateSeverity.SUGGESTION, c.message, c.symbol)
            for c in judged.changed
        ]
        # Not a reason to call the gate unjudged: it would be so for every change to such a file.
        notes = tuple(f"{one.path} was not judged: {one.reason}" for one in judged.not_judged)
        late = next((one.path for one in judged.not_judged if one.reason == TOO_LONG), "")
        return _Found(drafts, unjudged=f"{late}: {TOO_LONG}" if late else "", notes=notes)

    def _test_gap(self) -> _Found:
        sides = [GapSides(*side) for side in self._sides(has_symbols)]
        if not sides:
            return _Found([])
        trees = self._trees
        paths = [path for path in trees.paths(trees.final) if is_test_path(path)]
        tests = {path: _text(data) or "" for path, data in trees.read_many(trees.final, paths).items()}
        return _Found(
            [
                Draft(gap.kind, gap.path, gap.line, GateSeverity(gap.severity), gap.message, gap.symbol)
                for gap in gaps_between(sides, tests)
            ]
        )

    # --- what may change ---

    def _protected_paths(self) -> _Found:
        protected, trees = self._protected, self._trees
        if protected.settings is None or protected.facts is None:
            return _Found([], unjudged=protected.problem)
        settings = protected.settings.checks
        programs = bar_of_gates(
            protected.facts, frozenset(trees.paths(trees.base)), lambda path: trees.read(trees.base, path)
        )
        extra = [path for path in programs if not matches_any(path, settings.unprotected)]
        drafts: list[Draft] = []
        for change in self._changes:
            for finding in protected_findings(
                (change,),
                lambda path: trees.read(trees.base, path),
                lambda path: trees.read(trees.final, path),
                (*settings.protected, *extra),
                settings.unprotected,
            ):
                # Its bytes are in the fingerprint: to accept one change is not to accept the next.
                evidence = digest(trees.read(trees.final, change.path) or b"")
                drafts.append(_at(finding.code, change.path, finding.message, evidence))
        return _Found(drafts)

    def _scope(self) -> _Found:
        assert self._asked.contract is not None
        allowed = [path for task in self._asked.contract.tasks for path in declared_files(task)]
        drafts: list[Draft] = []
        for change in self._changes:
            if change.path not in self._asked.own_files:
                drafts += [
                    _at(f.code, change.path, f.message, f.code) for f in outside_scope((change,), allowed)
                ]
        return _Found(drafts)

    def _non_goals(self) -> _Found:
        assert self._asked.contract is not None
        kinds = (ClauseKind.NON_GOAL, ClauseKind.OUT_OF_SCOPE)
        clauses = [clause for clause in contract_clauses(self._asked.contract) if clause.kind in kinds]
        return _together([self._non_goal(clause) for clause in clauses])

    def _non_goal(self, clause: Clause) -> _Found:
        if clause.check is None or predicate_in(clause.check) is None:
            return _Found([], notes=(f"{clause.id} needs a person: {clause.text}",))
        receipt = self._predicate(clause)
        seen = receipt.observation
        if seen.result is Result.FAIL:
            message = f"{clause.text}: {seen.detail}"
            draft = Draft("non-goal", "", None, GateSeverity.BLOCKING, message, clause.id)
            return _Found([draft], receipts=(receipt,))
        unjudged = f"{clause.id}: {seen.detail}" if seen.result is Result.PARTIAL else ""
        return _Found([], unjudged, receipts=(receipt,))

    def _predicate(self, clause: Clause) -> Receipt:
        runner, trees = self._runner, self._trees
        order = self._order(clause, Place.FINAL)
        receipt = judge_predicate(trees, runner.checks, runner.clock, order, trees.base)
        if receipt is None:  # stopped from outside
            raise KeyboardInterrupt
        return receipt

    def _order(self, clause: Clause, place: Place) -> CheckOrder:
        assert clause.check is not None
        tree = self._trees.base if place is Place.BASE else self._trees.final
        key = EffectKey(f"gate/{clause.id}")
        return self._protected.order(self._trees, key, clause.id, clause.check, place, tree)

    # --- what runs something ---

    def _red_green(self) -> _Found:
        guards = self._asked.contract.guards if self._asked.contract else ()
        shown = show_red_green(self._trees, self._runner, guards, self._asked.readers())
        return _Found(shown.findings, shown.unjudged, shown.notes, shown.receipts)

    def _command(self, name: GateName) -> _Found:
        """Run the project's commands for one gate on the result. The base names the commands.

        A gate is one command by its id, except `extra`, which is every command without a gate of its own.
        """
        protected = self._protected
        if protected.settings is None or protected.facts is None:
            return _Found([], unjudged=protected.problem)
        single = {f"gate/{one}" for one in RUNNING if one is not GateName.EXTRA}
        clauses = [
            clause
            for clause in project_gates(protected.facts)
            if clause.id == f"gate/{name}" or (name is GateName.EXTRA and clause.id not in single)
        ]
        if not clauses and name is not GateName.EXTRA:
            return _Found([], notes=(f"the project has no {name} command that is known",))
        return _together([self._command_gate(clause, protected.facts, name) for clause in clauses])

    def _command_gate(self, clause: Clause, facts: Facts, name: GateName) -> _Found:
        """Run one command. If it does not pass, the base decides whether it counts, as in a delivery."""
        receipt = self._run(clause, Place.FINAL)
        observed = receipt.observation
        if observed.result is Result.PASS:
            return _Found([], receipts=(receipt,))
        if clause.id.removeprefix("gate/") in facts.counts_when:
            before = self._run(clause, Place.BASE)
            reasons = left_out(facts, lambda gate: before.observation if gate == clause.id else None)
            if why := reasons.get(clause.id):
                return _Found([], notes=(f"{clause.id} was left out: it {why}",), receipts=(before, receipt))
        detail = observed.detail if name is not GateName.EXTRA else f"{clause.id}: {observed.detail}"
        if not clause.required:
            return _Found([], notes=(f"{clause.id} is not required: {observed.detail}",), receipts=(receipt,))
        if observed.result is Result.PARTIAL:
            return _Found([], detail, receipts=(receipt,))
        kind = str(observed.failure_reason or "failed")
        symbol = name if name is not GateName.EXTRA else clause.id
        return _Found([Draft(kind, "", None, GateSeverity.BLOCKING, detail, symbol)], receipts=(receipt,))

    def _run(self, clause: Clause, place: Place) -> Receipt:
        return self._protected.run(self._trees, self._runner, self._order(clause, place)).receipt


def _together(found: list[_Found]) -> _Found:
    """Merge what several checks of one gate found."""
    return _Found(
        [draft for one in found for draft in one.drafts],
        "; ".join(one.unjudged for one in found if one.unjudged),
        tuple(note for one in found for note in one.notes),
        tuple(receipt for one in found for receipt in one.receipts),
    )


def _at(kind: str, path: str, message: str, evidence: str) -> Draft:
    return Draft(kind, path, None, GateSeverity.BLOCKING, message, evidence=evidence)


def _secret(secret: Secret) -> Draft:
    """Return the finding for a secret, redacted. One that its own line allows is shown and does not fail."""
    message = f"looks like a credential: {secret.redacted}"
    severity = GateSeverity.BLOCKING
    if secret.reason:
        severity, message = GateSeverity.SUGGESTION, f"{message}; allowed where it stands: {secret.reason}"
    return Draft(secret.rule, secret.path, secret.line, severity, message, evidence=secret.digest)


def _plain(data: bytes) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data


def _text(data: bytes | None) -> str | None:
    """Return a file as text, or None if it is missing, binary, or too large for source code."""
    if data is None or b"\0" in data[:8_192] or len(data) > _LARGEST_SOURCE:
        return None
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
