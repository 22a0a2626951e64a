"""The implement step: tasks in waves, attempts, captures, merges. Pure.

Tasks of a wave run side by side, each in checkouts of its own from one pinned commit, and are merged
in the contract's order once all of them are settled (`delivery.merge.wave_merge`): the result does not depend
on which finishes first. What a task's own checks say only steers the work. Evidence is gathered later, on the
merged tree.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from signoff.contracts.clauses.contract_clauses import declared_files, task_checks
from signoff.delivery.context.loop_caps import last_attempt
from signoff.delivery.context.run_view import View, non_goal_texts
from signoff.delivery.dispatch.conversation import Conversation, Opening, converse
from signoff.delivery.flow.intake_steps import on_tree
from signoff.delivery.flow.outside_questions import settled
from signoff.delivery.merge.wave_merge import AcceptedTask, Fellow, merge_all, restart
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, TaskId, TreeId
from signoff.domain.evidence.receipts import Result
from signoff.domain.run.directives import Directive, Facts, Failure, QuestionAnswered, WorkRequest
from signoff.domain.run.effects import CaptureTree, Dispatch, Effect
from signoff.domain.run.halts import Halt, HaltCode
from signoff.domain.run.merge_forecast import MergeCandidate
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, Captured
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.domain.work.checks import Place
from signoff.domain.work.contract import Contract, Task

Failures = Mapping[TaskId, tuple[Failure, ...]]


class Conduct(StrEnum):
    """Why a task has no accepted work."""

    CHECKS = "its checks fail"
    """Its own clauses say so on the result. Nothing more needs saying."""
    RULES = "it broke a rule or was given up"
    MACHINE = "it could not be judged"
    """Its files could not be captured, or its agent could not go on after it had broken a rule."""
    UNTRIED = "its agent could not be run"
    """A login, a quota or a missing program: that says nothing about the work, which is not there."""


class TaskEnd(NamedTuple):
    """How a task was settled: with a commit, or with the reason why it has no commit."""

    commit: CommitId | None
    attempts: int
    why: str = ""
    conduct: Conduct = Conduct.CHECKS


class Unsettled(NamedTuple):
    """A task that ended without a merge."""

    why: str
    conduct: Conduct


class _TaskNow(NamedTuple):
    now: Now
    end: TaskEnd | None = None


class Worked(NamedTuple):
    """Where one round of implementing stands, and the tip it has merged so far."""

    now: Now
    tip: CommitId
    attempts: Mapping[TaskId, int]
    unsettled: Mapping[TaskId, Unsettled]
    """Tasks that ended without a merge, and why."""


class Round(NamedTuple):
    """What one round has to do: everything at first, the failed tasks afterwards."""

    tip: CommitId
    failures: Failures
    attempts: Mapping[TaskId, int]
    """Attempts each task has used in earlier rounds."""
    number: int = 1


def work(view: View, contract: Contract, digest: Digest, turn: Round) -> Worked:
    """Walk the waves of one round."""
    first = not turn.failures
    tasks = tuple(t for t in contract.tasks if first or t.id in turn.failures)
    worked = Worked(COMPLETE, turn.tip, turn.attempts, {})
    for wave in sorted({task.wave for task in tasks}):
        members = tuple(task for task in tasks if task.wave == wave)
        worked = _wave(view, contract, digest, members, turn, worked)
        if not worked.now.complete:
            break
    return worked


def _wave(
    view: View, contract: Contract, digest: Digest, members: tuple[Task, ...], turn: Round, before: Worked
) -> Worked:
    """Work on a wave, and on what is sent back from its merging, until every task is merged or given up.

    A loop over the same three stages: let all tasks settle, merge those with a commit, send back those that
    conflict. It returns as soon as a stage is not complete.
    """
    tip, attempts, unsettled = before.tip, dict(before.attempts), dict(before.unsettled)
    failures = turn.failures
    merges = 0
    while members:
        here = Round(tip, failures, attempts, turn.number)
        settled = _settle(view, contract, digest, members, here, unsettled)
        if len(settled.ends) < len(members):
            return Worked(settled.now, tip, attempts, unsettled)
        attempts |= {task: end.attempts for task, end in settled.ends.items()}
        unsettled |= {t: Unsettled(e.why, e.conduct) for t, e in settled.ends.items() if e.commit is None}
        accepted = tuple(
            AcceptedTask(task.id, end.commit, end.attempts)
            for task in members
            if (end := settled.ends[task.id]).commit is not None
        )
        merges += 1
        key = EffectKey(f"implement/round-{turn.number}/wave-{members[0].wave}/predict-{merges}")
        merging = merge_all(view, key, tip, accepted)
        if not merging.now.complete:
            return Worked(merging.now, merging.tip, attempts, unsettled)
        tip, failures = merging.tip, merging.refused
        unsettled |= _not_merged(view, failures, attempts)
        members = tuple(task for task in members if task.id in failures and task.id not in unsettled)
    return Worked(COMPLETE, tip, attempts, unsettled)


def _not_merged(view: View, refused: Failures, attempts: Mapping[TaskId, int]) -> dict[TaskId, Unsettled]:
    """Return the tasks that are not sent back: no attempt is left, or the run began before any was."""
    if not view.start.predicts_merges:
        return {task: Unsettled(told[0].detail, Conduct.RULES) for task, told in refused.items()}
    return {
        task: Unsettled(_because(told, f"{attempts[task]} attempts are used up"), Conduct.RULES)
        for task, told in refused.items()
        if attempts[task] >= last_attempt(view, task)
    }


class _Settled(NamedTuple):
    now: Now
    ends: Mapping[TaskId, TaskEnd]


def _settle(
    view: View,
    contract: Contract,
    digest: Digest,
    members: tuple[Task, ...],
    turn: Round,
    unsettled: Mapping[TaskId, Unsettled],
) -> _Settled:
    """Let tasks work side by side from one commit."""
    ends: dict[TaskId, TaskEnd] = {}
    effects: list[Effect] = []
    halts: list[Halt] = []
    fellows: list[Fellow] = []
    for task in members:
        used = turn.attempts.get(task.id, 0)
        blocked = next((t for t in task.depends_on if t in unsettled), None)
        if blocked is not None:
            ends[task.id] = TaskEnd(None, used, f"depends on {blocked}", unsettled[blocked].conduct)
            continue
        current = _task(view, contract, digest, task, turn, tuple(fellows))
        effects += current.now.effects
        halts += current.now.halts
        if current.end is not None:
            ends[task.id] = current.end
        fellows.append(Fellow(task.id, used + 1))
    return _Settled(Now(tuple(effects), tuple(halts)), ends)


def _task(
    view: View, contract: Contract, digest: Digest, task: Task, turn: Round, fellows: tuple[Fellow, ...]
) -> _TaskNow:
    """Walk the attempts of one task in this round.

    An attempt is a conversation, a capture and the task's own checks. The first of these that is not complete
    is returned, the first attempt that passes settles the task, and a failed one feeds the next.
    """
    start = pinned = turn.tip
    failures = turn.failures.get(task.id, ())
    used = turn.attempts.get(task.id, 0)
    last = last_attempt(view, task.id)
    conduct = Conduct.CHECKS
    before: tuple[TreeId, tuple[Failure, ...]] | None = None
    for attempt in range(used + 1, last + 1):
        if start != pinned and view.start.predicts_merges:
            own = MergeCandidate(task=task.id, commit=start)
            again = restart(view, own, attempt, pinned, fellows)
            if again.now is not None:
                return _TaskNow(again.now)
            start, failures = again.start, (*failures, *again.failures)
        talk = converse(view, _opening(view, contract, task, attempt, start, pinned, failures))
        if talk.gave_up:
            return _TaskNow(COMPLETE, _given_up(view, task, attempt, talk, failures, conduct))
        if talk.reply is None:
            return _TaskNow(talk.now)
        capture = _capture(task, talk.turn, talk.start, pinned)
        captured = view.outcome(capture.key)
        if not isinstance(captured, Captured):
            return _TaskNow(Now((capture,)))
        decided = settled(view, capture.key, captured)
        if isinstance(decided, Halt):
            return _TaskNow(Now(halts=(decided,)))
        captured = decided
        judged = _steer(view, task, attempt, captured, digest)
        if judged.effects:
            return _TaskNow(Now(judged.effects))
        if not judged.failures:
            return _TaskNow(COMPLETE, TaskEnd(captured.commit, attempt))
        conduct = _conduct(captured)
        if (captured.tree, judged.failures) == before:  # asked again, it would answer so again
            why = _because(judged.failures, f"attempt {attempt} handed in the same files again")
            return _TaskNow(COMPLETE, TaskEnd(None, attempt, why, conduct))
        before = (captured.tree, judged.failures)
        # What broke the rules of the house is thrown away; honest work that is not right yet is built upon.
        start = pinned if captured.findings or captured.problems else captured.commit
        failures = judged.failures
    why = _because(failures, f"{last} attempts are used up")
    return _TaskNow(COMPLETE, TaskEnd(None, last, why, conduct))


def _given_up(
    view: View, task: Task, attempt: int, talk: Conversation, failures: tuple[Failure, ...], before: Conduct
) -> TaskEnd:
    """End a task whose agent gave up. Nothing is captured, so what it did outside is judged here."""
    wrote = tuple(
        Failure(clause=finding.code, detail=f"{finding.path}: {finding.message}")
        for key, outcome in view.state.done.items()
        if key.startswith(f"implement/{task.id}/attempt-{attempt}/")
        and isinstance(outcome, AgentAnswered | AgentFailed)
        for finding in outcome.outside
    )
    conduct = Conduct.MACHINE
    if wrote or not talk.not_started:
        conduct = Conduct.RULES
    elif before is Conduct.CHECKS:
        conduct = Conduct.UNTRIED
    return TaskEnd(None, attempt, _because((*failures, *wrote), talk.gave_up), conduct)


def _conduct(captured: Captured) -> Conduct:
    if captured.problems:
        return Conduct.MACHINE
    return Conduct.RULES if captured.findings else Conduct.CHECKS


def _because(failures: tuple[Failure, ...], end: str) -> str:
    """Return what the last attempt was sent back for, before how it ended."""
    return "; ".join((*(f"{failure.clause}: {failure.detail}" for failure in failures), end))


class _Steering(NamedTuple):
    effects: tuple[Effect, ...] = ()
    failures: tuple[Failure, ...] = ()


def _steer(view: View, task: Task, attempt: int, captured: Captured, digest: Digest) -> _Steering:
    """Decide from findings and the task's own checks whether it may be merged."""
    broken = [Failure(clause=f.code, detail=f"{f.path}: {f.message}") for f in captured.findings]
    broken += [Failure(clause=p.kind, detail=f"{p.path} cannot be captured") for p in captured.problems]
    if broken:
        return _Steering(failures=tuple(broken))
    open_checks: list[Effect] = []
    failed: list[Failure] = []
    for clause in task_checks(task):
        assert clause.check is not None
        key = EffectKey(f"implement/{task.id}/attempt-{attempt}/check/{clause.id}")
        seen = view.observed(key)
        if seen is None:
            open_checks.append(on_tree(view, key, clause, clause.check, Place.TASK, captured.tree, digest))
        elif seen.result is Result.FAIL:
            failed.append(Failure(clause=clause.id, detail=seen.detail))
    return _Steering(tuple(open_checks), tuple(failed) if not open_checks else ())


def _capture(task: Task, dispatch: EffectKey, start: CommitId, pinned: CommitId) -> CaptureTree:
    return CaptureTree(
        key=EffectKey(f"{dispatch}/capture"),
        dispatch=dispatch,
        start=start,
        base=pinned,
        task=task.id,
        allowed=declared_files(task),
    )


def _opening(
    view: View,
    contract: Contract,
    task: Task,
    attempt: int,
    start: CommitId,
    pinned: CommitId,
    failures: tuple[Failure, ...],
) -> Opening:
    def direct(key: EffectKey, begin: CommitId, answers: tuple[QuestionAnswered, ...]) -> Dispatch:
        request = WorkRequest(
            task=task,
            goal=contract.goal,
            non_goals=non_goal_texts(contract),
            guides=(view.facts() or Facts()).guides,
            failures=failures,
            answers=answers,
            attempt=attempt,
        )
        return Dispatch(key=key, directive=Directive(key=key, payload=request), start=begin)

    def keep_work(key: EffectKey, begin: CommitId) -> Effect:
        return _capture(task, key, begin, pinned)

    prefix = f"implement/{task.id}/attempt-{attempt}"
    return Opening(prefix, "implement", start, HaltCode.TASK_QUESTION, direct, keep_work)
