"""The events of a quality-audit log and what each of their fields may hold.

Pure data; `audit_order` holds records against it. Light to import, like the checker: no typing, no msgspec.
Fields that are not named here are allowed anywhere.
"""

from collections.abc import Mapping

from signoff.core.journal_fields import (
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
    Field,
    one_of,
    whole,
)

PHASES = range(1, 7)
"""Explore, Generate, Code Review, Spec Audit, Reconciliation, Verify."""

PATTERNS = 7
"""Exploration patterns of phase 1: how many a full phase walks."""

PASSES = ("A", "B", "C", "D")
"""Of phase 4."""

RUNNERS = ("claude", "codex", "copilot", "cursor")
VERDICTS = ("pass", "fail", "warn", "skip")
GATE_VERDICTS = ("pass", "fail", "partial")
STATUSES = ("success", "aborted", "failed")
CODE_ONLY = "code_only"

_PHASE = Field("phase", whole(PHASES[0], PHASES[-1]))
_PASS = (Field("phase", whole(4, 4)), Field("pass", one_of(*PASSES)))
_SECONDS = Field("duration_seconds", AMOUNT, required=False)
_ATTEMPT = Field("attempt", ATTEMPT, required=False)

INDEX = (
    Field("schema_version", VERSION),
    Field("benchmark", TEXT),
    Field("lever_state", TEXT),
    Field("started_at", MOMENT),
)
"""Beside `event_types`, which every log has."""

EVENTS: Mapping[str, tuple[Field, ...]] = {
    "_index": INDEX,
    "run_start": (
        Field("runner", one_of(*RUNNERS)),
        Field("playbook_version", TEXT),
        Field("target_path", TEXT),
    ),
    "phase_start": (_PHASE, _ATTEMPT),
    "pattern_walked": (
        Field("phase", whole(1, 1)),
        Field("pattern", whole(1, PATTERNS)),
        Field("findings_count", COUNT),
        _SECONDS,
    ),
    "pass_started": _PASS,
    "pass_ended": (*_PASS, Field("output_artifact", TEXT, required=False)),
    "finding_logged": (_PHASE, Field("finding_id", TEXT), Field("category", TEXT)),
    "artifact_written": (
        Field("relative_path", TEXT),
        Field("byte_size", COUNT, required=False),
        Field("line_count", COUNT, required=False),
    ),
    "gate_check": (
        Field("gate_name", TEXT),
        Field("verdict", one_of(*VERDICTS)),
        Field("reason", ANY_TEXT, required=False),
    ),
    "phase_end": (
        _PHASE,
        Field("key_counts", OBJECT),
        Field("artifacts_produced", NAMES),
        _SECONDS,
        _ATTEMPT,
    ),
    "error": (
        _PHASE._replace(required=False),
        Field("message", TEXT),
        Field("recoverable", FLAG),
    ),
    "documentation_state": (Field("state", one_of(CODE_ONLY, "with_docs")), Field("reason", TEXT)),
    "aborted_missing_docs": (Field("reason", TEXT),),
    "run_end": (
        Field("status", one_of(*STATUSES)),
        Field("total_findings", COUNT, required=False),
        Field("final_verdict", ANY_TEXT, required=False),
    ),
}

KEY_COUNTS: Mapping[int, tuple[Field, ...]] = {
    1: (Field("findings_total", COUNT), Field("patterns_walked", COUNT)),
    2: (Field("findings_promoted", COUNT), Field("findings_dropped", COUNT)),
    3: (Field("bugs_identified", COUNT), Field("bug_writeups", COUNT)),
    4: (Field("req_count", COUNT), Field("uc_count", COUNT), Field("passes_complete", COUNT)),
    5: (Field("gate_checks_total", COUNT), Field("gate_failures", COUNT)),
    6: (Field("bugs_md_count", COUNT), Field("gate_verdict", one_of(*GATE_VERDICTS))),
}
"""What the end of each phase counts."""

FULL_COUNTS = ((1, "patterns_walked", PATTERNS), (4, "passes_complete", len(PASSES)))
"""Counts that should be this much: less, or more, is a warning."""
