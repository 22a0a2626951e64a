"""A submodule is a commit, and a dirty one cannot be judged."""

from pathlib import Path

import pytest
from gitbench import Agent, Bench

from signoff.domain.machine.trees import ChangeKind


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A repository with a populated submodule at `libs/sub dir` that ignores `*.o`."""
    bench = Bench(tmp_path)
    library = tmp_path / "library"
    library.mkdir()
    bench.git("init", "-q", "-b", "main", cwd=library)
    bench.write({"lib.c": "1\n", ".gitignore": "*.o\n"}, library)
    bench.git("add", ".", cwd=library)
    bench.git("commit", "-qm", "first", cwd=library)
    bench.git("submodule", "--quiet", "add", "--name", "lib", str(library), "libs/sub dir")
    bench.commit({"a": "1"})
    return bench


def populate(agent: Agent) -> Path:
    """Do what an agent with network would: fetch the submodule into its checkout."""
    folder = agent.folder / "libs" / "sub dir"
    agent.bench.git("clone", "-q", str(agent.bench.root.parent / "library"), str(folder), cwd=agent.folder)
    return folder


def emptied(agent: Agent) -> Path:
    folder = agent.folder / "libs" / "sub dir"
    for child in folder.iterdir():
        child.unlink()
    return folder


def test_submodules_are_named_in_the_base(bench: Bench) -> None:
    assert bench.repository.base().submodules == ("libs/sub dir",)


def test_a_submodule_known_to_the_person_is_laid_out_and_clean(bench: Bench) -> None:
    agent = Agent(bench)

    assert (agent.folder / "libs" / "sub dir" / "lib.c").read_bytes() == b"1\n"
    assert agent.capture().tree == agent.base.tree
    assert agent.capture().problems == ()
    assert agent.git("status", "--porcelain") == ""


def test_a_submodule_the_person_never_fetched_is_an_empty_folder(bench: Bench) -> None:
    bench.git("submodule", "--quiet", "deinit", "--all", "-f")
    (bench.root / ".git" / "modules" / "lib").rename(bench.root.parent / "away")

    agent = Agent(bench)

    assert list((agent.folder / "libs" / "sub dir").iterdir()) == []
    assert agent.files()["libs/sub dir"] == "160000"
    assert agent.capture().tree == agent.base.tree


def test_edits_below_a_submodule_laid_out_without_git_are_dirty(bench: Bench) -> None:
    agent = Agent(bench)

    agent.write({"libs/sub dir/lib.c": "2"})

    assert agent.problems() == [("submodule-dirty", "libs/sub dir")]


def test_what_the_submodule_ignores_does_not_make_it_dirty(bench: Bench) -> None:
    agent = Agent(bench)

    agent.write({"libs/sub dir/lib.o": "built"})

    assert agent.capture().tree == agent.base.tree
    assert agent.problems() == []


def test_a_populated_clean_submodule_is_its_head(bench: Bench) -> None:
    agent = Agent(bench)
    emptied(agent)
    populate(agent)

    assert agent.capture().tree == agent.base.tree
    assert agent.problems() == []


def test_a_submodule_moved_to_another_commit_is_a_change(bench: Bench) -> None:
    agent = Agent(bench)
    emptied(agent)
    folder = populate(agent)
    bench.git("commit", "-q", "--allow-empty", "-m", "second", cwd=folder)

    captured = agent.capture()

    assert captured.problems == ()
    changes = agent.repository.changes(agent.base.tree, captured.tree)
    assert [(change.path, change.kind) for change in changes] == [("libs/sub dir", ChangeKind.MODIFIED)]
    assert agent.repository.entries(captured.tree)[-1].oid == bench.git("rev-parse", "HEAD", cwd=folder)


@pytest.mark.parametrize("hidden", ["", "--assume-unchanged", "exclude"])
def test_a_dirty_submodule_is_a_problem_however_it_is_hidden(bench: Bench, hidden: str) -> None:
    agent = Agent(bench)
    emptied(agent)
    folder = populate(agent)
    if hidden == "exclude":
        bench.write({".git/info/exclude": "new.c\n", "new.c": "x"}, folder)
    else:
        bench.git("config", "core.fsmonitor", "touch hooked", cwd=folder)
        bench.git(*("update-index", hidden, "lib.c") if hidden else ("status",), cwd=folder)
        bench.write({"lib.c": "evil"}, folder)

    assert agent.problems() == [("submodule-dirty", "libs/sub dir")]


def test_a_submodule_whose_git_is_broken_is_dirty(bench: Bench) -> None:
    agent = Agent(bench)

    agent.write({"libs/sub dir/.git": "gitdir: /nowhere\n"})

    assert agent.problems() == [("submodule-dirty", "libs/sub dir")]


def test_a_removed_submodule_is_removed(bench: Bench) -> None:
    agent = Agent(bench)
    emptied(agent).rmdir()

    assert set(agent.files()) == {".gitmodules", "a"}


def test_a_file_in_place_of_a_submodule_is_a_file(bench: Bench) -> None:
    agent = Agent(bench)
    emptied(agent).rmdir()
    agent.write({"libs/sub dir": "x"})

    assert agent.files()["libs/sub dir"] == "100644"


def test_a_module_name_that_leads_elsewhere_is_not_followed(bench: Bench) -> None:
    bench.commit({".gitmodules": '[submodule "../modules/lib"]\n\tpath = libs/sub dir\n\turl = x\n'})

    agent = Agent(bench)

    assert list((agent.folder / "libs" / "sub dir").iterdir()) == []
