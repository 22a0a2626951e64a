"""One conversation with an agent: dispatch, question, answer, retry. Pure.

Planning and every task attempt go through the same turns, so they are written once. A turn is one
dispatch. A question, an interruption or a failure that may pass leads to the next turn.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from signoff.delivery.budget.budget_stage import GIVE_UP, is_given_up
from signoff.delivery.context.loop_caps import counts, limit
from signoff.delivery.context.run_view import DispatchReply, View
from signoff.delivery.dispatch.agent_prompt import role_of
from signoff.delivery.dispatch.fallback_chain import next_agent
from signoff.domain.base.caps import Cap
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.typed_ids import CommitId, EffectKey, HaltId
from signoff.domain.run.directives import QuestionAnswered
from signoff.domain.run.effects import Dispatch, Effect, Pause
from signoff.domain.run.events import Driver, How
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.outcomes import AgentFailed, AgentFailure, Captured, Delegated, Interrupted
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.text.truncation import short

RETRY = "try again"

# Failures another try can mend. A cassette that lacks an entry lacks it the next time too.
_PASSING = (AgentFailure.CRASHED, AgentFailure.TIMED_OUT, AgentFailure.MALFORMED_ANSWER)


_PROVIDER = (
    FailureClass.RATE_LIMITED,
    FailureClass.OVERLOADED,
    FailureClass.SERVER_ERROR,
    FailureClass.NETWORK,
)
"""Trouble on the other side, which goes away by waiting."""
_OF_THE_MACHINE = (FailureClass.AUTH, FailureClass.QUOTA_EXCEEDED, FailureClass.NOT_STARTED)
_FIRST_PAUSE_S = 2
_LONGEST_PAUSE_S = 300.0
_LONGEST_WHY = 200


class Conversation(NamedTuple):
    """Where a conversation stands: still going (`now`), ended with a reply, or given up."""

    now: Now
    reply: DispatchReply | None = None
    turn: EffectKey = EffectKey("")
    """The dispatch that brought the reply. Its checkout holds the work."""
    start: CommitId = CommitId("")
    answers: tuple[QuestionAnswered, ...] = ()
    """Everything that the agent knew from a person when it replied."""
    gave_up: str = ""
    not_started: bool = False
    """The agent's program could not even be run, which says nothing about the work."""


class Opening(NamedTuple):
    """How a conversation begins, and how its next directive is put."""

    prefix: str
    """Key prefix, such as `implement/T1/attempt-1`."""
    step: str
    start: CommitId
    code: HaltCode
    direct: Callable[[EffectKey, CommitId, tuple[QuestionAnswered, ...]], Dispatch]
    keep_work: Callable[[EffectKey, CommitId], Effect] | None = None
    """The effect that captures the checkout when the agent asks, so that its work goes on with it."""
    optional: bool = False
    """The run does not need this agent: if it fails or is blocked, it is given up and no person is asked."""
    answers: tuple[QuestionAnswered, ...] = ()
    """What an earlier conversation brought to light."""
    is_numbered: bool = False
    """Its questions have ids, `Q1` and on, and the answers are to be cited by them."""


class _SoFar(NamedTuple):
    """The result of the turns taken so far."""

    start: CommitId
    answers: tuple[QuestionAnswered, ...]
    failures: int = 0
    """In a row."""
    spent: int = 0
    """Those of them that count against the cap."""
    others: tuple[str, ...] = ()
    """Agents that were fallen back to."""
    correction: str = ""
    blocked: tuple[str, tuple[QuestionAnswered, ...]] | None = None
    """The last block, and how it was answered."""


def converse(view: View, opening: Opening) -> Conversation:
    """Walk the turns taken so far and return what comes next."""
    so_far = _SoFar(opening.start, opening.answers)
    number = 0
    while True:
        number += 1
        taken = _turn(view, opening, so_far, EffectKey(f"{opening.prefix}/dispatch-{number}"))
        if isinstance(taken, _SoFar) and taken.others == so_far.others:  # another agent has its own tries
            taken = _within_cap(view, opening, taken, number)
        if isinstance(taken, Conversation):
            return taken
        so_far = taken


def _turn(view: View, opening: Opening, so_far: _SoFar, key: EffectKey) -> Conversation | _SoFar:
    """Take one turn. Return its result, or what must be done or waited for now."""
    reply = view.reply(key)
    match reply:
        case None:
            if is_given_up(view, key):
                return Conversation(COMPLETE, gave_up="given up: the budget is used up")
            dispatch = opening.direct(key, so_far.start, so_far.answers)
            if so_far.correction:
                payload = replace(dispatch.directive.payload, correction=so_far.correction)
                dispatch = replace(dispatch, directive=replace(dispatch.directive, payload=payload))
            other = so_far.others[-1] if so_far.others else ""
            return Conversation(Now((replace(dispatch, agent=other),)))
        case Delegated():
            return Conversation(Now(halts=(_directive_halt(opening, key, reply),)))
        case Interrupted():
            return _counted(view, so_far, key)
        case AgentFailed():
            return _after_failure(view, opening, _counted(view, so_far, key), key, reply)
        case DispatchReply(kind="question") | DispatchReply(kind="blocked"):
            return _after_question(view, opening, so_far, key, reply)
        case DispatchReply():
            return Conversation(COMPLETE, reply, key, so_far.start, so_far.answers)


def _counted(view: View, so_far: _SoFar, key: EffectKey) -> _SoFar:
    spent = so_far.spent + counts(view, Cap.RETRIES, key)
    return so_far._replace(failures=so_far.failures + 1, spent=spent)


def _after_failure(
    view: View, opening: Opening, so_far: _SoFar, key: EffectKey, failed: AgentFailed
) -> Conversation | _SoFar:
    """Fall back, give up, keep the work for a correction, or wait before the next try.

    In this order: if no retry can help, or the retries are used up, the next agent of the settings takes
    over. If there is none and no retry can help, the agent is given up. A malformed answer is asked for again
    with what was wrong with it. Anything else is tried again, after a pause for a failing provider.
    """
    may_pass = _may_pass(view, failed)
    if not may_pass or so_far.failures > limit(view, Cap.RETRIES):
        own = _own_agent(view, opening.direct(key, so_far.start, so_far.answers))
        other = next_agent(view.settings.agent.fallback, failed, (own, *so_far.others))
        if other is not None:
            return so_far._replace(others=(*so_far.others, other), failures=0, spent=0, correction="")
    if not may_pass:
        gave_up = f"{failed.failure_class or failed.failure}: {failed.detail}"
        # A failure of the machine or the account tells nothing about the work.
        return Conversation(
            COMPLETE,
            gave_up=gave_up,
            not_started=(
                failed.failure is AgentFailure.NOT_STARTED or failed.failure_class in _OF_THE_MACHINE
            ),
        )
    if failed.failure is AgentFailure.MALFORMED_ANSWER:
        kept = _keep_work(view, opening, key, so_far.start)
        if isinstance(kept, Now):
            return Conversation(kept)
        # Told once what is wrong with its answer; who still cannot say it will not by itself.
        if so_far.correction and counts(view, Cap.RETRIES, key):
            so_far = so_far._replace(spent=max(so_far.spent, limit(view, Cap.RETRIES) + 1))
        so_far = so_far._replace(start=kept, correction=failed.detail)
    pause = _pause(view, key, failed, so_far.failures)
    if pause is not None and so_far.spent <= limit(view, Cap.RETRIES):
        return Conversation(Now((pause,)))
    return so_far


def _within_cap(view: View, opening: Opening, so_far: _SoFar, number: int) -> Conversation | _SoFar:
    """Ask a person once the retries are used up. An optional agent is given up instead."""
    most = limit(view, Cap.RETRIES)
    if opening.optional and max(so_far.failures, so_far.spent) > most:
        return Conversation(COMPLETE, gave_up=f"failed {so_far.failures} times in a row")
    # What a person said to do here stays said, also where a reset would not ask them any more.
    if so_far.spent <= most and view.answer(_failed_id(opening, number)) is None:
        return so_far
    halted = _failed_halt(view, opening, so_far.failures, number, so_far.others)
    if halted is not None:
        return halted
    return so_far._replace(failures=0, spent=0, others=(), correction="")


def _with_answers(
    answers: tuple[QuestionAnswered, ...], more: tuple[QuestionAnswered, ...], opening: Opening
) -> tuple[QuestionAnswered, ...]:
    if not opening.is_numbered:
        return (*answers, *more)
    numbered = (replace(one, id=f"Q{n}") for n, one in enumerate(more, start=len(answers) + 1))
    return (*answers, *numbered)


def _may_pass(view: View, failed: AgentFailed) -> bool:
    """Check whether another try can help. What the backend knows counts for more than the coarse failure."""
    if failed.failure_class is FailureClass.BUDGET_USED_UP and view.start.budget is not None:
        return True  # its share was too small; whether there is more is asked before the next one
    return failed.retryable if failed.retryable is not None else failed.failure in _PASSING


def _pause(view: View, key: EffectKey, failed: AgentFailed, failures: int) -> Pause | None:
    """Return the wait before the next try, once for each failure of a provider and longer each time."""
    if failed.failure_class not in _PROVIDER:
        return None
    asked = failed.retry_after_s if failed.retry_after_s is not None else float(_FIRST_PAUSE_S**failures)
    seconds = 0.0 if view.start.driver is Driver.RECORDED else min(max(asked, 0.0), _LONGEST_PAUSE_S)
    pause = Pause(key=EffectKey(f"{key}/pause"), seconds=seconds)
    return None if view.outcome(pause.key) is not None else pause


def _after_question(
    view: View, opening: Opening, so_far: _SoFar, key: EffectKey, reply: DispatchReply
) -> Conversation | _SoFar:
    """Keep the work and put the question to a person. An optional agent is given up instead."""
    if opening.optional:
        return Conversation(COMPLETE, gave_up=f"blocked: {reply.question}")
    kept = _keep_work(view, opening, key, so_far.start)
    if isinstance(kept, Now):
        return Conversation(kept)
    halt = HaltId(key)
    answer = view.answer(halt)
    if answer is None:
        return Conversation(Now(halts=(_question_halt(opening, halt, reply),)))
    answers = view.exchange(halt, reply.question)
    blocked = so_far.blocked
    if reply.kind == "blocked":
        if answer.answer == GIVE_UP:
            return Conversation(COMPLETE, gave_up=f"given up: {reply.question}")
        if (reply.question, answers) == blocked:
            why = f"blocked twice in the same words, and answered the same: {reply.question}"
            return Conversation(COMPLETE, gave_up=why)
        blocked = (reply.question, answers)
    all_answers = _with_answers(so_far.answers, answers, opening)
    return so_far._replace(start=kept, answers=all_answers, correction="", blocked=blocked)


def _keep_work(view: View, opening: Opening, key: EffectKey, start: CommitId) -> CommitId | Now:
    """Return the commit the next turn starts from: what this one left, or where it started itself."""
    if opening.keep_work is None:
        return start
    capture = opening.keep_work(key, start)
    kept = view.outcome(capture.key)
    if not isinstance(kept, Captured):
        return Now((capture,))
    # What broke a rule is thrown away, as after an attempt.
    return start if kept.findings or kept.problems else kept.commit


def _question_halt(opening: Opening, halt: HaltId, reply: DispatchReply) -> Halt:
    blocked = reply.kind == "blocked"
    return Halt(
        id=halt,
        code=HaltCode.TASK_BLOCKED if blocked else opening.code,
        kind=HaltKind.PERSON,
        step=opening.step,
        question=f"The agent is blocked: {reply.question}" if blocked else reply.question,
        options=(GIVE_UP,) if blocked else reply.options,
    )


def _directive_halt(opening: Opening, key: EffectKey, delegated: Delegated) -> Halt:
    return Halt(
        id=HaltId(key),
        code=HaltCode.DIRECTIVE_OPEN,
        kind=HaltKind.AGENT,
        step=opening.step,
        question=f"Carry out the directive {key} in {delegated.checkout} and submit the answer.",
        directive=delegated.directive,
        checkout=delegated.checkout,
    )


def _own_agent(view: View, dispatch: Dispatch) -> str:
    """Name the agent of the directive's role, which is asked first. In a replay, the one asked then."""
    role = role_of(dispatch.directive)
    played = view.start.stands_for
    if played:
        return played.get(role, played.get("", view.start.agent))
    return view.start.roles.get(role, view.start.agent)


def _failed_id(opening: Opening, turns: int) -> HaltId:
    return HaltId(f"{opening.prefix}/failed-after-{turns}")


def _failed_halt(
    view: View, opening: Opening, failures: int, turns: int, others: tuple[str, ...]
) -> Conversation | None:
    """Ask a person after the retries are used up. None means they said to go on."""
    halt = _failed_id(opening, turns)
    answer = view.answer(halt)
    relayed = answer is not None and answer.answer == RETRY and answer.how is not How.TERMINAL
    if answer is None or relayed:
        asked = f", after falling back to {', '.join(others)}" if others else ""
        last = _last_failure(view, opening, turns)
        question = f"The agent failed {failures} times in a row on {opening.prefix}{asked}{last}. Try again?"
        waiting = Halt(
            id=halt,
            code=HaltCode.AGENT_FAILED,
            kind=HaltKind.PERSON,
            step=opening.step,
            question=question,
            options=(RETRY, GIVE_UP),
            terminal_only=(RETRY,),  # a cap is reset by a person, never by relayed input
        )
        return Conversation(Now(halts=(waiting,)))
    if answer.answer == RETRY:
        return None
    last = _last_failure(view, opening, turns)
    return Conversation(COMPLETE, gave_up=f"given up after {failures} failures{last}")


def _last_failure(view: View, opening: Opening, turns: int) -> str:
    """Describe the last failure, for the person who decides."""
    match view.reply(EffectKey(f"{opening.prefix}/dispatch-{turns}")):
        case AgentFailed() as failed:
            why = f"{failed.failure_class or failed.failure}: {failed.detail.strip().rstrip('.')}"
            return f", the last time with {short(why, _LONGEST_WHY)}"
        case _:
            return ", the last time because its driver was killed"
