"""The machine truth of one delivery. Pure records whose JSON field names are the contract format.

A superset of the plan contract: a file valid there decodes here. The precision fields are optional
in the shape and asked for by the rules.
"""

from enum import StrEnum
from typing import Literal

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import TaskId
from signoff.domain.work.checks import ContractCheck, DependencyRule, ForbiddenPattern


class ContractPolicy(StrEnum):
    """How much is asked of a contract."""

    SEED = "seed"
    """The eleven numbered rules and the shape. Of a sprint contract, its schema and the phrase gate."""
    STRICT = "strict"
    """All of that, the precision fields, and rules of our own."""


class GeneratedBy(StrEnum):
    """Who wrote the contract."""

    PLANNER = "planner"
    COMPILE_PLAN = "compile-plan"
    MANUAL = "manual"


class TaskPersona(StrEnum):
    """What a task's builder should be good at."""

    SECURITY = "security"
    ARCHITECT = "architect"
    UX = "ux"
    FRONTEND = "frontend"
    BACKEND = "backend"
    DATA = "data"
    """Read as `backend`, and kept as it was written."""
    PERFORMANCE = "performance"
    NONE = "none"


class VerificationMethod(StrEnum):
    """How a success criterion is meant to be shown."""

    MANUAL = "manual"
    TYPECHECK = "typecheck"
    LINT = "lint"
    UNIT_TEST = "unit-test"
    PLAYWRIGHT = "playwright"
    API_CHECK = "api-check"
    BUILD = "build"
    AGENT_EVALUATION = "agent-evaluation"


class Criterion(Record, frozen=True, kw_only=True):
    """A success criterion and the clauses that prove it."""

    id: str
    description: str
    verification_method: VerificationMethod = VerificationMethod.UNIT_TEST
    required: bool = True
    proven_by: tuple[str, ...] = ()
    """Clause ids. Empty means that no clause can prove it and a person is needed."""
    guard: bool = False
    """It says that something stays as it is. It claims nothing new, so guards alone may prove it."""


class NonGoal(Record, frozen=True, kw_only=True):
    """Something the delivery must not do, and how a change shows that it did.

    One without any predicate is read from its words (`contracts.clauses.non_goal_predicates`), and where they
    say nothing that can be computed a person is needed.
    """

    id: str
    description: str
    untouched: tuple[str, ...] = ()
    """Globs of files that stay as they are."""
    dependencies: DependencyRule | None = None
    """What may not happen in the dependency manifests."""
    exports: tuple[str, ...] = ()
    """Globs of files whose exported symbols stay as they are."""
    forbidden: tuple[ForbiddenPattern, ...] = ()
    """What no added line may hold."""


class StopCondition(Record, frozen=True, kw_only=True):
    """A signal that the work is finished, and the clauses that show it."""

    id: str
    description: str
    proven_by: tuple[str, ...] = ()


class Task(Record, frozen=True, kw_only=True):
    """One unit of work for one agent in one checkout."""

    id: TaskId
    title: str
    wave: int
    verification: tuple[ContractCheck, ...]
    depends_on: tuple[TaskId, ...] = ()
    persona: TaskPersona = TaskPersona.NONE
    files_modify: tuple[str, ...] = ()
    files_create: tuple[str, ...] = ()
    files_delete: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    """Each stands or falls with this task's checks."""
    action: str = ""
    context_files: tuple[str, ...] = ()


class Contract(Record, frozen=True, kw_only=True):
    """Tasks in waves, what each may touch, and what must be shown."""

    version: Literal[1]
    phase: int
    goal: str
    why: str
    generated_at: str
    generated_by: GeneratedBy
    tasks: tuple[Task, ...]
    success_criteria: tuple[str | Criterion, ...]
    """A plain string stands or falls with every check of the contract."""
    source_plan_hash: str = ""
    non_goals: tuple[str | NonGoal, ...] = ()
    stop_conditions: tuple[str | StopCondition, ...] = ()
    definition_of_done: str = ""
    assumptions: tuple[str, ...] = ()
    out_of_scope: tuple[str, ...] = ()
    ambiguity_score: int | None = None
    open_questions: tuple[str, ...] = ()
    """What only a person can settle. A plan that has any is not built from."""
    spec_changes: tuple[str, ...] = ()
    """Ids of existing tests this contract changes the specification of. Only these may go or change."""
    guards: tuple[str, ...] = ()
    """Ids or globs of new tests that pin what the base does already."""
    seal: str = ""
    """Digest of everything else in it, once the file was sealed. See `contracts.files.contract_seal`."""
