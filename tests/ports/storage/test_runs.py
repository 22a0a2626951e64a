"""The folders of runs."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.typed_ids import RunId
from signoff.host.files.clock import SystemClock
from signoff.host.files.random_ids import Ulids
from signoff.storage.runs import Store, safe_name


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "state"), Ulids(), SystemClock())


def new(store: Store) -> RunId:
    run_id = RunId(Ulids().new())
    store.create(run_id)
    return store.reveal(run_id).run_id


@given(st.text(), st.text())
def test_a_name_is_safe_and_differs_where_the_key_differs(one: str, other: str) -> None:
    names = {safe_name(one), safe_name(other)}

    assert all(name and "/" not in name and not name.startswith(".") and len(name) < 200 for name in names)
    assert (len(names) == 1) == (one == other)


def test_a_key_that_looks_like_a_path_stays_inside_the_run(store: Store) -> None:
    folder = store.open(new(store))

    folder.write("receipts/../../../escape.json", b"x")

    assert folder.read("receipts/../../../escape.json") == b"x"
    assert not list(Path(folder.path("..")).glob("**/escape.json"))


def test_a_run_is_not_seen_before_it_is_revealed(store: Store) -> None:
    run_id = RunId(Ulids().new())
    store.create(run_id)

    assert store.list() == ()

    store.reveal(run_id)
    assert store.list() == (run_id,)


def test_two_runs_of_one_id_are_a_conflict(store: Store) -> None:
    run_id = new(store)

    with pytest.raises(ConflictError):
        store.create(run_id)
    assert store.create(RunId(run_id[:-1] + ("0" if run_id[-1] != "0" else "1"))).run_id != run_id


def test_a_run_is_found_by_an_unambiguous_beginning_of_its_id(store: Store) -> None:
    run_id = new(store)

    assert store.open(RunId(run_id[:12].lower())).run_id == run_id
    with pytest.raises(ConfigError):
        store.open(RunId("ZZZ"))
    with pytest.raises(ConfigError):
        store.open(RunId(""))


def test_one_driver_at_a_time(store: Store) -> None:
    folder = store.open(new(store))

    with folder.lock(), pytest.raises(ConflictError):
        store.open(folder.run_id).lock().__enter__()

    assert not folder.is_locked()


TS = "2026-11-15T17:40:41.123Z"
INDEX = b'{"event":"_index"}'
HOUR = 3600


def hidden(store: Store, run_id: RunId) -> Path:
    return Path(store.cassette_path(run_id)).parents[1] / "runs" / f".new-{run_id}"


def die(store: Store, run_id: RunId) -> None:
    """Do what the kernel does when the process that makes a run ends."""
    store._making.pop(run_id).release()


def test_a_writer_begins_where_the_journal_ends_now(store: Store) -> None:
    """A person sits at a prompt while another process writes: what they type must still be taken."""
    run_id = new(store)
    one, other = store.open(run_id), store.open(run_id)

    for number, folder in enumerate((one, other, one)):
        with folder.lock(), folder.writer() as journal:
            assert journal.append(INDEX, TS).seq == number

    assert [line.seq for line in one.lines()] == [0, 1, 2]


def test_a_reader_asks_for_no_right_to_write_and_keeps_nothing_open(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store.open(new(store))
    with folder.writer() as journal:
        journal.append(INDEX, TS)
    flags = []
    really = os.open

    def noting(path: str, wanted: int, *more: int) -> int:
        flags.append(wanted)
        return really(path, wanted, *more)

    before = len(os.listdir("/dev/fd"))
    monkeypatch.setattr(os, "open", noting)
    assert len(list(folder.lines())) == 1
    monkeypatch.undo()

    assert [flag & os.O_ACCMODE for flag in flags] == [os.O_RDONLY]
    assert len(os.listdir("/dev/fd")) == before


def test_a_run_that_was_never_revealed_is_swept_when_the_next_one_is_made(
    store: Store, tmp_path: Path
) -> None:
    dead, alive, bare = (RunId(Ulids().new()) for _ in range(3))
    store.create(dead)
    store.create(alive)
    die(store, dead)
    hidden(store, bare).mkdir()

    new(Store(str(tmp_path / "state"), Ulids(), SystemClock()))

    assert not hidden(store, dead).exists()
    assert not hidden(store, bare).exists()
    assert store.reveal(alive).run_id == alive
    assert not store.open(alive).is_locked()


def test_two_who_make_a_run_of_one_id_at_once_do_not_share_its_folder(store: Store, tmp_path: Path) -> None:
    run_id = RunId(Ulids().new())
    store.create(run_id).write("state.json", b"mine")

    with pytest.raises(ConflictError) as caught:
        Store(str(tmp_path / "state"), Ulids(), SystemClock()).create(run_id)

    assert caught.value.slug == "run-exists"
    assert store.reveal(run_id).read("state.json") == b"mine"


def test_files_that_a_killed_driver_never_finished_are_swept_when_the_run_is_taken_up(store: Store) -> None:
    folder = store.open(new(store))
    folder.write("receipts/a.json", b"{}")
    top, below, fresh = (
        Path(folder.path("")) / name for name in (".write-a", "receipts/.write-b", ".write-c")
    )
    for path in (top, below, fresh):
        path.write_bytes(b"half")
    for path in (top, below):
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 2 * HOUR))

    with folder.lock():
        assert folder.mend() == 0

    assert [path.exists() for path in (top, below, fresh)] == [False, False, True]
    assert folder.read("receipts/a.json") == b"{}"


def test_who_waits_for_a_lock_gets_it_when_it_is_free(store: Store) -> None:
    folder = store.open(new(store))

    with folder.lock(), pytest.raises(ConflictError):
        store.open(folder.run_id).lock(0.05).acquire()
    with folder.lock(0.05):
        assert folder.is_locked()
