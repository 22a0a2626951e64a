"""Claude Code, `claude -p` with its stream of JSON lines. Pure.

Its exit code is 0 when it was interrupted, and its result says `success` when the model's server refused
it, so `is_error` is what counts. Shapes as of the version in `tested`.
"""

from collections.abc import Mapping
from functools import partial

import msgspec

from signoff.agents.profiles.base import Classified, Launch, LaunchOrder, ReadContext
from signoff.agents.profiles.failures import WRONG_FOLDER
from signoff.agents.profiles.lines import (
    LONGEST_ABOUT,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    Found,
    LineReader,
    activity_in,
    count,
    decoded,
    dropped,
    price,
    reading,
)
from signoff.agents.profiles.program_endings import read_end
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.machine.activity import (
    Activity,
    Began,
    Complained,
    Finished,
    Metered,
    Retried,
    Spoke,
    Tally,
    ToolEnded,
    ToolKind,
    ToolStarted,
    UsageBasis,
)
from signoff.domain.machine.process_records import Ending
from signoff.text.truncation import short

_READING = ("Read", "Glob", "Grep")
_SYSTEM_FILE = "system.md"

_DOES = {
    **dict.fromkeys(("Read", "Glob", "Grep", "LS", "NotebookRead", "WebFetch", "WebSearch"), ToolKind.READ),
    **dict.fromkeys(("Edit", "MultiEdit", "Write", "NotebookEdit"), ToolKind.EDIT),
    **dict.fromkeys(("Bash", "BashOutput", "KillShell", "Monitor"), ToolKind.EXECUTE),
}

# How it says that it came to its end; where the word is not clear, what it complained of decides.
_REASONS = {
    "error_max_turns": FailureClass.TURNS_USED_UP,
    "error_max_budget_usd": FailureClass.BUDGET_USED_UP,
    "aborted_streaming": FailureClass.INTERRUPTED,
    "aborted_tools": FailureClass.INTERRUPTED,
    "refusal": FailureClass.REFUSED,
}


class ClaudeProfile:
    """How Claude Code is started and read."""

    name = "claude"
    title = "Claude Code"
    tested = "2.1.325"
    config_folder = ".claude"
    works_in_a_box = True
    login = (
        "name ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN in [agent] env, "
        'or set [agent] credentials = ["~/.claude/.credentials.json"]'
    )

    def command(self, order: LaunchOrder) -> Launch:
        """Return how it is started.

        The prompt goes in by stdin, since it may be long and every user can list the words of a command.
        """
        argv = [*order.program, "-p", "--output-format", "stream-json", "--verbose"]
        argv += ["--session-id", order.session, "--strict-mcp-config"]
        if order.may_write:
            argv += ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
        else:
            reading = ",".join(_READING)
            argv += ["--permission-mode", "dontAsk", "--tools", reading, "--allowedTools", reading]
        for flag, value in (("--model", order.model), ("--effort", order.effort)):
            argv += [flag, value] if value else []
        if order.budget_usd is not None:
            argv += ["--max-budget-usd", f"{order.budget_usd:.4f}"]
        if order.system:
            argv += ["--append-system-prompt-file", f"{order.home}/{_SYSTEM_FILE}"]
        return Launch(
            argv=(*argv, *order.args),
            env={
                "CLAUDE_CONFIG_DIR": f"{order.home}/{self.config_folder}",
                # By itself it tries ten times with growing pauses, after a 401 too.
                "CLAUDE_CODE_MAX_RETRIES": "2",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            folders=(self.config_folder,),
            files={_SYSTEM_FILE: order.system.encode(errors="replace")} if order.system else {},
            stdin=order.prompt.encode(errors="replace"),
        )

    def read(self, line: bytes, context: ReadContext) -> tuple[Activity, ...]:
        """Return the activity in one line, by the reader for its type and subtype, or else its type."""
        if not line.strip():
            return ()
        head = decoded(line, _ClaudeHead)
        if head is None:
            return activity_in(line, None)
        if (head.type, head.subtype) == ("system", "init"):
            return activity_in(line, reading(_Init, partial(_began, checkout=context.checkout)))
        return activity_in(line, _READERS.get((head.type, head.subtype)) or _READERS.get((head.type, "")))

    def classify(self, exit_code: int | None, ending: Ending, tally: Tally, stderr_tail: str) -> Classified:
        """Classify its end."""
        return read_end(exit_code, ending, tally, stderr_tail, _REASONS)


# --- the shapes of its lines, as far as they are read ---

_NULL = msgspec.Raw(b"null")


class _ClaudeHead(msgspec.Struct):
    type: str
    subtype: str = ""


class _Init(msgspec.Struct):
    session_id: str = ""
    model: str = ""
    cwd: str = ""
    claude_code_version: str = ""


class _ApiRetry(msgspec.Struct):
    error_status: int | None = None
    retry_delay_ms: float | None = None
    error: str | None = None


class _PermissionDenied(msgspec.Struct):
    tool_use_id: str


class _ClaudeUsage(msgspec.Struct):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None


class _ClaudeMessage(msgspec.Struct):
    id: str = ""
    model: str = ""
    content: msgspec.Raw = _NULL
    usage: _ClaudeUsage | None = None


class _Spoken(msgspec.Struct):
    message: _ClaudeMessage
    parent_tool_use_id: str | None = None
    is_api_error_message: bool = False


class _ContentBlock(msgspec.Struct):
    type: str
    id: str = ""
    name: str = ""
    text: str = ""
    input: msgspec.Raw = _NULL
    tool_use_id: str = ""
    is_error: bool | None = None


class _ToolInput(msgspec.Struct):
    file_path: str = ""
    notebook_path: str = ""
    path: str = ""
    command: str = ""
    pattern: str = ""
    url: str = ""
    description: str = ""


class _Denial(msgspec.Struct):
    tool_use_id: str = ""


class _LimitInfo(msgspec.Struct):
    status: str = ""
    rateLimitType: str = ""  # noqa: N815 - its own spelling


class _Limited(msgspec.Struct):
    rate_limit_info: _LimitInfo


class _ClaudeResult(msgspec.Struct):
    subtype: str = ""
    is_error: bool = True  # a result that does not say so is none
    result: str | None = None
    errors: list[str] = []
    terminal_reason: str | None = None
    stop_reason: str | None = None
    api_error_status: int | None = None
    api_error_type: str | None = None
    api_error: str | None = None
    total_cost_usd: float | None = None
    usage: _ClaudeUsage | None = None
    permission_denials: list[_Denial] = []


# --- what they mean ---


def _began(init: _Init, checkout: str) -> Found:
    began = Began(session=init.session_id, model=init.model, version=init.claude_code_version)
    if not checkout or not init.cwd or init.cwd.rstrip("/") == checkout.rstrip("/"):
        return (began,)
    message = short(f"it works in {init.cwd}, not in {checkout}", LONGEST_MESSAGE)
    return (began, Complained(message=message, code=WRONG_FOLDER))


def _retried(retry: _ApiRetry) -> Found:
    wait_s = None if retry.retry_delay_ms is None else retry.retry_delay_ms / 1000
    return (Retried(status=retry.error_status, wait_s=wait_s, why=short(retry.error or "", LONGEST_ABOUT)),)


def _denied(denied: _PermissionDenied) -> Found:
    return (ToolEnded(id=denied.tool_use_id, failed=True, denied=True),)


def _limited(limited: _Limited) -> Found:
    info = limited.rate_limit_info
    if info.status != "rejected":
        return ()
    return (
        Complained(
            message=f"usage limit reached: {short(info.rateLimitType, 80)}", code="usage_limit_reached"
        ),
    )


def _said(spoken: _Spoken) -> Found:
    blocks = decoded(spoken.message.content, list[_ContentBlock]) or []
    found: list[Activity] = []
    for block in blocks:
        if block.type == "tool_use":
            found.append(_started(block))
        elif block.type == "text" and block.text and not spoken.parent_tool_use_id:
            # What a helper of its own says to it is not its answer; an error is told again by the result.
            found += [] if spoken.is_api_error_message else [Spoke(text=block.text)]
    usage = spoken.message.usage
    if usage is not None and spoken.message.id and spoken.message.model != "<synthetic>":
        found.append(_call(spoken.message.id, usage))
    return tuple(found)


def _started(block: _ContentBlock) -> ToolStarted:
    given = decoded(block.input, _ToolInput) or _ToolInput()
    about = given.file_path or given.path or given.command or given.pattern or given.url or given.description
    does = _DOES.get(block.name, ToolKind.OTHER)
    path = given.file_path or given.notebook_path
    return ToolStarted(
        id=short(block.id, LONGEST_NAME),
        tool=short(block.name, LONGEST_NAME),
        does=does,
        about=short(about, LONGEST_ABOUT),
        paths=(path,) if path and does is ToolKind.EDIT else (),
    )


def _call(call: str, usage: _ClaudeUsage) -> Metered:
    """Return one call of the model, for a run that is ended before its result.

    The output tokens of a streamed message are those of its first piece, which is no figure at all.
    """
    return Metered(
        basis=UsageBasis.LAST_CALL,
        call=short(call, LONGEST_NAME),
        input_tokens=count(usage.input_tokens),
        cached_tokens=count(usage.cache_read_input_tokens),
        cache_write_tokens=count(usage.cache_creation_input_tokens),
    )


def _came_back(spoken: _Spoken) -> Found:
    blocks = decoded(spoken.message.content, list[_ContentBlock]) or []
    return tuple(
        ToolEnded(id=short(block.tool_use_id, LONGEST_NAME), failed=block.is_error is True)
        for block in blocks
        if block.type == "tool_result"
    )


def _finished(result: _ClaudeResult) -> Found:
    denied = tuple(
        ToolEnded(id=each.tool_use_id, failed=True, denied=True) for each in result.permission_denials
    )
    metered = _used(result)
    if _is_good(result):
        return (
            *denied,
            *metered,
            Finished(ok=True, reason=result.terminal_reason or "", text=result.result or ""),
        )
    message = result.result or "; ".join(result.errors)
    complaint = Complained(
        message=short(message, LONGEST_MESSAGE),
        status=result.api_error_status,
        code=result.api_error_type or result.api_error or "",
    )
    return (*denied, *metered, complaint, Finished(ok=False, reason=_reason(result)))


def _is_good(result: _ClaudeResult) -> bool:
    is_aborted = (result.terminal_reason or "").startswith("abort")
    return (
        result.subtype == "success"
        and not result.is_error
        and not is_aborted
        and result.stop_reason != "refusal"
    )


def _reason(result: _ClaudeResult) -> str:
    if result.stop_reason == "refusal":
        return "refusal"
    words = (result.subtype, result.terminal_reason or "")
    return short(next((word for word in words if word in _REASONS), words[1] or words[0]), LONGEST_NAME)


def _used(result: _ClaudeResult) -> tuple[Metered, ...]:
    """Return its figures: the tokens are this run's, the price is the whole session's after a resume."""
    usage = result.usage or _ClaudeUsage()
    return (
        Metered(
            basis=UsageBasis.RUN,
            input_tokens=count(usage.input_tokens),
            cached_tokens=count(usage.cache_read_input_tokens),
            cache_write_tokens=count(usage.cache_creation_input_tokens),
            output_tokens=count(usage.output_tokens),
        ),
        Metered(basis=UsageBasis.SESSION, cost_usd=price(result.total_cost_usd)),
    )


_READERS: Mapping[tuple[str, str], LineReader] = {
    ("system", "api_retry"): reading(_ApiRetry, _retried),
    ("system", "permission_denied"): reading(_PermissionDenied, _denied),
    ("assistant", ""): reading(_Spoken, _said),
    ("user", ""): reading(_Spoken, _came_back),
    ("result", ""): reading(_ClaudeResult, _finished),
    ("rate_limit_event", ""): reading(_Limited, _limited),
    ("system", ""): dropped,
    ("stream_event", ""): dropped,
    ("tool_progress", ""): dropped,
}
"""By type and subtype of the line. An empty subtype stands for every other one."""
