"""Summing up: the same number means a run, a session or one call, and is never counted twice."""

from agent_recordings import activities, lines
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.profiles.activity_tally import tally
from signoff.domain.machine.activity import (
    Complained,
    Finished,
    Metered,
    Spoke,
    ToolEnded,
    ToolStarted,
    UsageBasis,
)


def test_a_run_of_claude_is_counted() -> None:
    counted = tally(activities("claude", lines("claude", "edit")))

    assert counted.tools == {"Read": 1, "Edit": 1}
    assert counted.version == "2.1.325"
    assert counted.metered == Metered(
        basis=UsageBasis.RUN,
        input_tokens=3000,
        cached_tokens=600,
        cache_write_tokens=0,
        output_tokens=150,
        cost_usd=0.01143,
    )


def test_a_run_of_codex_is_counted_without_what_came_from_its_cache() -> None:
    """It counts cached tokens into its input; three calls of 1200, of which 200 cached."""
    counted = tally(activities("codex", lines("codex", "edit")))

    assert counted.tools == {"shell": 1, "apply_patch": 1}
    assert counted.metered == Metered(
        basis=UsageBasis.RUN, input_tokens=3000, cached_tokens=600, cache_write_tokens=0, output_tokens=150
    )


def test_a_run_that_was_ended_early_is_metered_by_its_calls() -> None:
    """A run that timed out has cost something; it is said that this is a sum of calls, the least it was."""
    counted = tally(activities("claude", lines("claude", "late-hang")))

    assert counted.finished is None
    assert counted.metered == Metered(
        basis=UsageBasis.LAST_CALL, input_tokens=2000, cached_tokens=400, cache_write_tokens=0
    )


def test_a_call_told_of_twice_counts_once() -> None:
    """Claude sends a message in as many lines as it has parts, each with the same usage."""
    call = Metered(basis=UsageBasis.LAST_CALL, call="msg_1", input_tokens=10)
    other = Metered(basis=UsageBasis.LAST_CALL, call="msg_2", input_tokens=5)

    assert tally([call, call, other]).metered == Metered(basis=UsageBasis.LAST_CALL, input_tokens=15)


def test_a_tool_and_its_refusal_count_once_however_often_they_are_told() -> None:
    started = ToolStarted(id="t1", tool="Bash")
    denied = ToolEnded(id="t1", failed=True, denied=True)

    counted = tally([started, started, denied, denied])

    assert (counted.tools, counted.denials) == ({"Bash": 1}, 1)


def test_the_last_thing_it_said_is_what_the_last_event_repeats() -> None:
    assert tally([Spoke(text="first"), Spoke(text="second"), Finished(ok=True)]).text == "second"
    assert tally([Spoke(text="first"), Finished(ok=True, text="the end")]).text == "the end"


@given(st.integers(0, 300))
def test_a_program_cannot_fill_the_tally_with_names_or_complaints(many: int) -> None:
    seen = [ToolStarted(id=f"t{n}", tool=f"tool-{n}") for n in range(many)]
    complaints = [Complained(message=str(n)) for n in range(many)]

    counted = tally([*seen, *complaints])

    assert sum(counted.tools.values()) == many
    assert len(counted.tools) <= 101
    assert [each.message for each in counted.complaints] == [str(n) for n in range(many)][-20:]
