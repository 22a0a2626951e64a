"""What a plan leaves open is asked; what was answered is found again in the next plan."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from world import World, contract, task

from signoff.delivery.context.run_view import View
from signoff.delivery.flow.clarification import uncited
from signoff.delivery.flow.plan_step import answers_given
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.directives import PlanRequest, QuestionAnswered
from signoff.domain.run.halts import HaltCode
from signoff.domain.work.contract import Contract

OPEN = ("Which currency?", "Is tax included?")


def plan(**more: Any) -> dict[str, object]:
    return contract([task(1)], **more)


def request(world: World, attempt: int) -> PlanRequest:
    asked = world.dispatched[f"plan/attempt-{attempt}/dispatch-1"]
    assert isinstance(asked, PlanRequest)
    return asked


def test_open_questions_of_a_plan_are_asked_although_the_policy_may_approve_it() -> None:
    """A plan that says itself what it does not know must not be built from, whatever flag was given."""
    world = World(plan(open_questions=list(OPEN)))

    found = world.run()

    assert [halt.code for halt in found.halts] == [HaltCode.NEEDS_CLARIFICATION] * 2
    assert [halt.id for halt in found.halts] == ["plan/attempt-1/clarify/Q1", "plan/attempt-1/clarify/Q2"]
    assert not found.effects
    assert found.conclusion is None


def test_a_plan_rated_too_ambiguous_is_asked_about_and_not_sent_back() -> None:
    """No planner can mend what only a person knows; sending it back would burn its revisions."""
    world = World(plan(ambiguity_score=7))

    (halt,) = world.run().halts

    assert halt.id == "plan/attempt-1/clarify/Q1"
    assert "7 of 10" in halt.question


def test_the_next_plan_gets_every_answer_with_its_id_and_must_cite_each() -> None:
    """An answer that no plan takes up was asked for in vain; the planner is told which."""
    world = World(plan(open_questions=list(OPEN)))
    world.run()
    world.answer(HaltId("plan/attempt-1/clarify/Q1"), "EUR")
    assert [halt.id for halt in world.run().halts] == ["plan/attempt-1/clarify/Q2"]
    world.answer(HaltId("plan/attempt-1/clarify/Q2"), "yes")
    world.contract = plan(assumptions=["Q1: amounts are in EUR"])

    found = world.run()

    told = request(world, 2)
    assert [(one.id, one.question, one.answer) for one in told.answers] == [
        ("Q1", OPEN[0], "EUR"),
        ("Q2", OPEN[1], "yes"),
    ]
    assert not told.violations
    (objection,) = request(world, 3).violations
    assert "Q2" in objection
    assert request(world, 3).answers == told.answers
    assert found.conclusion is not None
    assert found.conclusion.status == "refused"


def test_a_plan_that_cites_the_answers_is_sealed_and_the_answers_are_known_afterwards() -> None:
    """The spec of a planning run names what was asked; it is read from the walk that led to the seal."""
    world = World(plan(open_questions=[OPEN[0]]))
    world.run()
    world.answer(HaltId("plan/attempt-1/clarify/Q1"), "EUR")
    world.contract = plan(assumptions=["By Q1 every amount is in EUR"])

    found = world.run()

    assert found.conclusion is not None
    assert found.conclusion.status == "signed-off"
    given_ = answers_given(View(world.state, world.blobs.__getitem__))
    assert [(one.id, one.answer) for one in given_] == [("Q1", "EUR")]


def test_waiting_for_an_answer_costs_no_revision() -> None:
    """Two revisions are for faults; three rounds of questions are a conversation."""
    world = World(plan(open_questions=["A?"]))
    for number in (1, 2, 3, 4):
        (halt,) = world.run().halts
        assert halt.id == f"plan/attempt-{number}/clarify/Q{number}"
        world.answer(halt.id, "so")
    world.contract = plan(assumptions=["Q1, Q2, Q3 and Q4 are settled"])

    found = world.run()

    assert found.conclusion is not None
    assert found.conclusion.status == "signed-off"


def test_a_question_the_planner_asks_in_words_is_cited_too() -> None:
    """How it was asked makes no difference to whether it was heard."""
    world = World(plan())
    world.asks.add("plan/attempt-1/dispatch-1")
    world.run()
    world.answer(HaltId("plan/attempt-1/dispatch-1"), "a")

    world.run()

    (objection,) = request(world, 2).violations
    assert "Q1" in objection
    assert request(world, 2).answers[0].id == "Q1"


@given(st.sets(st.integers(1, 12), max_size=12), st.sets(st.integers(1, 12), max_size=12))
def test_exactly_the_answers_that_no_assumption_names_are_objected_to(
    asked: set[int], named: set[int]
) -> None:
    """`Q1` is not in `Q10`: a plan that names one has not named the other."""

    made = msgspec.convert(plan(assumptions=[f"by Q{n} it is so" for n in sorted(named)]), Contract)
    answers = tuple(QuestionAnswered(id=f"Q{n}", question="?", answer="a") for n in sorted(asked))

    objections = uncited(made, answers)

    assert len(objections) == len(asked - named)
    assert all(any(f"Q{n} " in text for text in objections) for n in asked - named)
