"""The Chat Completions interface. Pure."""

from collections.abc import Iterator

import msgspec

from scripted_models.exchange import USAGE, Exchange, Reply, Schema, Tool, Wire, event, pieces
from scripted_models.folders import find_folder


class _Part(msgspec.Struct, frozen=True):
    type: str = ""
    text: str = ""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[_Part] | None = None
    tool_calls: list[msgspec.Raw] | None = None


class _Function(msgspec.Struct, frozen=True):
    name: str
    parameters: Schema = Schema()


class _Tool(msgspec.Struct, frozen=True):
    function: _Function


class _Request(msgspec.Struct, frozen=True):
    messages: list[_Message]
    model: str = ""
    stream: bool | None = False
    tools: list[_Tool] | None = None


def read(body: bytes) -> Exchange:
    """Understand a request."""
    request = msgspec.json.decode(body, type=_Request)
    return Exchange(
        model=request.model,
        streams=bool(request.stream),
        tools=tuple(Tool(tool.function.name, tool.function.parameters) for tool in request.tools or ()),
        results=_results(request.messages),
        folder=find_folder(_text(message.content) for message in request.messages),
    )


def _results(messages: list[_Message]) -> int:
    count = 0
    for message in messages:
        if message.role == "tool":
            count += 1
        elif message.role == "assistant" and not message.tool_calls:
            count = 0
    return count


def _text(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "\n".join(part.text for part in content)
    return content or ""


def _usage() -> dict[str, object]:
    return {
        "prompt_tokens": USAGE.input,
        "completion_tokens": USAGE.output,
        "total_tokens": USAGE.input + USAGE.output,
        "prompt_tokens_details": {"cached_tokens": USAGE.cached},
    }


def _finish_reason(reply: Reply) -> str:
    if reply.refuses:
        return "content_filter"
    if reply.is_cut_short:
        return "length"
    return "tool_calls" if reply.calls else "stop"


def _calls(reply: Reply) -> list[dict[str, object]]:
    return [
        {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.tool.name, "arguments": call.arguments},
        }
        for index, call in enumerate(reply.calls)
    ]


def whole(reply: Reply) -> bytes:
    """Give the answer in one piece."""
    message: dict[str, object] = {"role": "assistant", "content": None if reply.calls else reply.text}
    if reply.calls:
        message["tool_calls"] = _calls(reply)
    if reply.refuses:
        message |= {"content": None, "refusal": reply.text}
    return msgspec.json.encode(
        {
            "id": reply.id,
            "object": "chat.completion",
            "created": 0,
            "model": reply.model,
            "choices": [{"index": 0, "message": message, "finish_reason": _finish_reason(reply)}],
            "usage": _usage(),
        }
    )


def stream(reply: Reply) -> Iterator[bytes]:
    """Give the answer as events."""
    yield _chunk(reply, {"role": "assistant", "content": ""})
    if reply.calls:
        yield _chunk(reply, {"tool_calls": _calls(reply)})
    else:
        named = "refusal" if reply.refuses else "content"
        for piece in pieces(reply.text):
            yield _chunk(reply, {named: piece})
    yield _chunk(reply, {}, _finish_reason(reply))
    yield event(_frame(reply) | {"choices": [], "usage": _usage()})
    yield b"data: [DONE]\n\n"


def _frame(reply: Reply) -> dict[str, object]:
    return {"id": reply.id, "object": "chat.completion.chunk", "created": 0, "model": reply.model}


def _chunk(reply: Reply, delta: dict[str, object], reason: str | None = None) -> bytes:
    return event(_frame(reply) | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})


_KINDS = {
    400: ("invalid_request_error", "invalid_request"),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "permission_denied"),
    404: ("invalid_request_error", "model_not_found"),
    429: ("requests", "rate_limit_exceeded"),
    503: ("server_error", "server_is_overloaded"),
    529: ("server_error", "server_is_overloaded"),
}


def error(status: int, kind: str, message: str) -> bytes:
    """Give the body of a failure."""
    named, code = _KINDS.get(status, ("server_error", "server_error"))
    failure = {"message": message, "type": kind or named, "param": None, "code": kind or code}
    return msgspec.json.encode({"error": failure})


def stream_error(message: str) -> bytes:
    """Give the event of a failure inside a stream."""
    return event({"error": {"message": message, "type": "server_error", "code": "server_is_overloaded"}})


WIRE = Wire("chat", read, whole, stream, error, stream_error)
