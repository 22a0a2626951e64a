"""What people say to a run is recorded at once, or left for the driver that holds it."""

import pytest
from memory_kit import JournaledWorld, as_driven, events_of, memory_kit
from world import contract, task

from signoff.domain.base.errors import UsageError, WaitingError
from signoff.domain.run.events import Answered, How, StopRequested
from signoff.engine.run.run_log import load
from signoff.runs.people.given_answers import PersonWord, answer, stop

ADA = PersonWord("ada", How.TERMINAL)
RELAYED = PersonWord("an agent", How.RELAYED)


def asking() -> JournaledWorld:
    """A run whose builder asks a question with the options a and b."""
    world = JournaledWorld(contract((task(1),)))
    world.asks.add("implement/T1/attempt-1/dispatch-1")
    assert world.run().halts
    return world


def for_something_else() -> JournaledWorld:
    """A run that waits for a person to approve a plan without one word of the ticket."""
    other = {**task(1), "title": "Notes", "action": "Write notes.", "acceptance_criteria": ["NOTES is there"]}
    done = "NOTES is there with a list of facts"
    world = JournaledWorld(
        contract((other,), goal="Take notes.", success_criteria=[done], definition_of_done=done)
    )
    assert world.run().halts
    return world


def test_an_option_named_by_its_number_is_recorded_by_its_words() -> None:
    kit = memory_kit()
    folder = asking().stored(kit)

    given = answer(kit, folder, None, " 2 ", ADA)

    recorded = events_of(folder)[-1]
    assert (given.accepted, given.answer, given.relayed) == (True, "b", False)
    assert recorded == Answered(halt=given.halt, answer="b", by="ada", how=How.TERMINAL)


def test_an_answer_to_a_run_that_is_being_driven_is_left_in_its_inbox() -> None:
    """Two writers would tear the journal, so the driver records the answer itself."""
    kit = memory_kit()
    folder = as_driven(asking().stored(kit))
    before = events_of(folder)

    given = answer(kit, folder, None, "a", ADA)

    assert given.relayed
    assert [item.kind for item in folder.inbox()] == ["answer"]
    assert events_of(folder) == before


def test_relayed_input_cannot_approve_a_plan_for_something_else() -> None:
    """Otherwise an agent could agree to its own plan through a file."""
    kit = memory_kit()
    folder = for_something_else().stored(kit)
    before = events_of(folder)

    with pytest.raises(WaitingError) as refused:
        answer(kit, folder, None, "yes", RELAYED)

    assert refused.value.slug == "answer-needs-terminal"
    assert events_of(folder) == before


def test_an_empty_answer_and_an_option_that_is_not_there_are_refused() -> None:
    kit = memory_kit()
    folder = asking().stored(kit)

    for text, slug in (("  ", "answer-empty"), ("3", "answer-unknown"), ("0", "answer-unknown")):
        with pytest.raises(UsageError) as refused:
            answer(kit, folder, None, text, ADA)
        assert refused.value.slug == slug


def test_a_stop_is_recorded_once_however_often_it_is_asked_for() -> None:
    kit = memory_kit()
    folder = asking().stored(kit)

    assert stop(kit, folder, ADA)
    assert load(folder).stopping
    stop(kit, folder, ADA)

    assert sum(isinstance(event, StopRequested) for event in events_of(folder)) == 1


def test_a_run_that_has_ended_is_not_stopped() -> None:
    kit = memory_kit()
    folder = JournaledWorld(contract((task(1),))).ended().stored(kit)
    before = events_of(folder)

    assert not stop(kit, folder, ADA)
    assert events_of(folder) == before
