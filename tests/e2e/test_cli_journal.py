"""`journal check` and `journal repair` on files."""

import json
import shutil
from pathlib import Path

import pytest
from clibench import Bench

KEYS = {"ok", "profile", "events", "chain", "violations"}


@pytest.fixture
def journal(delivered: Bench, tmp_path: Path) -> Path:
    """The run folder of a signed-off run, copied; its journal."""
    (run,) = (delivered.root / ".signoff" / "runs").glob("0*")
    shutil.copytree(run, tmp_path / "run")
    return tmp_path / "run" / "journal.jsonl"


def test_a_sound_journal_is_valid(delivered: Bench, journal: Path) -> None:
    said = delivered("journal", "check", journal, "--json")

    assert said.code == 0
    assert set(said.document) == KEYS
    assert (said.document["ok"], said.document["profile"], said.document["chain"]) == (True, "deliver", "ok")
    assert "valid (deliver," in delivered("journal", "check", journal).out


def test_a_changed_line_is_named(delivered: Bench, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4].replace(b'"ts":"2', b'"ts":"3')
    journal.write_bytes(b"".join(lines))

    said = delivered("journal", "check", journal, "--json")

    assert said.code == 1
    assert said.document["chain"] == "broken"
    assert ("sum-wrong", 5) in {(v["code"], v["line"]) for v in said.document["violations"]}
    assert set(said.document["violations"][0]) == {
        "code",
        "severity",
        "rule",
        "path",
        "line",
        "message",
        "fix",
    }


def test_a_lost_end_is_noticed_by_what_lies_beside_the_log(delivered: Bench, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))

    assert delivered("journal", "check", journal).code == 1
    (journal.parent / "state.json").unlink()
    said = delivered("journal", "check", journal, "--json")
    assert said.code == 1
    (lost,) = said.document["violations"]
    assert lost["code"] == "run-end-missing"
    assert "certificate.json" in lost["message"]
    assert "signoff runs resume RUN" in lost["fix"]
    journal.write_bytes(b"".join(lines[:-9]))
    assert "certificate.json" in delivered("journal", "check", journal).out


def test_a_view_that_cannot_be_read_is_an_error_beside_a_journal_of_ours_only(
    delivered: Bench, journal: Path
) -> None:
    (journal.parent / "state.json").write_text("{")

    said = delivered("journal", "check", journal, "--json")

    assert said.code == 1
    assert said.document["violations"][0]["code"] == "anchor-unreadable"
    other = shutil.copy(journal, journal.with_name("other.jsonl"))
    (journal.parent / "certificate.json").unlink()
    assert delivered("journal", "check", other).code == 0


def test_standard_input_is_checked_too(delivered: Bench, journal: Path) -> None:
    assert delivered("journal", "check", "-", stdin=journal.read_bytes()).code == 0
    assert delivered("journal", "check", "-", stdin=b"").code == 1


def test_repair_cuts_a_torn_line_and_keeps_its_bytes(bench: Bench) -> None:
    bench.start()
    (journal,) = bench.root.glob(".signoff/runs/0*/journal.jsonl")
    with journal.open("ab") as file:
        file.write(b'{"seq":99,')
    assert bench("journal", "check", journal).code == 1

    said = bench("journal", "repair", journal, "--json")

    assert said.code == 0
    assert said.document["repaired"]["bytes"] == 10
    assert Path(said.document["repaired"]["kept"]).read_bytes() == b'{"seq":99,'
    again = bench("journal", "repair", journal, "--json")
    assert (again.code, again.document["repaired"]["bytes"]) == (0, 0)


def test_repair_leaves_other_damage_alone_and_names_it(delivered: Bench, journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join((*lines[:3], *lines[4:])))
    before = journal.read_bytes()

    said = delivered("journal", "repair", journal, "--json")

    assert said.code == 1
    assert "seq-wrong" in json.dumps(said.document)
    assert journal.read_bytes() == before


@pytest.mark.parametrize("action", ["check", "repair"])
def test_a_missing_file_and_a_folder_are_exit_2(action: str, delivered: Bench, tmp_path: Path) -> None:
    assert delivered("journal", action, tmp_path / "nowhere", "--json").code == 2
    assert delivered("journal", action, tmp_path, "--json").document["error"]["slug"] == "file-unreadable"


def test_an_audit_log_is_read_without_a_chain(delivered: Bench, tmp_path: Path) -> None:
    start = "2026-01-01T00:00:00Z"
    records = [
        {
            "event": "_index",
            "ts": start,
            "schema_version": "1.5.6",
            "event_types": ["_index", "run_start"],
            "benchmark": "b",
            "lever_state": "baseline",
            "started_at": start,
        },
        {"event": "run_start", "ts": start, "runner": "codex", "playbook_version": "1", "target_path": "."},
    ]
    log = tmp_path / "run_state.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))

    said = delivered("journal", "check", log, "--json").document

    assert (said["ok"], said["profile"], said["chain"], said["events"]) == (True, "audit", "absent", 2)
