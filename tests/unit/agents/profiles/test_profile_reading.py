"""What single lines mean, and that no line can do harm."""

import json

import pytest
from agent_recordings import DATA, HERE, PROFILES, activities, lines
from hypothesis import given
from hypothesis import strategies as st

from signoff.agents.profiles.activity_tally import tally
from signoff.domain.machine.activity import (
    Began,
    Complained,
    Finished,
    Metered,
    Retried,
    Spoke,
    ToolEnded,
    ToolKind,
    ToolStarted,
    UnknownLine,
)

AGENTS = sorted(PROFILES)
RECORDED = sorted((path.parent.name, path.stem) for path in DATA.glob("*/*.jsonl"))


def test_a_run_of_claude_as_activity() -> None:
    seen = activities("claude", lines("claude", "edit"))

    assert [type(each) for each in seen if not isinstance(each, Metered)] == [
        *(Began, ToolStarted, ToolEnded, ToolStarted, ToolEnded, Spoke, Finished)
    ]
    assert seen[0] == Began(
        session="00000000-0000-4000-8000-000000000001", model="claude-sonnet-4-5", version="2.1.325"
    )
    tools = [each for each in seen if isinstance(each, ToolStarted)]
    assert [(tool.tool, tool.does, tool.about) for tool in tools] == [
        ("Read", ToolKind.READ, "$WORK/app.py"),
        ("Edit", ToolKind.EDIT, "$WORK/app.py"),
    ]


def test_a_run_of_codex_as_activity() -> None:
    seen = activities("codex", lines("codex", "edit"))

    assert [type(each) for each in seen] == [
        *(Began, ToolStarted, ToolEnded, ToolStarted, ToolEnded, Spoke, Metered, Finished)
    ]
    tools = [each for each in seen if isinstance(each, ToolStarted)]
    assert [(tool.tool, tool.does) for tool in tools] == [
        ("shell", ToolKind.EXECUTE),
        ("apply_patch", ToolKind.EDIT),
    ]
    assert "app.py" in tools[1].about


@pytest.mark.parametrize(("agent", "case"), RECORDED)
def test_no_recorded_line_is_unread(agent: str, case: str) -> None:
    """A line of the tested version that nobody knows may be the one that tells of a failure."""
    assert [each for each in activities(agent, lines(agent, case)) if isinstance(each, UnknownLine)] == []


@pytest.mark.parametrize(("agent", "case"), [("claude", "flaky429"), ("codex", "flaky429-wait")])
def test_tries_of_its_own_are_told(agent: str, case: str) -> None:
    """They eat the time of a dispatch while nothing seems to happen."""
    retried = [each for each in activities(agent, lines(agent, case)) if isinstance(each, Retried)]

    assert retried
    assert all(each.why for each in retried)


def test_claudes_own_helpers_do_not_speak_for_it() -> None:
    """A subagent's text that looks like an answer is not the answer."""
    line = (
        b'{"type":"assistant","parent_tool_use_id":"toolu_1","message":{"id":"m","content":'
        b'[{"type":"text","text":"{\\"kind\\":\\"done\\"}"}]}}'
    )

    assert activities("claude", [line]) == []


def test_codex_wraps_a_servers_answer_and_it_is_unwrapped() -> None:
    line = (
        b'{"type":"error","message":"{\\"error\\":{\\"message\\":\\"too big\\",\\"type\\":'
        b'\\"invalid_request_error\\",\\"code\\":\\"context_length_exceeded\\"}}"}'
    )

    assert activities("codex", [line]) == [
        Complained(message="too big", status=400, code="context_length_exceeded")
    ]


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "line",
    [
        b"WARNING: something\n",
        b"[1, 2]",
        b'"result"',
        b'{"type": "result", "is_error": "no"}',
        b'{"type": "turn.failed", "error": null}',
        b'{"type": "item.completed"}',
        b'{"type": ["result"]}',
        b'{"type": "a-new-event"}',
        b"{" * 5000,
        b'{"type":' + b"[" * 100_000,
        b'{"unknown":' + b"[" * 100_000,
        b"\xff\xfe\x00",
    ],
)
def test_a_line_nobody_knows_is_kept_and_is_no_error(agent: str, line: bytes) -> None:
    assert [type(each) for each in PROFILES[agent].read(line, HERE)] == [UnknownLine]


@pytest.mark.parametrize("agent", AGENTS)
@given(st.lists(st.binary(max_size=60) | st.sampled_from(sorted(set(lines("claude", "edit")))), max_size=5))
def test_any_bytes_can_be_read(agent: str, given_lines: list[bytes]) -> None:
    seen = activities(agent, given_lines)
    found = tally(seen)

    assert (found.finished is not None) == any(isinstance(each, Finished) for each in seen)
    assert sum(found.tools.values()) <= sum(isinstance(each, ToolStarted) for each in seen)


WORDS = st.sampled_from(
    [
        *(
            "type",
            "subtype",
            "message",
            "content",
            "id",
            "name",
            "input",
            "usage",
            "result",
            "is_error",
            "item",
        ),
        *("system", "init", "assistant", "user", "text", "tool_use", "tool_result", "success", "error"),
        *("turn.completed", "turn.failed", "item.completed", "item.started", "command_execution", "status"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.parametrize("agent", AGENTS)
@given(event=st.dictionaries(WORDS, VALUES, max_size=6), kind=WORDS)
def test_any_json_with_words_they_use_can_be_read(agent: str, event: dict[str, object], kind: str) -> None:
    """Right names with wrong values are what a new version sends."""
    line = json.dumps({**event, "type": kind}).encode()

    seen = PROFILES[agent].read(line, HERE)

    assert (tally(seen).finished is not None) == any(isinstance(each, Finished) for each in seen)


@pytest.mark.parametrize("agent", AGENTS)
@given(data=st.data())
def test_lines_may_be_split_anywhere(agent: str, data: st.DataObject) -> None:
    case = data.draw(st.sampled_from([case for of, case in RECORDED if of == agent]))
    whole = b"".join(lines(agent, case))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    whole_tally, torn = tally(activities(agent, lines(agent, case))), tally(activities(agent, pieces))

    # Half a line tells of nothing: no use of a tool and no good end comes of tearing.
    assert sum(torn.tools.values()) <= sum(whole_tally.tools.values())
    assert torn.finished in (None, whole_tally.finished)
