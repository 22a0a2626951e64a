"""The codes of the journal checker: what each means, how grave it is, and how to put it right.

Pure data; `journal_check` reports them and docs/reference is written from `RULES`. Light to import, like
the checker: no typing, no msgspec.
"""

from collections import namedtuple
from collections.abc import Mapping
from enum import StrEnum

from signoff.core.journal_format import MAX_LINE


class JournalCode(StrEnum):
    """What can be wrong with a log; `RULES` says more of each."""

    JOURNAL_EMPTY = "journal-empty"
    INDEX_MISSING = "index-missing"
    INDEX_REPEATED = "index-repeated"
    EVENT_TYPES_INVALID = "event-types-invalid"
    UNKNOWN_PROFILE = "unknown-profile"
    BLANK_LINE = "blank-line"
    NOT_UTF8 = "not-utf8"
    NOT_JSON = "not-json"
    NOT_OBJECT = "not-an-object"
    DUPLICATE_KEY = "duplicate-key"
    LINE_TOO_LONG = "line-too-long"
    NEWLINE_MISSING = "newline-missing"
    NEWLINE_LEFT_OUT = "newline-left-out"
    TS_INVALID = "ts-invalid"
    TS_BACKWARDS = "ts-backwards"
    EVENT_INVALID = "event-invalid"
    EVENT_UNDECLARED = "event-undeclared"
    RUN_START_MISSING = "run-start-missing"
    AFTER_RUN_END = "after-run-end"
    SEQ_WRONG = "seq-wrong"
    PREV_WRONG = "prev-wrong"
    SUM_WRONG = "sum-wrong"
    SUM_MISSING = "sum-missing"
    ANCHOR_MISSING = "anchor-missing"
    ANCHOR_MISMATCH = "anchor-mismatch"
    ANCHOR_NOT_LAST = "anchor-not-last"
    RUN_END_MISSING = "run-end-missing"
    JOURNAL_OPEN = "journal-open"
    EVENT_UNKNOWN = "event-unknown"
    INDEX_UNDECLARED = "index-undeclared"
    FIELD_MISSING = "field-missing"
    FIELD_TYPE = "field-type"
    FIELD_VALUE = "field-value"
    SCHEMA_VERSION_UNSUPPORTED = "schema-version-unsupported"
    STARTED_AT_DIFFERS = "started-at-differs"
    PATH_NOT_RELATIVE = "path-not-relative"
    RUN_START_REPEATED = "run-start-repeated"
    PHASE_ORDER = "phase-order"
    PHASE_REPEATED = "phase-repeated"
    PHASE_NOT_OPEN = "phase-not-open"
    PHASE_NOT_RETRIED = "phase-not-retried"
    ERROR_BEFORE_PHASE = "error-before-phase"
    ATTEMPT_WRONG = "attempt-wrong"
    OUTSIDE_PHASE = "outside-phase"
    PASS_ORDER = "pass-order"  # noqa: S105 - a pass of phase 4
    PATTERN_REPEATED = "pattern-repeated"
    COUNT_INCOMPLETE = "count-incomplete"
    COUNTS_DIFFER = "counts-differ"
    DOCUMENTATION_CONTRADICTS = "documentation-contradicts"
    RUN_WAS_ABORTED = "run-was-aborted"
    PHASES_INCOMPLETE = "phases-incomplete"
    BUGS_COUNT_DIFFERS = "bugs-count-differs"
    BENCHMARK_UNKNOWN = "benchmark-unknown"
    BENCHMARK_ORDER = "benchmark-order"
    BENCHMARK_REPEATED = "benchmark-repeated"
    LEVER_ORDER = "lever-order"
    LEVER_DIFFERS = "lever-differs"
    BUGS_OVERLAP = "bugs-overlap"
    RECALL_DIFFERS = "recall-differs"
    RECALL_INCOMPLETE = "recall-incomplete"
    DELTA_DIFFERS = "delta-differs"
    DELTA_WRONG = "delta-wrong"
    CROSS_CHECK_CONTRADICTS = "cross-check-contradicts"
    VERDICT_CONTRADICTS = "verdict-contradicts"
    MORE_VIOLATIONS = "more-violations"


class Rule(namedtuple("Rule", ("meaning", "fix", "number", "severity"), defaults=(None, "error"))):
    """What a code means, for the docs and for the violation that carries it."""

    __slots__ = ()
    meaning: str
    fix: str
    number: int | None
    """Of the format invariant of event logs."""
    severity: str


_RESTORE = "restore the log from a copy; what it says is no evidence as it stands"
_WRITER = "correct the program that writes this log; logs are appended to, never edited"

RULES: Mapping[JournalCode, Rule] = {
    JournalCode.JOURNAL_EMPTY: Rule("there is no record in the file", _RESTORE, 1),
    JournalCode.INDEX_MISSING: Rule("the first record is not `_index`", _RESTORE, 1),
    JournalCode.INDEX_REPEATED: Rule(
        "`_index` stands again further down", "start a log of its own for each run", 1
    ),
    JournalCode.EVENT_TYPES_INVALID: Rule("`_index.event_types` is not a list of names", _WRITER, 4),
    JournalCode.UNKNOWN_PROFILE: Rule(
        "`_index` names neither a flow, a cycle nor a benchmark",
        'give `_index` a "flow", a "cycle_name" or a "benchmark"',
    ),
    JournalCode.BLANK_LINE: Rule("a line with nothing on it", _WRITER, 2),
    JournalCode.NOT_UTF8: Rule("a line is not UTF-8", _RESTORE, 2),
    JournalCode.NOT_JSON: Rule("a line is not JSON (NaN and Infinity are not either)", _RESTORE, 2),
    JournalCode.NOT_OBJECT: Rule("a line is JSON, but not an object", _WRITER, 2),
    JournalCode.DUPLICATE_KEY: Rule("an object has one key twice, so readers may disagree on it", _WRITER, 2),
    JournalCode.LINE_TOO_LONG: Rule(
        f"a line is longer than {MAX_LINE} bytes and was not read",
        "keep long bodies in files of their own",
        2,
    ),
    JournalCode.NEWLINE_MISSING: Rule(
        "the last line has no end: its writer was stopped half-way", "signoff journal repair FILE", 2
    ),
    JournalCode.NEWLINE_LEFT_OUT: Rule(
        "the last line of a log without a chain is whole, only its newline is missing",
        "end the file with a newline before anything is appended",
        2,
        "warning",
    ),
    JournalCode.TS_INVALID: Rule("`ts` is missing or no ISO 8601 UTC time with `Z`", _WRITER, 3),
    JournalCode.TS_BACKWARDS: Rule(
        "`ts` is earlier than that of the record before",
        "set the clock of that machine right",
        None,
        "warning",
    ),
    JournalCode.EVENT_INVALID: Rule("`event` is missing or not a name", _WRITER, 3),
    JournalCode.EVENT_UNDECLARED: Rule(
        "an event that `_index.event_types` does not list",
        "declare every event in `_index` from the start",
        4,
    ),
    JournalCode.RUN_START_MISSING: Rule(
        "the record after `_index` is not `run_start` (in a cycle: `cycle_start`)", _WRITER, 7
    ),
    JournalCode.AFTER_RUN_END: Rule(
        "records follow the end of the run", "start a log of its own for each run", 7
    ),
    JournalCode.SEQ_WRONG: Rule(
        "`seq` does not count on: a record is missing, doubled or moved", _RESTORE, 5
    ),
    JournalCode.PREV_WRONG: Rule("`prev` is not the sum of the record before", _RESTORE, 5),
    JournalCode.SUM_WRONG: Rule("the line was changed after it was written", _RESTORE, 5),
    JournalCode.SUM_MISSING: Rule("a line of a chained log does not end in its `sum`", _RESTORE, 5),
    JournalCode.ANCHOR_MISSING: Rule(
        "a record that state or certificate remember is not there: the log was cut", _RESTORE, 5
    ),
    JournalCode.ANCHOR_MISMATCH: Rule(
        "a record is not the one that state or certificate remember: the log was rewritten", _RESTORE, 5
    ),
    JournalCode.ANCHOR_NOT_LAST: Rule("the log goes on behind what was recorded as its end", _RESTORE, 5),
    JournalCode.RUN_END_MISSING: Rule("the run is recorded as finished, the log has no end", _RESTORE, 7),
    JournalCode.JOURNAL_OPEN: Rule(
        "the run has not ended, so a lost last record would not be noticed",
        "check again when the run is over",
        None,
        "warning",
    ),
    JournalCode.EVENT_UNKNOWN: Rule(
        "a declared event that logs of this profile do not know; its fields were not judged",
        "nothing to do, unless the name is mistyped",
        4,
        "warning",
    ),
    JournalCode.INDEX_UNDECLARED: Rule(
        "`_index.event_types` does not list `_index` itself", "list every event of the file", 4, "warning"
    ),
    JournalCode.FIELD_MISSING: Rule("an event lacks a field it must have", _WRITER),
    JournalCode.FIELD_TYPE: Rule("a field has a value of another type", _WRITER),
    JournalCode.FIELD_VALUE: Rule("a field has a value that is not allowed there", _WRITER),
    JournalCode.SCHEMA_VERSION_UNSUPPORTED: Rule(
        "`schema_version` is of a later major version", "check it with a newer signoff"
    ),
    JournalCode.STARTED_AT_DIFFERS: Rule("`_index.started_at` is not its `ts`", _WRITER),
    JournalCode.PATH_NOT_RELATIVE: Rule(
        "a path is absolute or leads out of the target", "write paths relative to the target", None, "warning"
    ),
    JournalCode.RUN_START_REPEATED: Rule(
        "the run starts a second time", "start a log of its own for each run", 7
    ),
    JournalCode.PHASE_ORDER: Rule(
        "a phase starts before the one ahead of it has ended", "phases are 1 to 6, one after the other", 6
    ),
    JournalCode.PHASE_REPEATED: Rule(
        "a phase marker stands there twice for one attempt",
        "record the `error` with `recoverable: true` that makes the phase start again",
        6,
    ),
    JournalCode.PHASE_NOT_OPEN: Rule("a phase ends that is not open", _WRITER, 6),
    JournalCode.PHASE_NOT_RETRIED: Rule(
        "a phase ends after a recoverable error without having started again",
        "start a phase again after its recoverable error",
        6,
        "warning",
    ),
    JournalCode.ERROR_BEFORE_PHASE: Rule(
        "an error of a phase that has not started", "start a phase before it can fail", 6, "warning"
    ),
    JournalCode.ATTEMPT_WRONG: Rule("`attempt` does not count on from the one before", _WRITER, 6),
    JournalCode.OUTSIDE_PHASE: Rule("an event stands outside the phase it belongs to", _WRITER),
    JournalCode.PASS_ORDER: Rule("a pass starts twice, or ends without a start, or does not end", _WRITER),
    JournalCode.PATTERN_REPEATED: Rule(
        "one pattern is walked twice in one attempt", "walk each pattern once", None, "warning"
    ),
    JournalCode.COUNT_INCOMPLETE: Rule(
        "not all seven patterns were walked, or not all four passes done",
        "say in the report why fewer are enough",
        None,
        "warning",
    ),
    JournalCode.COUNTS_DIFFER: Rule(
        "a total is not what the events before it add up to", _WRITER, None, "warning"
    ),
    JournalCode.DOCUMENTATION_CONTRADICTS: Rule(
        "the run went on in code-only mode and was aborted for want of documentation, both", _WRITER
    ),
    JournalCode.RUN_WAS_ABORTED: Rule(
        "the run goes on, or succeeds, after what aborted it", "start a log of its own for each run"
    ),
    JournalCode.PHASES_INCOMPLETE: Rule(
        "the run ends with `success` and not all six phases have ended",
        "signoff audit next says what is left to do",
        7,
    ),
    JournalCode.BUGS_COUNT_DIFFERS: Rule(
        "BUGS.md has another number of bugs than the end of phase 6 counted",
        "run phase 6 again; the files count, not the log",
    ),
    JournalCode.BENCHMARK_UNKNOWN: Rule("a benchmark that `_index.benchmarks` does not list", _WRITER),
    JournalCode.BENCHMARK_ORDER: Rule(
        "a benchmark starts twice, or ends without a start, or is still open at the end", _WRITER
    ),
    JournalCode.BENCHMARK_REPEATED: Rule(
        "a benchmark is measured a second time in one lever state",
        "one measurement per benchmark and state",
        None,
        "warning",
    ),
    JournalCode.LEVER_ORDER: Rule(
        "an event does not fit whether the lever's change is applied", _WRITER, None, "warning"
    ),
    JournalCode.LEVER_DIFFERS: Rule(
        "the lever that was changed is not `_index.lever_under_test`", _WRITER, None, "warning"
    ),
    JournalCode.BUGS_OVERLAP: Rule("a bug is both found and missed", _WRITER),
    JournalCode.RECALL_DIFFERS: Rule(
        "a recall is not what the bugs found and missed, or the measurement, say", _WRITER, None, "warning"
    ),
    JournalCode.RECALL_INCOMPLETE: Rule(
        "a benchmark of the cycle has no recall before, none after, or no delta", _WRITER, None, "warning"
    ),
    JournalCode.DELTA_WRONG: Rule(
        "a delta is further from `recall_after` less `recall_before` than rounding to two places explains",
        _WRITER,
    ),
    JournalCode.DELTA_DIFFERS: Rule(
        "a delta is not exactly `recall_after` less `recall_before`",
        "compute with decimal numbers, not binary ones",
        None,
        "warning",
    ),
    JournalCode.CROSS_CHECK_CONTRADICTS: Rule("`clean` contradicts the list of regressions", _WRITER),
    JournalCode.VERDICT_CONTRADICTS: Rule(
        "the verdict does not go with the regressions or the iteration",
        "signoff calibrate verdict FILE",
        None,
        "warning",
    ),
    JournalCode.MORE_VIOLATIONS: Rule(
        "there are more violations than are listed", "put the first ones right"
    ),
}

CHAIN_BREAKS = frozenset(
    {
        *(JournalCode.NOT_UTF8, JournalCode.NOT_JSON, JournalCode.NOT_OBJECT, JournalCode.DUPLICATE_KEY),
        *(JournalCode.BLANK_LINE, JournalCode.LINE_TOO_LONG, JournalCode.NEWLINE_MISSING),
        *(JournalCode.SEQ_WRONG, JournalCode.PREV_WRONG, JournalCode.SUM_WRONG, JournalCode.SUM_MISSING),
        *(JournalCode.ANCHOR_MISSING, JournalCode.ANCHOR_MISMATCH, JournalCode.ANCHOR_NOT_LAST),
    }
)
"""Codes after which the chain as a whole counts as broken."""


class Fault(namedtuple("Fault", ("code", "severity", "rule", "path", "line", "message", "fix"))):
    """One violation; the fields are those of `domain.violations.Violation`, which costs msgspec to load."""

    __slots__ = ()
    code: JournalCode
    severity: str
    rule: int | None
    path: str
    line: int | None
    message: str
    fix: str
