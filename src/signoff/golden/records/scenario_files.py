"""Read a scenario file and collect everything that is wrong with it. Pure.

A scenario is laid out on disk when it is captured, so its paths must keep the same rules as those of any
other file from outside.
"""

import re
from collections.abc import Iterator

from signoff.domain.run.golden import Scenario
from signoff.domain.work.ticket import InputKind
from signoff.text.json.decode import decode
from signoff.text.repo_paths import why_outside

MOST_CYCLES = 50
MEMORY = ".signoff/memory/"

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")


def read_scenario(data: bytes, name: str) -> Scenario | tuple[str, ...]:
    """Return the scenario of the file `<name>.json`, or everything that is wrong with it."""
    decoded = decode(data, Scenario)
    if decoded.value is None:
        return tuple(f"{v.path or '/'}: {v.message}" for v in decoded.violations)
    wrong = tuple(_faults(decoded.value, name))
    return wrong or decoded.value


def _faults(scenario: Scenario, name: str) -> Iterator[str]:
    """Yield what the types of a scenario cannot rule out.

    All of it is yielded, so that an author sees every fault of the file at once.
    """
    if not _ID.fullmatch(scenario.id) or scenario.id != name:
        yield f"/id: must be {name!r}, the name of its file: small letters, digits and dashes"
    if (scenario.input is None) == (scenario.state is None):
        yield "/input: either an input or the state file of another run is needed"
    if not 1 <= scenario.cycle_cap <= MOST_CYCLES:
        yield f"/cycle_cap: must be from 1 to {MOST_CYCLES}"
    if why := "has a folder" if "/" in scenario.state_file else why_outside(scenario.state_file):
        yield f"/state_file: {scenario.state_file!r} {why}"
    given = (scenario.input, *(turn.give for turn in scenario.turns))
    for one in given:
        if one is not None and (one.kind is InputKind.TICKET) != (one.data is not None):
            yield "/input: a ticket has `data`, everything else has `text`"
    yield from _paths("/files", scenario.files)
    for number, turn in enumerate(scenario.turns):
        yield from _paths(f"/turns/{number}/edit", turn.edit)


def _paths(pointer: str, paths: "dict[str, str] | dict[str, str | None]") -> Iterator[str]:
    for path in paths:
        inside = path.removeprefix(MEMORY)  # a project may bring its memory; nothing else below .signoff/
        if why := why_outside(inside):
            yield f"{pointer}: {path!r} {why}"
