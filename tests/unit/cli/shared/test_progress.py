"""Progress as plain lines, for logs and pipes."""

import pytest

from signoff.cli.shared.command import Output
from signoff.cli.shared.progress import Progress
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.evidence.receipts import Observation, Result
from signoff.domain.run.events import Done, Event, Intended, Recorded
from signoff.domain.run.outcomes import Checked, Outcome, Recalled
from signoff.domain.work.checks import Place
from signoff.engine.run_state import State


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
