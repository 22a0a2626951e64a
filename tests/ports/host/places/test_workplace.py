"""A folder as it lies there, in a repository and outside of one."""

import os
import subprocess
from pathlib import Path

import pytest

from signoff.domain.base.errors import ConfigError
from signoff.domain.machine.trees import ChangeKind
from signoff.host.git.git_door import GitTool, find_git
from signoff.host.places.workplace import open_workplace

ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


@pytest.fixture(name="tool")
def find_tool() -> GitTool:
    return find_git(ENV)


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, env=ENV, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def repository(folder: Path) -> None:
    (folder / "a.txt").write_text("a")
    (folder / ".gitignore").write_text("ignored\n")
    (folder / "ignored").write_text("not part of it")
    git(folder, "init", "-q")
    git(folder, "add", "--all")
    git(folder, "commit", "-qm", "first")


def test_clean_files_are_the_tree_of_the_last_commit(tool: GitTool, tmp_path: Path) -> None:
    repository(tmp_path)

    with open_workplace(tool, str(tmp_path)) as place:
        assert place.capture().tree == git(tmp_path, "rev-parse", "HEAD^{tree}")


def test_a_folder_in_no_repository_has_the_tree_git_would_give_it(tool: GitTool, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text("a")
    with open_workplace(tool, str(tmp_path / "plain")) as place:
        outside = place.capture().tree
    git(tmp_path / "plain", "init", "-q")
    git(tmp_path / "plain", "add", "--all")

    assert outside == git(tmp_path / "plain", "write-tree")


def test_named_files_are_not_part_of_the_tree(tool: GitTool, tmp_path: Path) -> None:
    repository(tmp_path)
    with open_workplace(tool, str(tmp_path)) as place:
        before = place.capture(("verification.json",)).tree
        (tmp_path / "verification.json").write_text("{}")

        assert place.capture(("verification.json",)).tree == before
        assert place.capture().tree != before


def test_what_changed_since_a_revision_can_be_asked(tool: GitTool, tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "a.txt").write_text("b")
    with open_workplace(tool, str(tmp_path)) as place:
        base, now = place.tree_at("HEAD"), place.capture().tree
        (change,) = place.changes(base, now)

        assert (change.path, change.kind) == ("a.txt", ChangeKind.MODIFIED)
        assert (place.read(base, "a.txt"), place.read(now, "a.txt")) == (b"a", b"b")
        assert "+b" in place.diff(base, now)


def test_a_repository_without_commits_can_be_looked_at(tool: GitTool, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.txt").write_text("a")

    with open_workplace(tool, str(tmp_path)) as place:
        assert place.capture().problems == ()


def test_outside_a_repository_there_is_nothing_to_compare_with(tool: GitTool, tmp_path: Path) -> None:
    with open_workplace(tool, str(tmp_path)) as place, pytest.raises(ConfigError) as error:
        place.tree_at("HEAD")

    assert error.value.slug == "not-a-repository"


def test_looking_leaves_nothing_behind(tool: GitTool, tmp_path: Path) -> None:
    """No ref, no object and no file: the person only asked."""
    repository(tmp_path)
    (tmp_path / "a.txt").write_text("b")
    before = sorted(str(path) for path in tmp_path.rglob("*"))

    with open_workplace(tool, str(tmp_path)) as place:
        place.changes(place.tree_at("HEAD"), place.capture().tree)
        logs = place.logs

    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    assert git(tmp_path, "for-each-ref", "refs/signoff") == ""
    assert not os.path.exists(logs)


def test_the_top_of_the_repository_is_the_root_wherever_one_stands(tool: GitTool, tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "sub").mkdir()

    with open_workplace(tool, str(tmp_path / "sub")) as place:
        assert os.path.realpath(place.root) == os.path.realpath(tmp_path)
