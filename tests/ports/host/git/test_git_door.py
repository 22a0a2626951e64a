"""The git door, and finding the person's repository through it."""

import os
from pathlib import Path

import pytest
from gitbench import Bench

from signoff.domain.base.errors import ConfigError, InfrastructureError
from signoff.host.git.git_door import Git, find_git
from signoff.host.git.person_repository import find_root
from signoff.host.places.repository import GitRepository


def fake_git(folder: Path, script: str) -> dict[str, str]:
    folder.mkdir(exist_ok=True)
    program = folder / "git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"PATH": str(folder), "HOME": str(folder)}


def test_no_git_on_the_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError) as caught:
        find_git({"PATH": str(tmp_path)})

    assert caught.value.slug == "git-missing"


@pytest.mark.parametrize("version", ["2.37.9", "1.8.3.1", "unknown"])
def test_an_old_git_is_refused(tmp_path: Path, version: str) -> None:
    with pytest.raises(InfrastructureError) as caught:
        find_git(fake_git(tmp_path, f"echo git version {version}"))

    assert caught.value.slug == "git-too-old"
    assert version in caught.value.why


@pytest.mark.parametrize("version", ["2.38.0", "2.39.5 (Apple Git-154)", "3.0.1"])
def test_a_git_that_is_new_enough_is_taken(tmp_path: Path, version: str) -> None:
    assert find_git(fake_git(tmp_path, f"echo 'git version {version}'")).program == str(tmp_path / "git")


def test_no_inherited_git_variable_and_no_user_configuration_reaches_a_command(tmp_path: Path) -> None:
    env = fake_git(tmp_path, 'test "$1" = version && echo git version 2.40.0 || /usr/bin/env')
    tool = find_git({**env, "GIT_INDEX_FILE": "/evil", "GIT_EXEC_PATH": "/evil", "GIT_CONFIG_COUNT": "1"})

    seen = dict(line.split("=", 1) for line in Git(tool, str(tmp_path)).line("env").splitlines())

    assert {name: value for name, value in seen.items() if name.startswith("GIT_")} == {
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_DIR": str(tmp_path),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }
    assert seen["LC_ALL"] == "C"


def test_any_other_failure_is_told_in_gits_own_words(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})

    with pytest.raises(InfrastructureError) as caught:
        bench.repository.tree_of("0" * 40)  # type: ignore[arg-type]

    assert caught.value.slug == "git-failed"
    assert "fatal" in caught.value.why


def slug_of(folder: Path, env: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        find_root(str(folder), env)
    return caught.value.slug


def test_a_folder_outside_any_repository_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    assert slug_of(bench.home, bench.env) == "not-a-repository"


def test_the_inside_of_a_git_directory_is_not_a_place_to_work(tmp_path: Path) -> None:
    bench = Bench(tmp_path)

    assert slug_of(bench.root / ".git", bench.env) == "not-a-repository"


def test_a_bare_repository_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.git("init", "-q", "--bare", "bare.git", cwd=tmp_path)

    assert slug_of(tmp_path / "bare.git", bench.env) == "bare-repository"


def test_the_top_is_found_from_below(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"src/deep/a": "1"})

    assert find_root(str(bench.root / "src" / "deep"), bench.env) == str(bench.root)


def test_a_folder_below_the_top_is_not_taken_for_the_top(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"src/a": "1"})

    with pytest.raises(ConfigError) as caught:
        GitRepository(str(bench.root / "src"), str(bench.root / "src/.signoff"), bench.env)

    assert str(bench.root) in caught.value.fix


def test_a_repository_git_does_not_trust_is_named_with_the_fix(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    words = f"fatal: detected dubious ownership in repository at '{bench.root}'"
    refusal = f'{{ echo "{words}" >&2; exit 128; }}'
    env = fake_git(tmp_path / "bin", f'test "$1" = version && echo git version 2.40.0 || {refusal}')

    with pytest.raises(ConfigError) as caught:
        find_root(str(bench.root), env)

    assert caught.value.slug == "unsafe-repository"
    assert "safe.directory" in caught.value.fix


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_trust_that_the_person_gave_git_is_heeded(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    os.chown(bench.root, 12345, 12345)
    assert slug_of(bench.root, bench.env) == "unsafe-repository"

    (bench.home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {bench.root}\n")

    assert bench.repository.base().branch == "main"
