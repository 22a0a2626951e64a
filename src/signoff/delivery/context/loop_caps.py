"""How far each loop of a delivery may go. Pure.

A limit stands in the settings of the base commit. A person can reset its count (`CapReset`): what was begun
before the latest reset does not count against the cap any more, and what was decided then stays decided.
"""

from typing import assert_never

from signoff.delivery.context.run_view import View
from signoff.domain.base.caps import Cap
from signoff.domain.base.typed_ids import EffectKey, TaskId


def limit(view: View, cap: Cap) -> int:
    """Return how often something may happen, counted from the latest reset."""
    limits = view.settings.limits
    match cap:
        case Cap.RETRIES:
            return limits.retries
        case Cap.REWORK:
            return limits.rework
        case Cap.PLAN_REVISIONS:
            return limits.plan_revisions
        case Cap.BUDGET:
            raise ValueError("a budget is an amount, not a count")
        case _:
            assert_never(cap)


def counts(view: View, cap: Cap, key: EffectKey) -> bool:
    """Check whether what was begun under this key counts against the cap: not if that was before a reset."""
    reset = view.state.cap_reset_at.get(cap)
    opened = view.state.intents.get(key)
    return reset is None or opened is None or opened.seq > reset


def last_attempt(view: View, task: TaskId) -> int:
    """Return the number of the last attempt that a task has: the first one, and one for each rework."""
    before = 0  # attempts that were begun before a reset
    while True:
        key = EffectKey(f"implement/{task}/attempt-{before + 1}/dispatch-1")
        if key not in view.state.intents or counts(view, Cap.REWORK, key):
            return max(1, before) + limit(view, Cap.REWORK)
        before += 1
