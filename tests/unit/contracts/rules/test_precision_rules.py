"""What a contract has to say before anybody builds: the precision fields, and words that mean something."""

import json
from typing import Any

import pytest
from contract_bench import TOLD, contract, criterion, document, found, sprint_document, task, warned
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, WORDS, _spoil, as_json, json_of

from signoff.contracts.files.document_files import read_contract
from signoff.contracts.rules.format_rules import ContractCode, check_contract
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.contracts.rules.sprint_rules import SprintAt, SprintCode, check_sprint, check_sprints
from signoff.domain.work.contract import Contract, ContractPolicy
from signoff.domain.work.sprints import Sprint
from signoff.text.json.violation_list import MORE_VIOLATIONS

FIELDS = (
    "non_goals",
    "stop_conditions",
    "definition_of_done",
    "assumptions",
    "out_of_scope",
    "ambiguity_score",
)
INVISIBLE = "\u200b\u00ad\ufe0f\u3164 \t"


def test_a_precise_contract_has_nothing_against_it() -> None:
    assert check_contract(contract()) == ()


@pytest.mark.parametrize("field", FIELDS)
def test_each_precision_field_must_stand_in_the_file(field: str) -> None:
    given = [name for name in document() if name != field]

    [violation] = check_contract(contract(), given=given)

    assert (violation.code, violation.path) == ("missing-precision-field", f"/{field}")


@pytest.mark.parametrize("field", FIELDS)
def test_what_was_never_said_counts_as_left_out_where_nobody_knows_the_file(field: str) -> None:
    told = document()
    del told[field]

    read = read_contract(as_json(told))
    assert isinstance(read.value, Contract)

    assert [v.code for v in check_contract(read.value)] == ["missing-precision-field"]


def test_an_empty_list_was_thought_about_and_a_list_left_out_was_not() -> None:
    subject = contract(assumptions=[], out_of_scope=[])

    assert check_contract(subject, given=document()) == ()
    assert [path for _, _, path in found(subject)] == ["/assumptions", "/out_of_scope"]


def test_the_keys_of_a_file_may_be_in_its_own_spelling() -> None:
    camel = {"nonGoals", "stopConditions", "definitionOfDone", "assumptions", "outOfScope", "ambiguityScore"}

    assert check_contract(contract(assumptions=[]), given=camel) == ()


def test_a_score_of_nothing_is_no_score_and_a_score_of_zero_is_one() -> None:
    [violation] = check_contract(contract(ambiguity_score=None), given=document())

    assert violation.code == "missing-precision-field"
    assert found(contract(ambiguity_score=0)) == []


def test_something_is_forbidden_and_something_ends_the_work() -> None:
    subject = contract(non_goals=[], stop_conditions=[])

    assert [(v.code, v.path) for v in check_contract(subject, given=document())] == [
        ("no-non-goals", "/non_goals"),
        ("no-stop-conditions", "/stop_conditions"),
    ]


@pytest.mark.parametrize(
    "done", ["a" * 19, "a" * 19 + " " * 20, "\u200b" * 30 + "a", INVISIBLE * 9, "a  " * 9]
)
def test_a_definition_of_done_is_measured_by_what_can_be_read(done: str) -> None:
    assert found(contract(definition_of_done=done)) == [("done-too-short", None, "/definition_of_done")]


def test_a_definition_of_done_of_twenty_characters_will_do() -> None:
    assert found(contract(definition_of_done="a" * 20)) == []


@pytest.mark.parametrize(
    "done",
    [
        "TODO: fill this in later on",
        "TBD \u2026 the team will decide it",
        "Done when it is done.",
        "**Done** when everything is finished",
        "Lorem ipsum dolor sit amet, consectetur",
    ],
)
def test_a_definition_of_done_is_more_than_its_place(done: str) -> None:
    assert found(contract(definition_of_done=done)) == [("placeholder", None, "/definition_of_done")]


@pytest.mark.parametrize(
    "done", ["No page of the manual says TBD any more", "The work is done when `make test` exits with 0"]
)
def test_a_definition_of_done_may_speak_of_placeholders_and_of_an_end(done: str) -> None:
    assert found(contract(definition_of_done=done)) == []


def test_a_behaviour_and_its_evidence_are_told() -> None:
    items = [{"path": "src/a.py", "description": text} for text in ("the line", " \u200b")]
    checks = [{"type": "behavioral", "description": "  ", "evidence_required": items}]

    assert found(contract(task(1, verification=checks))) == [
        ("blank-text", None, "/tasks/0/verification/0/description"),
        ("blank-text", None, "/tasks/0/verification/0/evidence_required/1/description"),
    ]


@pytest.mark.parametrize("score", [-1, 11, 10**30])
def test_an_ambiguity_is_on_its_scale(score: int) -> None:
    codes = [code for code, _, path in found(contract(ambiguity_score=score)) if path == "/ambiguity_score"]

    assert "ambiguity-range" in codes
    assert ("too-ambiguous" in codes) == (score > 0)


@pytest.mark.parametrize("blank", ["", "   ", "\u200b", INVISIBLE])
def test_what_must_be_read_is_not_blank(blank: str) -> None:
    subject = contract(
        task(1, title=blank, acceptance_criteria=["It prints 3", blank]),
        goal=blank,
        why=blank,
        assumptions=["Prices are in cents", blank],
        out_of_scope=[blank],
    )

    assert found(subject) == [
        ("blank-text", None, "/goal"),
        ("blank-text", None, "/why"),
        ("blank-text", None, "/tasks/0/title"),
        ("blank-text", None, "/tasks/0/acceptance_criteria/1"),
        ("blank-text", None, "/assumptions/1"),
        ("blank-text", None, "/out_of_scope/0"),
    ]


@pytest.mark.parametrize(("size", "is_short"), [(24, True), (25, False)])
def test_a_criterion_has_twenty_five_characters_to_read(size: int, is_short: bool) -> None:
    text = "a" * size
    subject = contract(success_criteria=[criterion("A", description=text), f" {text}  ", TOLD])
    expected = [
        ("criterion-too-short", None, "/success_criteria/0/description"),
        ("criterion-too-short", None, "/success_criteria/1"),
    ]

    assert found(subject) == (expected if is_short else [])


def test_fewer_than_three_criteria_say_little() -> None:
    two = [criterion("A"), criterion("B")]

    assert warned(contract(success_criteria=two)) == [("few-criteria", "/success_criteria")]
    assert warned(contract(success_criteria=[*two, criterion("C")])) == []
    assert warned(contract(success_criteria=[])) == []


def test_a_criterion_says_how_it_is_to_be_shown() -> None:
    subject = contract(success_criteria=[criterion("A"), TOLD, criterion("B")])

    assert found(subject) == []
    assert warned(subject) == [("criterion-without-method", "/success_criteria/1")]


@pytest.mark.parametrize("method", ["manual", "agent-evaluation"])
def test_an_opinion_raises_no_verdict(method: str) -> None:
    alone = criterion("A", verification_method=method)
    others = [criterion("B"), criterion("C")]

    assert warned(contract(success_criteria=[alone, *others])) == [
        ("opinion-only", "/success_criteria/0/verification_method")
    ]
    for enough in ({"proven_by": ["T1/check-1"]}, {"required": False}, {"verification_method": "build"}):
        assert warned(contract(success_criteria=[{**alone, **enough}, *others])) == []


VAGUE = "The total of the basket works correctly"


def test_a_vague_phrase_is_refused_wherever_the_plan_is_told() -> None:
    told = {"id": "A", "description": VAGUE}
    subject = contract(
        task(1, acceptance_criteria=["It prints 3", VAGUE]),
        goal=VAGUE,
        why=VAGUE,
        success_criteria=[told, VAGUE, TOLD],
        non_goals=[{**told, "id": "B"}, VAGUE],
        stop_conditions=[VAGUE, {**told, "id": "C"}],
        definition_of_done=VAGUE,
        assumptions=[VAGUE],
        out_of_scope=[VAGUE],
    )

    assert found(subject) == [
        ("vague-phrase", None, path)
        for path in (
            "/goal",
            "/definition_of_done",
            "/success_criteria/0/description",
            "/success_criteria/1",
            "/non_goals/0/description",
            "/non_goals/1",
            "/stop_conditions/0",
            "/stop_conditions/1/description",
        )
    ]
    assert ("vague-phrase", "/tasks/0/acceptance_criteria/1") in warned(subject)


def test_a_phrase_in_quotation_marks_is_what_somebody_sees() -> None:
    assert found(contract(goal="The page says `works correctly` in green")) == []


def test_placeholders_and_endings_without_a_signal_are_refused() -> None:
    subject = contract(
        non_goals=["Do not touch the receipt", "N/A", {"id": "N", "description": "Do not break anything"}],
        stop_conditions=[
            "`npm test` exits with 0",
            "when done",
            {"id": "S", "description": "Once it is ready"},
        ],
    )

    assert found(subject) == [
        ("placeholder-non-goal", None, "/non_goals/1"),
        ("placeholder-non-goal", None, "/non_goals/2/description"),
        ("no-signal", None, "/stop_conditions/1"),
        ("no-signal", None, "/stop_conditions/2/description"),
    ]


TEXTS = (
    WORDS | st.sampled_from(("works correctly", "none", "when done", "\u200b", TOLD)) | st.text(max_size=30)
)


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """Give a contract or a sprint that is right but for one to four places."""
    subject: Any = json.loads(as_json(draw(st.sampled_from((document(), sprint_document())))))
    for _ in range(draw(st.integers(1, 4))):
        subject = _spoil(draw, subject)
    return subject


@settings(deadline=None, max_examples=150)
@given(changed() | json_of(Contract, TEXTS) | json_of(Sprint, TEXTS) | ANY_JSON)
def test_no_json_makes_the_rules_stumble(shape: Any) -> None:
    known = {*ContractCode, *PrecisionCode, *SprintCode, MORE_VIOLATIONS}
    read = read_contract(as_json(shape))
    for policy in ContractPolicy:
        if isinstance(read.value, Contract):
            violations = check_contract(read.value, policy, given=read.raw)
        elif isinstance(read.value, Sprint):
            pair = (SprintAt(read.value, "/sprints/0"), SprintAt(read.value, "/sprints/1"))
            violations = (*check_sprint(read.value, policy), *check_sprints(pair))
        else:
            assert read.violations
            continue
        assert known.issuperset(v.code for v in violations)
        assert all(v.message and v.fix for v in violations)
        assert len(read.placed(violations)) == len(violations)
