"""Sum a run up. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.halts import HaltKind
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, Checked, Dispatched
from signoff.domain.run.status import Status

if TYPE_CHECKING:
    from signoff.domain.run.halts import Halt
    from signoff.domain.run.outcomes import Outcome
    from signoff.domain.work.ticket import Ticket
    from signoff.engine.run_state import State


def sum_up(state: State, step: str, halts: tuple[Halt, ...], ticket: Ticket, offset: int) -> Status:
    """Return the small record that answers "where does it stand?"."""
    return Status(
        run_id=state.run_id,
        seq=state.seq,
        offset=offset,
        head=state.head,
        ts=state.ts,
        step=step,
        outcome=outcome_of(state, halts),
        finished=state.ended is not None,
        ticket=ticket.id,
        title=ticket.title,
        halts=halts if state.ended is None else (),
        why=state.ended.why if state.ended else "",
        cost_usd=cost_usd(state),
        cost_at_least=is_least(state),
        dispatches=dispatches(state),
        checks=sum(isinstance(outcome, Checked) for outcome in state.done.values()),
    )


def outcome_of(state: State, halts: tuple[Halt, ...]) -> str:
    """Return in one word how a run stands."""
    if state.ended is not None:
        return str(state.ended.status)
    if state.stopping:
        return "stopped"
    if halts and not state.open:
        return "waiting"
    return "running"


def exit_code(outcome: str, halts: tuple[Halt, ...]) -> int:
    """Return the exit code of the command for a run with this outcome."""
    match outcome:
        case "signed-off" | "reported" | "planned":
            return 0
        case "refused":
            return 1
        case "could-not-be-judged":
            return 5
        case "stopped":
            return 130
        case _:
            return 3 if any(halt.kind is HaltKind.PERSON for halt in halts) else 4


def cost_usd(state: State) -> float | None:
    """Add up what dispatches cost, failed ones too. None if no cost is known."""
    known = [cost for outcome in state.done.values() if (cost := cost_of(outcome)) is not None]
    return sum(known) if known else None


def cost_of(outcome: Outcome) -> float | None:
    """Return what one dispatch cost. None if it is not known, or the figure covers earlier dispatches too."""
    if not isinstance(outcome, AgentAnswered | AgentFailed) or outcome.usage is None:
        return None
    return None if outcome.usage.basis is UsageBasis.SESSION else outcome.usage.cost_usd


def is_least(state: State) -> bool:
    """Check whether a known cost is less than the whole: a dispatch reported no cost, or only part of it."""
    ended = [outcome for outcome in state.done.values() if isinstance(outcome, Dispatched)]
    known = [outcome for outcome in ended if cost_of(outcome) is not None]
    return bool(known) and (len(known) < len(ended) or any(map(is_part, known)))


def is_part(outcome: Outcome) -> bool:
    """Check whether the figures of a dispatch are the least it can have used."""
    usage = outcome.usage if isinstance(outcome, AgentAnswered | AgentFailed) else None
    return usage is not None and usage.basis is UsageBasis.LAST_CALL


def dispatches(state: State) -> int:
    """Count the dispatches that came to an end."""
    return sum(isinstance(outcome, Dispatched) for outcome in state.done.values())
