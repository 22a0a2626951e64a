"""The events of a quality-audit log and what each of their fields may hold.

Pure data; `audit_order` checks records against it. Light to import, like the checker: no typing, no msgspec.
"""

from collections.abc import Mapping

from signoff.judges.journal.journal_fields import (
    AMOUNT,
    ANY_TEXT,
    ATTEMPT,
    COUNT,
    FLAG,
    MOMENT,
    NAMES,
    OBJECT,
    TEXT,
    VERSION,
    Fields,
    one_of,
    optional,
    whole,
)

PHASES = range(1, 7)
"""Explore, Generate, Code Review, Spec Audit, Reconciliation, Verify."""

PATTERNS = 7
"""Exploration patterns of phase 1: how many a full phase walks."""

PASSES = ("A", "B", "C", "D")
"""Of phase 4."""

CODE_ONLY = "code_only"

_PHASE = whole(PHASES[0], PHASES[-1])
_PASS: Fields = {"phase": whole(4, 4), "pass": one_of(*PASSES)}

EVENTS: Mapping[str, Fields] = {
    # Beside `event_types`, which every log has.
    "_index": {"schema_version": VERSION, "benchmark": TEXT, "lever_state": TEXT, "started_at": MOMENT},
    "run_start": {
        "runner": one_of("claude", "codex", "copilot", "cursor"),
        "playbook_version": TEXT,
        "target_path": TEXT,
    },
    "phase_start": {"phase": _PHASE, "attempt": optional(ATTEMPT)},
    "pattern_walked": {
        "phase": whole(1, 1),
        "pattern": whole(1, PATTERNS),
        "findings_count": COUNT,
        "duration_seconds": optional(AMOUNT),
    },
    "pass_started": _PASS,
    "pass_ended": {**_PASS, "output_artifact": optional(TEXT)},
    "finding_logged": {"phase": _PHASE, "finding_id": TEXT, "category": TEXT},
    "artifact_written": {"relative_path": TEXT, "byte_size": optional(COUNT), "line_count": optional(COUNT)},
    "gate_check": {
        "gate_name": TEXT,
        "verdict": one_of("pass", "fail", "warn", "skip"),
        "reason": optional(ANY_TEXT),
    },
    "phase_end": {
        "phase": _PHASE,
        "key_counts": OBJECT,
        "artifacts_produced": NAMES,
        "duration_seconds": optional(AMOUNT),
        "attempt": optional(ATTEMPT),
    },
    "error": {"phase": optional(_PHASE), "message": TEXT, "recoverable": FLAG},
    "documentation_state": {"state": one_of(CODE_ONLY, "with_docs"), "reason": TEXT},
    "aborted_missing_docs": {"reason": TEXT},
    "run_end": {
        "status": one_of("success", "aborted", "failed"),
        "total_findings": optional(COUNT),
        "final_verdict": optional(ANY_TEXT),
    },
}

KEY_COUNTS: Mapping[int, Fields] = {
    1: {"findings_total": COUNT, "patterns_walked": COUNT},
    2: {"findings_promoted": COUNT, "findings_dropped": COUNT},
    3: {"bugs_identified": COUNT, "bug_writeups": COUNT},
    4: {"req_count": COUNT, "uc_count": COUNT, "passes_complete": COUNT},
    5: {"gate_checks_total": COUNT, "gate_failures": COUNT},
    6: {"bugs_md_count": COUNT, "gate_verdict": one_of("pass", "fail", "partial")},
}
"""What the end of each phase counts."""

FULL_COUNTS: Mapping[int, tuple[str, int]] = {
    1: ("patterns_walked", PATTERNS),
    4: ("passes_complete", len(PASSES)),
}
"""The count of a phase that should be this much: less, or more, is a warning."""
