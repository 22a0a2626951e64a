"""The command agent, with real programs: what they are given, and what is made of what they leave."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from agentbench import KEY, AgentBench, directive

import signoff
from signoff.agents.backend_tools import AgentTools
from signoff.agents.command import CommandAgent, open_command
from signoff.agents.private_home import home_variables
from signoff.domain.base.errors import ConfigError, InfrastructureError, SignoffError
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.outcomes import AgentFailure, Usage
from signoff.domain.work.settings import AgentSettings, Settings
from signoff.host.processes.process_door import ProcessDoor

SOURCES = str(Path(signoff.__file__).parents[1])
DONE = b'{"kind":"done","summary":"as asked"}'

# A driver of its own, to be killed while its agent works.
DRIVER = """
import sys, msgspec
from signoff.agents.command import CommandAgent
from signoff.domain.run.agents import AgentRequest
from signoff.host.processes.process_door import ProcessDoor
request = msgspec.json.decode(sys.stdin.read(), type=AgentRequest)
CommandAgent(ProcessDoor(), tuple(sys.argv[1:]), {}, ()).dispatch(request)
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> AgentBench:
    return AgentBench(tmp_path_factory.mktemp("bench"))


def opened(
    bench: AgentBench,
    *argv: str,
    env: dict[str, str] | None = None,
    named: tuple[str, ...] = (),
    door: ProcessDoor | None = None,
    python: str = "",
) -> CommandAgent:
    tools = AgentTools(door or ProcessDoor(), bench.repository, {**bench.env, **(env or {})}, python)
    return open_command(tools, Settings(agent=AgentSettings(command=argv or None, env=named)), None)


def shell(bench: AgentBench, script: str) -> AgentReply:
    return opened(bench, "/bin/sh", "-c", script).dispatch(bench.request())


def wait_for(path: Path, limit_s: float = 10) -> None:
    give_up = time.monotonic() + limit_s
    while not path.exists():
        assert time.monotonic() < give_up, f"{path} never came"
        time.sleep(0.02)


# --- what it is given ---


def test_the_program_gets_the_directive_on_stdin_and_works_in_the_checkout(bench: AgentBench) -> None:
    request = bench.request()
    agent = opened(bench, "/bin/sh", "-c", f"cat > directive.json; pwd > here.txt; echo '{DONE.decode()}'")

    assert agent.dispatch(request) == AgentReply(answer=DONE, sandbox=Level.NONE)
    checkout = Path(request.checkout)
    assert (checkout / "directive.json").read_bytes() == msgspec.json.encode(directive())
    assert (checkout / "here.txt").read_text().strip() == os.path.realpath(checkout)


def test_only_ordinary_variables_and_named_ones_are_passed_on(bench: AgentBench) -> None:
    request = bench.request()
    env = {"MY_MODEL": "large", "GITHUB_TOKEN": "not-yours-to-see", "GIT_DIR": "/elsewhere", "LC_ALL": "C"}
    agent = opened(bench, "/bin/sh", "-c", "env > seen.txt; echo '{}'", env=env, named=("MY_MODEL", "ABSENT"))

    agent.dispatch(request)

    seen = (Path(request.checkout) / "seen.txt").read_text().splitlines()
    names = {line.partition("=")[0] for line in seen} - {"PWD", "OLDPWD", "SHLVL", "_"}
    assert names == {"PATH", "LC_ALL", "MY_MODEL", *home_variables("")}


def test_the_value_of_a_named_credential_never_reaches_the_disk(bench: AgentBench) -> None:
    request = bench.request()
    env = {"ACME_API_KEY": "hunter2-hunter2", "MY_MODEL": "done"}
    script = """echo $ACME_API_KEY >&2; echo '{"kind":"done","summary":"'$ACME_API_KEY'"}'"""
    agent = opened(bench, "/bin/sh", "-c", script, env=env, named=("ACME_API_KEY", "MY_MODEL"))

    reply = agent.dispatch(request)

    assert reply.answer == b'{"kind":"done","summary":"[redacted]"}'
    assert Path(request.logs + ".err").read_text() == "[redacted]\n"


def test_the_bare_word_python_is_the_interpreter_it_was_given(bench: AgentBench) -> None:
    request = bench.request()
    agent = opened(
        bench, "python", "-c", 'import sys; print(\'{"at": "%s"}\' % sys.executable)', python=sys.executable
    )

    assert agent.dispatch(request).answer == f'{{"at": "{sys.executable}"}}'.encode()


# --- what is made of its output ---


@pytest.mark.parametrize(
    ("stdout", "answer"),
    [
        (b'thinking...\n{"kind":"question"}\n' + DONE + b"\n\n", DONE),
        (DONE + b"\r\nthat is all {really}\n", DONE),
        (b'\n{\n  "kind": "done"\n}\n', b'{\n  "kind": "done"\n}'),
        (DONE + b"\n[1, 2]\n", DONE),
    ],
    ids=["last-of-two", "words-after", "pretty-printed", "array-after"],
)
def test_the_answer_is_all_of_stdout_or_its_last_line_that_is_an_object(
    bench: AgentBench, tmp_path: Path, stdout: bytes, answer: bytes
) -> None:
    said = tmp_path / "said"
    said.write_bytes(stdout)

    assert shell(bench, f"cat '{said}'").answer == answer


@pytest.mark.parametrize("stdout", ["", "I am done!", "[1]", '{"kind": "done"', "{" * 3000 + "}" * 3000])
def test_output_without_an_object_is_malformed(bench: AgentBench, stdout: str) -> None:
    reply = shell(bench, f"printf %s '{stdout}'")

    assert reply.failure is AgentFailure.MALFORMED_ANSWER
    assert f"{len(stdout)} bytes" in reply.detail


@pytest.mark.parametrize(
    ("stdout", "why"),
    [
        (r'\357\273\277{"kind": "done"}', "it begins with a byte order mark"),
        (r"\377\376{\000}\000", "it is UTF-16"),
        (r'{"kind": "caf\351"}', "it is not UTF-8 at byte 14"),
    ],
)
def test_an_object_in_bytes_that_nobody_sees_is_refused_by_name(
    bench: AgentBench, stdout: str, why: str
) -> None:
    """It looks right on every screen, so nobody would find out."""
    reply = shell(bench, f"printf '{stdout}'")

    assert reply.failure is AgentFailure.MALFORMED_ANSWER
    assert why in reply.detail


LONG = "m" * 9000


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ('{"input_tokens": 12, "cost_usd": 0.5, "cached": 3}', Usage(input_tokens=12, cost_usd=0.5)),
        ('{"input_tokens": "many"}', None),
        ('{"output_tokens": -1}', None),
        ('{"input_tokens": 1, "cached_tokens": -99}', None),
        (f'{{"cost_usd": 1, "priced": true, "model": "{LONG}"}}', Usage(cost_usd=1, model=f"{LONG[:77]}…")),
        ("{}", None),
        ("[12]", None),
    ],
)
def test_usage_is_read_where_it_is_well_formed_and_stays_in_the_answer(
    bench: AgentBench, usage: str, read: Usage | None
) -> None:
    said = f'{{"kind":"done","usage":{usage}}}'

    assert shell(bench, f"echo '{said}'") == AgentReply(answer=said.encode(), usage=read, sandbox=Level.NONE)


# --- how it can end ---


def test_an_exit_code_other_than_zero_is_a_crash_whatever_was_answered(bench: AgentBench) -> None:
    reply = shell(bench, f"echo '{DONE.decode()}'; printf 'no\\n\\tquota\\033[0m\\n' >&2; exit 7")

    assert reply.failure is AgentFailure.CRASHED
    assert reply.detail == "exit code 7: no quota [0m"
    assert reply.answer is None


def test_an_agent_that_takes_too_long_is_ended(bench: AgentBench) -> None:
    reply = opened(bench, "/bin/sleep", "60").dispatch(bench.request(timeout_s=0.3))

    assert (reply.failure, reply.failure_class) == (AgentFailure.TIMED_OUT, FailureClass.TIMED_OUT)
    assert reply.detail == "not finished after 0.3 s"


def test_a_program_below_the_checkout_that_is_not_there_is_not_started(bench: AgentBench) -> None:
    reply = opened(bench, "./agent.sh").dispatch(bench.request())

    assert reply.failure is AgentFailure.NOT_STARTED
    assert "agent.sh" in reply.detail


def test_a_stop_leaves_neither_answer_nor_failure(bench: AgentBench) -> None:
    door = ProcessDoor()
    request = bench.request()
    replies: list[AgentReply] = []
    agent = opened(bench, "/bin/sh", "-c", "touch began; exec sleep 60", door=door)
    thread = threading.Thread(target=lambda: replies.append(agent.dispatch(request)))
    thread.start()
    wait_for(Path(request.checkout) / "began")

    door.stop_all()
    thread.join(20)

    assert replies == [AgentReply(stopped=True, sandbox=Level.NONE)]


# --- after a driver's death ---


def test_a_finished_dispatch_is_adopted_by_the_next_driver(bench: AgentBench) -> None:
    request = bench.request()
    reply = opened(bench, "/bin/echo", DONE.decode()).dispatch(request)
    later = opened(bench, "/bin/false")

    assert later.was_started(request)
    assert later.recover(request) == reply == AgentReply(answer=DONE, sandbox=Level.NONE)


def test_a_dispatch_that_never_began_leaves_nothing(bench: AgentBench) -> None:
    agent, request = opened(bench, "/bin/true"), bench.request()

    assert not agent.was_started(request)
    assert agent.recover(request) is None


def test_a_dispatch_in_flight_when_its_driver_was_killed_is_ended_and_leaves_no_reply(
    bench: AgentBench,
) -> None:
    request = bench.request()
    script = "echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 60"
    driver = subprocess.Popen(
        (sys.executable, "-c", DRIVER, "/bin/sh", "-c", script),
        stdin=subprocess.PIPE,
        env={**bench.env, "PYTHONPATH": SOURCES},
    )
    assert driver.stdin is not None
    driver.stdin.write(msgspec.json.encode(request))
    driver.stdin.close()
    wait_for(Path(request.checkout) / "pid")
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    agent = opened(bench, "/bin/true")

    assert agent.was_started(request)
    assert agent.recover(request) == AgentReply(stopped=True, sandbox=Level.NONE)
    pid = int((Path(request.checkout) / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


# --- what is known before a run costs anything ---


def test_without_a_command_there_is_nothing_to_run(bench: AgentBench) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(bench)

    assert caught.value.slug == "agent-no-command"


@pytest.mark.parametrize("program", ["no-such-agent", "/no/such/agent", "/etc/passwd"])
def test_a_program_that_cannot_be_run_is_named_before_the_run_begins(bench: AgentBench, program: str) -> None:
    with pytest.raises(InfrastructureError) as caught:
        opened(bench, program)

    error: SignoffError = caught.value
    assert error.slug == "agent-not-found"
    assert program in error.what


def test_the_name_is_the_registered_one(bench: AgentBench) -> None:
    request: AgentRequest = bench.request()

    assert opened(bench, "/bin/true").name == "command"
    assert request.directive.key == KEY


@pytest.mark.parametrize(
    ("said", "failure", "retryable", "wait_s"),
    [
        (
            '{"kind": "failed", "class": "rate-limited", "retry_after_s": 7}',
            FailureClass.RATE_LIMITED,
            True,
            7,
        ),
        ('{"kind": "failed", "class": "auth", "detail": "log in"}', FailureClass.AUTH, False, None),
        ('{"kind": "failed", "class": "bored", "retry_after_s": -1}', FailureClass.UNKNOWN, True, None),
        ('{"kind": "failed"}', FailureClass.UNKNOWN, True, None),
    ],
)
def test_a_program_may_say_itself_why_it_failed(
    bench: AgentBench, said: str, failure: FailureClass, retryable: bool, wait_s: float | None
) -> None:
    """Otherwise a wrapper around an agent without a login is tried again, and a limit is not waited for."""
    for exit_code in (0, 1):
        reply = shell(bench, f"echo '{said}'; exit {exit_code}")

        assert reply.answer is None
        assert (reply.failure_class, reply.retryable, reply.retry_after_s) == (failure, retryable, wait_s)
        assert reply.detail
