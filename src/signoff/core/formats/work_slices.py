"""Judge the parts of a state file that are about work on a user interface.

Pure; loaded only for a file that has such parts. The types in `domain.work_slices` say what is right, and
the reference is made from them too. The parts themselves are kept as they came.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from signoff.core.formats.state_faults import OutcomeWord, StateFault
from signoff.core.violations import below, fault
from signoff.domain.violations import Severity, Violation
from signoff.domain.work_slices import MixedContract, Stack, Stitch, UiAudit, UiDesign, UiPolish, UiReview
from signoff.domain.work_state import Persona, WorkState

SLICES: Final[Mapping[str, Any]] = {
    "stack": Stack,
    "ui_audit": UiAudit,
    "ui_design": UiDesign,
    "ui_review": UiReview,
    "ui_polish": UiPolish,
    "contract": MixedContract,
    "stitch": Stitch,
}
"""The record of each part, by its key, in the order on disk."""

MOST_ROUNDS: Final = 2
"""Rounds of polish without the one that a person may add."""


def slice_faults(name: str, value: object) -> Iterator[Violation]:
    """Yield what is wrong with one part that is not null; keys nobody knows are fine."""
    try:
        part = msgspec.convert(value, SLICES[name])
    except ValueError:
        # The types are walked only now: it takes longer to load than all the rest of a cycle's reading.
        from signoff.core.decode import convert

        for found in convert(value, SLICES[name], is_shallow=True).violations:
            if found.severity is Severity.ERROR:
                yield msgspec.structs.replace(found, path=below("", name) + found.path)
        return
    if isinstance(part, UiPolish) and part.rounds > MOST_ROUNDS and not part.extension_used:
        message = f"{part.rounds} rounds, and {MOST_ROUNDS} are the most without `extension_used`"
        fix = f"write at most {MOST_ROUNDS}, or set `extension_used` where a person allowed it"
        yield fault(StateFault.TOO_MANY_ROUNDS, message, below("", name, "rounds"), fix=fix)


def state_shape() -> type[msgspec.Struct]:
    """Give a state as the schema has it: what is read, where the record only keeps what came."""
    kinds = {name: kind | None for name, kind in SLICES.items()}
    kinds |= {"persona": Persona | None, "outcomes": dict[str, OutcomeWord | None]}
    fields: list[Any] = []
    for field in msgspec.structs.fields(WorkState):
        kind = kinds.get(field.name, field.type)
        if field.required or field.name == "version":
            fields.append((field.name, kind))
        elif field.default is msgspec.NODEFAULT:
            fields.append((field.name, kind, msgspec.field(default_factory=field.default_factory)))
        else:
            fields.append((field.name, kind, field.default))
    return msgspec.defstruct(WorkState.__name__, fields, kw_only=True)
