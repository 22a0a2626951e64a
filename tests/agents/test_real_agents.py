"""Real coding agents on a scripted model: each case over each program, held to the same laws.

`make test-agents` installs the programs and runs these. What is not installed is skipped, never passed.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from realcases import CASES, Answers
from realclis import CLIS, Cli, Order
from realruns import lay_out, run
from realverdicts import answer_of, session_of
from scripted_models.server import ModelServer, serve

from signoff.testing.conformance.cases import DONE, FILE, NEW

pytestmark = pytest.mark.agents

SESSION = "0b5b3c4e-7a0e-4f7e-9c1e-1f2a3b4c5d6e"
NOWHERE = "http://127.0.0.1:9"
"""The discard port: nothing listens there."""


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with serve() as server:
        yield server


@pytest.fixture(params=CLIS)
def cli(request: pytest.FixtureRequest) -> Cli:
    found = CLIS[request.param]
    if not found.program.exists():
        pytest.skip(f"{found.name} is not installed in the cache: make test-agents")
    if found.runtime and not shutil.which(found.runtime):
        pytest.skip(f"{found.name} needs {found.runtime}")
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_real_agent_keeps_the_laws(name: str, cli: Cli, model: ModelServer, tmp_path: Path) -> None:
    """A failed program would be taken for one that answered, or one that answered has not done its work."""
    case = CASES[name]
    label = f"{cli.name}-{tmp_path.name}"
    folder = lay_out(tmp_path / "work", with_git=not case.has_no_repository)
    order = Order(
        prompt="Change the greeting in app.py.",
        origin=NOWHERE if case.has_no_server else model.origin,
        path=model.path(case.scenario, label, is_blind=True),
        home=tmp_path / "home",
        session=SESSION,
        may_run=case.may_run,
        max_turns=case.max_turns,
        budget_usd=case.budget_usd,
    )

    def is_at_work() -> bool:
        return model.has_reached(case.scenario, label)

    ran = run(cli, order, folder, limit_s=case.limit_s, stop=case.stop, is_at_work=is_at_work)
    if case.is_resumed:
        session = session_of(cli.name, ran, SESSION)
        lay_out(folder, with_git=False)
        ran = run(cli, order._replace(resume=True, session=session), folder, limit_s=case.limit_s)

    is_edited = NEW in (folder / FILE).read_text()
    has_answered = DONE in (answer_of(cli.name, ran) or "")
    seen = f"exit {ran.exit_code} after {ran.seconds} s\n{ran.stdout[-3000:]!r}\n{ran.stderr[-1000:]!r}"
    match case.answers:
        case Answers.YES:
            assert has_answered, seen
        case Answers.NO:
            assert not has_answered, seen
        case Answers.ONLY_WITH_WORK:
            assert not has_answered or is_edited or case.scenario not in _EDITING, seen
    assert case.edited in (None, is_edited), seen
    assert [made for made in case.made if not (folder / made).exists()] == [], seen
    assert [absent for absent in case.absent if (folder / absent).exists()] == [], seen


_EDITING = frozenset({"edit", "cut", "flaky-cut", "flaky429", "stream-error"})


def test_a_limit_on_turns_is_kept(cli: Cli, model: ModelServer, tmp_path: Path) -> None:
    """A limit that a program ignores is no limit; only those that have one are asked."""
    if not cli.has_turn_limit:
        pytest.skip(f"{cli.name} has no limit on turns")
    label = f"{cli.name}-{tmp_path.name}"
    order = Order(
        prompt="Go.",
        origin=model.origin,
        path=model.path("loop", label),
        home=tmp_path / "home",
        session=SESSION,
        max_turns=3,
    )

    ran = run(cli, order, lay_out(tmp_path / "work"), limit_s=60)

    assert ran.exit_code is not None
    assert 3 <= len([entry for entry in model.entries(label=label) if not entry.is_aside]) <= 4
