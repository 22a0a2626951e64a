"""Answers to a spec's questions: taken once, written where they belong, and noted without their words."""

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, JSON_TEXT, as_json
from spec_bench import WHEN, answer, as_camel, asking, feature, question, read, spec

from signoff.contracts.files.document_files import Document, has_errors, read_spec
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.domain.work.spec import ResolvedBy, Spec, SpecStatus
from signoff.specs.spec_answers import answered, history_line, read_answers, why_not, write_answers
from signoff.specs.spec_lifecycle import is_ready, open_questions, replan_due
from signoff.specs.spec_rules import SpecCode
from signoff.text.json.camel_case import to_camel

LATER = "2026-03-01T08:00:00Z"


def resolve(subject: Spec, name: str, text: str = "yes", when: str = LATER) -> Spec:
    assert why_not(subject, name, text) is None
    return answered(subject, name, text, by=ResolvedBy.USER, when=when)


def test_an_answer_closes_its_question_and_nothing_else() -> None:
    before = read(asking("Q1", "Q2"))

    after = resolve(before, "Q1", "Postgres")

    (given_answer,) = after.resolved_clarifications
    assert (given_answer.question_id, given_answer.answer) == ("Q1", "Postgres")
    assert (given_answer.resolved_by, given_answer.resolved_at) == (ResolvedBy.USER, LATER)
    assert [one.question_id for one in open_questions(after)] == ["Q2"]
    assert (after.status, after.updated_at) == (SpecStatus.NEEDS_CLARIFICATION, LATER)
    assert before.resolved_clarifications == ()


def test_the_last_answer_makes_a_spec_with_features_ready() -> None:
    before = read(asking("Q1", "Q2", features=[feature("a")], ambiguity_score=9))

    after = resolve(resolve(before, "Q1"), "Q2")

    assert (after.status, after.ambiguity_score) == (SpecStatus.READY, 6)
    assert is_ready(after)


def test_the_last_answer_makes_a_spec_without_features_due_for_a_replan() -> None:
    """Ready with nothing to build is a dead end: nobody would read the answers."""
    after = resolve(resolve(read(asking("Q1", "Q2")), "Q1"), "Q2")

    assert (after.status, after.ambiguity_score) == (SpecStatus.NEEDS_CLARIFICATION, 8)
    assert replan_due(after)
    assert not is_ready(after)


@pytest.mark.parametrize("status", ["draft", "ready", "in-progress", "completed", "abandoned"])
def test_other_statuses_are_left_alone(status: str) -> None:
    before = read(asking("Q1", status=status, features=[feature("a")]))

    assert resolve(before, "Q1").status == status


@pytest.mark.parametrize(
    ("score", "weight", "expected"),
    [(8, 3, 5), (8, None, 8), (8, 0, 8), (2, 5, 0), (None, 5, None), (5, -4, 5)],
)
def test_an_answer_takes_its_weight_off_the_ambiguity(
    score: int | None, weight: int | None, expected: int | None
) -> None:
    questions = [question("Q1", ambiguity_weight=weight), question("Q2")]
    before = read(asking(clarification_questions=questions, ambiguity_score=score))

    once = resolve(before, "Q1")

    assert once.ambiguity_score == expected
    assert resolve(once, "Q1", "no").ambiguity_score == expected


def test_an_answer_given_anew_stands_where_the_earlier_ones_stood() -> None:
    earlier = [answer("Q1", "a"), answer("Q2", "b"), answer("Q1", "c"), answer("Q3", "d"), answer("Q3", "e")]
    before = read(asking("Q1", "Q2", "Q3", resolved_clarifications=earlier))

    after = resolve(before, "Q1", "new")

    assert [(one.question_id, one.answer) for one in after.resolved_clarifications] == [
        ("Q1", "new"),
        ("Q2", "b"),
        ("Q3", "d"),
        ("Q3", "e"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "by", "evidence", "code"),
    [
        ("Q9", "yes", "user", "", SpecCode.UNKNOWN_QUESTION),
        ("", "yes", "user", "", SpecCode.UNKNOWN_QUESTION),
        ("Q1", "", "user", "", PrecisionCode.BLANK_TEXT),
        ("Q1", " \n\N{ZERO WIDTH SPACE}", "user", "", PrecisionCode.BLANK_TEXT),
        ("Q1", "half \udce9", "user", "", SpecCode.UNWRITABLE_ANSWER),
        ("Q1", "yes", "planner", " ", SpecCode.UNGROUNDED_ANSWER),
    ],
)
def test_an_answer_that_cannot_be_taken_changes_nothing(
    name: str, text: str, by: str, evidence: str, code: str
) -> None:
    subject = read(asking("Q1", "Q2"))

    why = why_not(subject, name, text, by=ResolvedBy(by), evidence=evidence)

    assert why is not None
    assert (why.code, bool(why.message), bool(why.fix)) == (code, True, True)
    assert answered(subject, name, text, by=ResolvedBy(by), when=LATER, evidence=evidence) == subject


def test_an_unknown_question_is_told_with_those_there_are() -> None:
    why = why_not(read(asking("Q1", "Q2", resolved_clarifications=[answer("Q1")])), "Q9", "yes")

    assert why is not None
    assert why.fix == 'name one of "Q2"'


def test_a_planner_may_answer_on_evidence_or_an_assumption() -> None:
    assert why_not(read(asking("Q1")), "Q1", "yes", by=ResolvedBy.PLANNER, evidence="src/db.py:3") is None
    assumed = read(asking("Q1", assumptions=["Q1: as in src/db.py"]))
    assert why_not(assumed, "Q1", "yes", by=ResolvedBy.PLANNER) is None


@pytest.mark.parametrize("features", [[], [feature("a")]])
def test_the_order_of_the_answers_does_not_matter(features: list[Any]) -> None:
    weighed = [question(name, ambiguity_weight=n) for n, name in enumerate(("Q1", "Q2", "Q3"))]
    start = read(asking(clarification_questions=weighed, features=features))
    ends = set()
    for order in permutations(("Q1", "Q2", "Q3")):
        after = start
        for name in order:
            after = resolve(after, name)
        ends.add((after.status, after.ambiguity_score, replan_due(after), after.updated_at))

    assert len(ends) == 1


NAMES = st.lists(st.sampled_from([f"Q{n}" for n in range(6)]), min_size=1, max_size=5, unique=True)


@settings(max_examples=60, deadline=None)
@given(names=NAMES, weights=st.lists(st.integers(-2, 12) | st.none(), min_size=5, max_size=5), data=st.data())
def test_in_any_order_the_answers_end_in_the_same_status(
    names: list[str], weights: list[int | None], data: st.DataObject
) -> None:
    questions = [
        question(name, ambiguity_weight=weight) for name, weight in zip(names, weights, strict=False)
    ]
    score = data.draw(st.integers(0, 10) | st.none())
    features = data.draw(st.sampled_from([[], [feature("a")]]))
    ends = []
    for _ in range(2):
        after = read(asking(clarification_questions=questions, ambiguity_score=score, features=features))
        for name in data.draw(st.permutations(names)):
            after = resolve(after, name)
        ends.append((after.status, after.ambiguity_score))

    assert ends[0] == ends[1]
    assert ends[0][0] == ("ready" if features else "needs-clarification")


def document_of(raw: dict[str, Any]) -> Document[Spec]:
    document = read_spec(as_json(raw))
    assert document.value is not None
    return document


def written(raw: dict[str, Any], *names: str, text: str = "yes") -> dict[str, Any]:
    document = document_of(raw)
    after = document.value
    assert after is not None
    for name in names:
        after = resolve(after, name, text)
    data = write_answers(document, after)
    assert read_spec(data).value == after
    assert data.endswith(b"}\n")
    result: dict[str, Any] = json.loads(data)
    return result


def test_answers_are_written_in_the_spelling_of_the_file() -> None:
    raw = as_camel(asking("Q1", "Q2", features=[feature("a")]))

    ours, theirs = written(asking("Q1"), "Q1"), written(raw, "Q1", "Q2")

    assert ours["resolved_clarifications"] == [
        {"question_id": "Q1", "answer": "yes", "resolved_at": LATER, "resolved_by": "user"}
    ]
    assert theirs["resolvedClarifications"][1] == {
        "questionId": "Q2",
        "answer": "yes",
        "resolvedAt": LATER,
        "resolvedBy": "user",
    }
    assert (theirs["status"], theirs["ambiguityScore"], theirs["updatedAt"]) == ("ready", 6, LATER)
    assert "updated_at" not in theirs


def test_only_what_changed_is_written_and_the_order_of_keys_stays() -> None:
    raw = as_camel(asking("Q1", "Q2"))
    raw = {"zebra": [1], "resolvedClarifications": [], **raw, "preset": {"specId": 1, "updatedAt": "x"}}

    after = written(raw, "Q1")

    assert list(after) == list(raw)
    changed = {key for key in raw if raw[key] != after[key]}
    assert changed == {"resolvedClarifications", "updatedAt"}


def test_what_is_written_beside_earlier_answers_stays() -> None:
    earlier = [answer("Q1", note="mine"), answer("Q2", note="also", evidence="old"), answer("Q2", "no", x=1)]
    raw = as_camel(asking("Q1", "Q2", "Q3", resolved_clarifications=earlier))

    third, second = written(raw, "Q3"), written(raw, "Q2", text="new")

    assert third["resolvedClarifications"][:3] == raw["resolvedClarifications"]
    assert second["resolvedClarifications"] == [
        raw["resolvedClarifications"][0],
        {**raw["resolvedClarifications"][2], "answer": "new", "resolvedAt": LATER, "resolvedBy": "user"},
    ]


def test_evidence_of_an_answer_that_is_replaced_does_not_vouch_for_the_new_one() -> None:
    raw = asking(
        "Q1", "Q2", resolved_clarifications=[answer("Q1", resolved_by="planner", evidence="src/a.py")]
    )

    assert written(raw, "Q1", text="no")["resolved_clarifications"][0]["evidence"] == ""


@pytest.mark.parametrize(
    "mixed",
    [
        {"resolved_clarifications": [{"questionId": "Q2", "answer": "a", "resolvedAt": WHEN}]},
        {"resolved_clarifications": [answer("Q2")], "resolvedClarifications": "an unknown key"},
        {"updated_at": WHEN, "updatedAt": "an unknown key"},
    ],
)
def test_a_file_of_both_hands_is_written_where_it_is_read(mixed: dict[str, Any]) -> None:
    raw = as_camel(asking("Q1", "Q2", "Q3"))
    raw = {**{key: value for key, value in raw.items() if key != "updatedAt"}, "updated_at": WHEN, **mixed}

    after = written(raw, "Q1", "Q2")

    assert after.keys() == raw.keys() | ({"resolvedClarifications"} if "updatedAt" in raw else set())
    assert all(after[key] == "an unknown key" for key in raw if raw[key] == "an unknown key")


def test_text_is_written_as_it_is_said() -> None:
    data = write_answers(document_of(asking("Q1")), resolve(read(asking("Q1")), "Q1", "größer als 3 → ja"))

    assert "größer als 3 → ja" in data.decode()
    assert b'\n  "spec_id"' in data


UNKNOWN = st.dictionaries(JSON_TEXT.map(lambda text: f"?{text}"), ANY_JSON, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    extra=UNKNOWN,
    beside=UNKNOWN,
    notes=ANY_JSON,
    is_camel=st.booleans(),
    order=st.permutations(["Q1", "Q2", "Q3"]),
)
def test_every_unknown_field_survives_the_answers(
    extra: dict[str, Any], beside: dict[str, Any], notes: Any, is_camel: bool, order: list[str]
) -> None:
    raw: Any = {
        **asking("Q1", "Q2", "Q3", resolved_clarifications=[{**answer("Q1", "old"), **beside}]),
        **extra,
        "tech_notes": notes,
    }
    raw = to_camel(raw, Spec) if is_camel else raw

    after = written(raw, *order, text="new")

    resolved = after["resolvedClarifications" if is_camel else "resolved_clarifications"]
    assert {key: after[key] for key in extra} == extra
    assert {key: resolved[0][key] for key in beside} == beside
    assert after["techNotes" if is_camel else "tech_notes"] == notes
    assert list(after) == list(raw)


def test_a_file_of_answers_is_an_object_or_a_list() -> None:
    listed = [
        {"questionId": "Q1", "answer": "yes"},
        {"question_id": "Q2", "answer": "no", "resolved_by": "planner", "evidence": "src/a.py"},
    ]

    by_name = read_answers(b'{"Q1": "yes", "Q2": "no"}')
    in_list = read_answers(as_json(listed))

    assert [(one.question_id, one.answer) for one in by_name.answers] == [("Q1", "yes"), ("Q2", "no")]
    assert [(one.question_id, one.answer) for one in in_list.answers] == [("Q1", "yes"), ("Q2", "no")]
    assert (in_list.answers[1].resolved_by, in_list.answers[1].evidence) == (ResolvedBy.PLANNER, "src/a.py")
    assert by_name.violations == in_list.violations == ()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", [("syntax-error", "")]),
        (b"3", [("wrong-type", "")]),
        (b'"yes"', [("wrong-type", "")]),
        (b'{"Q1": 3, "Q2": " "}', [("wrong-type", "/Q1"), ("blank-text", "/Q2")]),
        (b'{"Q1": "a", "Q1": "b"}', [("duplicate-key", "/Q1")]),
        (b'[{"answer": ""}]', [("missing-field", "/0/question_id")]),
        (b'[{"questionId": "Q1"}]', [("missing-field", "/0/answer")]),
        (b'[{"questionId": "Q1", "answer": "a", "resolvedBy": "me"}]', [("unknown-value", "/0/resolvedBy")]),
        (
            b'[{"questionId": "Q1", "answer": "a"}, {"question_id": "Q1", "answer": ""}]',
            [("blank-text", "/1/answer"), ("answered-twice", "/1")],
        ),
        (b'["yes"]', [("wrong-type", "/0")]),
    ],
)
def test_anything_else_is_no_file_of_answers(data: bytes, expected: list[tuple[str, str]]) -> None:
    given_answers = read_answers(data)

    assert given_answers.answers == ()
    assert [(one.code, one.path) for one in given_answers.violations] == expected


@settings(max_examples=80, deadline=None)
@given(data=ANY_JSON.map(as_json) | st.binary())
def test_any_bytes_are_answers_or_have_an_error(data: bytes) -> None:
    given_answers = read_answers(data)

    assert not (given_answers.answers and has_errors(given_answers.violations))


def noted(before: Spec, after: Spec, name: str) -> dict[str, Any]:
    data = history_line(before, after, name, LATER)
    assert data.endswith(b"}\n")
    assert data.count(b"\n") == 1
    line: dict[str, Any] = json.loads(data)
    return line


def test_the_history_says_what_was_answered_and_never_the_words() -> None:
    before = read(asking("Q1", "Q2"))
    after = resolve(before, "Q1", "my secret plan")

    line = noted(before, after, "Q1")

    assert (line["timestamp"], line["event"], line["phase"]) == (LATER, "clarification-resolved", "planning")
    assert line["details"] == {
        "specId": "spec-1",
        "questionId": "Q1",
        "resolvedBy": "user",
        "remaining": ["Q2"],
        "status": "needs-clarification",
        "replanDue": False,
    }
    assert "secret" not in json.dumps(line)


def test_the_history_says_which_answer_made_the_difference() -> None:
    planned, empty = read(asking("Q1", features=[feature("a")])), read(asking("Q1"))
    ready, due = resolve(planned, "Q1"), resolve(empty, "Q1")

    assert noted(planned, ready, "Q1")["details"]["outcome"] == "ready"
    assert noted(empty, due, "Q1")["details"]["outcome"] == "replan-due"
    assert noted(empty, due, "Q1")["details"]["replanDue"] is True
    assert "outcome" not in noted(ready, resolve(ready, "Q1", "no"), "Q1")["details"]
    assert "outcome" not in noted(due, resolve(due, "Q1", "no"), "Q1")["details"]


def test_a_spec_without_questions_has_nothing_to_answer() -> None:
    why = why_not(spec(), "Q1", "yes")

    assert why is not None
    assert why.fix
