"""An agent whose answer has not the right form is told what is wrong with it, once."""

from world import World, contract, task

from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.effects import Dispatch, Effect
from signoff.domain.run.events import RunStatus
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.outcomes import AgentFailed, AgentFailure, Captured, Outcome

GARBLED = AgentFailed(failure=AgentFailure.MALFORMED_ANSWER, detail="/kind: unknown")


class Garbling(World):
    """The builder's first answers have the wrong form; what was asked is kept."""

    def __init__(self, times: int) -> None:
        super().__init__(contract((task(1),)))
        self.left = times
        self.asked: list[Dispatch] = []

    def outcome(self, effect: Effect) -> Outcome:
        if isinstance(effect, Dispatch) and effect.key.startswith("implement/"):
            self.asked.append(effect)
            if self.left:
                self.left -= 1
                return GARBLED
        return super().outcome(effect)


def test_the_second_try_is_told_what_was_wrong_and_goes_on_from_the_work_of_the_first() -> None:
    """Otherwise an hour of work is thrown away for a missing brace, and the brace is missing again."""
    world = Garbling(1)

    end = world.run().conclusion

    first, second = world.asked
    assert (first.directive.payload.correction, second.directive.payload.correction) == ("", "/kind: unknown")
    kept = world.state.done[_capture_of(first)]
    assert isinstance(kept, Captured)
    assert second.start == kept.commit != first.start
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_who_garbles_it_again_is_not_asked_a_third_time() -> None:
    """One correction; then a person decides."""
    world = Garbling(9)

    halts = world.run().halts

    assert len(world.asked) == 2
    assert [halt.code for halt in halts] == [HaltCode.AGENT_FAILED]
    assert halts[0].question.startswith(
        "The agent failed 2 times in a row on implement/T1/attempt-1, the last "
    )
    assert "malformed-answer: /kind: unknown" in halts[0].question


def test_who_asked_something_meanwhile_is_not_corrected_for_an_older_answer() -> None:
    """Its question had the right form; told otherwise, it would mend what is not broken."""
    world = Garbling(1)
    world.asks.add("implement/T1/attempt-1/dispatch-2")

    (halt,) = world.run().halts
    world.answer(halt.id, "a")
    world.run()

    assert [each.directive.payload.correction for each in world.asked] == ["", "/kind: unknown", ""]


def _capture_of(dispatch: Dispatch) -> EffectKey:
    return EffectKey(f"{dispatch.key}/capture")
