"""Three interfaces to a model, as far as a small agent needs them: what is asked, what is answered. Pure."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]
"""What a server of somebody else's sends; only this file looks into it."""


class Call(NamedTuple):
    """A use of a tool that the model wants."""

    id: str
    tool: str
    arguments: str
    """JSON, or what was meant to be."""


class Result(NamedTuple):
    """What came of it."""

    call: Call
    text: str


class Used(NamedTuple):
    """Tokens; what came from a cache is not within the input."""

    input: int = 0
    cached: int = 0
    output: int = 0

    def plus(self, other: "Used") -> "Used":
        """Give the sum."""
        return Used(self.input + other.input, self.cached + other.cached, self.output + other.output)


class Turn(NamedTuple):
    """What the model said: words, or uses of tools."""

    text: str
    calls: tuple[Call, ...]
    used: Used
    refused: bool = False


Step = tuple[Result, ...]
"""The results of one turn's calls."""


class Tool(NamedTuple):
    """A tool as a model is told of it."""

    name: str
    slots: tuple[str, ...]


class Wire(NamedTuple):
    """One interface."""

    path: str
    """Below the base address."""
    ask: Callable[[str, str, tuple[Step, ...], tuple[Tool, ...]], Json]
    """The body of a request: model, prompt, what was done so far, tools on offer."""
    read: Callable[[Json], Turn]
    """Raises `KeyError`, `TypeError` or `IndexError` for what is no answer."""


def _schema(tool: Tool) -> Json:
    slots = {slot: {"type": "string"} for slot in tool.slots}
    return {"type": "object", "properties": slots, "required": list(tool.slots)}


# --- Messages ---


def _ask_messages(model: str, prompt: str, steps: tuple[Step, ...], tools: tuple[Tool, ...]) -> Json:
    messages: list[Json] = [{"role": "user", "content": prompt}]
    for step in steps:
        uses = [
            {"type": "tool_use", "id": each.call.id, "name": each.call.tool, "input": {}} for each in step
        ]
        came = [{"type": "tool_result", "tool_use_id": each.call.id, "content": each.text} for each in step]
        messages += [{"role": "assistant", "content": uses}, {"role": "user", "content": came}]
    offered = [{"name": tool.name, "input_schema": _schema(tool)} for tool in tools]
    return {"model": model, "max_tokens": 8000, "messages": messages, "tools": offered}


def _read_message(body: Json) -> Turn:
    blocks = body["content"]
    calls = tuple(
        Call(block["id"], block["name"], _as_text(block["input"]))
        for block in blocks
        if block["type"] == "tool_use"
    )
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    usage = body["usage"]
    used = Used(usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"])
    return Turn(text, calls, used, body["stop_reason"] == "refusal")


def _as_text(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


# --- Responses ---


def _ask_responses(model: str, prompt: str, steps: tuple[Step, ...], tools: tuple[Tool, ...]) -> Json:
    items: list[Json] = [{"type": "message", "role": "user", "content": prompt}]
    for step in steps:
        for call, _ in step:
            items.append(
                {
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.tool,
                    "arguments": call.arguments,
                }
            )
        items += [
            {"type": "function_call_output", "call_id": each.call.id, "output": each.text} for each in step
        ]
    offered = [{"type": "function", "name": tool.name, "parameters": _schema(tool)} for tool in tools]
    return {"model": model, "input": items, "tools": offered}


def _read_response(body: Json) -> Turn:
    calls = tuple(
        Call(item["call_id"], item["name"], item["arguments"])
        for item in body["output"]
        if item["type"] == "function_call"
    )
    parts = [part for item in body["output"] if item["type"] == "message" for part in item["content"]]
    text = "".join(part.get("text", "") for part in parts)
    usage = body["usage"]
    cached = usage["input_tokens_details"]["cached_tokens"]
    used = Used(usage["input_tokens"] - cached, cached, usage["output_tokens"])
    return Turn(text, calls, used, any(part["type"] == "refusal" for part in parts))


# --- Chat Completions ---


def _ask_chat(model: str, prompt: str, steps: tuple[Step, ...], tools: tuple[Tool, ...]) -> Json:
    messages: list[Json] = [{"role": "user", "content": prompt}]
    for step in steps:
        calls = [
            {
                "id": each.call.id,
                "type": "function",
                "function": {"name": each.call.tool, "arguments": each.call.arguments},
            }
            for each in step
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": each.call.id, "content": each.text} for each in step]
    offered = [
        {"type": "function", "function": {"name": tool.name, "parameters": _schema(tool)}} for tool in tools
    ]
    return {"model": model, "messages": messages, "tools": offered}


def _read_chat(body: Json) -> Turn:
    choice = body["choices"][0]
    message = choice["message"]
    calls = tuple(
        Call(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    )
    usage = body["usage"]
    cached = usage["prompt_tokens_details"]["cached_tokens"]
    used = Used(usage["prompt_tokens"] - cached, cached, usage["completion_tokens"])
    return Turn(message["content"] or "", calls, used, bool(message.get("refusal")))


WIRES: Mapping[str, Wire] = {
    "messages": Wire("/v1/messages", _ask_messages, _read_message),
    "responses": Wire("/v1/responses", _ask_responses, _read_response),
    "chat": Wire("/v1/chat/completions", _ask_chat, _read_chat),
}
