"""The Responses interface. Pure."""

from collections.abc import Iterator

import msgspec

from scripted_models import chat
from scripted_models.exchange import USAGE, Call, Exchange, Reply, Schema, Tool, Wire, event, pieces
from scripted_models.folders import find_folder

_RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})


class _Part(msgspec.Struct, frozen=True):
    type: str = ""
    text: str = ""


class _Item(msgspec.Struct, frozen=True):
    type: str = "message"
    role: str = ""
    content: str | list[_Part] | None = None


class _Tool(msgspec.Struct, frozen=True):
    type: str = ""
    name: str = ""
    parameters: Schema | None = None
    tools: list["_Tool"] = []


class _Request(msgspec.Struct, frozen=True):
    input: str | list[_Item]
    model: str = ""
    stream: bool | None = False
    instructions: str | None = None
    tools: list[_Tool] = []


def read(body: bytes) -> Exchange:
    """Understand a request."""
    request = msgspec.json.decode(body, type=_Request)
    items = request.input if isinstance(request.input, list) else []
    return Exchange(
        model=request.model,
        streams=bool(request.stream),
        tools=tuple(_tools(request.tools)),
        results=_results(items),
        folder=find_folder([request.instructions or "", *(_text(item) for item in items)]),
    )


def _tools(offered: list[_Tool], namespace: str = "") -> Iterator[Tool]:
    for tool in offered:
        if tool.type == "namespace":
            yield from _tools(tool.tools, tool.name)
        elif tool.name:
            is_freeform = tool.type == "custom"
            yield Tool(tool.name, tool.parameters or Schema(), is_freeform, namespace)


def _results(items: list[_Item]) -> int:
    count = 0
    for item in items:
        if item.type in _RESULTS:
            count += 1
        elif item.type == "message" and item.role == "assistant":
            count = 0
    return count


def _text(item: _Item) -> str:
    if isinstance(item.content, list):
        return "\n".join(part.text for part in item.content)
    return item.content or ""


def _items(reply: Reply) -> list[dict[str, object]]:
    if reply.calls:
        return [_call(call) for call in reply.calls]
    part: dict[str, object] = (
        {"type": "refusal", "refusal": reply.text}
        if reply.refuses
        else {"type": "output_text", "text": reply.text, "annotations": []}
    )
    return [
        {
            "type": "message",
            "id": f"msg_{reply.id}",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    ]


def _call(call: Call) -> dict[str, object]:
    item: dict[str, object] = {"call_id": call.id, "name": call.tool.name, "status": "completed"}
    if call.tool.namespace:
        item["namespace"] = call.tool.namespace
    if call.tool.is_freeform:
        return item | {"type": "custom_tool_call", "id": f"ctc_{call.id}", "input": call.arguments}
    return item | {"type": "function_call", "id": f"fc_{call.id}", "arguments": call.arguments}


def _response(reply: Reply, status: str, output: list[dict[str, object]]) -> dict[str, object]:
    used = {
        "input_tokens": USAGE.input,
        "input_tokens_details": {"cached_tokens": USAGE.cached},
        "output_tokens": USAGE.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": USAGE.input + USAGE.output,
    }
    return {
        "id": reply.id,
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": reply.model,
        "output": output,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "usage": None if status == "in_progress" else used,
    }


def _status(reply: Reply) -> str:
    return "incomplete" if reply.is_cut_short else "completed"


def whole(reply: Reply) -> bytes:
    """Give the answer in one piece."""
    return msgspec.json.encode(_response(reply, _status(reply), _items(reply)))


def stream(reply: Reply) -> Iterator[bytes]:
    """Give the answer as events."""
    events = _events(reply)
    for number, (name, fields) in enumerate(events):
        yield event({"type": name, "sequence_number": number} | fields, name)


def _events(reply: Reply) -> Iterator[tuple[str, dict[str, object]]]:
    yield "response.created", {"response": _response(reply, "in_progress", [])}
    output = _items(reply)
    for index, item in enumerate(output):
        yield (
            "response.output_item.added",
            {"output_index": index, "item": _begun(item)},
        )
        if item["type"] == "message" and not reply.refuses:
            for piece in pieces(reply.text):
                yield (
                    "response.output_text.delta",
                    {"item_id": item["id"], "output_index": index, "content_index": 0, "delta": piece},
                )
        yield "response.output_item.done", {"output_index": index, "item": item}
    status = _status(reply)
    yield f"response.{status}", {"response": _response(reply, status, output)}


def _begun(item: dict[str, object]) -> dict[str, object]:
    empty = {"content": [], "arguments": "", "input": ""}
    return item | {name: value for name, value in empty.items() if name in item} | {"status": "in_progress"}


def stream_error(message: str) -> bytes:
    """Give the event of a failure inside a stream."""
    failure = {"code": "server_is_overloaded", "message": message}
    failed = {"id": "resp_failed", "object": "response", "status": "failed", "error": failure, "output": []}
    return event({"type": "response.failed", "response": failed}, "response.failed")


WIRE = Wire("responses", read, whole, stream, chat.error, stream_error)
