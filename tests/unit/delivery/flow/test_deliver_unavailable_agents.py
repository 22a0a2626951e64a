"""A builder that cannot be run says nothing about the work: the run could not be judged."""

from collections.abc import Callable

import pytest
from world import World, contract, honest, task

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.findings import Finding
from signoff.domain.evidence.receipts import Result
from signoff.domain.run.effects import Dispatch, Effect, RunCheck
from signoff.domain.run.events import RunEnd, RunStatus
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.outcomes import AgentFailed, Captured, Outcome
from signoff.domain.work.checks import Place

TWO = (task(1), task(2))
OUTSIDE = Finding(code="outside-write", path="../x", message="changed")


class Unpaid(World):
    """Whoever is asked for the work of T2 fails so; without work, nothing of T2 is green."""

    kind = FailureClass.AUTH
    outside: tuple[Finding, ...] = ()
    whom = "implement/T2/"

    def outcome(self, effect: Effect) -> Outcome:
        if isinstance(effect, Dispatch) and effect.key.startswith(self.whom):
            row = TREATMENT[self.kind]
            return AgentFailed(
                failure=row.failure,
                failure_class=self.kind,
                retryable=row.retryable,
                detail="no",
                outside=self.outside,
            )
        return super().outcome(effect)


def without_t2(effect: RunCheck) -> Result:
    return Result.FAIL if effect.clause.startswith("T2/") else honest(effect)


def end_of(world: World) -> RunEnd:
    end = world.run().conclusion
    assert end is not None
    return end


@pytest.mark.parametrize("kind", [FailureClass.AUTH, FailureClass.QUOTA_EXCEEDED, FailureClass.NOT_STARTED])
def test_a_builder_without_a_login_a_quota_or_a_program_is_no_refusal(kind: FailureClass) -> None:
    """Refused, a script would send back work that nobody has looked at."""
    world = Unpaid(contract(TWO), without_t2)
    world.kind = kind

    end = end_of(world)

    assert end.status is RunStatus.NOT_JUDGED
    assert end.why.startswith(f"T2 was not accepted: {kind}: no")
    assert world.survey().verdict is not None


def test_nothing_at_all_built_is_no_refusal_either() -> None:
    """The result is the base then, and the gate that says so says nothing new."""

    def nothing(effect: RunCheck) -> Result:
        lacks = effect.place is Place.FINAL and effect.clause.startswith(("gate/change", "T1/", "T2/"))
        return Result.FAIL if lacks else honest(effect)

    world = Unpaid(contract(TWO), nothing)
    world.whom = "implement/"

    assert end_of(world).status is RunStatus.NOT_JUDGED


def gate_fails(effect: RunCheck) -> Result:
    return Result.FAIL if effect.key.endswith("final/gate/secrets") else without_t2(effect)


def t1_fails(effect: RunCheck) -> Result:
    return Result.FAIL if effect.clause.startswith("T1/") else without_t2(effect)


@pytest.mark.parametrize("judging", [gate_fails, t1_fails])
def test_what_really_fails_is_refused_whoever_else_had_no_login(
    judging: Callable[[RunCheck], Result],
) -> None:
    """Work that leaks a secret, or a task that failed its checks, must not hide behind another's login."""
    assert end_of(Unpaid(contract(TWO), judging)).status is RunStatus.REFUSED


def test_an_agent_that_wrote_outside_and_then_had_no_login_is_refused() -> None:
    """Its files are never captured; the rule it broke would be forgotten."""
    world = Unpaid(contract(TWO), without_t2)
    world.outside = (OUTSIDE,)

    end = end_of(world)

    assert end.status is RunStatus.REFUSED
    assert "outside-write: ../x" in end.why


def test_one_that_broke_a_rule_and_then_had_no_login_is_refused() -> None:
    """An agent could otherwise turn its refusal into something milder."""

    class Meddler(Unpaid):
        whom = "implement/T2/attempt-2/"

        def outcome(self, effect: Effect) -> Outcome:
            outcome = super().outcome(effect)
            if isinstance(outcome, Captured) and effect.key.startswith("implement/T2/"):
                return Captured(commit=outcome.commit, tree=outcome.tree, files=1, findings=(OUTSIDE,))
            return outcome

    assert end_of(Meddler(contract(TWO), without_t2)).status is RunStatus.REFUSED
