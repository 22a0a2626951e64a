"""What the interfaces have in common: a request as the script sees it, a reply without its form. Pure."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec


class Property(msgspec.Struct, frozen=True):
    """A parameter of a tool; of its schema only what decides how to fill it."""

    type: str | list[str] = "string"
    enum: list[msgspec.Raw] = []


class Schema(msgspec.Struct, frozen=True):
    """The parameters of a tool."""

    properties: dict[str, Property] = {}
    required: list[str] = []


class Tool(NamedTuple):
    """A tool the agent offers."""

    name: str
    schema: Schema
    is_freeform: bool = False
    """It takes plain text in place of JSON."""
    namespace: str = ""


class Exchange(NamedTuple):
    """A request, understood."""

    model: str
    streams: bool
    tools: tuple[Tool, ...]
    results: int
    """Tool results since the model last ended its work with words: this says where in the script we are."""
    folder: str
    """Where the agent says it works; empty when it says nothing."""


class Call(NamedTuple):
    """A use of a tool, as it goes over the wire."""

    id: str
    tool: Tool
    arguments: str


class Reply(NamedTuple):
    """What the model says: words, or uses of tools."""

    model: str
    id: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    refuses: bool = False
    is_cut_short: bool = False


class Usage(NamedTuple):
    """What every reply claims to have used, so that sums can be checked."""

    input: int = 1200
    cached: int = 200
    output: int = 50


USAGE = Usage()
PIECE = 4096
"""Characters in one streamed piece of text."""


class Wire(NamedTuple):
    """One interface."""

    name: str
    read: Callable[[bytes], Exchange]
    """Raises `msgspec.MsgspecError` for a body that is none of its requests."""
    whole: Callable[[Reply], bytes]
    stream: Callable[[Reply], Iterator[bytes]]
    """Server-sent events, in order; the first of them never holds the answer."""
    error: Callable[[int, str, str], bytes]
    """Body of an answer with this status, OpenAI's kind (may be empty) and message."""
    stream_error: Callable[[str], bytes]
    """The event that reports an overload inside a stream."""


def pieces(text: str) -> Iterator[str]:
    """Cut a text for streaming; an empty text is one empty piece."""
    for start in range(0, max(len(text), 1), PIECE):
        yield text[start : start + PIECE]


def event(data: object, name: str = "") -> bytes:
    """Give one server-sent event."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + msgspec.json.encode(data) + b"\n\n"
