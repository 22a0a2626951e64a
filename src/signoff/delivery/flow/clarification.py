"""What a plan leaves open: put to a person, told to the planner, found again in the next plan. Pure.

A plan with open questions, or one that its own planner rates too ambiguous, cannot be built yet. Each
question is a halt of its own. With the answers the planner plans again, and its next proposal must cite
every one of them by its id, as a re-plan of a spec must.
"""

from typing import NamedTuple

from signoff.contracts.rules.precision_rules import TOO_AMBIGUOUS
from signoff.delivery.context.run_view import View
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.directives import QuestionAnswered
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.work.contract import Contract
from signoff.specs.spec_lifecycle import cited
from signoff.text.truncation import short

_MOST_QUESTIONS = 10
"""A planner that asks more at once gets answers to these first."""
_LONGEST_QUESTION = 1500


class Clarified(NamedTuple):
    """The open questions, or all answers once every question has one."""

    halts: tuple[Halt, ...]
    answers: tuple[QuestionAnswered, ...] = ()


def questions(contract: Contract) -> tuple[str, ...]:
    """Return what a proposed plan leaves open. Empty means it can be built from."""
    if contract.open_questions:
        return contract.open_questions[:_MOST_QUESTIONS]
    score = contract.ambiguity_score
    if score is None or score < TOO_AMBIGUOUS:
        return ()
    rated = f"The planner rates the ambiguity of its plan {score} of 10, and {TOO_AMBIGUOUS} is too much"
    return (f"{rated}: “{contract.goal}”. What does it have to know?",)


def clarify(
    view: View, attempt: int, asked: tuple[str, ...], before: tuple[QuestionAnswered, ...]
) -> Clarified:
    """Ask a person everything at once. `before` are the answers that the planner had already."""
    halts: list[Halt] = []
    answers: list[QuestionAnswered] = []
    for number, question in enumerate(asked, start=len(before) + 1):
        name = f"Q{number}"
        halt = HaltId(f"plan/attempt-{attempt}/clarify/{name}")
        given = view.answer(halt)
        if given is None:
            halts.append(_halt(halt, name, question))
        else:
            answers.append(QuestionAnswered(id=name, question=question, answer=given.answer))
    return Clarified(tuple(halts), tuple(answers))


def uncited(contract: Contract, answers: tuple[QuestionAnswered, ...]) -> tuple[str, ...]:
    """Return an objection for each answer that no assumption of the plan cites."""
    named = {answer.id: answer for answer in answers if answer.id}
    found = cited(named, contract.assumptions)
    return tuple(
        f"/assumptions: the answer to {name} (“{short(answer.question, 120)}”) is not cited; "
        f"add an assumption that names {name} and says what follows from the answer"
        for name, answer in named.items()
        if name not in found
    )


def _halt(halt: HaltId, name: str, question: str) -> Halt:
    return Halt(
        id=halt,
        code=HaltCode.NEEDS_CLARIFICATION,
        kind=HaltKind.PERSON,
        step="plan",
        question=f"{name}: {short(question, _LONGEST_QUESTION)}",
    )
