"""The ledger on disk: appended whole, rotated, pruned, shared by many writers, and never read over."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import RunId
from signoff.domain.port_records import LedgerEntry
from signoff.host.files.locks import folder_lock
from signoff.ledger.ledger_lines import LedgerFilter, choose
from signoff.storage.ledger import LedgerFile

RUN = RunId("01JAAAAAAAAAAAAAAAAAAAAAAA")


class Clock:
    def now(self) -> str:
        return "2026-03-09T10:00:00.000Z"


def entry(
    number: int, day: str = "2026-03-01", run: str = RUN, log: str = "", stderr: str = ""
) -> LedgerEntry:
    run_id = f"01J{number:023}"
    record = {
        "schema_version": 1,
        "run_id": run_id,
        "skill_invocation_id": run,
        "agent_type": "builder",
        "model": "m",
        "project": "p",
        "status": "success",
        "started_at": f"{day}T10:00:00.000Z",
        "finished_at": f"{day}T10:00:00.000Z",
        "duration_ms": 0,
    }
    line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    return LedgerEntry(run_id, line, log, stderr)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / ".signoff"


def ledger(home: Path, *, is_on: bool = True, rotate_above: int = 5_000_000) -> LedgerFile:
    return LedgerFile(str(home), Clock(), is_on=is_on, rotate_above=rotate_above)


def ids(home: Path) -> list[str]:
    found = choose(ledger(home).lines(), LedgerFilter())
    assert not found.unreadable
    return [record.run_id for record in found.records]


def test_what_is_appended_is_read_back_and_is_for_its_owner_alone(home: Path) -> None:
    ledger(home).append(entry(1))
    ledger(home).append(entry(2, log="status: failure\n"))

    assert ids(home) == [entry(1).run_id, entry(2).run_id]
    for path in (home / "agent-runs.jsonl", home / "agent-runs" / f"{entry(2).run_id}.log"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "agent-runs").stat().st_mode) == 0o700


def test_there_is_nothing_to_read_where_nobody_wrote(home: Path) -> None:
    assert list(ledger(home).lines()) == []
    assert ledger(home).prune("2026-01-01").records == 0
    assert not home.exists()


def test_off_stops_writing_and_not_reading(home: Path) -> None:
    ledger(home).append(entry(1))
    silent = ledger(home, is_on=False)
    silent.append(entry(2))

    assert silent.catch_up(RUN, (entry(3),)) == 0
    assert len(list(silent.lines())) == 1


def test_catching_up_appends_what_is_missing_and_nothing_twice(home: Path) -> None:
    made = ledger(home, rotate_above=300)
    made.append(entry(1))
    made.append(entry(2))
    made.append(entry(4, run="01JBBBBBBBBBBBBBBBBBBBBBBB"))

    assert made.catch_up(RUN, (entry(1), entry(2), entry(3))) == 1
    assert made.catch_up(RUN, (entry(1), entry(2), entry(3))) == 0
    assert sorted(ids(home)) == [entry(n).run_id for n in (1, 2, 3, 4)]


def test_a_large_ledger_is_put_aside_under_its_day_and_still_read(home: Path) -> None:
    made = ledger(home, rotate_above=300)
    for number in range(30):
        made.append(entry(number))

    older = sorted(path.name for path in (home / "agent-runs").glob("*.jsonl"))
    assert {"2026-03-09.jsonl", "2026-03-09.2.jsonl", "2026-03-09.10.jsonl"} <= set(older)
    assert (home / "agent-runs.jsonl").stat().st_size <= 700
    assert ids(home) == [entry(number).run_id for number in range(30)]


def test_pruning_removes_old_records_and_their_logs_and_they_do_not_come_back(home: Path) -> None:
    made = ledger(home, rotate_above=300)
    days = ("2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02")
    entries = tuple(entry(n, day, log="status: failure\n") for n, day in enumerate(days))
    made.catch_up(RUN, entries)

    pruned = made.prune("2026-03-01")

    assert (pruned.records, pruned.logs, pruned.kept) == (2, 2, 2)
    assert ids(home) == [entry(2).run_id, entry(3).run_id]
    assert len(list((home / "agent-runs").glob("*.log"))) == 2
    assert made.catch_up(RUN, entries) == 0
    assert made.prune("2026-03-01").records == 0


def test_an_unreadable_line_is_named_and_stays(home: Path) -> None:
    made = ledger(home)
    made.append(entry(1))
    with (home / "agent-runs.jsonl").open("ab") as file:
        file.write(b'{"schema_version":1,"run_id":"01J')
    made.append(entry(2))
    with (home / "agent-runs.jsonl").open("ab") as file:
        file.write(b"x" * 70_000 + b"\n")

    found = choose(made.lines(), LedgerFilter())
    pruned = made.prune("2030-01-01")

    assert [record.run_id for record in found.records] == [entry(1).run_id, entry(2).run_id]
    assert [said.split(" ")[0] for said in found.unreadable] == ["agent-runs.jsonl:2:", "agent-runs.jsonl:4:"]
    assert (pruned.records, pruned.kept, len(pruned.unreadable)) == (2, 2, 2)
    assert (home / "agent-runs.jsonl").stat().st_size > 70_000


@pytest.mark.parametrize("trap", ["link", "pipe", "folder"])
def test_something_else_in_its_place_is_an_error(home: Path, trap: str) -> None:
    """A record must not be written through a link, and a pipe must not hold a run up for ever."""
    home.mkdir()
    path = home / "agent-runs.jsonl"
    match trap:
        case "link":
            path.symlink_to(home / "elsewhere")
        case "pipe":
            os.mkfifo(path)
        case _:
            path.mkdir()

    for touch in (
        lambda: ledger(home).append(entry(1)),
        lambda: ledger(home).catch_up(RUN, (entry(1),)),
        lambda: list(ledger(home).lines()),
    ):
        with pytest.raises(ConfigError) as caught:
            touch()
        assert caught.value.slug.startswith("ledger-un")
    assert not (home / "elsewhere").exists()


def test_a_log_has_the_end_of_standard_error_without_credentials(home: Path, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    said = tmp_path / "dispatch.err"
    said.write_text("early " * 20_000 + f"\nlate {token}\n")
    failed = entry(1, log="status: failure\n", stderr=str(said))

    ledger(home).append(failed)

    log = (home / "agent-runs" / f"{failed.run_id}.log").read_text()
    assert log.startswith("status: failure\n\nthe end of its standard error:\n")
    assert log.endswith("late [redacted]\n")
    assert len(log) < 20_200


WRITER = """
import sys
sys.path.insert(0, {here!r})
from test_ledger import Path, entry, ledger, time
made = ledger(Path(sys.argv[1]), rotate_above=400)
first = int(sys.argv[2])
while not Path(sys.argv[3]).exists():
    time.sleep(0.001)
for number in range(first, first + 50):
    made.append(entry(number, log="status: failure\\n" if number % 10 == 0 else ""))
"""


def test_many_writers_lose_and_tear_nothing(home: Path) -> None:
    """Several runs write at once, while the file is put aside under them again and again."""
    code, go = WRITER.format(here=str(Path(__file__).parent)), home.parent / "go"
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(home), str(first), str(go)])
        for first in (0, 50, 100, 150)
    ]
    time.sleep(0.5)
    go.touch()
    seen = []
    while any(writer.poll() is None for writer in writers):
        seen.append(len(ids(home)))
        time.sleep(0.02)

    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    assert sorted(ids(home)) == [entry(number).run_id for number in range(200)]
    assert seen == sorted(seen)
    assert len(list((home / "agent-runs").glob("*.jsonl"))) >= 4


def test_a_writer_waits_while_another_one_writes(home: Path) -> None:
    ledger(home).append(entry(1))
    writer = Thread(target=ledger(home).append, args=(entry(2),))

    with folder_lock(str(home / "agent-runs"), what="the ledger"):
        writer.start()
        writer.join(0.2)
        lines = (home / "agent-runs.jsonl").read_bytes().count(b"\n")
    writer.join()

    assert lines == 1
    assert ids(home) == [entry(1).run_id, entry(2).run_id]
