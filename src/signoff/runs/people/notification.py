"""Tell a program of the person that a run waits for them, or has ended.

Each halt and the end are announced at most once, also when the run is resumed: the announcement is recorded
before it is made. Whether the program succeeds never changes the run or its exit code.
"""

import msgspec

from signoff.domain.base.errors import SignoffError
from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import RunId
from signoff.domain.ports import RunFolder
from signoff.domain.run.events import Driver
from signoff.domain.run.halts import Halt, HaltKind
from signoff.domain.run.surveys import Survey
from signoff.domain.work.settings import NotifyEvent, NotifySettings, Settings
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.halt_commands import halt_commands
from signoff.engine.run.kit import Kit
from signoff.engine.run_state import State
from signoff.engine.run_summary import outcome_of
from signoff.text.redaction import redact
from signoff.text.truncation import short

_TOLD = "notified.json"
_LONGEST_COMPLAINT = 200


class Notice(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the program reads on standard input, as JSON. Of agents it holds no word but the question."""

    version: int = 1
    event: NotifyEvent
    run_id: RunId
    root: str
    """The repository."""
    ticket: str
    title: str
    outcome: str
    step: str
    halt: str = ""
    code: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """The commands that answer the halt, one for each option. At the end of a run, what shows the report."""


def notify(kit: Kit, folder: RunFolder, state: State, found: Survey) -> tuple[str, ...]:
    """Report what is new of a run that waits or has ended. Return notes on failed notifications."""
    start = state.start
    if start is None or start.driver is Driver.RECORDED:
        return ()
    settings = msgspec.json.decode(folder.blobs.get(start.settings), type=Settings)
    wanted = settings.notify
    if wanted.command is None:
        return ()
    try:
        told = msgspec.json.decode(folder.read(_TOLD) or b"[]", type=list[str])
    except msgspec.DecodeError:
        told = []  # nothing depends on it: at worst a notice is sent twice
    said: list[str] = []
    for name, notice in _news(kit, folder, state, found, wanted):
        if name in told:
            continue
        told.append(name)
        folder.write(_TOLD, msgspec.json.encode(told) + b"\n")
        body = redact(msgspec.json.encode(notice) + b"\n", kit.credentials(settings.agent.env))
        if complaint := _run_command(kit, wanted, body):
            said.append(f"{notice.event}: the [notify] command {complaint}")
    return tuple(said)


def _news(
    kit: Kit, folder: RunFolder, state: State, found: Survey, wanted: NotifySettings
) -> list[tuple[str, Notice]]:
    """Return the notices that are due, each with the name under which it counts as sent."""
    if state.ended is not None:
        if NotifyEvent.END not in wanted.on:
            return []
        commands = (f"signoff report {folder.run_id}",)
        return [("end", _notice(kit, folder, state, found, NotifyEvent.END, commands=commands))]
    if state.stopping or NotifyEvent.HALT not in wanted.on:
        return []
    waiting = [halt for halt in found.halts if halt.kind is HaltKind.PERSON]
    return [
        (f"halt:{halt.id}", _notice(kit, folder, state, found, NotifyEvent.HALT, halt)) for halt in waiting
    ]


def _notice(
    kit: Kit,
    folder: RunFolder,
    state: State,
    found: Survey,
    event: NotifyEvent,
    halt: Halt | None = None,
    commands: tuple[str, ...] = (),
) -> Notice:
    assert state.start is not None
    ticket = msgspec.json.decode(folder.blobs.get(state.start.ticket), type=Ticket)
    return Notice(
        event=event,
        run_id=folder.run_id,
        root=kit.root,
        ticket=ticket.id,
        title=ticket.title,
        outcome=outcome_of(state, found.halts),
        step=found.step,
        halt=halt.id if halt else "",
        code=str(halt.code) if halt else "",
        question=halt.question if halt else "",
        options=halt.options if halt else (),
        commands=halt_commands(folder.run_id, halt) if halt else commands,
    )


def _run_command(kit: Kit, wanted: NotifySettings, body: bytes) -> str:
    """Run the program, and return what went wrong or ""."""
    assert wanted.command is not None
    try:
        code, stderr = kit.run_program(wanted.command, body, float(wanted.timeout_s))
    except SignoffError as error:
        return short(f"could not be run: {error.what}: {error.why}", _LONGEST_COMPLAINT)
    if code == 0:
        return ""
    return short(f"ended with {code}: {stderr.decode(errors='replace')}", _LONGEST_COMPLAINT)
