"""Everything in a contract that can be true or false, in one shape. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, TaskId
from signoff.domain.work.checks import Check, Place

GATE_TESTS = ClauseId("gate/tests")
"""The project's own tests."""
GATE_EVALUATION = ClauseId("gate/evaluation")
"""An evaluator looked, and nothing it found stands. Only if an evaluator is asked."""
GATE_BAR = ClauseId("gate/bar")
"""Existing tests and runner settings are as strict as they were. Asked of hosted runs."""


class ClauseKind(StrEnum):
    """Where a clause comes from."""

    GATE = "gate"
    """A check of the project, from the settings of the base commit or from the engine itself."""
    CHECK = "check"
    CRITERION = "criterion"
    NON_GOAL = "non-goal"
    OUT_OF_SCOPE = "out-of-scope"
    """Something that is left for another time. If nothing can be computed, a reviewer looks at it."""
    STOP_CONDITION = "stop-condition"


class Clause(Record, frozen=True, kw_only=True):
    """One thing that must hold: shown by a check of its own, or by other clauses."""

    id: ClauseId
    kind: ClauseKind
    text: str
    task: TaskId | None = None
    check: Check | None = None
    red_on: Place | None = None
    """Where the check must fail first, for a clause that claims new behaviour, or None for a guard."""
    proven_by: tuple[ClauseId, ...] = ()
    guard: bool = False
    """It claims nothing new, so no check behind it needs to have been red."""
    required: bool = True
