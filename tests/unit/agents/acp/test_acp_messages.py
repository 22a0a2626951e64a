"""What single messages mean, and that none can do harm."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.acp.messages import Translator, complaint
from signoff.agents.profiles.acp_client_input import Metering, UsageSource
from signoff.domain.machine.activity import (
    Activity,
    Complained,
    Finished,
    Metered,
    Retried,
    Spoke,
    ToolEnded,
    ToolKind,
    ToolStarted,
    UnknownLine,
    UsageBasis,
)


def said(text: str, message: str = "") -> dict[str, object]:
    content = {"type": "text", "text": text}
    return {"sessionUpdate": "agent_message_chunk", "content": content, "messageId": message or None}


def seen(*updates: Mapping[str, object], notices: tuple[str, ...] = ()) -> list[Activity]:
    translator = Translator(Metering(), notices)
    return [*(each for update in updates for each in translator.update(update)), *translator.flush()]


def test_pieces_are_one_message_until_a_tool_a_thought_or_another_message() -> None:
    """The answer is looked for in the last message; half of one would hide it."""
    tool = {"sessionUpdate": "tool_call", "toolCallId": "t1", "kind": "execute", "title": "ls"}
    thought = {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}}

    found = seen(
        said("a"), said("b"), tool, said("c", "m1"), said("d", "m1"), said("e", "m2"), thought, said("f")
    )

    assert [each.text for each in found if isinstance(each, Spoke)] == ["ab", "cd", "e", "f"]


def test_a_tool_is_told_of_once_with_its_kind_and_its_file() -> None:
    first = {
        "sessionUpdate": "tool_call",
        "toolCallId": "t1",
        "kind": "edit",
        "title": "Edit a",
        "status": "pending",
    }
    place = {"locations": [{"path": "/work/a.py"}]}
    last = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "failed"}
    unannounced = {"sessionUpdate": "tool_call_update", "toolCallId": "t2", "status": "completed"}

    assert seen({**first, **place}, last, unannounced) == [
        ToolStarted(id="t1", tool="edit", does=ToolKind.EDIT, about="/work/a.py", paths=("/work/a.py",)),
        ToolEnded(id="t1", failed=True),
        ToolStarted(id="t2", tool="other"),
        ToolEnded(id="t2"),
    ]


def test_every_file_of_an_edit_is_told_of_also_those_that_it_names_later() -> None:
    """The second file, or one that is named when the tool is at work, may lie outside the checkout."""
    begun = {"sessionUpdate": "tool_call", "toolCallId": "t1", "kind": "edit", "title": "Edit"}
    two = {"locations": [{"path": "a.py"}, {"path": "../b.py"}]}
    later = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", **two}

    found = [each.paths for each in seen(begun, later, later) if isinstance(each, ToolStarted)]

    assert found == [(), ("a.py", "../b.py")]


def test_what_an_agent_says_about_asking_again_is_not_what_the_model_says() -> None:
    """It would stand before the answer, or before the error that says why."""
    notice = "Info: Request failed due to a transient API error. Retrying..."

    found = seen(said("Info: it works, "), said(notice), said("Info: done"), notices=("Info: ",))

    assert found == [Spoke(text="Info: it works, "), Retried(why=notice), Spoke(text="Info: done")]


def test_a_price_is_one_in_dollars() -> None:
    """Nothing is what a program says that knows no price."""
    costs = (
        {"amount": 0.5, "currency": "USD"},
        {"amount": 0.5, "currency": "EUR"},
        {"amount": 0, "currency": "USD"},
    )

    found = seen(*({"sessionUpdate": "usage_update", "used": 5, "size": 10, "cost": cost} for cost in costs))

    assert found == [Metered(basis=UsageBasis.SESSION, cost_usd=0.5)]


@pytest.mark.parametrize(
    ("metering", "figures"),
    [
        (Metering(), (100, 30)),
        (Metering(includes_cached=True), (70, 30)),
        (Metering(counts=UsageSource.QUOTA, basis=UsageBasis.RUN), (7, None)),
    ],
)
def test_figures_are_read_as_the_profile_says(metering: Metering, figures: tuple[int, int | None]) -> None:
    usage = {"inputTokens": 100, "cachedReadTokens": 30, "outputTokens": 5, "totalTokens": 105}
    meta = {"quota": {"token_count": {"input_tokens": 7, "output_tokens": 5}}}

    metered, end = Translator(metering).ended({"stopReason": "end_turn", "usage": usage, "_meta": meta})

    assert isinstance(metered, Metered)
    assert (metered.input_tokens, metered.cached_tokens) == figures
    assert (metered.basis, end) == (metering.basis, Finished(ok=True, reason="end_turn"))


@pytest.mark.parametrize(
    ("code", "message", "data", "status", "kind"),
    [
        (401, "no", None, 401, ""),
        (500, "The model does not exist", None, None, ""),
        (-32000, "Authentication required", None, None, "authentication"),
        (-32603, "Internal error: 400 Invalid request", None, 400, ""),
        (-32603, "Internal error", {"errorKind": "rate_limit"}, None, "rate_limit"),
        (-32603, "Internal error", {"statusCode": 503}, 503, ""),
        (-32603, "Internal error", "more", None, ""),
    ],
)
def test_an_error_tells_its_status_and_its_kind(
    code: int, message: str, data: object, status: int | None, kind: str
) -> None:
    found = complaint(code, message, data)

    assert (found.status, found.code) == (status, kind)
    assert found.message.startswith(message)


def test_a_servers_answer_is_unwrapped() -> None:
    wrapped = '{"error":{"code":500,"message":"try later","status":"INTERNAL"}}'

    assert complaint(500, wrapped, None) == Complained(message="try later", status=500)


@pytest.mark.parametrize("result", [None, [], "end_turn", {"stopReason": 7}])
def test_an_answer_that_cannot_be_read_is_no_success(result: object) -> None:
    end = Translator(Metering()).ended(result)[-1]

    assert isinstance(end, Finished)
    assert not end.ok


WORDS = st.sampled_from(
    [
        *(
            "sessionUpdate",
            "content",
            "type",
            "text",
            "toolCallId",
            "kind",
            "status",
            "locations",
            "cost",
            "_meta",
        ),
        *(
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "usage_update",
            "completed",
            "path",
            "goose",
        ),
        *("amount", "currency", "messageId", "stopReason", "usage", "data", "quota"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)


@given(update=VALUES, result=VALUES, data=VALUES, kind=WORDS)
def test_any_message_can_be_read(update: object, result: object, data: object, kind: str) -> None:
    """Right names with wrong values are what a new version sends."""
    translator = Translator(Metering(includes_cached=True))
    named = {**update, "sessionUpdate": kind} if isinstance(update, dict) else update

    translator.update(named)
    assert isinstance(translator.ended(result)[-1], Finished)
    assert any(isinstance(each, Complained) for each in translator.failed(1, "x", data))


@pytest.mark.parametrize(
    "update", [None, "x", {"sessionUpdate": "a_new_one"}, {"sessionUpdate": "tool_call", "toolCallId": 7}]
)
def test_an_update_nobody_knows_is_kept_and_is_no_error(update: object) -> None:
    assert [type(each) for each in Translator(Metering()).update(update)] == [UnknownLine]
