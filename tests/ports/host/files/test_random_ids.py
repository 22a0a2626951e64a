"""ULIDs: their shape, their order, and that no two are the same."""

import os
import threading

import pytest

from signoff.domain.ports import Ids
from signoff.host.files.random_ids import Ulids, is_ulid


def test_a_drawn_id_is_a_ulid() -> None:
    ids: Ids = Ulids()

    assert all(is_ulid(ids.new()) for _ in range(1000))


def test_ids_begin_with_the_moment_they_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ulids, "_last", 0)

    assert (
        Ulids(lambda: 1_469_918_176_385_000_000).new().startswith("01ARYZ6S41")
    )  # the example of the ULID spec


def test_ids_of_one_moment_sort_in_the_order_they_were_drawn() -> None:
    one, other = Ulids(lambda: 1_000_000_000), Ulids(lambda: 1_000_000_000)

    drawn = [ids.new() for _ in range(500) for ids in (one, other)]

    assert drawn == sorted(set(drawn))


def test_ids_keep_their_order_when_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ulids, "_last", 0)
    moments = iter([5_000_000_000, 4_000_000_000, 1_000_000, 6_000_000_000])
    ids = Ulids(lambda: next(moments))

    drawn = [ids.new() for _ in range(4)]

    assert drawn == sorted(set(drawn))


def test_threads_never_draw_the_same_id() -> None:
    drawn: list[str] = []
    threads = [
        threading.Thread(target=lambda: drawn.extend(Ulids().new() for _ in range(500))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(drawn)) == 4000


def test_a_forked_child_counting_on_from_our_id_draws_another(monkeypatch: pytest.MonkeyPatch) -> None:
    last = 5_000 << 80
    drawn = set()
    for _ in range(50):
        monkeypatch.setattr(Ulids, "_last", last)
        drawn.add(Ulids(lambda: 1_000_000).new())

    assert len(drawn) > 45


def test_the_random_part_comes_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ulids, "_last", 0)
    monkeypatch.setattr(os, "urandom", lambda count: b"\xff" * count)

    assert Ulids(lambda: 0 + 1_000_000).new() == "0000000001ZZZZZZZZZZZZZZZZ"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01ARYZ6S41TSV4RRFFQ69G5FA",
        "01ARYZ6S41TSV4RRFFQ69G5FAVV",
        "01aryz6s41tsv4rrffq69g5fav",
        "81ARYZ6S41TSV4RRFFQ69G5FAV",
        "01ARYZ6S41TSV4RRFFQ69G5FAI",
        "01ARYZ6S41TSV4RRFFQ69G5FAV\n",
    ],
)
def test_what_is_no_ulid_is_told_apart(text: str) -> None:
    assert not is_ulid(text)
    assert is_ulid("01ARYZ6S41TSV4RRFFQ69G5FAV")
