"""A look around a checkout sees what an agent must not touch, and not what the engine does meanwhile."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gitbench import Bench

from signoff.delivery.context.surroundings_comparison import compare
from signoff.domain.base.typed_ids import CommitId, RunId
from signoff.domain.machine.surroundings import Surroundings, Touched
from signoff.host.places.repository import GitRepository

RUN = RunId("01RUN")
NAME = f"{RUN}/implement/T1/attempt-1/dispatch-1"


class Scene:
    """A repository with a run in it, and an agent's checkout."""

    def __init__(self, root: Path, repository: GitRepository, commit: CommitId) -> None:
        self.root = root
        self.repository = repository
        self.commit = commit
        self.state = root / ".signoff"
        self.checkout = Path(repository.checkout(NAME, commit))
        self.sibling = Path(repository.checkout(NAME.replace("T1", "T2"), commit))
        self.run = self.state / "runs" / RUN
        for name in ("blobs/one", "receipts/a.json", "journal.jsonl", "logs/x.out"):
            path = self.run / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x\n")

    def look(self) -> Surroundings:
        return self.repository.look_around(RUN, str(self.checkout), (str(self.sibling),))

    def after(self, what: Callable[["Scene"], object]) -> Touched:
        before = self.look()
        what(self)
        return compare(before, self.look())


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """One for all: what is compared is what each of them does."""
    bench = Bench(tmp_path_factory.mktemp("around"))
    bench.commit({"src/a.py": "a = 1\n"})
    repository = bench.repository
    return Scene(bench.root, repository, repository.base().commit)


CERTAIN: dict[str, tuple[Callable[[Scene], object], str]] = {
    "beside its checkout": (
        lambda s: (s.checkout / "../outside").write_text("x"),
        f".signoff/checkouts/{RUN}/implement/T1/attempt-1/outside",
    ),
    "a folder beside its checkout": (
        lambda s: (s.checkout / "../made").mkdir(),
        f".signoff/checkouts/{RUN}/implement/T1/attempt-1/made",
    ),
    "above all checkouts of the run": (
        lambda s: (s.state / f"checkouts/{RUN}/escaped").write_text("x"),
        f".signoff/checkouts/{RUN}/escaped",
    ),
    "another task's work": (
        lambda s: (s.sibling / "src/a.py").write_text("a = 2\n"),
        f".signoff/checkouts/{RUN}/implement/T2/attempt-1/dispatch-1/src/a.py",
    ),
    "a receipt": (
        lambda s: (s.run / "receipts/a.json").write_text("passed"),
        f".signoff/runs/{RUN}/receipts/a.json",
    ),
    "a blob": (lambda s: (s.run / "blobs/one").unlink(), f".signoff/runs/{RUN}/blobs/one"),
    "the journal": (
        lambda s: os.truncate(s.run / "journal.jsonl", 1),
        f".signoff/runs/{RUN}/journal.jsonl",
    ),
    "the engine's settings": (
        lambda s: (s.state / "engine.git/config").write_text("[core]\n"),
        ".signoff/engine.git/config",
    ),
}
DOUBTFUL: dict[str, tuple[Callable[[Scene], object], str]] = {
    "a file of the person": (lambda s: (s.root / "src/a.py").write_text("a = 22\n"), "src/a.py"),
    "a new file": (lambda s: (s.root / "src/new").write_text("x"), "src/new"),
    "a file that is gone": (lambda s: (s.root / "src/a.py").unlink(), "src/a.py"),
    "a hook": (lambda s: _write(s.root / ".git/hooks/pre-commit"), ".git/hooks/pre-commit"),
    "git's settings": (lambda s: _add(s.root / ".git/config", "[x]\n\ty = 1\n"), ".git/config"),
    "a branch": (lambda s: _add(s.root / ".git/refs/heads/other", f"{s.commit}\n"), ".git/refs/heads/other"),
    "beside the repository": (lambda s: _write(s.root.parent / "elsewhere"), "../elsewhere"),
    "a contract that is kept": (lambda s: _write(s.state / "contracts/c.json"), ".signoff/contracts/c.json"),
}


def _write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("not by the person\n")


def _add(path: Path, text: str) -> None:
    with open(path, "a") as file:
        file.write(text)


@pytest.mark.parametrize("what", CERTAIN)
def test_a_change_where_only_the_engine_writes_is_certain(scene: Scene, what: str) -> None:
    act, path = CERTAIN[what]

    assert scene.after(act) == Touched((path,), ())


@pytest.mark.parametrize("what", DOUBTFUL)
def test_a_change_where_the_person_works_is_a_doubt(scene: Scene, what: str) -> None:
    act, path = DOUBTFUL[what]

    assert scene.after(act) == Touched((), (path,))


def test_what_the_engine_and_the_agent_do_is_no_change(scene: Scene) -> None:
    """An honest agent beside a busy engine must not be accused of anything."""

    def work(scene: Scene) -> None:
        (scene.checkout / "src/a.py").write_text("a = 3\n")
        (scene.checkout / ".git/config").write_text("[core]\n")
        with open(scene.run / "journal.jsonl", "a") as journal:
            journal.write("more\n")
        for name in ("blobs/two", "receipts/b.json", "logs/y.out", "state.json", "inbox/z"):
            _write(scene.run / name)
        commit = scene.commit
        scene.repository.set_ref(f"{RUN}/tip", commit, None)
        scene.repository.publish(f"{RUN}/final", commit)
        scene.repository.checkout(f"{RUN}/implement/T3/attempt-1/dispatch-1", commit)
        scene.repository.checkout(NAME.replace("dispatch-1", "dispatch-2"), commit)
        _write(scene.state / "runs/01OTHER/journal.jsonl")
        _write(scene.state / "agent-runs.jsonl")
        _write(scene.root / "node_modules/x/index.js")

    assert scene.after(work) == Touched()


def test_five_thousand_files_take_less_than_a_moment(scene: Scene) -> None:
    """It is done twice for each dispatch."""
    for number in range(5_000):
        path = scene.root / f"many/{number % 50}/{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    took = []
    for _ in range(5):
        began = time.process_time()
        scene.look()
        took.append(time.process_time() - began)

    assert min(took) < 0.1


def test_a_repository_in_a_temporary_folder_is_not_watched_from_above(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any program puts files there, and a person would be asked about each of them."""
    monkeypatch.setattr("tempfile.tempdir", str(scene.root.parent))

    assert scene.after(lambda s: _write(s.root.parent / "of-somebody")) == Touched((), ())
