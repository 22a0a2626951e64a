"""The refined ticket: features, questions, answers, lifecycle. Pure records, in our spelling.

Also read from and written to camelCase files, by `contracts.files` and `specs`. A field of type `Any` is kept
as it was written and used by nothing here.
"""

from enum import StrEnum
from typing import Any

from signoff.domain.base.record import Record
from signoff.domain.work.sprints import Sprint, SprintStatus


class SpecStatus(StrEnum):
    """The states of a spec."""

    DRAFT = "draft"
    NEEDS_CLARIFICATION = "needs-clarification"
    READY = "ready"
    IN_PROGRESS = "in-progress"
    COMPLETED = "completed"
    ABANDONED = "abandoned"


class QuestionCategory(StrEnum):
    """What a clarification question is about."""

    SCOPE = "scope"
    USER_PERSONAS = "user-personas"
    DATA_MODEL = "data-model"
    TECH_CONSTRAINTS = "tech-constraints"
    DESIGN_UX = "design-ux"
    INTEGRATIONS = "integrations"
    NON_FUNCTIONAL = "non-functional"
    ERROR_HANDLING = "error-handling"
    INTEGRATION_RISK = "integration-risk"
    PATTERN_CONFLICT = "pattern-conflict"
    REGRESSION_RISK = "regression-risk"
    OTHER = "other"


class ResolvedBy(StrEnum):
    """The author of an answer."""

    USER = "user"
    PLANNER = "planner"


class Priority(StrEnum):
    """The importance of a feature."""

    MUST_HAVE = "must-have"
    SHOULD_HAVE = "should-have"
    NICE_TO_HAVE = "nice-to-have"


class Complexity(StrEnum):
    """How large a feature looks."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class SpecMode(StrEnum):
    """Whether there is code already."""

    GREENFIELD = "greenfield"
    BROWNFIELD = "brownfield"


class QuestionOption(Record, frozen=True, kw_only=True):
    """One offered answer."""

    label: str
    description: str


class ClarificationQuestion(Record, frozen=True, kw_only=True):
    """Something only a person, or evidence in the code, can settle."""

    question_id: str
    category: QuestionCategory
    question: str
    options: tuple[QuestionOption, ...] = ()
    recommendation: str | None = None
    ambiguity_weight: int | None = None
    """0 to 10: what an answer takes off the spec's ambiguity."""


class ResolvedClarification(Record, frozen=True, kw_only=True):
    """An answer, with who gave it and on what grounds."""

    question_id: str
    answer: str
    resolved_at: str
    resolved_by: ResolvedBy = ResolvedBy.USER
    evidence: str = ""
    """Where the planner found its answer: a path, a line, a pattern of the code."""


class Feature(Record, frozen=True, kw_only=True):
    """One thing the spec promises."""

    feature_id: str
    title: str
    description: str
    priority: Priority
    acceptance_criteria: tuple[str, ...]
    dependencies: tuple[str, ...] = ()
    estimated_complexity: Complexity | None = None
    estimated_sprints: int | None = None
    """Of older specs. Today the complexity says the same."""


class SprintRun(Record, frozen=True, kw_only=True):
    """How far the delivery of a sprint has come, and the run that says so."""

    status: SprintStatus
    run_id: str = ""


class Spec(Record, frozen=True, kw_only=True):
    """The refined form of one ticket. Its sprints become contracts."""

    spec_id: str
    title: str
    description: str
    status: SpecStatus
    created_at: str
    updated_at: str
    mode: SpecMode
    features: tuple[Feature, ...]
    version: int = 1
    ambiguity_score: int | None = None
    clarification_questions: tuple[ClarificationQuestion, ...] = ()
    resolved_clarifications: tuple[ResolvedClarification, ...] = ()
    assumptions: tuple[str, ...] = ()
    out_of_scope: tuple[str, ...] = ()
    tech_stack: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    tech_notes: Any = None
    non_functional_requirements: tuple[Any, ...] = ()
    metadata: Any = None
    sprints: tuple[str | Sprint, ...] = ()
    """Sprint contracts, or their ids, in dependency order."""
    sprint_runs: dict[str, SprintRun] = {}
    """By the id of the sprint, written by `signoff run --spec`."""
    completed_at: str | None = None
