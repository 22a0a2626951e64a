"""Any program as an agent: the directive as JSON on stdin, the answer as JSON on stdout.

It runs in the checkout under the process door, so a driver that dies leaves an outcome slip to adopt or
a program to end. It sees a handful of ordinary variables and those that the settings name; nothing it
says about its own success is read.
"""

from collections.abc import Mapping

import msgspec

from signoff.agents.base import AgentTools
from signoff.agents.environment import find_program, passed_on, secrets_in
from signoff.domain.agents import AgentReply, AgentRequest
from signoff.domain.cassettes import Cassette
from signoff.domain.errors import ConfigError
from signoff.domain.outcomes import AgentFailure, Usage
from signoff.domain.ports import Processes
from signoff.domain.processes import Ending, ProcessOutcome, ProcessRequest
from signoff.domain.settings import Settings

_TAIL_BYTES = 4096
_LONGEST_TAIL = 240

Fields = dict[str, msgspec.Raw]


class CommandAgent:
    """Runs one configured program for every directive."""

    name = "command"

    def __init__(
        self, processes: Processes, argv: tuple[str, ...], env: dict[str, str], secrets: tuple[str, ...]
    ) -> None:
        self._processes = processes
        self._argv = argv
        self._env = env
        self._secrets = secrets

    def dispatch(self, request: AgentRequest) -> AgentReply:
        """Run the program in the checkout, to its end."""
        outcome = self._processes.run(
            ProcessRequest(
                argv=self._argv,
                cwd=request.checkout,
                env=self._env,
                timeout_s=request.timeout_s,
                idle_timeout_s=request.silence_s,
                stdout_path=request.logs + ".out",
                stderr_path=request.logs + ".err",
                slip_path=_slip(request),
                stdin=msgspec.json.encode(request.directive),
                secrets=self._secrets,
            )
        )
        return _reply(outcome, request)

    def recover(self, request: AgentRequest) -> AgentReply | None:
        """End what an earlier driver left running, then read its slip if there is one."""
        outcome = self._processes.recover(_slip(request))
        return None if outcome is None else _reply(outcome, request)

    def was_started(self, request: AgentRequest) -> bool:
        """Say whether an earlier driver got as far as starting the program."""
        return self._processes.was_started(_slip(request))


def open_command(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> CommandAgent:
    """Make the backend; a program that is not there is better known now than after the plan."""
    del cassette
    named = settings.agent.env
    env = passed_on(tools.env, named)
    secrets = secrets_in(env, named)
    return CommandAgent(tools.processes, _argv(settings, tools.python, env), env, secrets)


def _argv(settings: Settings, python: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Give the words to run, the program by a path; one below the checkout is found when it is run."""
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


def _slip(request: AgentRequest) -> str:
    return request.logs + ".slip"


# --- what came of it ---


def _reply(outcome: ProcessOutcome, request: AgentRequest) -> AgentReply:
    match outcome.ending:
        case Ending.STOPPED:
            return AgentReply(stopped=True)
        case Ending.TIMED_OUT:
            detail = f"not finished after {request.timeout_s:g} s"
            return AgentReply(failure=AgentFailure.TIMED_OUT, detail=detail)
        case Ending.SILENT:
            detail = f"it said nothing for {request.silence_s or 0:g} s"
            return AgentReply(failure=AgentFailure.TIMED_OUT, detail=detail)
        case Ending.NOT_STARTED:
            return AgentReply(failure=AgentFailure.NOT_STARTED, detail=outcome.detail)
        case Ending.DRIVER_DIED:
            return AgentReply(failure=AgentFailure.CRASHED, detail=outcome.detail or "its supervisor died")
        case Ending.EXITED if outcome.exit_code != 0:
            said = f"exit code {outcome.exit_code}: {_last_words(_read(request, '.err'))}"
            return AgentReply(failure=AgentFailure.CRASHED, detail=said)
        case Ending.EXITED:
            return _answer(_read(request, ".out"), outcome.stdout.truncated)


def _read(request: AgentRequest, suffix: str) -> bytes:
    # Not by the slip's own paths: the repository may have moved since an earlier driver wrote it.
    with open(request.logs + suffix, "rb") as file:
        return file.read()


def _answer(stdout: bytes, is_cut: bool) -> AgentReply:
    found = _find_object(stdout)
    if found is None:
        size = f"{len(stdout)} bytes{', cut off' if is_cut else ''}"
        detail = f"no JSON object on stdout ({size}): {_last_words(stdout)}"
        return AgentReply(failure=AgentFailure.MALFORMED_ANSWER, detail=detail)
    text, fields = found
    return AgentReply(answer=text, usage=_usage(fields))


def _find_object(data: bytes) -> tuple[bytes, Fields] | None:
    """Give all of the output where it is one object, else its last line that is one."""
    for text in (data, *reversed(data.split(b"\n"))):
        text = text.strip()
        if text.startswith(b"{") and text.endswith(b"}"):
            fields = _object(text)
            if fields is not None:
                return text, fields
    return None


def _object(text: bytes) -> Fields | None:
    try:
        return msgspec.json.decode(text, type=Fields)
    except (ValueError, RecursionError):
        return None


def _usage(fields: Fields) -> Usage | None:
    """Give what the agent says it cost; what cannot be a price is as good as not said."""
    try:
        usage = msgspec.json.decode(fields.get("usage", b"null"), type=Usage | None)
    except (ValueError, RecursionError):
        return None
    if usage is None:
        return None
    numbers = [n for n in (usage.input_tokens, usage.output_tokens, usage.cost_usd) if n is not None]
    return usage if numbers and min(numbers) >= 0 else None


def _last_words(output: bytes) -> str:
    """Give the end of an output in one line."""
    text = output[-_TAIL_BYTES:].decode(errors="replace")
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return (line if len(line) <= _LONGEST_TAIL else "…" + line[-_LONGEST_TAIL:]) or "it said nothing"
