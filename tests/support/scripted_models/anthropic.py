"""The Messages interface. Pure."""

from collections.abc import Iterator

import msgspec

from scripted_models.exchange import USAGE, Exchange, Reply, Schema, Tool, Wire, event, pieces
from scripted_models.folders import find_folder


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class _Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[_Block]


class _Tool(msgspec.Struct, frozen=True):
    name: str
    input_schema: Schema = Schema()


class _Request(msgspec.Struct, frozen=True):
    messages: list[_Message]
    model: str = ""
    stream: bool = False
    system: str | list[_Block] = ""
    tools: list[_Tool] = []


def read(body: bytes) -> Exchange:
    """Understand a request."""
    request = msgspec.json.decode(body, type=_Request)
    texts = [_text(request.system), *(_text(message.content) for message in request.messages)]
    return Exchange(
        model=request.model,
        streams=request.stream,
        tools=tuple(Tool(tool.name, tool.input_schema) for tool in request.tools),
        results=_results(request.messages),
        folder=find_folder(texts),
    )


def _results(messages: list[_Message]) -> int:
    count = 0
    for message in messages:
        kinds = {"text"} if isinstance(message.content, str) else {block.type for block in message.content}
        if message.role == "assistant" and "tool_use" not in kinds:
            count = 0
        elif message.role == "user" and not isinstance(message.content, str):
            count += sum(block.type == "tool_result" for block in message.content)
    return count


def _text(content: str | list[_Block]) -> str:
    return content if isinstance(content, str) else "\n".join(block.text for block in content)


def _usage(output: int) -> dict[str, int]:
    return {
        "input_tokens": USAGE.input - USAGE.cached,
        "cache_read_input_tokens": USAGE.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": output,
    }


def _stop_reason(reply: Reply) -> str:
    if reply.refuses:
        return "refusal"
    if reply.is_cut_short:
        return "max_tokens"
    return "tool_use" if reply.calls else "end_turn"


def _input(arguments: str) -> msgspec.Raw | str:
    # A whole answer cannot hold half a document: what is no JSON goes as text.
    try:
        msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        return arguments
    return msgspec.Raw(arguments.encode())


def whole(reply: Reply) -> bytes:
    """Give the answer in one piece."""
    content: list[dict[str, object]] = [{"type": "text", "text": reply.text}] if not reply.calls else []
    content += [
        {"type": "tool_use", "id": call.id, "name": call.tool.name, "input": _input(call.arguments)}
        for call in reply.calls
    ]
    return msgspec.json.encode(
        {
            "id": reply.id,
            "type": "message",
            "role": "assistant",
            "model": reply.model,
            "content": content,
            "stop_reason": _stop_reason(reply),
            "stop_sequence": None,
            "usage": _usage(USAGE.output),
        }
    )


def stream(reply: Reply) -> Iterator[bytes]:
    """Give the answer as events."""
    message: dict[str, object] = {
        "id": reply.id,
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(1),
    }
    yield event({"type": "message_start", "message": message}, "message_start")
    if reply.calls:
        for index, call in enumerate(reply.calls):
            block = {"type": "tool_use", "id": call.id, "name": call.tool.name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": call.arguments}
            yield from _block(index, block, [delta])
    else:
        yield from _block(
            0,
            {"type": "text", "text": ""},
            ({"type": "text_delta", "text": piece} for piece in pieces(reply.text)),
        )
    delta = {"stop_reason": _stop_reason(reply), "stop_sequence": None}  # type: ignore[dict-item]
    yield event({"type": "message_delta", "delta": delta, "usage": _usage(USAGE.output)}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def _block(index: int, block: object, deltas: Iterator[object] | list[object]) -> Iterator[bytes]:
    yield event(
        {"type": "content_block_start", "index": index, "content_block": block}, "content_block_start"
    )
    for delta in deltas:
        yield event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
    yield event({"type": "content_block_stop", "index": index}, "content_block_stop")


_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
    503: "overloaded_error",
}


def error(status: int, _: str, message: str) -> bytes:
    """Give the body of a failure."""
    named = _KINDS.get(status, "api_error")
    return msgspec.json.encode({"type": "error", "error": {"type": named, "message": message}})


def stream_error(message: str) -> bytes:
    """Give the event of a failure inside a stream."""
    failure = {"type": "error", "error": {"type": "overloaded_error", "message": message}}
    return event(failure, "error")


WIRE = Wire("messages", read, whole, stream, error, stream_error)
