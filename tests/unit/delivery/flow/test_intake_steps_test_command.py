"""A test command that cannot be run on this machine ends a run before an agent is paid."""

import pytest
from msgspec.structs import replace
from world import World, contract, honest, task

from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.evidence.receipts import FailureReason, Observation, Result
from signoff.domain.run.directives import Facts
from signoff.domain.run.effects import Effect, RunCheck
from signoff.domain.run.events import RunStatus
from signoff.domain.run.outcomes import Checked, Outcome
from signoff.domain.run.surveys import StepStatus
from signoff.domain.work.checks import Place

BASELINE = EffectKey("analyze/baseline/gate/tests")


class Lacking(World):
    """The test command ends so on the base."""

    reason = FailureReason.DEPENDENCY_MISSING

    def outcome(self, effect: Effect) -> Outcome:
        outcome = super().outcome(effect)
        if not isinstance(outcome, Checked) or effect.key != BASELINE:
            return outcome
        return replace(outcome, observation=self.lacked(outcome.observation))

    def lacked(self, seen: Observation) -> Observation:
        return replace(seen, failure_reason=self.reason, detail="tox is not installed")


def lacking(result: Result = Result.PARTIAL, source: str = "settings") -> Lacking:
    def on_base(effect: RunCheck) -> Result:
        is_it = effect.clause == "gate/tests" and effect.place is Place.BASE
        return result if is_it else honest(effect)

    world = Lacking(contract((task(1),)), on_base)
    world.facts = Facts(commands={"test": ("tox", "-q")}, sources={"test": source})
    return world


@pytest.mark.parametrize("reason", [FailureReason.DEPENDENCY_MISSING, FailureReason.PRECONDITION_UNMET])
def test_a_command_that_cannot_begin_ends_the_run_before_anybody_is_asked(reason: FailureReason) -> None:
    """Nothing that is built could be shown; every token would be spent for nothing."""
    world = lacking()
    world.reason = reason

    found = world.run()

    assert found.conclusion is not None
    assert found.conclusion.status is RunStatus.NOT_JUDGED
    assert "`tox -q`, cannot be run: tox is not installed" in found.conclusion.why
    assert not world.dispatched
    assert found.steps["analyze"] is StepStatus.FAILED


def test_tests_that_fail_or_cannot_be_read_on_the_base_do_not_stop_it() -> None:
    """The work may be to mend them; and a command that was only found by looking is nobody's word."""
    unread = lacking()
    unread.reason = FailureReason.EXECUTION_ERROR
    for world in (lacking(Result.FAIL), lacking(source="pyproject.toml"), unread):
        world.run()
        assert world.dispatched


def test_a_run_of_an_earlier_version_that_asked_for_a_plan_goes_on() -> None:
    """Its journal must mean what it meant."""
    world = lacking()
    world.reason = FailureReason.EXECUTION_ERROR
    world.run()
    before = world.survey()
    world.reason = FailureReason.DEPENDENCY_MISSING
    was = world.state.done[BASELINE]
    assert isinstance(was, Checked)
    world.state.done[BASELINE] = replace(was, observation=world.lacked(was.observation))

    assert world.survey().verdict == before.verdict
    assert world.survey().steps == before.steps
