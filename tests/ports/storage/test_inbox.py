"""The inbox: whole items in the order of dropping, and nothing else."""

import os
import threading
from pathlib import Path

import pytest

from signoff.host.files.random_ids import Ulids
from signoff.storage.inbox import Inbox


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run" / "inbox"


def test_items_are_taken_in_the_order_they_were_dropped(folder: Path) -> None:
    inbox = Inbox(str(folder), Ulids())
    names = [inbox.drop(kind, kind.encode()) for kind in ("stop", "answer", "submit-patch", "answer")]

    taken = inbox.take()

    assert [item.name for item in taken] == names
    assert [item.kind for item in taken] == ["stop", "answer", "submit-patch", "answer"]
    assert [item.body for item in taken] == [b"stop", b"answer", b"submit-patch", b"answer"]


def test_an_item_stays_until_it_is_done(folder: Path) -> None:
    inbox = Inbox(str(folder), Ulids())
    inbox.drop("answer", b"yes")
    inbox.drop("stop", b"")
    first, second = inbox.take()

    inbox.done(first)
    inbox.done(first)

    assert inbox.take() == [second]


def test_an_inbox_nobody_used_is_empty(folder: Path) -> None:
    assert Inbox(str(folder), Ulids()).take() == []


def test_half_written_and_foreign_files_are_not_taken(folder: Path) -> None:
    inbox = Inbox(str(folder), Ulids())
    ulid = Ulids().new()
    name = inbox.drop("answer", b"not even JSON")
    for foreign in (
        f"{ulid}.json",
        f"{ulid}-answer.json.tmp",
        f".{ulid}-answer.json",
        f"{ulid.lower()}-answer.json",
    ):
        (folder / foreign).write_bytes(b"foreign")
    (folder / f"{ulid}-Answer.json").write_bytes(b"foreign")
    (folder / f"{ulid}-folder.json").mkdir()
    (folder / f"{ulid}-link.json").symlink_to(folder / name)
    os.mkfifo(folder / f"{ulid}-pipe.json")

    assert [item.name for item in inbox.take()] == [name]


@pytest.mark.parametrize("kind", ["", "Answer", "an swer", "../answer", "answer.json", "-answer", "answer-"])
def test_a_kind_that_makes_no_file_name_is_our_bug(folder: Path, kind: str) -> None:
    with pytest.raises(ValueError, match="kind"):
        Inbox(str(folder), Ulids()).drop(kind, b"")


def test_a_reader_beside_writers_sees_whole_items_only(folder: Path) -> None:
    body = b"x" * 200_000
    writers = [
        threading.Thread(target=lambda: [Inbox(str(folder), Ulids()).drop("answer", body) for _ in range(5)])
        for _ in range(4)
    ]
    for writer in writers:
        writer.start()
    inbox = Inbox(str(folder), Ulids())
    while any(writer.is_alive() for writer in writers):
        assert all(item.body == body for item in inbox.take())
    for writer in writers:
        writer.join()

    assert len(inbox.take()) == 20
