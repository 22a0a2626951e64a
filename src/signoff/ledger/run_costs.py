"""Costs of the dispatches of a run, by role, task, agent and model. Pure.

A missing figure is unknown and never zero, and a sum with such a part is a lower limit.
"""

from collections.abc import Iterator
from typing import NamedTuple

from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.events import Driver, RunStart
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Delegated,
    Dispatched,
    Interrupted,
    Outcome,
    Usage,
)
from signoff.engine.dispatch_keys import role_in, task_in
from signoff.engine.run_state import Span, State
from signoff.engine.run_summary import cost_of, is_part
from signoff.text.timestamps import elapsed_ms

UNKNOWN = "unknown"


class Sum(NamedTuple):
    """A sum of the known figures, and whether that is all of them."""

    known: float | None = None
    is_whole: bool = True

    def plus(self, figure: float | None, *, is_part: bool = False) -> "Sum":
        """Add one more."""
        if figure is None:
            return Sum(self.known, is_whole=False)
        return Sum((self.known or 0) + figure, self.is_whole and not is_part)


class CostRow(NamedTuple):
    """Dispatches of one kind, added up."""

    role: str = ""
    task: str = ""
    agent: str = ""
    model: str = ""
    dispatches: int = 0
    input_tokens: Sum = Sum()
    output_tokens: Sum = Sum()
    cached_tokens: Sum = Sum()
    cost_usd: Sum = Sum()
    time_ms: Sum = Sum()


class Costs(NamedTuple):
    """The rows in the order in which they began, and all of them together."""

    rows: tuple[CostRow, ...]
    total: CostRow


def costs_of(state: State) -> Costs:
    """Add up every dispatch of a run that ended."""
    rows: dict[tuple[str, str, str, str], CostRow] = {}
    total = CostRow(role="total")
    for kind, outcome, span in _dispatches(state):
        rows[kind] = _added(rows.get(kind, CostRow(*kind)), outcome, span)
        total = _added(total, outcome, span)
    return Costs(tuple(rows.values()), total)


def agent_of(key: str, outcome: Outcome, start: RunStart) -> str:
    """Return the name of the agent that a dispatch went to."""
    if isinstance(outcome, Delegated):
        return str(Driver.HOSTED)
    stand_in = outcome.agent if isinstance(outcome, AgentAnswered | AgentFailed) else ""
    return stand_in or start.roles.get(role_in(key), start.agent)


def _dispatches(state: State) -> Iterator[tuple[tuple[str, str, str, str], Outcome, Span | None]]:
    assert state.start is not None, "dispatches come after run_start"
    for key, outcome in state.done.items():
        if isinstance(outcome, Dispatched):
            agent, model = agent_of(key, outcome, state.start), _usage(outcome).model or UNKNOWN
            yield (role_in(key), task_in(key) or "", agent, model), outcome, state.spans.get(key)


def _added(row: CostRow, outcome: Outcome, span: Span | None) -> CostRow:
    usage = _usage(outcome)
    figures = usage if usage.basis is not UsageBasis.SESSION else Usage()
    part = is_part(outcome)
    # The time is unknown for a host and for a driver that died.
    is_timed = not isinstance(outcome, Delegated | Interrupted)
    time_ms = elapsed_ms(span.started, span.ended) if span is not None and is_timed else None
    return row._replace(
        dispatches=row.dispatches + 1,
        input_tokens=row.input_tokens.plus(figures.input_tokens, is_part=part),
        output_tokens=row.output_tokens.plus(figures.output_tokens, is_part=part),
        cached_tokens=row.cached_tokens.plus(figures.cached_tokens, is_part=part),
        cost_usd=row.cost_usd.plus(cost_of(outcome), is_part=part),
        time_ms=row.time_ms.plus(time_ms),
    )


def _usage(outcome: Outcome) -> Usage:
    told = outcome.usage if isinstance(outcome, AgentAnswered | AgentFailed) else None
    return told or Usage()
