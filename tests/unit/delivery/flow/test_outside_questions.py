"""Changes outside a checkout that a person may have made cost a question, not an attempt."""

import pytest
from msgspec.structs import replace
from world import World, contract, task

from signoff.domain.base.findings import Finding
from signoff.domain.run.effects import Effect
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.outcomes import AgentAnswered, Captured, Outcome

DOUBT = Finding(code="outside-write", path="src/a.py", message="changed meanwhile; it may have been you")


class Disturbed(World):
    """While the first attempt at T1 went on, somebody changed a file of the person's."""

    doubts: tuple[Finding, ...] = (DOUBT,)

    def outcome(self, effect: Effect) -> Outcome:
        outcome = super().outcome(effect)
        if isinstance(outcome, Captured) and effect.key.startswith("implement/T1/attempt-1/"):
            return replace(outcome, doubts=self.doubts)
        return outcome


@pytest.fixture
def world() -> Disturbed:
    return Disturbed(contract((task(1), task(2))))


def test_a_person_is_asked_and_the_files_are_named(world: Disturbed) -> None:
    (halt,) = world.run().halts

    assert halt.code is HaltCode.OUTSIDE_CHANGE
    assert halt.lines == ("src/a.py: changed meanwhile; it may have been you",)
    assert halt.question.startswith("src/a.py changed outside the checkout"), "a terminal shows only this"
    assert "implement/T2/attempt-1/dispatch-1" in world.state.done  # nobody else waits for it


def test_the_question_says_how_much_more_changed_than_it_names(world: Disturbed) -> None:
    """With three names and no number, a person would think that these were all."""
    world.doubts = (
        DOUBT,
        replace(DOUBT, path="b\x1b[2J" + "b" * 900, message=f"{DOUBT.message}; and 4 more"),
    )
    (halt,) = world.run().halts

    assert halt.question.startswith("src/a.py, b [2Jbb")
    assert "… and 4 more changed outside the checkout" in halt.question
    assert len(halt.question) < 500


def test_the_word_of_a_person_on_a_terminal_lets_the_work_count(world: Disturbed) -> None:
    (halt,) = world.run().halts
    world.answer(halt.id, "not the agent", How.RELAYED)
    assert world.run().halts, "an agent could have answered for itself"

    world.answer(halt.id, "not the agent", How.TERMINAL)
    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF
    assert "implement/T1/attempt-2/dispatch-1" not in world.state.done


def test_work_of_an_agent_that_did_it_is_thrown_away_and_done_again(world: Disturbed) -> None:
    (halt,) = world.run().halts
    world.answer(halt.id, "the agent", How.RELAYED)

    end = world.run().conclusion

    assert end is not None
    assert "implement/T1/attempt-2/dispatch-1" in world.state.done


def test_what_changed_while_a_planner_worked_is_said_in_the_report() -> None:
    """It hands in no files, so no attempt is refused; kept in the journal alone, nobody would hear of it."""

    class Planning(World):
        def outcome(self, effect: Effect) -> Outcome:
            outcome = super().outcome(effect)
            if isinstance(outcome, AgentAnswered) and effect.key.startswith("plan/"):
                return replace(outcome, doubts=(DOUBT,))
            return outcome

    found = Planning(contract((task(1),))).run()

    assert found.conclusion is not None
    assert found.conclusion.status is RunStatus.SIGNED_OFF
    assert any("plan/attempt-1/dispatch-1: src/a.py: changed meanwhile" in note for note in found.notes)
