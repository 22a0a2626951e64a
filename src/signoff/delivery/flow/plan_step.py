"""The plan step: directive, rules, red receipts on the base, approval, seal. Pure.

A proposal is sent back with every violation quoted, at most `plan_revisions` times. What only a person can
settle is asked first, and the next proposal must cite the answers. None of its commands runs before it was
approved. Then its checks run on the base, *before* it is sealed: one that passes there already would prove
nothing, and no token is spent on building against it.
"""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from signoff.contracts.clauses.contract_clauses import contract_clauses, lowered_demands
from signoff.contracts.files.contract_file_check import judge_contract
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.delivery.context.loop_caps import counts, limit
from signoff.delivery.context.run_view import SEAL, View
from signoff.delivery.dispatch.conversation import Opening, converse
from signoff.delivery.flow.clarification import clarify, questions, uncited
from signoff.delivery.flow.intake_steps import RECALL, on_tree
from signoff.delivery.verdict.ticket_coverage import is_about_something_else
from signoff.domain.base.caps import Cap
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, HaltId
from signoff.domain.base.violations import Severity
from signoff.domain.evidence.receipts import Result
from signoff.domain.run.directives import Directive, Facts, PlanRequest, QuestionAnswered
from signoff.domain.run.effects import Dispatch, RunCheck, Seal
from signoff.domain.run.events import How
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.outcomes import Recalled
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.domain.work.check_kinds import needs_citations
from signoff.domain.work.checks import Place
from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.domain.work.contract import Contract
from signoff.domain.work.memory import MemoryHit
from signoff.memory.recall import HEDGE, told
from signoff.text.truncation import short

_FOR_A_PERSON = frozenset({PrecisionCode.TOO_AMBIGUOUS, PrecisionCode.OPEN_QUESTIONS})
"""Violations that no planner can fix alone: a person is asked, and the planner is not objected to."""

APPROVE = "approve"
REJECT = "reject"
PERSON = "person"


class Planned(NamedTuple):
    """Where planning stands. `refused` says why no plan was ever accepted."""

    now: Now
    refused: str = ""
    not_judged: bool = False
    """There is no plan because the machine could not run the planner."""
    answers: tuple[QuestionAnswered, ...] = ()
    """What a person answered to the questions about the plan."""


class _Turn(NamedTuple):
    """Result of one proposal: something to do or wait for, or objections for the next one."""

    now: Now | None
    objections: tuple[str, ...] = ()
    answers: tuple[QuestionAnswered, ...] = ()
    """What a person said to the questions that the proposal left open."""


def plan(view: View) -> Planned:
    """Walk the proposals made so far and return what comes next."""
    return Planned(COMPLETE) if view.sealed() is not None else _propose(view)


def answers_given(view: View) -> tuple[QuestionAnswered, ...]:
    """Return what a person answered to the questions about the plan that was sealed."""
    return _propose(view).answers


def _propose(view: View) -> Planned:
    if view.start.proposal is not None:
        return _given(view, view.start.proposal)
    objections: tuple[str, ...] = ()
    answers: tuple[QuestionAnswered, ...] = ()
    attempt = revisions = 0
    while revisions <= limit(view, Cap.PLAN_REVISIONS):
        attempt += 1
        talk = converse(view, _opening(view, attempt, objections, answers))
        if talk.gave_up:
            return Planned(Now(), refused=f"no plan: {talk.gave_up}", not_judged=talk.not_started)
        if talk.reply is None:
            return Planned(talk.now, answers=answers)
        turn = _consider(view, attempt, talk.reply.answer, talk.answers)
        if turn.now is not None:
            return Planned(turn.now, answers=talk.answers)
        objections, answers = turn.objections, (*talk.answers, *turn.answers)
        if not turn.answers:  # a plan that waited for an answer was not sent back for its faults
            revisions += counts(view, Cap.PLAN_REVISIONS, EffectKey(f"plan/attempt-{attempt}/dispatch-1"))
    return Planned(Now(), refused="no acceptable plan: " + "; ".join(objections))


def _given(view: View, proposal: Digest) -> Planned:
    """Check the contract that the run was started with by every rule that a planner's contract must keep."""
    read = _read(view.proposal(proposal)[0])
    turn = _Turn(None, (*read.objections, *read.questions))
    if read.contract is not None and not turn.objections:
        turn = _agree(view, 1, proposal, read.contract)
    if turn.now is not None:
        return Planned(turn.now)
    return Planned(Now(), refused="the contract is not acceptable: " + "; ".join(turn.objections))


def _consider(view: View, attempt: int, answer: Digest, known: tuple[QuestionAnswered, ...]) -> _Turn:
    """Check a proposal by the rules and by what its planner was told."""
    read = _read(view.proposal(answer)[0])
    if read.questions:
        clarified = clarify(view, attempt, read.questions, known)
        if clarified.halts:
            return _Turn(Now(halts=clarified.halts))
        return _Turn(None, read.objections, clarified.answers)
    if read.contract is None or read.objections:
        return _Turn(None, read.objections)
    if ignored := uncited(read.contract, known):
        return _Turn(None, ignored)
    return _agree(view, attempt, answer, read.contract)


def _agree(view: View, attempt: int, answer: Digest, contract: Contract) -> _Turn:
    """Ask who must agree to a contract, and only then run any command of it."""
    digest = view.proposal(answer)[1]
    # No policy may approve a plan that asks for less than it could, or for something else.
    concerns = lowered_demands(contract)
    if is_about_something_else(view.ticket().acceptance_criteria, contract, contract_clauses(contract)):
        concerns = (*concerns, "it has not one word in common with what the ticket asks for")
    approval = _approve(view, attempt, answer, concerns)
    if approval.approver is None:
        return approval.turn
    base = _on_base(view, attempt, contract_clauses(contract), digest)
    if base.now is not None or base.objections:
        return base
    return _Turn(Now((Seal(key=SEAL, proposal=answer, approver=approval.approver),)))


def base_key(attempt: int, clause: Clause) -> EffectKey:
    """Return the key of a contract check's run on the base tree."""
    return EffectKey(f"plan/attempt-{attempt}/base/{clause.id}")


def _opening(
    view: View, attempt: int, objections: tuple[str, ...], known: tuple[QuestionAnswered, ...]
) -> Opening:
    def direct(key: EffectKey, start: CommitId, answers: tuple[QuestionAnswered, ...]) -> Dispatch:
        request = PlanRequest(
            ticket=view.ticket(),
            facts=view.facts() or Facts(),
            memory=_remembered(view),
            violations=objections,
            answers=answers,
        )
        return Dispatch(key=key, directive=Directive(key=key, payload=request), start=start)

    return Opening(
        f"plan/attempt-{attempt}",
        "plan",
        view.base_commit,
        HaltCode.PLAN_QUESTION,
        direct,
        answers=known,
        is_numbered=True,
    )


def _remembered(view: View) -> tuple[str, ...]:
    """Return the hits as lines, below a line that says how far to trust them."""
    recalled = view.outcome(RECALL)
    if not isinstance(recalled, Recalled):
        return ()
    if recalled.body is None:  # nothing was found, or by a version that kept only these
        return recalled.hits
    return _told(view.raw(recalled.body))


@lru_cache(maxsize=8)
def _told(body: bytes) -> tuple[str, ...]:
    return (HEDGE, *(told(hit) for hit in msgspec.json.decode(body, type=tuple[MemoryHit, ...])))


class _ProposalRead(NamedTuple):
    """A proposal, and what stands between it and being built from."""

    contract: Contract | None
    objections: tuple[str, ...]
    questions: tuple[str, ...] = ()
    """Questions for a person. They are no fault of the planner's."""


@lru_cache(maxsize=8)  # asked anew after every record, about the same few proposals
def _read(raw: bytes) -> _ProposalRead:
    """Parse a proposal. Its objections are all violations of the rules, as `contract check` words them."""
    judged = judge_contract(raw)
    wrong = [v for v in judged.violations if v.severity is Severity.ERROR]
    contract = judged.document.value
    if not isinstance(contract, Contract):
        said = tuple(f"{v.path}: {v.message}" for v in wrong)
        return _ProposalRead(None, said or ("the plan is a sprint contract; it needs tasks and checks",))
    objections = [f"{v.path}: {v.message}" for v in wrong if v.code not in _FOR_A_PERSON]
    # A person is better asked now than for a waiver later.
    objections += [
        f"{clause.id}: nothing shows it; name the checks or paths that do"
        for clause in contract_clauses(contract)
        if clause.required and clause.check is None and not clause.proven_by
    ]
    return _ProposalRead(contract, tuple(objections), questions(contract))


def _on_base(view: View, attempt: int, clauses: tuple[Clause, ...], digest: Digest) -> _Turn:
    """Run the contract's checks on the base. What passes there already would prove nothing."""
    open_checks: list[RunCheck] = []
    vacuous: list[str] = []
    for clause in clauses:
        if clause.kind is not ClauseKind.CHECK or clause.red_on is not Place.BASE or clause.check is None:
            continue
        if needs_citations(clause.check):
            continue  # without citations it would be red for no reason; it is shown red once they are there
        key = base_key(attempt, clause)
        seen = view.observed(key)
        if seen is None:
            open_checks.append(on_tree(view, key, clause, clause.check, Place.BASE, view.base_tree, digest))
        elif seen.result is Result.PASS:
            vacuous.append(f"{clause.id} is vacuous: it passes on the base already ({clause.text})")
    return _Turn(Now(tuple(open_checks))) if open_checks else _Turn(None, tuple(vacuous))


class _Approval(NamedTuple):
    """The approver, or what there is to wait for or to object."""

    approver: str | None
    turn: _Turn = _Turn(None)


def _approve(view: View, attempt: int, proposal: Digest, concerns: tuple[str, ...]) -> _Approval:
    """Ask a person, unless the policy may approve. A plan with concerns needs a person on a terminal.

    The sources are tried from the strongest down: who approved this contract before, the policy, the answer
    to the halt. Any answer but an approval becomes an objection that the planner is told.
    """
    earlier = view.start.approved_by
    if earlier == PERSON or (earlier and not concerns):
        return _Approval(earlier)
    if view.start.approve_plan and not concerns:
        return _Approval("policy")
    halt = HaltId(f"plan/attempt-{attempt}/approval")
    answer = view.answer(halt)
    relayed = answer is not None and answer.answer == APPROVE and answer.how is not How.TERMINAL
    if answer is None or (relayed and concerns):
        return _Approval(None, _Turn(Now(halts=(_approval_halt(halt, proposal, concerns),))))
    if answer.answer == APPROVE:
        # Only what was typed on a terminal is a person's approval.
        return _Approval(PERSON if answer.how is How.TERMINAL else "nobody")
    return _Approval(None, _Turn(None, (f"a person refused the plan: {answer.answer}",)))


def _approval_halt(halt: HaltId, proposal: Digest, concerns: tuple[str, ...]) -> Halt:
    question = "Is this plan what you want?"
    if concerns:
        question = f"This plan asks for less than it could: {short('; '.join(concerns), 600)}. {question}"
    return Halt(
        id=halt,
        code=HaltCode.PLAN_APPROVAL,
        kind=HaltKind.PERSON,
        step="plan",
        question=question,
        options=(APPROVE, REJECT),
        directive=proposal,
        terminal_only=(APPROVE,) if concerns else (),
    )
