"""The spec that a planning run leaves beside its contract. Pure.

It records what is known when a plan is approved: the ticket, the questions and answers, the promise of each
task. Its one sprint is the contract itself, named by its id, so that the spec can be delivered.
"""

from typing import NamedTuple

from signoff.domain.run.directives import Facts, QuestionAnswered
from signoff.domain.work.check_kinds import describe
from signoff.domain.work.contract import Contract, Task
from signoff.domain.work.spec import (
    ClarificationQuestion,
    Feature,
    Priority,
    QuestionCategory,
    ResolvedClarification,
    Spec,
    SpecMode,
    SpecStatus,
)
from signoff.domain.work.ticket import Ticket

RUN = "planned_by_run"
"""The key of `metadata` that names the run."""
_LONGEST_NAME = 80


class Plan(NamedTuple):
    """The result of a planning run."""

    run_id: str
    ticket: Ticket
    contract: Contract
    facts: Facts
    answers: tuple[QuestionAnswered, ...]
    at: str


def file_name(ticket_id: str, number: int = 1) -> str:
    """Return the id of a spec and its contract, which names their files.

    The first has no number.
    """
    name = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in ticket_id)
    name = name.strip("-_")[:_LONGEST_NAME] or "plan"
    return name if number == 1 else f"{name}-{number}"


def spec_of(plan: Plan, name: str) -> Spec:
    """Return the plan as a spec with this id."""
    contract = plan.contract
    return Spec(
        spec_id=name,
        title=plan.ticket.title,
        description=plan.ticket.body.strip() or contract.goal,
        status=SpecStatus.READY,
        created_at=plan.at,
        updated_at=plan.at,
        mode=SpecMode.BROWNFIELD if plan.facts.stacks else SpecMode.GREENFIELD,
        features=tuple(_feature(task) for task in contract.tasks),
        ambiguity_score=contract.ambiguity_score,
        clarification_questions=tuple(
            ClarificationQuestion(question_id=one.id, category=QuestionCategory.OTHER, question=one.question)
            for one in plan.answers
        ),
        resolved_clarifications=tuple(
            ResolvedClarification(question_id=one.id, answer=one.answer, resolved_at=plan.at)
            for one in plan.answers
        ),
        assumptions=contract.assumptions,
        out_of_scope=contract.out_of_scope,
        tech_stack=plan.facts.stacks,
        metadata={RUN: plan.run_id},
        sprints=(name,),
    )


def _feature(task: Task) -> Feature:
    return Feature(
        feature_id=task.id,
        title=task.title,
        description=task.action or task.title,
        priority=Priority.MUST_HAVE,
        acceptance_criteria=task.acceptance_criteria or tuple(describe(check) for check in task.verification),
        dependencies=task.depends_on,
    )
