"""Where a spec stands: what is open, what is ready, what waits for a planner."""

import pytest
from spec_bench import answer, asking, question, read, spec

from signoff.specs.spec_lifecycle import cited, is_ready, moment, open_questions, replan_due, standing_answers


def test_open_questions_are_those_without_an_answer_in_their_order() -> None:
    asked = asking("Q3", "Q1", "Q2", resolved_clarifications=[answer("Q1"), answer("Q9")])

    assert [one.question_id for one in open_questions(read(asked))] == ["Q3", "Q2"]


def test_the_last_of_two_answers_stands() -> None:
    asked = asking("Q1", resolved_clarifications=[answer("Q1", "no"), answer("Q1", "yes")])

    assert standing_answers(read(asked))["Q1"].answer == "yes"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("draft", True),
        ("ready", True),
        ("in-progress", True),
        ("needs-clarification", False),
        ("completed", False),
        ("abandoned", False),
    ],
)
def test_work_may_start_in_three_of_the_statuses(status: str, expected: bool) -> None:
    assert is_ready(spec(status=status)) is expected


@pytest.mark.parametrize(
    "changes",
    [
        {"features": []},
        {"ambiguity_score": 7},
        {"clarification_questions": [question("Q1")]},
        {"clarification_questions": [question("Q1", ambiguity_weight=0)], "ambiguity_score": 0},
    ],
)
def test_work_does_not_start_while_anything_is_undecided(changes: dict[str, object]) -> None:
    assert not is_ready(spec(**changes))


def test_an_ambiguity_below_seven_and_an_answered_question_are_no_hindrance() -> None:
    changes = {"clarification_questions": [question("Q1")], "resolved_clarifications": [answer("Q1")]}

    assert is_ready(spec(ambiguity_score=6, **changes))


def test_a_replan_is_due_once_everything_is_answered_and_nothing_is_planned() -> None:
    resolved = [answer("Q1"), answer("Q2")]

    assert replan_due(read(asking("Q1", "Q2", resolved_clarifications=resolved)))
    assert not replan_due(read(asking("Q1", "Q2", resolved_clarifications=resolved[:1])))
    assert not replan_due(read(asking("Q1", "Q2", resolved_clarifications=resolved, status="draft")))
    assert not replan_due(read(asking("Q1", resolved_clarifications=resolved, features=spec().features)))
    assert not replan_due(read(asking()))


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00.123Z",
        "2026-01-31T12:00:00.123456789+05:30",
        "2026-01-31T12:00:00-08:00",
        "2024-02-29T00:00:00Z",
    ],
)
def test_a_time_with_its_offset_is_a_moment(text: str) -> None:
    at = moment(text)

    assert at is not None
    assert at.utcoffset() is not None


@pytest.mark.parametrize(
    "text",
    [
        *("", "now", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-W05-6T12:00:00Z"),
        *("2026-02-30T12:00:00Z", "2026-01-31T25:00:00Z", "20260131T120000Z", "2026-01-31T12:00:00Z\n"),
        *("0000-01-01T00:00:00Z", "2026-01-31T12:00:00+99:00", "٢٠٢٦-01-31T12:00:00Z"),
    ],
)
def test_anything_else_is_no_moment(text: str) -> None:
    assert moment(text) is None


@pytest.mark.parametrize(
    ("text", "is_cited"),
    [
        ("Q1: Postgres, because the user said so", True),
        ("As answered in Q1.", True),
        ("(Q1/Q2) both", True),
        ("Q1\N{ZERO WIDTH SPACE}: x", True),
        ("Q10 says so", False),
        ("Q1-b says so", False),
        ("Q1.2 says so", False),
        ("FAQ1 says so", False),
        ("q1 says so", False),
        ("", False),
    ],
)
def test_a_question_is_cited_by_its_whole_id_only(text: str, is_cited: bool) -> None:
    assert cited(["Q1"], ["nothing", text]) == (frozenset({"Q1"}) if is_cited else frozenset())


def test_ids_that_are_no_words_can_be_cited_too() -> None:
    names = ["Q 1", "#2", "(3", "[a-z]", "", " "]

    assert cited(names, ["Q 1 and #2, then (3 and [a-z]."]) == frozenset({"Q 1", "#2", "(3", "[a-z]"})
    assert cited(names, ["Q 12 and #25, then (34 and b."]) == frozenset()
    assert cited(names, ["Q 1-b, Q 1.2, #2x"]) == frozenset()
