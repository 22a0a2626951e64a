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
    PROFILE_NOT_JUDGED = "profile-not-judged"
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
    JournalCode.PROFILE_NOT_JUDGED: Rule(
        "the fields of each event of this profile are not judged by this version",
        "nothing to do; envelope and order were judged",
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
