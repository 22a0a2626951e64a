"""The deliver flow: refine, memory, analyze, plan, implement, test, verify, report. Pure.

`survey` looks at a state and says everything there is to say: which effects may run now, which halts
are open, where each step stands, and how the run ends if it does. It does not depend on the order in
which siblings finished, and it keeps nothing between two calls.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from signoff.contracts.clauses.contract_clauses import GATE_CHANGE, GATE_CONDUCT
from signoff.delivery.budget.budget_stage import within_budget
from signoff.delivery.context.loop_caps import last_attempt
from signoff.delivery.context.run_view import View, baseline_key
from signoff.delivery.examination.evaluator_stage import (
    Evaluated,
    absent,
    evaluate,
    evaluation_clause,
    is_wanted,
)
from signoff.delivery.examination.evaluator_stage import failures as found_failures
from signoff.delivery.flow.destructive_intent import given_up
from signoff.delivery.flow.implement_step import Conduct, Round, Worked, work
from signoff.delivery.flow.intake_steps import analyze, cannot_test, memory, refine
from signoff.delivery.flow.outside_questions import unasked
from signoff.delivery.flow.plan_step import plan
from signoff.delivery.flow.proof_steps import Proving, run_clauses, run_gates
from signoff.delivery.verdict.judge import judge
from signoff.domain.base.typed_ids import ClauseId, CommitId, EffectKey, TreeId
from signoff.domain.evidence.receipts import Result
from signoff.domain.evidence.verdict import ClauseVerdict, Standing, Trees, Verdict, VerdictOutcome
from signoff.domain.run.directives import Failure
from signoff.domain.run.effects import Certify, Publish
from signoff.domain.run.events import RunEnd, RunStatus
from signoff.domain.run.outcomes import Certified, Merged, Published
from signoff.domain.run.surveys import COMPLETE, DELIVER, STEPS, Now, StepStatus, Survey
from signoff.domain.work.clauses import Clause
from signoff.domain.work.contract import Contract
from signoff.engine.run_state import State
from signoff.engine.shared_view import Bodies
from signoff.text.truncation import short

NAME = "deliver"
VERSION = DELIVER
CERTIFY = EffectKey("report/certify")
PUBLISH = EffectKey("report/publish")
_BAD = (Standing.FAILED, Standing.VACUOUS, Standing.UNPROVEN)
_MOST_REASONS = 8
_LONGEST_WHY = 1000


def survey(state: State, bodies: Bodies) -> Survey:
    """Return what may run, what waits and what is proven."""
    view = View(state, bodies)
    found = within_budget(view, _survey(view))
    if state.stopping or state.ended is not None:
        return found._replace(effects=(), conclusion=None)
    return found


def _survey(view: View) -> Survey:
    if why := given_up(view):
        return _unstarted(why)
    for step in (refine, memory, analyze):
        now = step(view)
        if not now.complete:
            return _survey_at(step.__name__, now)
    if why := cannot_test(view):
        return _without_plan(view, "analyze", RunStatus.NOT_JUDGED, why)
    planned = plan(view)
    if planned.refused:
        status = RunStatus.NOT_JUDGED if planned.not_judged else RunStatus.REFUSED
        return _without_plan(view, "plan", status, planned.refused)
    if not planned.now.complete:
        return _survey_at("plan", planned.now)
    return _planned(view) if view.start.only_plan else _rounds(view)


def _survey_at(step: str, now: Now, clauses: tuple[Clause, ...] = ()) -> Survey:
    """Return a survey that stands at `step`: every step before is done, every step after is pending."""
    return Survey(_steps(step, StepStatus.ACTIVE), now.effects, now.halts, clauses=clauses)


def _steps(at: str, status: StepStatus, after: StepStatus = StepStatus.PENDING) -> Mapping[str, StepStatus]:
    here = STEPS.index(at)
    return {
        name: StepStatus.SUCCESS if i < here else status if i == here else after
        for i, name in enumerate(STEPS)
    }


def _without_plan(view: View, step: str, status: RunStatus, why: str) -> Survey:
    """Conclude a run that never got a plan worth building."""
    trees = Trees(base=view.base_tree)
    verdict = judge(view.clauses(), view.seen(), trees, view.state.waivers)
    return Survey(
        _steps(step, StepStatus.FAILED, StepStatus.SKIPPED),
        conclusion=RunEnd(status=status, why=short(why, _LONGEST_WHY)),
        verdict=verdict,
        clauses=view.clauses(),
        notes=(why,),
    )


def _unstarted(why: str) -> Survey:
    """Conclude a run that a person would not have started: nothing ran, so there is nothing to judge."""
    return Survey(
        _steps("refine", StepStatus.FAILED, StepStatus.SKIPPED),
        conclusion=RunEnd(status=RunStatus.REFUSED, why=short(why, _LONGEST_WHY)),
        notes=(why,),
    )


def _planned(view: View) -> Survey:
    """Conclude a run that was to end with a plan: nothing was built, so there is nothing to judge."""
    return Survey(
        _steps("plan", StepStatus.SUCCESS, StepStatus.SKIPPED),
        conclusion=RunEnd(status=RunStatus.PLANNED),
        clauses=view.clauses(),
    )


def _rounds(view: View) -> Survey:
    """Implement, test and verify until it is proven, or until another round would not help.

    Each round goes through three steps, and the first one that is not complete is where the run stands. Only
    the verdict on finished steps decides about a next round, which starts from this round's merged commit.
    """
    contract, sealed = view.contract(), view.sealed()
    assert contract is not None
    assert sealed is not None
    checked = view.clauses()
    clauses = (*checked, *evaluation_clause(view.settings.evaluate))
    turn = Round(view.base_commit, {}, {})
    evaluated = Evaluated(COMPLETE)
    for number in range(1, max(last_attempt(view, task.id) for task in contract.tasks) + 1):
        worked = work(view, contract, sealed.contract, turn)
        if not worked.now.complete:
            return _survey_at("implement", worked.now, clauses)
        final = tree_of(view, worked.tip)
        if number > 1 and final == tree_of(view, turn.tip):
            break  # the rework came to nothing; what was judged stands
        proving = Proving(number, final, sealed.contract, clauses)
        tested = run_gates(view, proving)
        if not tested.now.complete:
            return _survey_at("test", tested.now, clauses)
        verified = run_clauses(view, proving, tested.base_with_tests)
        if not verified.now.complete:
            return _survey_at("verify", verified.now, clauses)
        trees = Trees(base=view.base_tree, final=final, base_with_tests=verified.base_with_tests)
        conduct = _conduct(worked)
        seen, waivers = view.seen(), view.state.waivers
        verdict = judge(checked, seen, trees, waivers, sealed.contract, (conduct,))
        if is_wanted(view.settings.evaluate):
            evaluated = absent(view, "not every clause was green")
            if verdict.outcome is VerdictOutcome.SIGNED_OFF:  # not a token before that
                evaluated = evaluate(view, contract, checked, worked.tip, final, number)
            if not evaluated.now.complete:
                return _survey_at("verify", evaluated.now, clauses)
            given = (conduct, *((evaluated.row,) if evaluated.row else ()))
            verdict = judge(clauses, seen, trees, waivers, sealed.contract, given, evaluated.objections)
        verdict = _not_refused_for_the_machine(view, verdict, worked, clauses)
        again = _rework(view, contract, verdict, worked, clauses, evaluated)
        if again is None:
            break
        turn = again._replace(number=number + 1)
    return _report(view, verdict, worked, clauses, evaluated)


def _conduct(worked: Worked) -> ClauseVerdict:
    """Judge how the tasks ended. A result that looks right does not make up for a broken rule."""
    bad = {task: end for task, end in worked.unsettled.items() if end.conduct is not Conduct.CHECKS}
    if not bad:
        return ClauseVerdict(clause=GATE_CONDUCT, standing=Standing.PROVEN, why="")
    rules = any(end.conduct is Conduct.RULES for end in bad.values())
    return ClauseVerdict(
        clause=GATE_CONDUCT,
        standing=Standing.FAILED if rules else Standing.NOT_JUDGED,
        why=short("; ".join(f"{task}: {end.why}" for task, end in bad.items()), _LONGEST_WHY),
    )


def _not_refused_for_the_machine(
    view: View, verdict: Verdict, worked: Worked, clauses: tuple[Clause, ...]
) -> Verdict:
    """Return NOT_JUDGED instead of REFUSED if only work is missing whose agents could not start.

    It stays refused if a task was really tried, or if a required check that does not belong to a missing task
    is bad on the merged tree and was not red on the base already.
    """
    untried = worked.unsettled
    if verdict.outcome is not VerdictOutcome.REFUSED or not untried:
        return verdict
    if any(end.conduct is not Conduct.UNTRIED for end in untried.values()):
        return verdict
    # A clause without a check of its own only repeats the clauses that it depends on.
    checked = {c.id: c for c in clauses if c.check is not None and c.task not in untried}
    excused = {GATE_CHANGE} if worked.tip == view.base_commit else set[ClauseId]()
    for row in verdict.clauses:
        is_bad = row.clause in checked and row.required and row.standing in _BAD
        if is_bad and row.clause not in excused and not _was_red(view, row.clause):
            return verdict
    return replace(verdict, outcome=VerdictOutcome.NOT_JUDGED)


def tree_of(view: View, commit: CommitId) -> TreeId:
    """Return the tree of a commit this run made or started from."""
    if commit == view.base_commit:
        return view.base_tree
    return next(
        outcome.tree
        for outcome in view.state.done.values()
        if isinstance(outcome, Merged) and outcome.commit == commit
    )


def _rework(
    view: View,
    contract: Contract,
    verdict: Verdict,
    worked: Worked,
    clauses: tuple[Clause, ...],
    evaluated: Evaluated,
) -> Round | None:
    """Return the next round, or None if no agent could do anything about what is missing.

    The evaluator's findings go back to their tasks. So does each failed clause with a check, to the task it
    belongs to or else to the last one. A gate that was red on the base goes back to no task.
    """
    if worked.unsettled:
        return None
    owners = {clause.id: clause.task for clause in clauses if clause.check is not None}
    last = contract.tasks[-1].id
    failures = found_failures(evaluated.findings, contract, clauses)
    told = {failure.clause for given in failures.values() for failure in given}
    for row in verdict.clauses:
        if not row.required or row.standing is not Standing.FAILED or row.clause in told:
            continue
        if row.clause in owners and not _was_red(view, row.clause):
            task = owners[row.clause] or last
            failures[task] = (*failures.get(task, ()), Failure(clause=row.clause, detail=row.why))
    spent = any(worked.attempts.get(t, 0) >= last_attempt(view, t) for t in failures)
    if not failures or spent:
        return None
    return Round(worked.tip, failures, worked.attempts)


def _was_red(view: View, clause: ClauseId) -> bool:
    """Check whether a gate failed on the base already. No agent is paid to fix what it did not break."""
    seen = view.observed(baseline_key(clause))
    return seen is not None and seen.result is Result.FAIL


def _report(
    view: View, verdict: Verdict, worked: Worked, clauses: tuple[Clause, ...], evaluated: Evaluated
) -> Survey:
    notes = tuple(f"{task} was not accepted: {end.why}" for task, end in worked.unsettled.items())
    notes += tuple(
        f"{row.clause} was red on the base already; a person may waive it"
        for row in verdict.clauses
        if row.standing is Standing.FAILED and _was_red(view, row.clause)
    )
    base = Survey(
        _steps("report", StepStatus.ACTIVE),
        verdict=verdict,
        clauses=clauses,
        final=worked.tip,
        notes=(*notes, *_remarks(view, evaluated)),
    )
    if verdict.outcome is not VerdictOutcome.SIGNED_OFF:
        return base._replace(steps=_unproven_steps(verdict, worked), conclusion=run_end(verdict, notes))
    if not isinstance(view.outcome(CERTIFY), Certified):
        return base._replace(effects=(Certify(key=CERTIFY, final=worked.tip),))
    if not isinstance(view.outcome(PUBLISH), Published):
        return base._replace(effects=(Publish(key=PUBLISH, commit=worked.tip),))
    return base._replace(steps=_steps("report", StepStatus.SUCCESS), conclusion=run_end(verdict))


def _remarks(view: View, evaluated: Evaluated) -> tuple[str, ...]:
    """Return what was not judged, and by whom. A run never ends as it does because of these."""
    absent_gates = (f"{gate} was left out: it {why}" for gate, why in view.left_out().items())
    return (*absent_gates, *unasked(view), *((evaluated.note,) if evaluated.note else ()))


def _unproven_steps(verdict: Verdict, worked: Worked) -> Mapping[str, StepStatus]:
    steps = dict(_steps("report", StepStatus.SUCCESS))
    steps["verify"] = StepStatus.FAILED
    if worked.unsettled:
        steps["implement"] = StepStatus.FAILED
    if any(row.clause.startswith("gate/") and row.standing is Standing.FAILED for row in verdict.clauses):
        steps["test"] = StepStatus.FAILED
    return steps


def run_end(verdict: Verdict, notes: tuple[str, ...] = ()) -> RunEnd:
    """Return the last record of a run, with the reasons: broken rules first, then what is not proven."""
    bad = list(notes) + [
        f"{row.clause} is {row.standing}"
        for row in verdict.clauses
        if row.required and row.standing not in (Standing.PROVEN, Standing.WAIVED)
    ]
    why = "; ".join(bad[:_MOST_REASONS]) + ("; and more" if len(bad) > _MOST_REASONS else "")
    return RunEnd(status=RunStatus(verdict.outcome), final=verdict.trees.final, why=short(why, _LONGEST_WHY))
