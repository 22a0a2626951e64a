"""The built-in observers, and the one that asks a program of the project.

Each looks at its record only. No observer decides anything about the work: they look for mistakes of the
engine, or pass a question on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.run.hooks import HookError, HookVeto, Observer
from signoff.domain.work.settings import HookPoint
from signoff.domain.work.work_state import StateFormat
from signoff.hosted.flow.cycle_output import PREFIX
from signoff.hosted.flow.hosted_questions import DECLARED
from signoff.hosted.state_file.state_file_format import read_state, write_state
from signoff.text.truncation import short

if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.domain.run.hooks import HookRecord, RunProgram
    from signoff.domain.work.settings import HookCommand

_LONGEST = 300
VETO = 2
"""The exit code by which a program says no."""


def trace(tell: Callable[[str], None]) -> Observer:
    """Return an observer that prints one line at every point."""

    def look(record: HookRecord) -> None:
        step, outcome = record.step or "-", record.outcome or "-"
        tell(f"[hook] event={record.point} step={step} set={record.set} outcome={outcome}")

    return Observer("trace", frozenset(HookPoint), look)


def halt_surface_audit() -> Observer:
    """Warn of a halt that a host could not read: its code, its options, its directive."""
    return Observer("halt-surface-audit", frozenset({HookPoint.ON_HALT}), _audit)


def _audit(record: HookRecord) -> None:
    """Raise HookError if a host could not read the halt.

    Its code must be declared by the step, its numbered options come last, its directive first or not at all.
    """
    faults = []
    if record.code is None or record.code not in DECLARED.get(record.step, ()):
        faults.append(f"{record.step} does not declare {record.code}")
    numbered = tuple(f"> {number}. {option}" for number, option in enumerate(record.options, start=1))
    if not numbered or record.lines[-len(numbered) :] != numbered:
        faults.append("it has no numbered options at its end")
    directives = [at for at, line in enumerate(record.lines) if line.startswith(PREFIX)]
    if directives != ([0] if record.verb else []):
        faults.append(
            "its directive is not its first line" if record.verb else "a line looks like a directive"
        )
    if faults:
        raise HookError(f"halt {record.halt}: {'; '.join(faults)}")


def state_shape() -> Observer:
    """Veto a state file that does not read back as itself: the next cycle could not go on from it."""
    return Observer("state-shape", frozenset({HookPoint.BEFORE_SAVE}), _reads_back)


def _reads_back(record: HookRecord) -> None:
    data = record.exported.encode()
    found = read_state(data)
    if found.value is None:
        lines = tuple(f"{fault.code} at {fault.path or '/'}: {fault.message}" for fault in found.violations)
        raise HookVeto("the state file could not be read back", lines)
    if write_state(found.value) != data:
        raise HookVeto("the state file reads back as another one")


def directive_set_guard() -> Observer:
    """Veto a state file with another directive set than the one decided on.

    The record has the set from the journal's records, the file has it from the export: two ways to one
    value. A file of version 0 says nothing of it, and is not looked at.
    """
    return Observer("directive-set-guard", frozenset({HookPoint.BEFORE_SAVE}), _keeps_the_set)


def _keeps_the_set(record: HookRecord) -> None:
    file = read_state(record.exported.encode()).value
    if file is None or file.wire is StateFormat.V0:
        return
    if file.state.directive_set is not record.set:
        raise HookVeto(
            f"the state file says `{file.state.directive_set}`, and `{record.set}` was decided on",
            ("a run changes its steps only by a recorded answer or claim",),
        )


def program(command: HookCommand, run: RunProgram) -> Observer:
    """Return an observer that asks a program, with the record as JSON on standard input.

    Exit 0 passes, exit 2 vetoes, and any other exit is a warning.
    """
    name = command.name or command.command[0].rpartition("/")[2]

    def look(record: HookRecord) -> None:
        try:
            exit_code, stderr = run(command.command, msgspec.json.encode(record), command.timeout_s)
        except InfrastructureError as error:
            raise HookError(f"{error.what}: {error.why}") from error
        lines = stderr.decode("utf-8", "replace").splitlines()
        said = [text for line in lines if (text := short(line, _LONGEST))]
        if exit_code == VETO:
            raise HookVeto(said[0] if said else "it gave no reason", tuple(said[1:]))
        if exit_code != 0:
            raise HookError(f"it exited with {exit_code}{': ' + said[-1] if said else ''}")

    return Observer(name, frozenset(command.points), look)
