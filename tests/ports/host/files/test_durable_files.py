"""Atomic writes and removal of stubborn folders."""

import os
from pathlib import Path

import pytest

from signoff.host.files.durable_files import remove_tree, write_atomic


def test_a_write_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "state.json"
    write_atomic(str(target), b"old")

    write_atomic(str(target), b"new")

    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["state.json"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "state.json"
    write_atomic(str(target), b"old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        write_atomic(str(target), b"new")

    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["state.json"]


def test_a_written_file_is_private_unless_said_otherwise(tmp_path: Path) -> None:
    write_atomic(str(tmp_path / "a"), b"")
    write_atomic(str(tmp_path / "b"), b"", mode=0o644)

    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o644


def test_a_read_only_folder_is_removed(tmp_path: Path) -> None:
    deep = tmp_path / "gone" / "locked" / "deeper"
    deep.mkdir(parents=True)
    (deep / "file").write_text("x")
    (deep / "file").chmod(0o400)
    deep.chmod(0o500)
    deep.parent.chmod(0o000)

    remove_tree(str(tmp_path / "gone"))

    assert os.listdir(tmp_path) == []


def test_removing_a_link_leaves_its_target_as_it_was(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    outside.chmod(0o755)
    folder = tmp_path / "gone"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (tmp_path / "top-link").symlink_to(outside)

    remove_tree(str(folder))
    remove_tree(str(tmp_path / "top-link"))

    assert sorted(os.listdir(tmp_path)) == ["outside"]
    assert (outside / "kept").exists()
    assert outside.stat().st_mode & 0o777 == 0o755


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    remove_tree(str(tmp_path / "nothing"))

    assert list(tmp_path.iterdir()) == []
