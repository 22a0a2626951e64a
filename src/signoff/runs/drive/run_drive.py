"""Drive a run: build what the loop needs, run the loop, and update the views."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import msgspec

from signoff.delivery.context.agent_watch import DispatchesInFlight
from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.outside_changes import Lookout
from signoff.delivery.context.run_view import View
from signoff.delivery.effects.carrier import JobCarrier
from signoff.delivery.flow import deliver
from signoff.delivery.flow.deliver import survey
from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.ports import RunFolder
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.effects import Dispatch, Effect
from signoff.domain.run.events import Driver, Recorded, Resumed, RunStart
from signoff.domain.run.surveys import WORK, Survey
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.engine.loop import SurveyedFlow, drive
from signoff.engine.run.confinement_check import refuse_below_minimum, refuse_open_agents
from signoff.engine.run.kit import Kit
from signoff.engine.run.mailbox import CassetteScript, DriverMailbox
from signoff.engine.run.run_log import RunLog, Watcher, live_stamp, records, replayed_stamp, start_of
from signoff.engine.run_state import State
from signoff.runs.drive.cassette_recorder import encode_cassette, record_cassette
from signoff.runs.drive.ledger_keeper import LedgerKeeper, is_kept
from signoff.runs.drive.plan_files import is_planned, keep_plan
from signoff.runs.state.run_views import Views, is_current
from signoff.runs.state.waiver import certify_waived, waived_state

OnReady = Callable[[DriverMailbox], None]
"""Called with the mailbox before the loop starts, so that a signal handler can request a stop through it."""

_CHECKS_AT_ONCE = 4
"""Fixed, not the number of processors: a cassette must give the same journal on every machine."""


def _flow(folder: RunFolder) -> SurveyedFlow:
    return SurveyedFlow(lambda state: survey(state, folder.blobs.get))


class Driven(NamedTuple):
    """A run at rest: it has ended, was stopped, or waits for an answer."""

    state: State
    survey: Survey


def mend(folder: RunFolder) -> int:
    """Cut the torn last line that a killed driver left, and return its length in bytes.

    `resume` does it too. A caller that wants to tell a person about it asks first.
    """
    with folder.lock():
        return folder.mend()


def resume(
    kit: Kit,
    folder: RunFolder,
    watch: Watcher | None = None,
    on_ready: OnReady | None = None,
    in_flight: DispatchesInFlight | None = None,
) -> Driven:
    """Continue a run where its journal ends, and drive it until it waits or ends."""
    # The second record alone tells whether a host drives the run.
    if kit.hosted is not None and (began := start_of(folder)) is not None and began.flow == WORK:
        from signoff.hosted.cycle import go_on

        done = go_on(kit.hosted(), folder, "runs resume")
        return Driven(done.state, done.survey)
    with folder.lock():
        folder.mend()
        state = waived_state(kit, folder)
        if state.ended is not None:
            return _ended(kit, folder, state)
        start = state.start
        if start is None or start.flow != deliver.VERSION:
            raise ConflictError(
                f"run {folder.run_id} cannot be continued by this version",
                slug="flow-version",
                why=f"it follows {start.flow if start else 'no flow'}; this version knows {deliver.VERSION}",
                fix="start a new run from its contract.json",
            )
        _refuse_changed_contract(folder, state)
        return _drive(kit, folder, state, watch, on_ready, in_flight)


def _refuse_changed_contract(folder: RunFolder, state: State) -> None:
    """Raise if the contract.json of a run was edited: the engine goes on with the sealed contract only."""
    sealed = View(state, folder.blobs.get).sealed()
    found = folder.read("contract.json")
    if sealed is None or found is None or found == folder.blobs.get(sealed.contract) + b"\n":
        return
    raise ConflictError(
        f"the contract of run {folder.run_id} was changed after it was sealed",
        slug="contract-changed",
        why=f"{folder.path('contract.json')} is not what was agreed on",
        fix="remove that file, which changes nothing; for another contract, start a new run",
    )


def _drive(
    kit: Kit,
    folder: RunFolder,
    state: State,
    watch: Watcher | None,
    on_ready: OnReady | None,
    in_flight: DispatchesInFlight | None,
) -> Driven:
    """Build what the loop needs, let it run, record the conclusion and write the views.

    A run that has done anything before gets a `Resumed` record first. Everything that can refuse to start is
    asked before the journal is opened for writing.
    """
    start = state.start
    assert start is not None
    settings = msgspec.json.decode(folder.blobs.get(start.settings), type=Settings)
    refuse_below_minimum(settings.sandbox, kit.checks)
    played = folder.blobs.get(start.cassette) if start.cassette is not None else None
    cassette = msgspec.json.decode(played, type=Cassette) if played is not None else None
    stamp = live_stamp(kit.clock) if cassette is None else replayed_stamp(cassette.started_at)
    agent = kit.agents.open(start.agent, settings, cassette)
    roles = {role: kit.agents.open(name, settings, cassette) for role, name in start.roles.items()}
    refuse_open_agents(settings.sandbox, (agent, *roles.values()), kit.processes)
    flow = _flow(folder)
    views = Views(folder, flow.survey, kit.clock, records(folder))
    ledger = LedgerKeeper(kit, folder)

    def watching(entry: Recorded, after: State) -> None:
        ledger.moved(entry)
        views.moved(entry, after)
        if watch is not None:
            watch(entry, after)

    with folder.writer() as journal:
        log = RunLog(journal, stamp, state, watching)
        if state.stopping or state.done or state.open or (start.telemetry and not is_kept(kit)):
            log.record(Resumed(engine_version=kit.engine_version, telemetry=is_kept(kit)))
        job = DeliveryJob(
            kit=kit,
            folder=folder,
            agent=agent,
            start=start,
            settings=settings,
            ticket=msgspec.json.decode(folder.blobs.get(start.ticket), type=Ticket),
            state=lambda: log.state,
            is_replay=start.driver is Driver.RECORDED,
            roles=roles,
            in_flight=in_flight,
            lookout=Lookout(),
        )
        mailbox = DriverMailbox(folder, flow.halts, _script(cassette, start))
        if on_ready is not None:
            on_ready(mailbox)
        _loop(kit, flow, log, JobCarrier(job), mailbox, settings)
        if (end := flow.survey(log.state).conclusion) is not None:
            log.record(end)
    return _finish(kit, folder, log.state, views)


def _loop(
    kit: Kit, flow: SurveyedFlow, log: RunLog, carrier: JobCarrier, mailbox: DriverMailbox, settings: Settings
) -> None:
    agents, checks = settings.limits.parallel, _CHECKS_AT_ONCE
    with ThreadPoolExecutor(max_workers=agents + checks) as pool:
        try:
            drive(flow, log, carrier, mailbox, pool, _slots(agents, checks, mailbox))
        except BaseException:
            kit.processes.stop_all()  # leave no process behind, whatever went wrong
            raise


def _slots(agents: int, checks: int, mailbox: DriverMailbox) -> Callable[[Effect, tuple[Effect, ...]], bool]:
    """Return a function that says whether an effect may start: so many agents, so many other effects."""

    def free(effect: Effect, running: tuple[Effect, ...]) -> bool:
        if mailbox.is_closing:
            return False
        alike = [other for other in running if isinstance(other, Dispatch) == isinstance(effect, Dispatch)]
        return len(alike) < (agents if isinstance(effect, Dispatch) else checks)

    return free


def _script(cassette: Cassette | None, start: RunStart) -> CassetteScript | None:
    if cassette is None:
        return None
    typed = {HaltId(a.halt) for a in cassette.answers if a.typed and start.rehearsal}
    return CassetteScript(cassette.order, {HaltId(a.halt): a.answer for a in cassette.answers}, typed)


def _ended(kit: Kit, folder: RunFolder, state: State) -> Driven:
    """Return a run that has ended. If its driver died after the last record, the views are written first."""
    flow = _flow(folder)
    if is_planned(state):
        keep_plan(kit, folder, state)
    if not is_current(folder):
        certify_waived(kit, folder, state)
        LedgerKeeper(kit, folder)
        views = Views(folder, flow.survey, kit.clock, records(folder))
        return _finish(kit, folder, state, views)
    return Driven(state, flow.survey(state))


def _finish(kit: Kit, folder: RunFolder, state: State, views: Views) -> Driven:
    if state.ended is not None:
        kit.repository.drop_checkouts(f"{folder.run_id}/")
    if is_planned(state):
        keep_plan(kit, folder, state)
    views.rest(state)
    if state.start is not None and state.start.record:
        kit.store.keep_cassette(folder.run_id, encode_cassette(record_cassette(kit, folder, state)))
    return Driven(state, survey(state, folder.blobs.get))
