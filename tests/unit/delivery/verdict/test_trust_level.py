"""The level of a certificate follows from what the journal says held in every dispatch."""

import pytest

from signoff.delivery.verdict.trust_level import level
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, TreeId
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.run.events import Driver, RunStart
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    AgentFailure,
    Analyzed,
    Delegated,
    Interrupted,
    Outcome,
)
from signoff.engine.run_state import State

DIGEST = Digest("sha256:0")


def state(*outcomes: Outcome, driver: Driver = Driver.AUTOPILOT, boxed: bool = True) -> State:
    start = RunStart(
        flow="deliver@1",
        driver=driver,
        agent="claude",
        base=CommitId("c"),
        base_tree=TreeId("t"),
        ticket=DIGEST,
        settings=DIGEST,
        engine_version="0",
        boxed=boxed,
    )
    done = {EffectKey(f"e{number}"): outcome for number, outcome in enumerate(outcomes)}
    return State(start=start, done={EffectKey("analyze"): Analyzed(facts=DIGEST), **done})


def answered(held: Level | None) -> AgentAnswered:
    return AgentAnswered(answer=DIGEST, kind="done", sandbox=held)


@pytest.mark.parametrize("held", [Level.LANDLOCK, Level.BWRAP])
def test_a_run_is_witnessed_when_every_dispatch_was_kept_in(held: Level) -> None:
    ended = AgentFailed(failure=AgentFailure.CRASHED, sandbox=held)
    unstarted = AgentFailed(failure=AgentFailure.NOT_STARTED)

    run = state(answered(Level.BWRAP), ended, Interrupted(sandbox=held), unstarted, boxed=False)

    assert level(run) == "witnessed"


@pytest.mark.parametrize(
    "outcome",
    [
        answered(None),
        answered(Level.NONE),
        answered(Level.LIMITS),
        AgentFailed(failure=AgentFailure.CRASHED, sandbox=Level.NONE),
        AgentFailed(failure=AgentFailure.CRASHED),
        Interrupted(),
        Interrupted(sandbox=Level.LIMITS),
        Delegated(checkout="c", directive=DIGEST),
    ],
)
def test_one_dispatch_in_the_open_is_enough_for_less(outcome: Outcome) -> None:
    """It could do anything, whatever came of it, and whatever was wished for when the run began."""
    assert level(state(answered(Level.BWRAP), outcome)) == "observed"


def test_without_any_dispatch_nothing_is_witnessed_but_a_cassette_is() -> None:
    assert level(state()) == "observed"
    assert level(state(answered(None), driver=Driver.RECORDED)) == "witnessed"
    assert level(state(answered(Level.BWRAP), driver=Driver.HOSTED)) == "observed"
