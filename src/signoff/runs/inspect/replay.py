"""Replay: feed the recorded events to the flow again and compare what it asks for, without any agent."""

from typing import NamedTuple

from signoff.domain.ports import RunFolder
from signoff.domain.run.events import Intended, Recorded, RunEnd
from signoff.engine.run.run_log import records
from signoff.engine.run_state import State, advance
from signoff.runs.state.flow_choice import survey
from signoff.text.json.canonical import canonical, digest


class Replay(NamedTuple):
    """Whether today's code asks for the same effects as the journal holds."""

    identical: bool
    events: int
    first_difference: str = ""


def replay(folder: RunFolder) -> Replay:
    """Fold the journal record by record, asking the flow before each intent and at the end."""
    state = State()
    count = 0
    for entry in records(folder):
        difference = _difference(folder, state, entry)
        if difference:
            return Replay(identical=False, events=count, first_difference=f"record {entry.seq}: {difference}")
        state = advance(state, entry)
        count += 1
    return Replay(identical=True, events=count)


def _difference(folder: RunFolder, state: State, entry: Recorded) -> str:
    event = entry.event
    if isinstance(event, Intended):
        effects = {effect.key: effect for effect in survey(state, folder.blobs.get).effects}
        effect = effects.get(event.key)
        if effect is None:
            return f"the flow does not ask for {event.key}; it asks for {', '.join(effects) or 'nothing'}"
        if digest(canonical(effect)) != event.effect:
            return f"the flow asks for another effect under {event.key}"
    if isinstance(event, RunEnd):
        conclusion = survey(state, folder.blobs.get).conclusion
        if conclusion != event:
            return f"the flow concludes {conclusion.status if conclusion else 'nothing'}, not {event.status}"
    return ""
