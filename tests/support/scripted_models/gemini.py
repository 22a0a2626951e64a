"""The Gemini interface. Pure."""

from collections.abc import Iterator

import msgspec

from scripted_models.exchange import USAGE, Exchange, Reply, Schema, Tool, Wire, event, pieces
from scripted_models.folders import find_folder


class _Part(msgspec.Struct, frozen=True, rename="camel"):
    text: str = ""
    function_call: dict[str, msgspec.Raw] | None = None
    function_response: dict[str, msgspec.Raw] | None = None


class _Content(msgspec.Struct, frozen=True):
    parts: list[_Part] = []
    role: str = "user"


class _Declaration(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    parameters_json_schema: Schema | None = None
    parameters: Schema | None = None


class _Tool(msgspec.Struct, frozen=True, rename="camel"):
    function_declarations: list[_Declaration] = []


class _Request(msgspec.Struct, frozen=True, rename="camel"):
    contents: list[_Content]
    system_instruction: _Content | None = None
    tools: list[_Tool] = []


def read(body: bytes) -> Exchange:
    """Understand a request; model and streaming stand in the address, which the server adds."""
    request = msgspec.json.decode(body, type=_Request)
    declared = [each for tool in request.tools for each in tool.function_declarations]
    spoken = [request.system_instruction] if request.system_instruction else []
    return Exchange(
        model="",
        streams=False,
        tools=tuple(
            Tool(each.name, each.parameters_json_schema or each.parameters or Schema()) for each in declared
        ),
        results=_results(request.contents),
        folder=find_folder(
            "\n".join(part.text for part in content.parts) for content in [*spoken, *request.contents]
        ),
    )


def _results(contents: list[_Content]) -> int:
    count = 0
    for content in contents:
        if content.role == "model" and not any(part.function_call for part in content.parts):
            count = 0
        else:
            count += sum(part.function_response is not None for part in content.parts)
    return count


def _parts(reply: Reply) -> list[dict[str, object]]:
    return [
        {"functionCall": {"name": call.tool.name, "args": _arguments(call.arguments)}} for call in reply.calls
    ] or [{"text": reply.text}]


def _arguments(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return {"arguments": text}


def _chunk(reply: Reply, parts: list[dict[str, object]], reason: str = "") -> dict[str, object]:
    candidate: dict[str, object] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if reason:
        candidate["finishReason"] = reason
    return {
        "responseId": reply.id,
        "modelVersion": reply.model,
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": USAGE.input,
            "cachedContentTokenCount": USAGE.cached,
            "candidatesTokenCount": USAGE.output,
            "totalTokenCount": USAGE.input + USAGE.output,
        },
    }


def _finish_reason(reply: Reply) -> str:
    if reply.refuses:
        return "SAFETY"
    return "MAX_TOKENS" if reply.is_cut_short else "STOP"


def whole(reply: Reply) -> bytes:
    """Give the answer in one piece."""
    return msgspec.json.encode(_chunk(reply, _parts(reply), _finish_reason(reply)))


def stream(reply: Reply) -> Iterator[bytes]:
    """Give the answer as events."""
    yield event(_chunk(reply, [{"text": ""}]))
    if reply.calls:
        yield event(_chunk(reply, _parts(reply)))
    else:
        for piece in pieces(reply.text):
            yield event(_chunk(reply, [{"text": piece}]))
    yield event(_chunk(reply, [{"text": ""}], _finish_reason(reply)))


_KINDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    529: "UNAVAILABLE",
}


def error(status: int, _: str, message: str) -> bytes:
    """Give the body of a failure."""
    failure = {"code": status, "message": message, "status": _KINDS.get(status, "INTERNAL")}
    return msgspec.json.encode({"error": failure})


def stream_error(message: str) -> bytes:
    """Give the event of a failure inside a stream."""
    return event({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})


WIRE = Wire("gemini", read, whole, stream, error, stream_error)
