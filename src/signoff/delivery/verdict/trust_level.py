"""How far a run can be believed. Pure."""

from signoff.domain.machine.sandbox_records import Level
from signoff.domain.run.events import Driver
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    AgentFailure,
    Dispatched,
    Interrupted,
    Outcome,
)
from signoff.engine.run_state import State


def level(state: State) -> str:
    """Return the certificate's level, from what the journal says held and not from what was asked for.

    A cassette runs no agent at all, so there was no one who could have tampered. A boxed agent could touch
    only its checkout. Any other agent had its user's rights while the engine watched.
    """
    assert state.start is not None, "a run has a level only after run_start"
    if state.start.rehearsal:
        return "rehearsed"
    if state.start.driver is Driver.RECORDED:
        return "witnessed"
    dispatches = [outcome for outcome in state.done.values() if isinstance(outcome, Dispatched)]
    fenced = bool(dispatches) and all(map(_was_fenced, dispatches))
    return "witnessed" if state.start.driver is Driver.AUTOPILOT and fenced else "observed"


def confinement(outcome: Outcome) -> Level | None:
    """Return the confinement that held in a dispatch, None if no program ran or it is not known."""
    return outcome.sandbox if isinstance(outcome, AgentAnswered | AgentFailed | Interrupted) else None


def confinements(state: State) -> tuple[Level, ...]:
    """List the confinements that held in the dispatches of a run, weakest first."""
    return tuple(sorted({held for o in state.done.values() if (held := confinement(o))}, key=_rank))


def _rank(held: Level) -> int:
    return held.rank


def _was_fenced(outcome: Outcome) -> bool:
    """Check whether a dispatch could touch no more than its own folders.

    One that failed had the time, too.
    """
    held = confinement(outcome)
    if held is None:
        return isinstance(outcome, AgentFailed) and outcome.failure is AgentFailure.NOT_STARTED
    return held.is_fence
