"""Who is asked when an agent fails."""

from collections.abc import Callable

import pytest
from world import World, contract, task

from signoff.delivery.dispatch.fallback_chain import alone, named_in, written_out
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.run.effects import Dispatch, Effect
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.outcomes import AgentFailed, AgentFailure, Interrupted, Outcome
from signoff.domain.work.settings import AgentSettings, FallbackFor, LimitSettings, RoleSettings, Settings

Fails = Callable[[Dispatch], Outcome | None]


class Failing(World):
    """Dispatches fail as they are told to; who was asked is kept."""

    def __init__(self, fails: Fails, retries: int = 1, **chains: tuple[str, ...]) -> None:
        fallback = {FallbackFor(name.replace("_", "-")): chain for name, chain in chains.items()}
        settings = Settings(agent=AgentSettings(fallback=fallback), limits=LimitSettings(retries=retries))
        super().__init__(contract((task(1),)), settings=written_out(settings))
        self.fails = fails
        self.asked: list[str] = []

    def outcome(self, effect: Effect) -> Outcome:
        if isinstance(effect, Dispatch):
            self.asked.append(effect.agent or "own")
            if (failed := self.fails(effect)) is not None:
                return failed
        return super().outcome(effect)


def failure(kind: FailureClass) -> AgentFailed:
    treatment = TREATMENT[kind]
    return AgentFailed(failure=treatment.failure, failure_class=kind, retryable=treatment.retryable)


def own_fails(kind: FailureClass) -> Fails:
    return lambda effect: failure(kind) if not effect.agent else None


def signed_off(world: World) -> bool:
    end = world.run().conclusion
    return end is not None and end.status is RunStatus.SIGNED_OFF


def test_what_cannot_pass_by_itself_is_given_to_the_next_agent_at_once() -> None:
    """A used up quota is not waited for."""
    world = Failing(own_fails(FailureClass.QUOTA_EXCEEDED), quota_exceeded=("codex",))
    assert signed_off(world)
    assert world.asked == ["own", "codex", "own", "codex"]


def test_what_may_pass_is_tried_again_first_and_the_next_agent_has_its_own_retries() -> None:
    """Overload goes away more often than not."""
    tries = iter([failure(FailureClass.OVERLOADED)] * 2 + [failure(FailureClass.SERVER_ERROR)])
    world = Failing(lambda _effect: next(tries, None), retries=1, overloaded=("codex",))
    assert signed_off(world)
    assert world.asked[:4] == ["own", "own", "codex", "codex"]


def test_each_failure_has_its_own_chain_and_any_is_for_the_others() -> None:
    """Quota, overload, login and bugs are told apart."""
    chains = {"any": ("goose",), "auth": ("codex",), "crashed": ("qwen",)}
    for kind, other in (
        (FailureClass.AUTH, "codex"),
        (FailureClass.CRASHED, "qwen"),
        (FailureClass.QUOTA_EXCEEDED, "goose"),
        (FailureClass.OVERLOADED, "goose"),
    ):
        world = Failing(own_fails(kind), retries=0, **chains)
        assert signed_off(world)
        assert world.asked == ["own", other] * 2


@pytest.mark.parametrize("kind", [kind for kind, row in TREATMENT.items() if not row.may_fall_back])
def test_a_refusal_and_its_like_are_never_taken_elsewhere(kind: FailureClass) -> None:
    """Shopping for an agent that says yes is for a person to decide."""
    world = Failing(own_fails(kind), retries=0, any=("codex",))
    world.run()
    assert set(world.asked) == {"own"}


def test_a_driver_that_died_is_no_reason_to_ask_somebody_else() -> None:
    """The agent did nothing wrong."""
    world = Failing(lambda effect: None if effect.agent else Interrupted(), retries=1, any=("codex",))
    (halt,) = world.run().halts
    assert halt.code is HaltCode.AGENT_FAILED
    assert set(world.asked) == {"own"}


def test_when_the_chain_is_used_up_it_goes_as_without_one() -> None:
    """A login that does not count ends it; a crash is put to a person, who starts the chain afresh."""
    world = Failing(lambda _effect: failure(FailureClass.AUTH), any=("codex", "goose"))
    end = world.run().conclusion
    assert end is not None
    assert end.status is RunStatus.NOT_JUDGED
    assert world.asked == ["own", "codex", "goose"]

    world = Failing(lambda _effect: failure(FailureClass.CRASHED), retries=0, any=("codex",))
    (halt,) = world.run().halts
    assert halt.code is HaltCode.AGENT_FAILED
    assert "falling back to codex" in halt.question
    world.fails = lambda _effect: None
    world.answer(halt.id, "try again", How.TERMINAL)
    assert signed_off(world)
    assert world.asked[:3] == ["own", "codex", "own"]


def test_nobody_is_asked_twice_and_the_agent_of_the_role_is_not_its_own_fallback() -> None:
    """A chain may name everybody there is."""
    world = Failing(lambda _effect: failure(FailureClass.AUTH), any=("recorded", "codex", "codex"))
    world.run()
    assert world.asked == ["own", "codex"]


def test_a_failure_without_a_class_is_read_by_its_coarse_word() -> None:
    """A program of one's own need not know the classes."""
    world = Failing(
        lambda effect: None if effect.agent else AgentFailed(failure=AgentFailure.NOT_STARTED),
        not_started=("codex",),
    )
    assert signed_off(world)


def test_every_class_that_may_fall_back_can_be_named_in_the_settings_and_no_other() -> None:
    """The list of the settings is closed; the table is the truth."""
    may = {kind.value for kind, row in TREATMENT.items() if row.may_fall_back}
    assert {key.value for key in FallbackFor} == {*may, "any"}


def test_one_that_is_fallen_back_to_gets_nothing_that_is_meant_for_another() -> None:
    """The name of a model of one provider is a mistake at the next."""
    agent = AgentSettings(model="opus", effort="high", program=("my-claude",), args=("--x",), env=("KEY",))
    own = alone(Settings(agent=agent)).agent
    assert (own.model, own.effort, own.program, own.args, own.env) == ("", "", None, (), ("KEY",))


def test_roles_keep_their_agents_and_names_are_listed_once() -> None:
    """Each chain is opened before the run starts."""
    settings = Settings(
        agent=AgentSettings(
            planner=RoleSettings(name="codex"),
            fallback={FallbackFor.ANY: ("goose", "codex"), FallbackFor.AUTH: ("codex",)},
        )
    )
    whole = written_out(settings)
    assert FallbackFor.ANY not in whole.agent.fallback
    assert set(named_in(whole.agent.fallback)) == {"goose", "codex"}
    assert whole.agent.planner == settings.agent.planner
