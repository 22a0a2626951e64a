"""Our backends with the real programs behind them, on a scripted model: each case over each backend.

A backend that we have for a program joins by its name alone; a program that is not installed is skipped.
"""

import contextlib
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from backendcases import ANSWERED, BACKEND_CASES, BackendCase
from realclis import CLIS, Cli, Order, common_env
from realruns import end_processes_of, lay_out, processes_of, wait_until

from signoff.agents.registry import BUILT_IN, AgentRegistry
from signoff.domain.agents import AgentReply, AgentRequest
from signoff.domain.contract import Task
from signoff.domain.directives import Directive, Facts, PlanRequest, WorkRequest
from signoff.domain.ids import EffectKey, TaskId
from signoff.domain.ports import Agent
from signoff.domain.settings import AgentSettings, Settings
from signoff.domain.ticket import Ticket
from signoff.host.process import ProcessDoor
from signoff.host.repository import GitRepository
from signoff.testing.models.exchange import USAGE
from signoff.testing.models.scenarios import DONE, FILE, NEW
from signoff.testing.models.server import ModelServer, serve

pytestmark = pytest.mark.agents

BACKENDS = [name for name in CLIS if name in BUILT_IN]
NOWHERE = "http://127.0.0.1:9"
MODELS = {
    "claude": "claude-sonnet-4-5",
    "codex": "gpt-5.5",
    "gemini": "gemini-2.5-pro",
    "opencode": "scripted/scripted",
}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with serve() as server:
        yield server


@pytest.fixture(params=BACKENDS)
def cli(request: pytest.FixtureRequest) -> Cli:
    found = CLIS[request.param]
    if not found.program.exists():
        pytest.skip(f"{found.name} is not installed in the cache: make test-agents")
    if found.runtime and not shutil.which(found.runtime):
        pytest.skip(f"{found.name} needs {found.runtime}")
    return found


class Bench:
    """A checkout, a backend and a dispatch for one case."""

    def __init__(self, cli: Cli, case: BackendCase, model: ModelServer, tmp_path: Path) -> None:
        self._cli, self._case, self._model = cli, case, model
        self.folder = tmp_path / "work"
        self.home = tmp_path / "home"
        self.door = ProcessDoor()
        lay_out(self.folder)
        origin = NOWHERE if case.has_no_server else model.origin
        self._label = f"{cli.name}-{tmp_path.name}"
        path = model.path(case.scenario, self._label, is_blind=True)
        self._order = Order("", origin, path, self.home, "")
        logs = tmp_path / "logs"
        logs.mkdir()
        self.request = AgentRequest(
            directive=_directive(is_planning=case.is_planning),
            checkout=str(self.folder / "gone" if case.has_no_checkout else self.folder),
            logs=str(logs / "dispatch"),
            home=str(self.home),
            timeout_s=case.timeout_s,
            silence_s=case.silence_s,
            budget_usd=case.budget_usd,
            output_limit=case.output_limit,
            model=MODELS.get(cli.name, "scripted"),
        )

    def open(self) -> Agent:
        """Give the backend as the settings of a repository would make it."""
        # What names the private home is the backend's own affair.
        reaching = {
            name: value
            for name, value in self._cli.start(self._order).env.items()
            if str(self.home) not in value
        }
        env = common_env(self.home.with_name("person")) | reaching
        settings = AgentSettings(
            name=self._cli.name,
            program=(str(self._cli.program),),
            env=tuple(reaching),
            args=self._provider(),
        )
        repository = GitRepository(str(self.folder), str(self.folder / ".signoff"), env)
        return AgentRegistry(self.door, repository, env, "").open(
            self._cli.name, Settings(agent=settings), None
        )

    def _provider(self) -> tuple[str, ...]:
        """Give the words by which Codex is told its model's address; the others read their environment."""
        words = self._cli.start(self._order).argv
        named = [word for word in words if word.startswith(("model_provider=", "model_providers."))]
        return tuple(word for name in named for word in ("-c", name))

    def dispatch(self) -> AgentReply:
        """Run it, with what happens to it on the way."""
        agent = self.open()
        if self._case.is_stopped:
            self._later(self.door.stop_all)
        if self._case.hit_by is not None:
            self._later(self._hit)
        reply = agent.dispatch(self.request)
        if self._case.is_recovered:
            recovered = self.open().recover(self.request)
            assert recovered == reply
        return reply

    def _later(self, what: Callable[[], None]) -> None:

        def run() -> None:
            wait_until(lambda: self._model.has_reached(self._case.scenario, self._label))
            what()

        threading.Thread(target=run, daemon=True).start()

    def _hit(self) -> None:
        number = self._case.hit_by or signal.SIGKILL
        for process in processes_of(self.home):
            # It may end at any time.
            with contextlib.suppress(OSError):
                if os.path.samefile(f"/proc/{process}/exe", self._cli.program):
                    os.kill(process, number)


def _directive(*, is_planning: bool) -> Directive:
    key = EffectKey("implement/T1/attempt-1/dispatch-1")
    if is_planning:
        return Directive(
            key=key, payload=PlanRequest(ticket=Ticket(title="Change the greeting"), facts=Facts())
        )
    task = Task(id=TaskId("T1"), title="Change the greeting", wave=1, verification=())
    return Directive(key=key, payload=WorkRequest(task=task, goal="Change the greeting"))


@pytest.fixture
def bench(name: str, cli: Cli, model: ModelServer, tmp_path: Path) -> Iterator[Bench]:
    made = Bench(cli, BACKEND_CASES[name], model, tmp_path)
    yield made
    end_processes_of(made.home)


@pytest.mark.parametrize("name", BACKEND_CASES)
def test_a_backend_tells_what_came_of_a_dispatch(name: str, bench: Bench) -> None:
    """A failure would be taken for an answer, or for one that is to be treated in another way."""
    case = BACKEND_CASES[name]
    began = time.monotonic()

    reply = bench.dispatch()

    if case.is_stopped:
        assert reply.stopped
        return
    if reply.answer is not None:
        assert case.fails == ANSWERED or case.may_answer, reply
        assert reply.answer.decode() == DONE
    else:
        assert reply.failure_class in case.fails, reply
        assert reply.detail
    assert time.monotonic() - began < case.timeout_s + 15
    is_edited = NEW in (bench.folder / FILE).read_text()
    assert case.edited in (None, is_edited), reply
    assert is_edited or reply.answer is None or not case.may_answer, reply
    assert [made for made in case.made if not (bench.folder / made).exists()] == [], reply
    assert [absent for absent in case.absent if (bench.folder / absent).exists()] == [], reply


@pytest.mark.parametrize("name", ["stopped", "hang", "endless", "killed-in-a-tool"])
def test_nothing_of_a_program_outlives_its_dispatch(name: str, bench: Bench) -> None:
    """A tool in a session of its own would go on working in a checkout that is being judged."""
    bench.dispatch()

    assert processes_of(bench.home) == []


@pytest.mark.parametrize("name", ["edit"])
def test_a_backend_counts_tools_and_tokens(name: str, bench: Bench) -> None:
    """Three calls to the model, two uses of tools; figures mean the same whichever program gave them."""
    tally = bench.dispatch().tally

    assert tally is not None
    assert sum(tally.tools.values()) == 2
    assert tally.denials == tally.retries == 0
    assert tally.metered is not None
    assert tally.metered.input_tokens == 3 * (USAGE.input - USAGE.cached)
    assert tally.metered.cached_tokens == 3 * USAGE.cached
    assert tally.metered.output_tokens == 3 * USAGE.output
