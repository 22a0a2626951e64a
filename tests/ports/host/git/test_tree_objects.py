"""Trees round-trip byte for byte, compare, overlay and read."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from gitbench import Agent, Bench, modes
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.domain.base.errors import ConfigError, InfrastructureError
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.ports import Repository
from signoff.host.files.scratch import Scratch
from signoff.host.git.git_door import Git, find_git
from signoff.host.git.tree_objects import TreeObject, write_tree

HOSTILE = {
    "crlf.txt": "one\r\ntwo\r\n",
    "mixed.txt": "one\r\ntwo\n",
    "ident.txt": "$Id$ and $Id: 0123456789 $\n",
    "utf16.txt": "plain utf-8 ü\n",
    "big.bin": "version https://git-lfs.github.com/spec/v1\n",
    ".gitattributes": (
        "* text=auto eol=crlf ident filter=lfs\n*.bin filter=lfs diff=lfs merge=lfs -text\n"
        "utf16.txt working-tree-encoding=UTF-16\nold.txt crlf=input\n"
    ),
    "sub/.gitattributes": "* -diff eol=crlf\n",
    "sub/x": "1\n2\n",
    "old.txt": "a\r\n",
}


def with_filters(bench: Bench) -> None:
    """Configure the filter everywhere a person could have."""
    lines = '[filter "lfs"]\n\tclean = printf cleaned\n\tsmudge = printf smudged\n\trequired = true\n'
    for place in (bench.home / ".gitconfig", bench.root / ".git" / "config"):
        with place.open("a") as file:
            file.write(lines + "[core]\n\tautocrlf = true\n")


def test_no_attribute_or_filter_changes_a_byte_on_the_way_out_or_in(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write(HOSTILE)
    for path in HOSTILE:
        oid = bench.git("hash-object", "-w", "--no-filters", path)
        bench.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
    bench.git("commit", "-qm", "hostile")
    with_filters(bench)

    agent = Agent(bench)

    assert {path: (agent.folder / path).read_bytes().decode() for path in HOSTILE} == HOSTILE
    assert agent.capture().tree == agent.base.tree
    assert agent.git("status", "--porcelain") == ""
    with agent.repository.materialise(agent.base.tree) as folder:
        assert {path: Path(folder, path).read_bytes().decode() for path in HOSTILE} == HOSTILE
        assert agent.repository.capture(folder, agent.base.tree).tree == agent.base.tree


NAMES = st.sampled_from(
    [
        "a",
        "b",
        "A",
        ".gitignore",
        ".gitattributes",
        "build",
        "x.log",
        "ü",
        "\udcff",
        "s p",
        "n\nl",
        "-",
        ":x",
        "*",
    ]
)
FILES = st.tuples(
    st.sampled_from(["file", "executable"]),
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from(
            [b"*\n", b"build/\n!a\n", b"* text eol=crlf filter=x ident\n", b"\r\n", b"$Id$", b""]
        ),
    ),
)
TARGETS = [b"a", b"../x", b"/nowhere", b"build"]
# `git apply` looks for attributes behind a link to itself that a folder takes the place of, and gives up.
ELSEWHERE = [b"../x", b"/nowhere"]


def folders(targets: list[bytes]) -> st.SearchStrategy[object]:
    leaves = st.one_of(FILES, st.tuples(st.just("link"), st.sampled_from(targets)))
    return st.recursive(
        st.dictionaries(NAMES, leaves, max_size=4),
        lambda inner: st.dictionaries(NAMES, st.one_of(leaves, inner), max_size=4),
        max_leaves=10,
    )


def lay_out(folder: str, content: object) -> None:
    assert isinstance(content, dict)
    os.makedirs(folder, exist_ok=True)
    for name, what in content.items():
        path = os.path.join(folder, name)
        if isinstance(what, dict):
            lay_out(path, what)
        elif what[0] == "link":
            os.symlink(what[1], os.fsencode(path))
        else:
            Path(path).write_bytes(what[1])
            Path(path).chmod(0o755 if what[0] == "executable" else 0o644)


def snapshot(folder: str) -> dict[str, tuple[str, bytes]]:
    """Read a folder without git, as the thing to compare with."""
    found = {}
    for parent, folders, files in os.walk(folder):
        if parent == folder:
            folders[:] = [name for name in folders if name != ".git"]
        for name in [*files, *(name for name in folders if os.path.islink(os.path.join(parent, name)))]:
            path = os.path.join(parent, name)
            link = os.path.islink(path)
            kind = "link" if link else "executable" if os.stat(path).st_mode & 0o100 else "file"
            content = os.readlink(os.fsencode(path)) if link else Path(path).read_bytes()
            found[os.path.relpath(path, folder)] = (kind, content)
    return found


class Shared(NamedTuple):
    """One repository for all examples of a property, and a folder to capture from."""

    repository: Repository
    base: TreeId
    folder: str


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    bench = Bench(tmp_path_factory.mktemp("round"), files={"seed": "1"})
    with_filters(bench)
    repository = bench.repository
    return Shared(repository, repository.base().tree, str(bench.root.parent / "content"))


def tree_from(shared: Shared, content: object) -> TreeId:
    """Capture a folder with this content, which stays until the next call."""
    shutil.rmtree(shared.folder, ignore_errors=True)
    lay_out(shared.folder, content)
    return shared.repository.capture(shared.folder, shared.base).tree


def laid_out_of(repository: Repository, tree: TreeId) -> dict[str, tuple[str, bytes]]:
    with repository.materialise(tree) as folder:
        return snapshot(folder)


@settings(max_examples=25, deadline=None)
@given(content=folders([*TARGETS, b"\xff"]))
def test_a_materialised_tree_is_captured_as_itself(shared: Shared, content: object) -> None:
    """Whatever files there are, out and in again gives the same id and the same bytes."""
    repository = shared.repository
    tree = tree_from(shared, content)

    with repository.materialise(tree) as laid_out:
        assert snapshot(laid_out) == snapshot(shared.folder)
        assert repository.capture(laid_out, tree).tree == tree


@settings(max_examples=20, deadline=None)
@given(one=folders(ELSEWHERE), other=folders(ELSEWHERE))
def test_a_patch_turns_one_tree_into_the_other(shared: Shared, one: object, other: object) -> None:
    """Also between encodings, links, modes, and files that become folders."""
    repository = shared.repository
    before, after = (tree_from(shared, content) for content in (one, other))

    patch = repository.patch(before, after).encode()

    with repository.materialise(before) as folder:
        assert repository.apply_patch(folder, patch) is None
        assert snapshot(folder) == laid_out_of(repository, after)


def test_a_link_that_no_patch_can_hold_is_named(shared: Shared) -> None:
    repository = shared.repository
    tree = tree_from(shared, {"b": ("link", b"\xff")})

    with pytest.raises(InfrastructureError) as caught:
        repository.patch(shared.base, tree)

    assert caught.value.slug == "patch-not-text"


def test_changes_tell_what_happened_to_each_path(tmp_path: Path) -> None:
    agent = Agent(
        Bench(
            tmp_path,
            files={"mod": "1\n2\n", "gone": "1\n", "mode": "1", "link": "x", "b": "\0\1", "same": ""},
        )
    )
    agent.write({"mod": "1\n3\n4\n", "ñew": "1\n2", "b": "\0\2"})
    (agent.folder / "gone").unlink()
    (agent.folder / "mode").chmod(0o755)
    (agent.folder / "link").unlink()
    (agent.folder / "link").symlink_to("mod")

    assert agent.repository.changes(agent.base.tree, agent.capture().tree) == (
        PathChange(path="b", kind=ChangeKind.MODIFIED, binary=True),
        PathChange(path="gone", kind=ChangeKind.DELETED, removed=1),
        PathChange(path="link", kind=ChangeKind.RETYPED, added=1, removed=1),
        PathChange(path="mod", kind=ChangeKind.MODIFIED, added=2, removed=1),
        PathChange(path="mode", kind=ChangeKind.RETYPED),
        PathChange(path="ñew", kind=ChangeKind.ADDED, added=2),
    )


def test_a_rename_is_a_deletion_and_an_addition(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "same\n" * 20}))
    (agent.folder / "a").rename(agent.folder / "b\tc")

    changes = agent.repository.changes(agent.base.tree, agent.capture().tree)

    assert [(change.path, change.kind) for change in changes] == [
        ("a", ChangeKind.DELETED),
        ("b\tc", ChangeKind.ADDED),
    ]


def test_the_diff_is_plain_whatever_attributes_and_configuration_say(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"ä.py": "old\n", ".gitattributes": "*.py -diff diff=hide\n"})
    config = '[diff]\n\texternal = echo hidden\n\tnoprefix = true\n[diff "hide"]\n\ttextconv = echo hidden\n'
    (bench.home / ".gitconfig").write_text(config + "[color]\n\tui = always\n")
    with (bench.root / ".git" / "config").open("a") as file:
        file.write(config)
    agent = Agent(bench)
    agent.write({"ä.py": "new\n"})

    diff = agent.repository.diff(agent.base.tree, agent.capture().tree)

    assert diff.startswith("diff --git a/ä.py b/ä.py\n")
    assert diff.endswith("@@ -1 +1 @@\n-old\n+new\n")


def test_bytes_that_are_not_text_are_replaced_in_the_diff(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1\n"}))
    agent.write({"a": "latin \udce9\n"})

    assert "+latin �\n" in agent.repository.diff(agent.base.tree, agent.capture().tree)


def test_reading_gives_stored_bytes_and_none_for_what_is_no_file(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1\r\n", "sub/*": "star", "sub/b": "b", "latin-\udce9": "x"})
    (bench.root / "link").symlink_to("a")
    bench.commit({})
    repository, tree = bench.repository, bench.repository.base().tree

    assert repository.read(tree, "a") == b"1\r\n"
    assert repository.read(tree, "sub/*") == b"star"
    assert repository.read(tree, "latin-\udce9") == b"x"
    assert repository.read(tree, "link") == b"a"
    for path in ("nothing", "sub", "sub/", "./a", "../a", "a/b", "", "/a", "a\0", "\ud800"):
        assert repository.read(tree, path) is None, path


def test_overlay_takes_removes_and_replaces(tmp_path: Path) -> None:
    base = {
        "keep": "base",
        "both": "base",
        "only-base": "base",
        "file": "base",
        "folder/x": "base",
        "tests/old": "b",
    }
    agent = Agent(Bench(tmp_path, files=base))
    shutil.rmtree(agent.folder / "folder")
    shutil.rmtree(agent.folder / "tests")
    for name in ("only-base", "file"):
        (agent.folder / name).unlink()
    agent.write({"both": "new", "keep": "not wanted", "file/inner": "new", "folder": "new", "tests/new": "n"})
    wanted = ("both", "only-base", "file/inner", "folder", "tests/", "in-neither")

    tree = agent.repository.overlay(agent.base.tree, agent.capture().tree, wanted)

    content = {path: agent.repository.read(tree, path) for path in modes(agent.repository, tree)}
    assert content == {
        "both": b"new",
        "file/inner": b"new",
        "folder": b"new",
        "keep": b"base",
        "tests/new": b"n",
    }


def test_an_overlay_of_nothing_is_the_base(tmp_path: Path) -> None:
    agent = Agent(Bench(tmp_path, files={"a": "1", "s/b": "2"}))

    assert agent.repository.overlay(agent.base.tree, agent.base.tree, ()) == agent.base.tree


def test_a_name_that_git_silently_leaves_out_is_an_error(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    git = Git(find_git(bench.env), str(bench.root / ".git"))
    entry = TreeObject("100644", bench.git("rev-parse", "HEAD:a"))

    with pytest.raises(InfrastructureError) as caught:
        write_tree(git, {b"a": entry, b"sub/.GIT/x": entry}, Scratch(str(tmp_path / "scratch")))

    assert "Ignoring path sub/.GIT/x" in caught.value.why


# --- materialise ---


def test_what_a_check_writes_is_gone_and_read_only_is_no_obstacle(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    repository = bench.repository

    with repository.materialise(repository.base().tree) as folder:
        Path(folder, "cache").mkdir()
        Path(folder, "cache", "x").write_text("x")
        Path(folder, "cache").chmod(0o500)

    assert not os.path.exists(folder)
    assert os.listdir(bench.root / ".signoff" / "trees") == []


def test_a_materialised_tree_goes_away_when_the_check_raises(tmp_path: Path) -> None:
    repository = Bench(tmp_path, files={"a": "1"}).repository

    with pytest.raises(RuntimeError), repository.materialise(repository.base().tree) as folder:
        raise RuntimeError

    assert not os.path.exists(folder)


def test_git_in_a_materialised_tree_means_that_tree_and_not_the_persons(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.write({"untracked": "precious"})
    repository = bench.repository

    with repository.materialise(repository.base().tree) as folder:
        assert bench.git("rev-parse", "--show-toplevel", cwd=folder) == folder
        assert bench.git("ls-files", cwd=folder) == "a"
        bench.git("diff", "--exit-code", cwd=folder)
        bench.git("clean", "-fdxq", cwd=folder)
        bench.git("commit", "-q", "--allow-empty", "-m", "by a check", cwd=folder)

    assert (bench.root / "untracked").exists()
    assert bench.git("log", "--all", "--format=%s") == "work"


def test_carried_folders_are_copied_with_their_links_and_modes(tmp_path: Path) -> None:
    bench = Bench(tmp_path, files={"a": "1", ".gitignore": "node_modules/\n"})
    bench.write({"node_modules/x/tool": "x", "deep/er/deps/y": "y"})
    (bench.root / "node_modules" / "x" / "tool").chmod(0o755)
    (bench.root / "node_modules" / "bin").symlink_to("x/tool")
    (bench.root / "node_modules" / "locked").mkdir(mode=0o500)
    repository = bench.repository

    with repository.materialise(repository.base().tree, ("node_modules", "deep/er/deps", ".venv")) as folder:
        tool = Path(folder, "node_modules", "x", "tool")
        assert os.readlink(Path(folder, "node_modules", "bin")) == "x/tool"
        assert os.access(tool, os.X_OK)
        assert Path(folder, "deep/er/deps/y").read_text() == "y"
        assert not Path(folder, ".venv").exists()
        tool.write_text("changed by a check")

    assert (bench.root / "node_modules" / "x" / "tool").read_text() == "x"


def test_the_tree_wins_over_what_is_carried(tmp_path: Path) -> None:
    """A check must see the tree, not the person's uncommitted edit of a tracked file."""
    bench = Bench(tmp_path, files={"vendor/tracked": "tree", "vendor/swapped": "tree"})
    bench.write({"vendor/tracked": "edited", "vendor/extra": "carried"})
    (bench.root / "vendor" / "swapped").unlink()
    bench.write({"vendor/swapped/inner": "edited"})
    repository = bench.repository

    with repository.materialise(repository.base().tree, ("vendor/",)) as folder:
        found = {
            name: Path(folder, "vendor", name).read_text() for name in os.listdir(Path(folder, "vendor"))
        }

    assert found == {"tracked": "tree", "swapped": "tree", "extra": "carried"}


def test_a_carried_folder_that_cannot_be_copied_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    bench.write({"deps/x": "x"})
    repository, tree = bench.repository, bench.repository.base().tree

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "deps/x")

    monkeypatch.setattr(shutil, "copy2", refuse)
    with pytest.raises(ConfigError) as caught, repository.materialise(tree, ("deps",)):
        pass

    assert caught.value.slug == "carry-unreadable"


@pytest.mark.parametrize("path", ["../x", "/etc", "a/../../x", "", ".", ".git", ".signoff/runs", "way-out/x"])
def test_only_folders_inside_the_repository_can_be_carried(tmp_path: Path, path: str) -> None:
    bench = Bench(tmp_path, files={"a": "1"})
    (bench.root / "way-out").symlink_to(tmp_path)
    repository = bench.repository

    with pytest.raises(ConfigError) as caught, repository.materialise(repository.base().tree, (path,)):
        pass

    assert caught.value.slug == "carry-outside"
