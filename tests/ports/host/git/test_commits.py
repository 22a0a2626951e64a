"""Commits and merges are functions of their arguments, and refs move by compare-and-swap."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from gitbench import WHEN, Agent, Bench, commit_files, modes

from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import CommitId
from signoff.host.places.repository import GitRepository


def two_tasks(agent: Agent, ours: dict[str, str], theirs: dict[str, str]) -> tuple[CommitId, CommitId]:
    """Commit what two agents wrote, each starting from the base."""
    made = []
    for name, files in (("T1", ours), ("T2", theirs)):
        folder = agent.repository.checkout(f"run/{name}/attempt-1", agent.base.commit)
        agent.bench.write(files, folder)
        made.append(commit_files(agent.repository, agent.base, folder, name))
    return made[0], made[1]


def test_the_same_arguments_give_the_same_commit_anywhere(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    base = bench.repository.base()
    bench.git("config", "user.name", "Somebody else")
    bench.git("config", "commit.gpgSign", "true")

    commits = {bench.repository.commit(base.tree, (base.commit,), "Title\n\nBödy", WHEN) for _ in range(2)}

    (commit,) = commits
    assert bench.repository.tree_of(commit) == base.tree
    assert bench.repository.parent_of(commit) == base.commit
    shown = bench.git("--git-dir=.signoff/engine.git", "cat-file", "commit", commit)
    assert shown.splitlines()[2:] == [
        "author Signoff <signoff@localhost> 1767323045 +0000",
        "committer Signoff <signoff@localhost> 1767323045 +0000",
        "",
        "Title",
        "",
        "Bödy",
    ]


@pytest.mark.parametrize("message", ["", "nul\0byte", "-m", "lone \udce9", "# comment\nx"])
def test_any_message_can_be_committed(tmp_path: Path, message: str) -> None:
    repository = Bench(tmp_path, files={"a": "1"}).repository
    base = repository.base()

    assert repository.tree_of(repository.commit(base.tree, (), message, WHEN)) == base.tree


def test_two_tasks_that_touch_different_files_merge(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1\n", "b": "1\n"}))
    ours, theirs = two_tasks(agent, {"a": "2\n"}, {"b": "2\n", "ç/new": "x"})

    merged = agent.repository.merge(ours, theirs, "merge T2", WHEN)

    assert merged.commit is not None
    assert merged.tree is not None
    assert merged.conflicts == ()
    assert set(modes(agent.repository, merged.tree)) == {"a", "b", "ç/new"}
    assert agent.repository.read(merged.tree, "a") == b"2\n"
    assert agent.repository.tree_of(merged.commit) == merged.tree
    assert agent.repository.merge(ours, theirs, "merge T2", WHEN) == merged


def test_a_conflict_names_its_paths_and_makes_no_commit(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"ä b": "1\n", "b": "1\n", "c": "1\n"}))
    ours, theirs = two_tasks(
        agent, {"ä b": "2\n", "b": "2\n", "c": "2\n"}, {"ä b": "3\n", "b": "3\n", "c": "2\n"}
    )

    merged = agent.repository.merge(ours, theirs, "merge T2", WHEN)

    assert (merged.commit, merged.tree) == (None, None)
    assert sorted(merged.conflicts) == ["b", "ä b"]


def test_merge_drivers_and_attributes_of_the_files_have_no_say(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1\n", ".gitattributes": "a merge=mine\n"})
    for place in (bench.home / ".gitconfig", bench.root / ".git" / "config"):
        with place.open("a") as file:
            file.write(f'[merge "mine"]\n\tdriver = touch "{tmp_path}/ran"\n')
    agent = Agent(bench)
    ours, theirs = two_tasks(agent, {"a": "2\n"}, {"a": "3\n"})

    assert agent.repository.merge(ours, theirs, "x", WHEN).conflicts == ("a",)
    assert not (tmp_path / "ran").exists()


def test_a_fast_forward_is_still_a_merge_commit(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1\n"}))
    _, theirs = two_tasks(agent, {}, {"a": "2\n"})

    merged = agent.repository.merge(agent.base.commit, theirs, "merge", WHEN)

    assert merged.commit is not None
    assert merged.commit != theirs
    assert merged.tree == agent.repository.tree_of(theirs)
    parents = agent.bench.git("--git-dir=.signoff/engine.git", "rev-parse", f"{merged.commit}^@").split()
    assert parents == [agent.base.commit, theirs]


def test_a_ref_moves_only_from_where_it_is_expected(tmp_path: Path) -> None:
    repository = Bench(tmp_path, files={"a": "1"}).repository
    base = repository.base()
    one = repository.commit(base.tree, (base.commit,), "one", WHEN)
    two = repository.commit(base.tree, (one,), "two", WHEN)
    assert repository.ref("runs/1/head") is None

    repository.set_ref("runs/1/head", one, None)
    repository.set_ref("runs/1/head", two, one)

    assert repository.ref("runs/1/head") == two
    for expected in (None, one, base.commit):
        with pytest.raises(ConflictError) as caught:
            repository.set_ref("runs/1/head", one, expected)
        assert caught.value.slug == "ref-moved"
        assert two in caught.value.why
    with pytest.raises(ConflictError):
        repository.set_ref("runs/1/other", one, two)
    assert repository.ref("runs/1/head") == two
    assert repository.ref("runs/1/other") is None


def test_a_ref_can_keep_a_tree(tmp_path: Path) -> None:
    repository = Bench(tmp_path, files={"a": "1"}).repository
    tree = repository.base().tree

    repository.set_ref("trees/x", tree, None)

    assert repository.ref("trees/x") == tree


def test_one_repository_serves_many_threads(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    repository: GitRepository = bench.repository
    base = repository.base()

    def task(number: int) -> CommitId:
        folder = repository.checkout(f"run/T{number}", base.commit)
        bench.write({f"file-{number}": "x"}, folder)
        return commit_files(repository, base, folder)

    with ThreadPoolExecutor(8) as pool:
        commits = list(pool.map(task, range(8)))

    assert len(set(commits)) == 8
    for number, commit in enumerate(commits):
        assert set(modes(repository, repository.tree_of(commit))) == {"a", f"file-{number}"}
