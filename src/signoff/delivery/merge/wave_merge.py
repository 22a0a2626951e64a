"""How a wave is merged: every merge predicted, then made one by one in the contract's order. Pure.

A task that would conflict with an earlier one is not at its end. It is named with its files, and sent back
to the merged tree. The earlier task of the contract always wins, whichever finished first.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from signoff.delivery.context.run_view import View
from signoff.domain.base.typed_ids import CommitId, EffectKey, TaskId
from signoff.domain.run.directives import Failure
from signoff.domain.run.effects import MergeTask, PredictMerge
from signoff.domain.run.merge_forecast import Forecast, MergeCandidate, PredictedConflict
from signoff.domain.run.outcomes import AgentAnswered, Captured, MergeConflicted, Merged, MergePredicted
from signoff.domain.run.surveys import COMPLETE, Now

CONFLICT = "merge-conflict"
"""The failure of a task that has to build on top of another's work."""

Refused = Mapping[TaskId, tuple[Failure, ...]]


class AcceptedTask(NamedTuple):
    """A task whose work may be merged."""

    task: TaskId
    commit: CommitId
    attempts: int


class Merging(NamedTuple):
    """Where the merging of a wave stands."""

    now: Now
    tip: CommitId
    refused: Refused = MappingProxyType({})
    """What could not be merged, and what to tell the next attempt."""


def merge_all(view: View, key: EffectKey, tip: CommitId, accepted: tuple[AcceptedTask, ...]) -> Merging:
    """Merge what goes together. No ref moves before every conflict of the wave is known."""
    refused: dict[TaskId, tuple[Failure, ...]] = {}
    # One alone was made on the tip itself: there is nothing it could conflict with.
    if view.start.predicts_merges and len(accepted) > 1:
        candidates = tuple(MergeCandidate(task=one.task, commit=one.commit) for one in accepted)
        effect = PredictMerge(key=key, ours=tip, theirs=candidates)
        foreseen = foresee(view, effect)
        if foreseen is None:
            return Merging(Now((effect,)), tip)
        refused |= foreseen
    # Who is accepted late, after a cap was reset, comes on top of what is merged already.
    for one in sorted(accepted, key=lambda one: view.outcome(_merge_key(one)) is None):
        if one.task in refused:
            continue
        merge = MergeTask(key=_merge_key(one), task=one.task, ours=tip, theirs=one.commit)
        merged = view.outcome(merge.key)
        match merged:
            case Merged():
                tip = merged.commit
            case MergeConflicted():
                paths = ", ".join((*merged.conflicts, *merged.lost))
                detail = f"conflicts with another task in {paths}"
                refused[one.task] = (Failure(clause=CONFLICT, detail=detail),)
            case _:
                return Merging(Now((merge,)), tip)
    return Merging(COMPLETE, tip, refused)


def _merge_key(accepted: AcceptedTask) -> EffectKey:
    return EffectKey(f"implement/{accepted.task}/attempt-{accepted.attempts}/merge")


def foresee(view: View, effect: PredictMerge) -> Refused | None:
    """Return which candidates would not merge, and why. None while that is not known."""
    outcome = view.outcome(effect.key)
    if not isinstance(outcome, MergePredicted):
        return None
    if outcome.body is None:
        return {}
    return {bad.task: _failures(bad) for bad in view.body(outcome.body, Forecast).conflicts}


def _failures(bad: PredictedConflict) -> tuple[Failure, ...]:
    beside = " and ".join(bad.beside) or "another task"
    told = []
    if bad.conflicts:
        told.append(f"conflicts with {beside} in {', '.join(bad.conflicts)}")
    if bad.lost:
        told.append(f"merged with {beside}, these files would be gone: {', '.join(bad.lost)}")
    return tuple(Failure(clause=CONFLICT, detail=detail) for detail in told)


class Fellow(NamedTuple):
    """A task of the same wave that comes first in the contract, and its first attempt from this tip."""

    task: TaskId
    attempt: int


class Restart(NamedTuple):
    """Where the next attempt starts from, and what it is told. `now` while that is not known."""

    now: Now | None
    start: CommitId
    failures: tuple[Failure, ...] = ()


def restart(
    view: View, own: MergeCandidate, attempt: int, pinned: CommitId, fellows: Iterable[Fellow]
) -> Restart:
    """Return where the next attempt starts: on the task's own earlier work, or on the pinned commit.

    It may build on its own work if that merges with the first work of its fellows. Only first attempts count:
    they start side by side, so that no task waits long and the answer is the same whichever ends first.
    """
    works = [_first_work(view, fellow) for fellow in fellows]
    if any(not work.known for work in works):
        return Restart(Now(), pinned)
    others = tuple(work.candidate for work in works if work.candidate is not None)
    if not others:
        return Restart(None, own.commit)
    key = EffectKey(f"implement/{own.task}/attempt-{attempt}/predict")
    effect = PredictMerge(key=key, ours=pinned, theirs=(*others, own))
    foreseen = foresee(view, effect)
    if foreseen is None:
        return Restart(Now((effect,)), pinned)
    if own.task not in foreseen:
        return Restart(None, own.commit)
    return Restart(None, pinned, foreseen[own.task])


class _MergeWork(NamedTuple):
    known: bool
    candidate: MergeCandidate | None = None


def _first_work(view: View, fellow: Fellow) -> _MergeWork:
    """Return what a fellow's first dispatch left that may still be merged."""
    key = EffectKey(f"implement/{fellow.task}/attempt-{fellow.attempt}/dispatch-1")
    outcome = view.outcome(key)
    if outcome is None:
        return _MergeWork(known=False)
    if not isinstance(outcome, AgentAnswered):
        return _MergeWork(known=True)  # it failed, or a host works on it in its own time
    captured = view.outcome(EffectKey(f"{key}/capture"))
    if not isinstance(captured, Captured):
        return _MergeWork(known=False)
    if captured.findings or captured.problems:
        return _MergeWork(known=True)
    return _MergeWork(known=True, candidate=MergeCandidate(task=fellow.task, commit=captured.commit))
