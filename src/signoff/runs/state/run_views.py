"""Keep the views of a run in step with its journal: state.json, PROGRESS.md, handoff.md, report.md."""

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from signoff.delivery.context.run_view import View
from signoff.delivery.report.handoff import handoff
from signoff.delivery.report.progress_page import progress
from signoff.delivery.report.report import report
from signoff.domain.ports import Clock, RunFolder
from signoff.domain.run.events import Event, Recorded
from signoff.domain.run.status import Status
from signoff.domain.run.surveys import Survey
from signoff.engine.run.kit import Kit
from signoff.engine.run.run_log import RunLog, live_stamp, records
from signoff.engine.run_state import State
from signoff.engine.run_summary import sum_up
from signoff.runs.state.flow_choice import is_hosted, survey
from signoff.runs.state.flow_choice import ticket as ticket_of
from signoff.runs.state.open_halts import write_directives

ARTIFACTS = ("contract.json", "certificate.json", "report.md", "verification.json")


class Views:
    """Writes the views: at step boundaries and when the run rests, else at most once a second."""

    def __init__(
        self, folder: RunFolder, look: Callable[[State], Survey], clock: Clock, past: Iterable[Recorded] = ()
    ) -> None:
        self._folder = folder
        self._look = look
        self._clock = clock
        self._recent: deque[Recorded] = deque(past, maxlen=10)
        self._written_in = ""
        self._step = ""

    def moved(self, entry: Recorded, state: State) -> None:
        """Take note of one more record."""
        self._recent.append(entry)
        found = self._look(state)
        second = self._clock.now()[:19]
        if second == self._written_in and found.step == self._step:
            return
        self._written_in = second
        self._write(state, found, durable=False)

    def rest(self, state: State) -> None:
        """Write everything as it stands now."""
        found = self._look(state)
        self._step = ""
        if state.ended is not None:
            write_report(self._folder, state, found)
        self._write(state, found, durable=True)

    def _write(self, state: State, found: Survey, *, durable: bool) -> None:
        status = status_of(self._folder, state, found)
        write_directives(self._folder, status.run_id, status.halts)
        self._folder.write("state.json", encode_status(status), durable=durable)
        sizes = {name: self._folder.size(name) for name in ARTIFACTS if self._folder.size(name)}
        page = progress(status, found.steps, self._recent, sizes)
        self._folder.write("PROGRESS.md", page.encode(), durable=durable)
        if found.step != self._step:
            self._step = found.step
            self._folder.write("handoff.md", handoff(status, state, found).encode(), durable=durable)


def record_event(kit: Kit, folder: RunFolder, state: State, event: Event) -> State:
    """Record one event of a run that has no driver, bring the views in step and return the new state.

    Needs the lock of the run.
    """
    views = Views(folder, lambda s: survey(s, folder.blobs.get), kit.clock, records(folder))
    with folder.writer() as journal:
        log = RunLog(journal, live_stamp(kit.clock), state, views.moved)
        log.record(event)
    views.rest(log.state)
    return log.state


def status_of(folder: RunFolder, state: State, found: Survey) -> Status:
    """Sum a run up as of its last record."""
    ticket = ticket_of(state, folder.blobs.get)
    return sum_up(state, found.step, found.halts, ticket, folder.size("journal.jsonl"))


def read_status(folder: RunFolder) -> Status | None:
    """Return what `state.json` says, or None if it is missing or unreadable. It may be out of date."""
    data = folder.read("state.json")
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=Status)
    except msgspec.DecodeError:
        return None  # a view is rebuilt at will; the journal is the truth


def is_current(folder: RunFolder) -> bool:
    """Check whether `state.json` knows the whole journal."""
    view = read_status(folder)
    return view is not None and view.offset == folder.size("journal.jsonl")


def encode_status(status: Status) -> bytes:
    """Encode `state.json` as it is written to disk."""
    return msgspec.json.format(msgspec.json.encode(status), indent=2) + b"\n"


def write_report(folder: RunFolder, state: State, found: Survey) -> None:
    """Write report.md and verification.json from the journal."""
    folder.write("report.md", report_page(folder, state, found).encode())
    if found.verdict is not None:
        body = msgspec.json.format(msgspec.json.encode(found.verdict), indent=2) + b"\n"
        folder.write("verification.json", body)


def report_page(folder: RunFolder, state: State, found: Survey) -> str:
    """Return the delivery report as it follows from the journal."""
    if is_hosted(state):
        from signoff.hosted.report.work_report_facts import hosted_page

        return hosted_page(state, folder.blobs.get)
    view = View(state, folder.blobs.get)
    return report(view.ticket(), state, found, view.contract(), view.sealed(), view.facts())


def handoff_page(folder: RunFolder, state: State, found: Survey) -> str:
    """Return the handoff as it follows from the journal."""
    return handoff(status_of(folder, state, found), state, found)
