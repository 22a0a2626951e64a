"""Coding agents by their own programs: one adapter, with a profile for each of them.

The program runs in the checkout under the process door, in a home folder of its own, with the variables
that the settings name. What it writes is read as activity, counted and classified by the profile, and the
answer is looked for in its last words. Nothing it says about its own success is read.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from signoff.agents.answers import find_answer
from signoff.agents.backend_tools import AgentTools
from signoff.agents.environment import find_program, held, passed_on
from signoff.agents.output_tail import Tail
from signoff.agents.outside_edits import noting, outside
from signoff.agents.private_home import Credentials
from signoff.agents.profiles.activity_tally import tally
from signoff.agents.profiles.base import Classified, Launch, LaunchOrder, Profile, ReadContext
from signoff.agents.profiles.claude import ClaudeProfile
from signoff.agents.profiles.codex import CodexProfile
from signoff.agents.profiles.program_endings import failed
from signoff.agents.program_agent import ProgramAgent, home_of
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.machine.activity import Activity, Metered, Tally, ToolStarted, UsageBasis
from signoff.domain.machine.process_records import Ending, ProcessOutcome
from signoff.domain.machine.sandbox_records import SandboxRequest
from signoff.domain.ports import Processes
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.confinement import is_fenced
from signoff.domain.run.directive_answers import verb_of
from signoff.domain.run.directives import Directive, Verb, WorkRequest
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.outcomes import Usage
from signoff.domain.work.settings import Settings
from signoff.text.truncation import short

_TAIL_BYTES = 4096
_LONGEST_CAUSE = 90
_LONGEST_NAME = 80

_ANSWERS = '{"kind":"question","question":"…"} or {"kind":"blocked","reason":"…"}'
_HOW_TO = {
    Verb.CREATE_PLAN: f'End with one JSON object: {{"kind":"plan","contract":{{…}}}}, {_ANSWERS}.',
    Verb.APPLY_PLAN: "Do what this directive asks in the current folder. "
    f'End with one JSON object: {{"kind":"done","summary":"…"}}, {_ANSWERS}.',
    Verb.REVIEW_CHANGES: "Change nothing. End with one JSON object: "
    '{"kind":"evaluation","findings":[…]} or {"kind":"blocked","reason":"…"}.',
}


class CliAgent(ProgramAgent):
    """A coding agent's own program, with what its profile knows of it."""

    def __init__(
        self,
        processes: Processes,
        profile: Profile,
        program: tuple[str, ...],
        env: dict[str, str],
        named: tuple[str, ...] = (),
        args: tuple[str, ...] = (),
        credentials: Credentials | None = None,
    ) -> None:
        super().__init__(processes, env, named, credentials or Credentials((), "", profile.config_folder))
        self.name = profile.name
        self.title = profile.title
        self.tested = profile.tested
        self.program = program
        self._profile = profile
        self._args = args
        self.works_in_a_box = profile.works_in_a_box

    def _launch(self, request: AgentRequest) -> Launch:
        home, box = home_of(request), self._box(request)
        order = LaunchOrder(
            program=self.program,
            prompt=request.prompt or plain_prompt(request.directive),
            system=request.system,
            checkout=request.checkout,
            home=home,
            session=session_id(request.directive.key, home),
            model=request.model,
            effort=request.effort,
            may_write=_may_write(request),
            is_fenced=box is not None and is_fenced(box, self._processes.offer),
            budget_usd=request.budget_usd,
            args=self._args,
        )
        return self._profile.command(order)

    def _box(self, request: AgentRequest) -> SandboxRequest | None:
        """Return the box to work in. An agent that only plans or reviews cannot write to the checkout."""
        box = request.sandbox
        if box is None or _may_write(request):
            return box
        return replace(box, writable=tuple(path for path in box.writable if path != request.checkout))

    # --- its end ---

    def _reply(self, outcome: ProcessOutcome, request: AgentRequest) -> AgentReply:
        edits: list[ToolStarted] = []
        reply = self._read_end(outcome, request, edits)
        # An agent that only plans has no tool to edit with. That it asked for one is told by its answer.
        wrong = outside(edits, request.checkout, home_of(request)) if _may_write(request) else ()
        return replace(reply, outside=wrong) if wrong else reply

    def _read_end(
        self, outcome: ProcessOutcome, request: AgentRequest, edits: list[ToolStarted]
    ) -> AgentReply:
        if outcome.ending is Ending.STOPPED:
            return AgentReply(stopped=True, sandbox=held(outcome))
        counted = tally(noting(self.activity(request), edits))
        classified = self._classify(outcome, counted, request)
        if classified.failure is None:
            answer = find_answer(request.directive, classified.text)
            if answer is not None:
                return AgentReply(answer=answer, usage=_usage(counted), tally=counted, sandbox=held(outcome))
            classified = _no_answer(classified)
        assert classified.failure is not None
        return AgentReply(
            failure=TREATMENT[classified.failure].failure,
            detail=classified.detail,
            usage=_usage(counted),
            tally=counted,
            failure_class=classified.failure,
            retryable=classified.retryable,
            retry_after_s=classified.retry_after_s,
            sandbox=held(outcome),
        )

    def activity(self, request: AgentRequest) -> Iterator[Activity]:
        """Yield what it has done so far. While it runs, its last line may be torn and is then unread."""
        context = ReadContext(checkout=os.path.realpath(request.checkout))
        # Not by the slip's own paths: the repository may have moved since an earlier driver wrote it.
        # No file: a supervisor that was killed at once had not made it.
        with contextlib.suppress(FileNotFoundError), open(request.logs + ".out", "rb") as lines:
            for line in lines:
                yield from self._profile.read(line, context)

    def follow(self, request: AgentRequest) -> Callable[[], Iterator[Activity]]:
        """Return a function that yields what it did since the last call."""
        context = ReadContext(checkout=os.path.realpath(request.checkout))
        return Tail(request.logs + ".out", lambda line: self._profile.read(line, context)).more

    def _classify(self, outcome: ProcessOutcome, counted: Tally, request: AgentRequest) -> Classified:
        """Return how the profile reads the end, with what the supervisor knows better.

        That is where the program was to start, how long it was given, and whether its output was cut off.
        """
        stderr_tail = _tail(request.logs + ".err")
        classified = self._profile.classify(outcome.exit_code, outcome.ending, counted, stderr_tail)
        match classified.failure:
            case FailureClass.NOT_STARTED if outcome.detail.endswith(f": {request.checkout}"):
                return failed(FailureClass.WRONG_FOLDER, outcome.detail)
            case FailureClass.NOT_STARTED | FailureClass.INTERRUPTED if outcome.detail:
                return replace(classified, detail=outcome.detail)
            case FailureClass.TIMED_OUT:
                return _after(f"not finished after {request.timeout_s:g} s", classified)
            case FailureClass.SILENT:
                return _after(f"it said nothing for {request.silence_s or 0:g} s", classified)
            case FailureClass.AUTH:
                cause = short(classified.detail, _LONGEST_CAUSE)
                hint = f"{self._profile.title} seems not to be logged in ({cause}): {self._profile.login}"
                return replace(classified, detail=hint)
            case None | FailureClass.WRONG_FOLDER:
                return classified
            case _ if outcome.stdout.truncated and counted.finished is None:
                detail = f"its last event is beyond the {request.output_limit} bytes that are kept"
                return failed(FailureClass.TOO_MUCH_OUTPUT, detail)
            case _:
                return classified


# --- opening one ---


def open_claude(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> CliAgent:
    """Make the backend for Claude Code."""
    del cassette
    return open_cli(ClaudeProfile(), tools, settings)


def open_codex(tools: AgentTools, settings: Settings, cassette: Cassette | None) -> CliAgent:
    """Make the backend for Codex."""
    del cassette
    return open_cli(CodexProfile(), tools, settings)


def open_cli(profile: Profile, tools: AgentTools, settings: Settings) -> CliAgent:
    """Make the backend of a profile. A missing program or login is reported before a run costs anything."""
    agent = settings.agent
    env = passed_on(tools.env, agent.env)
    return CliAgent(
        tools.processes,
        profile,
        find_program(agent.program or (profile.name,), env, "program"),
        env,
        agent.env,
        agent.args,
        Credentials(agent.credentials, tools.env.get("HOME", ""), profile.config_folder),
    )


# --- the small parts ---


def plain_prompt(directive: Directive) -> str:
    """Return the directive as it stands, with a sentence on how to answer."""
    how = _HOW_TO[verb_of(directive.payload)]
    return f"{msgspec.json.encode(directive).decode()}\n\n{how}\n"


def session_id(key: str, home: str) -> str:
    """Return a UUID that follows from the dispatch, so that a restart names the same session."""
    digest = hashlib.sha256(f"{key}\0{home}".encode(errors="surrogateescape")).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _may_write(request: AgentRequest) -> bool:
    return isinstance(request.directive.payload, WorkRequest)


def _tail(path: str) -> str:
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - _TAIL_BYTES))
        return file.read().decode(errors="replace").strip()
    return ""


def _after(what: str, classified: Classified) -> Classified:
    return replace(classified, detail=f"{what}: {classified.detail}" if classified.detail else what)


def _no_answer(classified: Classified) -> Classified:
    """Return why a dispatch that ended well has failed: it was not allowed to work, or did not answer."""
    if classified.denials:
        detail = f"{classified.denials} times a tool was not allowed, and it gave no answer"
        return failed(FailureClass.DENIED, detail, denials=classified.denials)
    said = f"no answer in what it said last ({len(classified.text)} characters): {classified.text[-240:]}"
    return failed(FailureClass.MALFORMED_ANSWER, said)


def _usage(counted: Tally) -> Usage:
    """Return what this dispatch cost and did, as it reported. `basis` says what the figures cover."""
    metered = counted.metered or Metered(basis=UsageBasis.RUN)
    return Usage(
        input_tokens=metered.input_tokens,
        output_tokens=metered.output_tokens,
        cost_usd=metered.cost_usd,
        cached_tokens=metered.cached_tokens,
        cache_write_tokens=metered.cache_write_tokens,
        basis=metered.basis,
        tool_calls=sum(counted.tools.values()),
        model=short(counted.model, _LONGEST_NAME),
        session=short(counted.session, _LONGEST_NAME),
        version=short(counted.version, _LONGEST_NAME),
    )
