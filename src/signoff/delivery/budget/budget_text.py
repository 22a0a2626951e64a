"""A budget in words. Pure."""

from signoff.delivery.budget.budget_state import BudgetLeft, budget_left, money
from signoff.engine.run_state import State


def budget_line(state: State) -> str:
    """Return how much of the budget is spent, empty for a run without one."""
    left = budget_left(state)
    if left is None:
        return ""
    untold = left.spent.untold
    who = "a dispatch" if untold == 1 else f"{untold} dispatches"
    counted = f", with the reservation of {who} that told no cost" if untold else ""
    granted = f"; as much again was granted {left.grants} times" if left.grants > 1 else ""
    granted = "; as much again was granted once" if left.grants == 1 else granted
    low = f" (WARNING: {how_far(left)})" if left.is_low else ""
    return spent_of(left) + counted + granted + low


def how_far(left: BudgetLeft) -> str:
    """Return how far a budget is used up, in the words of a warning."""
    if left.share < 1:
        return "nearly used up"
    return "used up" if left.share == 1 else "exceeded"


def spent_of(left: BudgetLeft) -> str:
    """Return how much of how much is spent."""
    parts = []
    if (limit := left.limit_micro_usd) is not None:
        parts.append(f"{money(left.spent.micro_usd)} of {money(limit)} USD")
    if (tokens := left.limit_tokens) is not None:
        parts.append(f"{left.spent.tokens:,} of {tokens:,} tokens")
    return " and ".join(parts) + " spent"
