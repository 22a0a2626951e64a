"""A pool of no threads: everything is carried out where it is asked for, one after the other.

For drivers whose effects never run side by side; starting threads would cost more than the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.core.state import Opened
    from signoff.domain.effects import Effect
    from signoff.domain.outcomes import Outcome
    from signoff.engine.loop import Carrier, Pending


class Settled:
    """What an effect came to; it is known before anybody can ask."""

    def __init__(self, outcome: Outcome | None) -> None:
        self._outcome = outcome

    def exception(self) -> None:
        """Give nothing: what an effect raises ends the driver at once."""

    def result(self) -> Outcome | None:
        """Give the outcome; None when it was stopped."""
        return self._outcome

    def add_done_callback(self, call: Callable[[Pending], object]) -> None:
        """Call at once: it is done."""
        call(self)


class Inline:
    """Carries an effect out when it is submitted."""

    def submit(
        self,
        call: Callable[[Carrier, Effect, Opened], Outcome | None],
        carrier: Carrier,
        effect: Effect,
        intent: Opened,
        /,
    ) -> Settled:
        """Carry it out."""
        return Settled(call(carrier, effect, intent))
