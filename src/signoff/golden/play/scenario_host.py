"""The turn of a host between two cycles of a scenario: edit files, fill in the state file, answer."""

import json
from collections.abc import Iterator

from signoff.domain.base.errors import SignoffError
from signoff.domain.ports import Links
from signoff.domain.run.events import How
from signoff.domain.run.golden import HostTurn, ScenarioAnswer
from signoff.golden.play.stage import ScenarioStage
from signoff.golden.records.pack_files import as_json
from signoff.runs.people.given_answers import PersonWord, answer
from signoff.text.json.json_text import read_json

BY = "golden"


class ScenarioHost:
    """The host of one scenario."""

    def __init__(self, stage: ScenarioStage, state_file: str) -> None:
        self._stage = stage
        self._path = state_file

    def begin_with(self, state: object) -> None:
        """Write the state file that the first cycle starts from."""
        self._links.save(self._path, as_json(state))

    def take(self, turn: HostTurn) -> str:
        """Do what the turn asks for, and return a description of it."""
        return "; ".join(self._done(turn)) or "call again"

    def _done(self, turn: HostTurn) -> Iterator[str]:
        if turn.edit:
            self._stage.edit(turn.edit)
            yield f"edit {', '.join(sorted(turn.edit))}"
        if turn.write:
            self._write(turn.write)
            yield f"write {', '.join(sorted(turn.write))}"
        if turn.answer is not None:
            yield self._answer(turn.answer)
        if turn.give is not None:
            yield f"give another {turn.give.kind}"

    @property
    def _links(self) -> Links:
        hosted = self._stage.kit().hosted
        assert hosted is not None
        return hosted().links

    def _write(self, slices: dict[str, object]) -> None:
        _, state, _ = read_json(self._links.load(self._path) or b"{}")
        filled = {**(state if isinstance(state, dict) else {}), **slices}
        self._links.save(self._path, (json.dumps(filled, indent=2, ensure_ascii=False) + "\n").encode())

    def _answer(self, given: ScenarioAnswer) -> str:
        kit = self._stage.kit()
        link = self._links.find(self._path)
        if link is None:
            return "answer refused: there is no run"
        how = How.TERMINAL if given.on_terminal else How.RELAYED
        try:
            taken = answer(kit, kit.store.open(link.run_id), given.halt, given.answer, PersonWord(BY, how))
        except SignoffError as error:
            return f"answer refused: {error.slug}"
        return f"answer: {taken.answer}"
