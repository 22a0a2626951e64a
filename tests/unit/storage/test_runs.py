"""The folders of runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.errors import ConfigError, ConflictError
from signoff.domain.ids import RunId
from signoff.host.clock import SystemClock
from signoff.host.ids import Ulids
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
    store.create(run_id).write("state.json", b"{}")

    with pytest.raises(ConflictError):
        store.reveal(run_id)


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
