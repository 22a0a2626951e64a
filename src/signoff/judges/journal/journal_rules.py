"""The codes of the journal checker: what each means, its severity, and its fix. `Faults` collects violations.

Pure; the table in docs/reference is generated from `JournalCode`. Light to import, like the checker: no
typing, no msgspec.
"""

from collections import namedtuple
from enum import StrEnum

from signoff.engine.journal_format import MAX_LINE

_WRITER = "correct the program that writes this log; logs are appended to, never edited"
_RESTORE = "restore the log from a copy; as it is, it proves nothing"
_OWN_LOG = "start a new log for each run"


class JournalRule(
    namedtuple(
        "JournalRule", ("code", "meaning", "fix", "number", "severity"), defaults=(_WRITER, None, "error")
    )
):
    """One row of the table below."""

    __slots__ = ()
    code: str
    meaning: str
    fix: str
    number: int | None
    """Of the format invariant of event logs."""
    severity: str


def _warning(code: str, meaning: str, fix: str = _WRITER, number: int | None = None) -> JournalRule:
    return JournalRule(code, meaning, fix, number, "warning")


class JournalCode(StrEnum):
    """The codes of a log's violations, each with its rule."""

    meaning: str
    fix: str
    number: int | None
    severity: str

    def __new__(cls, code: str, meaning: str, fix: str, number: int | None, severity: str) -> "JournalCode":
        """Create a member whose value is the code, with the rest of its rule as attributes."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning, member.fix, member.number, member.severity = meaning, fix, number, severity
        return member

    JOURNAL_EMPTY = JournalRule("journal-empty", "there is no record in the file", _RESTORE, 1)
    INDEX_MISSING = JournalRule("index-missing", "the first record is not `_index`", _RESTORE, 1)
    INDEX_REPEATED = JournalRule("index-repeated", "`_index` is repeated further down", _OWN_LOG, 1)
    EVENT_TYPES_INVALID = JournalRule(
        "event-types-invalid", "`_index.event_types` is not a list of names", number=4
    )
    UNKNOWN_PROFILE = JournalRule(
        "unknown-profile",
        "`_index` names neither a flow, a cycle nor a benchmark",
        'give `_index` a "flow", a "cycle_name" or a "benchmark"',
    )
    BLANK_LINE = JournalRule("blank-line", "a line is blank", number=2)
    NOT_UTF8 = JournalRule("not-utf8", "a line is not UTF-8", _RESTORE, 2)
    NOT_JSON = JournalRule("not-json", "a line is not JSON (NaN and Infinity are not either)", _RESTORE, 2)
    NOT_OBJECT = JournalRule("not-an-object", "a line is JSON, but not an object", number=2)
    DUPLICATE_KEY = JournalRule(
        "duplicate-key", "an object has one key twice, so readers may disagree on it", number=2
    )
    LINE_TOO_LONG = JournalRule(
        "line-too-long",
        f"a line is longer than {MAX_LINE} bytes and was not read",
        "keep long bodies in separate files",
        2,
    )
    NEWLINE_MISSING = JournalRule(
        "newline-missing",
        "the last line has no end: its writer was stopped half-way",
        "signoff journal repair FILE",
        2,
    )
    NEWLINE_LEFT_OUT = _warning(
        "newline-left-out",
        "the last line of a log without a chain is whole, only its newline is missing",
        "end the file with a newline before anything is appended",
        2,
    )
    TS_INVALID = JournalRule("ts-invalid", "`ts` is missing or not an ISO 8601 UTC time with `Z`", number=3)
    TS_BACKWARDS = _warning(
        "ts-backwards", "`ts` is earlier than that of the record before", "correct the clock of that machine"
    )
    EVENT_INVALID = JournalRule("event-invalid", "`event` is missing or not a name", number=3)
    EVENT_UNDECLARED = JournalRule(
        "event-undeclared",
        "an event is not listed in `_index.event_types`",
        "declare every event in `_index` from the start",
        4,
    )
    RUN_START_MISSING = JournalRule(
        "run-start-missing",
        "the record after `_index` is not `run_start` (in a cycle: `cycle_start`)",
        number=7,
    )
    AFTER_RUN_END = JournalRule("after-run-end", "records follow the end of the run", _OWN_LOG, 7)
    SEQ_WRONG = JournalRule(
        "seq-wrong", "`seq` does not count on: a record is missing, doubled or moved", _RESTORE, 5
    )
    PREV_WRONG = JournalRule("prev-wrong", "`prev` is not the sum of the record before", _RESTORE, 5)
    SUM_WRONG = JournalRule("sum-wrong", "the line was changed after it was written", _RESTORE, 5)
    SUM_MISSING = JournalRule("sum-missing", "a line of a chained log does not end in its `sum`", _RESTORE, 5)
    ANCHOR_MISSING = JournalRule(
        "anchor-missing",
        "a record that state or certificate remember is not there: the log was cut",
        _RESTORE,
        5,
    )
    ANCHOR_MISMATCH = JournalRule(
        "anchor-mismatch",
        "a record is not the one that state or certificate remember: the log was rewritten",
        _RESTORE,
        5,
    )
    ANCHOR_NOT_LAST = JournalRule(
        "anchor-not-last", "the log continues after what was recorded as its end", _RESTORE, 5
    )
    RUN_END_MISSING = JournalRule(
        "run-end-missing", "the run is recorded as finished, but the log has no end", _RESTORE, 7
    )
    JOURNAL_OPEN = _warning(
        "journal-open",
        "the run has not ended, so a lost last record would not be noticed",
        "check again when the run is over",
    )
    EVENT_UNKNOWN = _warning(
        "event-unknown",
        "a declared event is unknown in logs of this profile, so its fields were not checked",
        "nothing to do, unless the name is mistyped",
        4,
    )
    INDEX_UNDECLARED = _warning(
        "index-undeclared",
        "`_index.event_types` does not list `_index` itself",
        "list every event of the file",
        4,
    )
    FIELD_MISSING = JournalRule("field-missing", "an event lacks a required field")
    FIELD_TYPE = JournalRule("field-type", "a field has a value of another type")
    FIELD_VALUE = JournalRule("field-value", "a field has a value that is not allowed there")
    SCHEMA_VERSION_UNSUPPORTED = JournalRule(
        "schema-version-unsupported",
        "`schema_version` is of a later major version",
        "check it with a newer signoff",
    )
    STARTED_AT_DIFFERS = JournalRule("started-at-differs", "`_index.started_at` is not its `ts`")
    PATH_NOT_RELATIVE = _warning(
        "path-not-relative",
        "a path is absolute or leads out of the target",
        "write paths relative to the target",
    )
    RUN_START_REPEATED = JournalRule("run-start-repeated", "the run starts a second time", _OWN_LOG, 7)
    PHASE_ORDER = JournalRule(
        "phase-order",
        "a phase starts before an earlier phase has ended",
        "phases are 1 to 6, one after the other",
        6,
    )
    PHASE_REPEATED = JournalRule(
        "phase-repeated",
        "a phase marker appears twice for one attempt",
        "record the `error` with `recoverable: true` that makes the phase start again",
        6,
    )
    PHASE_NOT_OPEN = JournalRule("phase-not-open", "a phase ends that is not open", number=6)
    PHASE_NOT_RETRIED = _warning(
        "phase-not-retried",
        "a phase ends after a recoverable error without having started again",
        "start a phase again after its recoverable error",
        6,
    )
    ERROR_BEFORE_PHASE = _warning(
        "error-before-phase",
        "an error names a phase that has not started",
        "start a phase before it can fail",
        6,
    )
    ATTEMPT_WRONG = JournalRule("attempt-wrong", "`attempt` does not count on from the one before", number=6)
    OUTSIDE_PHASE = JournalRule("outside-phase", "an event is outside the phase it belongs to")
    PASS_ORDER = JournalRule("pass-order", "a pass starts twice, ends without a start, or does not end")
    PATTERN_REPEATED = _warning(
        "pattern-repeated", "one pattern is walked twice in one attempt", "walk each pattern once"
    )
    COUNT_INCOMPLETE = _warning(
        "count-incomplete",
        "not all seven patterns were walked, or not all four passes done",
        "explain in the report why fewer are enough",
    )
    COUNTS_DIFFER = _warning("counts-differ", "a total differs from the sum of the events before it")
    DOCUMENTATION_CONTRADICTS = JournalRule(
        "documentation-contradicts",
        "the run both continued in code-only mode and was aborted because documentation was missing",
    )
    RUN_WAS_ABORTED = JournalRule(
        "run-was-aborted", "the run continues, or succeeds, after it was aborted", _OWN_LOG
    )
    PHASES_INCOMPLETE = JournalRule(
        "phases-incomplete",
        "the run ends with `success` before all six phases have ended",
        "`signoff audit next` shows what is left to do",
        7,
    )
    BUGS_COUNT_DIFFERS = JournalRule(
        "bugs-count-differs",
        "BUGS.md has another number of bugs than the end of phase 6 counted",
        "run phase 6 again; the files count, not the log",
    )
    BENCHMARK_UNKNOWN = JournalRule("benchmark-unknown", "a benchmark is not listed in `_index.benchmarks`")
    BENCHMARK_ORDER = JournalRule(
        "benchmark-order", "a benchmark starts twice, ends without a start, or is still open at the end"
    )
    BENCHMARK_REPEATED = _warning(
        "benchmark-repeated",
        "a benchmark is measured a second time in one lever state",
        "one measurement per benchmark and state",
    )
    LEVER_ORDER = _warning("lever-order", "an event contradicts whether the lever's change is applied")
    LEVER_DIFFERS = _warning("lever-differs", "the lever that was changed is not `_index.lever_under_test`")
    BUGS_OVERLAP = JournalRule("bugs-overlap", "a bug is both found and missed")
    RECALL_DIFFERS = _warning(
        "recall-differs", "a recall contradicts the bugs found and missed, or the measurement"
    )
    RECALL_INCOMPLETE = _warning(
        "recall-incomplete", "a benchmark of the cycle has no recall before, no recall after, or no delta"
    )
    DELTA_DIFFERS = _warning(
        "delta-differs",
        "a delta is not exactly `recall_after` less `recall_before`",
        "compute with decimal numbers, not binary ones",
    )
    DELTA_WRONG = JournalRule(
        "delta-wrong",
        "a delta is further from `recall_after` less `recall_before` than rounding to two places explains",
    )
    CROSS_CHECK_CONTRADICTS = JournalRule(
        "cross-check-contradicts", "`clean` contradicts the list of regressions"
    )
    VERDICT_CONTRADICTS = _warning(
        "verdict-contradicts",
        "the verdict contradicts the regressions or the iteration",
        "signoff calibrate verdict FILE",
    )
    MORE_VIOLATIONS = JournalRule(
        "more-violations", "there are more violations than are listed", "correct the first ones"
    )


CHAIN_BREAKS = frozenset(
    {
        *(JournalCode.NOT_UTF8, JournalCode.NOT_JSON, JournalCode.NOT_OBJECT, JournalCode.DUPLICATE_KEY),
        *(JournalCode.BLANK_LINE, JournalCode.LINE_TOO_LONG, JournalCode.NEWLINE_MISSING),
        *(JournalCode.SEQ_WRONG, JournalCode.PREV_WRONG, JournalCode.SUM_WRONG, JournalCode.SUM_MISSING),
        *(JournalCode.ANCHOR_MISSING, JournalCode.ANCHOR_MISMATCH, JournalCode.ANCHOR_NOT_LAST),
    }
)
"""Codes after which the chain as a whole counts as broken."""

MAX_VIOLATIONS = 1_000
"""How many are listed. A last one states how many more there are."""


class Fault(namedtuple("Fault", ("code", "severity", "rule", "path", "line", "message", "fix"))):
    """One violation, with the fields of `domain.base.violations.Violation`, which costs msgspec to load."""

    __slots__ = ()
    code: JournalCode
    severity: str
    rule: int | None
    path: str
    line: int | None
    message: str
    fix: str


class Faults:
    """The violations of one log up to the cap, with the counts of all of them."""

    def __init__(self) -> None:
        self.listed: list[Fault] = []
        self.line: int | None = 0
        self.errors = 0
        self.more = 0
        self.chain_broken = False

    def add(self, code: JournalCode, message: str = "", path: str = "", fix: str = "") -> None:
        """Record a violation of the current line. Without a message or fix it has those of its rule."""
        self.errors += code.severity == "error"
        self.chain_broken |= code in CHAIN_BREAKS
        if len(self.listed) >= MAX_VIOLATIONS:
            self.more += 1
        else:
            text = message or code.meaning
            self.listed.append(
                Fault(code, code.severity, code.number, path, self.line, text, fix or code.fix)
            )

    def all(self) -> tuple[Fault, ...]:
        """Return them in the order of the log, with a note in place of those over the cap."""
        if not self.more:
            return tuple(self.listed)
        code = JournalCode.MORE_VIOLATIONS
        severity = "error" if self.errors else "warning"
        return (*self.listed, Fault(code, severity, None, "", None, f"and {self.more} more", code.fix))
