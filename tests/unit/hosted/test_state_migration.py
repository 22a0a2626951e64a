"""Migrating a state file while others are at work in the same folder."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.domain.base.errors import SignoffError
from signoff.host.files.state_files import DiskStateFiles
from signoff.hosted.state_migration import migrate_state


@pytest.fixture(name="source")
def old_state(tmp_path: Path) -> Path:
    path = tmp_path / "old.json"
    path.write_text('{"ticket": {"id": "SHOP-7"}}')
    return path


class Faster(DiskStateFiles):
    """Somebody else migrates the file while we wait for the folder."""

    @contextlib.contextmanager
    def holding(self, path: str) -> Iterator[None]:
        migrate_state(DiskStateFiles(), path, f"{path}.v1")
        with super().holding(path):
            yield


class Meddler(DiskStateFiles):
    """Somebody who asks for no lock puts a file where ours is to be, right before we do."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write_new(self, path: str, data: bytes, like: str) -> bool:
        self._meddle(path)
        return super().write_new(path, data, like)

    def move(self, path: str, target: str) -> bool:
        self._meddle(target)
        return super().move(path, target)

    def _meddle(self, path: str) -> None:
        if path.endswith(self.name):
            Path(path).write_text("theirs")


def test_who_waited_for_the_folder_looks_again(source: Path) -> None:
    """Going on with what was seen before the wait would be an error nobody understands."""
    with pytest.raises(SignoffError) as caught:
        migrate_state(Faster(), str(source), f"{source}.v1")

    assert caught.value.slug == "state-missing"
    assert caught.value.fix == f"use {source}.v1"


def test_a_file_that_appears_at_the_destination_is_not_written_over(source: Path) -> None:
    with pytest.raises(SignoffError) as caught:
        migrate_state(Meddler("new.json"), str(source), str(source.with_name("new.json")))

    assert caught.value.slug == "state-exists"
    assert source.with_name("new.json").read_text() == "theirs"
    assert source.exists()


def test_a_file_that_appears_at_the_name_of_the_backup_is_not_written_over(source: Path) -> None:
    done = migrate_state(Meddler(".bak"), str(source), str(source.with_name("new.json")))

    assert done.backup == f"{source}.bak.1"
    assert Path(f"{source}.bak").read_text() == "theirs"
    assert not source.exists()
