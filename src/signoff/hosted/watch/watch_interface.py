"""A hosted cycle without hooks, and the interface through which a cycle knows of hooks at all.

A cycle talks to one object. With hooks switched on, that is a `HookWatch`, which has the same two methods.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from signoff.domain.run.surveys import Survey
    from signoff.engine.loop import Flow, LoopLog, SurveyedFlow
    from signoff.engine.run_state import State

CyclePoint = Literal[
    "before_load", "after_load", "before_dispatch", "after_dispatch", "before_save", "after_save"
]


class Unwatched:
    """No hooks: every question is answered with yes."""

    def at(
        self,
        point: CyclePoint,
        state: State,
        found: Survey | None = None,
        *,
        wrote: tuple[str, ...] = (),
        exported: bytes = b"",
    ) -> None:
        """Ask at a point of the cycle. A veto raises ConflictError, and what is recorded stays."""

    def steps(self, flow: SurveyedFlow, log: LoopLog) -> AbstractContextManager[Flow]:
        """Return the flow as the loop is to see it. On exit it reports the halt, or the error."""
        del log
        return nullcontext(flow)
