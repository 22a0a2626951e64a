"""How ends are read that were told over the protocol: recordings of real agents in, a class out."""

from typing import NamedTuple

import pytest
from acp_conversations import DATA, PROFILES, conversation, messages, reading, told
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.profiles.activity_tally import tally
from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.machine.activity import Finished, Metered, Spoke, Tally, UnknownLine, UsageBasis
from signoff.domain.machine.process_records import Ending

DONE = '{"kind": "done", "summary": "as scripted"}'


class Row(NamedTuple):
    case: str
    failure: F | None
    status: int | None = None
    text: str = ""
    denials: int = 0


def done(*cases: str) -> tuple[Row, ...]:
    return tuple(Row(case, None, text=DONE) for case in cases)


# In every row whose failure is none of the protocol's, the agent says `end_turn` and nothing of a failure.
GOOSE = (
    *done("edit", "parallel", "text", "flaky500", "planner-reads"),
    Row("chatter", None, text="I looked around. All is well, I think."),
    Row("empty", None, text="The model returned an empty response. Please resend your message to continue."),
    Row(
        "refusal", None, text="The model returned an empty response. Please resend your message to continue."
    ),
    Row("planner-may-not-write", None, text=DONE, denials=1),
    Row("cut-short", F.TOO_MUCH_OUTPUT),
    Row("err400", F.BAD_REQUEST, 400),
    Row("err401", F.AUTH),
    Row("err404", F.BAD_REQUEST, 404),
    Row("context", F.CONTEXT_OVERFLOW),
    Row("err429", F.RATE_LIMITED),
    Row("quota", F.QUOTA_EXCEEDED),
    Row("err500", F.SERVER_ERROR, 500),
    Row("late500", F.SERVER_ERROR, 500),
    Row("err503", F.OVERLOADED, 503),
    Row("stream-error", F.OVERLOADED),
    Row("cut", F.NETWORK),
    Row("drop", F.NETWORK),
    Row("garbage", F.NETWORK),
    Row("no-server", F.NETWORK),
)
COPILOT = (
    *done("edit", "parallel", "text", "flaky500", "planner-reads"),
    Row("chatter", None, text="I looked around. All is well, I think."),
    Row("refusal", None),
    Row("cut-short", None, text='{"kind": "done", "summ' * 3),
    Row("planner-may-not-write", None, text="Info: Operation cancelled by user", denials=1),
    Row("empty", F.UNKNOWN),
    Row("err400", F.BAD_REQUEST, 400),
    Row("err401", F.AUTH, 401),
    Row("err404", F.BAD_REQUEST, 404),
    Row("context", F.CONTEXT_OVERFLOW),
    Row("err429", F.RATE_LIMITED, 429),
    Row("quota", F.QUOTA_EXCEEDED, 429),
    Row("err500", F.SERVER_ERROR, 500),
    Row("late500", F.SERVER_ERROR, 500),
    Row("err503", F.OVERLOADED, 503),
    Row("stream-error", F.OVERLOADED),
    Row("cut", F.NETWORK),
    Row("drop", F.NETWORK),
    Row("garbage", F.NETWORK),
)

GEMINI = (
    *done("edit", "parallel", "text", "flaky500", "planner-reads", "planner-may-not-write"),
    Row("chatter", None, text="I looked around. All is well, I think."),
    Row("empty", None),
    Row("refusal", None, text="I can't help with that."),
    Row("cut-short", None, text='{"kind": "done", "summ'),
    Row("stream-error", None),
    Row("err400", F.BAD_REQUEST, 400),
    Row("err401", F.AUTH, 401),
    Row("err404", F.BAD_REQUEST),  # told as a 500
    Row("context", F.CONTEXT_OVERFLOW, 400),
    Row("err429", F.RATE_LIMITED, 429),
    Row("quota", F.QUOTA_EXCEEDED, 429),
    Row("err500", F.SERVER_ERROR, 500),
    Row("late500", F.SERVER_ERROR, 500),
    Row("err503", F.OVERLOADED, 503),
    Row("cut", F.NETWORK),
    Row("drop", F.NETWORK),
    Row("garbage", F.SERVER_ERROR, 500),
)

# It tells the words of an error and never its status.
OPENCODE = (
    *done("edit", "parallel", "text", "flaky500", "planner-reads", "planner-may-not-write"),
    Row("chatter", None, text="I looked around. All is well, I think."),
    Row("empty", None),
    Row("cut-short", None, text='{"kind": "done", "summ'),
    Row("refusal", F.REFUSED),
    Row("err400", F.BAD_REQUEST),
    Row("err401", F.AUTH),
    Row("err404", F.BAD_REQUEST),
    Row("context", F.CONTEXT_OVERFLOW),
    Row("err429", F.RATE_LIMITED),
    Row("quota", F.QUOTA_EXCEEDED),
    Row("err500", F.SERVER_ERROR),
    Row("err503", F.OVERLOADED),
    Row("drop", F.NETWORK),
)

QWEN = (
    *done("edit", "parallel", "text", "flaky500", "planner-reads", "planner-may-not-write"),
    Row("chatter", None, text="I looked around. All is well, I think."),
    Row("cut-short", None, text='{"kind": "done", "summ' * 5),
    Row("empty", F.UNKNOWN),
    Row("refusal", F.UNKNOWN),
    Row("err400", F.BAD_REQUEST, 400),
    Row("err401", F.AUTH, 401),
    Row("err404", F.BAD_REQUEST, 404),
    Row("context", F.CONTEXT_OVERFLOW, 400),
    Row("stream-error", F.OVERLOADED),
    Row("cut", F.NETWORK),
    Row("garbage", F.NETWORK),
)

TABLE = [
    *(("goose", row) for row in GOOSE),
    *(("copilot", row) for row in COPILOT),
    *(("gemini", row) for row in GEMINI),
    *(("opencode", row) for row in OPENCODE),
    *(("qwen", row) for row in QWEN),
]


@pytest.mark.parametrize(("agent", "row"), TABLE, ids=[f"{agent}-{row.case}" for agent, row in TABLE])
def test_what_an_agent_told_is_read_as_the_table_says(agent: str, row: Row) -> None:
    """A row that changes changes who is asked again, who falls back and what a person is told."""
    seen, counted, end = reading(agent, row.case, may_write=not row.case.startswith("planner"))

    assert end.failure is row.failure, end.detail
    assert (end.http_status, end.text, counted.denials) == (row.status, row.text, row.denials)
    assert [each for each in seen if isinstance(each, UnknownLine)] == []
    assert counted.version == PROFILES[agent].tested


def test_every_recording_is_in_the_table() -> None:
    """A recording that nobody reads guards nothing."""
    recorded = {(path.parent.name, path.stem) for path in DATA.glob("*/*.jsonl")}

    assert recorded == {(agent, row.case) for agent, row in TABLE}


# Three calls to the model of 1200 tokens in, of which 200 from a cache, and 50 out.
USED = {
    "goose": Metered(basis=UsageBasis.LAST_CALL, input_tokens=1200, output_tokens=50),
    "opencode": Metered(
        basis=UsageBasis.LAST_CALL, input_tokens=1000, cached_tokens=200, output_tokens=50, cost_usd=0.00381
    ),
    "copilot": Metered(
        basis=UsageBasis.RUN, input_tokens=3000, cached_tokens=600, cache_write_tokens=0, output_tokens=150
    ),
    "gemini": Metered(basis=UsageBasis.RUN, input_tokens=3600, output_tokens=150),
    "qwen": None,
}


@pytest.mark.parametrize("agent", sorted({agent for agent, _ in TABLE}))
def test_what_was_used_is_told_with_what_it_covers(agent: str) -> None:
    """Two of them tell of their last call alone, one of nothing; a sum that is too small says so."""
    counted = reading(agent, "edit").tally

    assert counted.metered == USED[agent]
    assert sum(counted.tools.values()) == 2
    assert sum(reading(agent, "parallel").tally.tools.values()) == 3


@pytest.mark.parametrize("agent", sorted({agent for agent, _ in TABLE}))
def test_without_the_answer_to_the_prompt_a_good_run_is_none(agent: str) -> None:
    given_messages = [message for message in messages(agent, "edit") if message.get("id") != 2]
    counted = tally(conversation(told(agent), given_messages))

    assert PROFILES[agent].classify(0, Ending.EXITED, counted, "").failure is F.NO_END


@pytest.mark.parametrize("agent", sorted(PROFILES))
@given(
    exit_code=st.none() | st.integers(-5, 300),
    ending=st.sampled_from(Ending),
    finished=st.none() | st.builds(Finished, ok=st.booleans(), text=st.text(max_size=5)),
    stderr=st.text(max_size=30),
)
def test_success_needs_an_end_of_its_own_a_last_event_and_no_error(
    agent: str, exit_code: int | None, ending: Ending, finished: Finished | None, stderr: str
) -> None:
    """Of all combinations there is one that is success."""
    counted = Tally(finished=finished, text=finished.text if finished else "")
    end = PROFILES[agent].classify(exit_code, ending, counted, stderr)

    is_good = exit_code == 0 and ending is Ending.EXITED and finished is not None and finished.ok
    assert (end.failure is None) == is_good


@pytest.mark.parametrize(
    ("text", "tools", "failure"),
    [
        ("Error: unauthorized", {}, F.AUTH),
        ("Error: unauthorized", {"edit": 1}, None),
        ("Error: 401 unauthorized", {"edit": 1}, F.AUTH),
        (f"Error: unauthorized was the word I had to mend.\n{DONE}", {}, None),
        ("I mended this: Error: 401 unauthorized", {}, None),
    ],
)
def test_an_error_in_the_models_place_is_one_only_where_it_cannot_be_the_models_words(
    text: str, tools: dict[str, int], failure: F | None
) -> None:
    """A model that speaks of errors is not logged out; without an answer the reply fails in any case."""
    counted = Tally(finished=Finished(ok=True), text=text, tools=tools)

    assert PROFILES["copilot"].classify(0, Ending.EXITED, counted, "").failure is failure


@pytest.mark.parametrize(
    ("reason", "failure"),
    [
        ("max_tokens", F.TOO_MUCH_OUTPUT),
        ("max_turn_requests", F.TURNS_USED_UP),
        ("refusal", F.REFUSED),
        ("cancelled", F.INTERRUPTED),
        ("something_new", F.UNKNOWN),
        ("", F.UNKNOWN),
    ],
)
def test_every_end_but_one_is_a_failure(reason: str, failure: F) -> None:
    answer: dict[str, object] = {"id": 2, "result": {"stopReason": reason}}
    counted = tally([Spoke(text=DONE), *conversation(told("goose"), [answer])])

    assert PROFILES["goose"].classify(0, Ending.EXITED, counted, "").failure is failure
