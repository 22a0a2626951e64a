"""Fix what a run may spend when it starts, from the settings and what was said on the command line."""

from typing import NamedTuple

from signoff.domain.budgets import Budget
from signoff.domain.errors import ConfigError
from signoff.domain.settings import BudgetSettings

_SHARE = 10
"""A dispatch sets a tenth aside where the settings say nothing else."""


class Limits(NamedTuple):
    """What was asked for on the command line; None for what the settings say."""

    usd: float | None = None
    tokens: int | None = None


def pinned_budget(settings: BudgetSettings, asked: Limits) -> Budget | None:
    """Give the budget; None for a run without one."""
    usd = settings.usd if asked.usd is None else asked.usd
    tokens = settings.tokens if asked.tokens is None else asked.tokens
    if usd is None and tokens is None:
        return None
    budget = Budget(
        usd=usd,
        tokens=tokens,
        reserve_usd=0.0 if usd is None else settings.reserve_usd or usd / _SHARE,
        reserve_tokens=0 if tokens is None else settings.reserve_tokens or max(1, tokens // _SHARE),
        warn_at=settings.warn_at,
    )
    for name, limit, reserve in (
        ("usd", usd, budget.reserve_usd),
        ("tokens", tokens, budget.reserve_tokens),
    ):
        if limit is not None and reserve > limit:
            raise ConfigError(
                "the budget is too small for a single dispatch",
                slug="budget-too-small",
                why=f"a dispatch sets {reserve:,} aside ([budget] reserve_{name}), the budget is {limit:,}",
                fix=f"raise the budget, or lower [budget] reserve_{name} and commit",
            )
    return budget
