"""The costs of a delivery as a table for the report. Pure."""

from collections.abc import Callable

from signoff.ledger.agent_table import duration, short_number
from signoff.ledger.run_costs import UNKNOWN, CostRow, Costs, Sum
from signoff.text.markdown import table

_HEADINGS = ("role", "task", "agent", "model", "dispatches", "tokens in", "out", "cached", "cost", "time")


def cost_table(costs: Costs) -> str:
    """Return the table with its total. A sum with an unknown part reads "at least"."""
    if not costs.rows:
        return "No agent ran."
    return table(_HEADINGS, (_row(row) for row in (*costs.rows, costs.total)))


def _row(row: CostRow) -> tuple[str, ...]:
    tokens = (
        _figure(each, short_number) for each in (row.input_tokens, row.output_tokens, row.cached_tokens)
    )
    return (
        row.role,
        row.task,
        row.agent,
        row.model,
        str(row.dispatches),
        *tokens,
        _figure(row.cost_usd, lambda cost: f"{cost:.4f} USD"),
        _figure(row.time_ms, duration),
    )


def _figure(figure: Sum, put: Callable[[float], str]) -> str:
    if figure.known is None:
        return UNKNOWN
    return put(figure.known) if figure.is_whole else f"at least {put(figure.known)}"
