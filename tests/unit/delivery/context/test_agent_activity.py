"""What an agent is doing right now, from its activity."""

from msgspec.structs import replace

from signoff.delivery.context.agent_activity import Doing, Follower, spent
from signoff.domain.base.typed_ids import Digest
from signoff.domain.machine.activity import (
    Activity,
    Finished,
    Metered,
    Retried,
    Spoke,
    ToolEnded,
    ToolStarted,
    UsageBasis,
)
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, AgentFailure, Interrupted, Recalled, Usage


def after(*activities: Activity) -> Doing:
    follower = Follower()
    for activity in activities:
        follower.add(activity)
    return follower.doing


READ = ToolStarted(id="1", tool="Read", about="a.py")


def test_a_tool_is_shown_until_it_comes_back() -> None:
    assert (after(READ).tool, after(READ).about) == ("Read", "a.py")
    assert after(READ, ToolEnded(id="1")).tool == ""
    assert after(READ, ToolStarted(id="2", tool="Bash"), ToolEnded(id="1")).tool == "Bash"


def test_a_tool_that_is_told_of_twice_counts_once() -> None:
    assert after(READ, READ, ToolStarted(id="2", tool="Read")).tool_calls == 2


def test_the_last_words_stand_in_one_line_without_escapes() -> None:
    assert after(Spoke(text="first"), Spoke(text="\x1b[2J now\nthis")).words == "[2J now this"


def test_calls_are_added_up_and_a_figure_for_the_whole_run_replaces_them() -> None:
    """Adding a total to its parts would show twice what was spent."""
    one = Metered(basis=UsageBasis.LAST_CALL, call="a", input_tokens=10, output_tokens=5)
    two = Metered(basis=UsageBasis.LAST_CALL, call="b", input_tokens=10, cost_usd=0.5)

    assert (after(one, one, two).tokens, after(one, one, two).cost_usd) == (25, 0.5)
    assert after(one, two, Metered(basis=UsageBasis.RUN, input_tokens=7)).tokens == 7
    assert after().tokens is None


def test_retries_of_its_own_and_its_end_are_seen() -> None:
    doing = after(Retried(why="overloaded"), READ, Finished(ok=True))

    assert (doing.retries, doing.words, doing.tool, doing.finished) == (1, "overloaded", "", True)


def test_what_was_spent_counts_failures_too() -> None:
    usage = Usage(input_tokens=10, output_tokens=1, cost_usd=0.25)
    answered = AgentAnswered(answer=Digest("d"), kind="done", usage=usage)
    failed = AgentFailed(failure=AgentFailure.CRASHED, usage=usage)

    assert spent((Recalled(), answered, failed, Interrupted())) == (0.5, 22, 2)
    assert spent((Recalled(),)) == (None, None, 0)
    whole = AgentAnswered(answer=Digest("d"), kind="done", usage=replace(usage, basis=UsageBasis.SESSION))
    assert spent((answered, whole)) == (0.25, 11, 0), "a session's figures hold earlier dispatches, too"
