"""Progress without a terminal, while time really passes."""

import time
from typing import cast

import pytest

from signoff.cli.shared.command import Output
from signoff.cli.shared.progress import Progress
from signoff.domain.base.typed_ids import Digest, EffectKey
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.events import Intended, Recorded
from signoff.engine.run_state import State


class Quiet:
    """An agent whose activity nobody can read."""

    name = "command"
    works_in_a_box = None

    def dispatch(self, request: AgentRequest) -> AgentReply:
        raise NotImplementedError

    def recover(self, request: AgentRequest) -> AgentReply | None:
        raise NotImplementedError

    def was_started(self, request: AgentRequest) -> bool:
        raise NotImplementedError


class Asked:
    checkout = "/nowhere"


def test_without_a_terminal_a_long_dispatch_says_that_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """A log that stands still for half an hour looks like a hang, and CI ends silent jobs."""
    key = EffectKey("implement/T1/attempt-1/dispatch-1")
    progress = Progress(Output(as_json=False), heartbeat_s=0.02)
    with progress, progress.in_flight.working(key, Quiet(), cast("AgentRequest", Asked)):
        intended = Intended(key=key, do="dispatch", effect=Digest("sha256:0"))
        progress.moved(Recorded(seq=0, ts="", sum="", event=intended), State())
        time.sleep(0.2)
        said = capsys.readouterr().err

    assert f"… {key}: still working after 0:00" in said
