"""State files on disk: what is there is never replaced, also where the disk knows no hard links."""

import errno
import os
from pathlib import Path

import pytest

from signoff.domain.base.errors import SignoffError
from signoff.host.files.state_files import DiskStateFiles

FILES = DiskStateFiles()


@pytest.fixture(params=["hard links", "no hard links"], autouse=True)
def both_kinds_of_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    if request.param == "no hard links":
        monkeypatch.setattr(os, "link", refuse)


def test_a_new_file_is_written_once(tmp_path: Path) -> None:
    like, path = tmp_path / "like", tmp_path / "new"
    like.touch(0o640)

    assert FILES.write_new(str(path), b"one", str(like))
    assert not FILES.write_new(str(path), b"two", str(like))
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"one", 0o640)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["like", "new"]


def test_a_file_is_moved_to_a_free_name_only(tmp_path: Path) -> None:
    path, taken, free = tmp_path / "a", tmp_path / "taken", tmp_path / "free"
    path.write_bytes(b"a")
    taken.write_bytes(b"taken")

    assert not FILES.move(str(path), str(taken))
    assert (path.read_bytes(), taken.read_bytes()) == (b"a", b"taken")
    assert FILES.move(str(path), str(free))
    assert (path.exists(), free.read_bytes()) == (False, b"a")


def test_whatever_is_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    named = {
        name: FILES.what_is_at(str(tmp_path / name)) for name in ("file", "link", "pipe", "", "x", "file/x")
    }

    assert named == {
        "file": "a file",
        "link": "a symbolic link",
        "pipe": "not a regular file",
        "": "a folder",
        "x": "",
        "file/x": "",
    }


@pytest.mark.parametrize("name", ["link", "pipe", "folder", "nowhere", "a\0b"])
def test_what_is_no_regular_file_is_an_error_that_says_why(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(SignoffError) as caught:
        FILES.read(str(tmp_path / name))

    assert caught.value.slug == "file-unreadable"
    assert caught.value.why


def test_a_crash_while_writing_leaves_nothing_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "like").touch()
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(SignoffError, match="cannot be written"):
        FILES.write_new(str(tmp_path / "new"), b"x", str(tmp_path / "like"))

    assert [entry.name for entry in tmp_path.iterdir()] == ["like"]
