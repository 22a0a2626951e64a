"""The sprints of a spec in the order in which they are delivered. Pure.

Decides which comes next and which wait for one that failed, and writes their state into the spec's file. The
state of a sprint comes from its runs.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec.structs import replace

from signoff.contracts.files.document_files import Document
from signoff.domain.work.spec import Spec, SpecStatus, SprintRun
from signoff.domain.work.sprints import Sprint, SprintStatus
from signoff.text.json.camel_case import camel, put_field


class SprintStage(NamedTuple):
    """One sprint of a spec: in words, for a planner, or as a contract that can be delivered as it is."""

    id: str
    sprint: Sprint | None
    contract: bytes | None = None
    depends_on: tuple[str, ...] = ()


class SprintStanding(StrEnum):
    """The state of a sprint."""

    PENDING = "pending"
    """No run of it has begun, or none was judged."""
    OPEN = "open"
    """A run of it goes on."""
    FAILED = "failed"
    DONE = "done"


_WRITTEN = {
    SprintStanding.PENDING: None,
    SprintStanding.OPEN: SprintStatus.IN_PROGRESS,
    SprintStanding.FAILED: SprintStatus.FAILED,
    SprintStanding.DONE: SprintStatus.COMPLETED,
}
_DONE = frozenset({SprintStatus.PASSED, SprintStatus.COMPLETED})


def said_done(spec: Spec, stage: SprintStage) -> bool:
    """Check whether the file calls a sprint done, which counts unless a run here says otherwise."""
    known = spec.sprint_runs.get(stage.id)
    status = known.status if known else stage.sprint.status if stage.sprint else None
    return status in _DONE


def in_order(stages: Sequence[SprintStage]) -> tuple[SprintStage, ...]:
    """Return the stages so that each comes after those it depends on.

    Free ones come by their number, or as they stand when one of them has no number. Empty when the stages
    form a cycle, which the rules refuse.
    """
    waiting = sorted(stages, key=lambda stage: stage.sprint.sprint_number if stage.sprint else 0)
    if any(stage.sprint is None for stage in stages):
        waiting = list(stages)  # not all of them have a number
    known = {stage.id for stage in stages}
    ordered: list[SprintStage] = []
    while waiting:
        before = {stage.id for stage in ordered}
        ready = next((s for s in waiting if {d for d in s.depends_on if d in known} <= before), None)
        if ready is None:
            return ()
        ordered.append(ready)
        waiting.remove(ready)
    return tuple(ordered)


def next_stage(
    ordered: Iterable[SprintStage], standings: Mapping[str, SprintStanding], tried: Collection[str]
) -> SprintStage | None:
    """Return the sprint to deliver next: one that goes on or was never tried, before one that failed."""
    able = [
        stage
        for stage in ordered
        if stage.id not in tried
        and standings[stage.id] is not SprintStanding.DONE
        and all(standings.get(name, SprintStanding.DONE) is SprintStanding.DONE for name in stage.depends_on)
    ]
    fresh = [stage for stage in able if standings[stage.id] is not SprintStanding.FAILED]
    return next(iter(fresh), next(iter(able), None))


def is_blocked(stage: SprintStage, standings: Mapping[str, SprintStanding]) -> bool:
    """Check whether a sprint waits for one that is not done."""
    return standings[stage.id] is not SprintStanding.DONE and any(
        standings.get(name, SprintStanding.DONE) is not SprintStanding.DONE for name in stage.depends_on
    )


def moved(spec: Spec, standings: Mapping[str, SprintStanding], runs: Mapping[str, str], when: str) -> Spec:
    """Return the spec with the state of its sprints, or the same object when nothing has moved.

    A sprint that is written out in the spec gets its status there, too. One that is only named has it in
    `sprint_runs` alone.
    """
    sprint_runs = dict(spec.sprint_runs)
    for name, run_id in runs.items():
        reached = _WRITTEN[standings[name]] or SprintStatus.IN_PROGRESS
        sprint_runs[name] = SprintRun(status=reached, run_id=run_id)
    sprints = tuple(
        item
        if isinstance(item, str) or item.contract_id not in sprint_runs
        else replace(item, status=sprint_runs[item.contract_id].status)
        for item in spec.sprints
    )
    is_done = bool(standings) and all(one is SprintStanding.DONE for one in standings.values())
    status = SpecStatus.COMPLETED if is_done else SpecStatus.IN_PROGRESS if sprint_runs else spec.status
    after = replace(spec, status=status, sprint_runs=sprint_runs, sprints=sprints)
    if after == spec:
        return spec
    return replace(after, updated_at=when, completed_at=when if is_done else spec.completed_at)


def write_moved(document: Document[Spec], after: Spec) -> bytes:
    """Return the document's file with what delivering changed.

    Every other field keeps its value and place. A changed field is written in the spelling of the file, and
    a sprint in the list keeps its other keys.
    """
    before, raw = document.value, document.raw
    assert before is not None
    assert raw is not None
    written = dict(raw)
    for name in ("status", "updated_at", "completed_at"):
        if getattr(before, name) != getattr(after, name):
            put_field(written, name, getattr(after, name), may_be_camel=document.is_camel)
    listed = raw.get("sprints")
    if isinstance(listed, list) and before.sprints != after.sprints:
        written["sprints"] = [
            {**item, "status": sprint.status}
            if isinstance(item, dict) and isinstance(sprint, Sprint)
            else item
            for item, sprint in zip(listed, after.sprints, strict=True)
        ]
    if before.sprint_runs != after.sprint_runs:
        spelt = camel if document.is_camel else str
        runs = {
            name: {"status": run.status, spelt("run_id"): run.run_id}
            for name, run in after.sprint_runs.items()
        }
        put_field(written, "sprint_runs", runs, may_be_camel=document.is_camel)
    return (json.dumps(written, indent=2, ensure_ascii=False) + "\n").encode()
