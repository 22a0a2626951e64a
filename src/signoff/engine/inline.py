"""A pool without threads: each effect is performed when it is submitted.

For drivers whose effects never run side by side. Starting threads would cost more than the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.domain.run.effects import Effect
    from signoff.domain.run.outcomes import Outcome
    from signoff.engine.loop import Carrier, Pending
    from signoff.engine.run_state import OpenIntent


class Settled:
    """The outcome of an effect that is over before the caller can ask."""

    def __init__(self, outcome: Outcome | None) -> None:
        self._outcome = outcome

    def exception(self) -> None:
        """Return None: what an effect raises ends the driver at once."""

    def result(self) -> Outcome | None:
        """Return the outcome, or None if the effect was stopped."""
        return self._outcome

    def add_done_callback(self, call: Callable[[Pending], object]) -> None:
        """Call at once: it is done."""
        call(self)


class Inline:
    """Performs an effect when it is submitted."""

    def submit(
        self,
        call: Callable[[Carrier, Effect, OpenIntent], Outcome | None],
        carrier: Carrier,
        effect: Effect,
        intent: OpenIntent,
        /,
    ) -> Settled:
        """Perform the effect."""
        return Settled(call(carrier, effect, intent))
