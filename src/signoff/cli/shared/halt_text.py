"""Open halts as text for a person."""

from collections.abc import Iterable

from signoff.delivery.report.plan_page import plan_page
from signoff.domain.run.halts import HaltKind
from signoff.runs.state.open_halts import OpenHalt


def halts_text(halts: Iterable[OpenHalt]) -> str:
    """Return every open halt, each with the exact command that answers it."""
    return "\n".join(_text(halt) for halt in halts)


def question_text(halt: OpenHalt) -> str:
    """Return what a person is asked: the proposed plan, if any, the question, and the numbered options."""
    plan = [plan_page(halt.contract)] if halt.contract else []
    options = [f"  {number}. {option}" for number, option in enumerate(halt.options, start=1)]
    return "\n".join((*plan, halt.question, *options))


def _text(halt: OpenHalt) -> str:
    if halt.kind is HaltKind.PERSON:
        return f"waits for a person ({halt.code}):\n{question_text(halt)}\n  answer with: {_answer(halt)}"
    parts = {
        "directive:": halt.directive_file,
        "work in:": halt.checkout,
        "submit with:": _command(halt),
    }
    asked = halt.question if not halt.directive_file else ""
    lines = [f"waits for an agent ({halt.code}): {halt.id}", *([f"  {asked}"] if asked else [])]
    return "\n".join((*lines, *(f"  {name:<12} {value}" for name, value in parts.items() if value)))


def _answer(halt: OpenHalt) -> str:
    """Return the command of the first option, marked if it only counts when typed in a terminal."""
    first = halt.options[0] if len(halt.options) == len(halt.commands) else ""
    return _command(halt) + (" (typed in a terminal)" if first in halt.terminal_only else "")


def _command(halt: OpenHalt) -> str:
    return halt.commands[0]
