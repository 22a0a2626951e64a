"""The base is read from the person's repository, where nothing changes but refs/signoff/."""

import shutil
from pathlib import Path

import pytest
from gitbench import WHEN, Agent, Bench, commit_files

from signoff.domain.base.errors import ConfigError
from signoff.host.places.repository import GitRepository


def test_the_base_is_head_with_its_tree_and_branch(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})

    base = bench.repository.base()

    assert base.commit == bench.git("rev-parse", "HEAD")
    assert base.tree == bench.git("rev-parse", "HEAD^{tree}")
    assert (base.branch, base.dirty, base.submodules) == ("main", (), ())


def test_a_detached_head_has_no_branch(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.git("checkout", "-q", "--detach")

    assert bench.repository.base().branch is None


def test_another_revision_can_be_the_base(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    first = bench.git("rev-parse", "HEAD")
    bench.git("branch", "side")
    bench.git("tag", "-m", "a tag", "v1")
    bench.commit({"a": "2"})

    assert bench.repository.base("side").commit == first
    assert bench.repository.base("side").branch == "side"
    assert bench.repository.base("v1").commit == first
    assert bench.repository.base("v1").branch is None
    assert bench.repository.base("HEAD~1").commit == first


@pytest.mark.parametrize("revision", ["nothing", "--all", "HEAD:a"])
def test_an_unknown_revision_is_named(tmp_path: Path, revision: str) -> None:
    bench = Bench(tmp_path, files={"a": "1"})

    with pytest.raises(ConfigError) as caught:
        bench.repository.base(revision)

    assert caught.value.slug == "unknown-revision"


def test_a_repository_without_commits_is_named_with_the_command_that_mends_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    with pytest.raises(ConfigError) as caught:
        bench.repository.base()

    assert caught.value.slug == "no-commits"
    assert f'git -C "{bench.root}" add -A' in caught.value.fix


def test_uncommitted_changes_are_listed_and_our_own_folder_is_not(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"changed": "1", "gone": "1", ".gitignore": "*.log\n"})
    bench.write({"changed": "2", "new/ñ file": "x", "x.log": "x", ".signoff/runs/1/journal": "x"})
    (bench.root / "gone").unlink()
    bench.git("mv", "changed", "renamed")

    assert bench.repository.base().dirty == ("changed", "gone", "new/ñ file", "renamed")


def test_what_the_person_ignores_everywhere_is_not_called_a_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    (bench.home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored\n")
    (bench.home / "ignored").write_text(".DS_Store\n")
    bench.write({".DS_Store": "x", "b": "x"})

    assert bench.repository.base().dirty == ("b",)


def test_no_hook_or_monitor_of_the_person_is_run(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    hook = bench.root / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\ntouch "{tmp_path}/hooked"\n')
    hook.chmod(0o755)
    shutil.copy(hook, tmp_path / "monitor")
    bench.git("config", "core.fsmonitor", str(tmp_path / "monitor"))
    bench.git("status")
    (tmp_path / "hooked").unlink()  # so they do run when they can

    repository = bench.repository
    repository.publish("x", repository.base().commit)

    assert not (tmp_path / "hooked").exists()


def test_the_persons_index_branch_and_configuration_are_left_alone(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.write({"a": "2", "staged": "x"})
    bench.git("add", "staged")
    files = [bench.root / ".git" / name for name in ("index", "config", "HEAD")]
    before = [file.read_bytes() for file in files]

    agent = Agent(bench)
    agent.write({"new": "x"})
    commit = commit_files(agent.repository, agent.base, str(agent.folder))
    agent.repository.publish("runs/1/final", commit)

    assert [file.read_bytes() for file in files] == before
    assert bench.git("rev-parse", "main") == agent.base.commit
    assert bench.git("status", "--porcelain", "--", "a", "staged") == "M a\nA  staged"


def test_what_is_published_survives_garbage_collection(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    agent = Agent(bench)
    agent.write({"new": "agent's work", "deep/er": "x"})
    commit = commit_files(agent.repository, agent.base, str(agent.folder))

    assert agent.repository.published("runs/1/final") is None
    assert agent.repository.publish("runs/1/final", commit) == "refs/signoff/runs/1/final"
    assert agent.repository.published("runs/1/final") == commit
    bench.git("gc", "-q", "--prune=now")
    shutil.rmtree(bench.root / ".signoff")

    assert bench.git("rev-parse", "refs/signoff/runs/1/final") == commit
    assert bench.git("show", f"{commit}:new") == "agent's work"
    bench.git("fsck", "--strict", "--no-dangling")


def test_publishing_twice_is_publishing_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    agent = Agent(bench)
    agent.write({"new": "x"})
    commit = commit_files(agent.repository, agent.base, str(agent.folder))

    first = agent.repository.publish("final", commit)
    objects = bench.git("count-objects", "-v")

    assert agent.repository.publish("final", commit) == first
    assert bench.git("count-objects", "-v") == objects


def test_many_objects_are_published_as_one_pack(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    agent = Agent(bench)
    agent.write({f"many/{n}": f"content {n}" for n in range(120)})
    commit = commit_files(agent.repository, agent.base, str(agent.folder))

    agent.repository.publish("final", commit)
    shutil.rmtree(bench.root / ".signoff")

    assert bench.git("show", f"{commit}:many/119") == "content 119"
    assert len(list((bench.root / ".git/objects/pack").glob("*.pack"))) == 1


def test_the_base_outlives_the_branch_it_came_from(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.commit({"a": "2"})
    agent = Agent(bench)

    bench.git("reset", "-q", "--hard", "HEAD~1")
    bench.git("reflog", "expire", "--expire=now", "--all")
    bench.git("gc", "-q", "--prune=now")

    assert agent.capture().tree == agent.base.tree
    assert agent.git("log", "--format=%s") == "work\nwork"


def test_a_linked_worktree_is_a_repository_like_any_other(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "the worktree"))
    bench.root = tmp_path / "the worktree"
    bench.commit({"b": "2"})

    agent = Agent(bench)
    agent.write({"c": "3"})
    commit = commit_files(agent.repository, agent.base, str(agent.folder))
    agent.repository.publish("final", commit)

    assert agent.base.branch == "side"
    assert set(agent.files()) == {"a", "b", "c"}
    assert bench.git("show", f"{commit}:c") == "3"


def test_a_repository_that_moved_still_works(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    agent = Agent(bench)
    agent.write({"b": "2"})
    tree = agent.capture().tree
    (tmp_path / "elsewhere").mkdir()

    moved = bench.root.rename(tmp_path / "elsewhere" / "moved répo")

    checkout = moved / agent.folder.relative_to(bench.root)
    repository = GitRepository(str(moved), str(moved / ".signoff"), bench.env)
    assert repository.capture(str(checkout), repository.base().tree).tree == tree
    assert bench.git("log", "--format=%s", cwd=checkout) == "work"


def test_a_moved_linked_worktree_finds_its_objects_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.git("worktree", "add", "-q", str(tmp_path / "side"))
    main, bench.root = bench.root, tmp_path / "side"
    agent = Agent(bench)
    (tmp_path / "deep" / "er").mkdir(parents=True)

    bench.git("worktree", "move", str(tmp_path / "side"), str(tmp_path / "deep" / "er" / "side"), cwd=main)
    bench.root = tmp_path / "deep" / "er" / "side"

    assert bench.repository.read(agent.base.tree, "a") == b"1"
    assert bench.repository.tree_of(agent.base.commit) == agent.base.tree


def test_a_repository_that_borrows_objects_itself_can_be_borrowed_from(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.git("clone", "-q", "--shared", str(bench.root), str(tmp_path / "clone"), cwd=tmp_path)
    bench.root = tmp_path / "clone"

    agent = Agent(bench)
    agent.write({"b": "2"})

    assert set(agent.files()) == {"a", "b"}
    assert agent.git("show", "HEAD:a") == "1"


def test_a_shallow_clone_can_be_worked_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.commit({"a": "2"})
    bench.git("clone", "-q", "--depth=1", f"file://{bench.root}", str(tmp_path / "clone"), cwd=tmp_path)
    bench.root = tmp_path / "clone"

    agent = Agent(bench)
    agent.write({"b": "2"})
    ours = commit_files(agent.repository, agent.base, str(agent.folder), "ours")
    agent.write({"b": "3"})
    theirs = commit_files(agent.repository, agent.base, str(agent.folder), "theirs")

    assert agent.repository.merge(ours, theirs, "both", WHEN).conflicts == ("b",)
    assert agent.git("log", "--format=%s") == "work"
    agent.repository.publish("final", ours)
    assert bench.git("show", "refs/signoff/final:b") == "2"


def test_a_sha256_repository_can_be_worked_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    shutil.rmtree(bench.root / ".git")
    bench.git("init", "-q", "--object-format=sha256")
    bench.commit({"a": "1"})

    agent = Agent(bench)
    assert agent.capture().tree == agent.base.tree
    agent.write({"b": "2"})
    commit = commit_files(agent.repository, agent.base, str(agent.folder))
    agent.repository.set_ref("x", commit, None)

    assert len(commit) == 64
    assert agent.git("status", "--porcelain") == "?? b"
