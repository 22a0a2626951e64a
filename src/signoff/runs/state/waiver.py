"""Overrule a clause, by a person and on the record: a small run of its own, after the run it is about."""

from typing import NamedTuple

import msgspec

from signoff.delivery.effects.certificate_writer import CERTIFICATE, certify, encode
from signoff.delivery.flow.deliver import run_end, survey
from signoff.domain.base.errors import ConfigError, ConflictError, UsageError, WaitingError
from signoff.domain.base.typed_ids import ClauseId, RunId
from signoff.domain.evidence.verdict import Standing, VerdictOutcome
from signoff.domain.ports import RunFolder
from signoff.domain.run.certificate import JournalHead
from signoff.domain.run.events import EVENT_TYPES, How, OverruleRefused, RunEnd, RunStart, Waived
from signoff.domain.run.status import Status
from signoff.domain.run.surveys import Survey
from signoff.engine.run.kit import Kit
from signoff.engine.run.run_log import RunLog, begin_log, live_stamp, load, records
from signoff.engine.run_state import State
from signoff.runs.state.flow_choice import is_hosted
from signoff.runs.state.run_views import Views, encode_status, is_current, read_status

FLOW = "waive"
_WAIT_S = 10.0
"""How long a waiver waits for another one. A run that has ended is held for moments only."""
_LONGEST_NAME = 200


class WaiverGiven(NamedTuple):
    """A waiver on record, and what the verdict is with it."""

    waiver: Waived
    run_id: RunId
    """The small run that holds it."""
    outcome: VerdictOutcome
    at: str


def waive(kit: Kit, folder: RunFolder, clause: str, reason: str, by: str, how: How) -> WaiverGiven:
    """Overrule one clause of a finished run. Only a person on a terminal can.

    The small run comes first and is the waiver. The certificate and the views follow from it, and after a
    crash in between they are left to `resume` or to the next waiver.
    """
    if is_hosted(load(folder)):
        raise ConflictError(
            f"run {folder.run_id} has no clause that could be waived",
            slug="not-a-delivery",
            why="a host drives it with `signoff work`: there is no verdict and no certificate",
            fix="where a person may overrule something, the run halts and offers it",
        )
    if how is not How.TERMINAL:
        _refuse(kit, folder, clause, by, how)
    if not reason.strip():
        raise UsageError("a waiver needs a reason", slug="waiver-no-reason", fix="--reason TEXT")
    if load(folder).ended is None:
        raise _too_early(folder)  # said at once: a run that goes on holds its lock
    with folder.lock(_WAIT_S):
        if not is_current(folder):
            _settle(kit, folder)
        state = waived_state(kit, folder)
        found = survey(state, folder.blobs.get)
        if found.verdict is None or found.verdict.trees.final is None:
            raise _too_early(folder)
        _must_need_it(found, clause)
        waived = Waived(
            clause=ClauseId(clause), reason=reason.strip(), by=by, how=how, tree=found.verdict.trees.final
        )
        child = _record(kit, folder, state, waived)
        after = _settle(kit, folder)
    assert after.verdict is not None
    return WaiverGiven(waived, child.run_id, after.verdict.outcome, child.ts)


def waived_state(kit: Kit, folder: RunFolder) -> State:
    """Fold a run together with the waivers, and the refused ones, that came after its end."""
    state = load(folder)
    if state.ended is None:
        return state
    return _overruled(folder, state, tuple(load(child) for child in _children(kit, folder.run_id)))


def certify_waived(kit: Kit, folder: RunFolder, state: State) -> None:
    """Write and publish what waivers made possible, the same every time. Without waivers nothing is done.

    `state` is that of `waived_state`. Needs the lock.
    """
    found = survey(state, folder.blobs.get)
    given = [child for child in _children(kit, folder.run_id) if load(child).waivers]
    if not given or found.verdict is None or found.final is None:
        return
    if found.verdict.outcome is not VerdictOutcome.SIGNED_OFF:
        return
    start = load(given[-1]).start
    assert start is not None
    *_, last = (entry for entry in records(given[-1]) if isinstance(entry.event, Waived))
    head = JournalHead(run=given[-1].run_id, seq=last.seq, sum=last.sum)
    certificate = certify(folder, state, found.verdict, found.final, head, start.engine_version)
    folder.write(CERTIFICATE, encode(certificate))
    kit.repository.publish(f"{folder.run_id}/final", found.final)


def _settle(kit: Kit, folder: RunFolder) -> Survey:
    """Bring certificate and views in step with the recorded waivers. `state.json` is written last."""
    state = waived_state(kit, folder)
    certify_waived(kit, folder, state)
    Views(folder, lambda s: survey(s, folder.blobs.get), kit.clock, records(folder)).rest(state)
    return survey(state, folder.blobs.get)


def _overruled(folder: RunFolder, state: State, children: tuple[State, ...]) -> State:
    """Return a finished run with these waivers: its verdict, and with it its end, computed again."""
    waivers = tuple(waiver for child in children for waiver in child.waivers)
    refusals = tuple(refusal for child in children for refusal in child.refusals)
    state = msgspec.structs.replace(
        state, waivers=(*state.waivers, *waivers), refusals=(*state.refusals, *refusals)
    )
    verdict = survey(state, folder.blobs.get).verdict if waivers else None
    return state if verdict is None else msgspec.structs.replace(state, ended=run_end(verdict))


def _children(kit: Kit, parent: RunId) -> tuple[RunFolder, ...]:
    """Return the small runs that hold waivers of a run."""
    folders = (kit.store.open(run_id) for run_id in kit.store.list() if run_id != parent)
    return tuple(folder for folder in folders if _parent(folder, parent) == parent)


def _parent(folder: RunFolder, asked: RunId) -> RunId | None:
    """Return the run that this one waives: from its view, or if that is lost, from its first records."""
    view = read_status(folder)
    if view is not None and view.parent != asked:
        return view.parent
    try:
        for entry in records(folder):
            if isinstance(entry.event, RunStart):
                return entry.event.parent
    except ConfigError as error:
        raise _unreadable(folder, asked, error.slug, f"{error.what}: {error.why}", error.fix) from None
    path = folder.path("journal.jsonl")
    raise _unreadable(
        folder, asked, "journal-unreadable", f"{path} has no run_start", f"signoff journal check {path}"
    )


def _unreadable(folder: RunFolder, asked: RunId, slug: str, why: str, fix: str) -> ConfigError:
    """A waiver must not vanish with the run that holds it."""
    return ConfigError(
        f"run {folder.run_id} cannot be read, and it may hold a waiver of run {asked}",
        slug=slug,
        why=why,
        fix=fix,
    )


def _refuse(kit: Kit, folder: RunFolder, clause: str, by: str, how: How) -> None:
    event = OverruleRefused(clause=ClauseId(clause[:_LONGEST_NAME]), by=by[:_LONGEST_NAME], how=how)
    has_ended = load(folder).ended is not None
    try:
        with folder.lock(_WAIT_S if has_ended else 0.0):
            _record_refusal(kit, folder, event)
    except ConflictError as error:
        if error.slug != "run-locked" or has_ended:
            raise
        folder.drop("overrule", msgspec.json.encode(event))
    raise WaitingError(
        f"{clause} was not waived",
        slug="waiver-needs-terminal",
        why="only a person typing on a terminal can overrule a clause",
        fix=f"signoff waive {folder.run_id} {clause} --reason TEXT, in a terminal",
    )


def _record_refusal(kit: Kit, folder: RunFolder, event: OverruleRefused) -> None:
    """Record a refused waiver in the run, or after its end once in a small run of its own."""
    state = waived_state(kit, folder)
    if state.ended is None:
        with folder.writer() as journal:
            RunLog(journal, live_stamp(kit.clock), state).record(event)
    elif event not in state.refusals:
        _record(kit, folder, state, event)
        _settle(kit, folder)


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


def _too_early(folder: RunFolder) -> ConflictError:
    return ConflictError(
        f"run {folder.run_id} has not been judged yet",
        slug="waiver-too-early",
        why="a waiver is given for a tree that a person has seen judged",
        fix=f"signoff status {folder.run_id}",
    )


def _record(kit: Kit, folder: RunFolder, state: State, event: Waived | OverruleRefused) -> Status:
    """Write a small run that holds this one event, and let it be seen: whole, or not at all."""
    assert state.start is not None
    child = kit.store.create(RunId(kit.ids.new()))
    start = msgspec.structs.replace(
        state.start,
        flow=f"{FLOW}@1",
        engine_version=kit.engine_version,
        parent=folder.run_id,
        parent_head=state.head,
    )
    with child.writer() as journal:
        log = begin_log(journal, live_stamp(kit.clock), child.run_id, EVENT_TYPES, start)
        log.record(event)
        ended = _overruled(folder, state, (log.state,)).ended
        assert ended is not None
        log.record(RunEnd(status=ended.status, final=ended.final))
    status = _child_status(child, log.state, event)
    child.write("state.json", encode_status(status))
    view = read_status(folder)
    if view is not None:  # out of date until it is written anew
        folder.write("state.json", encode_status(msgspec.structs.replace(view, offset=-1)))
    kit.store.reveal(child.run_id)
    return status


def _child_status(child: RunFolder, state: State, event: Waived | OverruleRefused) -> Status:
    assert state.ended is not None
    what = "waiver" if isinstance(event, Waived) else "refused waiver"
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
        title=f"{what} of {event.clause}",
    )
