"""The exact commands that answer a halt. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.run.halts import HaltKind

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import RunId
    from signoff.domain.run.halts import Halt


def halt_commands(run_id: RunId, halt: Halt) -> tuple[str, ...]:
    """Return the commands that answer a halt: one, or one for each option."""
    name = _quoted(halt.id)
    if halt.kind is HaltKind.AGENT:
        return (f"signoff submit {run_id} ANSWER.json --directive {name}",)
    if not halt.options or halt.takes_text:
        return (f"signoff answer {run_id} {name} 'YOUR ANSWER'",)
    return tuple(f"signoff answer {run_id} {name} {number}" for number in range(1, len(halt.options) + 1))


def _quoted(word: str) -> str:
    if word.isascii() and word.replace("/", "").replace("-", "").isalnum():
        return word  # as nearly every halt is called
    import shlex

    return shlex.quote(word)
