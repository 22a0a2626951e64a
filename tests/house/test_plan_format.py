"""What the pages say about plans and sentences is so: each example and each row of a table is run."""

import json
from typing import NamedTuple

import msgspec
import pytest
from rule_pages import Entry, data, every_entry, named, replaced, said, sections, table

from signoff.contracts.clauses.non_goal_predicates import read_non_goal
from signoff.contracts.clauses.stop_condition_checks import Leaning, read_stop_condition
from signoff.contracts.compile.plan_gaps import PlanGap
from signoff.contracts.compile.plan_reader import compile_plan
from signoff.contracts.compile.refresh import refresh
from signoff.contracts.compile.shell_idioms import Expected, Translated, Untranslated, translate
from signoff.contracts.files.contract_file_check import judge_contract
from signoff.contracts.files.contract_seal import sealed

NOW = "2026-01-31T09:00:00Z"
REFRESH = "Warnings of a refresh"

LEANINGS = {
    "every required criterion": Leaning.CRITERIA,
    "every check of the contract": Leaning.CHECKS,
    "`gate/tests` and `gate/red-green`": Leaning.TESTS,
    "gate/build": Leaning.BUILD,
    "gate/lint": Leaning.LINT,
}


@pytest.fixture(name="plan", scope="module")
def example_plan() -> str:
    (plan,) = sections("plan-format")["The example plan"].blocks
    return plan


def mistaken(plan: str, example: str) -> bytes:
    """Give the plan with the mistake; one that no text can show is made by a line of Python."""
    if not example.startswith("plan = "):
        return replaced(plan, example).encode()
    names = {"plan": plan.encode()}
    exec(example, {}, names)
    return names["plan"]


class Found(NamedTuple):
    """What came of compiling."""

    gaps: tuple[PlanGap, ...]
    warnings: tuple[PlanGap, ...]


def compiled(plan: str, one: Entry) -> Found:
    after = compile_plan(mistaken(plan, one.example), generated_at=NOW)
    if one.section == REFRESH:
        before = compile_plan(plan.encode(), generated_at=NOW)
        after = refresh(sealed(before.contract), after)
    return Found(after.gaps, after.warnings)


def test_the_example_plan_compiles_to_a_contract_that_keeps_every_rule(plan: str) -> None:
    found = compile_plan(plan.encode(), generated_at=NOW)

    assert (found.gaps, found.warnings) == ((), ())
    assert judge_contract(data(found.contract)).violations == ()


@every_entry("plan-format")
def test_a_mistake_in_a_plan_is_what_the_page_says(plan: str, entry: Entry) -> None:
    found = compiled(plan, entry)
    kind = said(entry.meta).severity
    assert kind in ("gap", "warning")
    beside = named(entry) | ({"seal-dropped"} if entry.section == REFRESH else set())

    gaps, warnings = ({gap.code.value for gap in listed} for listed in found)
    assert entry.code in (gaps if kind == "gap" else warnings), found
    assert (gaps | warnings) - beside <= {entry.code}, found


# --- tables ---


@pytest.mark.parametrize("row", table("plan-format", "| command | expected | check |"), ids=" → ".join)
def test_a_command_is_translated_as_the_page_says(row: list[str]) -> None:
    command, expected, check = row
    found = translate(command, Expected(expected))

    assert isinstance(found, Translated)
    assert json.loads(msgspec.json.encode(found.check)) == json.loads(check)


@pytest.mark.parametrize(
    "row", table("plan-format", "| command | expected | why there is no check |"), ids=" → ".join
)
def test_a_command_is_not_translated_for_the_reason_on_the_page(row: list[str]) -> None:
    command, expected, why = row

    assert translate(command, Expected(expected)) == Untranslated(why)


@pytest.mark.parametrize("row", table("contracts", "| sentence | predicate |"), ids=" → ".join)
def test_a_non_goal_is_read_as_the_page_says(row: list[str]) -> None:
    sentence, predicate = row
    found = read_non_goal(sentence)

    if predicate == "none":
        assert found is None
    else:
        plain = json.loads(msgspec.json.encode(found))
        assert plain == {"type": "diff-predicate", **json.loads(predicate)}


@pytest.mark.parametrize("row", table("contracts", "| sentence | shown by |"), ids=" → ".join)
def test_a_stop_condition_is_read_as_the_page_says(row: list[str]) -> None:
    sentence, shown_by = row
    found = read_stop_condition(sentence)

    if shown_by == "none":
        assert found is None
    elif isinstance(found, Leaning):
        assert found is LEANINGS[shown_by]
    else:
        assert json.loads(msgspec.json.encode(found)) == json.loads(shown_by)
