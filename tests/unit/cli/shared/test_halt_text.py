"""How an open halt and an interrupt are told to a person."""

from typing import Any, cast

import pytest

from signoff.cli.shared import run_driver
from signoff.cli.shared.command import Output
from signoff.cli.shared.halt_text import halts_text
from signoff.cli.shared.progress import Progress
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.halts import HaltCode, HaltKind
from signoff.runs.state.open_halts import OpenHalt


@pytest.mark.parametrize(
    ("terminal_only", "ending"),
    [(("go on",), "R budget-1 1 (typed in a terminal)"), (("stop",), "R budget-1 1"), ((), "R budget-1 1")],
)
def test_an_answer_that_only_counts_when_it_is_typed_is_offered_as_such(
    terminal_only: tuple[str, ...], ending: str
) -> None:
    """Whoever relays it would be refused, and would not know why it was offered."""
    halt = OpenHalt(
        id=HaltId("budget-1"),
        code=HaltCode.BUDGET_USED_UP,
        kind=HaltKind.PERSON,
        step="implement",
        question="More?",
        options=("go on", "stop"),
        commands=("signoff answer R budget-1 1", "signoff answer R budget-1 2"),
        terminal_only=terminal_only,
    )
    assert halts_text([halt]).endswith(ending)


def test_a_run_that_is_interrupted_for_good_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After the third Ctrl-C nothing else is said of the run."""

    class Known:
        run_id = "R1"
        ticket = title = ""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_driver, "mend", lambda _: 0)
    monkeypatch.setattr(run_driver, "status", lambda *_: Known())
    monkeypatch.setattr(run_driver, "resume", interrupted)
    say = Output(as_json=False)

    with pytest.raises(KeyboardInterrupt):
        run_driver.drive(cast(Any, None), cast(Any, Known()), say, "me", Progress(say))

    assert "signoff runs resume R1" in capsys.readouterr().err
