"""The refined want: features, questions, answers, lifecycle. Pure records."""

from enum import StrEnum

from signoff.domain.record import Record


class SpecStatus(StrEnum):
    """Where a spec stands in its life."""

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
    """Who answered a clarification."""

    USER = "user"
    PLANNER = "planner"


class Priority(StrEnum):
    """How much a feature is wanted."""

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
    recommendation: str = ""
    ambiguity_weight: int = 0


class ResolvedClarification(Record, frozen=True, kw_only=True):
    """An answer, with who gave it and on what grounds."""

    question_id: str
    answer: str
    resolved_at: str
    resolved_by: ResolvedBy
    evidence: str = ""


class Feature(Record, frozen=True, kw_only=True):
    """One thing the spec promises."""

    feature_id: str
    title: str
    description: str
    priority: Priority
    acceptance_criteria: tuple[str, ...]
    dependencies: tuple[str, ...] = ()
    estimated_complexity: Complexity = Complexity.MEDIUM


class Spec(Record, frozen=True, kw_only=True):
    """The refined want of one ticket; its sprints become contracts."""

    spec_id: str
    title: str
    description: str
    status: SpecStatus
    created_at: str
    updated_at: str
    version: int = 1
    mode: SpecMode = SpecMode.BROWNFIELD
    ambiguity_score: int = 0
    clarification_questions: tuple[ClarificationQuestion, ...] = ()
    resolved_clarifications: tuple[ResolvedClarification, ...] = ()
    assumptions: tuple[str, ...] = ()
    out_of_scope: tuple[str, ...] = ()
    features: tuple[Feature, ...] = ()
    sprints: tuple[str, ...] = ()
    """Contract ids, in dependency order."""
