"""Any program as an agent: the directive as JSON on stdin, the answer as JSON on stdout.

It runs in the checkout under the process door, so a driver that dies leaves an outcome slip to adopt or
a program to end. It sees a handful of ordinary variables and those that the settings name, and nothing it
says about its own success is read. Its home is a folder of its own, and so is all that it may write to if
the machine can box it.
"""

import codecs
from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from signoff.agents.backend_tools import AgentTools
from signoff.agents.environment import find_program, held, passed_on
from signoff.agents.private_home import Credentials
from signoff.agents.profiles.base import Launch
from signoff.agents.program_agent import ProgramAgent
from signoff.domain.base.errors import ConfigError
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.machine.process_records import Ending, ProcessOutcome
from signoff.domain.ports import Processes
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.outcomes import Usage
from signoff.domain.work.settings import Settings
from signoff.text.truncation import short

_TAIL_BYTES = 4096
_LONGEST_TAIL = 240
_LONGEST_DETAIL = 300
_LONGEST_NAME = 80

_ASKED_TO_END = (128 + 2, 128 + 15)
"""Exit codes after INT and TERM: another process asked it to end, not this one."""

_CONFIG_FOLDER = ".config"
"""Where credentials go that do not lie below the person's home."""

Fields = dict[str, msgspec.Raw]


class CommandAgent(ProgramAgent):
    """Runs one configured program for every directive."""

    name = "command"
    works_in_a_box = True

    def __init__(
        self,
        processes: Processes,
        argv: tuple[str, ...],
        env: dict[str, str],
        named: tuple[str, ...] = (),
        credentials: Credentials | None = None,
    ) -> None:
        super().__init__(processes, env, named, credentials or Credentials((), "", _CONFIG_FOLDER))
        self._argv = argv

    def _launch(self, request: AgentRequest) -> Launch:
        return Launch(argv=self._argv, env={}, files={}, stdin=msgspec.json.encode(request.directive))

    def _reply(self, outcome: ProcessOutcome, request: AgentRequest) -> AgentReply:
        return replace(_read_end(outcome, request), sandbox=held(outcome))


def open_command(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> CommandAgent:
    """Make the backend. A missing program is reported before a run has cost anything."""
    del cassette
    named = settings.agent.env
    env = passed_on(tools.env, named)
    credentials = Credentials(settings.agent.credentials, tools.env.get("HOME", ""), _CONFIG_FOLDER)
    return CommandAgent(tools.processes, _argv(settings, tools.python, env), env, named, credentials)


def _argv(settings: Settings, python: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words to run, with the path of the program unless it is below the checkout."""
    argv = settings.agent.command
    if not argv:
        raise ConfigError(
            "the command agent has no command",
            slug="agent-no-command",
            why="[agent] command is not set in the settings of the base commit",
            fix='set it, such as command = ["my-agent", "--json"], and commit',
        )
    program = python if python and argv[0] in ("python", "python3") else argv[0]
    return find_program((program, *argv[1:]), env, "command")


def _read_end(outcome: ProcessOutcome, request: AgentRequest) -> AgentReply:
    match outcome.ending:
        case Ending.STOPPED:
            return AgentReply(stopped=True)
        case Ending.TIMED_OUT:
            return _failed(FailureClass.TIMED_OUT, f"not finished after {request.timeout_s:g} s")
        case Ending.SILENT:
            return _failed(FailureClass.SILENT, f"it said nothing for {request.silence_s or 0:g} s")
        case Ending.NOT_STARTED:
            is_gone = outcome.detail.endswith(f": {request.checkout}")
            return _failed(FailureClass.WRONG_FOLDER if is_gone else FailureClass.NOT_STARTED, outcome.detail)
        case Ending.DRIVER_DIED:
            return _failed(FailureClass.INTERRUPTED, outcome.detail or "its supervisor died")
        case Ending.EXITED:
            return _read_answer(outcome, request)


def _failed(failure: FailureClass, detail: str) -> AgentReply:
    treatment = TREATMENT[failure]
    return AgentReply(
        failure=treatment.failure, detail=detail, failure_class=failure, retryable=treatment.retryable
    )


def _read(request: AgentRequest, suffix: str) -> bytes:
    # Not by the slip's own paths: the repository may have moved since an earlier driver wrote it.
    with open(request.logs + suffix, "rb") as file:
        return file.read()


def _read_answer(outcome: ProcessOutcome, request: AgentRequest) -> AgentReply:
    """Read what it printed. Without an answer or with an exit code other than 0 it has failed."""
    stdout = _read(request, ".out")
    found = _find_object(stdout)
    told = _told_failure(found) if found else None
    if told is not None:
        return told
    if outcome.exit_code in _ASKED_TO_END:
        return _failed(FailureClass.INTERRUPTED, f"exit code {outcome.exit_code}: another process ended it")
    if outcome.exit_code != 0:
        said = f"exit code {outcome.exit_code}: {_last_words(_read(request, '.err'))}"
        return _failed(FailureClass.CRASHED, said)
    if found is not None:
        text, fields = found
        return AgentReply(answer=text, usage=_usage(fields))
    if outcome.stdout.truncated:
        detail = f"its answer is beyond the {request.output_limit} bytes that are kept"
        return _failed(FailureClass.TOO_MUCH_OUTPUT, detail)
    detail = f"no JSON object on stdout ({len(stdout)} bytes): {_no_text(stdout)}{_last_words(stdout)}"
    return _failed(FailureClass.MALFORMED_ANSWER, detail)


class _Told(msgspec.Struct, frozen=True, kw_only=True):
    """What a program may print in place of an answer. A failure is believed, as only it can lose by it."""

    kind: str = ""
    name: str = msgspec.field(name="class", default="")
    detail: str = ""
    retry_after_s: float | None = None


def _told_failure(found: tuple[bytes, Fields]) -> AgentReply | None:
    """Return the failure that the program names itself, by the name of its class."""
    text, fields = found
    try:
        told = msgspec.json.decode(text, type=_Told)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if told.kind != "failed":
        return None
    known = told.name in set(FailureClass)
    failure = _failed(FailureClass(told.name) if known else FailureClass.UNKNOWN, "")
    wait_s = told.retry_after_s if told.retry_after_s is not None and told.retry_after_s >= 0 else None
    detail = short(told.detail, _LONGEST_DETAIL) or "it says no more"
    return replace(failure, detail=detail, retry_after_s=wait_s, usage=_usage(fields))


def _find_object(data: bytes) -> tuple[bytes, Fields] | None:
    """Return all of the output if it is one object, else its last line that is one."""
    for text in (data, *reversed(data.split(b"\n"))):
        text = text.strip()
        if text.startswith(b"{") and text.endswith(b"}"):
            fields = _object(text)
            if fields is not None:
                return text, fields
    return None


def _no_text(data: bytes) -> str:
    """Return which invisible bytes keep JSON that looks right from being read, or an empty text."""
    if data.startswith(codecs.BOM_UTF8):
        return "it begins with a byte order mark; "
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "it is UTF-16, not UTF-8; "
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"it is not UTF-8 at byte {error.start + 1}; "
    return ""


def _object(text: bytes) -> Fields | None:
    try:
        text.decode()  # values are kept as they came, so their bytes have not been looked at yet
        return msgspec.json.decode(text, type=Fields)
    except (ValueError, RecursionError):
        return None


def _usage(fields: Fields) -> Usage | None:
    """Return what the agent says it cost, or None if it says nothing or a figure cannot be right.

    A figure below 0 makes all of them unknown: a budget must not grow by what an agent claims.
    """
    try:
        usage = msgspec.json.decode(fields.get("usage", b"null"), type=Usage | None)
    except (ValueError, RecursionError):
        return None
    if usage is None:
        return None
    told = (usage.input_tokens, usage.output_tokens, usage.cost_usd)
    beside = (usage.cached_tokens, usage.cache_write_tokens, usage.tool_calls)
    if all(figure is None for figure in told) or any(n is not None and n < 0 for n in (*told, *beside)):
        return None
    names = {name: short(getattr(usage, name), _LONGEST_NAME) for name in ("model", "session", "version")}
    return replace(usage, priced=False, **names)


def _last_words(output: bytes) -> str:
    """Return the end of an output in one line."""
    text = output[-_TAIL_BYTES:].decode(errors="replace")
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return (line if len(line) <= _LONGEST_TAIL else "…" + line[-_LONGEST_TAIL:]) or "it said nothing"
