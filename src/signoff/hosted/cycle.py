"""One cycle of a hosted run: read the state file, go as far as the engine can, write the file back.

The journal is written first, the state file last and as a whole. A cycle that dies in between leaves
either nothing new, or records from which the next one goes on.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.errors import ConfigError, ConflictError, UsageError
from signoff.domain.port_records import Link
from signoff.domain.run.events import Claimed, CycleStarted, RunStatus, StateExported
from signoff.domain.work.work_state import V0_NAME, V1_NAME, StateFile, WorkInput
from signoff.engine.inline import Inline
from signoff.engine.loop import SurveyedFlow, drive
from signoff.engine.run.mailbox import DriverMailbox
from signoff.engine.run.run_log import RunLog, live_stamp, records
from signoff.engine.run_state import fold
from signoff.engine.run_summary import sum_up
from signoff.hosted.effects.hosted_carrier import HostedCarrier
from signoff.hosted.exchange.host_claims import claims, everything, news, parse, refuse_other_input
from signoff.hosted.exchange.hosted_start import begin, is_same, refuse_other_persona
from signoff.hosted.exchange.state_export import export
from signoff.hosted.flow.flow import survey, walk
from signoff.hosted.flow.hosted_view import HostedView
from signoff.hosted.state_file.state_file_format import wire_for, write_state
from signoff.hosted.watch.watch_interface import Unwatched
from signoff.text.json.canonical import digest

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import Digest, RunId
    from signoff.domain.ports import RunFolder
    from signoff.domain.run.surveys import Survey
    from signoff.domain.work.work_state import DirectiveSet, StateFormat
    from signoff.engine.run.kit import HostedKit
    from signoff.engine.run_state import State
    from signoff.hosted.exchange.host_claims import WrittenSlice
    from signoff.hosted.flow.flow import Walked


class CycleRequest(msgspec.Struct, frozen=True):
    """What a host asks of one cycle."""

    state_file: str
    """Absolute path."""
    by: str
    given: WorkInput | None = None
    persona: str | None = None
    directive_set: DirectiveSet | None = None
    no_hooks: bool = False


class _Run(msgspec.Struct, frozen=True):
    """The run of a state file, and the state its journal folds to."""

    folder: RunFolder
    state: State

    @property
    def view(self) -> HostedView:
        return HostedView(self.state, self.folder.blobs.get)

    @property
    def given(self) -> WorkInput:
        """The input this run was started with."""
        return msgspec.json.decode(self.folder.blobs.get(self.view.start.ticket), type=WorkInput)


class Cycled(msgspec.Struct, frozen=True):
    """How a cycle ended."""

    folder: RunFolder
    state: State
    survey: Survey

    def report(self) -> str:
        """Render the delivery report, or as much of it as there is for a run that halts."""
        from signoff.hosted.report.work_report_facts import hosted_page

        return hosted_page(self.state, self.folder.blobs.get)


def cycle(kit: HostedKit, asked: CycleRequest) -> Cycled:
    """Run one cycle over a state file. It is locked for as long as the cycle takes."""
    with kit.links.hold(asked.state_file):
        data = kit.links.load(asked.state_file)
        run = _run_behind(kit, asked, data)
        if run is not None:
            return _later_cycle(kit, asked, run, data)
        if data is not None:
            return _begin_adopted(kit, asked, data)
        if asked.given is None:
            raise _nothing_given(kit, asked.state_file)
        folder = begin(kit, asked.given, _name_in_tree(kit, asked), asked.persona, asked.directive_set)
        return _first_cycle(kit, asked, folder, (), None)


def go_on(kit: HostedKit, folder: RunFolder, by: str) -> Cycled:
    """Run one cycle of a run that is known by its id: what a host would get by calling again."""
    link = kit.links.of_run(folder.run_id)
    if link is None:
        raise ConflictError(
            f"run {folder.run_id} has no state file",
            slug="state-missing",
            why="a later run took its place, or the link was removed",
            fix="signoff runs",
        )
    return cycle(kit, CycleRequest(link.state_file, by))


def _run_behind(kit: HostedKit, asked: CycleRequest, data: bytes | None) -> _Run | None:
    """Find the run that a call goes on with, or None if a new run is to begin.

    Three cases follow the link of the state file. Its run has given out a file before: go on if the file is
    still there. Its run was cut short in its first cycle: go on if the file and the input are what it read.
    Otherwise the run before it counts, if there is one, and the file is read anew.
    """
    link = kit.links.find(asked.state_file)
    if link is None:
        return None
    if link.run_id not in kit.store.list():
        if data is None:
            return None
        raise ConflictError(
            f"the run behind {asked.state_file} is gone",
            slug="run-unknown",
            why=f"there is no run {link.run_id} any more, and its journal was the truth",
            fix="move the state file away to start anew",
        )
    run = _opened(kit, link.run_id)
    if run.state.exports:
        return None if data is None else run
    if run.state.last_read == (None if data is None else digest(data)):
        is_asked = asked.given is None or is_same(asked.given, run.given)
        return run if data is not None or is_asked else None
    parent = run.view.start.parent
    if parent is None and data is not None and parse(data, asked.state_file).state.outcomes:
        raise ConflictError(
            f"the journal of run {link.run_id} knows nothing of {asked.state_file}",
            slug="state-foreign",
            why="the file says that the run went further than its journal does",
            fix="move the state file away to start anew",
        )
    return None if data is None or parent is None else _opened(kit, parent)


def _opened(kit: HostedKit, run_id: RunId) -> _Run:
    folder = kit.store.open(run_id)
    with folder.lock():
        folder.mend()
    state = fold(records(folder))
    if state.start is None:
        raise ConfigError(
            f"the journal of run {run_id} has no beginning",
            slug="journal-empty",
            why="its first records are gone, and with them what the run is pinned to",
            fix="move the state file away to start anew",
        )
    return _Run(folder, state)


def _begin_adopted(kit: HostedKit, asked: CycleRequest, data: bytes) -> Cycled:
    """Start a run from a state file that another engine, or a migration, left here."""
    file = parse(data, asked.state_file)
    given = file.state.input
    if asked.given is not None:
        refuse_other_input(asked.given, given, asked.state_file)
    folder = begin(kit, given, _name_in_tree(kit, asked), asked.persona or file.state.persona, adopted=True)
    return _first_cycle(kit, asked, folder, everything(file), digest(data))


def _first_cycle(
    kit: HostedKit,
    asked: CycleRequest,
    folder: RunFolder,
    said: tuple[WrittenSlice, ...],
    read: Digest | None,
) -> Cycled:
    """Run the first cycle of a run that was just begun. Nothing is loaded from an earlier cycle."""
    state = fold(records(folder))
    hooks = _watcher(kit, folder, state, asked.state_file, off=asked.no_hooks)
    return _run_cycle(kit, asked, _Run(folder, state), hooks, said, read)


def _is_recorded(state: State, claim: Claimed) -> bool:
    """Check whether a killed try of this cycle already recorded this claim."""
    had = state.claims.get(claim.key)
    is_of_now = state.claimed_before.get(claim.key) == state.cycles + 1
    return had is not None and had.answer == claim.answer and is_of_now


def _refuse_other_set(asked: CycleRequest, run: _Run) -> None:
    """Raise if a run that goes on is asked by a flag to take other steps. The state file may ask for them."""
    if asked.directive_set is not None and asked.directive_set is not run.view.route.directive_set:
        raise ConflictError(
            f"the run takes the steps of {run.view.route.directive_set}",
            slug="directive-set-conflict",
            why="--directive-set is for the beginning of a run",
            fix="leave it out, or write directive_set into the state file",
        )


def _later_cycle(kit: HostedKit, asked: CycleRequest, run: _Run, data: bytes | None) -> Cycled:
    folder, state = run.folder, run.state
    hooks = _watcher(kit, folder, state, asked.state_file, off=asked.no_hooks)
    hooks.at("before_load", state)
    file = None if data is None else parse(data, asked.state_file)
    if asked.given is not None:
        refuse_other_input(asked.given, run.given, asked.state_file)
    refuse_other_persona(asked.persona, state, run.view.settings)
    _refuse_other_set(asked, run)
    said = () if file is None or data is None else news(folder, state, file, data, asked.state_file)
    hooks.at("after_load", state, wrote=tuple(item.name for item in said))
    if state.ended is not None:
        assert file is not None
        assert data is not None
        return _after_report(kit, asked, run, file, data, said)
    return _run_cycle(kit, asked, run, hooks, said, None if data is None else digest(data))


def _after_report(
    kit: HostedKit,
    asked: CycleRequest,
    run: _Run,
    file: StateFile,
    data: bytes,
    said: tuple[WrittenSlice, ...],
) -> Cycled:
    """Return the report again while it is still true. Otherwise a new run continues the work."""
    folder, state = run.folder, run.state
    assert state.ended is not None
    if state.ended.status is not RunStatus.REPORTED:
        raise ConflictError(
            f"run {folder.run_id} has ended",
            slug="run-ended",
            why=state.ended.why,
            fix=f"move {asked.state_file} away to start anew",
        )
    moved = _has_moved(kit, state)
    if not said and not moved:
        # From the journal: `report` of the file is what a host left there.
        return Cycled(folder, state, survey(state, folder.blobs.get))
    view = run.view
    renewed = {item.name for item in said}
    # Old claims hold in the new run, but not what we computed, nor a review of other files.
    lapsed = {"outcomes", "verify"} if moved else {"outcomes"}
    claimed = tuple(item for item in everything(file) if item.name in renewed or item.name not in lapsed)
    successor = begin(
        kit, view.input, _name_in_tree(kit, asked), view.persona, view.route.directive_set, after=state
    )
    return _first_cycle(kit, asked, successor, claimed, digest(data))


def _has_moved(kit: HostedKit, state: State) -> bool:
    """Check whether the working tree differs from the tree in the report."""
    assert state.start is not None
    assert state.ended is not None
    if state.ended.final is None:
        return False
    return kit.place.look(state.start.base_tree, state.start.exchanged).tree != state.ended.final


def _run_cycle(
    kit: HostedKit,
    asked: CycleRequest,
    run: _Run,
    hooks: Unwatched,
    said: tuple[WrittenSlice, ...],
    read: Digest | None,
) -> Cycled:
    folder = run.folder
    with folder.lock():
        folder.mend()
        flow = SurveyedFlow(lambda state: survey(state, folder.blobs.get))
        with folder.writer() as journal:
            # It was read without the lock: an answer may have been recorded since.
            has_moved = journal.head != (run.state.seq, run.state.head)
            state = fold(records(folder)) if has_moved else run.state
            log = RunLog(journal, live_stamp(kit.clock), state)
            for claim in claims(folder.blobs, said, asked.by):
                if not _is_recorded(log.state, claim):
                    log.record(claim)
            number = log.state.cycles + 1
            log.record(CycleStarted(number=number, read=read, engine_version=kit.engine_version))
            # From here on a cycle that is cut short can be gone on with: its run is found by the state file.
            kit.links.keep(Link(run_id=folder.run_id, state_file=asked.state_file))
            hooks.at("before_dispatch", log.state)
            with hooks.steps(flow, log) as steps:
                drive(
                    steps,
                    log,
                    HostedCarrier(kit, folder, lambda: log.state),
                    DriverMailbox(folder, flow.halts, shared=False),
                    Inline(),
                    lambda _effect, running: not running,
                )
            found = flow.survey(log.state)
            view = HostedView(log.state, folder.blobs.get)
            walked = walk(view)
            hooks.at("after_dispatch", log.state, found)
            wire = _wire(kit, asked, read)
            page = _report(view, walked, found)
            exported = export(view, walked, page)
            data = write_state(StateFile(wire=wire, state=exported))
            hooks.at("before_save", log.state, found, exported=data)
            refined = folder.blobs.put(msgspec.json.encode(view.refined))
            given_out = folder.blobs.put(data)
            log.record(StateExported(state=given_out, wire=wire, refined=refined))
            if given_out != read:
                kit.links.save(asked.state_file, data)
            if found.conclusion is not None:
                log.record(found.conclusion)
        if page is not None:
            folder.write("report.md", page.encode())
        status = sum_up(log.state, found.step, found.halts, view.want.ticket, folder.size("journal.jsonl"))
        folder.write("state.json", msgspec.json.format(msgspec.json.encode(status), indent=2) + b"\n")
        hooks.at("after_save", log.state, found, exported=data)
        return Cycled(folder, log.state, found)


def _report(view: HostedView, walked: Walked, found: Survey) -> str | None:
    """Render the report of a run that has come to its end. One that halts does not wait for it."""
    if found.conclusion is None or found.conclusion.status is not RunStatus.REPORTED:
        return None
    from signoff.hosted.report.work_report_facts import page_of

    return page_of(view, walked)


def _wire(kit: HostedKit, asked: CycleRequest, read: Digest | None) -> StateFormat:
    """Return the version to write. Raises if the file was changed while the cycle ran."""
    existing = kit.links.load(asked.state_file)
    if (None if existing is None else digest(existing)) != read:
        raise ConflictError(
            f"{asked.state_file} was changed while the cycle ran",
            slug="state-changed",
            why="it is read once, when a cycle begins; what the cycle saw is recorded",
            fix="call again: what the file says now is read then",
        )
    return wire_for(asked.state_file, parse(existing, asked.state_file).wire if existing else None)


def _name_in_tree(kit: HostedKit, asked: CycleRequest) -> str:
    """Return the state file relative to the root, as the tree names it, or absolute if it is outside."""
    relative = posixpath.relpath(asked.state_file, kit.root)
    return asked.state_file if relative.startswith("..") else relative


def _nothing_given(kit: HostedKit, state_file: str) -> UsageError:
    legacy = posixpath.join(posixpath.dirname(state_file), V0_NAME)
    if posixpath.basename(state_file) == V1_NAME and kit.links.load(legacy) is not None:
        return UsageError(
            f"there is no {V1_NAME}, but an older {V0_NAME}",
            slug="state-legacy",
            why="it can be used as it is, or be brought up to date",
            fix=f"signoff migrate-state {V0_NAME}, or --state-file {V0_NAME}",
        )
    return UsageError(
        "nothing to work on",
        slug="input-missing",
        why=f"there is no state file {state_file}, and no input was given",
        fix="signoff work --ticket-file FILE (or --prompt-file, --diff-file, --file-file)",
    )


def _watcher(kit: HostedKit, folder: RunFolder, state: State, state_file: str, *, off: bool) -> Unwatched:
    """Return the watcher that the settings of the run ask for. `off` skips it for one cycle.

    Observers are loaded only where hooks are switched on.
    """
    settings = HostedView(state, folder.blobs.get).settings.hooks
    if not settings.enabled:
        return Unwatched()
    if off:
        kit.tell("hooks are switched off for this cycle (--no-hooks); the settings of the run have them on")
        return Unwatched()
    from signoff.hosted.watch.watched_steps import HookWatch, registered

    observers = registered(settings, kit.run_program, kit.tell)
    return HookWatch(observers, folder.blobs.get, state_file, kit.tell)
