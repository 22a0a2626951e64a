"""What a run has spent of its budget, and what it may still start. Pure: a fold of the state.

Money is counted in whole millionths of a dollar, so that sums do not depend on the order in which siblings
finished. A dispatch that did not report its cost counts as much as it had reserved.
"""

import math
from typing import NamedTuple

from signoff.domain.base.caps import Cap
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.typed_ids import EffectKey, HaltId
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.events import How
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, AgentFailure, Outcome, Usage
from signoff.domain.work.budgets import Budget
from signoff.engine.run_state import State

GO_ON = "go on"
MICRO = 1_000_000
_DISPATCH = "dispatch"
_HALT = "budget/grant-"
_NOTHING_RAN = (AgentFailure.NOT_STARTED, AgentFailure.NO_CASSETTE_ENTRY)


class BudgetSpent(NamedTuple):
    """What is gone: known cost, and reservations where it is not known."""

    micro_usd: int = 0
    tokens: int = 0
    untold: int = 0
    """How many dispatches did not tell what they cost."""

    @property
    def usd(self) -> float:
        """The same in dollars."""
        return self.micro_usd / MICRO


class BudgetLeft(NamedTuple):
    """What is left of a budget: limits with what was granted, what is spent, what open ones hold."""

    budget: Budget
    grants: int
    """How often as much again was granted."""
    spent: BudgetSpent
    held_micro_usd: int
    """What open dispatches may still spend."""
    open: int
    """How many dispatches are open."""

    @property
    def limit_micro_usd(self) -> int | None:
        """The limit, None if money has none."""
        return None if self.budget.usd is None else _micro(self.budget.usd) * (1 + self.grants)

    @property
    def limit_tokens(self) -> int | None:
        """The limit, None if tokens have none."""
        return None if self.budget.tokens is None else self.budget.tokens * (1 + self.grants)

    @property
    def free_micro_usd(self) -> int | None:
        """What is neither spent nor held, None if money has no limit."""
        limit = self.limit_micro_usd
        return None if limit is None else max(0, limit - self.spent.micro_usd - self.held_micro_usd)

    def room(self, *, when_all_ended: bool = False) -> int | None:
        """Return how many further dispatches fit, beside the open ones or once those cost nothing more."""
        money, tokens = self.limit_micro_usd, self.limit_tokens
        rooms = []
        if money is not None:
            held = 0 if when_all_ended else self.held_micro_usd
            rooms.append((money - self.spent.micro_usd - held) // reserve_micro_usd(self.budget))
        if tokens is not None:
            each = max(1, self.budget.reserve_tokens)
            held = 0 if when_all_ended else self.open * each
            rooms.append((tokens - self.spent.tokens - held) // each)
        return max(0, min(rooms)) if rooms else None

    @property
    def is_used_up(self) -> bool:
        """Whether no dispatch fits any more, even if the open ones cost nothing."""
        return self.room(when_all_ended=True) == 0

    @property
    def share(self) -> float:
        """How much of it is spent, as a share of the limit that is nearer."""
        shares = [0.0]
        if money := self.limit_micro_usd:
            shares.append(self.spent.micro_usd / money)
        if tokens := self.limit_tokens:
            shares.append(self.spent.tokens / tokens)
        return max(shares)

    @property
    def is_low(self) -> bool:
        """Whether it is time to warn."""
        return self.share >= self.budget.warn_at

    @property
    def halt(self) -> HaltId:
        """The id of the question for more. Each grant has its own."""
        return HaltId(f"{_HALT}{self.grants + 1}")


def budget_left(state: State) -> BudgetLeft | None:
    """Return what is left, None for a run without a budget."""
    budget = state.start.budget if state.start is not None else None
    if budget is None:
        return None
    held = [opened.budget_usd for opened in state.open.values() if opened.do == _DISPATCH]
    reserve = reserve_micro_usd(budget)
    return BudgetLeft(
        budget=budget,
        grants=grants(state),
        spent=spent(state, budget),
        held_micro_usd=sum(reserve if each is None else round(each * MICRO) for each in held),
        open=len(held),
    )


def grants(state: State) -> int:
    """Count how often a person on a terminal granted as much again, asked for it or by a reset."""
    asked = sum(
        halt.startswith(_HALT) and given.answer == GO_ON and given.how is How.TERMINAL
        for halt, given in state.answers.items()
    )
    return asked + state.cap_resets.get(Cap.BUDGET, 0)


def spent(state: State, budget: Budget) -> BudgetSpent:
    """Add up every dispatch that ended, failed and interrupted ones too."""
    each = [
        _cost(state.done[key], budget)
        for key, opened in state.intents.items()
        if opened.do == _DISPATCH and key in state.done
    ]
    return BudgetSpent(
        sum(one.micro_usd for one in each), sum(one.tokens for one in each), sum(one.untold for one in each)
    )


def crossed(state: State, key: EffectKey) -> BudgetLeft | None:
    """Return what is left if the end of this dispatch made it low, else None.

    The warning is so given once, after a restart too.
    """
    now = budget_left(state)
    outcome = state.done.get(key)
    opened = state.intents.get(key)
    if now is None or outcome is None or opened is None or opened.do != _DISPATCH or not now.is_low:
        return None
    own = _cost(outcome, now.budget)
    before = now.spent._replace(
        micro_usd=now.spent.micro_usd - own.micro_usd, tokens=now.spent.tokens - own.tokens
    )
    return None if now._replace(spent=before).is_low else now


def reserve_micro_usd(budget: Budget) -> int:
    """Return what a dispatch sets aside, in millionths of a dollar."""
    return max(1, _micro(budget.reserve_usd))


def total_tokens(usage: Usage) -> int | None:
    """Return all tokens of a usage, those of caches too, None if it does not report them."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return (
        usage.input_tokens
        + usage.output_tokens
        + (usage.cached_tokens or 0)
        + (usage.cache_write_tokens or 0)
    )


def _cost(outcome: Outcome, budget: Budget) -> BudgetSpent:
    """Return what one dispatch counts for.

    Figures of the last call are the least it can have been, so the reservation counts if it is more. Those
    of a whole session tell nothing about this dispatch.
    """
    # If no program was started at all, it cost nothing.
    if isinstance(outcome, AgentFailed) and (
        outcome.failure in _NOTHING_RAN and outcome.failure_class in (None, FailureClass.NOT_STARTED)
    ):
        return BudgetSpent()
    usage = outcome.usage if isinstance(outcome, AgentAnswered | AgentFailed) else None
    if usage is None or usage.basis is UsageBasis.SESSION:
        return BudgetSpent(reserve_micro_usd(budget), budget.reserve_tokens, 1)
    money, tokens = usage.cost_usd, total_tokens(usage)
    known_money = None if money is None else math.ceil(round(money * MICRO, 3))
    is_least = usage.basis is UsageBasis.LAST_CALL
    return BudgetSpent(
        _counted(known_money, reserve_micro_usd(budget), is_least),
        _counted(tokens, budget.reserve_tokens, is_least),
        int(is_least or (money if budget.usd is not None else tokens) is None),
    )


def _counted(known: int | None, reserved: int, is_least: bool) -> int:
    if known is None:
        return reserved
    return max(known, reserved) if is_least else known


def money(micro_usd: int) -> str:
    """Write a sum of money, in cents where it is whole cents."""
    text = f"{micro_usd / MICRO:.4f}"
    return text[:-2] if text.endswith("00") else text


def _micro(usd: float) -> int:
    return round(usd * MICRO)
