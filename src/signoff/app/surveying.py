"""A flow as the loop wants it, whichever flow it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.core.state import State
    from signoff.domain.effects import Effect
    from signoff.domain.halts import Halt
    from signoff.domain.surveys import Survey


class SurveyedFlow:
    """Asks a flow once per state: the loop wants to know several things between two records."""

    def __init__(self, look: Callable[[State], Survey]) -> None:
        self._look = look
        self._last: tuple[State, Survey] | None = None

    def survey(self, state: State) -> Survey:
        """Say everything there is to say about a state."""
        if self._last is None or self._last[0] is not state:
            self._last = (state, self._look(state))
        return self._last[1]

    def finished(self, state: State) -> bool:
        """Say whether the run has come to its end, or was asked to stop."""
        return state.stopping or state.ended is not None or self.survey(state).conclusion is not None

    def ready(self, state: State) -> tuple[Effect, ...]:
        """Name every effect that may run now."""
        return self.survey(state).effects

    def halts(self, state: State) -> tuple[Halt, ...]:
        """Name every open halt."""
        return self.survey(state).halts
