"""Progress as plain lines, for logs and pipes."""

import time
from typing import cast

import pytest

from signoff.cli.shared.command import Output
from signoff.cli.shared.progress import Progress
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.evidence.receipts import Observation, Result
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.events import Done, Event, Intended, Recorded
from signoff.domain.run.outcomes import Checked, Outcome, Recalled
from signoff.domain.work.checks import Place
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


def seen(result: Result, place: Place) -> Checked:
    observation = Observation(clause=ClauseId("c"), place=place, tree=TreeId("t"), result=result, detail="d")
    return Checked(observation=observation)


def shown(progress: Progress, capsys: pytest.CaptureFixture[str], *events: Event) -> list[str]:
    with progress:
        for seq, event in enumerate(events):
            progress.moved(Recorded(seq=seq, ts="", sum="", event=event), State())
    return capsys.readouterr().err.splitlines()


def both(key: str, outcome: Outcome) -> tuple[Event, Event]:
    intended = Intended(key=EffectKey(key), do="x", effect=Digest("sha256:0"))
    return intended, Done(key=EffectKey(key), outcome=outcome)


def test_a_check_that_must_fail_first_and_does_is_good_news(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(
        Progress(Output(as_json=False)),
        capsys,
        *both("plan/attempt-1/base/c", seen(Result.FAIL, Place.BASE)),
        *both("verify/round-1/final/c", seen(Result.FAIL, Place.FINAL)),
    )

    assert lines == [
        "✓ plan/attempt-1/base/c: red on base, as it must be (d)",
        "✗ verify/round-1/final/c: fail on final (d)",
    ]


def test_headings_name_each_step_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(
        Progress(Output(as_json=False), headings=True),
        capsys,
        *both("memory/recall", Recalled()),
        *both("analyze/detect", Recalled()),
        *both("memory/again", Recalled()),
    )

    assert [line for line in lines if line[:1].isdigit()] == ["1. refine", "2. memory", "3. analyze"]


def test_quiet_progress_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        shown(Progress(Output(as_json=False), quiet=True), capsys, *both("memory/recall", Recalled())) == []
    )


def test_without_a_terminal_a_long_dispatch_says_that_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """A log that stands still for half an hour looks like a hang, and CI ends silent jobs."""
    key = EffectKey("implement/T1/attempt-1/dispatch-1")
    progress = Progress(Output(as_json=False), heartbeat_s=0.02)
    with progress, progress.floor.working(key, Quiet(), cast("AgentRequest", Asked)):
        intended = Intended(key=key, do="dispatch", effect=Digest("sha256:0"))
        progress.moved(Recorded(seq=0, ts="", sum="", event=intended), State())
        time.sleep(0.2)
        said = capsys.readouterr().err

    assert f"… {key}: still working after 0:00" in said
