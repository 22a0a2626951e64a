"""The logs of quality audits and calibration cycles: what passes, and what is noticed."""

import json
import tracemalloc
from collections.abc import Iterator

import pytest
from audit_bench import (
    APPLIED,
    ARTIFACT,
    CODE_ONLY,
    CYCLE,
    CYCLE_END,
    CYCLE_INDEX,
    CYCLE_START,
    END,
    GATE,
    INDEX,
    NO_DOCS,
    PASSES,
    PATTERNS,
    PHASES,
    REVERTED,
    RUN,
    START,
    Record,
    as_log,
    check,
    codes,
    failure,
    finding,
    measure_end,
    measure_start,
    phase,
    phase_end,
    phase_start,
    valid_runs,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.judges.journal import audit_events, cycle_events, journal_check
from signoff.judges.journal.journal_check import check_journal
from signoff.judges.journal.journal_fields import FieldKind, Fields
from signoff.judges.journal.journal_rules import JournalCode

MARKERS = ("_index", "run_start", "phase_start", "phase_end", "run_end")


def test_a_whole_run_has_nothing_against_it() -> None:
    assert check(*RUN) == (True, "audit", 15, "absent", ())


def test_a_whole_cycle_has_nothing_against_it() -> None:
    assert check(*CYCLE) == (True, "cycle", 12, "absent", ())


@given(valid_runs())
@settings(max_examples=150, deadline=None)
def test_a_run_with_phases_tried_again_has_nothing_against_it(run: list[Record]) -> None:
    assert codes(*run) == []


def _markers(run: list[Record]) -> list[int]:
    return [place for place, record in enumerate(run) if record["event"] in MARKERS]


@given(valid_runs(reopened=False), st.data())
@settings(max_examples=150, deadline=None)
def test_a_marker_that_is_dropped_is_noticed(run: list[Record], data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(_markers(run)))

    assert codes(*run[:place], *run[place + 1 :])


@given(valid_runs(), st.data())
@settings(max_examples=150, deadline=None)
def test_a_marker_that_stands_twice_is_noticed(run: list[Record], data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(_markers(run)))

    assert not check(*run[: place + 1], *run[place:]).ok


@given(valid_runs(), st.data())
@settings(max_examples=200, deadline=None)
def test_markers_in_another_order_are_noticed(run: list[Record], data: st.DataObject) -> None:
    """Two that are alike may change places: nobody could tell."""
    one, other = sorted(data.draw(st.lists(st.sampled_from(_markers(run)), min_size=2, max_size=2)))
    changed = list(run)
    changed[one], changed[other] = run[other], run[one]

    assert codes(*changed) or run[one] == run[other]


@pytest.mark.parametrize("gone", range(len(CYCLE)))
def test_a_record_of_a_cycle_that_is_dropped_or_doubled_is_noticed(gone: int) -> None:
    assert codes(*CYCLE[:gone], *CYCLE[gone + 1 :])
    assert codes(*CYCLE[: gone + 1], *CYCLE[gone:])


@pytest.mark.parametrize("place", range(len(CYCLE) - 1))
def test_two_records_of_a_cycle_in_the_other_order_are_noticed(place: int) -> None:
    swapped = [*CYCLE[:place], CYCLE[place + 1], CYCLE[place], *CYCLE[place + 2 :]]
    # Two benchmarks may run side by side, so the end of one may change places with the start of another.
    beside = {CYCLE[place]["event"], CYCLE[place + 1]["event"]} == {"benchmark_start", "benchmark_end"} and (
        CYCLE[place]["benchmark"] != CYCLE[place + 1]["benchmark"]
    )

    assert bool(codes(*swapped)) is not beside


# --- every code, for what it stands for ---

WALKED = PATTERNS[0]
BROKEN = {**CYCLE_END, "cross_benchmark_check": {"clean": True, "regressions": ["chi/BUG-1"]}}
HEAD = (INDEX, START)
CYCLE_HEAD = (CYCLE_INDEX, CYCLE_START)
CASES: dict[JournalCode, tuple[Record, ...]] = {
    JournalCode.EVENT_UNKNOWN: (
        {**INDEX, "event_types": ["_index", "run_start", "nap"]},
        START,
        {"event": "nap"},
    ),
    JournalCode.INDEX_UNDECLARED: ({**INDEX, "event_types": ["run_start"]}, START),
    JournalCode.FIELD_MISSING: (*HEAD, {"event": "phase_start"}),
    JournalCode.FIELD_TYPE: (*HEAD, {**phase_start(1), "phase": "1"}),
    JournalCode.FIELD_VALUE: (*HEAD, phase_start(99)),
    JournalCode.SCHEMA_VERSION_UNSUPPORTED: ({**INDEX, "schema_version": "2.0"}, START),
    JournalCode.STARTED_AT_DIFFERS: ({**INDEX, "started_at": "2026-05-15T14:32:02Z"}, START),
    JournalCode.PATH_NOT_RELATIVE: (*HEAD, {**ARTIFACT, "relative_path": "/etc/passwd"}),
    JournalCode.RUN_START_REPEATED: (*HEAD, START),
    JournalCode.PHASE_ORDER: (*HEAD, phase_start(2)),
    JournalCode.PHASE_REPEATED: (*HEAD, phase_start(1), phase_start(1)),
    JournalCode.PHASE_NOT_OPEN: (*HEAD, phase_end(1)),
    JournalCode.PHASE_NOT_RETRIED: (*HEAD, phase_start(1), failure(1), phase_end(1)),
    JournalCode.ERROR_BEFORE_PHASE: (*HEAD, failure(1)),
    JournalCode.ATTEMPT_WRONG: (*HEAD, phase_start(1, attempt=2)),
    JournalCode.OUTSIDE_PHASE: (*HEAD, WALKED),
    JournalCode.PASS_ORDER: (*HEAD, *PHASES[:6], phase_start(4), PASSES[1]),
    JournalCode.PATTERN_REPEATED: (*HEAD, phase_start(1), WALKED, WALKED),
    JournalCode.COUNT_INCOMPLETE: (
        *HEAD,
        phase_start(1),
        phase_end(1, key_counts={"findings_total": 1, "patterns_walked": 6}),
    ),
    JournalCode.COUNTS_DIFFER: (*HEAD, phase_start(1), WALKED, phase_end(1)),
    JournalCode.DOCUMENTATION_CONTRADICTS: (*HEAD, CODE_ONLY, NO_DOCS),
    JournalCode.RUN_WAS_ABORTED: (*HEAD, NO_DOCS, phase_start(1)),
    JournalCode.PHASES_INCOMPLETE: (*HEAD, END),
    JournalCode.BENCHMARK_UNKNOWN: (*CYCLE_HEAD, measure_start("redis", "pre-lever")),
    JournalCode.BENCHMARK_ORDER: (*CYCLE_HEAD, measure_end("chi", "pre-lever")),
    JournalCode.BENCHMARK_REPEATED: (*CYCLE[:4], *CYCLE[2:4]),
    JournalCode.LEVER_ORDER: (*CYCLE_HEAD, measure_start("chi", "post-lever")),
    JournalCode.LEVER_DIFFERS: (*CYCLE_HEAD, {**APPLIED, "lever_id": "lever-2"}),
    JournalCode.BUGS_OVERLAP: (*CYCLE[:3], {**CYCLE[3], "bugs_missed": ["BUG-1"]}),
    JournalCode.RECALL_DIFFERS: (*CYCLE[:3], {**CYCLE[3], "recall": 0.61}),
    JournalCode.RECALL_INCOMPLETE: (*CYCLE[:-1], {**CYCLE_END, "delta": {"chi": 0.2}}),
    JournalCode.DELTA_WRONG: (*CYCLE[:-1], {**CYCLE_END, "delta": {"chi": 0.3, "virtio": 0}}),
    JournalCode.DELTA_DIFFERS: (*CYCLE[:-1], {**CYCLE_END, "delta": {"chi": 0.8 - 0.6, "virtio": 0}}),
    JournalCode.CROSS_CHECK_CONTRADICTS: (*CYCLE[:-1], BROKEN),
    JournalCode.VERDICT_CONTRADICTS: (
        {**CYCLE_INDEX, "iteration": 3},
        *CYCLE[1:-1],
        {**CYCLE_END, "verdict": "iterate"},
    ),
}


@pytest.mark.parametrize("code", list(CASES))
def test_every_code_of_an_audit_or_cycle_is_reported_for_what_it_stands_for(code: JournalCode) -> None:
    found = [fault for fault in check(*CASES[code]).violations if fault.code != "journal-open"]

    assert [fault.code for fault in found] == [code]
    assert found[0].severity == code.severity


def test_bugs_are_counted_only_where_the_log_says_how_many() -> None:
    def check_with(*records: Record, bugs: int | None) -> list[str]:
        return [str(fault.code) for fault in check_journal([as_log(records)], (), lambda: bugs).violations]

    assert check_with(*RUN, bugs=2) == check_with(*RUN, bugs=None) == []
    assert check_with(*RUN, bugs=1) == ["bugs-count-differs"]
    assert check_with(*RUN[:-2], bugs=1) == ["journal-open"]
    assert check_with(*RUN[:-1], failure(6), phase_start(6), bugs=1) == ["journal-open"]


# --- fields ---

OF_EVENT: dict[str, Record] = {record["event"]: record for record in (*RUN, *CYCLE, REVERTED)} | {
    record["event"]: record
    for record in (WALKED, *PASSES[:2], finding(1), ARTIFACT, GATE, failure(), CODE_ONLY, NO_DOCS)
}
TABLES = [("audit", audit_events.EVENTS, INDEX), ("cycle", cycle_events.EVENTS, CYCLE_INDEX)]
FIELDS = [
    pytest.param(index, event, field, kind, id=f"{name}-{event}-{field}")
    for name, table, index in TABLES
    for event, fields in table.items()
    for field, kind in fields.items()
]
WRONG: tuple[object, ...] = (
    None,
    True,
    -1,
    "",
    " ",
    "nonsense\u2028",
    [],
    [1],
    {},
    {"": None},
    10**30,
)


def _alone(index: Record, record: Record) -> Iterator[tuple[str, str]]:
    """Give what is said of the fields of one record, whatever else is wrong with where it stands."""
    log = (record,) if record["event"] == "_index" else (index, record)
    for fault in check(*log).violations:
        if fault.code.startswith("field-"):
            yield str(fault.code), fault.path


@pytest.mark.parametrize(("index", "event", "field", "kind"), FIELDS)
def test_every_field_is_judged(index: Record, event: str, field: str, kind: FieldKind) -> None:
    good = index if event == "_index" else OF_EVENT[event]
    without = {name: value for name, value in good.items() if name != field}

    assert list(_alone(index, good)) == []
    assert list(_alone(index, without)) == [("field-missing", f"/{field}")] * kind.required
    for value in WRONG:
        said = {path for _, path in _alone(index, {**good, field: value}) if path == f"/{field}"}
        assert bool(said) is not kind.is_good(value), value


@pytest.mark.parametrize(("number", "fields"), audit_events.KEY_COUNTS.items())
def test_every_count_of_a_phase_is_judged(number: int, fields: Fields) -> None:
    for field in fields:
        counts = phase_end(number)["key_counts"]
        gone = phase_end(number, key_counts={k: v for k, v in counts.items() if k != field})
        wrong = phase_end(number, key_counts={**counts, field: -1})
        assert ("field-missing", f"/key_counts/{field}") in _alone(INDEX, gone)
        assert f"/key_counts/{field}" in {path for _, path in _alone(INDEX, wrong)}


def test_fields_nobody_knows_are_nobodys_business() -> None:
    assert codes(*({**record, "colour": ["green"]} for record in RUN)) == []


@pytest.mark.parametrize("version", ["1.5.6", "1.5.5", "1.9", "0.9"])
def test_older_and_compatible_versions_are_read(version: str) -> None:
    assert codes({**INDEX, "schema_version": version}, *RUN[1:]) == []


# --- phases ---


@pytest.mark.parametrize(
    "middle",
    [
        [*phase(1), phase_start(2), failure(2), *phase(2)],
        [*phase(1), phase_start(2), failure(), *phase(2)],
        [*phase(1), phase_start(2, attempt=1), phase_start(2, attempt=2), phase_end(2, attempt=2)],
        [*phase(1), *phase(2), failure(1), *phase(1)],
        [*phase(1), *phase(2), failure(1), *phase(1), *phase(2)],
        [*phase(1), phase_start(2), failure(1), *phase(1), *phase(2)],
        [phase_start(1), CODE_ONLY, phase_end(1), *phase(2)],
    ],
)
def test_a_phase_may_be_tried_again(middle: list[Record]) -> None:
    assert codes(*HEAD, *middle, *PHASES[4:], END) == []


@pytest.mark.parametrize(
    ("records", "code"),
    [
        ([*phase(1), *phase(1)], "phase-repeated"),
        ([failure(1), phase_start(1), phase_start(1)], "phase-repeated"),
        ([*phase(1), phase_end(1)], "phase-repeated"),
        ([*phase(1), phase_start(3)], "phase-order"),
        ([phase_start(1), phase_start(2)], "phase-order"),
        ([phase_start(1), phase_start(1, attempt=3)], "attempt-wrong"),
        ([phase_start(1), phase_start(1, attempt=1)], "attempt-wrong"),
        ([phase_start(1), phase_end(1, attempt=2)], "attempt-wrong"),
        ([phase_start(1), finding(2)], "outside-phase"),
        ([*phase(1), finding(1)], "outside-phase"),
        ([*phase(1), WALKED], "outside-phase"),
        ([phase_start(1), PASSES[0]], "outside-phase"),
        ([*phase(1), CODE_ONLY], "outside-phase"),
        ([*PHASES[:6], phase_start(4), PASSES[0], phase_end(4)], "pass-order"),
        ([*PHASES[:6], phase_start(4), PASSES[0], PASSES[0]], "pass-order"),
        ([failure(recoverable=False), phase_start(1)], "run-was-aborted"),
        ([phase_start(1), failure(1, recoverable=False), phase_end(1)], "run-was-aborted"),
        ([*PHASES, failure(recoverable=False), END], "run-was-aborted"),
        ([phase_start(1), NO_DOCS], "run-was-aborted"),
        ([NO_DOCS, CODE_ONLY], "documentation-contradicts"),
        ([*PHASES[:-1], END], "phases-incomplete"),
        ([*PHASES, failure(3), phase_start(3), END], "phases-incomplete"),
    ],
)
def test_what_does_not_fit_is_one_error(records: list[Record], code: str) -> None:
    faults = [fault for fault in check(*HEAD, *records).violations if fault.severity == "error"]

    assert [fault.code for fault in faults] == [code]


@pytest.mark.parametrize("status", ["aborted", "failed"])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 12])
def test_a_run_that_did_not_succeed_may_end_anywhere(status: str, length: int) -> None:
    assert codes(*HEAD, *PHASES[:length], {**END, "status": status}) == []


def test_an_abort_for_want_of_documentation_may_end_the_run() -> None:
    assert codes(*HEAD, NO_DOCS, {**END, "status": "aborted"}) == []


def test_totals_are_held_against_what_was_recorded() -> None:
    run = [*HEAD, phase_start(1), finding(1), *PHASES[1:]]

    assert codes(*run, {**END, "total_findings": 1, "final_verdict": "pass"}) == []
    assert codes(*run, {**END, "total_findings": 2}) == ["counts-differ"]
    assert codes(*run, {**END, "final_verdict": "fail"}) == ["counts-differ"]


# --- cycles ---


@pytest.mark.parametrize(
    ("recall", "found", "missed", "fits"),
    [
        (0.67, 2, 1, True),
        (0.6667, 2, 1, True),
        (0.66, 2, 1, False),
        (1, 3, 0, True),
        (0, 0, 3, True),
        (0.5, 0, 0, True),
    ],
)
def test_a_recall_is_the_ratio_as_far_as_it_was_written(
    recall: float, found: int, missed: int, fits: bool
) -> None:
    end = {**measure_end("chi", "pre-lever", found, missed or 1), "recall": recall}
    end["bugs_missed"] = end["bugs_missed"][:missed]

    assert ("recall-differs" not in codes(*CYCLE[:3], end)) is fits


def test_a_delta_is_computed_without_any_rounding() -> None:
    def with_delta(delta: float) -> list[str]:
        end = {
            **CYCLE_END,
            "recall_before": {"chi": 5e-324, "virtio": 0.6},
            "delta": {"chi": delta, "virtio": 0},
        }
        return codes(*CYCLE[:2], CYCLE[6], end)

    assert with_delta(0.8) == ["delta-differs"]


@pytest.mark.parametrize(
    ("before", "after", "delta", "code"),
    [
        (0.6, 0.8, 0.2, []),
        (0.6, 0.8, 0.20000000000000007, ["delta-differs"]),
        (0.33, 0.67, 0.33, ["delta-differs"]),
        (0.6, 0.8, 0.3, ["delta-wrong"]),
        (0.8, 0.6, 0.2, ["delta-wrong"]),
        (0.6, 0.6, 0.02, ["delta-wrong"]),
    ],
)
def test_a_delta_that_no_rounding_explains_is_an_error(
    before: float, after: float, delta: float, code: list[str]
) -> None:
    """The delta decides the verdict and is plain subtraction: a gain that was not measured must not pass."""
    end = {
        **CYCLE_END,
        "recall_before": {"chi": before, "virtio": 0.6},
        "recall_after": {"chi": after, "virtio": 0.6},
        "delta": {"chi": delta, "virtio": 0},
    }
    found = check_journal([as_log([*CYCLE[:2], CYCLE[6], end])]).violations

    assert [str(fault.code) for fault in found if fault.code.startswith("delta")] == code
    assert [f.severity for f in found if f.code == "delta-wrong"] == [
        "error" for c in code if c == "delta-wrong"
    ]


@pytest.mark.parametrize("log", [HEAD, CYCLE])
def test_a_log_without_a_chain_may_end_without_a_newline(log: list[dict[str, object]]) -> None:
    """Writers of these logs are many: the last record is whole, so nothing of it is in doubt."""
    with_newline, without = check_journal([as_log(log)]), check_journal([as_log(log)[:-1]])

    assert without.ok is with_newline.ok
    assert without.events == with_newline.events
    extra = [f for f in without.violations if f not in with_newline.violations]
    assert [(str(fault.code), fault.severity) for fault in extra] == [("newline-left-out", "warning")]


def test_a_torn_last_line_of_a_log_without_a_chain_stays_an_error() -> None:
    """Half a record says nothing: taking it for whole would lose what it was about to say."""
    check = check_journal([as_log([*HEAD, phase_start(1)])[:-5]])

    assert not check.ok
    assert [str(f.code) for f in check.violations if f.severity == "error"] == ["newline-missing"]


def test_counts_of_thousands_of_digits_are_only_wrong() -> None:
    huge = {**WALKED, "findings_count": 10**4299}
    end = phase_end(1, key_counts={"findings_total": 1, "patterns_walked": 7})

    assert set(codes(*HEAD, phase_start(1), *[huge] * 12, end)) >= {"field-value", "pattern-repeated"}


def test_a_recall_at_the_end_must_be_the_one_that_was_measured() -> None:
    end = {**CYCLE_END, "recall_before": {"chi": 0.5, "virtio": 0.6}, "delta": {"chi": 0.3, "virtio": 0}}

    assert codes(*CYCLE[:-1], end) == ["recall-differs"]


def test_recalls_out_of_range_are_errors_at_their_benchmark() -> None:
    end = {**CYCLE_END, "recall_before": {"chi": "n/a", "virtio": 1.5}}
    faults = check(*CYCLE[:-1], end).violations

    assert [(fault.code, fault.path) for fault in faults] == [
        ("field-type", "/recall_before/chi"),
        ("field-value", "/recall_before/virtio"),
    ]


def test_a_change_may_be_taken_back() -> None:
    assert codes(*CYCLE[:-1], REVERTED, {**CYCLE_END, "verdict": "revert"}) == []


# --- whatever comes ---

NAMES = [*audit_events.EVENTS, *cycle_events.EVENTS, "nap"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 9)
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from("ABCD"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
FIELD_NAMES = sorted({field for _, table, _ in TABLES for fields in table.values() for field in fields})
ANYTHING = st.builds(
    lambda event, base, more: {**(OF_EVENT.get(event, {}) if base else {}), "event": event, **more},
    st.sampled_from(NAMES),
    st.booleans(),
    st.dictionaries(st.sampled_from(FIELD_NAMES), VALUES, max_size=3),
)


@given(st.sampled_from([INDEX, CYCLE_INDEX]), st.lists(ANYTHING, max_size=12))
@settings(max_examples=400, deadline=None)
def test_no_sequence_of_events_makes_the_judges_stumble(index: Record, records: list[Record]) -> None:
    log = b"".join(json.dumps({"ts": INDEX["ts"], **record}).encode() + b"\n" for record in (index, *records))
    small = check_journal([log])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal_check, "LARGE", 0)
        assert check_journal([log]) == small


def test_memory_does_not_grow_with_an_audit_log() -> None:
    def peak(events: int) -> int:
        lines = (as_log([record]) for record in (INDEX, START, phase_start(1), *[finding(1)] * events))
        tracemalloc.start()
        try:
            assert check_journal(lines).ok
            return tracemalloc.get_traced_memory()[1] - events * 16
        finally:
            tracemalloc.stop()

    peak(10)

    assert peak(8_000) < peak(500) + 100_000


def test_every_code_of_the_checker_has_its_case() -> None:
    """The rest are those of every log, and the one that needs a file; see test_journal_check."""
    shared = list(JournalCode)[: list(JournalCode).index(JournalCode.EVENT_UNKNOWN)]

    assert {*CASES, *shared, JournalCode.BUGS_COUNT_DIFFERS, JournalCode.MORE_VIOLATIONS} == set(JournalCode)


def test_a_number_that_overflows_is_none() -> None:
    log = as_log(RUN).replace(b'"duration_seconds": 2.5', b"")
    log = log.replace(b'"artifacts_produced": []', b'"artifacts_produced": [], "duration_seconds": 1e999', 1)

    assert [fault.path for fault in check_journal([log]).violations] == ["/duration_seconds"]
