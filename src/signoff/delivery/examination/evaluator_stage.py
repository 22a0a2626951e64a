"""The evaluator's part of the verify step: it is asked once all clauses are green, and can only object. Pure.

An evaluator is absent, not approving, until its answer was read. The engine reads its citations again. A
finding that stands lowers its clause through the judge and goes back to its task.
"""

from typing import NamedTuple

from signoff.contracts.clauses.contract_clauses import declared_files
from signoff.delivery.context.run_view import View, non_goal_texts
from signoff.delivery.dispatch.conversation import Opening, converse
from signoff.domain.base.typed_ids import ClauseId, CommitId, EffectKey, TaskId, TreeId
from signoff.domain.evidence.verdict import ClauseVerdict, Objection, Standing
from signoff.domain.run.directives import (
    ClauseText,
    Directive,
    EvaluateRequest,
    Evaluation,
    EvaluatorFinding,
    Facts,
    Failure,
    QuestionAnswered,
)
from signoff.domain.run.effects import Dispatch, WeighFindings
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.outcomes import FindingsWeighed
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.domain.work.clauses import GATE_EVALUATION, Clause, ClauseKind
from signoff.domain.work.contract import Contract
from signoff.domain.work.settings import EvaluateSettings
from signoff.text.globs import matches_any
from signoff.text.truncation import short

_LONGEST_WHY = 300
_LONGEST_MESSAGE = 1000
_LONGEST_SNIPPET = 300


class Evaluated(NamedTuple):
    """Where the evaluation stands, and its result."""

    now: Now
    row: ClauseVerdict | None = None
    """The row of the clause that an evaluator looked, or None if none is asked."""
    objections: tuple[Objection, ...] = ()
    findings: tuple[EvaluatorFinding, ...] = ()
    note: str = ""


def is_wanted(settings: EvaluateSettings) -> bool:
    """Check whether an evaluator is asked at all."""
    return settings.agent or settings.required


def evaluation_clause(settings: EvaluateSettings) -> tuple[Clause, ...]:
    """Return the clause that an evaluator looked and found nothing that stands. Empty if none is asked."""
    if not is_wanted(settings):
        return ()
    return (
        Clause(
            id=GATE_EVALUATION,
            kind=ClauseKind.GATE,
            text="an evaluator looked at the result, and none of its findings stands",
            required=settings.required,
        ),
    )


def evaluate(
    view: View, contract: Contract, clauses: tuple[Clause, ...], tip: CommitId, tree: TreeId, number: int
) -> Evaluated:
    """Ask the evaluator about a result whose clauses are all green, and weigh its answer."""
    prefix = f"verify/round-{number}/evaluate"
    opening = _opening(view, contract, clauses, tip, number, prefix)
    talk = converse(view, opening)
    if talk.gave_up:
        return absent(view, talk.gave_up)
    if talk.reply is None:
        # A run that has ended asks no evaluator any more. A waiver given later is judged by what there is.
        return absent(view, "the run had ended") if view.state.ended else Evaluated(talk.now)
    weigh = WeighFindings(key=EffectKey(f"{prefix}/weigh"), answer=talk.reply.answer, tree=tree)
    weighed = view.outcome(weigh.key)
    if not isinstance(weighed, FindingsWeighed):
        return Evaluated(Now((weigh,)))
    found = view.body(weighed.findings, Evaluation).findings if weighed.findings else ()
    return _judged(weighed, found, {clause.id for clause in clauses if clause.required})


def absent(view: View, why: str) -> Evaluated:
    """Return the result without an evaluation, which approves nothing."""
    row = ClauseVerdict(
        clause=GATE_EVALUATION,
        standing=Standing.NOT_JUDGED,
        why=short(f"nobody evaluated: {why}", _LONGEST_WHY),
        required=view.settings.evaluate.required,
    )
    return Evaluated(COMPLETE, row, note=f"nobody evaluated the result: {short(why, _LONGEST_WHY)}")


def _judged(weighed: FindingsWeighed, found: tuple[EvaluatorFinding, ...], known: set[ClauseId]) -> Evaluated:
    invented = f"{weighed.invented} cited what is not there and changed nothing" if weighed.invented else ""
    said = f"{weighed.standing} of its findings stand" if found else "none of its findings stands"
    note = f"an evaluator looked: {said}" + (f"; {invented}" if invented else "")
    stray = [finding for finding in found if finding.clause not in known]
    row = ClauseVerdict(
        clause=GATE_EVALUATION,
        standing=Standing.FAILED if stray else Standing.PROVEN,
        why=_finding_text(stray[0]) if stray else note,
    )
    objections = tuple(
        Objection(clause=ClauseId(finding.clause), tree=weighed.tree, why=_finding_text(finding))
        for finding in found
        if finding.clause in known
    )
    return Evaluated(COMPLETE, row, objections, found, note)


def failures(
    found: tuple[EvaluatorFinding, ...], contract: Contract, clauses: tuple[Clause, ...]
) -> dict[TaskId, tuple[Failure, ...]]:
    """Return the findings as the failures that each task is sent back for."""
    owners = {clause.id: clause.task for clause in clauses}
    given: dict[TaskId, tuple[Failure, ...]] = {}
    for finding in found:
        # Without a clause, the last task that may touch the file, or else the last of all.
        owning = [task.id for task in contract.tasks if matches_any(finding.path, declared_files(task))]
        task = owners.get(ClauseId(finding.clause)) or (owning or [contract.tasks[-1].id])[-1]
        detail = (
            f"an evaluator found: {finding.path}:{finding.line}: {short(finding.message, _LONGEST_MESSAGE)} "
            f"(the line: {short(finding.snippet.strip(), _LONGEST_SNIPPET)})"
        )
        failure = Failure(clause=finding.clause or GATE_EVALUATION, detail=detail)
        given[task] = (*given.get(task, ()), failure)
    return given


def _finding_text(finding: EvaluatorFinding) -> str:
    return short(f"{finding.path}:{finding.line}: {finding.message}", _LONGEST_WHY)


def _opening(
    view: View, contract: Contract, clauses: tuple[Clause, ...], tip: CommitId, number: int, prefix: str
) -> Opening:
    def direct(key: EffectKey, begin: CommitId, answers: tuple[QuestionAnswered, ...]) -> Dispatch:
        del answers  # an evaluator asks no questions
        request = EvaluateRequest(
            goal=contract.goal,
            base=view.base_commit,
            files=tuple(path for task in contract.tasks for path in declared_files(task)),
            clauses=tuple(
                ClauseText(id=clause.id, text=clause.text)
                for clause in clauses
                if clause.kind is not ClauseKind.GATE
            ),
            non_goals=non_goal_texts(contract),
            guides=(view.facts() or Facts()).guides,
            round=number,
        )
        return Dispatch(key=key, directive=Directive(key=key, payload=request), start=begin)

    return Opening(prefix, "verify", tip, HaltCode.TASK_QUESTION, direct, optional=True)
