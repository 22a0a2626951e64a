"""The plan step: directive, rules, red receipts on the base, approval, seal. Pure.

A proposal is sent back with every violation quoted, at most `plan_revisions` times. The contract's
checks run on the base *before* it is sealed: one that passes there already would prove nothing, and
no token is spent on building against it.
"""

from typing import NamedTuple

from signoff.core.clauses import contract_clauses
from signoff.core.contract_rules import check_contract
from signoff.core.decode import decode
from signoff.domain.checks import Place
from signoff.domain.clauses import Clause, ClauseKind
from signoff.domain.contract import Contract
from signoff.domain.directives import Directive, Exchange, Facts, PlanRequest
from signoff.domain.effects import Dispatch, RunCheck, Seal
from signoff.domain.events import Answered, How
from signoff.domain.halts import Halt, HaltCode, HaltKind
from signoff.domain.ids import CommitId, Digest, EffectKey, HaltId
from signoff.domain.outcomes import Recalled
from signoff.domain.receipts import Result
from signoff.flows.dispatching import Conversation, Opening, converse
from signoff.flows.intake import RECALL, on_tree
from signoff.flows.view import COMPLETE, SEAL, Now, View

APPROVE = "approve"
REJECT = "reject"


class Planned(NamedTuple):
    """Where planning stands; `refused` says why no plan was ever accepted."""

    now: Now
    refused: str = ""


class _Judged(NamedTuple):
    """What the rules and the base say of one proposal: more to run, objections, or neither."""

    effects: tuple[RunCheck, ...] = ()
    objections: tuple[str, ...] = ()


def plan(view: View) -> Planned:
    """Walk the proposals made so far and say what comes next."""
    if view.sealed() is not None:
        return Planned(COMPLETE)
    objections: tuple[str, ...] = ()
    for attempt in range(1, view.settings.limits.plan_revisions + 2):
        talk = converse(view, _opening(view, attempt, objections))
        if talk.gave_up:
            return Planned(Now(), refused=f"no plan: {talk.gave_up}")
        if talk.reply is None:
            return Planned(talk.now)
        raw, digest = view.proposal(talk.reply.answer)
        judged = _judge(view, attempt, raw, digest)
        if judged.effects:
            return Planned(Now(judged.effects))
        objections = judged.objections
        if not objections:
            approval = _approve(view, attempt, talk)
            if approval.now is not None:
                return Planned(approval.now)
            objections = approval.objections
    return Planned(Now(), refused="no acceptable plan: " + "; ".join(objections))


def base_key(attempt: int, clause: Clause) -> EffectKey:
    """Give the key of a contract check's run on the base tree."""
    return EffectKey(f"plan/attempt-{attempt}/base/{clause.id}")


def _opening(view: View, attempt: int, objections: tuple[str, ...]) -> Opening:
    def direct(key: EffectKey, start: CommitId, answers: tuple[Exchange, ...]) -> Dispatch:
        recalled = view.outcome(RECALL)
        request = PlanRequest(
            ticket=view.ticket(),
            facts=view.facts() or Facts(),
            memory=recalled.hits if isinstance(recalled, Recalled) else (),
            violations=objections,
            answers=answers,
        )
        return Dispatch(key=key, directive=Directive(key=key, payload=request), start=start)

    return Opening(f"plan/attempt-{attempt}", "plan", view.base_commit, HaltCode.PLAN_QUESTION, direct)


def _judge(view: View, attempt: int, raw: bytes, digest: Digest) -> _Judged:
    decoded = decode(raw, Contract)
    errors = [v for v in decoded.violations if v.severity == "error"]
    if decoded.value is None or errors:
        return _Judged(objections=tuple(f"{v.path}: {v.message}" for v in errors))
    contract = decoded.value
    broken = [v for v in check_contract(contract) if v.severity == "error"]
    objections = [f"{v.path}: {v.message}" for v in broken]
    clauses = contract_clauses(contract)
    objections += [
        f"{clause.id}: nothing shows it; name the checks or paths that do" for clause in _unprovable(clauses)
    ]
    if objections:
        return _Judged(objections=tuple(objections))
    return _on_base(view, attempt, clauses, digest)


def _unprovable(clauses: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Give the required clauses that no check stands behind; better asked now than waived later."""
    return tuple(c for c in clauses if c.required and c.check is None and not c.proven_by)


def _on_base(view: View, attempt: int, clauses: tuple[Clause, ...], digest: Digest) -> _Judged:
    open_checks: list[RunCheck] = []
    vacuous: list[str] = []
    for clause in clauses:
        if clause.kind is not ClauseKind.CHECK or clause.red_on is not Place.BASE or clause.check is None:
            continue
        key = base_key(attempt, clause)
        seen = view.observed(key)
        if seen is None:
            open_checks.append(on_tree(view, key, clause, clause.check, Place.BASE, view.base_tree, digest))
        elif seen.result is Result.PASS:
            vacuous.append(f"{clause.id} is vacuous: it passes on the base already ({clause.text})")
    return _Judged(tuple(open_checks), tuple(vacuous) if not open_checks else ())


class _Approval(NamedTuple):
    now: Now | None
    objections: tuple[str, ...] = ()


def _approve(view: View, attempt: int, talk: Conversation) -> _Approval:
    assert talk.reply is not None
    if view.start.approve_plan:
        return _Approval(Now((Seal(key=SEAL, proposal=talk.reply.answer, approver="policy"),)))
    halt = HaltId(f"plan/attempt-{attempt}/approval")
    answer = view.answer(halt)
    if answer is None:
        waiting = Halt(
            id=halt,
            code=HaltCode.PLAN_APPROVAL,
            kind=HaltKind.PERSON,
            step="plan",
            question="Is this plan what you want?",
            options=(APPROVE, REJECT),
            directive=talk.reply.answer,
        )
        return _Approval(Now(halts=(waiting,)))
    if answer.answer == APPROVE:
        return _Approval(Now((Seal(key=SEAL, proposal=talk.reply.answer, approver=_approver(answer)),)))
    return _Approval(None, (f"a person refused the plan: {answer.answer}",))


def _approver(answer: Answered) -> str:
    """Only what was typed on a terminal is a person's approval."""
    return "person" if answer.how is How.TERMINAL else "nobody"
