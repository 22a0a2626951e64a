"""Keep a run to its budget: what may start, what it may spend, and when a person is asked. Pure.

Every dispatch that starts holds its share of what is free until it ends, so that the shares of all that run
and what is spent never add up to more than the limit. What may start follows from the state alone, in the
contract's order, and never depends on which dispatch finished first.
"""

from typing import NamedTuple

from msgspec.structs import replace

from signoff.delivery.budget.budget_state import (
    GO_ON,
    MICRO,
    BudgetLeft,
    budget_left,
    money,
    reserve_micro_usd,
)
from signoff.delivery.context.run_view import View
from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.effects import Dispatch, Effect
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.surveys import Survey
from signoff.domain.work.budgets import Budget
from signoff.domain.work.settings import BudgetSettings

GIVE_UP = "give up"
_SHARE = 10
"""A dispatch sets a tenth aside where the settings say nothing else."""


class Limits(NamedTuple):
    """Limits given on the command line. None for what the settings say."""

    usd: float | None = None
    tokens: int | None = None


def pinned_budget(settings: BudgetSettings, asked: Limits) -> Budget | None:
    """Return the budget of a run, or None. It is fixed when the run starts.

    Flags win over settings, for each of USD and tokens alone. A dispatch sets a tenth of the limit aside if
    the settings say nothing else, and a budget that has no room for one dispatch is an error.
    """
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
    for name, limit, reserve in (("usd", usd, budget.reserve_usd), ("tokens", tokens, budget.reserve_tokens)):
        if limit is not None and reserve > limit:
            raise ConfigError(
                "the budget is too small for a single dispatch",
                slug="budget-too-small",
                why=f"a dispatch sets {reserve:,} aside ([budget] reserve_{name}), the budget is {limit:,}",
                fix=f"raise the budget, or lower [budget] reserve_{name} and commit",
            )
    return budget


def within_budget(view: View, found: Survey) -> Survey:
    """Hold back the dispatches that do not fit. If none ever will, ask a person for more."""
    left = budget_left(view.state)
    if left is None:
        return found
    wanted = [each.key for each in found.effects if _is_new(view, each)]
    shares = _shares(left, wanted)
    effects = tuple(
        _allowed(view, each, shares)
        for each in found.effects
        if not _is_new(view, each) or each.key in shares
    )
    is_waiting = len(shares) < len(wanted) and left.is_used_up
    halts = (*found.halts, _halt(left, found.step)) if is_waiting else found.halts
    return found._replace(effects=effects, halts=halts)


def is_given_up(view: View, key: EffectKey) -> bool:
    """Check whether a person decided not to start this dispatch when the budget was used up."""
    left = budget_left(view.state)
    if left is None or not left.is_used_up or key in view.state.open:
        return False
    answer = view.answer(left.halt)
    return answer is not None and answer.answer == GIVE_UP


def _is_new(view: View, effect: Effect) -> bool:
    return isinstance(effect, Dispatch) and effect.key not in view.state.open


def _shares(left: BudgetLeft, wanted: list[EffectKey]) -> dict[EffectKey, float | None]:
    """Return what each dispatch that may start may spend. All that is free is shared out.

    Computed one after the other, in whole numbers: once the first of them has started, the shares of the
    others are still the same.
    """
    room = left.room()
    chosen = wanted if room is None else wanted[:room]
    free = left.free_micro_usd
    shares: dict[EffectKey, float | None] = {}
    for place, key in enumerate(chosen):
        if free is None:
            shares[key] = None
            continue
        share = free // (len(chosen) - place)
        free -= share
        shares[key] = share / MICRO
    return shares


def _allowed(view: View, effect: Effect, shares: dict[EffectKey, float | None]) -> Effect:
    """Return a dispatch with what it may spend: its share, or what it got when it started."""
    if not isinstance(effect, Dispatch):
        return effect
    opened = view.state.open.get(effect.key)
    return replace(effect, budget_usd=opened.budget_usd if opened else shares[effect.key])


def _halt(left: BudgetLeft, step: str) -> Halt:
    budget = left.budget
    parts, more = [], []
    if (limit := left.limit_micro_usd) is not None:
        parts.append(
            f"{money(left.spent.micro_usd)} of {money(limit)} USD are spent "
            f"and a dispatch sets {money(reserve_micro_usd(budget))} aside"
        )
        more.append(f"{money(limit // (1 + left.grants))} USD")
    if (tokens := left.limit_tokens) is not None:
        parts.append(
            f"{left.spent.tokens:,} of {tokens:,} tokens are spent "
            f"and a dispatch sets {budget.reserve_tokens:,} aside"
        )
        more.append(f"{budget.tokens:,} tokens")
    return Halt(
        id=left.halt,
        code=HaltCode.BUDGET_USED_UP,
        kind=HaltKind.PERSON,
        step=step,
        question=f"The budget is used up: {'; '.join(parts)}. Go on with another {' and '.join(more)}?",
        options=(GO_ON, GIVE_UP),
        terminal_only=(GO_ON,),  # a cap is reset by a person, never by relayed input
    )
