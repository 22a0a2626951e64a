"""A budget in words."""

import pytest

from signoff.delivery.budget.budget_state import BudgetLeft, BudgetSpent
from signoff.delivery.budget.budget_text import how_far
from signoff.domain.work.budgets import Budget


@pytest.mark.parametrize(
    ("spent", "said"),
    [(800_000, "nearly used up"), (1_000_000, "used up"), (1_800_000, "exceeded")],
)
def test_a_warning_says_how_far_the_budget_is_used_up(spent: int, said: str) -> None:
    """1.80 of 1.00 is not nearly."""
    left = BudgetLeft(
        budget=Budget(usd=1.0), grants=0, spent=BudgetSpent(spent, 0, 0), held_micro_usd=0, open=0
    )
    assert how_far(left) == said
