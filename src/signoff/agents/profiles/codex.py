"""Codex, `codex exec --json`. Pure.

Its errors are prose, often without a status, and a patch that its sandbox rejected is told on stderr
alone. Shapes as of the version in `tested`.
"""

import re
from collections.abc import Mapping

import msgspec

from signoff.agents.profiles.base import Classified, Launch, LaunchOrder, ReadContext
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
    reading,
)
from signoff.agents.profiles.program_endings import read_end
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

_EFFORTS = {"max": "xhigh"}
"""The hardest it can be asked to think has another name."""
_REJECTED = re.compile("patch rejected")
_STATUS = re.compile(r"\bstatus:? (\d{3})\b")
_WAITS_FOR_NETWORK = "waiting for network"


class CodexProfile:
    """How Codex is started and read."""

    name = "codex"
    title = "Codex"
    tested = "0.166.0"
    config_folder = ".codex"
    works_in_a_box = True
    login = (
        "name CODEX_API_KEY or your provider's variable in [agent] env, "
        'or set [agent] credentials = ["~/.codex/auth.json"]'
    )

    def command(self, order: LaunchOrder) -> Launch:
        """Return how it is started. The prompt goes in by stdin."""
        argv = [*order.program, "exec", "--json", "--skip-git-repo-check"]
        # Either of the two alone still looks for plugins on the network, for five seconds.
        argv += ["-c", "analytics.enabled=false", "--disable", "plugins"]
        if order.is_fenced:
            # Its own sandbox mounts, which no program in ours may; ours keeps a planner from writing, too.
            argv += ["-s", "danger-full-access"]
        elif order.may_write:
            argv += ["-s", "workspace-write"]
            # It would let the temporary folders of all users be written to.
            argv += ["-c", "sandbox_workspace_write.exclude_slash_tmp=true"]
            argv += ["-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"]
        else:
            argv += ["-s", "read-only"]
        if order.model:
            argv += ["-m", order.model]
        if order.effort:
            argv += ["-c", f'model_reasoning_effort="{_EFFORTS.get(order.effort, order.effort)}"']
        return Launch(
            argv=(*argv, *order.args, "-"),
            env={"CODEX_HOME": f"{order.home}/{self.config_folder}"},
            folders=(self.config_folder,),
            files={f"{self.config_folder}/config.toml": _config(order)},
            stdin=order.prompt.encode(errors="replace"),
        )

    def read(self, line: bytes, context: ReadContext) -> tuple[Activity, ...]:
        """Return the activity in one line, by the reader for its type."""
        del context  # it does not say where it works
        if not line.strip():
            return ()
        head = decoded(line, _CodexHead)
        return activity_in(line, _READERS.get(head.type) if head else None)

    def classify(self, exit_code: int | None, ending: Ending, tally: Tally, stderr_tail: str) -> Classified:
        """Classify its end. Rejected tools are counted from stderr, since only there they are reported."""
        denials = max(tally.denials, len(_REJECTED.findall(stderr_tail)))
        counted = msgspec.structs.replace(tally, denials=denials)
        return read_end(exit_code, ending, counted, stderr_tail, {})


def _config(order: LaunchOrder) -> bytes:
    """Return its configuration file: what we tell it about its role may be longer than an argument."""
    if not order.system:
        return b""
    # A JSON string is a TOML one too, except for DEL, which TOML wants escaped.
    text = (
        msgspec.json.encode(order.system.encode(errors="replace").decode())
        .decode()
        .replace("\x7f", "\\u007f")
    )
    return f"developer_instructions = {text}\n".encode()


# --- the shapes of its lines, as far as they are read ---


class _CodexHead(msgspec.Struct):
    type: str


class _Thread(msgspec.Struct):
    thread_id: str


class _FileChange(msgspec.Struct):
    path: str = ""


class _CodexItem(msgspec.Struct):
    id: str = ""
    type: str = ""
    text: str = ""
    message: str = ""
    command: str = ""
    query: str = ""
    server: str = ""
    tool: str = ""
    status: str = ""
    exit_code: int | None = None
    changes: list[_FileChange] = []


class _ItemLine(msgspec.Struct):
    item: _CodexItem


class _Error(msgspec.Struct):
    message: str


class _FailedTurn(msgspec.Struct):
    error: _Error


class _CodexUsage(msgspec.Struct):
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None


class _CompletedTurn(msgspec.Struct):
    usage: _CodexUsage | None = None


class _Inner(msgspec.Struct):
    message: str = ""
    type: str | None = None
    code: str | None = None


class _WrappedJson(msgspec.Struct):
    error: _Inner
    status: int | None = None
    status_code: int | None = None


# --- what they mean ---

_TOOLS = {
    "command_execution": ("shell", ToolKind.EXECUTE),
    "file_change": ("apply_patch", ToolKind.EDIT),
    "mcp_tool_call": ("mcp", ToolKind.OTHER),
    "web_search": ("web_search", ToolKind.READ),
}


def _began(thread: _Thread) -> Found:
    return (Began(session=short(thread.thread_id, LONGEST_NAME)),)


def _item_began(given: _ItemLine) -> Found:
    item = given.item
    if item.type not in _TOOLS:
        return ()
    tool, does = _TOOLS[item.type]
    name = f"{item.server}.{item.tool}" if item.tool else tool
    about = item.command or item.query or " ".join(change.path for change in item.changes)
    return (
        ToolStarted(
            id=short(item.id, LONGEST_NAME),
            tool=short(name, LONGEST_NAME),
            does=does,
            about=short(about, LONGEST_ABOUT),
            paths=tuple(change.path for change in item.changes),
        ),
    )


def _item_ended(given: _ItemLine) -> Found:
    item = given.item
    if item.type in _TOOLS:
        is_denied = item.status == "declined"
        failed = is_denied or item.status == "failed"
        ended = ToolEnded(
            id=short(item.id, LONGEST_NAME), failed=failed, denied=is_denied, exit_code=item.exit_code
        )
        return (ended,)
    if item.type == "agent_message":
        return (Spoke(text=item.text),)
    if item.type == "error":
        return (_complaint(item.message),)
    return ()


def _complained(error: _Error) -> Found:
    if not error.message.startswith("Reconnecting..."):
        return (_complaint(error.message),)
    retried = Retried(status=_status(error.message), why=short(error.message, LONGEST_ABOUT))
    # Without a network it waits for ever: the person who ends it then should see why.
    return (retried, _complaint(error.message)) if _WAITS_FOR_NETWORK in error.message else (retried,)


def _failed(turn: _FailedTurn) -> Found:
    return (_complaint(turn.error.message), Finished(ok=False, reason="turn.failed"))


def _completed(turn: _CompletedTurn) -> Found:
    finished = Finished(ok=True, reason="turn.completed")
    return (finished,) if turn.usage is None else (_used(turn.usage), finished)


def _used(usage: _CodexUsage) -> Metered:
    """Return its figures: of the whole thread, and what came from the cache is within the input."""
    given, cached = count(usage.input_tokens), count(usage.cached_input_tokens)
    return Metered(
        basis=UsageBasis.SESSION,
        input_tokens=None if given is None else max(0, given - (cached or 0)),
        cached_tokens=cached,
        cache_write_tokens=count(usage.cache_write_input_tokens),
        output_tokens=count(usage.output_tokens),
    )


def _complaint(message: str) -> Complained:
    """Read an error: a sentence, or the server's own JSON as it came."""
    wrapped = decoded(message, _WrappedJson) if message.startswith("{") else None
    if wrapped is None:
        return Complained(message=short(message, LONGEST_MESSAGE), status=_status(message))
    inner = wrapped.error
    return Complained(
        message=short(inner.message or message, LONGEST_MESSAGE),
        status=wrapped.status
        or wrapped.status_code
        or (400 if inner.type == "invalid_request_error" else None),
        code=inner.code or inner.type or "",
    )


def _status(message: str) -> int | None:
    found = _STATUS.search(message)
    return int(found[1]) if found else None


_READERS: Mapping[str, LineReader] = {
    "thread.started": reading(_Thread, _began),
    "item.started": reading(_ItemLine, _item_began),
    "item.completed": reading(_ItemLine, _item_ended),
    "error": reading(_Error, _complained),
    "turn.completed": reading(_CompletedTurn, _completed),
    "turn.failed": reading(_FailedTurn, _failed),
    **dict.fromkeys(("turn.started", "item.updated"), dropped),
}
"""By the type of the line."""
