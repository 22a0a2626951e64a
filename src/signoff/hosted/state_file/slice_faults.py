"""Judge the parts of a state file that are about work on a user interface.

Pure, and loaded only for a file that has such parts. The types in `domain.state_file.work_slices` say what is
right, and the reference is made from them too. The parts themselves are kept as they came.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.state_file.work_slices import SLICES, UiPolish
from signoff.hosted.state_file.state_faults import StateFault
from signoff.text.json.violation_list import below, fault

MOST_ROUNDS: Final = 2
"""Rounds of polish without the one that a person may add."""


def slice_faults(name: str, value: object) -> Iterator[Violation]:
    """Yield what is wrong with one part that is not null. Unknown keys are fine."""
    try:
        part = msgspec.convert(value, SLICES[name])
    except ValueError:
        # The types are walked only now: it takes longer to load than all the rest of a cycle's reading.
        from signoff.text.json.decode import convert

        for found in convert(value, SLICES[name], is_shallow=True).violations:
            if found.severity is Severity.ERROR:
                yield msgspec.structs.replace(found, path=below("", name) + found.path)
        return
    if isinstance(part, UiPolish) and part.rounds > MOST_ROUNDS and not part.extension_used:
        message = f"{part.rounds} rounds, and {MOST_ROUNDS} are the most without `extension_used`"
        fix = f"write at most {MOST_ROUNDS}, or set `extension_used` where a person allowed it"
        yield fault(StateFault.TOO_MANY_ROUNDS, message, below("", name, "rounds"), fix=fix)
