"""The exact commands that take a run further. Pure."""

import shlex

from signoff.domain.halts import Halt, HaltKind
from signoff.domain.ids import RunId


def halt_commands(run_id: RunId, halt: Halt) -> tuple[str, ...]:
    """Give the command, or one per option, that answers a halt."""
    name = shlex.quote(halt.id)
    if halt.kind is HaltKind.AGENT:
        return (f"signoff submit {run_id} ANSWER.json --directive {name}",)
    if not halt.options:
        return (f"signoff answer {run_id} {name} 'YOUR ANSWER'",)
    return tuple(f"signoff answer {run_id} {name} {number}" for number in range(1, len(halt.options) + 1))
