"""Agents by their own programs, with stand-ins that write what the real ones were recorded to write."""

import os
import shlex
import stat
import threading
import time
from pathlib import Path

import msgspec
import pytest
from agentbench import KEY, AgentBench, directive
from msgspec.structs import replace

from signoff.agents.backend_tools import AgentTools
from signoff.agents.cli_backend import CliAgent, open_claude, open_codex, plain_prompt, session_id
from signoff.domain.base.errors import ConfigError, InfrastructureError
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.typed_ids import Digest, EffectKey
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest, Stream
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.directives import Directive, Facts, PlanRequest
from signoff.domain.run.outcomes import AgentFailure
from signoff.domain.work.settings import AgentSettings, Settings
from signoff.domain.work.ticket import Ticket
from signoff.host.processes.process_door import ProcessDoor

DATA = Path(__file__).parents[2] / "unit/agents/profiles/data"
DONE = b'{"kind": "done", "summary": "as scripted"}'


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> AgentBench:
    return AgentBench(tmp_path_factory.mktemp("cli"))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Where the stand-in lies; each test writes its own."""
    return tmp_path / "agent"


def write(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def replay(agent: str, case: str, exit_code: int = 0) -> str:
    """A script that writes recorded lines, from the checkout it runs in."""
    return f'sed "s#\\$WORK#$(pwd)#g" {shlex.quote(str(DATA / agent / f"{case}.jsonl"))}; exit {exit_code}'


def opened(
    bench: AgentBench,
    program: Path,
    agent: str = "claude",
    door: ProcessDoor | None = None,
    around: dict[str, str] | None = None,
    **settings: tuple[str, ...],
) -> CliAgent:
    tools = AgentTools(door or ProcessDoor(), bench.repository, {**bench.env, **(around or {})}, "")
    plain = AgentSettings(program=(str(program),))
    chosen = Settings(agent=replace(plain, **settings))
    return (open_claude if agent == "claude" else open_codex)(tools, chosen, None)


def played(bench: AgentBench, program: Path, agent: str, case: str, exit_code: int = 0) -> AgentReply:
    write(program, replay(agent, case, exit_code))
    return opened(bench, program, agent).dispatch(bench.request())


# --- what it is given ---


def test_the_program_gets_the_prompt_and_works_in_the_checkout(bench: AgentBench, program: Path) -> None:
    request = replace(bench.request(), prompt="Change the greeting.")
    write(program, "cat > prompt.txt; pwd > here.txt; " + replay("claude", "edit"))

    reply = opened(bench, program).dispatch(request)

    assert reply.answer == DONE
    checkout = Path(request.checkout)
    assert (checkout / "prompt.txt").read_text() == "Change the greeting."
    assert (checkout / "here.txt").read_text().strip() == os.path.realpath(checkout)


def test_without_a_prompt_the_directive_stands_for_itself(bench: AgentBench, program: Path) -> None:
    request = bench.request()
    write(program, "cat > prompt.txt")

    opened(bench, program).dispatch(request)

    told = (Path(request.checkout) / "prompt.txt").read_text()
    assert told == plain_prompt(directive())
    assert msgspec.json.encode(directive()).decode() in told
    assert '{"kind":"done"' in told


def test_it_lives_in_a_home_of_its_own_and_sees_what_the_settings_name(
    bench: AgentBench, program: Path
) -> None:
    """What it remembers or allows itself must not reach the next run, nor the person's own setup."""
    request = bench.request()
    env = {
        "ACME_API_KEY": "hunter2-hunter2",
        "GITHUB_TOKEN": "not-yours",
        "XDG_CONFIG_HOME": "/home/me/.config",
    }
    write(program, "env > seen.txt")

    opened(bench, program, around=env, env=("ACME_API_KEY",)).dispatch(request)

    lines = (Path(request.checkout) / "seen.txt").read_text().splitlines()
    seen = dict(line.split("=", 1) for line in lines)
    home = request.logs + ".home"
    assert seen["HOME"] == home
    assert seen["CLAUDE_CONFIG_DIR"] == f"{home}/.claude"
    assert {name: seen[name] for name in seen if name.startswith("XDG")} == {
        "XDG_CONFIG_HOME": f"{home}/.config",
        "XDG_DATA_HOME": f"{home}/.local/share",
        "XDG_STATE_HOME": f"{home}/.local/state",
        "XDG_CACHE_HOME": f"{home}/.cache",
    }
    assert seen["TMPDIR"] == f"{home}/tmp"
    assert seen["ACME_API_KEY"] == "hunter2-hunter2"
    assert "GITHUB_TOKEN" not in seen
    assert stat.S_IMODE(os.stat(home).st_mode) == 0o700
    assert all(os.path.isdir(seen[name]) for name in ("TMPDIR", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR"))


def test_the_value_of_a_named_key_never_reaches_the_disk(bench: AgentBench, program: Path) -> None:
    request = bench.request()
    write(program, 'echo "key: $ACME_API_KEY" | tee /dev/stderr')

    around = {"ACME_API_KEY": "hunter2-hunter2"}
    opened(bench, program, around=around, env=("ACME_API_KEY",)).dispatch(request)

    assert Path(request.logs + ".out").read_text() == "key: [redacted]\n"
    assert Path(request.logs + ".err").read_text() == "key: [redacted]\n"


def test_model_effort_budget_system_and_further_words_are_handed_on(
    bench: AgentBench, program: Path, tmp_path: Path
) -> None:
    home = str(tmp_path / "given-home")
    request = replace(
        bench.request(), model="big", effort="high", budget_usd=2.0, system="You build.", home=home
    )
    write(program, 'printf "%s\\n" "$@" > words.txt; cat "$HOME/system.md" > system.txt')

    opened(bench, program, args=("--debug",)).dispatch(request)

    words = (Path(request.checkout) / "words.txt").read_text().split("\n")[:-1]
    assert words[words.index("--session-id") + 1] == session_id(KEY, home)
    assert words[-9:] == [
        *("--model", "big", "--effort", "high", "--max-budget-usd", "2.0000"),
        *("--append-system-prompt-file", f"{home}/system.md", "--debug"),
    ]
    assert (Path(request.checkout) / "system.txt").read_text() == "You build."


def test_who_plans_gets_tools_to_read_with(bench: AgentBench, program: Path) -> None:
    plan = Directive(
        key=EffectKey("plan/attempt-1/dispatch-1"), payload=PlanRequest(ticket=Ticket(), facts=Facts())
    )
    request = replace(bench.request(), directive=plan)
    write(program, 'printf "%s\\n" "$@" > words.txt')

    opened(bench, program).dispatch(request)

    assert "Read,Glob,Grep" in (Path(request.checkout) / "words.txt").read_text()


# --- what is made of its output ---


def test_an_answer_comes_with_what_it_did_and_what_it_cost(bench: AgentBench, program: Path) -> None:
    reply = played(bench, program, "claude", "edit")

    assert reply.answer == DONE
    assert reply.usage is not None
    assert reply.usage.basis is UsageBasis.RUN
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3000, 150)
    assert (reply.usage.cost_usd, reply.usage.tool_calls) == (0.01143, 2)
    assert reply.usage.model.startswith("claude-")
    assert reply.tally is not None
    assert reply.tally.tools == {"Read": 1, "Edit": 1}
    assert (reply.failure, reply.failure_class) == (None, None)


def test_codex_is_read_by_the_same_adapter(bench: AgentBench, program: Path) -> None:
    reply = played(bench, program, "codex", "edit")

    assert reply.answer == DONE
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (3000, 150)
    assert reply.usage.cost_usd is None


@pytest.mark.parametrize(
    ("agent", "case", "exit_code", "failure", "kind", "retryable"),
    [
        ("claude", "err429", 1, AgentFailure.CRASHED, FailureClass.RATE_LIMITED, True),
        ("claude", "quota", 1, AgentFailure.CRASHED, FailureClass.QUOTA_EXCEEDED, False),
        ("claude", "sigint-api", 0, AgentFailure.CRASHED, FailureClass.NO_END, True),
        ("claude", "decline", 0, AgentFailure.MALFORMED_ANSWER, FailureClass.MALFORMED_ANSWER, True),
        ("claude", "huge", 0, AgentFailure.MALFORMED_ANSWER, FailureClass.MALFORMED_ANSWER, True),
        ("codex", "empty", 0, AgentFailure.MALFORMED_ANSWER, FailureClass.MALFORMED_ANSWER, True),
        ("codex", "declined", 0, AgentFailure.CRASHED, FailureClass.DENIED, False),
        ("codex", "context", 1, AgentFailure.CRASHED, FailureClass.CONTEXT_OVERFLOW, False),
    ],
)
def test_a_failure_is_told_coarsely_and_finely(
    bench: AgentBench,
    program: Path,
    agent: str,
    case: str,
    exit_code: int,
    failure: AgentFailure,
    kind: FailureClass,
    retryable: bool,
) -> None:
    reply = played(bench, program, agent, case, exit_code)

    assert (reply.answer, reply.failure, reply.failure_class) == (None, failure, kind)
    assert reply.retryable is retryable
    assert reply.detail


def test_a_wait_that_the_program_names_is_handed_on(bench: AgentBench, program: Path) -> None:
    assert played(bench, program, "codex", "usage-limit", 1).retry_after_s == 7500


@pytest.mark.parametrize(
    ("agent", "case", "said"),
    [
        ("claude", "not-logged-in", "Claude Code seems not to be logged in"),
        ("codex", "missing-key", "Codex seems not to be logged in"),
    ],
)
def test_a_missing_login_is_named_with_what_to_do(
    bench: AgentBench, program: Path, agent: str, case: str, said: str
) -> None:
    """In a home of its own an agent has no login unless the settings give it one."""
    reply = played(bench, program, agent, case, 1)

    assert reply.failure_class is FailureClass.AUTH
    assert reply.detail.startswith(said)
    assert "[agent] env" in reply.detail
    assert "[agent] credentials" in reply.detail


def test_an_agent_that_works_elsewhere_has_failed(bench: AgentBench, program: Path) -> None:
    write(program, f"cat {shlex.quote(str(DATA / 'claude' / 'edit.jsonl'))}")

    reply = opened(bench, program).dispatch(bench.request())

    assert (reply.failure, reply.failure_class) == (AgentFailure.NOT_STARTED, FailureClass.WRONG_FOLDER)


def test_a_checkout_that_is_not_there_is_named(bench: AgentBench, program: Path) -> None:
    write(program, replay("claude", "edit"))
    request = replace(bench.request(), checkout="/no/such/checkout")

    reply = opened(bench, program).dispatch(request)

    assert (reply.failure, reply.failure_class) == (AgentFailure.NOT_STARTED, FailureClass.WRONG_FOLDER)
    assert "/no/such/checkout" in reply.detail


def test_a_program_that_vanished_is_not_started(bench: AgentBench, program: Path) -> None:
    write(program, "exit 0")
    agent = opened(bench, program)
    program.unlink()

    reply = agent.dispatch(bench.request())

    assert (reply.failure, reply.failure_class) == (AgentFailure.NOT_STARTED, FailureClass.NOT_STARTED)
    assert str(program) in reply.detail


def test_output_beyond_the_limit_hides_the_end_and_is_said(bench: AgentBench, program: Path) -> None:
    """All the work may be done; nobody can say so."""
    write(program, replay("claude", "edit"))
    request = replace(bench.request(), output_limit=5000)

    reply = opened(bench, program).dispatch(request)

    assert reply.failure_class is FailureClass.TOO_MUCH_OUTPUT
    assert "5000 bytes" in reply.detail


# --- how it can end ---


def test_a_silent_agent_is_noticed_and_what_it_used_is_counted(bench: AgentBench, program: Path) -> None:
    """It asked its model twice, then hung: that has been paid for."""
    write(program, replay("claude", "late-hang").replace("exit 0", "sleep 60"))
    request = replace(bench.request(), silence_s=0.7)
    began = time.monotonic()

    reply = opened(bench, program).dispatch(request)

    assert time.monotonic() - began < 20
    assert (reply.failure, reply.failure_class) == (AgentFailure.TIMED_OUT, FailureClass.SILENT)
    assert reply.detail == "it said nothing for 0.7 s"
    assert reply.usage is not None
    assert (reply.usage.basis, reply.usage.input_tokens) == (UsageBasis.LAST_CALL, 2000)


def test_an_agent_that_takes_too_long_is_ended_and_says_what_it_waited_for(
    bench: AgentBench, program: Path
) -> None:
    write(program, replay("codex", "no-server").replace("exit 0", "sleep 60"))

    reply = opened(bench, program, "codex").dispatch(bench.request(timeout_s=0.8))

    assert (reply.failure, reply.failure_class) == (AgentFailure.TIMED_OUT, FailureClass.TIMED_OUT)
    assert reply.detail.startswith("not finished after 0.8 s: ")
    assert "waiting for network" in reply.detail


def test_a_stop_leaves_neither_answer_nor_failure(bench: AgentBench, program: Path) -> None:
    write(program, "touch began; exec sleep 60")
    door, request, replies = ProcessDoor(), bench.request(), list[AgentReply]()
    agent = opened(bench, program, door=door)
    thread = threading.Thread(target=lambda: replies.append(agent.dispatch(request)))
    thread.start()
    give_up = time.monotonic() + 10
    while not (Path(request.checkout) / "began").exists() and time.monotonic() < give_up:
        time.sleep(0.02)

    door.stop_all()
    thread.join(20)

    assert replies == [AgentReply(stopped=True, sandbox=Level.NONE)]


class KilledAtOnce(ProcessDoor):
    """Its supervisor dies before it has made a file."""

    def run(self, request: ProcessRequest) -> ProcessOutcome:
        nothing = Stream(path="", digest=Digest("sha256:"), size=0)
        return ProcessOutcome(
            ending=Ending.DRIVER_DIED,
            exit_code=None,
            started_at="",
            ended_at="",
            duration_ms=0,
            stdout=nothing,
            stderr=nothing,
            detail="the supervisor ended without a slip",
        )


def test_a_supervisor_that_left_nothing_at_all_is_an_interruption(bench: AgentBench, program: Path) -> None:
    """It is a fact about the dispatch, not a crash of ours."""
    write(program, "exit 0")

    reply = opened(bench, program, door=KilledAtOnce()).dispatch(bench.request())

    assert (reply.failure, reply.failure_class) == (AgentFailure.CRASHED, FailureClass.INTERRUPTED)
    assert reply.detail == "the supervisor ended without a slip"


# --- after a driver's death ---


def test_a_finished_dispatch_is_adopted_by_the_next_driver(bench: AgentBench, program: Path) -> None:
    write(program, replay("claude", "edit"))
    request = bench.request()
    reply = opened(bench, program).dispatch(request)
    later = opened(bench, program)

    assert later.was_started(request)
    assert later.recover(request) == reply
    assert reply.answer == DONE


def test_a_dispatch_that_never_began_leaves_nothing(bench: AgentBench, program: Path) -> None:
    write(program, "exit 0")
    agent, request = opened(bench, program), bench.request()

    assert not agent.was_started(request)
    assert agent.recover(request) is None


# --- a login that the settings lend it ---


@pytest.fixture
def login(bench: AgentBench) -> Path:
    path = Path(bench.env["HOME"]) / ".claude" / ".credentials.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"token": 1}')
    path.chmod(0o600)
    return path


def test_credentials_are_there_while_it_runs_and_gone_afterwards(
    bench: AgentBench, program: Path, login: Path
) -> None:
    request = bench.request()
    write(
        program,
        'cp "$CLAUDE_CONFIG_DIR/.credentials.json" seen.json; ls -l "$CLAUDE_CONFIG_DIR" -a > list.txt',
    )

    opened(bench, program, credentials=("~/.claude/.credentials.json",)).dispatch(request)

    assert (Path(request.checkout) / "seen.json").read_text() == login.read_text()
    assert "-rw-------" in (Path(request.checkout) / "list.txt").read_text()
    assert not (Path(request.logs + ".home") / ".claude" / ".credentials.json").exists()


def test_a_login_that_the_agent_renews_is_renewed_for_the_person(
    bench: AgentBench, program: Path, login: Path
) -> None:
    """A copy would leave them with a token that has been used up."""
    write(program, """echo '{"token": 2}' > "$CLAUDE_CONFIG_DIR/.credentials.json" """)

    opened(bench, program, credentials=("~/.claude/.credentials.json",)).dispatch(bench.request())

    assert login.read_text() == '{"token": 2}\n'


def test_without_the_setting_no_login_is_lent(bench: AgentBench, program: Path, login: Path) -> None:
    request = bench.request()
    write(program, 'ls -a "$HOME" "$CLAUDE_CONFIG_DIR" > list.txt')

    opened(bench, program).dispatch(request)

    assert login.name not in (Path(request.checkout) / "list.txt").read_text()


def test_a_login_from_another_disk_is_copied_for_nobody_else_to_read(
    bench: AgentBench, program: Path, login: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    login.chmod(0o644)
    request = bench.request()
    write(program, 'ls -la "$CLAUDE_CONFIG_DIR" > list.txt')

    opened(bench, program, credentials=(str(login),)).dispatch(request)

    assert "-rw-------" in (Path(request.checkout) / "list.txt").read_text()


# --- what is known before a run costs anything ---


def test_credentials_that_are_not_there_are_named_before_the_run(bench: AgentBench, program: Path) -> None:
    write(program, "exit 0")

    with pytest.raises(ConfigError) as caught:
        opened(bench, program, credentials=("~/.claude/absent.json",))

    assert caught.value.slug == "agent-credentials-missing"


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_program_that_is_not_installed_is_named_before_the_run(bench: AgentBench, agent: str) -> None:
    tools = AgentTools(ProcessDoor(), bench.repository, {**bench.env, "PATH": "/no/such/folder"}, "")

    with pytest.raises(InfrastructureError) as caught:
        (open_claude if agent == "claude" else open_codex)(tools, Settings(), None)

    assert caught.value.slug == "agent-not-found"
    assert agent in caught.value.what


def test_a_session_is_named_after_its_dispatch(bench: AgentBench) -> None:
    """A drawn name would be another one after a restart."""
    request: AgentRequest = bench.request()
    first = session_id(request.directive.key, "/run/home")

    assert first == session_id(request.directive.key, "/run/home")
    assert first != session_id(request.directive.key, "/run/other-home")
    assert [len(part) for part in first.split("-")] == [8, 4, 4, 4, 12]
    assert (first[14], first[19]) == ("4", "8")
