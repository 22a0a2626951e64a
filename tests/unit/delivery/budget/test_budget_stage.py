"""A run and its budget: what may start, what it holds, and when a person is asked."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from world import World, contract, honest, task

from signoff.delivery.budget.budget_state import budget_left, crossed, spent
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.evidence.receipts import Result
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.effects import Dispatch, Effect, RunCheck
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.halts import HaltCode, HaltKind
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    AgentFailure,
    Delegated,
    Interrupted,
    Outcome,
    Usage,
)
from signoff.domain.work.budgets import Budget

TEN = Budget(usd=10.0, reserve_usd=1.0)
Costs = Callable[[str], Usage | None]


def costing(usd: float) -> Usage:
    return Usage(cost_usd=usd, input_tokens=100, output_tokens=10)


class Paid(World):
    """Every dispatch costs something; what is open never holds more than there is."""

    def __init__(self, *args: object, costs: Costs = lambda _key: costing(1.0), **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self.costs = costs

    def intend(self, effect: Effect) -> None:
        super().intend(effect)
        left = budget_left(self.state)
        if isinstance(effect, Dispatch) and left is not None and (limit := left.limit_micro_usd) is not None:
            assert left.spent.micro_usd + left.held_micro_usd <= limit

    def outcome(self, effect: Effect) -> Outcome:
        found = super().outcome(effect)
        return replace(found, usage=self.costs(effect.key)) if isinstance(found, AgentAnswered) else found


def starts(world: World) -> list[Dispatch]:
    return [effect for effect in world.survey().effects if isinstance(effect, Dispatch)]


def to_the_wave(world: World) -> list[Dispatch]:
    """Go on until tasks are to be dispatched, and give those that may start."""
    while not any(each.key.startswith("implement/") for each in starts(world)):
        (effect, *_) = world.survey().effects
        world.intend(effect)
        world.finish(effect)
    return starts(world)


def test_without_a_budget_nothing_is_counted() -> None:
    """The default asks nobody anything."""
    world = Paid(contract((task(1), task(2))), costs=lambda _key: None)
    end = world.run().conclusion
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF
    assert budget_left(world.state) is None


def test_a_run_within_its_budget_is_not_disturbed() -> None:
    """Three dispatches of a dollar, ten dollars."""
    world = Paid(contract((task(1), task(2))), budget=TEN)
    end = world.run().conclusion
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF
    left = budget_left(world.state)
    assert left is not None
    assert left.spent.usd == 3.0


def test_a_used_up_budget_asks_a_person_and_starts_nothing() -> None:
    """Neither signed off nor refused: waiting."""
    world = Paid(contract((task(1), task(2))), budget=TEN, costs=lambda _key: costing(9.5))
    rest = world.run()
    (halt,) = rest.halts
    assert (halt.code, halt.kind) == (HaltCode.BUDGET_USED_UP, HaltKind.PERSON)
    assert "9.50 of 10.00 USD" in halt.question
    assert rest.conclusion is None
    assert not any(key.startswith("implement/") for key in world.state.intents)


def test_only_a_person_on_a_terminal_grants_more_and_each_grant_is_as_much_again() -> None:
    """Relayed input never resets a cap."""
    world = Paid(contract((task(1), task(2, 2, ("T1",)))), budget=TEN, costs=lambda _key: costing(9.6))
    (halt,) = world.run().halts
    world.answer(halt.id, "go on", How.RELAYED)
    assert [each.id for each in world.run().halts] == [halt.id]
    world.answer(halt.id, "go on", How.TERMINAL)
    (again,) = world.run().halts
    assert again.id != halt.id
    left = budget_left(world.state)
    assert left is not None
    assert left.limit_micro_usd == 20_000_000
    world.answer(again.id, "go on", How.TERMINAL)
    end = world.run().conclusion
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_giving_up_ends_the_run_without_a_sign_off() -> None:
    """Work that was not paid for is not done."""
    world = Paid(contract((task(1), task(2))), budget=TEN, costs=lambda _key: costing(9.5))
    (halt,) = world.run().halts
    world.answer(halt.id, "give up")
    end = world.run().conclusion
    assert end is not None
    assert end.status is RunStatus.REFUSED
    assert "the budget is used up" in end.why


@pytest.mark.parametrize(
    "outcome",
    [
        Interrupted(),
        AgentFailed(failure=AgentFailure.CRASHED),
        AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(input_tokens=5)),
        AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(cost_usd=0.1, basis=UsageBasis.SESSION)),
        AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(cost_usd=0.1, basis=UsageBasis.LAST_CALL)),
        AgentFailed(failure=AgentFailure.NOT_STARTED, failure_class=FailureClass.WRONG_FOLDER),
        Delegated(checkout="c", directive="d"),  # type: ignore[arg-type]
    ],
)
def test_what_did_not_tell_its_cost_counts_as_much_as_it_had_reserved(outcome: Outcome) -> None:
    """Nothing is free because nobody said what it cost."""
    world = ending(outcome)
    left = budget_left(world.state)
    assert left is not None
    assert (left.spent.usd, left.spent.untold) == (1.0, 1)


@pytest.mark.parametrize(
    ("outcome", "usd"),
    [
        (AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(cost_usd=0.25)), 0.25),
        (AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(cost_usd=0.0)), 0.0),
        (
            AgentFailed(failure=AgentFailure.CRASHED, usage=Usage(cost_usd=3.0, basis=UsageBasis.LAST_CALL)),
            3.0,
        ),
        (AgentFailed(failure=AgentFailure.NOT_STARTED), 0.0),
    ],
)
def test_a_failed_dispatch_counts_for_what_it_cost(outcome: Outcome, usd: float) -> None:
    """Failing is not free, and a program that never ran is."""
    left = budget_left(ending(outcome).state)
    assert left is not None
    assert left.spent.usd == usd


def ending(outcome: Outcome) -> World:
    """Give a run whose planner came to this."""

    class Once(World):
        def outcome(self, effect: Effect) -> Outcome:
            return outcome if isinstance(effect, Dispatch) else super().outcome(effect)

    world = Once(contract((task(1),)), budget=TEN)
    while not starts(world):
        (effect, *_) = world.survey().effects
        world.intend(effect)
        world.finish(effect)
    (dispatch,) = starts(world)
    world.intend(dispatch)
    world.finish(dispatch)
    return world


def test_what_is_free_is_shared_among_those_that_start_together() -> None:
    """Together they may not spend more than there is."""
    world = Paid(contract((task(1), task(2), task(3))), budget=TEN)
    assert [each.budget_usd for each in to_the_wave(world)] == [3.0, 3.0, 3.0]


def test_the_shares_of_the_others_stay_when_one_of_them_has_started() -> None:
    """Replay asks after every record; the effects must be the same."""
    world = Paid(contract(tuple(task(n) for n in range(1, 8))), budget=replace(TEN, usd=8.0))
    together = to_the_wave(world)
    assert len(together) == 7
    for dispatch in together:
        assert starts(world)[0 : len(together)].count(dispatch) == 1
        world.intend(dispatch)
        assert dispatch in starts(world)


def test_only_as_many_start_as_there_is_money_for_and_the_next_waits_for_an_end() -> None:
    """Waiting for a sibling is not a question to a person."""
    world = Paid(contract((task(1), task(2), task(3))), budget=Budget(usd=3.0, reserve_usd=1.0))
    first, second = to_the_wave(world)
    world.intend(first)
    world.intend(second)
    assert {each.key for each in starts(world)} == {first.key, second.key}
    assert not world.survey().halts
    world.costs = lambda _key: costing(0.0)
    world.finish(first)
    assert "implement/T3/attempt-1/dispatch-1" in {each.key for each in starts(world)}


def test_an_open_dispatch_stays_ready_whatever_is_left() -> None:
    """After a crash it must be recovered; its money was set aside before it started."""
    world = Paid(contract((task(1), task(2))), budget=TEN)
    first, second = to_the_wave(world)
    world.intend(first)
    world.intend(second)
    world.costs = lambda _key: costing(100.0)
    world.finish(first)
    assert second in starts(world)


def test_tokens_are_counted_as_money_is() -> None:
    """Those of the cache too."""
    world = Paid(
        contract((task(1), task(2))),
        budget=Budget(tokens=1000, reserve_tokens=100),
        costs=lambda _key: Usage(
            input_tokens=300, output_tokens=100, cached_tokens=400, cache_write_tokens=150
        ),
    )
    (halt,) = world.run().halts
    assert "950 of 1,000 tokens" in halt.question


def test_one_whose_share_was_too_small_leads_to_the_question_for_more() -> None:
    """The agent kept to what it was given; that is no refusal of the work."""

    class Cut(Paid):
        def outcome(self, effect: Effect) -> Outcome:
            if isinstance(effect, Dispatch):
                return AgentFailed(
                    failure=AgentFailure.CRASHED,
                    failure_class=FailureClass.BUDGET_USED_UP,
                    retryable=False,
                    usage=Usage(cost_usd=effect.budget_usd),
                )
            return super().outcome(effect)

    (halt,) = Cut(contract((task(1),)), budget=TEN).run().halts
    assert halt.code is HaltCode.BUDGET_USED_UP


def test_the_warning_comes_with_the_dispatch_that_made_it_low_and_with_no_other() -> None:
    """Once: neither before, nor again with every record."""
    world = Paid(contract((task(1), task(2))), budget=Budget(usd=4.0, reserve_usd=0.5, warn_at=0.7))
    told = []
    while world.survey().effects:
        effect = world.survey().effects[0]
        world.intend(effect)
        world.finish(effect)
        if crossed(world.state, effect.key):
            told.append(effect.key)
    assert told == ["implement/T2/attempt-1/dispatch-1"]


@settings(max_examples=25)
@given(data=st.data())
def test_every_completion_order_under_a_budget_spends_and_ends_the_same(data: st.DataObject) -> None:
    """Who waits may differ for a while; once a person grants what is missing, nothing else does."""
    tasks = (task(1), task(2), task(3, 2, ("T1",)))
    prices = {f"T{n}": data.draw(st.integers(0, 400), label=f"T{n}") / 100 for n in range(1, 4)}
    budget = Budget(usd=data.draw(st.integers(3, 8), label="usd"), reserve_usd=1.0)
    flaky = data.draw(st.sampled_from(["T1", "T2", "none"]))

    def cost(key: str) -> Usage | None:
        name = key.split("/")[1]
        return costing(prices.get(name, 0.3)) if name != "T3" else None

    def world() -> Paid:
        def judging(effect: RunCheck) -> Result:
            failed = effect.key.startswith(f"implement/{flaky}/attempt-1/check")
            return Result.FAIL if failed else honest(effect)

        return Paid(contract(tasks), judging, budget=budget, costs=cost)

    def choose(running: int) -> int:
        return data.draw(st.integers(0, running - 1))

    def to_the_end(run: Paid, choose: Callable[[int], int]) -> Paid:
        for _ in range(30):
            rest = run.run(choose)
            if rest.conclusion is not None:
                return run
            assert [halt.code for halt in rest.halts] == [HaltCode.BUDGET_USED_UP]
            run.answer(rest.halts[0].id, "go on", How.TERMINAL)
        raise AssertionError("it asks for ever")

    orderly = to_the_end(world(), lambda _n: 0)
    shuffled = to_the_end(world(), choose)
    assert shuffled.survey().conclusion == orderly.survey().conclusion
    assert shuffled.state.done == orderly.state.done
    assert spent(shuffled.state, budget) == spent(orderly.state, budget)


@settings(max_examples=25)
@given(st.permutations(range(6)))
def test_what_may_start_follows_from_what_happened_and_not_from_its_order(order: list[int]) -> None:
    """The same things done in another order leave the same things to do."""
    world = Paid(contract(tuple(task(n) for n in range(1, 7))), budget=replace(TEN, usd=7.7))
    wave = to_the_wave(world)
    for dispatch in wave:
        world.intend(dispatch)
    world.costs = lambda key: costing(0.1 * int(key.split("/")[1][1:]))
    done = [wave[place] for place in order if place < len(wave)][:3]
    for dispatch in done:
        world.finish(dispatch)
    sorted_state = replace(world.state, done=dict(sorted(world.state.done.items())))
    other = Paid(contract(tuple(task(n) for n in range(1, 7))), budget=replace(TEN, usd=7.7))
    other.blobs, other.state = world.blobs, sorted_state
    assert other.survey().effects == world.survey().effects
