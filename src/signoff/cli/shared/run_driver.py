"""What `run`, `demo` and `runs resume` share: drive a run, show its progress, and print how it ended."""

import os.path
import sys
from typing import Any, NamedTuple

from signoff.cli.shared.command import Output, show
from signoff.cli.shared.files import read_file
from signoff.cli.shared.halt_text import halts_text, question_text
from signoff.cli.shared.interrupts import stopping_on_signals
from signoff.cli.shared.progress import Progress
from signoff.cli.shared.terminal import on_terminal, typed_line
from signoff.delivery.report.report import headline
from signoff.domain.base.errors import ConflictError, UsageError
from signoff.domain.ports import RunFolder
from signoff.domain.run.events import How
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.engine.run_state import State
from signoff.engine.run_summary import exit_code, outcome_of
from signoff.runs.drive.plan_files import is_planned, keep_plan
from signoff.runs.drive.run_drive import Driven, mend, resume
from signoff.runs.drive.run_start import read_cassette
from signoff.runs.inspect.run_list import look, status
from signoff.runs.people.given_answers import PersonWord, answer
from signoff.runs.people.notification import notify
from signoff.runs.state.open_halts import OpenHalt, open_halts


def spoken() -> How:
    """Return how an answer given to this command came in: typed at a terminal, or relayed by a program."""
    return How.TERMINAL if on_terminal() else How.RELAYED


def drive(
    kit: Kit, folder: RunFolder, say: Output, by: str, progress: Progress, ticket: Ticket | None = None
) -> Driven:
    """Drive a run until it waits or ends. On a terminal, put its questions to the person there.

    `ticket` is that of a run which was just started: there is nothing to repair or to look up.
    """
    if ticket is None:
        if cut := mend(folder):
            say.note(f"the last line of the journal was torn: {cut} bytes were cut and kept beside it")
        known = status(kit, folder.run_id)
        progress.title = f"{known.ticket} {known.title}".strip()
    else:
        progress.title = f"{ticket.id} {ticket.title}".strip()
    ask = on_terminal() and not say.as_json
    while True:
        try:
            with progress, stopping_on_signals(progress, ask=ask) as on_ready:
                driven = resume(kit, folder, progress.moved, on_ready, progress.in_flight)
        except KeyboardInterrupt:
            say.note(f"the run was left as it stood; go on with: signoff runs resume {folder.run_id}")
            raise
        for note in notify(kit, folder, *driven):
            say.note(note)
        halt = next((halt for halt in driven.survey.halts if halt.kind is HaltKind.PERSON), None)
        resting = driven.state.stopping or driven.state.ended is not None
        if halt is None or not ask or resting or not _put(kit, folder, say, halt, by):
            return driven


class Rest(NamedTuple):
    """How a run ended or what it waits for: as a document, as text, and as an exit code."""

    document: dict[str, Any]
    text: str
    notes: tuple[str, ...]
    exit_code: int


def conclude(kit: Kit, folder: RunFolder, say: Output, driven: Driven, **more: object) -> int:
    """Print how a run ended or what it waits for, and return its exit code."""
    rest = rest_of(kit, folder, driven)
    say.result({**rest.document, **more}, rest.text)
    for note in rest.notes:
        say.note(note)
    return rest.exit_code


def rest_of(kit: Kit, folder: RunFolder, driven: Driven) -> Rest:
    """Return how a run ended or what it waits for.

    An ended run is folded again, because waivers given since count. Only an open run has halts to show.
    """
    state, found = driven
    if state.ended is not None:
        _, state, found = look(kit, folder.run_id)  # with the waivers given since
    halts = found.halts if state.ended is None else ()
    outcome = outcome_of(state, halts)
    opened = open_halts(kit, folder, halts)
    files = {name: _file(folder, name) for name in ("report.md", "certificate.json")}
    document: dict[str, Any] = {
        "run_id": folder.run_id,
        "outcome": outcome,
        "step": found.step,
        "verdict": found.verdict if state.ended is not None else None,
        "certificate": files["certificate.json"],
        "report": files["report.md"],
        "halt": next(iter(opened), None),
        "halts": opened,
        "why": state.ended.why if state.ended else "",
    }
    text = headline(state, found) if state.ended is not None else halts_text(opened)
    notes = [f"{name.partition('.')[0]}: {path}" for name, path in files.items() if path and state.ended]
    if state.start is not None and state.start.record:
        recording = document["cassette"] = kit.store.cassette_path(folder.run_id)
        notes.append(f"cassette: {recording}")
        if os.path.exists(recording):  # it is written at the end of a drive
            notes += [f"note: {said}" for said in read_cassette(read_file(recording), recording).notes]
    if state.start is not None and state.start.only_plan:
        document |= _plan_of(kit, folder, state)
        notes += [f"{name}: {document[f'{name}_file']}" for name in ("spec", "contract") if is_planned(state)]
    if outcome == "stopped":
        notes.append(f"stopped; go on with: signoff runs resume {folder.run_id}")
    return Rest(document, text, tuple(notes), exit_code(outcome, halts))


def _plan_of(kit: Kit, folder: RunFolder, state: State) -> dict[str, Any]:
    """Return the files of a planning run, None for each before the plan is sealed."""
    if not is_planned(state):
        return {"spec": None, "contract": None}
    found = keep_plan(kit, folder, state)
    return {
        "spec": found.spec,
        "contract": found.contract,
        "spec_file": found.spec_path,
        "contract_file": found.contract_path,
    }


def _file(folder: RunFolder, name: str) -> str | None:
    return folder.path(name) if folder.size(name) else None


def _put(kit: Kit, folder: RunFolder, say: Output, halt: Halt, by: str) -> bool:
    """Ask the person at the terminal and record the answer. Return False if they leave the question open."""
    (opened,) = open_halts(kit, folder, (halt,))
    say.note(f"\n{question_text(opened)}")
    while True:
        text = _typed(opened)
        if text is None:
            return False
        try:
            answer(kit, folder, halt.id, text, PersonWord(by, How.TERMINAL))
        except UsageError as error:
            show(error, say)
        except ConflictError as error:
            if error.slug != "halt-unknown":
                raise
            say.note(f"{error.what}; the run goes on with that")
            return True
        else:
            return True


def _typed(halt: OpenHalt) -> str | None:
    """Read a line, or for criteria all lines up to an empty one. Return None at the end of input."""
    several = halt.code is HaltCode.TICKET_UNCLEAR
    if several:
        print("(an empty line ends the list)", file=sys.stderr)
    lines: list[str] = []
    while True:
        line = typed_line()
        if line is None:
            return "\n".join(lines) or None
        if line:
            lines.append(line)
        if lines and not (several and line):
            return "\n".join(lines)
