"""The page a person approves by, and the Plan section of the report: what it does not ask for is on both."""

import msgspec
import pytest

from signoff.contracts.clauses.contract_clauses import lowered_demands
from signoff.delivery.report.plan_page import plan_page
from signoff.delivery.report.report import report
from signoff.domain.base.typed_ids import CommitId, Digest, TreeId
from signoff.domain.run.events import Driver, RunStart
from signoff.domain.run.surveys import STEPS, StepStatus, Survey
from signoff.domain.work.contract import Contract
from signoff.domain.work.ticket import Ticket
from signoff.engine.run_state import State

FILE = {"type": "file-exists", "id": "T1/file", "path": "a.txt"}
GUARD = {"type": "file-exists", "id": "T1/guard", "path": "README.md", "guard": True}


def contract(**changes: object) -> Contract:
    task = {
        "id": "T1",
        "title": "A task",
        "wave": 1,
        "files_create": ["a.txt"],
        "verification": changes.pop("verification", [FILE]),
        "acceptance_criteria": changes.pop("acceptance_criteria", []),
    }
    plain: dict[str, object] = {
        "version": 1,
        "phase": 1,
        "goal": "the goal",
        "why": "w",
        "generated_at": "2026-01-01T00:00:00Z",
        "generated_by": "manual",
        "tasks": [task],
        "success_criteria": [{"id": "c1", "description": "a is there", "proven_by": ["T1/file"]}],
    }
    return msgspec.convert({**plain, **changes}, Contract)


def report_plan(subject: Contract) -> str:
    """Give the Plan section of the report of a run that has just begun."""
    start = RunStart(
        flow="deliver@1",
        driver=Driver.RECORDED,
        agent="recorded",
        base=CommitId("b"),
        base_tree=TreeId("t"),
        ticket=Digest("t"),
        settings=Digest("s"),
        engine_version="0",
    )
    found = Survey(dict.fromkeys(STEPS, StepStatus.SUCCESS), verdict=None, clauses=())
    ticket = Ticket(id="NOTE-1", title="x", body="", acceptance_criteria=())
    page = report(ticket, State(start=start), found, subject, None, None)
    return page.partition("## Plan\n")[2].partition("\n## ")[0]


LOWERED = [
    (contract(verification=[FILE, GUARD]), "T1/guard (guard: holds already)"),
    (
        contract(success_criteria=[{"id": "c1", "description": "d", "required": False}]),
        "c1 (optional, nothing shows it)",
    ),
    (
        contract(
            verification=[FILE, GUARD],
            success_criteria=[{"id": "c1", "description": "d", "guard": True, "proven_by": ["T1/guard"]}],
        ),
        "c1 (guard: holds already)",
    ),
    (contract(success_criteria=[{"id": "c1", "description": "d"}]), "c1 (nothing shows it)"),
    (contract(verification=[], acceptance_criteria=["so"]), "T1/criterion-1 (nothing shows it)"),
    (contract(non_goals=["no more than that"]), "non-goal-1 (nothing shows it)"),
    (
        contract(stop_conditions=[{"id": "s1", "description": "over"}]),
        "s1 (nothing shows it)",
    ),
]


@pytest.mark.parametrize(("subject", "shown"), LOWERED)
def test_each_clause_that_asks_for_less_is_marked_before_its_text(subject: Contract, shown: str) -> None:
    """An approver who does not see that a check holds already approves a plan that proves nothing."""
    assert f"{shown}: " in plan_page(subject)


@pytest.mark.parametrize(("subject", "shown"), LOWERED)
def test_the_report_names_each_clause_that_asks_for_less(subject: Contract, shown: str) -> None:
    """A reader of the report would take a guarded or optional clause for proof of the change."""
    assert f"- {shown}: " in report_plan(subject)


def test_what_a_plan_does_not_ask_for_stands_first_under_a_heading() -> None:
    """At the end of a long plan nobody reads it."""
    subject = contract(spec_changes=["tests/a.py::old"], guards=["tests/new.py::*"])

    goal, heading, *rest = plan_page(subject).splitlines()

    assert (goal, heading) == ("Plan: the goal", "  asks for less than it could:")
    reasons = lowered_demands(subject)
    assert len(reasons) >= 2
    assert rest[: len(reasons)] == [f"     {reason}" for reason in reasons]
    assert "  may go or change: tests/a.py::old" in rest
    assert "  new tests that may pass on the base: tests/new.py::*" in rest


def test_the_report_gives_the_reasons_why_the_bar_is_lowered() -> None:
    """The report must say what was approved, in the same words."""
    subject = contract(spec_changes=["tests/a.py::old"], guards=["tests/new.py::*"])

    page = report_plan(subject)

    assert "This plan asks for less than it could:" in page
    assert all(f"- {reason}" in page for reason in lowered_demands(subject))


def test_a_plan_that_asks_for_everything_has_no_such_heading() -> None:
    """A warning that is always there is no warning."""
    subject = contract(acceptance_criteria=["so"])

    assert "asks for less than it could" not in plan_page(subject) + report_plan(subject)
    assert "     done when T1/criterion-1: so (shown by T1/file)" in plan_page(subject)


def test_a_reason_over_several_lines_cannot_pose_as_the_plan() -> None:
    """An id with a newline in it would write lines of its own into the page."""
    subject = contract(spec_changes=["a\nPlan: harmless"], guards=["b\n  done when: all is well"])

    assert "\nPlan:" not in plan_page(subject)
    assert "\n  done when: all" not in plan_page(subject)
