"""Reading bytes into records: every error at once, each at its place, and never an exception."""

import json
import time
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, as_json, json_of, spoiled
from msgspec import Meta

from signoff.domain.base.violations import Severity, Violation
from signoff.domain.run.cassettes import Cassette
from signoff.domain.run.directives import PlanAnswer, WorkAnswer
from signoff.domain.schemas import PUBLIC
from signoff.domain.work.contract import Contract
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.text.json.decode import MAX_BYTES, MAX_DEPTH, DecodeCode, Decoded, convert, decode
from signoff.text.json.type_faults import faults_in
from signoff.text.json.violation_list import MAX_VIOLATIONS, MORE_VIOLATIONS

CONTRACT: dict[str, Any] = {
    "version": 1,
    "phase": 2,
    "goal": "Users sign in",
    "why": "So that they stay",
    "generated_at": "2026-04-28T14:32:00Z",
    "generated_by": "planner",
    "tasks": [
        {
            "id": "T1",
            "title": "Sign-in",
            "wave": 1,
            "verification": [{"type": "file-exists", "path": "src/auth.py"}],
        }
    ],
    "success_criteria": ["a user signs in"],
}
KINDS = st.sampled_from(sorted(PUBLIC))


class Bounded(msgspec.Struct):
    """Constraints our records do not have yet."""

    few: Annotated[list[int], Meta(max_length=2)] = []
    even: Annotated[int, Meta(multiple_of=2, gt=0, lt=10)] = 2
    share: Annotated[float, Meta(le=1.0)] = 0.5
    short: Annotated[str, Meta(min_length=1, max_length=3)] = "a"
    table: Annotated[dict[str, int], Meta(max_length=1)] = {}


def errors(decoded: Decoded[Any]) -> list[Violation]:
    return [violation for violation in decoded.violations if violation.severity is Severity.ERROR]


def placed(decoded: Decoded[Any]) -> list[tuple[str, str]]:
    return [(violation.code, violation.path) for violation in decoded.violations]


def with_changes(**changes: object) -> bytes:
    return json.dumps({**CONTRACT, **changes}).encode()


def test_a_valid_contract_is_decoded_without_a_word() -> None:
    decoded = decode(with_changes(), Contract)

    assert decoded.value is not None
    assert decoded.value.tasks[0].id == "T1"
    assert decoded.violations == ()


def test_every_planted_error_is_found_with_its_exact_pointer() -> None:
    task = {"id": 7, "title": "x", "wave": 1.5, "persona": "poet"}
    task["verification"] = [
        {"type": "file-exist", "path": "a"},
        {"path": "a"},
        {"type": "grep-match", "path": "a", "pattern": "x", "expect": "here"},
        {"type": None},
        "grep",
    ]
    document = {**CONTRACT, "version": 2, "tasks": [task, None], "success_criteria": [{"id": "C1"}, 3]}
    del document["goal"]

    decoded = decode(json.dumps(document).encode(), Contract)

    assert decoded.value is None
    assert placed(decoded) == [
        ("missing-field", "/goal"),
        ("unknown-value", "/version"),
        ("wrong-type", "/tasks/0/id"),
        ("wrong-type", "/tasks/0/wave"),
        ("unknown-value", "/tasks/0/persona"),
        ("unknown-tag", "/tasks/0/verification/0/type"),
        ("missing-field", "/tasks/0/verification/1/type"),
        ("unknown-value", "/tasks/0/verification/2/expect"),
        ("unknown-tag", "/tasks/0/verification/3/type"),
        ("wrong-type", "/tasks/0/verification/4"),
        ("wrong-type", "/tasks/1"),
        ("missing-field", "/success_criteria/0/description"),
        ("wrong-type", "/success_criteria/1"),
    ]


def test_a_bad_value_is_told_the_good_ones_and_the_nearest() -> None:
    [violation] = decode(with_changes(generated_by="plannr"), Contract).violations

    assert violation.message == 'must be one of "planner", "compile-plan", "manual", not "plannr"'
    assert violation.fix == "did you mean `planner`?"


def test_a_wrong_type_names_both_types() -> None:
    [violation] = decode(with_changes(success_criteria=[3]), Contract).violations

    assert violation.message == "must be string or object, not integer"


def test_a_boolean_is_no_integer_and_a_whole_float_is_none_either() -> None:
    assert placed(decode(with_changes(phase=True), Contract)) == [("wrong-type", "/phase")]
    assert placed(decode(with_changes(phase=1.0), Contract)) == [("wrong-type", "/phase")]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"few": [1, 2, 3]}, ("wrong-length", "/few")),
        ({"few": [1, "2"]}, ("wrong-type", "/few/1")),
        ({"even": 3}, ("out-of-range", "/even")),
        ({"even": 0}, ("out-of-range", "/even")),
        ({"even": 10}, ("out-of-range", "/even")),
        ({"share": 1.5}, ("out-of-range", "/share")),
        ({"share": 2}, ("out-of-range", "/share")),
        ({"short": ""}, ("wrong-length", "/short")),
        ({"short": "abcd"}, ("wrong-length", "/short")),
        ({"table": {"a": 1, "b": 2}}, ("wrong-length", "/table")),
        ({"table": {"a/b~c": None}}, ("wrong-type", "/table/a~1b~0c")),
    ],
)
def test_a_broken_constraint_is_named_where_it_is_broken(document: object, expected: tuple[str, str]) -> None:
    assert placed(decode(as_json(document), Bounded)) == [expected]


def test_every_broken_constraint_of_a_settings_table_is_found() -> None:
    table = {"plan": {"approve": "anybody"}, "limits": {"parallel": 0}, "checks": {"test": []}}

    decoded = convert(table, Settings)

    assert placed(decoded) == [
        ("unknown-value", "/plan/approve"),
        ("out-of-range", "/limits/parallel"),
        ("wrong-length", "/checks/test"),
    ]


def test_an_unknown_field_is_a_warning_and_the_record_is_still_read() -> None:
    decoded = decode(with_changes(nongoals=[]), Contract)

    assert decoded.value is not None
    [violation] = decoded.violations
    assert (violation.code, violation.severity, violation.path) == ("unknown-field", "warning", "/nongoals")
    assert violation.fix == "did you mean `non_goals`?"


def test_an_unknown_field_is_an_error_where_the_record_forbids_it() -> None:
    decoded = convert({"cheks": {}}, Settings)

    assert decoded.value is None
    [violation] = decoded.violations
    assert (violation.code, violation.severity, violation.path) == ("unknown-field", "error", "/cheks")
    assert violation.fix == "did you mean `checks`?"


def test_the_tag_of_a_union_is_no_unknown_field() -> None:
    assert decode(b'{"kind": "done", "summary": "x"}', WorkAnswer).violations == ()


def test_a_union_of_records_is_walked_into_the_one_its_tag_names() -> None:
    decoded = decode(b'{"kind": "plan", "contract": {"version": 1}}', PlanAnswer)

    assert ("missing-field", "/contract/goal") in placed(decoded)


def test_a_tag_that_contradicts_its_record_is_an_error() -> None:
    kind: Any = PUBLIC["work-answer"].__args__[0]

    assert placed(decode(b'{"kind": "blocked"}', kind)) == [("unknown-tag", "/kind")]


def test_what_is_kept_raw_is_not_looked_into() -> None:
    data = b'{"version": 1, "name": "n", "entries": [{"key": "k", "answer": {"anything": [1]}}]}'

    assert decode(data, Cassette).violations == ()


def test_each_violation_has_the_line_its_pointer_leads_to() -> None:
    data = b"""{
      "id": 1, "title":
        7,
      "acceptance_criteria": [
        "a\\"]}{[,:", "b",
        3,
        {"x": 1}
      ],
      "kind": "riddle"
    }"""

    lines = [(violation.path, violation.line) for violation in decode(data, Ticket).violations]

    assert lines == [
        ("/id", 2),
        ("/title", 2),
        ("/acceptance_criteria/2", 6),
        ("/acceptance_criteria/3", 7),
        ("/kind", 9),
    ]


def test_a_missing_field_has_the_line_of_what_should_hold_it() -> None:
    data = b'{"kind": "plan",\n "contract":\n {"version": 1}}'

    assert {violation.line for violation in decode(data, PlanAnswer).violations} == {2}


def test_text_that_is_not_utf8_is_named_with_its_line() -> None:
    [violation] = decode(b'{"title":\n "\xff"}', Ticket).violations

    assert (violation.code, violation.line) == ("not-utf8", 2)


def test_a_byte_order_mark_is_stripped_with_a_warning() -> None:
    decoded = decode(b'\xef\xbb\xbf{"id": "A-1"}', Ticket)

    assert decoded.value == Ticket(id="A-1")
    assert [(v.code, v.severity) for v in decoded.violations] == [("byte-order-mark", "warning")]


def test_a_syntax_error_has_line_and_column() -> None:
    [violation] = decode(b'{"title": "x",\n  "id" "A-1"}', Ticket).violations

    assert (violation.code, violation.line) == ("syntax-error", 2)
    assert "column 8" in violation.message


def test_a_key_given_twice_is_an_error_at_the_line_that_would_count() -> None:
    decoded = decode(b'{"title": "x",\n "body": "",\n "title": "y"}', Ticket)

    assert decoded.value is None
    [violation] = decoded.violations
    assert (violation.code, violation.path, violation.line) == ("duplicate-key", "/title", 3)


def test_a_key_given_twice_deep_inside_or_where_nobody_looks_is_found_too() -> None:
    data = b'{"version": 1, "name": "n", "entries": [{"key": "k", "answer": {"a": 1, "a": 2}}]}'

    assert placed(decode(data, Cassette)) == [("duplicate-key", "/entries/0/answer/a")]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "9" * 5_000])
def test_what_is_no_number_is_refused_wherever_it_stands(number: str) -> None:
    decoded = decode(b'{"id": "A", "extra": [%s]}' % number.encode(), Ticket)

    assert decoded.value is None
    assert ("not-a-number", "/extra/0") in placed(decoded)


def test_half_a_surrogate_pair_is_refused_and_can_still_be_reported() -> None:
    decoded = decode(rb'{"id": "\ud800", "\udfff": 1}', Ticket)

    assert decoded.value is None
    assert [code for code, _ in placed(decoded)][:2] == ["lone-surrogate", "lone-surrogate"]
    assert msgspec.json.encode(decoded.violations)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert decode(rb'{"id": "\ud83d\ude00"}', Ticket) == Decoded(Ticket(id="😀"), ())


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"":'])
def test_nesting_without_end_is_a_violation_and_no_crash(opening: bytes) -> None:
    [violation] = decode(b'{"x":\n' + opening * 200_000, Ticket).violations

    assert (violation.code, violation.line) == ("too-deep", 2)


def test_nesting_is_allowed_up_to_the_limit() -> None:
    below = b"[" * (MAX_DEPTH - 1) + b"]" * (MAX_DEPTH - 1)

    assert errors(decode(b'{"x":' + below + b"}", Ticket)) == []
    assert placed(decode(b'{"x":[' + below + b"]}", Ticket)) == [("too-deep", "")]


def test_brackets_in_strings_do_not_nest() -> None:
    assert errors(decode(as_json({"x": ['["{' * 300]}), Ticket)) == []


def test_a_file_too_large_is_not_even_read() -> None:
    [violation] = decode(b" " * (MAX_BYTES + 1), Ticket).violations

    assert violation.code == "too-large"


def test_a_string_without_an_end_takes_no_quadratic_time() -> None:
    data = b"[]" * 101 + b'"' + rb"\"" * 50_000
    start = time.process_time()

    assert decode(data, Ticket).value is None
    assert time.process_time() - start < 1


def test_the_list_of_violations_ends_and_says_so() -> None:
    decoded = decode(with_changes(success_criteria=[1] * 3_000), Contract)

    assert len(decoded.violations) == MAX_VIOLATIONS + 1
    assert (decoded.violations[-1].code, decoded.violations[-1].severity) == (MORE_VIOLATIONS, "error")
    assert "2000 more" in decoded.violations[-1].message


def test_a_file_full_of_unknown_fields_cannot_hide_an_error() -> None:
    document = {**{f"x{n}": 1 for n in range(20_000)}, **CONTRACT, "phase": "one"}

    decoded = decode(as_json(document), Contract)

    assert decoded.value is None
    assert errors(decoded) != []


def test_parsed_data_nested_without_end_is_a_violation_too() -> None:
    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]

    assert placed(convert({"checks": nested}, Settings)) == [("too-deep", "")]


def test_what_the_walk_does_not_understand_is_refused_in_msgspecs_words() -> None:
    decoded = decode(b'"yesterday"', __import__("datetime").datetime)

    assert decoded.value is None
    [violation] = decoded.violations
    assert (violation.code, violation.severity) == (DecodeCode.INVALID, "error")
    assert "RFC3339" in violation.message


@settings(deadline=None)
@given(data=st.binary(max_size=200), name=KINDS)
def test_no_bytes_make_it_raise(data: bytes, name: str) -> None:
    decoded = decode(data, PUBLIC[name])

    assert (decoded.value is None) == bool(errors(decoded))


@settings(deadline=None)
@given(document=ANY_JSON, name=KINDS)
def test_no_json_makes_it_raise(document: object, name: str) -> None:
    decoded = decode(as_json(document), PUBLIC[name])

    assert (decoded.value is None) == bool(errors(decoded))
    assert json.loads(msgspec.json.encode(decoded.violations)) is not None


@settings(deadline=None)
@given(data=st.data(), name=KINDS)
def test_what_msgspec_accepts_has_no_error(data: st.DataObject, name: str) -> None:
    raw = as_json(data.draw(json_of(PUBLIC[name])))

    decoded = decode(raw, PUBLIC[name])

    assert errors(decoded) == []
    again = msgspec.json.decode(raw, type=PUBLIC[name])
    # Raw compares by identity, so what was kept raw is compared as it would be written.
    assert msgspec.json.encode(decoded.value) == msgspec.json.encode(again)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), name=KINDS)
def test_the_walk_and_msgspec_agree_on_what_is_wrong(data: st.DataObject, name: str) -> None:
    """An error of the walk is one of msgspec, and what msgspec refuses the walk can place."""
    document = data.draw(spoiled(PUBLIC[name]))
    try:
        msgspec.json.decode(as_json(document), type=PUBLIC[name])
        is_refused = False
    except msgspec.ValidationError:
        is_refused = True

    found = [fault for fault in faults_in(document, PUBLIC[name]) if fault.severity is Severity.ERROR]

    assert bool(found) == is_refused


@settings(deadline=None)
@given(document=ANY_JSON)
def test_a_pointer_leads_to_what_the_message_is_about(document: object) -> None:
    for violation in decode(as_json({"acceptance_criteria": [document]}), Ticket).violations:
        assert violation.path == "/acceptance_criteria/0"
        assert not isinstance(document, str)
