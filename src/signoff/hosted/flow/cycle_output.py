"""The output of a hosted cycle: its exit code, and its text on stdout. Pure.

Everything a host or a ticket wrote may stand in a question, so every text goes on one line, behind `> `. No
line but the one that the engine wrote can pass for a directive.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from signoff.domain.run.events import RunStatus
from signoff.engine.run.halt_commands import halt_commands
from signoff.text.lazy_patterns import pattern
from signoff.text.truncation import short

if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.domain.run.halts import Halt
    from signoff.domain.run.surveys import Survey
    from signoff.engine.run_state import State

PREFIX = "@agent-directive:"
REPORTED = 0
HALTED = 1

_LONGEST = 300
_PLAIN = pattern(r"[A-Za-z0-9._#/:@+-]+")


class CycleOutput(msgspec.Struct, frozen=True):
    """How a cycle ended, as its host learns it."""

    exit_code: int
    text: str
    halt: Halt | None = None
    """What is awaited first."""


def spoken(state: State, found: Survey, report: Callable[[], str]) -> CycleOutput:
    """Return what a cycle prints: the report, or the halt with the commands that answer it."""
    ended = state.ended
    if ended is not None and ended.status is RunStatus.REPORTED:
        return CycleOutput(REPORTED, report().rstrip("\n"))
    halt = found.halts[0] if found.halts and ended is None else None
    if halt is None:
        why = ended.why if ended else "it was stopped"
        return CycleOutput(HALTED, f"[halt] outcome=blocked step={found.step}\n> {why}")
    lines = [f"[halt] outcome={outcome_of(halt)} step={halt.step}", *question_lines(halt)]
    lines += [f"> answer with: {command}" for command in halt_commands(state.run_id, halt)]
    for each in found.halts[1:]:  # numbered otherwise than the options above: each says what it does
        commands = zip(each.options, halt_commands(state.run_id, each), strict=False)
        lines += [f"> or {option}: {command}" for option, command in commands]
    return CycleOutput(HALTED, "\n".join(lines), halt)


def outcome_of(halt: Halt) -> str:
    """Name the outcome of a step that halts."""
    return "partial" if halt.is_partial else "blocked"


def question_lines(halt: Halt) -> tuple[str, ...]:
    """Return a halt as the protocol prints it: the directive first, then what a person reads."""
    directive = (directive_line(halt.verb, halt.payload),) if halt.verb else ()
    options = tuple(f"> {number}. {option}" for number, option in enumerate(halt.options, start=1))
    return (*directive, f"> {halt.question}", *(f"> {line}" for line in halt.lines), *options)


def directive_line(verb: str, payload: dict[str, str]) -> str:
    """Return the line that names the agent's work. A value that is not a plain word is quoted as JSON."""
    return " ".join((PREFIX, verb, *(f"{name}={_quoted(value)}" for name, value in payload.items())))


def one_line(text: str) -> str:
    """Return a text on one line, cut to a length that a terminal can show."""
    return short(text, _LONGEST)


def _quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(one_line(value), ensure_ascii=False)
