"""Every backend of ours on a scripted model, through the same cases; a small agent plays the programs.

`make test-agents` asks the same of the real programs.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted_models.exchange import USAGE
from scripted_models.server import ModelServer, serve

from signoff.agents.registry import AgentRegistry
from signoff.domain.ports import Agent
from signoff.domain.work.settings import AgentSettings, Settings
from signoff.host.places.repository import GitRepository
from signoff.testing.conformance.bench import (
    BackendSubject,
    ConformanceBench,
    DispatchSite,
    problems,
    time_allowed,
)
from signoff.testing.conformance.cases import CASES

BRIEF_S = 1.5
SMALL_AGENT = str(Path(__file__).parents[1] / "support" / "run_small_agent.py")


def _open(site: DispatchSite, agent: AgentSettings, reaching: dict[str, str]) -> Agent:
    env = {"PATH": os.environ["PATH"], "HOME": str(site.home.with_name("person")), **reaching}
    repository = GitRepository(str(site.folder), str(site.folder / ".signoff"), env)
    return AgentRegistry(site.door, repository, env, "").open(agent.name, Settings(agent=agent), None)


def _program(voice: str) -> tuple[str, ...]:
    return (sys.executable, SMALL_AGENT, voice)


def _claude(site: DispatchSite) -> Agent:
    agent = AgentSettings(name="claude", program=_program("claude"), env=("ANTHROPIC_BASE_URL",))
    return _open(site, agent, {"ANTHROPIC_BASE_URL": site.base})


def _codex(site: DispatchSite) -> Agent:
    provider = f'model_providers.scripted={{base_url="{site.base}/v1"}}'
    agent = AgentSettings(name="codex", program=_program("codex"), args=("-c", provider))
    return _open(site, agent, {})


def _command(site: DispatchSite) -> Agent:
    agent = AgentSettings(name="command", command=_program("command"), env=("OPENAI_BASE_URL",))
    return _open(site, agent, {"OPENAI_BASE_URL": site.base})


def _acp(site: DispatchSite) -> Agent:
    agent = AgentSettings(name="acp", program=_program("acp"), env=("OPENAI_BASE_URL",))
    return _open(site, agent, {"OPENAI_BASE_URL": site.base})


OPENERS: dict[str, Callable[[DispatchSite], Agent]] = {
    "claude": _claude,
    "codex": _codex,
    "command": _command,
    "acp": _acp,
}
ACP_CASES = (
    *("edit", "parallel", "question", "chatter", "refusal", "context", "err429-wait", "late500", "drop"),
    *("silence", "stopped", "planner-may-not-write", "ended-in-a-tool", "killed-while-thinking"),
)
"""The library of the protocol takes long to load. Every case is asked of it by `SIGNOFF_EXPLORE=1`."""


def _is_small_agent(process: int) -> bool:
    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    # Not our client, which has the agent's words among its own.
    return words[1:2] == [SMALL_AGENT.encode()]


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with serve() as server:
        yield server


@pytest.fixture(params=OPENERS)
def subject(request: pytest.FixtureRequest) -> BackendSubject:
    name = request.param
    plain = BackendSubject(name, OPENERS[name], _is_small_agent, brief_s=BRIEF_S, tool_s=0.2)
    # The small agent offers no model by the protocol.
    return plain._replace(model="", brief_s=3 * BRIEF_S) if name == "acp" else plain


@pytest.fixture
def bench(
    name: str, subject: BackendSubject, model: ModelServer, tmp_path: Path
) -> Iterator[ConformanceBench]:
    if subject.name == "acp" and name not in ACP_CASES and not os.environ.get("SIGNOFF_EXPLORE"):
        pytest.skip("asked by SIGNOFF_EXPLORE=1")
    made = ConformanceBench(CASES[name], model, tmp_path, f"{subject.name}-{tmp_path.name}", subject)
    yield made
    made.clear()


def test_there_are_enough_cases_and_each_backend_is_asked_all_of_them() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_a_backend_tells_what_came_of_a_dispatch(name: str, bench: ConformanceBench) -> None:
    """A failure would be taken for an answer, or for one that is to be treated in another way."""
    began = time.monotonic()

    reply = bench.dispatch()

    assert problems(CASES[name], reply, bench) == ()
    assert time.monotonic() - began < time_allowed(bench)
    assert bench.left_over() == []


@pytest.mark.parametrize("name", ["edit"])
def test_figures_mean_the_same_whichever_backend_gives_them(name: str, bench: ConformanceBench) -> None:
    """Three calls to the model; what came from its cache is not counted as input."""
    usage = bench.dispatch().usage

    assert usage is not None
    assert usage.input_tokens == 3 * (USAGE.input - USAGE.cached)
    assert usage.cached_tokens == 3 * USAGE.cached
    assert usage.output_tokens == 3 * USAGE.output
