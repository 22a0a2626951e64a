"""Agents by the protocol, from the backend to a scripted one and back: real processes, no real agent."""

import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from agentbench import KEY, AgentBench
from msgspec.structs import replace
from scripted_acp_agent import (
    End,
    Exit,
    Fail,
    Hang,
    Read,
    Say,
    Script,
    Send,
    Step,
    Use,
    Write,
)

from signoff.agents.acp_backend import open_acp, open_goose
from signoff.agents.backend_tools import AgentTools
from signoff.agents.cli_backend import CliAgent
from signoff.domain.base.errors import ConfigError, InfrastructureError
from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.base.typed_ids import Digest
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest, Stream
from signoff.domain.run.agents import AgentReply
from signoff.domain.run.directives import Directive, Facts, PlanRequest
from signoff.domain.work.settings import AgentSettings, Settings
from signoff.domain.work.ticket import Ticket
from signoff.host.processes.process_door import ProcessDoor

AGENT = str(Path(__file__).parents[2] / "support" / "scripted_acp_agent.py")
DONE = '{"kind": "done", "summary": "as scripted"}'
ANSWER = Say(pieces=(DONE[:9], DONE[9:]))
USAGE = {"inputTokens": 1200, "outputTokens": 50, "totalTokens": 1250}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> AgentBench:
    return AgentBench(tmp_path_factory.mktemp("acp"))


class Stage:
    """A scripted agent behind the backend for any program of the protocol."""

    def __init__(self, bench: AgentBench, script: Path, *steps: Step, **more: object) -> None:
        script.write_bytes(msgspec.json.encode(msgspec.convert({"steps": steps, **more}, Script)))
        self.door = ProcessDoor()
        self.request = bench.request()
        words = (sys.executable, AGENT, str(script))
        tools = AgentTools(self.door, bench.repository, bench.env, "")
        self.agent: CliAgent = open_acp(tools, Settings(agent=AgentSettings(program=words)), None)
        self.checkout = Path(self.request.checkout)

    def dispatch(self) -> AgentReply:
        return self.agent.dispatch(self.request)

    def heard(self) -> list[dict[str, object]]:
        """What the agent was told, message by message."""
        lines = Path(self.request.logs + ".err").read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


def test_an_agent_edits_asks_and_answers(bench: AgentBench, tmp_path: Path) -> None:
    """The whole way: files, a permission for this once, what it said in pieces, what it used."""
    stage = Stage(
        bench,
        tmp_path / "script.json",
        Use(id="t1", path="own.txt", content="by itself", asks=True),
        Write(path="through.txt", content="through us"),
        Read(path="through.txt"),
        Use(id="t2", path=str(tmp_path / "outside.txt"), content="no", asks=True),
        ANSWER,
        End(usage=USAGE),
        version="7.1",
    )
    stage.request = replace(stage.request, prompt="Do it.", system="You build.")
    # A checkout is not a place to import from.
    (stage.checkout / "asyncio.py").write_text("raise SystemExit('imported from the checkout')")

    reply = stage.dispatch()

    assert reply.answer == DONE.encode(), reply
    assert (stage.checkout / "own.txt").read_text() == "by itself"
    assert (stage.checkout / "through.txt").read_text() == "through us"
    assert not (tmp_path / "outside.txt").exists()
    assert reply.tally is not None
    assert (reply.tally.tools, reply.tally.denials) == ({"edit": 2}, 1)
    assert reply.usage is not None
    assert (reply.usage.basis, reply.usage.input_tokens, reply.usage.output_tokens) == (
        *(UsageBasis.LAST_CALL, 1200, 50),
    )
    assert (reply.usage.version, reply.usage.session) == ("7.1", "scripted-session")
    heard = stage.heard()
    prompt = next(each for each in heard if each.get("method") == "session/prompt")
    assert prompt["params"]["prompt"] == [{"type": "text", "text": "You build.\n\nDo it."}]  # type: ignore[index]
    answers = {each["id"]: each.get("result") for each in heard if str(each.get("id")).startswith("agent-")}
    assert answers["agent-1"] == {"outcome": {"outcome": "selected", "optionId": "option-allow_once"}}
    assert answers["agent-3"] == {"content": "through us"}
    assert answers["agent-4"] == {"outcome": {"outcome": "selected", "optionId": "option-reject_once"}}


def test_one_who_plans_may_read_and_nothing_else(bench: AgentBench, tmp_path: Path) -> None:
    """A planner that writes or runs commands does what no gate will look at."""
    stage = Stage(
        bench,
        tmp_path / "script.json",
        Use(id="t1", kind="read", asks=True),
        Use(id="t2", path="x.txt", asks=True),
        Use(id="t3", kind="execute", asks=True),
        Use(id="t4", kind="switch_mode", asks=True, options=("allow_always", "allow_once")),
        Write(path="y.txt", content="no"),
        ANSWER,
        End(),
    )
    plan = PlanRequest(ticket=Ticket(title="Discounts"), facts=Facts())
    stage.request = replace(stage.request, directive=Directive(key=KEY, payload=plan))

    reply = stage.dispatch()

    assert reply.failure_class is F.DENIED
    assert reply.tally is not None
    assert reply.tally.denials == 3
    assert not list(stage.checkout.glob("[xy].txt"))
    outcomes = [
        each["result"]
        for each in stage.heard()
        if str(each.get("id")).startswith("agent-") and "result" in each
    ]
    assert [str(outcome).split("'")[-2] for outcome in outcomes] == [
        *("option-allow_once", "option-reject_once", "option-reject_once", "cancelled"),
    ]


def test_lines_that_are_no_messages_and_very_long_ones_do_no_harm(bench: AgentBench, tmp_path: Path) -> None:
    """Banners and logs on stdout are common; a line may hold a whole file."""
    stage = Stage(
        bench,
        tmp_path / "script.json",
        Send(line="Welcome to the agent!"),
        Send(
            line='{"jsonrpc": "2.0", "method": "session/update", "params": {"update": {"sessionUpdate": 7}}}'
        ),
        Send(line='{"jsonrpc": "2.0", "id": 99, "result": {}}'),
        Say(pieces=("x",), times=3_000_000),
        Use(id="t1", kind="think"),
        ANSWER,
        End(),
    )

    assert stage.dispatch().answer == DONE.encode()


@pytest.mark.parametrize(
    ("steps", "failure", "said"),
    [
        ((Fail(code=429, message="slow down please"),), F.RATE_LIMITED, "slow down please"),
        ((ANSWER, Exit(code=0)), F.NO_END, "ended with 0 before it answered"),
        ((ANSWER, Send(line="[1, 2]"), Hang()), F.CRASHED, "no message"),
    ],
    ids=["error", "gone", "nonsense"],
)
def test_without_an_answer_to_the_prompt_nothing_is_done(
    bench: AgentBench, tmp_path: Path, steps: tuple[Step, ...], failure: F, said: str
) -> None:
    """The words may be all there: only the end that the protocol names is one."""
    reply = Stage(bench, tmp_path / "script.json", *steps).dispatch()

    assert (reply.answer, reply.failure_class) == (None, failure), reply
    assert said in reply.detail


def test_a_stop_cancels_the_agent_and_leaves_nothing_behind(bench: AgentBench, tmp_path: Path) -> None:
    """It is asked to cancel, so that it can save what it will; then it is gone, deaf or not."""
    stage = Stage(bench, tmp_path / "script.json", Use(id="t1", path="began.txt"), Hang())
    replies = list[AgentReply]()
    thread = threading.Thread(target=lambda: replies.append(stage.dispatch()))
    thread.start()
    give_up = time.monotonic() + 20
    while not (stage.checkout / "began.txt").exists() and time.monotonic() < give_up:
        time.sleep(0.02)

    stage.door.stop_all()
    thread.join(20)

    assert [reply.stopped for reply in replies] == [True]
    assert not _running(str(tmp_path / "script.json"))


def test_a_signal_from_somebody_else_is_an_interruption_that_says_what_was_used(
    bench: AgentBench, tmp_path: Path
) -> None:
    """What a cancelled agent still tells is told; its exit code says who wanted it to end."""
    script = tmp_path / "script.json"
    script.write_bytes(msgspec.json.encode(Script(steps=(Say(pieces=("half a",)), Hang()))))
    words = (sys.executable, "-P", "-m")
    with subprocess.Popen(
        (*words, "signoff.agents.acp.client", sys.executable, AGENT, str(script)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        assert client.stderr is not None
        client.stdin.write(b'{"prompt": "Do it."}')
        client.stdin.close()
        while b"session/prompt" not in client.stderr.readline():
            pass
        client.send_signal(signal.SIGTERM)
        told = client.stdout.read().decode().splitlines()
        heard = client.stderr.read()

    assert client.returncode == 128 + signal.SIGTERM
    assert b"session/cancel" in heard
    assert [json.loads(line) for line in told][-2:] == [
        {"kind": "spoke", "text": "half a"},
        {"kind": "finished", "ok": False, "reason": "cancelled"},
    ]


def test_a_missing_library_is_named_before_the_run(
    bench: AgentBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("signoff.agents.acp_backend.version", absent)
    tools = AgentTools(ProcessDoor(), bench.repository, bench.env, "")

    with pytest.raises(InfrastructureError) as caught:
        open_goose(tools, Settings(), None)

    assert caught.value.slug == "agent-library-missing"
    assert "signoff[acp]" in caught.value.fix


def test_any_agent_of_the_protocol_needs_to_be_named(bench: AgentBench) -> None:
    tools = AgentTools(ProcessDoor(), bench.repository, bench.env, "")

    with pytest.raises(ConfigError) as caught:
        open_acp(tools, Settings(agent=AgentSettings(name="acp")), None)

    assert caught.value.slug == "agent-program-missing"


class Kept(ProcessDoor):
    """Runs nothing, and keeps what it was to run."""

    def run(self, request: ProcessRequest) -> ProcessOutcome:
        self.request = request
        nothing = Stream(path="", digest=Digest("sha256:"), size=0)
        return ProcessOutcome(
            ending=Ending.NOT_STARTED,
            exit_code=None,
            started_at="",
            ended_at="",
            duration_ms=0,
            stdout=nothing,
            stderr=nothing,
        )


def test_a_persons_variables_win_over_ours_but_not_over_what_holds_a_planner(bench: AgentBench) -> None:
    """A mode that somebody set for themselves would let a planner write."""
    door = Kept()
    around = {"GOOSE_MODE": "auto", "GOOSE_MODEL": "theirs", "GOOSE_DISABLE_KEYRING": "0"}
    tools = AgentTools(door, bench.repository, {**bench.env, **around}, "")
    settings = AgentSettings(program=("/bin/true",), env=tuple(around))
    plan = PlanRequest(ticket=Ticket(title="Discounts"), facts=Facts())
    request = replace(bench.request(), directive=Directive(key=KEY, payload=plan), model="ours")

    open_goose(tools, Settings(agent=settings), None).dispatch(request)

    seen = door.request.env
    assert (seen["GOOSE_MODE"], seen["GOOSE_MODEL"], seen["GOOSE_DISABLE_KEYRING"]) == (
        "approve",
        "theirs",
        "0",
    )


def _running(word: str) -> list[str]:
    """Find processes with this word on their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(word) in (place / "cmdline").read_bytes():
                found.append(place.name)
        except OSError:
            continue
    return found
