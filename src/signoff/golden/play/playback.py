"""Play a scenario against the engine, cycle by cycle, and record its answers.

The same player captures and replays, only the stage differs. The state file is copied before the host
writes into it.
"""

import json
import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from signoff.domain.base.errors import ConfigError, SignoffError
from signoff.domain.run.golden import (
    CAPPED,
    CONFIG_ERROR,
    HALTED,
    STATE_FILE,
    SUCCESS,
    GivenInput,
    HaltMarker,
    Pack,
    RecordedCycle,
    Scenario,
    Transcript,
)
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import WorkInput
from signoff.golden.play.scenario_host import BY, ScenarioHost
from signoff.golden.play.stage import ScenarioStage
from signoff.hosted.cycle import Cycled, CycleRequest, cycle
from signoff.hosted.flow.cycle_output import CycleOutput, outcome_of, question_lines, spoken
from signoff.intake.refinement.envelopes import (
    Envelope,
    envelope_from_diff,
    envelope_from_path,
    envelope_from_prompt,
    envelope_from_ticket,
)
from signoff.intake.refinement.intake_questions import ABOUT

ROOT = "<root>"
"""Stands for the folder a scenario was captured in."""
REFUSED = 2
"""The exit code of `signoff work` when nothing was done."""
_INPUTS: Mapping[InputKind, tuple[str, str, Callable[[GivenInput], Envelope]]] = {
    InputKind.TICKET: (
        "--ticket-file",
        "ticket.json",
        lambda given: envelope_from_ticket(json.dumps(given.data).encode(), "ticket.json"),
    ),
    InputKind.PROMPT: ("--prompt-file", "prompt.txt", lambda given: envelope_from_prompt(given.text)),
    InputKind.DIFF: ("--diff-file", "work.diff", lambda given: envelope_from_diff(given.text)),
    InputKind.FILE: ("--file-file", "path.txt", lambda given: envelope_from_path(given.text)),
}
"""For each kind of input the flag and the file that a host would name, and what makes an envelope of it."""


class _CycleEnd(NamedTuple):
    """How one cycle ended. There is a page unless nothing was done."""

    exit_code: int
    stdout: str
    stderr: str
    halt: HaltMarker | None
    report: str
    snapshot: bytes | None
    directive: str = ""


def play(stage: ScenarioStage, scenario: Scenario) -> Pack:
    """Play a scenario to its end and return its pack."""
    return _Player(stage, scenario).pack()


class _Player:
    def __init__(self, stage: ScenarioStage, scenario: Scenario) -> None:
        self._stage = stage
        self._scenario = scenario
        self._root = stage.kit().root
        self._path = posixpath.join(self._root, scenario.state_file)
        self._host = ScenarioHost(stage, self._path)
        self._ended: list[_CycleEnd] = []
        self._words: list[tuple[str, ...]] = []
        self._actions: list[str] = []

    def pack(self) -> Pack:
        scenario = self._scenario
        if scenario.state is not None:
            self._host.begin_with(scenario.state)
        outcome = self._play()
        last = self._ended[-1]
        return Pack(
            scenario=scenario,
            transcript=Transcript(id=scenario.id, final_outcome=outcome, cycles=tuple(self._cycles())),
            snapshots=tuple(ended.snapshot for ended in self._ended),
            halts=tuple(ended.halt for ended in self._ended if ended.halt is not None),
            report=last.report or f"no report: cycle {len(self._ended)} ended with {_code(last)}\n",
            seen=self._stage.observations(),
        )

    def _play(self) -> str:
        """Alternate calls and turns of the host until no turn is left, and return how it ended."""
        self._call(self._scenario.input)
        for turn in self._scenario.turns:
            if self._ended[-1].exit_code == REFUSED:
                break
            if len(self._ended) >= self._scenario.cycle_cap:
                self._actions.append("")
                return CAPPED
            self._actions.append(self._host.take(turn))
            self._call(turn.give)
        self._actions.append("")
        last = self._ended[-1]
        if last.exit_code == REFUSED:
            return CONFIG_ERROR
        return SUCCESS if last.exit_code == 0 else f"{HALTED}{_code(last)}"

    def _call(self, given: GivenInput | None) -> None:
        number = len(self._ended) + 1
        persona = self._scenario.persona if number == 1 else None
        self._stage.enter(number)
        hosted = self._stage.kit().hosted
        assert hosted is not None
        kit = hosted()
        self._words.append(_words(given, persona, self._scenario.state_file))
        try:
            asked = CycleRequest(
                self._path, BY, None if given is None else _envelope(given), persona, no_hooks=True
            )
            done = cycle(kit, asked)
        except SignoffError as error:
            self._ended.append(self._refused(number, error, kit.links.load(self._path)))
            return
        self._ended.append(self._spoken(number, done, kit.links.load(self._path)))

    def _spoken(self, number: int, done: Cycled, snapshot: bytes | None) -> _CycleEnd:
        said = spoken(done.state, done.survey, done.report)
        root = self._root.encode("utf-8", "surrogateescape")
        return _CycleEnd(
            exit_code=said.exit_code,
            stdout=self._clean(said.text) + "\n",
            stderr="",
            halt=self._marker(number, done, said),
            report=self._clean(done.report()),
            snapshot=None if snapshot is None else snapshot.replace(root, ROOT.encode()),
            directive=said.halt.verb if said.halt else "",
        )

    def _refused(self, number: int, error: SignoffError, snapshot: bytes | None) -> _CycleEnd:
        reasons = (f"  {name}: {said}" for name, said in (("why", error.why), ("fix", error.fix)) if said)
        return _CycleEnd(
            exit_code=REFUSED,
            stdout="",
            stderr=self._clean("\n".join((f"error[{error.slug}]: {error.what}", *reasons))) + "\n",
            halt=HaltMarker(cycle=number, exit_code=REFUSED, code=error.slug, kind="error"),
            report="",
            snapshot=snapshot,
        )

    def _marker(self, number: int, done: Cycled, said: CycleOutput) -> HaltMarker | None:
        halt = said.halt
        if halt is not None:
            return HaltMarker(
                cycle=number,
                exit_code=said.exit_code,
                code=halt.code,
                kind=halt.kind,
                step=halt.step,
                outcome=outcome_of(halt),
                directive=halt.verb,
                payload=halt.payload,
                asks_about=next(
                    (str(dimension) for dimension, question in ABOUT.items() if question == halt.question), ""
                ),
                awaits=tuple(str(one.kind) for one in done.survey.halts),
                terminal_only=tuple(
                    number
                    for number, option in enumerate(halt.options, start=1)
                    if option in halt.terminal_only
                ),
                questions=tuple(map(self._clean, question_lines(halt))),
            )
        if said.exit_code == 0:
            return None
        ended = done.state.ended
        code = str(ended.status) if ended else "stopped"
        return HaltMarker(
            cycle=number, exit_code=said.exit_code, code=code, kind="ended", step=done.survey.step
        )

    def _cycles(self) -> Iterator[RecordedCycle]:
        rows = zip(self._words, self._ended, self._actions, strict=True)
        for index, (words, ended, action) in enumerate(rows, start=1):
            yield RecordedCycle(
                index=index,
                words=words,
                exit_code=ended.exit_code,
                stdout=ended.stdout,
                stderr=ended.stderr,
                directive=ended.directive,
                action=action,
            )

    def _clean(self, text: str) -> str:
        return text.replace(self._root, ROOT)


def _code(ended: _CycleEnd) -> str:
    return ended.halt.code if ended.halt else "a report"


def _words(given: GivenInput | None, persona: str | None, state_file: str) -> tuple[str, ...]:
    """Return the words that a host would have typed."""
    return (
        "work",
        *(_INPUTS[given.kind][:2] if given else ()),
        *(("--persona", persona) if persona else ()),
        *(("--state-file", state_file) if state_file != STATE_FILE else ()),
    )


def _envelope(given: GivenInput) -> WorkInput:
    made = _INPUTS[given.kind][2](given)
    if isinstance(made, WorkInput):
        return made
    raise ConfigError(
        f"the input cannot be taken for a {given.kind}",
        slug="input-invalid",
        why="; ".join(f"{v.path or '/'}: {v.message}" for v in made[:5]),
    )
