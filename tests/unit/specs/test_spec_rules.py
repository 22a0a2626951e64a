"""The rules of a spec: each planted fault is found at its place, and nothing else is."""

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, JSON_TEXT, as_json, json_of, spoiled
from spec_bench import SPRINT, WHEN, answer, asking, feature, question, read, spec

from signoff.contracts.files.document_files import has_errors, read_spec
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.domain.base.violations import Severity
from signoff.domain.work.spec import Spec
from signoff.specs.spec_lifecycle import is_ready
from signoff.specs.spec_rules import SpecCode, check_spec
from signoff.text.json.violation_list import MAX_VIOLATIONS

E, W = Severity.ERROR, Severity.WARNING
Q1 = "/clarification_questions/0"
R1 = "/resolved_clarifications/0"


def found(subject: Spec) -> list[tuple[Severity, str, str]]:
    violations = check_spec(subject)
    assert all(violation.message and violation.fix for violation in violations)
    return [(violation.severity, violation.code, violation.path) for violation in violations]


def asked(**changes: object) -> dict[str, object]:
    """Give a spec's fields for one question, answered."""
    return {
        "clarification_questions": [question("Q1", **changes)],
        "resolved_clarifications": [answer("Q1")],
    }


def answered(**changes: object) -> dict[str, object]:
    given = {**answer("Q1"), **changes}
    return {"clarification_questions": [question("Q1")], "resolved_clarifications": [given]}


def option(label: str, description: str = "d") -> dict[str, str]:
    return {"label": label, "description": description}


def test_a_spec_that_is_right_is_let_alone() -> None:
    options = [option("A"), option("B")]

    assert found(spec()) == []
    assert found(read(asking("Q1", "Q2"))) == []
    assert found(spec(**asked(options=options, ambiguity_weight=10), ambiguity_score=0)) == []
    assert found(spec(status="completed", completed_at=WHEN)) == []
    assert found(spec(status="abandoned", features=[], clarification_questions=[question("Q1")])) == []


@pytest.mark.parametrize("blank", ["", "  ", "\n\t", "\N{ZERO WIDTH SPACE}", "\N{NO-BREAK SPACE}"])
def test_texts_must_say_something(blank: str) -> None:
    subject = spec(
        spec_id=blank,
        title=blank,
        description=blank,
        features=[feature(blank, title=blank, description=blank, acceptance_criteria=["it is there", blank])],
        clarification_questions=[question("Q1", options=[option(blank, blank)])],
        resolved_clarifications=[answer("Q1", blank)],
    )

    assert found(subject) == [
        (E, PrecisionCode.BLANK_TEXT, path)
        for path in (
            *("/spec_id", "/title", "/description"),
            *("/features/0/feature_id", "/features/0/title", "/features/0/description"),
            "/features/0/acceptance_criteria/1",
            *(f"{Q1}/options/0/label", f"{Q1}/options/0/description"),
            f"{R1}/answer",
        )
    ]


def criteria(*texts: str) -> dict[str, Any]:
    return {"features": [feature("feat-1", acceptance_criteria=texts)]}


def depending(**names: list[str]) -> dict[str, Any]:
    return {"features": [feature(name, dependencies=others) for name, others in names.items()]}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"version": 0}, [(E, "not-positive", "/version")]),
        (
            {"features": [feature("f", estimated_sprints=0)]},
            [(E, "not-positive", "/features/0/estimated_sprints")],
        ),
        ({"ambiguity_score": -1}, [(E, "ambiguity-range", "/ambiguity_score")]),
        (
            {"ambiguity_score": 11, "status": "abandoned"},
            [(E, "ambiguity-range", "/ambiguity_score")],
        ),
        (asked(ambiguity_weight=11), [(E, "ambiguity-range", f"{Q1}/ambiguity_weight")]),
        (asked(ambiguity_weight=-1), [(E, "ambiguity-range", f"{Q1}/ambiguity_weight")]),
        ({"created_at": "2026-01-01"}, [(E, "bad-timestamp", "/created_at")]),
        ({"updated_at": "2026-01-01T00:00:00"}, [(E, "bad-timestamp", "/updated_at")]),
        ({"completed_at": "yesterday"}, [(E, "bad-timestamp", "/completed_at")]),
        (answered(resolved_at=""), [(E, "bad-timestamp", f"{R1}/resolved_at")]),
        (
            {"created_at": "2026-01-01T01:00:00Z", "updated_at": "2026-01-01T01:30:00+01:00"},
            [(W, "updated-before-created", "/updated_at")],
        ),
        ({"status": "completed"}, [(W, "no-completion-time", "/completed_at")]),
        (asked(question="Why?"), [(E, "short-question", f"{Q1}/question")]),
        (asked(question="  Why?   "), [(E, "short-question", f"{Q1}/question")]),
        (asked(question="Say which one."), [(W, "no-question-mark", f"{Q1}/question")]),
        (asked(question="(Which one?)"), []),
        (asked(question="どちらにしますか？"), []),
        (
            asked(options=[option("A"), option("B"), option("A ")]),
            [(E, "duplicate-option", f"{Q1}/options/2/label")],
        ),
        (
            {"features": [feature("a"), feature("b"), feature("a")]},
            [(E, "duplicate-feature-id", "/features/2/feature_id")],
        ),
        (
            {
                "clarification_questions": [question("Q1"), question("Q1")],
                "resolved_clarifications": [answer("Q1")],
            },
            [(E, "duplicate-question-id", "/clarification_questions/1/question_id")],
        ),
        (criteria(), [(E, "no-acceptance-criteria", "/features/0/acceptance_criteria")]),
        (criteria("it is there"), [(W, "few-acceptance-criteria", "/features/0/acceptance_criteria")]),
        (
            criteria("it is there", "The form works   correctly"),
            [(W, "vague-phrase", "/features/0/acceptance_criteria/1")],
        ),
        (criteria("it is there", 'The page says "works correctly"'), []),
        (depending(a=["b"], b=[]), []),
        (depending(a=["c"]), [(E, "unknown-dependency", "/features/0/dependencies/0")]),
        (depending(a=[], b=["a", "b"]), [(E, "dependency-cycle", "/features/1/dependencies/1")]),
        (depending(a=["b"], b=["c"], c=["a"]), [(E, "dependency-cycle", "/features/2/dependencies/0")]),
        ({"features": [], "status": "draft"}, [(W, "no-features", "/features")]),
        ({"features": []}, [(E, "no-features", "/features")]),
        ({"features": [], "status": "in-progress"}, [(E, "no-features", "/features")]),
        (
            {"features": [], "status": "completed", "completed_at": WHEN},
            [(E, "no-features", "/features")],
        ),
        ({"resolved_clarifications": [answer("Q9")]}, [(E, "unknown-question", f"{R1}/question_id")]),
        (
            {
                "clarification_questions": [question("Q1")],
                "resolved_clarifications": [answer("Q1"), answer("Q1"), answer("Q1")],
            },
            [(W, "answered-twice", "/resolved_clarifications/1/question_id")],
        ),
    ],
)
def test_each_fault_is_found_at_its_place(
    changes: dict[str, Any], expected: list[tuple[Severity, str, str]]
) -> None:
    assert found(spec(**changes)) == expected


def test_a_feature_that_waits_for_itself_is_told_so() -> None:
    (alone,) = check_spec(spec(**depending(a=["a"])))
    (together,) = check_spec(spec(**depending(a=["b"], b=["a"])))

    assert alone.message == '"a" depends on itself'
    assert together.message == 'a cycle: "a" → "b" → "a"'


@pytest.mark.parametrize("status", ["draft", "ready", "in-progress", "completed"])
def test_an_open_question_stands_in_the_way_however_low_the_ambiguity(status: str) -> None:
    questions = [question("Q1"), question("Q2"), question("Q3")]
    subject = spec(
        status=status,
        completed_at=WHEN,
        ambiguity_score=0,
        clarification_questions=questions,
        resolved_clarifications=[answer("Q2")],
    )

    assert found(subject) == [
        (E, SpecCode.OPEN_QUESTION, "/clarification_questions/0"),
        (E, SpecCode.OPEN_QUESTION, "/clarification_questions/2"),
    ]


@pytest.mark.parametrize(
    ("status", "is_wrong"),
    [("draft", True), ("ready", True), ("in-progress", True), ("completed", False), ("abandoned", False)],
)
def test_nobody_works_on_what_is_rated_seven_or_more(status: str, is_wrong: bool) -> None:
    expected = [(E, PrecisionCode.TOO_AMBIGUOUS, "/ambiguity_score")] if is_wrong else []

    assert found(spec(status=status, completed_at=WHEN, ambiguity_score=7)) == expected
    assert found(spec(status=status, completed_at=WHEN, ambiguity_score=6)) == []


def test_clarification_without_a_question_could_never_end() -> None:
    assert found(read(asking())) == [(E, SpecCode.NO_QUESTIONS, "/clarification_questions")]


def test_clarification_with_nothing_open_says_what_comes_next() -> None:
    resolved = [answer("Q1")]
    (due,) = check_spec(read(asking("Q1", resolved_clarifications=resolved)))
    (ready,) = check_spec(
        read(asking("Q1", resolved_clarifications=resolved, features=[feature("a")], ambiguity_score=3))
    )

    assert [(one.severity, one.code, one.path) for one in (due, ready)] == [
        (W, SpecCode.NOTHING_OPEN, "/status")
    ] * 2
    assert "re-plan" in due.message
    assert "ready" in ready.message


def test_features_before_the_answers_are_a_warning() -> None:
    subject = read(asking("Q1", features=[feature("a")]))

    assert found(subject) == [(W, SpecCode.FEATURES_TOO_EARLY, "/features")]


@pytest.mark.parametrize(
    ("evidence", "assumptions", "is_grounded"),
    [
        ("src/db.py:12 opens Postgres", [], True),
        ("", ["Q1: Postgres, see src/db.py"], True),
        ("", ["Q10: Postgres, see src/db.py"], False),
        ("  ", ["Postgres"], False),
    ],
)
def test_a_planner_answers_itself_on_grounds_only(
    evidence: str, assumptions: list[str], is_grounded: bool
) -> None:
    own = answered(resolved_by="planner", evidence=evidence)
    subject = spec(**own, assumptions=assumptions)

    assert found(subject) == ([] if is_grounded else [(E, SpecCode.UNGROUNDED_ANSWER, R1)])


def test_a_person_needs_no_evidence() -> None:
    assert found(spec(**answered(resolved_by="user"))) == []


def sprint(name: str, number: int, **changes: object) -> dict[str, Any]:
    return {**SPRINT, "contract_id": name, "sprint_number": number, **changes}


def errors(subject: Spec) -> list[tuple[str, str]]:
    return [(code, path) for severity, code, path in found(subject) if severity is E]


def test_sprints_in_a_spec_are_judged_where_they_stand() -> None:
    assert errors(spec(sprints=[sprint("a", 1), sprint("b", 2, depends_on=["a"])])) == []

    wrong = sprint("b", 2, definition_of_done="short", depends_on=["nobody"])
    paths = {path for _, path in errors(spec(sprints=["first", sprint("a", 1), wrong]))}

    assert "/sprints/2/definition_of_done" in paths
    assert "/sprints/2/depends_on/0" in paths
    assert all(path.startswith("/sprints/2/") for path in paths)


def test_a_sprint_may_depend_on_one_that_is_named_by_its_id() -> None:
    assert errors(spec(sprints=["first", sprint("b", 2, depends_on=["first"])])) == []


def test_a_sprint_is_of_its_spec_and_about_its_features() -> None:
    foreign = sprint("a", 1, spec_id="spec-2", features=["feat-1", "feat-2"])

    assert errors(spec(sprints=[foreign])) == [
        (SpecCode.FOREIGN_SPRINT, "/sprints/0/spec_id"),
        (SpecCode.UNKNOWN_FEATURE, "/sprints/0/features/1"),
    ]


TEXTS = JSON_TEXT | st.sampled_from(["Q1", "Q2", "a", "b", WHEN, "works correctly", "What is it?", "(", "\0"])


@settings(max_examples=80, deadline=None)
@given(raw=json_of(Spec, TEXTS) | spoiled(Spec) | ANY_JSON)
def test_the_rules_take_any_spec_there_is(raw: Any) -> None:
    document = read_spec(as_json(raw))
    if document.value is None:
        return

    violations = document.placed(check_spec(document.value))

    assert all(msgspec.json.encode(violation) for violation in violations)
    own = {one.code for one in violations if not one.path.startswith("/sprints/")}
    assert not is_ready(document.value) or not own & {
        SpecCode.OPEN_QUESTION,
        PrecisionCode.TOO_AMBIGUOUS,
        SpecCode.NO_FEATURES,
    }


def test_a_huge_spec_is_judged_in_reasonable_time() -> None:
    count = 3_000
    names = [f"Q{n}" for n in range(count)]
    subject = spec(
        features=[feature(f"f{n}", dependencies=[f"f{(n + 1) % count}"]) for n in range(count)],
        clarification_questions=[question(name) for name in names],
        resolved_clarifications=[answer(name, resolved_by="planner") for name in names],
        assumptions=[f"{name} is so" for name in names[1:]],
    )
    started = time.process_time()

    assert [code for _, code, _ in found(subject)] == ["dependency-cycle", "ungrounded-answer"]
    assert time.process_time() - started < 2


def test_the_list_of_violations_ends_somewhere() -> None:
    subject = spec(features=[feature("f", title="") for _ in range(2 * MAX_VIOLATIONS)])

    assert len(check_spec(subject)) == MAX_VIOLATIONS + 1
    assert has_errors(check_spec(subject))
