"""Everything a flow has to say about a state. Pure."""

from enum import StrEnum
from typing import NamedTuple

import msgspec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from signoff.domain.base.typed_ids import CommitId
    from signoff.domain.evidence.verdict import Verdict
    from signoff.domain.run.effects import Effect
    from signoff.domain.run.events import RunEnd
    from signoff.domain.run.halts import Halt
    from signoff.domain.work.clauses import Clause

DELIVER = "deliver@1"
"""The flow of a delivery that the engine drives."""
WORK = "work@1"
"""The flow of a run that a host drives with `signoff work`."""

STEPS = ("refine", "memory", "analyze", "plan", "implement", "test", "verify", "report")
"""The steps of a delivery, in their fixed order."""


class StepStatus(StrEnum):
    """Where one step stands."""

    PENDING = "pending"
    ACTIVE = "active"
    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"


class Survey(NamedTuple):
    """What may run, what waits, what is proven, and how the run ends if it does."""

    steps: "Mapping[str, StepStatus]"
    effects: "tuple[Effect, ...]" = ()
    halts: "tuple[Halt, ...]" = ()
    conclusion: "RunEnd | None" = None
    verdict: "Verdict | None" = None
    clauses: "tuple[Clause, ...]" = ()
    final: "CommitId | None" = None
    notes: tuple[str, ...] = ()
    """Why tasks were not merged, or why there is no plan."""

    @property
    def step(self) -> str:
        """The step the run stands at: the first that is not done, or the last taken of an ended run."""
        ahead = (StepStatus.ACTIVE, StepStatus.PENDING)
        taken = [name for name in STEPS if self.steps[name] is not StepStatus.SKIPPED]
        return next((name for name in STEPS if self.steps[name] in ahead), taken[-1] if taken else STEPS[-1])


class Now(msgspec.Struct, frozen=True):
    """What one stage of a flow asks for: what may run, what waits, and whether the stage is complete."""

    effects: "tuple[Effect, ...]" = ()
    halts: "tuple[Halt, ...]" = ()
    complete: bool = False


COMPLETE = Now(complete=True)
