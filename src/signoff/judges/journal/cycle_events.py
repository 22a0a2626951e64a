"""The events of a calibration cycle's log: what their fields may hold, their order, and their arithmetic.

Pure; `journal_check` passes each record of a cycle log to a `CycleJudge`. Light to import: no typing, no
msgspec. Its memory does not grow with the log: only benchmarks that `_index` lists are kept.
"""

from collections.abc import Iterator, Mapping

from signoff.judges.journal.journal_fields import (
    AMOUNT,
    FLAG,
    LIST,
    NAMES,
    OBJECT,
    SOME_NAMES,
    TEXT,
    TEXT_OR_NULL,
    VERSION,
    Fields,
    Found,
    Judge,
    Record,
    check_fields,
    check_schema_version,
    is_names,
    number,
    one_of,
    optional,
    whole,
)
from signoff.judges.journal.journal_rules import Faults
from signoff.judges.journal.journal_rules import JournalCode as Code

MAX_ITERATION = 3
BEFORE, AFTER = "pre-lever", "post-lever"
RECALLS = ("recall_before", "recall_after", "delta")

_RECALL = number(0, 1)
_DELTA = number(-1, 1)
_ROUNDING = "0.015"
"""How far off three figures can be, each rounded to two places. A delta beyond it is another number."""
_PLACES = 400
"""Digits enough to subtract any two numbers from 0 to 1 that JSON can hold here without rounding."""

_BENCHMARK: Fields = {"benchmark": TEXT, "lever_state": one_of(BEFORE, AFTER)}

EVENTS: Mapping[str, Fields] = {
    "_index": {
        "schema_version": VERSION,
        "cycle_name": TEXT,
        "lever_under_test": TEXT,
        "benchmarks": SOME_NAMES,
        "iteration": whole(1, MAX_ITERATION),
    },
    "cycle_start": {"hypothesis": TEXT, "noise_floor_threshold": AMOUNT},
    "benchmark_start": _BENCHMARK,
    "lever_change_applied": {
        "lever_id": TEXT,
        "files_changed": NAMES,
        "commit_sha": TEXT,
        "description": TEXT,
    },
    "lever_change_reverted": {"files_changed": NAMES, "commit_sha": optional(TEXT_OR_NULL)},
    "benchmark_end": {
        **_BENCHMARK,
        "recall": _RECALL,
        "bugs_found": NAMES,
        "bugs_missed": NAMES,
        "historical_baseline_path": TEXT,
    },
    "cycle_end": {
        "verdict": one_of("ship", "revert", "iterate", "halt-iterate-cap"),
        **dict.fromkeys(RECALLS, OBJECT),
        "cross_benchmark_check": OBJECT,
    },
}

_CROSS_CHECK: Fields = {"clean": FLAG, "regressions": LIST}

Cell = tuple[str, str]
"""A benchmark in one state of the lever."""


class CycleJudge(Judge):
    """Check one cycle log against its format, a record at a time."""

    def __init__(self, faults: Faults) -> None:
        self.benchmarks: frozenset[str] | None = None
        self.lever: object = None
        self.iteration: object = None
        self.applied = False
        self.open: set[Cell] = set()
        self.measured: dict[Cell, object] = {}
        checks = {
            "_index": self._index,
            "cycle_start": self.start,
            "benchmark_start": self._benchmark_start,
            "benchmark_end": self._benchmark_end,
            "lever_change_applied": self._lever_change_applied,
            "lever_change_reverted": self._lever_change_reverted,
            "cycle_end": self._cycle_end,
        }
        super().__init__(faults, "a cycle", EVENTS, checks)

    def _index(self, index: Record) -> Iterator[Found]:
        yield from check_schema_version(index.get("schema_version"))
        names = index.get("benchmarks")
        if isinstance(names, list):
            self.benchmarks = frozenset(name for name in names if isinstance(name, str))
        self.lever, self.iteration = index.get("lever_under_test"), index.get("iteration")

    # --- benchmarks ---

    def _benchmark_start(self, record: Record) -> Iterator[Found]:
        yield from self._check_cell(record)
        if (cell := self._cell(record)) is None:
            return
        if cell in self.open:
            yield Code.BENCHMARK_ORDER, f"{_shown(cell)} starts and is open", "/benchmark"
        elif cell in self.measured:
            yield Code.BENCHMARK_REPEATED, f"{_shown(cell)} was measured before", "/benchmark"
        self.open.add(cell)

    def _benchmark_end(self, record: Record) -> Iterator[Found]:
        yield from _check_recall(record)
        yield from self._check_cell(record)
        if (cell := self._cell(record)) is None:
            return
        if cell not in self.open:
            yield Code.BENCHMARK_ORDER, f"{_shown(cell)} ends and is not open", "/benchmark"
        self.open.discard(cell)
        self.measured[cell] = record.get("recall")

    def _cell(self, record: Record) -> Cell | None:
        """Return which measurement of this cycle a record is about, or None."""
        name, state = record.get("benchmark"), record.get("lever_state")
        is_known = isinstance(name, str) and name in (self.benchmarks or ())
        return (str(name), str(state)) if is_known and state in (BEFORE, AFTER) else None

    def _check_cell(self, record: Record) -> Iterator[Found]:
        name, state = record.get("benchmark"), record.get("lever_state")
        if not isinstance(name, str) or state not in (BEFORE, AFTER):
            return
        if (state == AFTER) is not self.applied:
            word = "is" if self.applied else "is not"
            yield Code.LEVER_ORDER, f"`{state}`, and the change {word} applied", "/lever_state"
        if self.benchmarks is not None and name not in self.benchmarks:
            yield Code.BENCHMARK_UNKNOWN, f"{name[:60]!r} is not in `_index.benchmarks`", "/benchmark"

    # --- the lever ---

    def _lever_change_applied(self, record: Record) -> Iterator[Found]:
        if self.applied:
            yield Code.LEVER_ORDER, "the change is applied already", "/event"
        self.applied = True
        lever = record.get("lever_id")
        if isinstance(lever, str) and isinstance(self.lever, str) and lever != self.lever:
            message = f"{lever[:60]!r} was changed, {self.lever[:60]!r} is under test"
            yield Code.LEVER_DIFFERS, message, "/lever_id"

    def _lever_change_reverted(self, _: Record) -> Iterator[Found]:
        if not self.applied:
            yield Code.LEVER_ORDER, "there is no change to revert", "/event"
        self.applied = False

    # --- the end ---

    def _cycle_end(self, record: Record) -> Iterator[Found]:
        if self.open:
            message = f"these are still open: {', '.join(sorted(map(_shown, self.open)))[:200]}"
            yield Code.BENCHMARK_ORDER, message, ""
        recalls = {name: value if isinstance(value := record.get(name), dict) else {} for name in RECALLS}
        for name, values in recalls.items():
            kind = _DELTA if name == "delta" else _RECALL
            yield from check_fields(values, dict.fromkeys(values, kind), f"/{name}")
        before, after, delta = recalls.values()
        yield from self._check_measured(BEFORE, "recall_before", before)
        yield from self._check_measured(AFTER, "recall_after", after)
        expected = frozenset[str]().union(self.benchmarks or (), before, after, delta)
        for name, values in recalls.items():
            if missing := sorted(expected - values.keys()):
                yield Code.RECALL_INCOMPLETE, f"`{name}` lacks {', '.join(missing)[:200]}", f"/{name}"
        for benchmark in sorted(before.keys() & after.keys() & delta.keys()):
            yield from _check_delta(benchmark, before[benchmark], after[benchmark], delta[benchmark])
        yield from self._check_cross(record)

    def _check_measured(self, state: str, name: str, values: Record) -> Iterator[Found]:
        for benchmark in sorted(values):
            value, measured = values[benchmark], self.measured.get((benchmark, state))
            if _RECALL.is_good(measured) and _RECALL.is_good(value) and measured != value:
                message = f"{benchmark[:60]!r} is {value!r:.30}, measured was {measured!r:.30}"
                yield Code.RECALL_DIFFERS, message, f"/{name}"

    def _check_cross(self, record: Record) -> Iterator[Found]:
        check = record.get("cross_benchmark_check")
        if not isinstance(check, dict):
            return
        yield from check_fields(check, _CROSS_CHECK, "/cross_benchmark_check")
        clean, regressions, verdict = check.get("clean"), check.get("regressions"), record.get("verdict")
        if type(clean) is bool and isinstance(regressions, list) and clean is bool(regressions):
            message = f"`clean` is {str(clean).lower()} with {len(regressions)} regressions"
            yield Code.CROSS_CHECK_CONTRADICTS, message, "/cross_benchmark_check/clean"
        if clean is False and verdict == "ship":
            yield Code.VERDICT_CONTRADICTS, "`ship` in spite of regressions", "/verdict"
        if verdict == "iterate" and self.iteration == MAX_ITERATION:
            message = f"`iterate` after iteration {MAX_ITERATION} of {MAX_ITERATION}"
            yield Code.VERDICT_CONTRADICTS, message, "/verdict"


def _check_recall(record: Record) -> Iterator[Found]:
    found, missed, recall = record.get("bugs_found"), record.get("bugs_missed"), record.get("recall")
    if not is_names(found) or not is_names(missed):
        return
    found_ids, missed_ids = frozenset(found), frozenset(missed)
    known = len(found_ids) + len(missed_ids)
    if both := sorted(found_ids & missed_ids):
        yield Code.BUGS_OVERLAP, f"{', '.join(both)[:60]!r} found and missed", "/bugs_missed"
    elif known and _RECALL.is_good(recall) and not _is_ratio(recall, len(found_ids), known):
        yield Code.RECALL_DIFFERS, f"`recall` is {recall!r:.30}, found {len(found_ids)} of {known}", "/recall"


def _check_delta(benchmark: str, before: object, after: object, delta: object) -> Iterator[Found]:
    if not (_RECALL.is_good(before) and _RECALL.is_good(after) and _DELTA.is_good(delta)):
        return
    from decimal import Context, Decimal  # only the end of a cycle needs it

    exact = Context(_PLACES).subtract(Decimal(repr(after)), Decimal(repr(before)))
    stated = Decimal(repr(delta))
    if exact != stated:
        message = f"{benchmark[:60]!r}: delta is {delta!r}, {after!r} less {before!r} is {exact!s:.40}"
        is_wrong = abs(exact - stated) > Decimal(_ROUNDING)
        yield Code.DELTA_WRONG if is_wrong else Code.DELTA_DIFFERS, message, "/delta"


def _shown(cell: Cell) -> str:
    return f"{cell[0][:60]!r} {cell[1]}"


def _is_ratio(recall: object, part: int, total: int) -> bool:
    """Check whether a recall is this ratio, rounded to as many places as it was written with (2 to 4)."""
    from decimal import Decimal

    written = Decimal(repr(recall))
    exponent = written.as_tuple().exponent
    places = min(max(-exponent if isinstance(exponent, int) else 0, 2), 4)
    error = abs(written * total - part)
    return error <= Decimal(total) * Decimal(5).scaleb(-places - 1)
