"""A person overrules a clause, on the record: a small run of its own, after the one it speaks of."""

from typing import NamedTuple

import msgspec

from signoff.app.certifying import CERTIFICATE, certify, encode
from signoff.app.driving import load
from signoff.app.kit import Kit
from signoff.app.runlog import RunLog, live_stamp, records
from signoff.app.views import encode_status, read_status, status_of, write_report
from signoff.core.state import State
from signoff.domain.certificate import JournalHead
from signoff.domain.errors import ConfigError, ConflictError, UsageError, WaitingError
from signoff.domain.events import (
    EVENT_TYPES,
    SCHEMA_VERSION,
    How,
    Index,
    OverruleRefused,
    RunEnd,
    RunStart,
    RunStatus,
    Waived,
)
from signoff.domain.ids import ClauseId, RunId
from signoff.domain.ports import RunFolder
from signoff.domain.status import Status
from signoff.domain.surveys import Survey
from signoff.domain.verdict import Standing, VerdictOutcome
from signoff.flows.deliver import run_end, survey

FLOW = "waive"


class WaiverGiven(NamedTuple):
    """A waiver on record, and what the verdict is with it."""

    waiver: Waived
    run_id: RunId
    """The small run that holds it."""
    outcome: VerdictOutcome
    at: str


def waive(kit: Kit, folder: RunFolder, clause: str, reason: str, by: str, how: How) -> WaiverGiven:
    """Overrule one clause of a finished run; only a person on a terminal can."""
    if how is not How.TERMINAL:
        _refuse(kit, folder, clause, by, how)
    if not reason.strip():
        raise UsageError("a waiver needs a reason", slug="waiver-no-reason", fix="--reason TEXT")
    state = waived_state(kit, folder)
    found = survey(state, folder.blobs.get)
    if state.ended is None or found.verdict is None or found.verdict.trees.final is None:
        raise ConflictError(
            f"run {folder.run_id} has not been judged yet",
            slug="waiver-too-early",
            why="a waiver is given for a tree that a person has seen judged",
            fix=f"signoff status {folder.run_id}",
        )
    _must_need_it(found, clause)
    waived = Waived(
        clause=ClauseId(clause), reason=reason.strip(), by=by, how=how, tree=found.verdict.trees.final
    )
    return _record(kit, folder, state, waived)


def waived_state(kit: Kit, folder: RunFolder) -> State:
    """Fold a run together with the waivers that later runs gave it."""
    state = load(folder)
    if state.ended is None:
        return state
    waivers = tuple(waiver for child in _children(kit, folder.run_id) for waiver in child.waivers)
    return _overruled(folder, state, waivers)


def _overruled(folder: RunFolder, state: State, waivers: tuple[Waived, ...]) -> State:
    """Give a finished run as these waivers leave it: its verdict, and with it its end, computed again."""
    if not waivers:
        return state
    state = msgspec.structs.replace(state, waivers=(*state.waivers, *waivers))
    verdict = survey(state, folder.blobs.get).verdict
    return state if verdict is None else msgspec.structs.replace(state, ended=run_end(verdict))


def _children(kit: Kit, parent: RunId) -> tuple[State, ...]:
    """Give the waiver runs of a run."""
    folders = (kit.store.open(run_id) for run_id in kit.store.list() if run_id != parent)
    return tuple(load(folder) for folder in folders if _parent(folder) == parent)


def _parent(folder: RunFolder) -> RunId | None:
    """Give the run that this one speaks of: from its view, or where that is lost from its first records."""
    view = read_status(folder)
    if view is not None:
        return view.parent
    try:
        events = (entry.event for entry in records(folder.journal))
        return next((event.parent for event in events if isinstance(event, RunStart)), None)
    except ConfigError:
        return None  # whatever is wrong with that run, it is not evidence for another


def _refuse(kit: Kit, folder: RunFolder, clause: str, by: str, how: How) -> None:
    event = OverruleRefused(clause=ClauseId(clause), by=by, how=how)
    if load(folder).ended is None:
        try:
            with folder.lock():
                RunLog(folder.journal, live_stamp(kit.clock), load(folder)).record(event)
        except ConflictError as error:
            if error.slug != "run-locked":
                raise
            folder.drop("overrule", msgspec.json.encode(event))
    raise WaitingError(
        f"{clause} was not waived",
        slug="waiver-needs-terminal",
        why="only a person typing on a terminal can overrule a clause",
        fix=f"signoff waive {folder.run_id} {clause} --reason TEXT, in a terminal",
    )


def _must_need_it(found: Survey, clause: str) -> None:
    assert found.verdict is not None
    rows = {row.clause: row for row in found.verdict.clauses}
    row = rows.get(ClauseId(clause))
    if row is None:
        raise UsageError(
            f"there is no clause {clause}", slug="clause-unknown", why=f"clauses: {', '.join(rows)}"
        )
    if row.standing in (Standing.PROVEN, Standing.WAIVED):
        raise UsageError(f"{clause} is {row.standing}; there is nothing to waive", slug="waiver-not-needed")


def _record(kit: Kit, folder: RunFolder, state: State, waived: Waived) -> WaiverGiven:
    assert state.start is not None
    child = kit.store.create(RunId(kit.ids.new()))
    log = RunLog(child.journal, live_stamp(kit.clock))
    log.record(
        Index(
            schema_version=SCHEMA_VERSION,
            flow=FLOW,
            run_id=child.run_id,
            event_types=EVENT_TYPES,
            started_at=kit.clock.now(),
        )
    )
    log.record(
        msgspec.structs.replace(
            state.start,
            flow=f"{FLOW}@1",
            engine_version=kit.engine_version,
            parent=folder.run_id,
            parent_head=state.head,
        )
    )
    log.record(waived)
    overruled = _overruled(folder, state, (waived,))
    found = survey(overruled, folder.blobs.get)
    assert found.verdict is not None
    if found.verdict.outcome is VerdictOutcome.SIGNED_OFF and found.final is not None:
        head = JournalHead(run=child.run_id, seq=log.state.seq, sum=log.state.head)
        certificate = certify(folder, overruled, found.verdict, found.final, head, kit.engine_version)
        folder.write(CERTIFICATE, encode(certificate))
        kit.repository.publish(f"{folder.run_id}/final", found.final)
    log.record(RunEnd(status=RunStatus(found.verdict.outcome), final=found.verdict.trees.final))
    child.write("state.json", encode_status(_child_status(child, log.state, waived)))
    kit.store.reveal(child.run_id)
    write_report(folder, overruled, found)
    folder.write("state.json", encode_status(status_of(folder, overruled, found)))
    return WaiverGiven(waived, child.run_id, found.verdict.outcome, log.state.ts)


def _child_status(child: RunFolder, state: State, waived: Waived) -> Status:
    assert state.ended is not None
    return Status(
        run_id=child.run_id,
        seq=state.seq,
        offset=child.size("journal.jsonl"),
        head=state.head,
        ts=state.ts,
        step=FLOW,
        outcome=str(state.ended.status),
        finished=True,
        parent=state.start.parent if state.start else None,
        title=f"waiver of {waived.clause}",
    )
