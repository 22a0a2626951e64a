"""A delivery by a coding agent's own program: prompts, retries, failures, and nothing believed."""

import pytest
from clibench import Bench
from standin import Desk


@pytest.fixture
def desk(bench: Bench) -> Desk:
    return Desk(bench)


def deliver(desk: Desk, *words: str) -> object:
    return desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json", *words)


def test_a_ticket_is_delivered_by_the_agents_own_program(desk: Desk) -> None:
    """From prompt to sign-off, through the real backend."""
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert (ran.code, ran.document["outcome"]) == (0, "signed-off"), ran
    roles = ["planner" if "# Your role: planner" in str(call["prompt"]) else "builder" for call in desk.calls]
    assert roles == ["planner", "builder", "builder"]


def test_prompts_of_one_wave_begin_alike(desk: Desk) -> None:
    """A model's cache keeps a beginning only if no byte of it differs."""
    deliver(desk)
    one, other = (str(call["prompt"]) for call in desk.calls[1:])
    mark = "# Your task"
    assert one.split(mark)[0] == other.split(mark)[0]


def test_a_key_reaches_the_agent_only_by_its_name(desk: Desk) -> None:
    """What the settings do not name stays with the person."""
    deliver(desk)
    assert "ANTHROPIC_API_KEY" not in desk.calls[0]["env"]  # type: ignore[operator]
    desk.commit(signoff_dot_toml='[agent]\nenv = ["ANTHROPIC_API_KEY"]\n')
    deliver(desk)
    assert "ANTHROPIC_API_KEY" in desk.calls[-1]["env"]  # type: ignore[operator]


def test_a_rate_limit_is_waited_out_and_tried_again(desk: Desk) -> None:
    """It passes by itself; the run must not fail for it."""
    desk.moods("work", "limit")
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0, ran
    assert len(desk.calls) == 4


def test_a_login_that_does_not_count_is_not_tried_again(desk: Desk) -> None:
    """Asking four times with a wrong key changes nothing."""
    desk.moods("auth")
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 5, ran
    assert len(desk.calls) == 1
    assert "auth" in desk("status").out


def test_an_end_without_its_last_line_is_no_answer(desk: Desk) -> None:
    """Exit code 0 says nothing: it is tried again."""
    desk.moods("mute")
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0, ran
    assert len(desk.calls) == 4


def test_a_frozen_agent_is_noticed_and_ended(desk: Desk) -> None:
    """Ten minutes of silence must not take ten minutes."""
    desk.commit(signoff_dot_toml="[agent]\nsilence_s = 2\n")
    desk.moods("freeze")
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0, ran
    assert len(desk.calls) == 4


def test_what_it_cost_is_added_up(desk: Desk) -> None:
    """Three calls of one cent."""
    ran = desk("run", desk.ticket(), "--agent", "claude", "--yes", "--json")
    assert ran.code == 0
    assert desk("status", "--json").document["cost_usd"] == pytest.approx(0.03)


def test_a_missing_program_is_told_before_anything_starts(bench: Bench) -> None:
    """A run that cannot begin leaves nothing behind."""
    ran = bench("run", bench.ticket(), "--agent", "codex", "--yes", "--json")
    assert (ran.code, ran.document["error"]["slug"]) == (5, "agent-not-found")
    assert not (bench.root / ".signoff" / "runs").exists()
