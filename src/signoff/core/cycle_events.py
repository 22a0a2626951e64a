"""The events of a calibration cycle's log: what their fields may hold, their order, and their arithmetic.

Pure; `journal_check` leads each record of a cycle log past a `CycleJudge`. Light to import: no typing, no
msgspec. What it remembers does not grow with the log: only benchmarks that `_index` lists are kept.
"""

from collections.abc import Callable, Mapping

from signoff.core.journal_faults import Faults
from signoff.core.journal_fields import (
    AMOUNT,
    FLAG,
    LIST,
    NAMES,
    OBJECT,
    SOME_NAMES,
    TEXT,
    TEXT_OR_NULL,
    VERSION,
    Field,
    check_fields,
    check_schema_version,
    is_names,
    number,
    one_of,
    whole,
)
from signoff.core.journal_rules import JournalCode

MAX_ITERATION = 3
VERDICTS = ("ship", "revert", "iterate", "halt-iterate-cap")
BEFORE, AFTER = "pre-lever", "post-lever"
RECALLS = ("recall_before", "recall_after", "delta")

_RECALL = number(0, 1)
_DELTA = number(-1, 1)
_ROUNDING = "0.015"
"""How far off three figures can be, each rounded to two places; a delta beyond it is another number."""
_PLACES = 400
"""Digits enough to subtract any two numbers from 0 to 1 that JSON can carry here without rounding."""

_LEVER_STATE = Field("lever_state", one_of(BEFORE, AFTER))

EVENTS: Mapping[str, tuple[Field, ...]] = {
    "_index": (
        Field("schema_version", VERSION),
        Field("cycle_name", TEXT),
        Field("lever_under_test", TEXT),
        Field("benchmarks", SOME_NAMES),
        Field("iteration", whole(1, MAX_ITERATION)),
    ),
    "cycle_start": (Field("hypothesis", TEXT), Field("noise_floor_threshold", AMOUNT)),
    "benchmark_start": (Field("benchmark", TEXT), _LEVER_STATE),
    "lever_change_applied": (
        Field("lever_id", TEXT),
        Field("files_changed", NAMES),
        Field("commit_sha", TEXT),
        Field("description", TEXT),
    ),
    "lever_change_reverted": (
        Field("files_changed", NAMES),
        Field("commit_sha", TEXT_OR_NULL, required=False),
    ),
    "benchmark_end": (
        Field("benchmark", TEXT),
        _LEVER_STATE,
        Field("recall", _RECALL),
        Field("bugs_found", NAMES),
        Field("bugs_missed", NAMES),
        Field("historical_baseline_path", TEXT),
    ),
    "cycle_end": (
        Field("verdict", one_of(*VERDICTS)),
        *(Field(name, OBJECT) for name in RECALLS),
        Field("cross_benchmark_check", OBJECT),
    ),
}

CROSS_CHECK = (Field("clean", FLAG), Field("regressions", LIST))
"""Of `cross_benchmark_check`."""

Cell = tuple[str, str]
"""A benchmark in one state of the lever."""


class CycleJudge:
    """Holds one cycle log against its format, a record at a time."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.started = False
        self.benchmarks: frozenset[str] | None = None
        self.lever: object = None
        self.iteration: object = None
        self.applied = False
        self.open: set[Cell] = set()
        self.measured: dict[Cell, object] = {}
        self._handlers: dict[str, Callable[[dict[str, object]], None]] = {
            "_index": self._see_index,
            "cycle_start": self._see_start,
            "benchmark_start": self._see_benchmark_start,
            "benchmark_end": self._see_benchmark_end,
            "lever_change_applied": self._see_applied,
            "lever_change_reverted": self._see_reverted,
            "cycle_end": self._see_end,
        }

    def see(self, event: str, record: dict[str, object]) -> None:
        """Judge one record."""
        fields = EVENTS.get(event)
        if fields is None:
            self.faults.add(JournalCode.EVENT_UNKNOWN, f"{event[:60]!r} is no event of a cycle log", "/event")
            return
        check_fields(record, fields, self.faults)
        handler = self._handlers.get(event)
        if handler is not None:
            handler(record)

    def _see_index(self, index: dict[str, object]) -> None:
        check_schema_version(index.get("schema_version"), self.faults)
        names = index.get("benchmarks")
        if isinstance(names, list):
            self.benchmarks = frozenset(name for name in names if isinstance(name, str))
        self.lever, self.iteration = index.get("lever_under_test"), index.get("iteration")

    def _see_start(self, _: dict[str, object]) -> None:
        if self.started:
            self.faults.add(JournalCode.RUN_START_REPEATED, "`cycle_start` stands here again", "/event")
        self.started = True

    # --- benchmarks ---

    def _see_benchmark_start(self, record: dict[str, object]) -> None:
        cell = self._cell(record)
        if cell is None:
            return
        if cell in self.open:
            self.faults.add(JournalCode.BENCHMARK_ORDER, f"{_shown(cell)} starts and is open", "/benchmark")
        elif cell in self.measured:
            message = f"{_shown(cell)} was measured before"
            self.faults.add(JournalCode.BENCHMARK_REPEATED, message, "/benchmark")
        self.open.add(cell)

    def _see_benchmark_end(self, record: dict[str, object]) -> None:
        self._check_recall(record)
        cell = self._cell(record)
        if cell is None:
            return
        if cell not in self.open:
            self.faults.add(JournalCode.BENCHMARK_ORDER, f"{_shown(cell)} ends and is not open", "/benchmark")
        self.open.discard(cell)
        self.measured[cell] = record.get("recall")

    def _cell(self, record: dict[str, object]) -> Cell | None:
        """Give which measurement this is about, once it is one of this cycle."""
        name, state = record.get("benchmark"), record.get("lever_state")
        if not isinstance(name, str) or not isinstance(state, str) or state not in (BEFORE, AFTER):
            return None
        if (state == AFTER) is not self.applied:
            word = "is" if self.applied else "is not"
            self.faults.add(
                JournalCode.LEVER_ORDER, f"`{state}`, and the change {word} applied", "/lever_state"
            )
        if self.benchmarks is None:
            return None
        if name not in self.benchmarks:
            message = f"{name[:60]!r} is not in `_index.benchmarks`"
            self.faults.add(JournalCode.BENCHMARK_UNKNOWN, message, "/benchmark")
            return None
        return name, state

    def _check_recall(self, record: dict[str, object]) -> None:
        found, missed, recall = record.get("bugs_found"), record.get("bugs_missed"), record.get("recall")
        if not is_names(found) or not is_names(missed):
            return
        found_ids, missed_ids = frozenset(found), frozenset(missed)
        if both := sorted(found_ids & missed_ids):
            message = f"{', '.join(both)[:60]!r} found and missed"
            self.faults.add(JournalCode.BUGS_OVERLAP, message, "/bugs_missed")
        elif (found_ids or missed_ids) and _RECALL.is_good(recall):
            known = len(found_ids) + len(missed_ids)
            if not _is_ratio(recall, len(found_ids), known):
                message = f"`recall` is {recall!r:.30}, found {len(found_ids)} of {known}"
                self.faults.add(JournalCode.RECALL_DIFFERS, message, "/recall")

    # --- the lever ---

    def _see_applied(self, record: dict[str, object]) -> None:
        if self.applied:
            self.faults.add(JournalCode.LEVER_ORDER, "the change is applied already", "/event")
        self.applied = True
        lever = record.get("lever_id")
        if isinstance(lever, str) and isinstance(self.lever, str) and lever != self.lever:
            message = f"{lever[:60]!r} was changed, {self.lever[:60]!r} is under test"
            self.faults.add(JournalCode.LEVER_DIFFERS, message, "/lever_id")

    def _see_reverted(self, _: dict[str, object]) -> None:
        if not self.applied:
            self.faults.add(JournalCode.LEVER_ORDER, "there is no change to revert", "/event")
        self.applied = False

    # --- the end ---

    def _see_end(self, record: dict[str, object]) -> None:
        if self.open:
            message = f"these are still open: {', '.join(sorted(map(_shown, self.open)))[:200]}"
            self.faults.add(JournalCode.BENCHMARK_ORDER, message)
        before, after, delta = (_numbers(record.get(name)) for name in RECALLS)
        for name, values in zip(RECALLS, (before, after, delta), strict=True):
            kind = _DELTA if name == "delta" else _RECALL
            check_fields(values, [Field(benchmark, kind) for benchmark in values], self.faults, f"/{name}")
        self._check_measured(before, after)
        self._check_complete(before, after, delta)
        for benchmark in sorted(before.keys() & after.keys() & delta.keys()):
            self._check_delta(benchmark, before[benchmark], after[benchmark], delta[benchmark])
        self._check_cross(record)

    def _check_measured(self, before: dict[str, object], after: dict[str, object]) -> None:
        for state, name, values in ((BEFORE, RECALLS[0], before), (AFTER, RECALLS[1], after)):
            for benchmark, value in sorted(values.items(), key=lambda item: item[0]):
                measured = self.measured.get((benchmark, state))
                if _RECALL.is_good(measured) and _RECALL.is_good(value) and measured != value:
                    message = f"{benchmark[:60]!r} is {value!r:.30}, measured was {measured!r:.30}"
                    self.faults.add(JournalCode.RECALL_DIFFERS, message, f"/{name}")

    def _check_complete(self, *objects: dict[str, object]) -> None:
        expected = frozenset[str]().union(self.benchmarks or (), *objects)
        for name, values in zip(RECALLS, objects, strict=True):
            if missing := sorted(expected - values.keys()):
                message = f"`{name}` lacks {', '.join(missing)[:200]}"
                self.faults.add(JournalCode.RECALL_INCOMPLETE, message, f"/{name}")

    def _check_delta(self, benchmark: str, before: object, after: object, delta: object) -> None:
        if not (_RECALL.is_good(before) and _RECALL.is_good(after) and _DELTA.is_good(delta)):
            return
        from decimal import Context, Decimal  # only the end of a cycle needs it

        exact = Context(_PLACES).subtract(Decimal(repr(after)), Decimal(repr(before)))
        stated = Decimal(repr(delta))
        if exact != stated:
            message = f"{benchmark[:60]!r}: delta is {delta!r}, {after!r} less {before!r} is {exact!s:.40}"
            is_wrong = abs(exact - stated) > Decimal(_ROUNDING)
            code = JournalCode.DELTA_WRONG if is_wrong else JournalCode.DELTA_DIFFERS
            self.faults.add(code, message, "/delta")

    def _check_cross(self, record: dict[str, object]) -> None:
        check = record.get("cross_benchmark_check")
        if not isinstance(check, dict):
            return
        check_fields(check, CROSS_CHECK, self.faults, "/cross_benchmark_check")
        clean, regressions, verdict = check.get("clean"), check.get("regressions"), record.get("verdict")
        if type(clean) is bool and isinstance(regressions, list) and clean is bool(regressions):
            message = f"`clean` is {str(clean).lower()} with {len(regressions)} regressions"
            self.faults.add(JournalCode.CROSS_CHECK_CONTRADICTS, message, "/cross_benchmark_check/clean")
        if clean is False and verdict == "ship":
            message = "`ship` in spite of regressions"
            self.faults.add(JournalCode.VERDICT_CONTRADICTS, message, "/verdict")
        if verdict == "iterate" and self.iteration == MAX_ITERATION:
            message = f"`iterate` after iteration {MAX_ITERATION} of {MAX_ITERATION}"
            self.faults.add(JournalCode.VERDICT_CONTRADICTS, message, "/verdict")


def _numbers(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _shown(cell: Cell) -> str:
    return f"{cell[0][:60]!r} {cell[1]}"


def _is_ratio(recall: object, part: int, whole_number: int) -> bool:
    """Say whether a recall is this ratio, rounded to as many places as it was written with (2 to 4)."""
    from decimal import Decimal

    said = Decimal(repr(recall))
    exponent = said.as_tuple().exponent
    places = min(max(-exponent if isinstance(exponent, int) else 0, 2), 4)
    error = abs(said * whole_number - part)
    return error <= Decimal(whole_number) * Decimal(5).scaleb(-places - 1)
