"""The scripted model: what it says over each interface, and how it fails."""

import contextlib
import http.client
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_models.exchange import USAGE, Schema, Tool
from scripted_models.playing import SIDE_REMARK, turn_number
from scripted_models.scenarios import OLD, SCENARIOS
from scripted_models.server import ModelServer, serve
from scripted_models.steps import Act, Edit, Say, Scenario, Shell, Write
from scripted_models.tools import call

from signoff.testing.conformance.cases import DONE, NEW

FOLDER = "/somewhere/tree"
INTERFACES = ("messages", "responses", "chat", "gemini")
PATHS = {"messages": "/v1/messages", "responses": "/v1/responses", "chat": "/v1/chat/completions"}
FUNCTIONS: dict[str, dict[str, Any]] = {
    "Read": {"type": "object", "properties": {"file_path": {"type": "string"}}, "required": ["file_path"]},
    "Write": {
        "type": "object",
        "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["file_path", "content"],
    },
    "Edit": {
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "old_string": {"type": "string"},
            "new_string": {"type": "string"},
        },
        "required": ["file_path", "old_string", "new_string"],
    },
    "Bash": {
        "type": "object",
        "properties": {"command": {"type": "string"}, "description": {"type": "string"}},
        "required": ["command", "description"],
    },
}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with serve() as server:
        yield server


class Heard:
    """An answer as a small client of each interface understands it."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes, interface: str) -> None:
        self.status, self.headers, self.body = status, headers, body
        self.is_stream = headers.get("content-type") == "text/event-stream"
        self.events = [
            json.loads(line[6:])
            for line in body.split(b"\n")
            if self.is_stream and line.startswith(b"data: ") and line != b"data: [DONE]"
        ]
        self.text, self.calls, self.stop, self.used = getattr(self, f"_{interface}")()

    def _messages(self) -> tuple[str, list[tuple[str, Any]], str, tuple[int, int]]:
        if not self.is_stream:
            whole = json.loads(self.body)
            text = "".join(block.get("text", "") for block in whole["content"])
            calls = [(block["name"], block["input"]) for block in whole["content"] if "input" in block]
            used = whole["usage"]
            return text, calls, whole["stop_reason"], (used["input_tokens"], used["output_tokens"])
        blocks: dict[int, tuple[str, list[str]]] = {}
        stop, used = "", (0, 0)
        for event in self.events:
            if event["type"] == "content_block_start":
                blocks[event["index"]] = (event["content_block"].get("name", ""), [])
            elif event["type"] == "content_block_delta":
                delta = event["delta"]
                blocks[event["index"]][1].append(delta.get("text", "") + delta.get("partial_json", ""))
            elif event["type"] == "message_delta":
                stop = event["delta"]["stop_reason"]
                used = (event["usage"]["input_tokens"], event["usage"]["output_tokens"])
        assert self.events[-1]["type"] == "message_stop"
        text = "".join("".join(pieces) for name, pieces in blocks.values() if not name)
        return text, [(name, _json("".join(p))) for name, p in blocks.values() if name], stop, used

    def _chat(self) -> tuple[str, list[tuple[str, Any]], str, tuple[int, int]]:
        chunks = self.events or [json.loads(self.body)]
        choices = [choice for chunk in chunks for choice in chunk["choices"]]
        said = [choice.get("delta") or choice.get("message") or {} for choice in choices]
        text = "".join((part.get("content") or "") + (part.get("refusal") or "") for part in said)
        functions = [each["function"] for part in said for each in part.get("tool_calls", [])]
        used = next(chunk["usage"] for chunk in chunks if chunk.get("usage"))
        return (
            text,
            [(each["name"], _json(each["arguments"])) for each in functions],
            next(choice["finish_reason"] for choice in choices if choice["finish_reason"]),
            (used["prompt_tokens"], used["completion_tokens"]),
        )

    def _responses(self) -> tuple[str, list[tuple[str, Any]], str, tuple[int, int]]:
        whole = self.events[-1]["response"] if self.is_stream else json.loads(self.body)
        items = whole["output"]
        parts = [part for item in items for part in item.get("content", [])]
        text = "".join(part.get("text", "") + part.get("refusal", "") for part in parts)
        if self.is_stream and parts and "refusal" not in parts[0]:
            assert text == "".join(event.get("delta", "") for event in self.events)
        calls = [
            (each["name"], _json(each["arguments"])) for each in items if each["type"] == "function_call"
        ]
        return text, calls, whole["status"], (whole["usage"]["input_tokens"], whole["usage"]["output_tokens"])

    def _gemini(self) -> tuple[str, list[tuple[str, Any]], str, tuple[int, int]]:
        chunks = self.events or [json.loads(self.body)]
        candidates = [chunk["candidates"][0] for chunk in chunks]
        parts = [part for candidate in candidates for part in candidate["content"]["parts"]]
        used = chunks[-1]["usageMetadata"]
        return (
            "".join(part.get("text", "") for part in parts),
            [(p["functionCall"]["name"], p["functionCall"]["args"]) for p in parts if "functionCall" in p],
            candidates[-1]["finishReason"],
            (used["promptTokenCount"], used["candidatesTokenCount"]),
        )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def conversation(
    interface: str, answered: int, *, names: tuple[str, ...] = tuple(FUNCTIONS), streams: bool
) -> Any:
    """Return a request after so many tool results, as an agent of that interface would send it."""
    told = f"You are an agent.\nWorking directory: {FOLDER}\n"
    tools = {name: FUNCTIONS[name] for name in names}
    if interface == "messages":
        turns: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
        for number in range(answered):
            used = {"type": "tool_use", "id": str(number), "name": "Read", "input": {}}
            result = {
                "type": "tool_result",
                "tool_use_id": str(number),
                "content": [{"type": "text", "text": "x"}],
            }
            reminder = {"type": "text", "text": "a reminder"}
            turns += [
                {"role": "assistant", "content": [used]},
                {"role": "user", "content": [result, reminder]},
            ]
        offered = [{"name": name, "input_schema": schema} for name, schema in tools.items()]
        return {"model": "m", "system": told, "messages": turns, "tools": offered, "stream": streams}
    if interface == "chat":
        turns = [
            {"role": "system", "content": told},
            {"role": "user", "content": [{"type": "text", "text": "Go."}]},
        ]
        for number in range(answered):
            used = {"id": str(number), "type": "function", "function": {"name": "Read", "arguments": "{}"}}
            turns.append({"role": "assistant", "content": None, "tool_calls": [used]})
            turns.append({"role": "tool", "tool_call_id": str(number), "content": "x"})
        offered = [
            {"type": "function", "function": {"name": name, "parameters": schema}}
            for name, schema in tools.items()
        ]
        return {"model": "m", "messages": turns, "tools": offered, "stream": streams}
    if interface == "responses":
        turns = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}]
        for number in range(answered):
            turns.append({"type": "function_call", "call_id": str(number), "name": "Read", "arguments": "{}"})
            turns.append({"type": "function_call_output", "call_id": str(number), "output": "x"})
        offered = [{"type": "function", "name": name, "parameters": schema} for name, schema in tools.items()]
        return {"model": "m", "instructions": told, "input": turns, "tools": offered, "stream": streams}
    turns = [{"role": "user", "parts": [{"text": "Go."}]}]
    for _ in range(answered):
        turns.append({"role": "model", "parts": [{"functionCall": {"name": "Read", "args": {}}}]})
        turns.append({"role": "user", "parts": [{"functionResponse": {"name": "Read", "response": {}}}]})
    declared = [{"name": name, "parametersJsonSchema": schema} for name, schema in tools.items()]
    return {
        "contents": turns,
        "systemInstruction": {"parts": [{"text": told}]},
        "tools": [{"functionDeclarations": declared}],
    }


def path_of(interface: str, *, streams: bool) -> str:
    if interface == "gemini":
        return "/v1beta/models/m:" + ("streamGenerateContent?alt=sse" if streams else "generateContent")
    return PATHS[interface]


def post(model: ModelServer, scenario: str, path: str, body: Any) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", model.server_address[1], timeout=10)
    try:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", f"/s/{scenario}{path}", raw, {"Authorization": "Bearer hidden-key"})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def ask(
    model: ModelServer, scenario: str, interface: str, answered: int = 0, *, streams: bool = True, **more: Any
) -> Heard:
    request = conversation(interface, answered, streams=streams, **more)
    return Heard(*post(model, scenario, path_of(interface, streams=streams), request), interface)


def raw(
    model: ModelServer, scenario: str, interface: str, answered: int = 0, *, streams: bool = True
) -> tuple[int, dict[str, str], bytes]:
    request = conversation(interface, answered, streams=streams)
    return post(model, scenario, path_of(interface, streams=streams), request)


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("interface", INTERFACES)
def test_an_edit_is_read_then_changed_then_told(model: ModelServer, interface: str, streams: bool) -> None:
    """A script means the same thing over every interface, streamed or whole."""
    heard = [ask(model, "edit", interface, answered, streams=streams) for answered in range(3)]

    assert [each.calls for each in heard] == [
        [("Read", {"file_path": f"{FOLDER}/app.py"})],
        [("Edit", {"file_path": f"{FOLDER}/app.py", "old_string": OLD, "new_string": NEW})],
        [],
    ]
    assert heard[2].text == DONE
    assert {each.is_stream for each in heard} == {streams}


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("interface", INTERFACES)
def test_every_answer_claims_the_same_use(model: ModelServer, interface: str, streams: bool) -> None:
    """Sums of an agent can be checked only when each call costs what is known."""
    heard = ask(model, "text", interface, streams=streams)

    # Messages counts what came from a cache apart.
    expected = USAGE.input - USAGE.cached if interface == "messages" else USAGE.input
    assert heard.used == (expected, USAGE.output)


@pytest.mark.parametrize("interface", INTERFACES)
def test_several_tools_come_in_one_turn_and_the_next_waits_for_all(
    model: ModelServer, interface: str
) -> None:
    """A turn of three calls ends only with its third result."""
    first, again, last = (ask(model, "parallel", interface, answered) for answered in (0, 2, 3))

    assert [name for name, _ in first.calls] == ["Write", "Write", "Bash"]
    assert first.calls == again.calls
    assert (last.calls, last.text) == ([], DONE)


@pytest.mark.parametrize(
    ("interface", "stop"),
    [("messages", "refusal"), ("chat", "content_filter"), ("responses", "completed"), ("gemini", "SAFETY")],
)
@pytest.mark.parametrize("streams", [True, False])
def test_a_refusal_is_said_the_way_of_the_interface(
    model: ModelServer, interface: str, stop: str, streams: bool
) -> None:
    """Words alone are not how a model declines."""
    heard = ask(model, "refusal", interface, streams=streams)

    assert (heard.stop, heard.text) == (stop, "I can't help with that.")


@pytest.mark.parametrize(
    ("interface", "stop"),
    [("messages", "max_tokens"), ("chat", "length"), ("responses", "incomplete"), ("gemini", "MAX_TOKENS")],
)
def test_an_answer_can_be_cut_short_by_its_limit(model: ModelServer, interface: str, stop: str) -> None:
    """An agent must be told apart from one that finished."""
    assert ask(model, "cut-short", interface).stop == stop


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize(
    ("scenario", "status"),
    [("err400", 400), ("err401", 401), ("err429", 429), ("err500", 500), ("err503", 503), ("err529", 529)],
)
def test_a_failure_has_its_status_and_its_words(
    model: ModelServer, interface: str, scenario: str, status: int
) -> None:
    """The body of an error is what the interface's own client reads."""
    answered, headers, body = raw(model, scenario, interface)

    assert answered == status
    assert json.loads(body)["error"]["message"]
    assert "retry-after" not in headers


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_rate_limit_may_say_how_long(model: ModelServer, interface: str) -> None:
    """With and without the header are two cases."""
    _, headers, _ = raw(model, "err429-wait", interface)

    assert headers["retry-after"] == "1"


def test_a_passing_failure_passes_once_for_each_label(model: ModelServer) -> None:
    """Two runs at one server do not use up each other's failures."""
    statuses = [raw(model, f"flaky500~{label}", "chat")[0] for label in ("a", "a", "b", "b", "a")]

    assert statuses == [500, 200, 500, 200, 200]


def test_a_request_without_tools_is_beside_the_script(model: ModelServer) -> None:
    """An agent that asks for a title must not move its script or use up a failure."""
    aside = ask(model, "flaky500~aside", "chat", names=())

    assert (aside.text, aside.calls) == (SIDE_REMARK, [])
    assert raw(model, "flaky500~aside", "chat")[0] == 500


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("interface", INTERFACES)
def test_a_cut_answer_is_not_whole(model: ModelServer, interface: str, streams: bool) -> None:
    """A client that reads to the end must notice that there was none."""
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        raw(model, "cut", interface, streams=streams)


@pytest.mark.parametrize("interface", INTERFACES)
def test_a_dropped_connection_brings_nothing(model: ModelServer, interface: str) -> None:
    """Not even a status."""
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        raw(model, "drop", interface)


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("scenario", ["garbage", "garbage-stream"])
def test_garbage_comes_with_a_good_status(model: ModelServer, interface: str, scenario: str) -> None:
    """Only who reads it can tell."""
    status, _, body = raw(model, scenario, interface)

    assert status == 200
    assert b"\xff\xfe" in body


@pytest.mark.parametrize("interface", INTERFACES)
def test_an_overload_can_come_inside_a_stream(model: ModelServer, interface: str) -> None:
    """The status was good and the first events too."""
    status, _, body = raw(model, "stream-error", interface)

    assert status == 200
    last = [line for line in body.split(b"\n") if line.startswith(b"data: ")][-1]
    assert b"Overloaded" in last


@pytest.mark.parametrize(("scenario", "begun"), [("hang", False), ("stall", True)])
def test_a_held_request_says_nothing_more(model: ModelServer, scenario: str, begun: bool) -> None:
    """A hang sends no byte, a stall sends some and then no more."""
    with talking(model, scenario) as line:
        line.settimeout(0.3)
        heard = b""
        with contextlib.suppress(TimeoutError):
            while piece := line.recv(65536):
                heard += piece
            pytest.fail("the connection was closed")
    assert bool(heard) is begun
    assert b"message_stop" not in heard


def test_a_test_can_wait_for_the_middle_of_a_run() -> None:
    """A signal sent by the clock would hit a slow program before it has begun."""
    with serve() as server:
        reached = [server.has_reached("late-hang", "x")]
        for answered in (0, 1):
            raw(server, "late-hang~x", "chat", answered)
            reached.append(server.has_reached("late-hang", "x"))

    assert reached == [False, False, True]


def test_a_held_request_ends_with_its_client(model: ModelServer) -> None:
    """A server that kept its threads would not last a suite."""
    before = threading.active_count()
    for _ in range(5):
        talking(model, "hang").close()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.05)

    assert threading.active_count() <= before


def test_a_server_stops_while_it_holds_a_request() -> None:
    """A test that fails in the middle must not hang at its end."""
    began = time.monotonic()
    with serve() as server:
        line = talking(server, "hang")
    line.close()

    assert time.monotonic() - began < 2


def talking(model: ModelServer, scenario: str) -> socket.socket:
    """Send a request and leave the answer on the line."""
    body = json.dumps(conversation("messages", 0, streams=True)).encode()
    line = socket.create_connection(("127.0.0.1", model.server_address[1]), timeout=5)
    head = f"POST /s/{scenario}/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    line.sendall(head.encode() + body)
    return line


@pytest.mark.parametrize("interface", INTERFACES)
def test_an_answer_can_be_huge(model: ModelServer, interface: str) -> None:
    """Megabytes, in pieces, none of them lost."""
    said = SCENARIOS["huge"].turns[0]
    assert isinstance(said, Say)

    heard = ask(model, "huge", interface)

    assert heard.text == said.text * said.times
    assert len(heard.body) > 4_000_000


def test_a_model_can_go_on_for_ever(model: ModelServer) -> None:
    """Only a limit of the agent's, or ours, ends such a run."""
    assert {ask(model, "loop", "chat", answered).calls[0][0] for answered in (0, 1, 50)} == {"Bash"}


def test_a_blind_path_names_no_failure(model: ModelServer) -> None:
    """An agent that only repeats its address must not look as if it had understood the error."""
    path = model.path("err401", "x", is_blind=True)

    assert "401" not in path
    assert (
        post(model, path.removeprefix("/s/"), PATHS["chat"], conversation("chat", 0, streams=True))[0] == 401
    )


def test_a_conversation_that_ended_begins_anew(model: ModelServer) -> None:
    """A resumed session contains old results, which tell nothing about the new question."""
    request = conversation("messages", 2, streams=False)
    request["messages"] += [{"role": "assistant", "content": DONE}, {"role": "user", "content": "Once more."}]

    heard = Heard(*post(model, "edit", PATHS["messages"], request), "messages")

    assert [name for name, _ in heard.calls] == ["Read"]


def test_the_log_knows_no_secret_and_no_body(tmp_path: Any) -> None:
    """A log is kept and shown, so keys and prompts have no place in it."""
    log = tmp_path / "log.jsonl"
    with serve(log_path=str(log)) as server:
        ask(server, "edit~mine", "responses")
        raw(server, "err401~mine", "chat")
        (first, second) = server.entries(label="mine")

    assert (first.interface, first.turn, first.answered, first.tools) == (
        "responses",
        0,
        "tools",
        tuple(FUNCTIONS),
    )
    assert (second.scenario, second.answered) == ("err401", "401")
    kept = log.read_text()
    assert len(kept.splitlines()) == 2
    assert "hidden-key" not in kept
    assert "Working directory" not in kept


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/s/edit/v1/messages", b"\xff{", 400),
        ("/s/edit/v1/messages", b'{"messages": 3}', 400),
        ("/s/no-such-thing/v1/messages", b"{}", 404),
        ("/elsewhere", b"{}", 404),
        ("/s/edit/v1/messages/count_tokens", b"{}", 200),
    ],
)
def test_what_is_no_request_is_answered_all_the_same(
    model: ModelServer, path: str, body: bytes, status: int
) -> None:
    """A thread that dies leaves its client to guess."""
    answered, _, _ = post(
        model, path.removeprefix("/s/") if path.startswith("/s/") else f"..{path}", "", body
    )

    assert answered == status


def test_a_freeform_patch_tool_gets_a_patch(model: ModelServer) -> None:
    """Codex offers no edit tool: it takes a patch as plain text, and its shell has another name."""
    request = conversation("responses", 1, streams=False, names=())
    request["tools"] = [
        {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}},
        {
            "type": "function",
            "name": "exec_command",
            "parameters": {"properties": {"cmd": {"type": "string"}}},
        },
        {"type": "web_search"},
    ]

    _, _, body = post(model, "edit", PATHS["responses"], request)

    (item,) = json.loads(body)["output"]
    assert item["type"] == "custom_tool_call"
    assert item["input"].splitlines()[1:5] == ["*** Update File: app.py", "@@", f"-{OLD}", f"+{NEW}"]


def test_an_agent_with_only_a_shell_still_edits(tmp_path: Any) -> None:
    """The fallback must change the file as the edit tool would."""
    (tmp_path / "app.py").write_text(f"{OLD}\n")
    bash = Tool("bash", Schema())
    for step in (Edit(path="app.py", old=OLD, new=NEW), Write(path="it's.txt", content="a'b\n")):
        made = call(step, [bash._replace(schema=_schema("command"))], "", "1")
        subprocess.run(["bash", "-c", json.loads(made.arguments)["command"]], cwd=tmp_path, check=True)

    assert (tmp_path / "app.py").read_text() == f"{NEW}\n"
    assert (tmp_path / "it's.txt").read_text() == "a'b\n"


def _schema(*names: str) -> Schema:
    return msgspec.convert({"properties": {name: {"type": "string"} for name in names}}, Schema)


@given(sizes=st.lists(st.integers(1, 4), max_size=6), results=st.integers(0, 40))
def test_a_turn_follows_from_the_results_alone(sizes: list[int], results: int) -> None:
    """Whatever an agent has answered, there is one next turn, and it never lies before an answered one."""
    acts = tuple(Act(steps=(Shell(command="true"),) * size) for size in sizes)
    scenario = Scenario(name="any", turns=(*acts, Say(text="end")))

    number = turn_number(scenario, results)

    assert sum(sizes[:number]) <= results
    assert number == len(sizes) or results < sum(sizes[: number + 1])
    assert turn_number(scenario, results + 1) >= number


def test_every_scenario_has_its_own_name_and_can_be_played(model: ModelServer) -> None:
    """A scenario that cannot be asked for would be silently untested."""
    assert all(name == scenario.name for name, scenario in SCENARIOS.items())
    played = [name for name, scenario in SCENARIOS.items() if scenario.fault is None]
    assert all(raw(model, name, "chat")[0] == 200 for name in played)
