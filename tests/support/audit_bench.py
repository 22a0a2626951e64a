"""Logs and files of quality audits and calibration cycles, valid to begin with."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from signoff.audits.audit_phases import BUGS, EXPLORATION, FOLDER, GATE_LOG, GENERATED, PROGRESS, TDD_RESULTS
from signoff.judges.journal.audit_events import EVENTS, KEY_COUNTS
from signoff.judges.journal.journal_check import JournalCheck, check_journal

Record = dict[str, Any]

COUNTS: dict[int, Record] = {
    1: {"findings_total": 12, "patterns_walked": 7},
    2: {"findings_promoted": 9, "findings_dropped": 3},
    3: {"bugs_identified": 2, "bug_writeups": 2},
    4: {"req_count": 89, "uc_count": 7, "passes_complete": 4},
    5: {"gate_checks_total": 30, "gate_failures": 1},
    6: {"bugs_md_count": 2, "gate_verdict": "pass"},
}
assert COUNTS.keys() == KEY_COUNTS.keys()

INDEX: Record = {
    "event": "_index",
    "ts": "2026-05-15T14:32:01Z",
    "schema_version": "1.5.6",
    "event_types": list(EVENTS),
    "benchmark": "chi-1.5.1",
    "lever_state": "baseline",
    "started_at": "2026-05-15T14:32:01Z",
}
START: Record = {
    "event": "run_start",
    "runner": "claude",
    "playbook_version": "1.5.6",
    "target_path": "repos/chi",
}
END: Record = {"event": "run_end", "status": "success"}


def phase_start(phase: int, **more: object) -> Record:
    return {"event": "phase_start", "phase": phase, **more}


def phase_end(phase: int, **more: object) -> Record:
    counts = COUNTS[phase]
    return {"event": "phase_end", "phase": phase, "key_counts": counts, "artifacts_produced": [], **more}


def failure(phase: int | None = None, *, recoverable: bool = True) -> Record:
    scope = {} if phase is None else {"phase": phase}
    return {"event": "error", **scope, "message": "no triage file", "recoverable": recoverable}


def finding(phase: int) -> Record:
    return {"event": "finding_logged", "phase": phase, "finding_id": "BUG-007", "category": "code-bug"}


PATTERNS: list[Record] = [
    {"event": "pattern_walked", "phase": 1, "pattern": n, "findings_count": 1, "duration_seconds": 2.5}
    for n in range(1, 8)
]
PASSES: list[Record] = [
    {"event": event, "phase": 4, "pass": name} for name in "ABCD" for event in ("pass_started", "pass_ended")
]
ARTIFACT: Record = {
    "event": "artifact_written",
    "relative_path": "quality/BUGS.md",
    "byte_size": 3,
    "line_count": 1,
}
GATE: Record = {"event": "gate_check", "gate_name": "patches", "verdict": "warn", "reason": ""}
CODE_ONLY: Record = {"event": "documentation_state", "state": "code_only", "reason": "reference_docs/ empty"}
NO_DOCS: Record = {"event": "aborted_missing_docs", "reason": "reference_docs/ empty"}


def phase(number: int, *inner: Record) -> list[Record]:
    return [phase_start(number), *inner, phase_end(number)]


PHASES = [record for number in range(1, 7) for record in phase(number)]
RUN = [INDEX, START, *PHASES, END]


@st.composite
def valid_runs(draw: st.DrawFn, *, reopened: bool = True) -> list[Record]:
    """A whole run that succeeded, with whatever may lie between the markers, and phases tried again.

    Phases that had ended may be `reopened`; without their end they would look like an attempt that failed.

    Attempts are numbered where there are more than two: of two errors in a row nobody could say otherwise
    whether a start between them is lost.
    """
    records = [INDEX, START]
    if draw(st.booleans()):
        records.append(CODE_ONLY)
    for number in range(1, 7):
        inner = {1: PATTERNS, 4: PASSES}.get(number, []) if draw(st.booleans()) else []
        tries = draw(st.integers(1, 4))
        for attempt in range(1, tries):
            part = inner[: draw(st.integers(0, len(inner)))]
            records += [phase_start(number, **_numbered(attempt, tries)), *part, failure(number)]
        noise = draw(st.lists(st.sampled_from([ARTIFACT, GATE, finding(number)]), max_size=3))
        numbered = _numbered(tries, tries)
        records += [phase_start(number, **numbered), *inner, *noise, phase_end(number, **numbered)]
        if reopened and draw(st.booleans()):
            again = draw(st.integers(1, number))
            records += [failure(again), *phase(again)]
    return [*records, END]


def _numbered(attempt: int, tries: int) -> dict[str, object]:
    return {"attempt": attempt} if tries > 2 else {}


CYCLE_INDEX: Record = {
    "event": "_index",
    "schema_version": "1.5.6",
    "event_types": [
        *("_index", "cycle_start", "benchmark_start", "benchmark_end"),
        *("lever_change_applied", "lever_change_reverted", "cycle_end"),
    ],
    "cycle_name": "2026-05-15-pattern7",
    "lever_under_test": "lever-1",
    "benchmarks": ["chi", "virtio"],
    "iteration": 1,
}
CYCLE_START: Record = {"event": "cycle_start", "hypothesis": "fewer is more", "noise_floor_threshold": 0.05}
APPLIED: Record = {
    "event": "lever_change_applied",
    "lever_id": "lever-1",
    "files_changed": ["SKILL.md"],
    "commit_sha": "0b5f5d5",
    "description": "a cap of two",
}
REVERTED: Record = {"event": "lever_change_reverted", "files_changed": ["SKILL.md"], "commit_sha": None}


def measure_start(benchmark: str, state: str) -> Record:
    return {"event": "benchmark_start", "benchmark": benchmark, "lever_state": state}


def measure_end(benchmark: str, state: str, found: int = 3, missed: int = 2) -> Record:
    return {
        "event": "benchmark_end",
        "benchmark": benchmark,
        "lever_state": state,
        "recall": round(found / (found + missed), 4),
        "bugs_found": [f"BUG-{n}" for n in range(found)],
        "bugs_missed": [f"BUG-{n}" for n in range(found, found + missed)],
        "historical_baseline_path": "archive/BUGS.md",
    }


CYCLE_END: Record = {
    "event": "cycle_end",
    "verdict": "ship",
    "recall_before": {"chi": 0.6, "virtio": 0.6},
    "recall_after": {"chi": 0.8, "virtio": 0.6},
    "delta": {"chi": 0.2, "virtio": 0},
    "cross_benchmark_check": {"clean": True, "regressions": []},
}
CYCLE: list[Record] = [
    CYCLE_INDEX,
    CYCLE_START,
    *(measure_start("chi", "pre-lever"), measure_end("chi", "pre-lever")),
    *(measure_start("virtio", "pre-lever"), measure_end("virtio", "pre-lever")),
    APPLIED,
    *(measure_start("chi", "post-lever"), measure_end("chi", "post-lever", 4, 1)),
    *(measure_start("virtio", "post-lever"), measure_end("virtio", "post-lever")),
    CYCLE_END,
]


def as_log(records: Iterable[Record]) -> bytes:
    return b"".join(
        json.dumps({"ts": INDEX["ts"], **record}, ensure_ascii=False).encode() + b"\n" for record in records
    )


def check(*records: Record) -> JournalCheck:
    return check_journal([as_log(records)])


def codes(*records: Record) -> list[str]:
    return [str(fault.code) for fault in check(*records).violations]


class Files(dict[str, str]):
    """Files in memory, by their path; a text of None cannot be read."""

    def exists(self, path: str) -> bool:
        return path in self

    def lines(self, path: str) -> Sequence[str] | None:
        text = self.get(path)
        return None if text is None else text.splitlines()

    def files(self, folder: str) -> list[str]:
        names = (path.removeprefix(f"{folder}/") for path in self if path.startswith(f"{folder}/"))
        return sorted(name for name in names if "/" not in name)


BUG_LIST = "# Bugs\n\n### BUG-001: one\n\n### BUG-002: two\n"
PRODUCTS: dict[int, dict[str, str]] = {
    1: {EXPLORATION: "## Open Exploration Findings\n" + "text\n" * 119},
    2: {f"{FOLDER}/{name}": "text" for name in (*GENERATED, "test_functional.py")},
    3: {
        BUGS: BUG_LIST,
        f"{FOLDER}/code_reviews/first.md": "text",
        f"{FOLDER}/patches/BUG-001-regression-test.patch": "text",
    },
    4: {f"{FOLDER}/spec_audits/{name}": "text" for name in ("x-triage.md", "x-auditor-1.md")},
    5: {
        TDD_RESULTS: "{}",
        **{f"{FOLDER}/writeups/BUG-00{n}.md": "text" for n in (1, 2)},
        **{f"{FOLDER}/results/BUG-00{n}.red.log": "RED" for n in (1, 2)},
    },
    6: {GATE_LOG: "0 FAIL", PROGRESS: "# Progress\n\n## Terminal Gate Verification\n\nran\n"},
}
"""What each phase leaves behind when it is done."""


def complete() -> Files:
    return Files({path: text for products in PRODUCTS.values() for path, text in products.items()})
