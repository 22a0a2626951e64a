"""The loop of the small agent: ask, use tools, ask again, until the model only speaks."""

import time
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from small_agent.asking import Model, Refusal
from small_agent.tools import Came, use
from small_agent.wires import Call, Result, Step, Tool, Turn, Used

_RETRIES = 2
_FIRST_WAIT_S = 0.05
_LONGEST_WAIT_S = 20.0
"""Whoever wants to be left alone for longer is not asked again."""


class Ended(NamedTuple):
    """How it came to its end: with words, or with what went wrong."""

    text: str = ""
    used: Used = Used()
    refused: bool = False
    failure: Refusal | None = None
    is_over_budget: bool = False


class Voice(Protocol):
    """How it tells its caller what it does."""

    def begin(self) -> None:
        """It starts."""

    def retries(self, refusal: Refusal, wait_s: float) -> None:
        """It asks again after a while."""

    def uses(self, call: Call) -> None:
        """It uses a tool."""

    def used(self, call: Call, came: Came) -> None:
        """The tool came back."""

    def says(self, text: str) -> None:
        """It says something."""

    def ends(self, ended: Ended) -> int:
        """It is at its end; give the exit code."""


def work(
    model: Model, prompt: str, offered: Mapping[str, Tool], voice: Voice, most_tokens: int | None = None
) -> int:
    """Work to the end and give the exit code."""
    voice.begin()
    steps: tuple[Step, ...] = ()
    used = Used()
    while True:
        turn = _ask(model, prompt, steps, offered, voice)
        if isinstance(turn, Refusal):
            return voice.ends(Ended(used=used, failure=turn))
        used = used.plus(turn.used)
        if not turn.calls:
            voice.says(turn.text)
            return voice.ends(Ended(turn.text, used, turn.refused))
        steps = (*steps, tuple(_use(call, offered, voice) for call in turn.calls))
        if most_tokens is not None and sum(used) > most_tokens:
            return voice.ends(Ended(used=used, is_over_budget=True))


def _ask(
    model: Model, prompt: str, steps: tuple[Step, ...], offered: Mapping[str, Tool], voice: Voice
) -> Turn | Refusal:
    for attempt in range(_RETRIES + 1):
        said = model.ask(prompt, steps, tuple(offered.values()))
        if isinstance(said, Turn) or not said.may_pass or attempt == _RETRIES:
            break
        wait_s = _FIRST_WAIT_S * 2**attempt if said.retry_after_s is None else said.retry_after_s
        if wait_s > _LONGEST_WAIT_S or said.kind == "insufficient_quota":
            break
        voice.retries(said, wait_s)
        time.sleep(wait_s)
    return said


def _use(call: Call, offered: Mapping[str, Tool], voice: Voice) -> Result:
    voice.uses(call)
    came = use(call, offered)
    voice.used(call, came)
    return Result(call, came.text)
