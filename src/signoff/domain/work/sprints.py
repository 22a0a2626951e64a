"""One sprint of a spec as its planner writes it. Pure records, in our spelling.

A sprint contract says in words what is to be built and how it is to be shown. It has no tasks and no checks.
It is read from and written to camelCase files by `contracts.files` and `specs`.
"""

from enum import StrEnum
from typing import Any

from signoff.domain.base.record import Record
from signoff.domain.work.contract import VerificationMethod


class SprintStatus(StrEnum):
    """The states of a sprint."""

    PROPOSED = "proposed"
    NEGOTIATING = "negotiating"
    AGREED = "agreed"
    IN_PROGRESS = "in-progress"
    EVALUATING = "evaluating"
    PASSED = "passed"
    FAILED = "failed"
    NEEDS_REWORK = "needs-rework"
    COMPLETED = "completed"


class SprintSize(StrEnum):
    """How long a sprint looks."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


class SprintCriterion(Record, frozen=True, kw_only=True):
    """A success criterion and how it is meant to be shown."""

    criterion_id: str
    description: str
    verification_method: VerificationMethod
    required: bool


class Sprint(Record, frozen=True, kw_only=True):
    """A sprint contract."""

    contract_id: str
    spec_id: str
    sprint_number: int
    title: str
    description: str
    status: SprintStatus
    success_criteria: tuple[SprintCriterion, ...]
    non_goals: tuple[str, ...]
    stop_conditions: tuple[str, ...]
    definition_of_done: str
    depends_on: tuple[str, ...] = ()
    """Ids of sprint contracts that come first."""
    features: tuple[str, ...] = ()
    """Ids of the spec's features this sprint is about."""
    assumptions: tuple[str, ...] = ()
    out_of_scope: tuple[str, ...] = ()
    ambiguity_score: int | None = None
    generator_notes: str | None = None
    evaluator_notes: str | None = None
    evaluator_feedback: str | None = None
    estimated_files: tuple[str, ...] = ()
    estimated_duration: SprintSize | None = None
    last_eval_id: str | None = None
    iteration_history: Any = None
    """Kept as it is, and used by nothing here."""
    eval_results: Any = None
    version: int | None = None
    created_at: str | None = None
    updated_at: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
