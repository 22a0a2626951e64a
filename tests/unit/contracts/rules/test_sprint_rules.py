"""Sprint contracts: what their format asks for, what a careful planner adds, how several hang together."""

import pytest
from contract_bench import TOLD, sprint, sprint_criterion, sprint_document

from signoff.contracts.rules.sprint_rules import SprintAt, check_sprint, check_sprints
from signoff.domain.base.violations import Severity
from signoff.domain.work.contract import ContractPolicy
from signoff.domain.work.sprints import Sprint

THREE = [sprint_criterion("a", "build"), sprint_criterion("b"), sprint_criterion("c")]


def found(subject: Sprint, policy: ContractPolicy = ContractPolicy.STRICT) -> list[tuple[str, str]]:
    violations = check_sprint(subject, policy)
    assert all(v.message and v.fix for v in violations)
    return [(v.code, v.path) for v in violations if v.severity is Severity.ERROR]


def warned(subject: Sprint) -> list[tuple[str, str]]:
    return [(v.code, v.path) for v in check_sprint(subject) if v.severity is Severity.WARNING]


def both(subject: Sprint) -> list[tuple[str, str]]:
    """Give the errors, which are the same under both policies."""
    assert found(subject, ContractPolicy.SEED) == found(subject)
    return found(subject)


@pytest.mark.parametrize("policy", list(ContractPolicy))
def test_a_careful_sprint_has_nothing_against_it(policy: ContractPolicy) -> None:
    assert check_sprint(sprint(), policy) == ()


@pytest.mark.parametrize("field", ["contract_id", "spec_id", "title", "description"])
def test_names_and_descriptions_say_something(field: str) -> None:
    assert both(sprint(**{field: ""})) == [("blank-text", f"/{field}")]
    assert found(sprint(**{field: " \u200b "})) == [("blank-text", f"/{field}")]
    assert found(sprint(**{field: " \u200b "}), ContractPolicy.SEED) == []


def test_a_criterion_has_an_id() -> None:
    subject = sprint(success_criteria=[*THREE[:2], sprint_criterion("")])

    assert both(subject) == [("blank-text", "/success_criteria/2/criterion_id")]


def test_numbers_and_moments_are_what_they_seem() -> None:
    subject = sprint(
        sprint_number=0,
        version=-1,
        created_at="2026-01-31T09:00:00+02:00",
        updated_at="2026-01-31T09:00:00",
        completed_at="2026-01-31",
    )

    assert both(subject) == [
        ("not-positive", "/sprint_number"),
        ("not-positive", "/version"),
        ("bad-timestamp", "/updated_at"),
        ("bad-timestamp", "/completed_at"),
    ]
    assert both(sprint(version=0, started_at="2026-01-31T09:00:00.5Z")) == []


def test_no_list_that_matters_is_empty() -> None:
    assert both(sprint(success_criteria=[], non_goals=[], stop_conditions=[])) == [
        ("no-success-criteria", "/success_criteria"),
        ("no-non-goals", "/non_goals"),
        ("no-stop-conditions", "/stop_conditions"),
    ]


def test_an_empty_non_goal_is_none() -> None:
    assert found(sprint(non_goals=[""]), ContractPolicy.SEED) == [("blank-text", "/non_goals/0")]
    assert found(sprint(non_goals=[""])) == [("placeholder-non-goal", "/non_goals/0")]


def test_lengths_count_every_character_there_and_what_can_be_read_here() -> None:
    short = sprint(
        definition_of_done="a" * 19,
        success_criteria=[*THREE[:2], sprint_criterion("c", description="a" * 24)],
    )
    padded = sprint(
        definition_of_done="a" * 19 + " ",
        success_criteria=[*THREE[:2], sprint_criterion("c", description=" " * 25)],
    )
    expected = [
        ("done-too-short", "/definition_of_done"),
        ("criterion-too-short", "/success_criteria/2/description"),
    ]

    assert both(short) == expected
    assert found(padded) == expected
    assert found(padded, ContractPolicy.SEED) == []
    exact = sprint_criterion("c", description="a" * 25)
    assert both(sprint(definition_of_done="a" * 20, success_criteria=[*THREE[:2], exact])) == []


@pytest.mark.parametrize("score", [-1, 11])
def test_an_ambiguity_is_on_its_scale(score: int) -> None:
    assert found(sprint(ambiguity_score=score), ContractPolicy.SEED) == [
        ("ambiguity-range", "/ambiguity_score")
    ]
    assert ("ambiguity-range", "/ambiguity_score") in found(sprint(ambiguity_score=score))


def test_a_careful_planner_rates_the_ambiguity_and_stops_at_seven() -> None:
    assert found(sprint(ambiguity_score=None)) == [("missing-precision-field", "/ambiguity_score")]
    assert found(sprint(ambiguity_score=7)) == [("too-ambiguous", "/ambiguity_score")]
    assert found(sprint(ambiguity_score=6)) == []
    for score in (None, 0, 7, 10):
        assert found(sprint(ambiguity_score=score), ContractPolicy.SEED) == []


VAGUE = "The page of the basket looks good"
QUOTED = "The page of the basket says `looks good`"


def gated(text: str) -> Sprint:
    return sprint(
        title=text,
        description=text,
        definition_of_done=text,
        success_criteria=[*THREE[:2], sprint_criterion("c", description=text)],
        non_goals=[text],
        stop_conditions=[text],
        assumptions=[text],
        out_of_scope=[text],
        generator_notes=text,
    )


def test_the_phrase_gate_reads_five_fields() -> None:
    expected = [
        ("vague-phrase", path)
        for path in (
            "/description",
            "/definition_of_done",
            "/success_criteria/2/description",
            "/non_goals/0",
            "/stop_conditions/0",
        )
    ]

    assert both(gated(VAGUE)) == expected
    assert found(gated(QUOTED), ContractPolicy.SEED) == expected
    assert found(gated(QUOTED)) == []


def test_placeholders_and_endings_without_a_signal_are_refused() -> None:
    subject = sprint(
        non_goals=["Auto-generated contract, to be filled in", "Do not modify the auth middleware"],
        stop_conditions=["When the sprint feels done", "`npm test` passes with the new tests"],
    )

    assert found(subject) == [("placeholder-non-goal", "/non_goals/0"), ("no-signal", "/stop_conditions/0")]
    assert found(subject, ContractPolicy.SEED) == []


@pytest.mark.parametrize(("field", "camel"), [("assumptions", "assumptions"), ("out_of_scope", "outOfScope")])
def test_an_empty_list_was_thought_about_and_a_list_left_out_was_not(field: str, camel: str) -> None:
    given = {*sprint_document(), "assumptions", "out_of_scope"}
    without = given - {field}

    [violation] = check_sprint(sprint(), given=without)

    assert (violation.code, violation.path) == ("missing-precision-field", f"/{field}")
    assert check_sprint(sprint(), given=without | {camel}) == ()
    assert check_sprint(sprint(), given=given) == check_sprint(sprint()) == ()
    assert check_sprint(sprint(), ContractPolicy.SEED, given=without) == ()


def test_a_definition_of_done_that_is_still_to_be_written_is_none() -> None:
    subject = sprint(definition_of_done="TBD: the planner will say it")

    assert found(subject) == [("placeholder", "/definition_of_done")]
    assert found(subject, ContractPolicy.SEED) == []


def test_blank_assumptions_are_none() -> None:
    subject = sprint(assumptions=["Prices are in cents", " "], out_of_scope=["\u200b"])

    assert found(subject) == [("blank-text", "/assumptions/1"), ("blank-text", "/out_of_scope/0")]


def test_two_criteria_are_too_few() -> None:
    assert found(sprint(success_criteria=THREE[:2])) == [("too-few-criteria", "/success_criteria")]
    assert found(sprint(success_criteria=THREE[:2]), ContractPolicy.SEED) == []


def test_something_is_required() -> None:
    optional = [{**one, "required": False} for one in THREE]

    assert found(sprint(success_criteria=optional)) == [("no-required-criterion", "/success_criteria")]
    assert found(sprint(success_criteria=[*optional[:2], THREE[2]])) == []


def test_an_id_names_one_criterion() -> None:
    subject = sprint(success_criteria=[*THREE, sprint_criterion("b")])

    assert found(subject) == [("duplicate-criterion-id", "/success_criteria/3/criterion_id")]


@pytest.mark.parametrize("path", ["../up", "/etc/passwd", ".git/config", "a\\b", "", "."])
def test_no_estimated_file_leads_outside(path: str) -> None:
    assert found(sprint(estimated_files=["src/a.py", path])) == [("path-escape", "/estimated_files/1")]


def test_no_sprint_depends_on_itself() -> None:
    subject = sprint(depends_on=["sprint-shop-0", "sprint-shop-1"])

    assert found(subject) == [("self-dependency", "/depends_on/1")]


def test_a_careful_planner_tells_builder_and_judge_where_to_look() -> None:
    assert warned(sprint(generator_notes=None, evaluator_notes=" ")) == [
        ("no-notes", "/generator_notes"),
        ("no-notes", "/evaluator_notes"),
    ]


def test_a_careful_planner_asks_for_a_build_and_for_more_than_opinions() -> None:
    opinions = [sprint_criterion("a", "manual"), sprint_criterion("b", "agent-evaluation")]
    optional = sprint_criterion("c", "unit-test", required=False)

    assert warned(sprint(success_criteria=[*opinions, optional])) == [
        ("no-build-criterion", "/success_criteria"),
        ("opinions-only", "/success_criteria"),
    ]
    assert warned(sprint(success_criteria=[*opinions, sprint_criterion("c", "build")])) == []


def of(number: int, *needs: int, spec: str = "shop", **changes: object) -> Sprint:
    plain = {"contract_id": f"s{number}", "sprint_number": number, "spec_id": spec}
    return sprint(**{**plain, "depends_on": [f"s{need}" for need in needs], **changes})


def between(*sprints: Sprint) -> list[tuple[str, str]]:
    violations = check_sprints([SprintAt(one, f"/sprints/{n}") for n, one in enumerate(sprints)])
    assert all(v.message and v.fix for v in violations)
    return [(v.code, v.path) for v in violations]


def test_sprints_that_follow_each_other_have_nothing_against_them() -> None:
    assert between() == []
    assert between(of(2, 1), of(1), of(4, 2, 3), of(3, 1)) == []


def test_an_id_and_a_number_name_one_sprint() -> None:
    assert between(of(1), of(2, contract_id="s1"), of(1, contract_id="s3")) == [
        ("duplicate-sprint-id", "/sprints/1/contract_id"),
        ("duplicate-sprint-number", "/sprints/2/sprint_number"),
    ]


def test_what_a_sprint_depends_on_is_there() -> None:
    assert between(of(1), of(2, 1, 9)) == [("unknown-sprint", "/sprints/1/depends_on/1")]


def test_sprints_do_not_wait_for_each_other() -> None:
    """Both would wait for ever."""
    assert between(of(1), of(2, 3), of(3, 1, 2)) == [("sprint-cycle", "/sprints/2/depends_on/1")]


def test_a_sprint_that_waits_for_itself_is_named_when_it_is_looked_at_alone() -> None:
    assert between(of(1, 1), of(2, 2)) == []


def test_the_first_sprint_can_start() -> None:
    assert between(of(2), of(1, 2)) == [("first-sprint-waits", "/sprints/1/depends_on")]
    assert between(of(3, 4), of(4)) == [("first-sprint-waits", "/sprints/0/depends_on")]


def test_sprints_of_several_specs_are_told_apart_with_a_warning() -> None:
    other = of(1, spec="depot", contract_id="d1")

    [violation] = check_sprints([SprintAt(of(1), ""), SprintAt(other, "")])

    assert (violation.code, violation.path) == ("mixed-specs", "/spec_id")
    assert violation.severity is Severity.WARNING


def test_a_thousand_criteria_that_all_say_nothing_are_listed_up_to_the_cap() -> None:
    subject = sprint(success_criteria=[sprint_criterion(str(n), description="x") for n in range(3_000)])

    assert len(check_sprint(subject)) < 1_200


def test_a_criterion_that_tells_enough_is_the_one_the_others_are_measured_by() -> None:
    assert len(TOLD) >= 25
