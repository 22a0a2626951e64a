"""Records of the judgement of an input before any work starts. Pure."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.violations import Violation
from signoff.domain.work.work_state import DirectiveSet, Intent


class Band(StrEnum):
    """How sure we are to have understood a prompt."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Dimension(StrEnum):
    """The dimensions of the score, in the order in which ties are broken."""

    GOAL_CLARITY = "goal_clarity"
    SCOPE_BOUNDARY = "scope_boundary"
    AC_EVIDENCE = "ac_evidence"
    STACK_DATA = "stack_data"
    REVERSIBILITY = "reversibility"


class Confidence(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The score of a prompt: five dimensions of 0 to 2, their sum over ten, one reason each."""

    band: Band
    score: float
    dimensions: dict[Dimension, int]
    reasons: tuple[str, ...]
    ui_intent: bool


class TaskType(StrEnum):
    """The kind of a task, decided by the first that fits."""

    COMPONENT = "component"
    BUGFIX = "bugfix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    CHORE = "chore"


class RouteSource(StrEnum):
    """The origin of a route."""

    ENGINE = "engine"
    OVERRIDE = "override"


class Route(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The steps that do the work, and the words that decided it."""

    intent: Intent
    directive_set: DirectiveSet
    signals: tuple[str, ...] = ()
    alternatives: tuple[DirectiveSet, ...] = ()
    """Sets that a weaker reading of the same words would have given."""
    source: RouteSource = RouteSource.ENGINE


class Veto(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A destructive intent: it stops the run whatever the score says."""

    code: str
    phrase: str
    message: str


class RefineOutcome(StrEnum):
    """The answer of the intake gate."""

    SUCCESS = "success"
    PARTIAL = "partial"
    BLOCKED = "blocked"


class RefineFault(StrEnum):
    """The reasons why an input is not taken as it stands, documented in docs/reference/refining.md."""

    MISSING_ID = "missing_id"
    TRIVIAL_TITLE = "trivial_title"
    MISSING_OR_VAGUE_AC = "missing_or_vague_ac"
    PROMPT_UNREFINED = "prompt_unrefined"
    PROMPT_UI_INTENT = "prompt_ui_intent"
    PROMPT_MEDIUM_CONFIDENCE = "prompt_medium_confidence"
    PROMPT_LOW_CONFIDENCE = "prompt_low_confidence"
    DESTRUCTIVE_INTENT = "destructive_intent"
    QUESTION_NOT_TASK = "question_not_task"
    MALFORMED_INPUT = "malformed_input"


class Refinement(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The complete judgement of the intake gate on one input."""

    outcome: RefineOutcome
    codes: tuple[RefineFault, ...]
    """All that apply. The first decides what is asked."""
    task_type: TaskType
    route: Route
    is_question: bool
    vetoes: tuple[Veto, ...]
    violations: tuple[Violation, ...]
    """What is wrong with a ticket's fields, each with its place."""
    criteria: tuple[str, ...]
    """The acceptance criteria that the work is held to, as far as they are known."""
    assumptions: tuple[str, ...] = ()
    confidence: Confidence | None = None
    """For prompts, once criteria were reconstructed."""
    weakest: Dimension | None = None
    ui_intent: bool = False
    """Whether it speaks of a page or its looks. Its route names the steps for that."""
    question: str = ""
    """The one question that is asked, or an empty text."""
    options: tuple[str, ...] = ()
