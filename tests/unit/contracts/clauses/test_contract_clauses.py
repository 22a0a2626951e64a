"""How non-goals, out-of-scope entries and stop conditions become clauses."""

from contract_bench import contract, criterion, task

from signoff.contracts.clauses.contract_clauses import all_clauses, contract_clauses
from signoff.delivery.verdict.judge import judge
from signoff.domain.base.typed_ids import ClauseId, TreeId
from signoff.domain.evidence.verdict import Standing, Trees
from signoff.domain.run.directives import Facts
from signoff.domain.work.checks import CommandExit, DependencyRule, DiffPredicate, FileExists
from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.domain.work.contract import Contract


def of_kind(subject: Contract, kind: ClauseKind) -> list[Clause]:
    return [clause for clause in contract_clauses(subject) if clause.kind is kind]


def test_a_non_goal_is_read_from_its_words_unless_it_says_more() -> None:
    subject = contract(
        non_goals=[
            "Do not add new dependencies",
            {"id": "words", "description": "Do not touch `src/auth/`"},
            {"id": "fields", "description": "Do not touch `src/auth/`", "untouched": ["lib"]},
            "Do not make it slow",
        ]
    )

    clauses = of_kind(subject, ClauseKind.NON_GOAL)

    assert [(clause.id, clause.check) for clause in clauses] == [
        ("non-goal-1", DiffPredicate(dependencies=DependencyRule.NONE_ADDED)),
        ("words", DiffPredicate(untouched=("src/auth",))),
        ("fields", DiffPredicate(untouched=("lib",))),
        ("non-goal-4", None),
    ]
    assert all(clause.required for clause in clauses)


def test_what_is_out_of_scope_is_computed_or_left_to_a_reviewer() -> None:
    """Neither a silent pass nor a reason to refuse: it is listed, and nothing calls it satisfied."""
    subject = contract(out_of_scope=["Refactoring `src/auth/`", "Other languages"])

    clauses = of_kind(subject, ClauseKind.OUT_OF_SCOPE)
    rows = judge(clauses, (), Trees(base=TreeId("a"), final=TreeId("b"))).clauses

    assert [(clause.id, clause.check, clause.required) for clause in clauses] == [
        ("out-of-scope-1", DiffPredicate(untouched=("src/auth",)), True),
        ("out-of-scope-2", None, False),
    ]
    assert [row.standing for row in rows] == [Standing.UNPROVEN, Standing.UNPROVEN]


def test_a_stop_condition_is_a_check_or_leans_on_what_it_names() -> None:
    subject = contract(
        task(1, acceptance_criteria=["It prints"]),
        success_criteria=[criterion("one"), criterion("nice", required=False)],
        stop_conditions=[
            "`make check` passes",
            "`docs/a.md` exists",
            "All required criteria are met",
            "All checks pass",
            "The test suite passes",
            {"id": "built", "description": "The build passes"},
            {"id": "told", "description": "The build passes", "proven_by": ["T1/check-1"]},
            "When it feels finished",
            {"id": "felt", "description": "It feels finished"},
        ],
    )

    clauses = of_kind(subject, ClauseKind.STOP_CONDITION)

    assert isinstance(clauses[0].check, CommandExit)
    assert isinstance(clauses[1].check, FileExists)
    assert all(clause.red_on is None for clause in clauses)
    assert [clause.proven_by for clause in clauses] == [
        (),
        (),
        ("T1/criterion-1", "one"),
        ("T1/check-1",),
        ("gate/tests", "gate/red-green"),
        ("gate/build",),
        ("T1/check-1",),
        (),
        (),
    ]
    assert [clause.check for clause in clauses[2:]] == [None] * 7


def test_a_stop_condition_on_a_gate_the_project_lacks_is_unproven() -> None:
    subject = contract(stop_conditions=["All tests pass"])
    clauses = all_clauses(subject, Facts())

    rows = judge(clauses, (), Trees(base=TreeId("a"), final=TreeId("b"))).clauses

    assert {row.clause: row.standing for row in rows}[ClauseId("stop-1")] is Standing.UNPROVEN
