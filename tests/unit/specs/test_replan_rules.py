"""A plan made from answers keeps them, cites them, and does not ask for them again."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from json_shapes import as_json, json_of
from spec_bench import answer, asking, feature, question, read

from signoff.domain.base.violations import Severity
from signoff.domain.work.spec import Spec
from signoff.specs.replan_rules import ReplanCode, check_replan

BEFORE = asking("Q1", "Q2", resolved_clarifications=[answer("Q1", "Postgres"), answer("Q2", "EU only")])
AFTER: dict[str, Any] = {
    **BEFORE,
    "status": "draft",
    "version": 2,
    "ambiguity_score": 3,
    "features": [feature("a")],
    "assumptions": ["Q1: Postgres, so migrations are SQL", "EU only (Q2)"],
}


def found(**changes: object) -> list[tuple[str, str]]:
    violations = check_replan(read(BEFORE), read({**AFTER, **changes}))
    assert all(one.severity is Severity.ERROR and one.message and one.fix for one in violations)
    return [(one.code, one.path) for one in violations]


def test_a_plan_that_takes_the_answers_up_is_let_alone() -> None:
    assert found() == []
    assert found(version=1) == []


def test_a_plan_may_ask_something_new_instead() -> None:
    new = [*BEFORE["clarification_questions"], question("Q3", question="Which region first?")]

    assert found(status="needs-clarification", features=[], clarification_questions=new) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"spec_id": "spec-2"}, [(ReplanCode.OTHER_SPEC, "/spec_id")]),
        ({"version": 0}, [(ReplanCode.LOWER_VERSION, "/version")]),
        ({"features": []}, [(ReplanCode.NOTHING_PLANNED, "/features")]),
        ({"assumptions": []}, [(ReplanCode.UNCITED_ANSWER, "/assumptions")] * 2),
        ({"assumptions": ["Q1 and Q22"]}, [(ReplanCode.UNCITED_ANSWER, "/assumptions")]),
        (
            {"resolved_clarifications": [answer("Q2", "EU only"), answer("Q1", "MySQL")]},
            [(ReplanCode.CHANGED_ANSWER, "/resolved_clarifications/1")],
        ),
        (
            {
                "resolved_clarifications": [
                    answer("Q1", "Postgres", resolved_by="planner"),
                    answer("Q2", "EU only"),
                ]
            },
            [(ReplanCode.CHANGED_ANSWER, "/resolved_clarifications/0")],
        ),
        (
            {"resolved_clarifications": [answer("Q2", "EU only")]},
            [
                (ReplanCode.LOST_ANSWER, "/resolved_clarifications"),
                (ReplanCode.ASKED_AGAIN, "/clarification_questions/0"),
            ],
        ),
        (
            {"clarification_questions": [question("Q1", question="Which colour?"), question("Q2")]},
            [(ReplanCode.CHANGED_QUESTION, "/clarification_questions/0/question")],
        ),
        (
            {
                "clarification_questions": [
                    *BEFORE["clarification_questions"],
                    question("Q7", question=" what  ABOUT q1 "),
                ]
            },
            [(ReplanCode.ASKED_AGAIN, "/clarification_questions/2")],
        ),
        (
            {"features": [], "clarification_questions": [], "assumptions": ["Q1", "Q2"]},
            [(ReplanCode.NOTHING_PLANNED, "/features")],
        ),
    ],
)
def test_what_passes_over_an_answer_is_refused(changes: dict[str, Any], expected: list[Any]) -> None:
    assert found(**changes) == expected


def test_the_message_names_the_question_that_is_not_cited() -> None:
    (one,) = check_replan(read(BEFORE), read({**AFTER, "assumptions": ["Q1 says Postgres"]}))

    assert '"Q2"' in one.message


def test_what_the_planner_answered_itself_need_not_be_cited() -> None:
    own = [answer("Q1", "Postgres", resolved_by="planner", evidence="src/db.py"), answer("Q2", "EU only")]
    before, after = ({**one, "resolved_clarifications": own} for one in (BEFORE, AFTER))

    assert check_replan(read(before), read({**after, "assumptions": ["Q2"]})) == ()


def test_of_two_answers_the_last_is_the_one_to_keep() -> None:
    twice = [answer("Q1", "MySQL"), answer("Q1", "Postgres"), answer("Q2", "EU only")]

    assert check_replan(read({**BEFORE, "resolved_clarifications": twice}), read(AFTER)) == ()


def test_a_question_still_open_may_stay_open() -> None:
    before = asking("Q1", "Q2", resolved_clarifications=[answer("Q1")])

    assert check_replan(read(before), read({**before, "assumptions": ["Q1"]})) == ()


@settings(max_examples=50, deadline=None)
@given(before=json_of(Spec), after=json_of(Spec))
def test_any_two_specs_can_be_compared(before: Any, after: Any) -> None:
    specs = [msgspec.json.decode(as_json(one), type=Spec) for one in (before, after)]

    assert all(msgspec.json.encode(one) for one in check_replan(*specs))
