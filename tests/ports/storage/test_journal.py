"""The journal on disk: what it accepts, what a failed write leaves behind, and how a torn tail is mended."""

import errno
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import signoff
from signoff.domain.base.errors import ConfigError, ConflictError, InfrastructureError, SignoffError
from signoff.domain.ports import JournalFile
from signoff.engine.journal_format import MAX_LINE, MAX_RECORD, NO_SUM
from signoff.judges.journal.journal_check import Anchor, check_journal
from signoff.storage import journal as journal_room
from signoff.storage.journal import Journal, Repair, read_journal, repair

TS = "2026-11-15T17:40:41.123Z"
INDEX = b'{"event":"_index","flow":"deliver","event_types":["run_start","done","run_end"]}'
START = b'{"event":"run_start","flow":"deliver@1"}'
DONE = '{"event":"done","key":"implement/T1","note":"grün \\"so\\""}'.encode()
END = b'{"event":"run_end","status":"signed-off"}'


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "journal.jsonl")


def write(path: str, *bodies: bytes) -> tuple[int, str]:
    with Journal.create(path, durable=False) as journal:
        for body in bodies:
            journal.append(body, TS)
        return journal.head


def content(path: str) -> bytes:
    return Path(path).read_bytes()


def put(path: str, data: bytes) -> None:
    Path(path).write_bytes(data)


def refused(kind: type[SignoffError], action: Callable[[], object]) -> SignoffError:
    with pytest.raises(kind) as caught:
        action()
    return caught.value


def test_a_record_is_the_body_between_its_number_and_its_links(path: str) -> None:
    write(path, INDEX, DONE)

    first, second = content(path).splitlines()

    assert first.startswith(
        b'{"seq":0,"ts":"2026-11-15T17:40:41.123Z",' + INDEX[1:-1] + b',"prev":"' + NO_SUM.encode()
    )
    assert second.startswith(b'{"seq":1,"ts":"2026-11-15T17:40:41.123Z",' + DONE[1:-1] + b',"prev":"')
    assert json.loads(second)["prev"] == json.loads(first)["sum"]


def test_what_was_appended_is_what_is_read(path: str) -> None:
    journal: JournalFile = Journal.create(path, durable=False)
    appended = [journal.append(body, TS) for body in (INDEX, START, DONE)]

    assert list(read_journal(path)) == appended
    assert [(line.seq, line.event) for line in appended] == [(0, "_index"), (1, "run_start"), (2, "done")]
    assert journal.head == (2, appended[-1].sum)


def test_a_journal_is_taken_up_where_it_ended(path: str) -> None:
    head = write(path, INDEX, START)

    with Journal.open(path, durable=False) as journal:
        assert journal.head == head
        journal.append(END, TS)

    assert check_journal([content(path)]).violations == ()


def test_an_empty_journal_has_no_head_yet(path: str) -> None:
    write(path)

    with Journal.open(path) as journal:
        assert journal.head == (-1, "")
        assert list(read_journal(path)) == []


def test_an_append_is_on_disk_before_it_returns(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(journal_room, "_sync", lambda handle: synced.append(os.fstat(handle).st_size))

    with Journal.create(path) as journal:
        journal.append(INDEX, TS)

    assert synced == [os.path.getsize(path)]


def test_a_second_journal_never_takes_the_place_of_the_first(path: str) -> None:
    write(path, INDEX)

    error = refused(ConflictError, lambda: Journal.create(path))

    assert error.slug == "journal-exists"
    assert content(path) != b""


@pytest.mark.parametrize(
    "body",
    [
        b'{"event":"done",\n"key":1}',
        b'{"event":"done",\r"key":1}',
        b'{"key":1,"event":"done"}',
        b'{"event":"done"} ',
        b'{"event":"done"x',
        b'["event"]',
        b'{"event":"done","n":NaN}',
        b'{"event":"done","note":"\xff"}',
        b'{"event":"done","seq":1}',
        b'{"event":"done","ts":"x"}',
        b'{"event":"done","prev":"x"}',
        b'{"event":"done","sum":"x"}',
        b'{"event":"done"},{"a":1}',
        b'{"event":"done","note":"%s"}' % (b"x" * MAX_RECORD),
    ],
)
def test_a_body_that_would_spoil_the_log_is_our_bug_and_writes_nothing(path: str, body: bytes) -> None:
    with (
        Journal.create(path, durable=False) as journal,
        pytest.raises(ValueError, match=r"journal|twice|UTF-8|JSON"),
    ):
        journal.append(body, TS)

    assert content(path) == b""


def test_a_time_that_is_none_is_our_bug(path: str) -> None:
    with Journal.create(path, durable=False) as journal, pytest.raises(ValueError, match="ISO 8601"):
        journal.append(INDEX, '","event":"forged')


def test_the_largest_record_is_4096_bytes(path: str) -> None:
    empty = b'{"event":"done","note":""}'
    with Journal.create(path, durable=False) as journal:
        room = MAX_RECORD - len(journal.append(empty, TS).raw) - 1

        line = journal.append(b'{"event":"done","note":"%s"}' % (b"x" * room), TS)

        assert len(line.raw) + 1 == MAX_RECORD
        with pytest.raises(ValueError, match="4097"):
            journal.append(b'{"event":"done","note":"%s"}' % (b"x" * (room + 1)), TS)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Make the kernel stop writes at this size, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 1, 100])
def test_a_write_that_fell_short_is_taken_back_and_the_next_one_fits(path: str, room: int) -> None:
    with Journal.create(path) as journal:
        journal.append(INDEX, TS)
        journal.append(START, TS)
        before = content(path)
        with file_size_limit(len(before) + room):
            error = refused(InfrastructureError, lambda: journal.append(DONE, TS))
        assert error.slug == "disk-full"
        assert content(path) == before
        journal.append(END, TS)

    assert check_journal([content(path)]).violations == ()


def test_a_record_that_did_not_reach_the_disk_is_taken_back(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with Journal.create(path) as journal:
        journal.append(INDEX, TS)
        before = content(path)
        monkeypatch.setattr(journal_room, "_sync", broken)
        error = refused(InfrastructureError, lambda: journal.append(START, TS))
        assert error.slug == "journal-write-failed"
        assert content(path) == before
        monkeypatch.undo()

        again = refused(InfrastructureError, lambda: journal.append(START, TS))

    assert again.slug == "journal-write-failed"
    assert content(path) == before


def test_a_second_writer_is_noticed_before_the_chain_forks(path: str) -> None:
    write(path, INDEX)
    with Journal.open(path, durable=False) as one, Journal.open(path, durable=False) as other:
        other.append(START, TS)

        assert refused(ConflictError, lambda: one.append(START, TS)).slug == "journal-changed"


def test_a_removed_journal_is_noticed_before_records_go_nowhere(path: str) -> None:
    with Journal.create(path, durable=False) as journal:
        os.unlink(path)

        assert refused(ConflictError, lambda: journal.append(INDEX, TS)).slug == "journal-changed"


@pytest.mark.parametrize(
    "action", [Journal.open, lambda path: list(read_journal(path)), lambda path: repair(path)]
)
def test_a_missing_journal_is_an_error_not_an_empty_log(path: str, action: Callable[[str], object]) -> None:
    assert refused(ConfigError, lambda: action(path)).slug == "journal-missing"


@pytest.mark.parametrize("tail", [b'{"seq":2,"ts"', b"{}x", b"\0" * 40, b"garbage\n", b"\n"])
def test_a_torn_last_line_is_named_with_its_repair(path: str, tail: bytes) -> None:
    write(path, INDEX, START)
    put(path, content(path) + tail)

    error = refused(ConfigError, lambda: Journal.open(path))

    assert error.slug == "journal-torn"
    assert error.fix == f"signoff journal repair {path}"


@pytest.mark.parametrize(
    "tail",
    [
        b'{"seq":2,"ts":"2026-11-15T17:40:41Z","event":"done"}\n',
        b"[1]\n",
        b'{"a":1,"a":2}\n',
        b"x" * (MAX_LINE + 9) + b"\n",
        b'garbage,"sum":"%s"}\n' % hashlib.sha256(b"garbage").hexdigest().encode(),
    ],
)
def test_a_last_line_that_no_crash_leaves_behind_is_unreadable_not_torn(path: str, tail: bytes) -> None:
    write(path, INDEX, START)
    put(path, content(path) + tail)

    assert refused(ConfigError, lambda: Journal.open(path)).slug == "journal-unreadable"
    assert refused(ConfigError, lambda: repair(path)).slug == "journal-damaged"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [*lines[:2], lines[2].replace(b"T1", b"T2"), *lines[3:]],
        lambda lines: [*lines[:2], b"\n", *lines[2:]],
        lambda lines: [*lines[:2], *lines[3:]],
        lambda lines: [*lines[:2], b"x" * (MAX_LINE + 1) + b"\n", *lines[2:]],
    ],
    ids=["changed", "blank", "dropped", "too long"],
)
def test_reading_stops_at_a_bad_record_and_says_which(
    path: str, spoil: Callable[[list[bytes]], list[bytes]]
) -> None:
    write(path, INDEX, START, DONE, DONE, END)
    put(path, b"".join(spoil(content(path).splitlines(keepends=True))))
    reading = read_journal(path)

    assert [next(reading).seq, next(reading).seq] == [0, 1]
    error = refused(ConfigError, lambda: next(reading))
    assert error.slug == "journal-unreadable"
    assert error.why.startswith("line 3: ")


def test_reading_a_torn_tail_is_an_error(path: str) -> None:
    write(path, INDEX, START)
    put(path, content(path)[:-10])

    assert refused(ConfigError, lambda: list(read_journal(path))).slug == "journal-torn"


def test_a_reader_waits_for_the_line_that_is_being_written(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, INDEX, START)
    whole = content(path)
    put(path, whole[:-10])
    monkeypatch.setattr(time, "sleep", lambda _: put(path, whole))

    assert [line.event for line in read_journal(path)] == ["_index", "run_start"]


def test_opening_waits_for_the_line_that_is_being_written(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    head = write(path, INDEX, START)
    whole = content(path)
    put(path, whole[:-10])
    monkeypatch.setattr(time, "sleep", lambda _: put(path, whole))

    with Journal.open(path) as journal:
        assert journal.head == head


def test_reading_takes_no_more_memory_for_a_longer_journal(path: str) -> None:
    write(path, INDEX, *[DONE] * 20_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_journal(path)) == 20_001
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 5_000_000 < os.path.getsize(path)


def test_repair_leaves_a_sound_journal_alone(path: str) -> None:
    write(path, INDEX, START)
    before = content(path)

    assert repair(path) == Repair(0, "", None)
    assert content(path) == before


def test_a_tail_torn_at_any_byte_is_repaired(path: str) -> None:
    write(path, INDEX, START, END)
    whole = content(path)
    sound = whole[: whole[:-1].rindex(b"\n") + 1]
    state = Anchor(1, json.loads(sound.splitlines()[-1])["sum"], "state.json")

    for length in range(len(sound) + 1, len(whole)):
        put(path, whole[:length])
        done = repair(path, durable=False)
        assert content(done.kept) == whole[len(sound) : length]
        assert done.record is not None
        assert json.loads(done.record.raw)["kept"] == os.path.basename(done.kept)
        with Journal.open(path, durable=False) as journal:
            assert journal.head[0] == 2
        assert check_journal([content(path)], [state]).violations == ()
        os.unlink(done.kept)


def test_a_repair_bears_the_time_of_the_record_before_it(path: str) -> None:
    """A replayed run has a clock of its own: the present would lie ahead of every record that follows."""
    write(path, INDEX, START)
    put(path, content(path) + b'{"seq":2')

    done = repair(path)
    with Journal.open(path) as journal:
        journal.append(END, TS)

    assert done.record is not None
    assert done.record.ts == TS
    assert not [fault for fault in check_journal([content(path)]).violations if fault.code == "ts-backwards"]


def test_what_an_earlier_repair_kept_is_never_overwritten(path: str) -> None:
    write(path, INDEX, START)
    sound = content(path)
    kept = []
    for tail in (b"one", b"two", b"three"):
        put(path, sound + tail)
        kept.append(repair(path).kept)

    assert [content(name) for name in kept] == [b"one", b"two", b"three"]
    assert kept[0] == f"{path}.torn-2"


def test_a_torn_start_of_the_run_can_be_repaired_and_the_run_started(path: str) -> None:
    write(path, INDEX, START)
    put(path, content(path)[:-5])

    repair(path)
    with Journal.open(path) as journal:
        journal.append(START, TS)
        journal.append(END, TS)

    assert check_journal([content(path)]).violations == ()


def test_bytes_behind_the_end_of_a_run_are_cut_and_the_end_stays_the_last_word(path: str) -> None:
    seq, total = write(path, INDEX, START, END)
    before = content(path)
    put(path, before + b'{"seq":3')

    done = repair(path)

    assert (done.cut, done.record) == (8, None)
    assert content(path) == before
    assert check_journal([before], [Anchor(seq, total, "state.json", True)]).violations == ()


def test_nothing_is_left_to_repair_when_the_first_record_is_torn(path: str) -> None:
    write(path, INDEX)
    torn = content(path)[:-1]
    put(path, torn)

    assert refused(ConfigError, lambda: repair(path)).slug == "journal-empty"
    assert content(path) == torn


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [lines[0], lines[1].replace(b"@1", b"@2"), lines[2]],
        lambda lines: [lines[0], b"garbage\n", lines[2]],
        lambda lines: [lines[0], lines[1], lines[2].replace(b"T1", b"T2")],
        lambda lines: [lines[0], lines[2]],
        lambda lines: [lines[0], b"garbage\n", b"torn"],
    ],
)
def test_repair_refuses_what_is_no_torn_tail(path: str, spoil: Callable[[list[bytes]], list[bytes]]) -> None:
    write(path, INDEX, START, DONE)
    put(path, b"".join(spoil(content(path).splitlines(keepends=True))))
    before = content(path)

    assert refused(ConfigError, lambda: repair(path)).slug == "journal-damaged"
    assert content(path) == before
    assert os.listdir(os.path.dirname(path)) == ["journal.jsonl"]


TIGHT_WRITER = """
import sys
from signoff.storage.journal import Journal
with Journal.open(sys.argv[1], durable=False) as journal:
    body = b'{"event":"done","note":"%s"}' % (b"x" * 3500)
    print("writing", flush=True)
    while True:
        journal.append(body, "2026-11-15T17:40:41.123Z")
"""


@pytest.mark.slow
def test_a_writer_killed_at_any_moment_leaves_a_journal_that_can_be_repaired_and_goes_on(path: str) -> None:
    write(path, INDEX, START)
    environment = {**os.environ, "PYTHONPATH": str(Path(signoff.__file__).parents[1])}
    for turn in range(8):
        command = [sys.executable, "-c", TIGHT_WRITER, path]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"writing\n"
            time.sleep(0.02 + turn * 0.003)
            writer.send_signal(signal.SIGKILL)
        repair(path)
        check = check_journal([content(path)])
        assert [fault.code for fault in check.violations] == ["journal-open"]

    with Journal.open(path) as journal:
        assert journal.head[0] > 8
        journal.append(END, TS)
    assert check_journal([content(path)]).violations == ()
