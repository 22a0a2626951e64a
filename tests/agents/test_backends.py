"""Our backends with the real programs behind them, through the cases of `signoff.testing.conformance`.

A backend that we have for a program joins by its name alone; a program that is not installed is skipped.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from realclis import CLIS, Cli, Order, common_env
from scripted_models.exchange import USAGE
from scripted_models.server import ModelServer, serve

from signoff.agents.registry import BUILT_IN, AgentRegistry
from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.machine.sandbox_records import SandboxChoice
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
from signoff.testing.conformance.cases import ANSWERED, CASES, Case

pytestmark = pytest.mark.agents

BACKENDS = [name for name in CLIS if name in BUILT_IN]
MODELS = {
    "claude": "claude-sonnet-4-5",
    "codex": "gpt-5.5",
    "gemini": "gemini-2.5-pro",
    "opencode": "scripted/scripted",
}
_PATIENT = ("opencode", "qwen")
"""They ask a failing server again for longer than our clock lets them."""
_FAILING = (
    *("err429", "err429-wait", "quota", "err500", "err503", "err529", "late500"),
    *("cut", "drop", "garbage", "garbage-stream", "stream-error"),
)
TELLS_LESS: Mapping[tuple[str, str], F] = {
    **{(agent, case): F.TIMED_OUT for agent in _PATIENT for case in _FAILING},
    # It takes what goes on and on for a loop, and gives up when a stream is cut.
    ("gemini", "endless"): F.TURNS_USED_UP,
    ("gemini", "budget"): F.TURNS_USED_UP,
    ("gemini", "flaky-cut"): F.NETWORK,
    ("gemini", "stream-error"): F.MALFORMED_ANSWER,
    ("opencode", "err403"): F.UNKNOWN,
    ("qwen", "refusal"): F.UNKNOWN,
}
"""What some programs give in place of the class, since they tell no more."""


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with serve() as server:
        yield server


@pytest.fixture(params=BACKENDS)
def subject(request: pytest.FixtureRequest) -> BackendSubject:
    cli = CLIS[request.param]
    if not cli.program.exists():
        pytest.skip(f"{cli.name} is not installed in the cache: make test-agents")
    if cli.runtime and not shutil.which(cli.runtime):
        pytest.skip(f"{cli.name} needs {cli.runtime}")

    return BackendSubject(
        cli.name,
        lambda site: open_backend(cli, site),
        lambda process: runs(process, cli.program),
        MODELS.get(cli.name, "scripted"),
        # `auto` is the best level here; the others are tried by their names.
        box=SandboxChoice(os.environ.get("SIGNOFF_AGENT_BOX") or "auto"),
    )


def runs(process: int, program: Path) -> bool:
    """Say whether it is the program itself or the runtime that reads it, and not our client of it."""
    if os.path.samefile(f"/proc/{process}/exe", sys.executable):
        return False
    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    return os.path.samefile(f"/proc/{process}/exe", program) or bytes(program) in words


def open_backend(cli: Cli, site: DispatchSite) -> Agent:
    """Give the backend as the settings of a repository would make it."""
    start = cli.start(Order("", site.origin, site.path, site.home, ""))
    # What names the private home is the backend's own affair.
    reaching = {name: value for name, value in start.env.items() if str(site.home) not in value}
    env = common_env(site.home.with_name("person")) | cli.env | reaching
    # Codex is told its model's address by words; the others read their environment.
    provider = [word for word in start.argv if word.startswith(("model_provider=", "model_providers."))]
    settings = AgentSettings(
        name=cli.name,
        program=(str(cli.program),),
        env=tuple(reaching),
        args=tuple(word for name in provider for word in ("-c", name)),
    )
    repository = GitRepository(str(site.folder), str(site.folder / ".signoff"), env)
    return AgentRegistry(site.door, repository, env, "").open(cli.name, Settings(agent=settings), None)


@pytest.fixture
def bench(
    name: str, subject: BackendSubject, model: ModelServer, tmp_path: Path
) -> Iterator[ConformanceBench]:
    made = ConformanceBench(CASES[name], model, tmp_path, f"{subject.name}-{tmp_path.name}", subject)
    yield made
    made.clear()


@pytest.mark.parametrize("name", CASES)
def test_a_backend_tells_what_came_of_a_dispatch(
    name: str, bench: ConformanceBench, subject: BackendSubject
) -> None:
    """A failure would be taken for an answer, or a tool in a session of its own would go on working."""
    began = time.monotonic()
    case = CASES[name]
    if less := TELLS_LESS.get((subject.name, name)):
        if case.fails == ANSWERED:
            case = case._replace(may_answer=True, edited=None)
        case = case._replace(fails=case.fails | {less})
    if (subject.name, name) == ("copilot", "deep"):
        case = case._replace(made=())  # its editor makes no folders, and the scripted model does not mind

    reply = bench.dispatch()

    assert problems(case, reply, bench) == ()
    assert time.monotonic() - began < time_allowed(bench)
    assert bench.left_over() == []


class Told(NamedTuple):
    """How many calls the figures cover, and whether those from a cache are told apart."""

    calls: int = 3
    knows_cached: bool = True


TOLD = {
    "goose": Told(calls=1, knows_cached=False),
    "opencode": Told(calls=1),
    "gemini": Told(knows_cached=False),
    "qwen": None,
}


@pytest.mark.parametrize("name", ["edit"])
def test_a_backend_counts_tools_and_tokens(
    name: str, bench: ConformanceBench, subject: BackendSubject
) -> None:
    """Three calls to the model, two uses of tools; where a program tells less, the basis says so."""
    tally = bench.dispatch().tally

    assert tally is not None
    assert sum(tally.tools.values()) == 2
    assert tally.denials == tally.retries == 0
    told = TOLD.get(subject.name, Told())
    if told is None:
        assert tally.metered is None
        return
    assert tally.metered is not None
    assert tally.metered.basis is (UsageBasis.LAST_CALL if told.calls == 1 else UsageBasis.RUN)
    cached = told.calls * USAGE.cached if told.knows_cached else None
    assert tally.metered.input_tokens == told.calls * USAGE.input - (cached or 0)
    assert tally.metered.cached_tokens == cached
    assert tally.metered.output_tokens == told.calls * USAGE.output


OUTSIDE = Case("outside")
TELL_PATHS = ("claude", "codex", "copilot", "goose")
"""Programs that tell where an edit goes; the others may, and are kept in all the same."""


def test_a_real_agent_that_reaches_out_is_kept_in_and_told_on(
    subject: BackendSubject, model: ModelServer, tmp_path: Path
) -> None:
    """It writes beside its checkout with its edit tool and with its shell; neither must come off unseen."""
    bench = ConformanceBench(OUTSIDE, model, tmp_path, f"{subject.name}-{tmp_path.name}", subject)
    try:
        reply = bench.dispatch()
    finally:
        bench.clear()

    if reply.sandbox is None or not reply.sandbox.is_fence:
        pytest.skip("no fence on this machine")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("outside")] == []
    told = {os.path.relpath(path, tmp_path) for path in reply.outside}
    assert told <= {"outside.txt"}
    assert told or subject.name not in TELL_PATHS
