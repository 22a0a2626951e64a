"""Merge tasks, and try merges before they are made. Both go by the same function, so they agree."""

from typing import NamedTuple

import msgspec

from signoff.delivery.context.job import DeliveryJob
from signoff.domain.base.findings import shown
from signoff.domain.base.typed_ids import CommitId, TaskId, TreeId
from signoff.domain.ports import Repository
from signoff.domain.run.effects import MergeTask, PredictMerge
from signoff.domain.run.merge_forecast import Forecast, MergeCandidate, PredictedConflict
from signoff.domain.run.outcomes import MergeConflicted, Merged, MergePredicted
from signoff.engine.run_state import OpenIntent
from signoff.judges.scope.merge_guard import Side, deleted, lost_files
from signoff.text.truncation import short

_MOST_PATHS = 8
_LONGEST_TEXT = 150
"""How many paths and conflicts a record holds, and bytes of each. Records stay under 4 KB."""


class _Tried(NamedTuple):
    """A merge in memory: a commit and its tree, or what speaks against it."""

    commit: CommitId | None
    tree: TreeId | None
    conflicts: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def merge_task(job: DeliveryJob, effect: MergeTask, intent: OpenIntent) -> Merged | MergeConflicted:
    """Merge one task and move the run's tip. The same commits under the same intent give the same ids."""
    repository = job.kit.repository
    merge = _try_merge(repository, effect.ours, effect.theirs, f"Merge {effect.task}\n", intent.ts)
    if merge.commit is None or merge.tree is None:
        return MergeConflicted(conflicts=_cut(merge.conflicts), lost=_cut(merge.lost))
    name = f"{job.folder.run_id}/tip"
    before = repository.ref(name)
    if before != merge.commit:  # equal when an earlier driver got this far
        repository.set_ref(name, merge.commit, before)
    return Merged(commit=merge.commit, tree=merge.tree)


def predict(job: DeliveryJob, effect: PredictMerge, intent: OpenIntent) -> MergePredicted:
    """Try every merge of a wave in order. What conflicts is left out for those that come after it."""
    repository = job.kit.repository
    tip, merging = effect.ours, list[MergeCandidate]()
    found: list[PredictedConflict] = []
    for candidate in effect.theirs:
        merge = _try_merge(repository, tip, candidate.commit, "A merge that is only tried\n", intent.ts)
        if merge.commit is not None:
            tip = merge.commit
            merging.append(candidate)
            continue
        found.append(
            PredictedConflict(
                task=candidate.task,
                beside=_beside(repository, effect.ours, merging, {*merge.conflicts, *merge.lost}),
                conflicts=_cut(merge.conflicts),
                lost=_cut(merge.lost),
            )
        )
    body = msgspec.json.encode(Forecast(conflicts=tuple(found)))
    return MergePredicted(
        merges=len(merging),
        conflicts=tuple(short(_line(conflict), _LONGEST_TEXT) for conflict in found[:_MOST_PATHS]),
        body=job.folder.blobs.put(body) if found else None,
    )


def _try_merge(repository: Repository, ours: CommitId, theirs: CommitId, message: str, when: str) -> _Tried:
    merge = repository.merge(ours, theirs, message, when)
    if merge.commit is None or merge.tree is None:
        return _Tried(None, None, merge.conflicts)
    lost = _lost(repository, ours, theirs, merge.tree)
    return _Tried(None, None, lost=lost) if lost else _Tried(merge.commit, merge.tree)


def _lost(repository: Repository, ours: CommitId, theirs: CommitId, merged: TreeId) -> tuple[str, ...]:
    """Name what a merge without conflicts takes away all the same."""
    trees = [repository.tree_of(commit) for commit in (ours, theirs)]
    to_merged = [repository.changes(tree, merged) for tree in trees]
    if not any(deleted(changes) for changes in to_merged):
        return ()
    base = repository.tree_of(repository.merge_base(ours, theirs))
    sides = [
        Side(repository.changes(base, tree), changes) for tree, changes in zip(trees, to_merged, strict=True)
    ]
    return lost_files(sides[0], sides[1])


def _beside(
    repository: Repository, base: CommitId, earlier: list[MergeCandidate], paths: set[str]
) -> tuple[TaskId, ...]:
    """Name the tasks that come first and touched one of these paths."""
    before = repository.tree_of(base)
    return tuple(
        candidate.task
        for candidate in earlier
        if any(
            change.path in paths
            for change in repository.changes(before, repository.tree_of(candidate.commit))
        )
    )


def _line(conflict: PredictedConflict) -> str:
    beside = f" with {', '.join(conflict.beside)}" if conflict.beside else ""
    return f"{conflict.task}{beside}: {', '.join((*conflict.conflicts, *conflict.lost))}"


def _cut(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(short(shown(path), _LONGEST_TEXT) for path in paths[:_MOST_PATHS])
