"""What the messages of an agent mean as activity. Pure. The client program feeds one `Translator`.

Agents send what they say in pieces and report a tool several times. Shapes are read leniently: what is
not understood is reported as unread, and only the answer to the prompt can say that it is complete.
"""

import re
from typing import TypeVar

import msgspec

from signoff.agents.profiles.acp_client_input import Metering, UsageSource
from signoff.agents.profiles.failures import recognise
from signoff.agents.profiles.lines import (
    LONGEST_ABOUT,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    count,
    decoded,
    price,
    unread,
)
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.machine.activity import (
    Activity,
    Began,
    Complained,
    Finished,
    Metered,
    Retried,
    Spoke,
    ToolEnded,
    ToolKind,
    ToolStarted,
    UsageBasis,
)
from signoff.text.truncation import short

T = TypeVar("T")

COMPLETED = "end_turn"
AUTH_REQUIRED = -32000
_OTHER = "other"
_AGAIN = "etrying..."
_MOST_PLACES = 100
# By the protocol's kinds, and by names of tools for a program that tells none.
_DOES = {
    **dict.fromkeys(("read", "search", "fetch", "think", "tree"), ToolKind.READ),
    **dict.fromkeys(("edit", "delete", "move", "write"), ToolKind.EDIT),
    **dict.fromkeys(("execute", "shell"), ToolKind.EXECUTE),
}
_STATUS = re.compile(r"(?:Internal error: )?(\d{3})\b")
_IGNORED = frozenset(
    (
        *("user_message_chunk", "plan", "plan_update", "plan_removed", "available_commands_update"),
        *("current_mode_update", "config_option_update", "session_info_update"),
    )
)


# --- the shapes, as far as they are read ---


class ToolLocation(msgspec.Struct):
    """A file that a tool is about."""

    path: str = ""


class _MessageContent(msgspec.Struct):
    type: str = ""
    text: str = ""


class _Cost(msgspec.Struct):
    amount: float | None = None
    currency: str = ""


class _GooseTool(msgspec.Struct, rename="camel"):
    tool_name: str = ""


class _Goose(msgspec.Struct, rename="camel"):
    tool_call: _GooseTool | None = None


class _ToolMeta(msgspec.Struct, rename="camel"):
    tool_name: str = ""
    goose: _Goose | None = None


class ToolCall(msgspec.Struct, rename="camel"):
    """A tool, as it is told of when it begins, goes on or needs a permission."""

    tool_call_id: str = ""
    title: str | None = None
    kind: str | None = None
    status: str | None = None
    locations: list[ToolLocation] | None = None
    meta: _ToolMeta | None = msgspec.field(default=None, name="_meta")

    @property
    def name(self) -> str:
        """Its name where the program tells one, else what kind of tool it is."""
        goose = self.meta and self.meta.goose and self.meta.goose.tool_call
        return (self.meta.tool_name if self.meta else "") or (goose.tool_name if goose else "") or self.sort

    @property
    def sort(self) -> str:
        """The kind, which the protocol takes for `other` where it is absent."""
        return self.kind or _OTHER


class _Update(ToolCall, rename="camel"):
    session_update: str = ""
    content: object = None
    message_id: str | None = None
    cost: _Cost | None = None


class _Info(msgspec.Struct):
    name: str = ""
    version: str = ""


class InitializeAnswer(msgspec.Struct, rename="camel"):
    """The answer to `initialize`."""

    protocol_version: int = 0
    agent_info: _Info | None = None


class _AcpUsage(msgspec.Struct, rename="camel"):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_read_tokens: int | None = None
    cached_write_tokens: int | None = None
    thought_tokens: int | None = None


class _TokenCount(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Quota(msgspec.Struct):
    token_count: _TokenCount | None = None


class _Meta(msgspec.Struct):
    quota: _Quota | None = None


class _PromptResult(msgspec.Struct, rename="camel"):
    stop_reason: str = ""
    usage: _AcpUsage | None = None
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


class _ErrorData(msgspec.Struct, rename="camel"):
    message: str = ""
    details: str = ""
    error_name: str = ""
    error_kind: str = ""
    status_code: int | None = None


class _ErrorCause(msgspec.Struct):
    code: int
    message: str


class _WrappedError(msgspec.Struct):
    error: _ErrorCause


def lenient(value: object, kind: type[T]) -> T | None:
    """Return the record, or None if the value has another shape."""
    try:
        return msgspec.convert(value, type=kind)
    except (ValueError, RecursionError):
        return None


# --- what they mean ---


class Translator:
    """Turns messages into activity, in their order."""

    def __init__(self, metering: Metering, notices: tuple[str, ...] = ()) -> None:
        self._metering = metering
        self._notices = notices
        self._pieces: list[str] = []
        self._message = ""
        self._names: dict[str, str] = {}
        self._does: dict[str, ToolKind] = {}
        self._places: set[tuple[str, str]] = set()

    def began(self, opened: InitializeAnswer, session: str, model: str) -> list[Activity]:
        """Return the activity of a session that was opened."""
        version = opened.agent_info.version if opened.agent_info else ""
        return [
            Began(
                session=short(session, LONGEST_NAME),
                model=short(model, LONGEST_NAME),
                version=short(version, LONGEST_NAME),
            )
        ]

    def update(self, value: object) -> list[Activity]:
        """Return the activity in a `session/update`.

        Kinds that say nothing about the work are dropped, and a kind that is not known is reported as unread.
        """
        update = lenient(value, _Update)
        match update and update.session_update:
            case "agent_message_chunk":
                assert update is not None
                return self._said(update)
            case "agent_thought_chunk":
                return self.flush()
            case "tool_call" | "tool_call_update":
                assert update is not None
                started, has_failed = [*self.flush(), *self._started(update)], update.status == "failed"
                if not has_failed and update.status != "completed":
                    return started
                return [*started, ToolEnded(id=short(update.tool_call_id, LONGEST_NAME), failed=has_failed)]
            case "usage_update":
                assert update is not None
                return _priced(update.cost)
            case str() as kind if kind in _IGNORED:
                return []
            case _:
                return [unread(repr(value).encode(errors="replace"))]

    def asked(self, tool: ToolCall) -> list[Activity]:
        """Return the activity in a request for permission. Some programs report the tool in no other way."""
        return [*self.flush(), *self._started(tool)]

    def name_of(self, tool: ToolCall) -> str:
        """Return the name that a tool was first reported under. A request for permission may lack it."""
        return self._names.get(tool.tool_call_id, tool.name)

    def refused(self, tool: ToolCall) -> list[Activity]:
        """Return the end of a tool that was not allowed."""
        return [ToolEnded(id=short(tool.tool_call_id, LONGEST_NAME), failed=True, denied=True)]

    def flush(self) -> list[Activity]:
        """Return what it has said since the last time."""
        text = "".join(self._pieces)
        self._pieces = []
        return [Spoke(text=text)] if text.strip() else []

    def ended(self, value: object) -> list[Activity]:
        """Return the activity in the answer to the prompt."""
        said = self.flush()
        result = lenient(value, _PromptResult)
        if result is None:
            return [*said, Complained(message="its answer to the prompt cannot be read"), Finished(ok=False)]
        end = Finished(ok=result.stop_reason == COMPLETED, reason=short(result.stop_reason, LONGEST_NAME))
        return [*said, *self._metered(result), end]

    def failed(self, code: int, message: str, data: object) -> list[Activity]:
        """Return the activity of an error that came in place of an answer."""
        return [*self.flush(), complaint(code, message, data), Finished(ok=False, reason=f"error {code}")]

    def _said(self, update: _Update) -> list[Activity]:
        content = lenient(update.content, _MessageContent)
        if content is None or content.type != "text":
            return []
        if content.text.startswith(self._notices) and content.text.endswith(_AGAIN):
            return [*self.flush(), Retried(why=short(content.text, LONGEST_ABOUT))]
        is_another = bool(update.message_id) and update.message_id != self._message
        self._message = update.message_id or self._message
        before = self.flush() if is_another else []
        self._pieces.append(content.text)
        return before

    def _started(self, tool: ToolCall) -> list[Activity]:
        """Report a tool once, and an edit again when it names files that it had not named.

        A later message may leave out the kind and the name of the first, so both are remembered by id.
        """
        name = self._names.get(tool.tool_call_id)
        known = self._does.get(tool.tool_call_id, ToolKind.OTHER)
        does = _DOES.get(tool.sort) or _DOES.get(tool.name, known)
        self._does[tool.tool_call_id] = does
        places = tuple(place.path for place in tool.locations or () if place.path)[:_MOST_PLACES]
        paths = places if does is ToolKind.EDIT else ()
        if name is not None and self._places.issuperset((tool.tool_call_id, path) for path in paths):
            return []
        self._names.setdefault(tool.tool_call_id, tool.name)
        self._places.update((tool.tool_call_id, path) for path in paths)
        return [
            ToolStarted(
                id=short(tool.tool_call_id, LONGEST_NAME),
                tool=short(name or tool.name, LONGEST_NAME),
                does=does,
                about=short((places[0] if places else "") or tool.title or "", LONGEST_ABOUT),
                paths=paths,
            )
        ]

    def _metered(self, result: _PromptResult) -> list[Activity]:
        given = _figures(result, self._metering.counts)
        if given is None:
            return []
        cached, whole = count(given.cached_read_tokens), count(given.input_tokens)
        if self._metering.includes_cached and whole is not None and cached is not None:
            whole = max(0, whole - cached)
        return [
            Metered(
                basis=self._metering.basis,
                input_tokens=whole,
                cached_tokens=cached,
                cache_write_tokens=count(given.cached_write_tokens),
                output_tokens=count(given.output_tokens),
            )
        ]


def complaint(code: int, message: str, data: object) -> Complained:
    """Return an error in the program's own words, with all that it says about its cause."""
    told = lenient(data, _ErrorData) or _ErrorData(details=data if isinstance(data, str) else "")
    wrapped = decoded(message, _WrappedError)
    if wrapped is not None:  # the server's answer as it came
        code, message = wrapped.error.code, wrapped.error.message
    said = dict.fromkeys(part for part in (message, told.error_name, told.message, told.details) if part)
    words = ": ".join(said)
    named = _STATUS.match(words)
    status = told.status_code or (int(named[1]) if named else None)
    if status is None and 400 <= code < 600:
        # 500 is also what stands there for want of another: what the words tell comes first.
        tells_other = code == 500 and recognise(words) not in (None, FailureClass.SERVER_ERROR)
        status = None if tells_other else code
    kind = told.error_kind or told.error_name or ("authentication" if code == AUTH_REQUIRED else "")
    return Complained(
        message=short(": ".join(said), LONGEST_MESSAGE), status=status, code=short(kind, LONGEST_NAME)
    )


def _figures(result: _PromptResult, counts: UsageSource) -> _AcpUsage | None:
    if counts is UsageSource.USAGE:
        return result.usage
    quota = result.meta.quota if result.meta else None
    if quota is None or quota.token_count is None:
        return None
    return _AcpUsage(
        input_tokens=quota.token_count.input_tokens, output_tokens=quota.token_count.output_tokens
    )


def _priced(cost: _Cost | None) -> list[Activity]:
    """Return the price of the session so far. An amount of 0 is what a program says that knows no price."""
    if cost is None or cost.currency != "USD" or not cost.amount:
        return []
    return [Metered(basis=UsageBasis.SESSION, cost_usd=price(cost.amount))]
