"""Caps count from the latest reset, and what was decided before it stays decided."""

from msgspec.structs import replace
from world import World, contract, task

from signoff.delivery.budget.budget_stage import GIVE_UP
from signoff.delivery.budget.budget_state import budget_left
from signoff.delivery.dispatch.conversation import RETRY
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.evidence.receipts import Result
from signoff.domain.run.effects import Dispatch
from signoff.domain.run.events import CapReset, How
from signoff.domain.run.outcomes import AgentFailed, AgentFailure, Outcome
from signoff.domain.work.budgets import Budget


class Failing(World):
    """A world whose agents crash while `crashes` is set."""

    crashes = True

    def outcome(self, effect: object) -> Outcome:
        if isinstance(effect, Dispatch) and self.crashes and effect.key.startswith("implement/"):
            return AgentFailed(failure=AgentFailure.CRASHED)
        return super().outcome(effect)  # type: ignore[arg-type]


def reset(world: World, name: str) -> None:
    world._record(CapReset(name=name, reason="because", by="ada", how=How.TERMINAL))


def dispatches(world: World, prefix: str) -> int:
    return sum(key.startswith(prefix) and "/dispatch-" in key for key in world.dispatched)


def crashed(world: World) -> int:
    return sum(isinstance(outcome, AgentFailed) for outcome in world.state.done.values())


def test_after_a_reset_of_retries_the_agent_is_tried_as_often_again() -> None:
    """A reset that left the old failures in the count would ask the same question at once."""
    world = Failing(contract([task(1)]))
    (halt,) = world.run().halts
    assert halt.id == "implement/T1/attempt-1/failed-after-4"

    reset(world, "retries")
    (again,) = world.run().halts

    assert again.id == "implement/T1/attempt-1/failed-after-8"
    assert crashed(world) == 8
    assert world.state.cap_resets == {"retries": 1}


def test_a_reset_of_one_cap_leaves_the_others_alone() -> None:
    world = Failing(contract([task(1)]))
    (before,) = world.run().halts

    reset(world, "rework")

    assert world.run().halts == (before,)


def test_who_was_given_up_before_a_reset_stays_given_up() -> None:
    """A person decided about that task; a later reset is about what is still to come."""
    world = Failing(contract([task(1)]))
    (halt,) = world.run().halts
    world.answer(halt.id, GIVE_UP)
    before = world.run()
    assert before.conclusion is not None

    reset(world, "retries")

    assert world.run().conclusion == before.conclusion


def test_a_retry_that_was_typed_before_a_reset_is_not_asked_for_again() -> None:
    world = Failing(contract([task(1)]))
    (halt,) = world.run().halts
    world.answer(halt.id, RETRY, How.TERMINAL)
    (second,) = world.run().halts

    reset(world, "retries")
    world.crashes = False

    assert second.id == HaltId("implement/T1/attempt-1/failed-after-8")
    assert not world.run().halts


def test_a_reset_of_rework_gives_each_task_its_rework_anew() -> None:
    """One first attempt and three times rework; after a reset in the second attempt, three more behind it."""
    world = World(contract([task(1)]), judging=lambda _effect: Result.FAIL)
    while "implement/T1/attempt-2/dispatch-1" not in world.state.done:
        effect = world.survey().effects[0]
        world.intend(effect)
        world.finish(effect)

    reset(world, "rework")
    world.run()

    assert dispatches(world, "implement/T1/") == 2 + 3


def test_without_a_reset_a_task_has_one_attempt_and_three_times_rework() -> None:
    world = World(contract([task(1)]), judging=lambda _effect: Result.FAIL)

    world.run()

    assert dispatches(world, "implement/T1/") == 4


def test_a_reset_of_plan_revisions_gives_the_planner_as_many_again() -> None:
    """Three proposals as a rule; with a reset while the second is looked at, three more."""
    world = World(contract([task(1)], guards=["tests/test_x.py"]))  # so that somebody is asked
    for number in (1, 2):
        (halt,) = world.run().halts
        assert halt.id == f"plan/attempt-{number}/approval"
        if number == 2:
            reset(world, "plan_revisions")
        world.answer(halt.id, "not like that")
    for number in (3, 4, 5):
        (halt,) = world.run().halts
        assert halt.id == f"plan/attempt-{number}/approval"
        world.answer(halt.id, "not like that")

    found = world.run()

    assert found.conclusion is not None
    assert found.conclusion.status == "refused"
    assert dispatches(world, "plan/") == 5


def test_a_reset_of_the_budget_grants_as_much_again() -> None:
    """Whoever resets it before it is used up is not asked when it would have been."""
    world = World(contract([task(1)]))
    assert world.state.start is not None
    start = replace(world.state.start, budget=Budget(usd=2.0))
    world.state = replace(world.state, start=start)
    before = budget_left(world.state)

    reset(world, "budget")
    after = budget_left(world.state)

    assert before is not None
    assert after is not None
    assert (before.limit_micro_usd, after.limit_micro_usd) == (2_000_000, 4_000_000)
