"""The journal checker: what it accepts, that it misses no change, and that nothing makes it stumble."""

import hashlib
import json
import tracemalloc
from collections.abc import Iterable, Iterator

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.domain.base.violations import Violation
from signoff.engine.journal_format import (
    MAX_LINE,
    NO_SUM,
    BadLine,
    build_line,
    cut_lines,
    decode_line,
    fast_decoder,
    is_timestamp,
)
from signoff.judges.journal import journal_check
from signoff.judges.journal.journal_check import Anchor, JournalCheck, check_journal
from signoff.judges.journal.journal_rules import MAX_VIOLATIONS, Fault, JournalCode

TYPES = ["_index", "run_start", "done", "run_end"]
INDEX: dict[str, object] = {"event": "_index", "flow": "deliver", "event_types": TYPES}
START: dict[str, object] = {"event": "run_start", "flow": "deliver@1"}
DONE: dict[str, object] = {"event": "done", "key": "implement/T1", "note": 'grün \\ "so" 1:2'}
END: dict[str, object] = {"event": "run_end", "status": "signed-off"}
RUN = (INDEX, START, DONE, DONE, END)


def chained(bodies: Iterable[dict[str, object]]) -> Iterator[bytes]:
    prev = NO_SUM
    for seq, body in enumerate(bodies):
        line, _, prev = build_line(msgspec.json.encode(body), seq=seq, ts=at(seq), prev=prev)
        yield line


def at(second: int) -> str:
    return f"2026-11-15T{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z"


def resealed(raw: bytes) -> bytes:
    """Give the line a right sum for what it says now."""
    covered = raw.rsplit(b',"sum":"', 1)[0]
    return covered + b',"sum":"%s"}\n' % hashlib.sha256(covered).hexdigest().encode()


def unchained(*bodies: dict[str, object]) -> bytes:
    return b"".join(json.dumps({"ts": at(n), **body}).encode() + b"\n" for n, body in enumerate(bodies))


LINES = list(chained(RUN))
FINISHED = b"".join(LINES)
HEAD = Anchor(len(RUN) - 1, json.loads(LINES[-1])["sum"], "state.json", True)


def codes(check: JournalCheck) -> list[str]:
    return [fault.code.value for fault in check.violations]


def test_a_finished_journal_with_its_head_remembered_is_sound() -> None:
    assert check_journal([FINISHED], [HEAD]) == JournalCheck(True, "deliver", 5, "ok", ())


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_the_size_of_the_chunks_makes_no_difference(size: int) -> None:
    chunks = [FINISHED[start : start + size] for start in range(0, len(FINISHED), size)]

    assert check_journal(chunks, [HEAD]) == check_journal([FINISHED], [HEAD])


@given(st.integers(0, len(FINISHED) - 1), st.integers(1, 255))
@example(FINISHED.index(b'"sum"') + 3, 3)
@example(len(FINISHED) - 1, 7)
@settings(max_examples=500, deadline=None)
def test_any_single_byte_changed_is_reported(offset: int, flip: int) -> None:
    changed = bytearray(FINISHED)
    changed[offset] ^= flip

    check = check_journal([bytes(changed)])

    assert not check.ok
    assert check.chain == "broken"


@given(st.integers(0, len(FINISHED) - 1))
@settings(max_examples=300, deadline=None)
def test_a_finished_journal_cut_anywhere_is_reported_by_its_anchor(length: int) -> None:
    assert not check_journal([FINISHED[:length]], [HEAD]).ok


@given(st.integers(0, len(FINISHED) - 1), st.integers(1, len(FINISHED)))
@settings(max_examples=300, deadline=None)
def test_any_bytes_taken_out_of_a_finished_journal_are_reported(start: int, count: int) -> None:
    assert not check_journal([FINISHED[:start] + FINISHED[start + count :]], [HEAD]).ok


@pytest.mark.parametrize("gone", range(len(LINES)))
def test_a_dropped_line_is_reported(gone: int) -> None:
    assert not check_journal(LINES[:gone] + LINES[gone + 1 :], [HEAD]).ok


@pytest.mark.parametrize("first", range(len(LINES)))
@pytest.mark.parametrize("second", range(len(LINES)))
def test_two_swapped_lines_are_reported_whatever_they_are(first: int, second: int) -> None:
    lines = list(LINES)
    lines[first], lines[second] = lines[second], lines[first]

    assert check_journal(lines, [HEAD]).ok is (first == second)


@pytest.mark.parametrize("doubled", range(len(LINES)))
def test_a_doubled_line_is_reported(doubled: int) -> None:
    assert not check_journal(LINES[: doubled + 1] + LINES[doubled:], [HEAD]).ok


def test_a_line_that_was_forged_with_a_right_sum_breaks_the_next_link() -> None:
    forged = resealed(LINES[2].replace(b"T1", b"T2"))

    check = check_journal([*LINES[:2], forged, *LINES[3:]])

    assert [(fault.code, fault.line, fault.path) for fault in check.violations] == [
        ("prev-wrong", 4, "/prev")
    ]


def test_a_forged_journal_with_a_right_chain_is_caught_by_what_others_remember() -> None:
    forged = list(chained([INDEX, START, DONE, {"event": "done", "key": "other"}, END]))

    assert codes(check_journal(forged)) == []
    assert codes(check_journal(forged, [HEAD])) == ["anchor-mismatch"]


def test_one_changed_line_among_thousands_is_not_thousands_of_violations() -> None:
    lines = list(chained([INDEX, START, *[DONE] * 3000, END]))
    lines[1000] = lines[1000].replace(b"T1", b"T9")
    lines[2000] = b"garbage\n"
    del lines[2500]

    check = check_journal(lines)

    assert [(fault.code, fault.line) for fault in check.violations] == [
        ("sum-wrong", 1001),
        ("not-json", 2001),
        ("seq-wrong", 2501),
        ("prev-wrong", 2501),
    ]


def test_a_thousand_violations_are_listed_and_the_rest_counted() -> None:
    check = check_journal([*LINES[:-1], b"garbage\n" * 2500])

    assert len(check.violations) == MAX_VIOLATIONS + 1
    assert check.violations[-1].code is JournalCode.MORE_VIOLATIONS
    assert check.violations[-1].message == "and 1501 more"  # the garbage, and that the journal is open
    assert not check.ok


def line_of(seq: int, body: dict[str, object]) -> bytes:
    """Give record `seq` of the standard run with another body, with right sums."""
    return list(chained([*RUN[:seq], body]))[-1]


def with_ts(seq: int, ts: str) -> bytes:
    return resealed(LINES[seq].replace(at(seq).encode(), ts.encode()).rstrip(b"\n"))


OPEN = b"".join(LINES[:3])
STATE = Anchor(1, json.loads(LINES[1])["sum"], "state.json")
CASES: dict[JournalCode, tuple[bytes, tuple[Anchor, ...]]] = {
    JournalCode.JOURNAL_EMPTY: (b"", ()),
    JournalCode.INDEX_MISSING: (b"".join(LINES[1:]), ()),
    JournalCode.INDEX_REPEATED: (b"".join(chained([INDEX, START, INDEX, END])), ()),
    JournalCode.EVENT_TYPES_INVALID: (b"".join(chained([{**INDEX, "event_types": [1]}, START, END])), ()),
    JournalCode.UNKNOWN_PROFILE: (b"".join(chained([{**INDEX, "flow": 5}, START, END])), ()),
    JournalCode.BLANK_LINE: (OPEN + b"\n" + b"".join(LINES[3:]), ()),
    JournalCode.NOT_UTF8: (OPEN + LINES[3].replace(b"T1", b"\xff1"), ()),
    JournalCode.NOT_JSON: (OPEN + b'{"seq":3,"n":NaN}\n', ()),
    JournalCode.NOT_OBJECT: (OPEN + b"[1]\n", ()),
    JournalCode.DUPLICATE_KEY: (OPEN + LINES[3].replace(b'"note"', b'"key"'), ()),
    JournalCode.LINE_TOO_LONG: (OPEN + b"x" * (MAX_LINE + 1) + b"\n", ()),
    JournalCode.NEWLINE_MISSING: (FINISHED[:-1], ()),
    JournalCode.TS_INVALID: (OPEN + with_ts(3, "2026-02-30T00:00:00.000Z"), ()),
    JournalCode.TS_BACKWARDS: (OPEN + with_ts(3, "2026-11-14T00:00:00.000Z"), ()),
    JournalCode.EVENT_INVALID: (OPEN + resealed(LINES[3].replace(b'"event"', b'"evert"').rstrip(b"\n")), ()),
    JournalCode.EVENT_UNDECLARED: (OPEN + line_of(3, {"event": "new"}), ()),
    JournalCode.RUN_START_MISSING: (b"".join(chained([INDEX, DONE, END])), ()),
    JournalCode.AFTER_RUN_END: (b"".join(chained([*RUN, DONE, DONE])), ()),
    JournalCode.SEQ_WRONG: (OPEN + LINES[4], ()),
    JournalCode.PREV_WRONG: (OPEN + LINES[4], ()),
    JournalCode.SUM_WRONG: (FINISHED.replace(b"signed-off", b"signed-oof"), ()),
    JournalCode.SUM_MISSING: (OPEN + b'{"seq":3,"ts":"2026-11-15T00:00:03.000Z","event":"done"}\n', ()),
    JournalCode.ANCHOR_MISSING: (OPEN, (HEAD,)),
    JournalCode.ANCHOR_MISMATCH: (FINISHED, (Anchor(2, NO_SUM, "certificate.json"),)),
    JournalCode.ANCHOR_NOT_LAST: (FINISHED, (STATE._replace(finished=True),)),
    JournalCode.RUN_END_MISSING: (OPEN, (STATE._replace(finished=True),)),
    JournalCode.JOURNAL_OPEN: (OPEN, ()),
    JournalCode.MORE_VIOLATIONS: (b"x\n" * (MAX_VIOLATIONS + 1), ()),
}


@pytest.mark.parametrize("code", list(CASES))
def test_every_code_is_reported_for_what_it_stands_for(code: JournalCode) -> None:
    log, anchors = CASES[code]

    check = check_journal([log], anchors)

    assert code in codes(check)
    assert check.ok is all(fault.severity == "warning" for fault in check.violations)


@pytest.mark.parametrize("code", list(JournalCode))
def test_every_code_says_what_it_means_and_how_to_put_it_right(code: JournalCode) -> None:
    assert code.meaning
    assert code.fix
    assert code.severity in ("error", "warning")


def test_records_after_the_end_are_reported_once() -> None:
    assert codes(check_journal([CASES[JournalCode.AFTER_RUN_END][0]])) == ["after-run-end"]


def test_a_last_record_that_lacks_only_its_newline_still_counts() -> None:
    assert codes(check_journal([FINISHED[:-1]], [HEAD])) == ["newline-missing"]


def test_a_torn_last_line_is_one_violation_that_names_the_repair() -> None:
    check = check_journal([OPEN + LINES[3][:40]], [STATE])

    assert [(fault.code, fault.line, fault.fix) for fault in check.violations] == [
        ("newline-missing", 4, "signoff journal repair FILE")
    ]


def test_an_open_journal_whose_state_remembers_an_earlier_record_is_sound() -> None:
    assert check_journal([OPEN], [STATE]).violations == ()


CERTIFICATE = Anchor(2, json.loads(LINES[2])["sum"], "certificate.json", must_end=True)


def test_a_certificate_of_a_run_that_has_not_ended_is_an_error_that_names_the_way_on() -> None:
    """A journal that lost its last records would pass as one that is still open."""
    check = check_journal(LINES[:-1], [CERTIFICATE])

    assert [(fault.code, fault.severity) for fault in check.violations] == [("run-end-missing", "error")]
    assert "certificate.json" in check.violations[0].message
    assert "signoff runs resume RUN" in check.violations[0].fix
    assert not check.ok


def test_a_certificate_need_not_remember_the_last_record_of_a_run_that_ended() -> None:
    """It is written before the end, so every sound run would be called cut."""
    assert check_journal([FINISHED], [CERTIFICATE]).violations == ()


def test_an_end_that_state_and_certificate_both_miss_is_named_for_each() -> None:
    """Whoever lost one of the two files still learns what the other says."""
    cut = check_journal(LINES[:-1], [HEAD, CERTIFICATE])

    assert codes(cut) == ["anchor-missing", "run-end-missing", "run-end-missing"]


def test_two_sources_that_remember_the_same_record_are_both_heard() -> None:
    wrong = Anchor(HEAD.seq, NO_SUM, "certificate.json")

    assert codes(check_journal([FINISHED], [HEAD, wrong])) == ["anchor-mismatch"]
    assert codes(check_journal([FINISHED], [wrong, HEAD])) == ["anchor-mismatch"]


def test_a_blank_line_is_one_violation() -> None:
    assert codes(check_journal([CASES[JournalCode.BLANK_LINE][0]])) == ["blank-line"]


def test_a_repaired_tail_may_stand_before_the_start_of_the_run_and_need_not_be_declared() -> None:
    repaired: dict[str, object] = {"event": "tail_repaired", "bytes": 3, "kept": "journal.jsonl.torn-1"}

    assert check_journal(chained([INDEX, repaired, START, repaired, END])).violations == ()


def test_a_journal_that_stops_before_its_run_starts_is_not_sound() -> None:
    assert "run-start-missing" in codes(check_journal([LINES[0]]))


AUDIT_INDEX: dict[str, object] = {
    "event": "_index",
    "schema_version": "1.5.6",
    "event_types": ["_index", "run_start", "phase_start", "run_end"],
    "benchmark": "chi-1.5.1",
    "lever_state": "baseline",
}


def test_an_unchained_log_that_others_remember_sums_of_is_broken() -> None:
    check = check_journal([unchained(AUDIT_INDEX, START, END)], [HEAD])

    assert check.chain == "broken"
    assert "anchor-missing" in codes(check)


def test_a_log_of_ours_from_which_the_chain_was_taken_is_broken_not_unchained() -> None:
    check = check_journal([unchained(*RUN)])

    assert check.chain == "broken"
    assert codes(check).count("sum-missing") == len(RUN)


@pytest.mark.parametrize("separator", ["\u2028", "\u0085", "\r"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    body: dict[str, object] = {"event": "done", "note": f"a{separator}b"}

    assert check_journal(chained([INDEX, START, body, END])).ok


@pytest.mark.parametrize(
    ("before", "after", "backwards"),
    [
        ("2026-11-15T17:40:41Z", "2026-11-15T17:40:41.5Z", False),
        ("2026-11-15T17:40:41.5Z", "2026-11-15T17:40:41Z", True),
        ("2026-11-15T17:40:41.50Z", "2026-11-15T17:40:41.5Z", False),
        ("2026-11-15T17:40:41.123Z", "2026-11-15T17:40:41.5Z", False),
        ("2026-11-15T17:40:41.5Z", "2026-11-15T17:40:41.123Z", True),
    ],
)
def test_times_of_different_precision_are_compared_as_times(before: str, after: str, backwards: bool) -> None:
    log = unchained(
        {**AUDIT_INDEX, "ts": before}, {**START, "ts": after}, {**END, "ts": "2027-01-01T00:00:00Z"}
    )

    assert ("ts-backwards" in codes(check_journal([log]))) is backwards


@pytest.mark.parametrize(
    "ts", ["2026-11-15T17:40:41Z", "2024-02-29T00:00:00.123456Z", "2026-12-31T23:59:59Z"]
)
def test_a_utc_time_is_a_timestamp(ts: str) -> None:
    assert is_timestamp(ts)


@pytest.mark.parametrize(
    "ts",
    [
        "",
        "2026-11-15",
        "2026-11-15T17:40:41",
        "2026-11-15T17:40:41z",
        "2026-11-15 17:40:41Z",
        "2026-11-15T17:40:41+00:00",
        "2026-11-15T17:40:41.Z",
        "2026-11-15T24:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-11-31T00:00:00Z",
        "2026-11-00T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "٢٠٢٦-11-15T17:40:41Z",
        "2026-11-15T17:40:41Z\n",
    ],
)
def test_what_is_no_utc_time_on_a_real_day_is_no_timestamp(ts: str) -> None:
    assert not is_timestamp(ts)


@given(st.lists(st.binary(max_size=400), max_size=8), st.booleans())
@settings(max_examples=300, deadline=None)
def test_arbitrary_bytes_never_make_the_checker_stumble(chunks: list[bytes], after_good: bool) -> None:
    check = check_journal([*LINES[: 2 * after_good], *chunks], [HEAD])

    assert not check.ok


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
ENVELOPE = st.sampled_from(["seq", "ts", "event", "prev", "sum", "flow", "event_types", "benchmark"])
RECORDS = st.dictionaries(ENVELOPE, JSON_VALUES | st.sampled_from([*TYPES, at(0), NO_SUM]), max_size=8)


@given(st.lists(RECORDS, min_size=1, max_size=5), st.integers(0, 2))
@settings(max_examples=300, deadline=None)
def test_records_of_any_shape_never_make_the_checker_stumble(records: list[object], good: int) -> None:
    log = b"".join(json.dumps(record).encode() + b"\n" for record in records)

    check_journal([*LINES[:good], log], [STATE])


def test_a_sequence_number_of_any_size_is_only_wrong() -> None:
    huge = b"9" * 4300

    check = check_journal([*LINES[:2], LINES[2].replace(b'"seq":2', b'"seq":' + huge), LINES[3]])

    assert codes(check)[:2] == ["seq-wrong", "sum-wrong"]


def decoded(decode: object, raw: bytes) -> object:
    assert callable(decode)
    try:
        return repr(decode(raw))
    except BadLine as bad:
        return bad.kind, str(bad)


ODD_LINES = [
    b'{"a":"\x01"}',
    b'{"a":"\xff"}',
    b'{"a":"\xed\xa0\x80"}',
    b'{"a":"\\ud800"}',
    b'{"a":' + b"9" * 5000 + b"}",
    b'{"a":18446744073709551616}',
    b'{"a":1e999}',
    b'{"a":-0}',
    b'{"a":NaN}',
    b'{"a":-Infinity}',
    b'{"a":1,"a":1}',
    b'{"a" :1,"a":1}',
    b'{"a":{"b":1,"b":2}}',
    b'{"a":[{"b":1,"b":1}]}',
    b'{"a":1,"\\u0061":1}',
    b"[" * 5000 + b"]" * 5000,
    b'{"a":' * 5000 + b"1" + b"}" * 5000,
    b"\xef\xbb\xbf{}",
    b'{"a":01}',
    b" {} ",
    b"{}\r",
    b"\x00",
    b"1",
    b"",
]


@pytest.mark.parametrize("raw", [*ODD_LINES, *(line[:-1] for line in LINES)], ids=lambda raw: repr(raw[:20]))
def test_both_decoders_read_a_line_alike(raw: bytes) -> None:
    assert decoded(fast_decoder(), raw) == decoded(decode_line, raw)


PIECES = st.sampled_from(
    [b"{", b"}", b"[", b"]", b'"a"', b'"b"', b":", b",", b" ", b"1", b"-0", b"1e5", b'"\\u0061"', b"\t"]
)


@given(
    st.lists(PIECES, max_size=14).map(b"".join) | JSON_VALUES.map(lambda value: json.dumps(value).encode())
)
@settings(max_examples=500, deadline=None)
def test_both_decoders_read_anything_like_json_alike(raw: bytes) -> None:
    assert decoded(fast_decoder(), raw) == decoded(decode_line, raw)


@given(st.integers(0, len(FINISHED) - 1), st.integers(0, 255))
@settings(max_examples=200, deadline=None)
def test_a_large_log_is_judged_like_a_small_one(offset: int, byte: int) -> None:
    changed = FINISHED[:offset] + bytes([byte]) + FINISHED[offset + 1 :]
    small = check_journal([changed], [HEAD])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal_check, "LARGE", 0)
        large = check_journal([changed], [HEAD])

    assert large == small


def test_memory_does_not_grow_with_the_log() -> None:
    def peak(events: int) -> int:
        tracemalloc.start()
        try:
            assert check_journal(chained([INDEX, START, *[DONE] * events, END])).ok
            return tracemalloc.get_traced_memory()[1] - events * 8  # the list of bodies is the test's
        finally:
            tracemalloc.stop()

    peak(10)

    assert peak(8_000) < peak(500) + 100_000


def test_an_endless_line_is_dropped_not_gathered() -> None:
    lines = list(cut_lines([b"x" * MAX_LINE] * 50 + [b"\nshort\n"]))

    assert [(len(raw) > MAX_LINE, whole) for raw, whole in lines] == [(True, False), (False, True)]
    assert len(lines[0][0]) <= 2 * MAX_LINE


@pytest.mark.parametrize("code", list(CASES))
def test_a_fault_becomes_a_violation_as_it_is(code: JournalCode) -> None:
    log, anchors = CASES[code]
    fault = next(fault for fault in check_journal([log], anchors).violations if fault.code is code)

    violation = msgspec.convert(fault._asdict(), Violation)

    assert msgspec.json.decode(msgspec.json.encode(violation)) == json.loads(json.dumps(fault._asdict()))


def test_a_fault_has_the_fields_of_a_violation() -> None:
    assert Fault._fields == Violation.__struct_fields__
