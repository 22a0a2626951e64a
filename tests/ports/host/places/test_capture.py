"""What is in the folder is in the tree, whatever the folder's `.git` says."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gitbench import Agent, Bench, modes

from signoff.host.git import git_door
from signoff.host.places import file_blobs
from signoff.host.processes.process_door import HelperAnswer, ask


def agent_on(tmp_path: Path, files: dict[str, str]) -> Agent:
    return Agent(Bench(tmp_path, files=files))


@contextmanager
def without_root(folder: Path) -> Iterator[None]:
    """Go on as an ordinary user who owns `folder`: nothing is unreadable for root."""
    if os.geteuid() != 0:
        yield
        return
    nobody = 65534
    for place in (folder, *folder.rglob("*")):
        os.chown(place, nobody, nobody, follow_symlinks=False)
    os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(0)


# --- an agent that hides a file ---


def test_an_untouched_checkout_is_the_base(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1", "src/b": "2", "crlf": "x\r\n", ".gitignore": "*.log\n"})

    assert agent.capture().tree == agent.base.tree


def test_a_file_hidden_by_an_edited_gitignore_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {".gitignore": "*.log\n"})

    agent.write({".gitignore": "*\n", "evil.py": "x", "sub/.gitignore": "*\n", "sub/evil.py": "x"})

    assert set(agent.files()) == {".gitignore", "evil.py", "sub/.gitignore", "sub/evil.py"}


def test_a_file_hidden_by_info_exclude_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    agent.write({".git/info/exclude": "evil.py\n", "evil.py": "x"})

    assert "evil.py" in agent.files()


def test_a_file_hidden_by_global_excludes_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1", ".gitignore": "*.log\n"})

    agent.bench.write(
        {".config/git/ignore": "evil.py\n", ".gitconfig": "[core]\n\texcludesFile=~/x\n"}, agent.bench.home
    )
    agent.bench.write({"x": "evil.py\n"}, agent.bench.home)
    agent.write({"evil.py": "x"})

    assert "evil.py" in agent.files()


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
def test_an_edit_hidden_by_an_index_bit_is_seen(tmp_path: Path, bit: str) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    agent.git("update-index", bit, "a")
    agent.write({"a": "evil"})

    assert agent.repository.read(agent.capture().tree, "a") == b"evil"


def test_files_hidden_by_a_sparse_checkout_setting_are_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1", "sub/b": "2"})

    agent.git("sparse-checkout", "set", "--no-cone", "/a")
    agent.write({"sub/b": "evil"})

    assert agent.repository.read(agent.capture().tree, "sub/b") == b"evil"


def test_files_hidden_by_a_nested_repository_are_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    agent.write({"nested/evil.py": "x"})
    agent.git("init", "-q", "nested")
    agent.git("-C", "nested", "add", ".")
    agent.git("-C", "nested", "commit", "-qm", "hidden")

    assert set(agent.files()) == {"a", "nested/evil.py"}


def test_a_broken_or_missing_git_directory_is_no_matter(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    os.rename(agent.folder / ".git", agent.folder / "moved")
    agent.write({".git": "gitdir: /nowhere\n"})

    assert {path for path in agent.files() if not path.startswith("moved/")} == {"a"}


def test_bytes_hidden_by_a_clean_filter_are_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1", ".gitattributes": "* filter=hide\n"})

    agent.git("config", "filter.hide.clean", "printf 1")
    agent.git("config", "filter.hide.required", "true")
    agent.bench.git("config", "filter.hide.clean", "printf 1")
    agent.write({"a": "evil", "b": "evil"})

    tree = agent.capture().tree
    assert agent.repository.read(tree, "a") == b"evil"
    assert agent.repository.read(tree, "b") == b"evil"


def test_bytes_hidden_by_line_end_settings_are_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1\n", ".gitattributes": "* text=auto eol=crlf\n"})

    agent.git("config", "core.autocrlf", "true")
    agent.write({"a": "1\r\n"})

    assert agent.repository.read(agent.capture().tree, "a") == b"1\r\n"


def test_an_executable_bit_hidden_by_filemode_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    agent.git("config", "core.fileMode", "false")
    (agent.folder / "a").chmod(0o744)

    assert agent.files() == {"a": "100755"}


def test_an_edit_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "one"})
    before = (agent.folder / "a").stat()

    agent.write({"a": "two"})
    os.utime(agent.folder / "a", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert agent.repository.read(agent.capture().tree, "a") == b"two"


# --- ignore rules of the base ---


def test_what_the_base_ignores_is_left_out_and_not_gone_into(tmp_path: Path) -> None:
    agent = agent_on(
        tmp_path, {".gitignore": "node_modules/\n*.log\n!keep.log\n", "sub/.gitignore": "local\n"}
    )

    agent.write({"node_modules/x/y": "x", "a.log": "x", "keep.log": "x", "sub/local": "x", "local": "x"})
    os.mkfifo(agent.folder / "node_modules" / "pipe")

    assert set(agent.files()) == {".gitignore", "sub/.gitignore", "keep.log", "local"}


def test_the_rules_of_the_base_hold_even_when_the_agent_deletes_them(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {".gitignore": "*.log\n", "a": "1"})

    (agent.folder / ".gitignore").unlink()
    agent.write({"x.log": "x"})

    assert set(agent.files()) == {"a"}


def test_what_tools_leave_behind_is_left_out_where_the_base_has_none_of_it(tmp_path: Path) -> None:
    """An agent that runs the tests of a project without ignore rules would be refused for it."""
    agent = agent_on(tmp_path, {"a.py": "1", "kept/__pycache__/old.pyc": "tracked"})

    agent.write({"__pycache__/a.pyc": "x", "src/.pytest_cache/v/x": "x", "b.py": "2"})
    agent.write({"kept/__pycache__/old.pyc": "changed", "kept/__pycache__/new.pyc": "x"})

    assert set(agent.files()) == {"a.py", "b.py", "kept/__pycache__/old.pyc"}
    assert agent.repository.read(agent.capture().tree, "kept/__pycache__/old.pyc") == b"changed"


def test_a_file_or_a_link_of_such_a_name_is_no_leftover(tmp_path: Path) -> None:
    """Else it would be a place to hide something in."""
    agent = agent_on(tmp_path, {"a.py": "1"})

    agent.write({".pytest_cache": "x"})
    (Path(agent.folder) / "__pycache__").symlink_to("/etc")

    assert set(agent.files()) == {"a.py", ".pytest_cache", "__pycache__"}


def test_a_tracked_file_is_kept_though_it_is_ignored(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {".gitignore": "build/\n*.bin\n", "build/deep/kept": "1", "x.bin": "1"})

    agent.write({"build/deep/kept": "2", "build/deep/new": "x", "build/other/new": "x", "y.bin": "x"})

    assert set(agent.files()) == {".gitignore", "build/deep/kept", "x.bin"}
    assert agent.repository.read(agent.capture().tree, "build/deep/kept") == b"2"


def test_a_file_in_place_of_an_ignored_folder_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {".gitignore": "vendor/\n", "vendor/.gitignore": "x\n"})

    (agent.folder / "vendor" / ".gitignore").unlink()
    (agent.folder / "vendor").rmdir()
    agent.write({"vendor": "now a file"})

    assert set(agent.files()) == {".gitignore", "vendor"}


def test_a_link_in_place_of_an_ignored_folder_is_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {".gitignore": "node_modules/\n"})

    (agent.folder / "node_modules").symlink_to("/somewhere")

    assert agent.files() == {".gitignore": "100644", "node_modules": "120000"}


def test_names_that_look_like_pathspecs_or_patterns_are_asked_about_literally(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {".gitignore": "ignored\n"})
    names = [":(exclude)x", ":!x", "*", "[a]", "!b", "#c", '"quoted"', "-d", "back\\slash", "~", "ignored "]

    agent.write(dict.fromkeys(names, "x") | {"ignored": "x"})

    assert set(agent.files()) == {".gitignore", *names}


def test_our_own_folder_is_not_looked_at_and_what_the_base_has_in_it_stays(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.write({".signoff/specs/s.json": "{}"})
    bench.git("add", ".signoff/specs")
    bench.commit({})
    agent = Agent(bench)

    agent.write({".signoff/specs/s.json": "changed", ".signoff/new": "x", "deep/.signoff/seen": "x"})

    assert set(agent.files()) == {"a", ".signoff/specs/s.json", "deep/.signoff/seen"}
    assert agent.repository.read(agent.capture().tree, ".signoff/specs/s.json") == b"{}"


def test_the_persons_own_folder_can_be_captured(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.write({"b": "2"})
    repository = bench.repository

    captured = repository.capture(str(bench.root), repository.base().tree)

    assert set(modes(repository, captured.tree)) == {"a", "b"}


def test_the_number_of_git_commands_does_not_grow_with_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What makes a capture of thousands of files a matter of a second, without measuring time."""
    agent = agent_on(
        tmp_path, {".gitignore": "node_modules/\n", **{f"d{n % 9}/{n}": f"{n}" for n in range(300)}}
    )
    agent.write({f"new{n % 9}/{n}": f"new {n}" for n in range(300)})
    agent.write({f"node_modules/{n}/x": "x" for n in range(100)})
    commands = []

    def counting(argv: tuple[str, ...], **rest: Any) -> HelperAnswer:
        commands.append(argv)
        return ask(argv, **rest)

    monkeypatch.setattr(git_door, "ask", counting)
    agent.capture()

    assert len(commands) < 12


# --- kinds of files ---


def test_deletion_and_rename_are_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1", "sub/b": "2", "sub/c": "3"})

    (agent.folder / "a").unlink()
    (agent.folder / "sub" / "b").rename(agent.folder / "moved")

    assert set(agent.files()) == {"moved", "sub/c"}


def test_modes_and_links_are_kept(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1", "tool": "1"})

    (agent.folder / "tool").chmod(0o755)
    (agent.folder / "link").symlink_to("a")
    (agent.folder / "dangling").symlink_to("../../não/x")
    (agent.folder / "to-folder").symlink_to("/")

    assert agent.files() == {
        "a": "100644",
        "tool": "100755",
        "link": "120000",
        "dangling": "120000",
        "to-folder": "120000",
    }
    assert agent.repository.read(agent.capture().tree, "dangling") == "../../não/x".encode()


def test_a_file_that_became_a_folder_and_the_reverse_are_seen(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"file": "1", "folder/a": "2"})

    (agent.folder / "file").unlink()
    (agent.folder / "folder" / "a").unlink()
    (agent.folder / "folder").rmdir()
    agent.write({"file/a": "x", "folder": "x"})

    assert set(agent.files()) == {"file/a", "folder"}


def test_names_in_any_encoding_survive(tmp_path: Path) -> None:
    names = [
        "with space",
        "ümläut/ñ",
        "日本語",
        "latin-\udce9",
        "new\nline",
        "tab\t",
        "cr\r",
        "'q\"",
        " lead",
    ]
    agent = agent_on(tmp_path, dict.fromkeys(names[:5], "base"))
    assert agent.capture().tree == agent.base.tree

    agent.write({name: f"now {number}" for number, name in enumerate(names)})

    tree = agent.capture().tree
    found = {name: agent.repository.read(tree, name) for name in names}
    assert found == {name: f"now {number}".encode() for number, name in enumerate(names)}


def test_files_too_big_for_memory_are_captured_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_on(tmp_path, {"same": "s" * 30, "changed": "c" * 30})
    monkeypatch.setattr(file_blobs, "_BATCH_BYTES", 10)
    assert agent.capture().tree == agent.base.tree

    agent.write({"changed": "d" * 30, "new\nline": "n" * 30, "-dash": "x" * 30, "s1": "1" * 6, "s2": "2" * 6})

    tree = agent.capture().tree
    assert agent.repository.read(tree, "changed") == b"d" * 30
    assert agent.repository.read(tree, "new\nline") == b"n" * 30
    assert set(modes(agent.repository, tree)) == {"same", "changed", "new\nline", "-dash", "s1", "s2"}


def test_pipes_and_sockets_are_problems_not_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_on(tmp_path, {"a": "1", "b": "1"})

    os.mkfifo(agent.folder / "pipe")
    (agent.folder / "b").unlink()
    os.mkfifo(agent.folder / "b")
    monkeypatch.chdir(agent.folder)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door")

    assert agent.problems() == [("special-file", "b"), ("special-file", "door"), ("special-file", "pipe")]


def test_names_git_refuses_are_problems(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    agent.write({".GIT/config": "x", "sub/.Git": "x"})
    (agent.folder / ".gitmodules").symlink_to("a")

    assert agent.problems() == [
        ("unstorable-name", ".GIT"),
        ("unstorable-name", ".gitmodules"),
        ("unstorable-name", "sub/.Git"),
    ]
    assert set(modes(agent.repository, agent.capture().tree)) == {"a"}


def test_a_folder_that_is_gone_is_a_problem_not_an_empty_delivery(tmp_path: Path) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    agent.folder.rename(tmp_path / "gone")

    assert agent.problems() == [("unreadable", ".")]


def test_a_path_too_long_to_open_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = agent_on(tmp_path, {"a": "1"})

    monkeypatch.chdir(agent.folder)
    for _ in range(20):
        os.mkdir("d" * 250)
        os.chdir("d" * 250)

    assert [kind for kind, _ in agent.problems()] == ["unreadable"]


def test_files_and_folders_that_cannot_be_read_are_problems() -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own are closed to other users
        agent = agent_on(Path(place), {"tracked": "1", ".gitignore": "*.log\n"})
        agent.write({"new": "x", "locked/inside": "x", "ignored.log": "x"})
        for name in ("tracked", "new", "locked", "ignored.log"):
            (agent.folder / name).chmod(0)

        with without_root(Path(place)):
            problems = agent.problems()
        (agent.folder / "locked").chmod(0o700)

    assert problems == [("unreadable", "locked"), ("unreadable", "new"), ("unreadable", "tracked")]
