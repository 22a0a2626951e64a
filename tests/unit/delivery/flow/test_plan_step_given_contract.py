"""A run that starts from a contract, and one that ends with it."""

import msgspec
import pytest
from msgspec.structs import replace
from world import World, contract, task

from signoff.domain.evidence.receipts import Result
from signoff.domain.run.surveys import StepStatus, Survey


def started_with(document: dict[str, object], **more: object) -> World:
    """A world whose run was started with this contract."""
    world = World(document)
    assert world.state.start is not None
    proposal = world.put({"kind": "plan", "contract": document})
    start = replace(world.state.start, proposal=proposal, **more)
    world.state = replace(world.state, start=start)
    return world


def end(found: Survey) -> str:
    assert found.conclusion is not None
    return str(found.conclusion.status)


def test_nobody_is_asked_for_a_plan_and_the_contract_is_delivered() -> None:
    world = started_with(contract([task(1)]))

    assert end(world.run()) == "signed-off"
    assert not any(key.startswith("plan/") for key in world.dispatched)


def test_its_checks_must_be_red_on_the_base_as_those_of_any_plan() -> None:
    """A contract from a file could otherwise be met by doing nothing."""
    world = started_with(contract([task(1)]))
    world.judging = lambda _effect: Result.PASS

    found = world.run()

    assert end(found) == "refused"
    assert "vacuous" in found.notes[0]


def test_a_contract_with_open_questions_is_refused_and_nobody_is_asked_to_plan() -> None:
    world = started_with(contract([task(1)], open_questions=["Which?"]))

    found = world.run()

    assert end(found) == "refused"
    assert "Which?" in found.notes[0]


def test_it_is_put_to_a_person_unless_somebody_agreed_to_it_before() -> None:
    asked = started_with(contract([task(1)]), approve_plan=False)
    agreed = started_with(contract([task(1)]), approve_plan=False, approved_by="person")

    assert [halt.id for halt in asked.run().halts] == ["plan/attempt-1/approval"]
    assert end(agreed.run()) == "signed-off"


@pytest.mark.parametrize(("approver", "asked"), [("person", 0), ("policy", 1), ("nobody", 1)])
def test_to_a_lower_bar_only_a_persons_earlier_word_counts(approver: str, asked: int) -> None:
    """No policy and no relayed word may agree to tests that pass on the base, now or in an earlier run."""
    world = started_with(contract([task(1)], guards=["tests/test_x.py"]), approved_by=approver)

    assert len(world.run().halts) == asked


def test_a_run_that_is_to_plan_ends_with_the_seal_and_its_later_steps_are_skipped() -> None:
    """`success` for steps that never ran would be a lie in the report."""
    world = World(contract([task(1)]))
    assert world.state.start is not None
    world.state = replace(world.state, start=replace(world.state.start, only_plan=True))

    found = world.run()

    assert end(found) == "planned"
    assert found.verdict is None
    assert found.step == "plan"
    assert set(list(found.steps.values())[:4]) == {StepStatus.SUCCESS}
    assert set(list(found.steps.values())[4:]) == {StepStatus.SKIPPED}
    assert not any(key.startswith("implement/") for key in world.state.done)


def test_qa_is_not_satisfied_without_a_test_command() -> None:
    """A project whose tests nobody can run has not been tested in full."""
    document = contract([task(1)])
    world = World(document)
    world.facts = msgspec.structs.replace(world.facts, commands={})
    plain = World(document)
    plain.facts = world.facts
    assert world.state.start is not None
    world.state = replace(world.state, start=replace(world.state.start, persona="qa"))

    assert end(plain.run()) == "signed-off"
    found = world.run()

    assert end(found) == "refused"
    assert found.conclusion is not None
    assert "gate/test-scope" in found.conclusion.why
