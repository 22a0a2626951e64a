"""`audit check` and `audit next` on files, and `journal check` on the logs of audits and cycles."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from clibench import Bench

Record = dict[str, Any]

KEYS = {"code", "severity", "rule", "path", "line", "message", "fix"}
NINE = (
    *("REQUIREMENTS", "QUALITY", "CONTRACTS", "COVERAGE_MATRIX", "COMPLETENESS_REPORT"),
    *("RUN_CODE_REVIEW", "RUN_INTEGRATION_TESTS", "RUN_SPEC_AUDIT", "RUN_TDD_TESTS"),
)
PRODUCTS: dict[str, str] = {
    "EXPLORATION.md": "## Open Exploration Findings\r\n" + "text\r\n" * 119,
    **{f"{name}.md": "text" for name in NINE},
    "test_functional.py": "def test(): ...",
    "BUGS.md": "# Bugs\n\n### BUG-001: one\n",
    "code_reviews/one.md": "text",
    "patches/BUG-001-regression-test.patch": "text",
    "spec_audits/a-triage.md": "text",
    "spec_audits/a-auditor-1.md": "text",
    "results/tdd-results.json": "{}",
    "results/BUG-001.red.log": "RED",
    "writeups/BUG-001.md": "text",
    "results/quality-gate.log": "0 FAIL",
    "PROGRESS.md": "## Terminal Gate Verification\n",
}
COUNTS = {
    1: {"findings_total": 1, "patterns_walked": 7},
    2: {"findings_promoted": 1, "findings_dropped": 0},
    3: {"bugs_identified": 1, "bug_writeups": 1},
    4: {"req_count": 1, "uc_count": 1, "passes_complete": 4},
    5: {"gate_checks_total": 1, "gate_failures": 0},
    6: {"bugs_md_count": 1, "gate_verdict": "pass"},
}
TS = "2026-05-15T14:32:01Z"
INDEX: Record = {
    "event": "_index",
    "schema_version": "1.5.6",
    "event_types": ["_index", "run_start", "phase_start", "phase_end", "error", "run_end"],
    "benchmark": "chi",
    "lever_state": "baseline",
    "started_at": TS,
}
START: Record = {
    "event": "run_start",
    "runner": "claude",
    "playbook_version": "1.5.6",
    "target_path": ".",
}
END: Record = {"event": "run_end", "status": "success"}


def phase(number: int) -> list[Record]:
    end = {"event": "phase_end", "key_counts": COUNTS[number], "artifacts_produced": []}
    return [{"event": "phase_start", "phase": number}, {**end, "phase": number}]


PHASES = [record for number in COUNTS for record in phase(number)]
RUN = [INDEX, START, *PHASES, END]


def write_log(root: Path, records: Iterable[Record]) -> Path:
    log = root / "quality" / "run_state.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(json.dumps({"ts": TS, **record}) + "\n" for record in records))
    return log


@pytest.fixture
def audited(bench: Bench, tmp_path: Path) -> tuple[Bench, Path]:
    root = tmp_path / "target"
    for name, text in PRODUCTS.items():
        path = root / "quality" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    return bench, root


@pytest.mark.parametrize("number", COUNTS)
def test_a_phase_with_all_its_files_passes_and_with_none_of_them_does_not(
    audited: tuple[Bench, Path], tmp_path: Path, number: int
) -> None:
    bench, root = audited
    said = bench("audit", "check", "--phase", str(number), "-C", root, "--json")
    assert (said.code, said.document["ok"], said.document["violations"]) == (0, True, [])

    (tmp_path / "bare").mkdir()
    said = bench("audit", "check", "--phase", str(number), "-C", tmp_path / "bare", "--json")
    assert (said.code, said.document["ok"]) == ((0, True) if number == 5 else (1, False))
    assert all(set(row) >= KEYS and row["file"].startswith("quality/") for row in said.document["violations"])


def test_what_is_missing_is_named(audited: tuple[Bench, Path]) -> None:
    bench, root = audited
    (root / "quality" / "QUALITY.md").unlink()
    (root / "quality" / "CONTRACTS.md").write_text("")

    said = bench("audit", "check", "--phase", "2", "-C", root)

    assert said.code == 1
    assert "error[artifact-missing] quality/QUALITY.md is missing" in said.out
    assert "error[artifact-empty] quality/CONTRACTS.md is empty" in said.out


def test_links_out_of_the_root_folders_and_pipes_are_no_files(
    audited: tuple[Bench, Path], tmp_path: Path
) -> None:
    bench, root = audited
    (tmp_path / "outside.md").write_text("text")
    names = ("QUALITY.md", "CONTRACTS.md", "REQUIREMENTS.md", "BUGS.md")
    link, folder, pipe, dangling = (root / "quality" / name for name in names)
    for path in (link, folder, pipe, dangling):
        path.unlink()
    link.symlink_to(tmp_path / "outside.md")
    folder.mkdir()
    os.mkfifo(pipe)
    dangling.symlink_to(root / "gone")

    said = bench("audit", "check", "--phase", "2", "-C", root, "--json").document
    assert [row["code"] for row in said["violations"]] == ["artifact-unreadable"] * 3
    assert bench("audit", "check", "--phase", "5", "-C", root).code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("check", "--phase", "7"),
        ("check", "--phase", "x"),
        ("next", "--phase", "1"),
        ("status",),
        (),
    ],
)
def test_words_that_make_no_sense_are_exit_2(bench: Bench, words: tuple[str, ...]) -> None:
    assert bench("audit", *words, "--json").code == 2


def test_a_root_that_is_not_there_is_exit_2(bench: Bench, tmp_path: Path) -> None:
    assert bench("audit", "next", "-C", tmp_path / "nowhere", "--json").code == 2


@pytest.mark.parametrize(
    ("records", "gone", "action", "number"),
    [
        (None, "", "fresh", 1),
        ([INDEX, START], "", "start-phase", 1),
        ([INDEX, START, PHASES[0]], "", "append-phase-end", 1),
        ([INDEX, START, PHASES[0]], "EXPLORATION.md", "rerun-phase", 1),
        ([INDEX, START, *PHASES], "spec_audits/a-triage.md", "rerun-phase", 4),
        ([INDEX, START, *PHASES], "", "append-run-end", None),
        (RUN, "", "complete", None),
        ([INDEX, START, {**END, "status": "aborted"}], "", "aborted", None),
        ([INDEX, START, PHASES[2]], "", "invalid-log", None),
    ],
)
def test_next_says_what_resume_would_do_and_writes_nothing(
    audited: tuple[Bench, Path], records: list[Record] | None, gone: str, action: str, number: int | None
) -> None:
    bench, root = audited
    if records is not None:
        write_log(root, records)
    if gone:
        (root / "quality" / gone).unlink()
    before = sorted((path, path.stat().st_mtime_ns) for path in root.rglob("*"))

    said = bench("audit", "next", "-C", root, "--json")

    assert (said.document["action"], said.document["phase"]) == (action, number)
    assert said.code == (1 if action == "invalid-log" else 0)
    assert sorted((path, path.stat().st_mtime_ns) for path in root.rglob("*")) == before
    assert bench("audit", "next", "-C", root).out.startswith(action)


def test_the_count_of_bugs_is_compared_with_the_file_beside_the_log(audited: tuple[Bench, Path]) -> None:
    bench, root = audited
    log = write_log(root, RUN)
    assert bench("journal", "check", log, "--json").document["violations"] == []

    with (root / "quality" / "BUGS.md").open("a") as file:
        file.write("### BUG-002\n")

    said = bench("journal", "check", log, "--json")
    assert (said.code, [row["code"] for row in said.document["violations"]]) == (1, ["bugs-count-differs"])
    checked = bench("audit", "check", "--phase", "6", "-C", root, "--json")
    assert (checked.code, checked.document["violations"][0]["code"]) == (1, "bugs-count-differs")
    for name in ("writeups/BUG-002.md", "results/BUG-002.red.log"):
        (root / "quality" / name).write_text("text")
    said = bench("audit", "next", "-C", root, "--json")
    assert (said.document["action"], said.document["phase"]) == ("rerun-phase", 6)
    alone = log.rename(root / "run_state.jsonl")
    assert bench("journal", "check", alone).code == 0


def test_a_missing_bug_list_is_an_empty_one_beside_other_files(audited: tuple[Bench, Path]) -> None:
    bench, root = audited
    log = write_log(root, RUN)
    (root / "quality" / "BUGS.md").unlink()
    assert "BUGS.md lists 0" in bench("journal", "check", log).out
    (root / "quality" / "BUGS.md").mkdir()
    assert "BUGS.md cannot be read" in bench("journal", "check", log).out


def test_an_audit_log_is_judged_by_its_fields(bench: Bench, tmp_path: Path) -> None:
    log = write_log(tmp_path, [INDEX, {**START, "runner": "vim"}, {"event": "phase_start", "phase": True}])

    said = bench("journal", "check", log, "--json")

    assert (said.code, said.document["profile"], said.document["chain"]) == (1, "audit", "absent")
    assert [(row["code"], row["path"], row["line"]) for row in said.document["violations"][:2]] == [
        ("field-value", "/runner", 2),
        ("field-type", "/phase", 3),
    ]


def test_a_cycle_log_is_judged_by_its_fields(bench: Bench, tmp_path: Path) -> None:
    index = {
        "event": "_index",
        "schema_version": "1.5.6",
        "event_types": ["_index", "cycle_start", "cycle_end"],
        "cycle_name": "c",
        "lever_under_test": "l",
        "benchmarks": ["chi"],
        "iteration": 4,
    }
    log = write_log(tmp_path, [index, {"event": "cycle_start", "hypothesis": "h"}])

    said = bench("journal", "check", log, "--json").document

    assert (said["ok"], said["profile"]) == (False, "cycle")
    assert [row["path"] for row in said["violations"][:2]] == ["/iteration", "/noise_floor_threshold"]
