"""The test and verify steps: every clause on the merged tree, red first where it must be. Pure."""

from typing import NamedTuple

from signoff.delivery.context.run_view import View, baseline_key
from signoff.delivery.flow.intake_steps import on_tree, one_server
from signoff.domain.base.typed_ids import Digest, EffectKey, TreeId
from signoff.domain.run.effects import Effect, LayTests, RunCheck
from signoff.domain.run.outcomes import TestsLaid
from signoff.domain.run.surveys import Now
from signoff.domain.work.check_kinds import Stage, needs_citations, selected_tests, stage_of
from signoff.domain.work.checks import Place
from signoff.domain.work.clauses import GATE_TESTS, Clause

BASELINE_TESTS = baseline_key(GATE_TESTS)


class Proof(NamedTuple):
    """Where a stage stands, and the tree of base+tests once it is built."""

    now: Now
    base_with_tests: TreeId | None = None


class Proving(NamedTuple):
    """What is to be proven in one round."""

    number: int
    final: TreeId
    contract: Digest
    clauses: tuple[Clause, ...]


def run_gates(view: View, proving: Proving) -> Proof:
    """Run the project's commands on the result and its tests on the mixed trees, then compare the reports.

    Comparisons are asked for once no run is left to do, so that every report they need is there.
    """
    prefix = f"test/round-{proving.number}"
    lay = {effect.place: effect for effect in mixed_trees(view, proving)}
    laid = {place: view.outcome(effect.key) for place, effect in lay.items()}
    effects: list[Effect] = [effect for place, effect in lay.items() if laid[place] is None]
    new, old = laid[Place.BASE_WITH_TESTS], laid[Place.FINAL_WITH_BASE_TESTS]
    tree = new.tree if isinstance(new, TestsLaid) else None
    for clause in proving.clauses:
        if _is_of(clause, Stage.COMMANDS) or clause.id == GATE_TESTS:
            red = _RedPlace(Place.BASE_WITH_TESTS, tree) if clause.id == GATE_TESTS else None
            effects += _red_then_green(view, proving, prefix, clause, red)
        if clause.id == GATE_TESTS and isinstance(old, TestsLaid) and old.count:
            # The base's own tests alone on the result, if the change touched or added any test.
            effects += _run(view, proving, f"{prefix}/old", clause, Place.FINAL_WITH_BASE_TESTS, old.tree)
    if effects:
        return Proof(Now(one_server(tuple(effects))), tree)
    seen = [view.observed(name) for name in report_keys(view, EffectKey(f"{prefix}/final/"))]
    found = tuple(item.report for item in seen if item is not None and item.report is not None)
    # If the report of one test run is missing, nothing is compared.
    reports = found if len(found) == len(seen) else ()
    comparing = tuple(
        effect
        for clause in proving.clauses
        if _is_of(clause, Stage.REPORTS)
        for effect in _run(view, proving, f"{prefix}/final", clause, Place.FINAL, proving.final, reports)
    )
    return Proof(Now(comparing, complete=not comparing), tree)


def mixed_trees(view: View, proving: Proving) -> tuple[LayTests, ...]:
    """Return the effects that build base+tests and final+base-tests."""
    baseline = view.observed(BASELINE_TESTS)
    return tuple(
        LayTests(
            key=EffectKey(f"test/round-{proving.number}/{place}"),
            place=place,
            base=view.base_tree,
            final=proving.final,
            named=named_tests(proving.clauses),
            baseline=baseline.report if baseline else None,
        )
        for place in (Place.BASE_WITH_TESTS, Place.FINAL_WITH_BASE_TESTS)
    )


def named_tests(clauses: tuple[Clause, ...]) -> tuple[str, ...]:
    """Return the files that `tests` checks name: they are tests, whatever they are called."""
    return tuple(
        sorted(
            {
                item.partition("::")[0]
                for clause in clauses
                if clause.check is not None
                for item in selected_tests(clause.check) or ()
            }
        )
    )


def run_clauses(view: View, proving: Proving, base_with_tests: TreeId | None) -> Proof:
    """Run every remaining clause on the result, and on base+tests where it must have been red."""
    prefix = f"verify/round-{proving.number}"
    effects: list[Effect] = []
    for clause in proving.clauses:
        if _is_of(clause, Stage.CLAUSES) and clause.id != GATE_TESTS:
            red: _RedPlace | None = None
            if clause.red_on is Place.BASE_WITH_TESTS:
                red = _RedPlace(Place.BASE_WITH_TESTS, base_with_tests)
            elif clause.red_on is Place.BASE and clause.check is not None and needs_citations(clause.check):
                red = _RedPlace(Place.BASE, view.base_tree)  # with the citations that show the result
            effects += _red_then_green(view, proving, prefix, clause, red)
    return Proof(Now(tuple(effects), complete=not effects), base_with_tests)


def _is_of(clause: Clause, stage: Stage) -> bool:
    return clause.check is not None and stage_of(clause.check) is stage


class _RedPlace(NamedTuple):
    """Where a clause must still be seen red. The tree is None while it is not built."""

    place: Place
    tree: TreeId | None


def _red_then_green(
    view: View, proving: Proving, prefix: str, clause: Clause, red: _RedPlace | None
) -> tuple[RunCheck, ...]:
    """Return the next run of a clause. If it must still be seen red, that receipt comes first."""
    if red is not None and red.tree is None:
        return ()
    first = _run(view, proving, f"{prefix}/red", clause, red.place, red.tree) if red and red.tree else ()
    return first or _run(view, proving, f"{prefix}/final", clause, Place.FINAL, proving.final)


def _run(
    view: View,
    proving: Proving,
    prefix: str,
    clause: Clause,
    place: Place,
    tree: TreeId,
    reports: tuple[Digest, ...] = (),
) -> tuple[RunCheck, ...]:
    """Return the run of a clause on one tree, or nothing if it was run before."""
    assert clause.check is not None
    key = EffectKey(f"{prefix}/{clause.id}")
    if view.outcome(key) is not None:
        return ()
    return (on_tree(view, key, clause, clause.check, place, tree, proving.contract, reports),)


def report_keys(view: View, key: EffectKey) -> tuple[EffectKey, ...]:
    """Return the test runs a check compares: base, result, base+tests and, if run, the old tests."""
    prefix = key.partition("/final/")[0]
    old = EffectKey(f"{prefix}/old/{GATE_TESTS}")
    return (
        BASELINE_TESTS,
        EffectKey(f"{prefix}/final/{GATE_TESTS}"),
        EffectKey(f"{prefix}/red/{GATE_TESTS}"),
        *((old,) if view.outcome(old) is not None else ()),
    )
