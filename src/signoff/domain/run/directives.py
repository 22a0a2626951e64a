"""Work that only an agent can do, and what an agent may answer. Pure records.

An answer is a proposal. None of its fields is a verdict: what an agent says about its own success
is not read by anything that decides.
"""

from enum import StrEnum

import msgspec

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, EffectKey
from signoff.domain.work.checks import Citation
from signoff.domain.work.contract import Contract, Task
from signoff.domain.work.strategies import Strategy, WhenBase
from signoff.domain.work.ticket import Ticket


class Verb(StrEnum):
    """What is asked of the agent."""

    CREATE_PLAN = "create-plan"
    APPLY_PLAN = "apply-plan"
    REVIEW_CHANGES = "review-changes"


class QuestionAnswered(Record, frozen=True, kw_only=True):
    """A question that was asked and the answer a person gave."""

    question: str
    answer: str
    id: str = ""
    """Of a planner's question: what the plan cites the answer by."""


class Failure(Record, frozen=True, kw_only=True):
    """A check that did not pass, as it is handed back for rework."""

    clause: str
    detail: str
    command: tuple[str, ...] = ()
    """What was run. Empty if the engine compared files and ran nothing."""
    exit_code: int | None = None
    failed_tests: tuple[str, ...] = ()
    """Ids of the tests that failed, as far as there is room."""
    output: str = ""
    """The end of what the command printed, without secrets. The engine adds it when it hands the work out."""


class Facts(Record, frozen=True, kw_only=True):
    """What the engine saw in the repository by itself."""

    stacks: tuple[str, ...] = ()
    commands: dict[str, tuple[str, ...]] = {}
    """`build`, `test` and `lint`, each as argv. A command that was not found is absent."""
    sources: dict[str, str] = {}
    """For each command, where it was found: `settings`, `pyproject.toml`, `package.json`."""
    guides: tuple[str, ...] = ()
    """Module guides below the root, such as `CLAUDE.md` and `AGENTS.md`."""
    notes: tuple[str, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    """Further commands, each a gate of its own."""
    counts_when: dict[str, WhenBase] = {}
    """By the name of a gate, what the base must have shown for it to count. Absent means `any`."""


class PlanRequest(Record, frozen=True, kw_only=True, tag_field="verb", tag="create-plan"):
    """Turn a ticket into a contract."""

    ticket: Ticket
    facts: Facts
    memory: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    """What the rules said about the previous proposal."""
    answers: tuple[QuestionAnswered, ...] = ()
    correction: str = ""
    """What was wrong with the form of the last answer. The work done for it is kept."""


class WorkRequest(Record, frozen=True, kw_only=True, tag_field="verb", tag="apply-plan"):
    """Do one task of a sealed contract in the checkout that is the working directory."""

    task: Task
    goal: str
    non_goals: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    answers: tuple[QuestionAnswered, ...] = ()
    attempt: int = 1
    correction: str = ""
    """What was wrong with the form of the last answer. The work done for it is kept."""


class ClauseText(Record, frozen=True, kw_only=True):
    """One thing that must hold, as an evaluator is told it."""

    id: str
    text: str


class EvaluateRequest(Record, frozen=True, kw_only=True, tag_field="verb", tag="review-changes"):
    """Look for what is wrong with a result whose checks are green, in a checkout that is thrown away."""

    goal: str
    base: CommitId
    """What the change began from: `git diff <base>` shows it."""
    files: tuple[str, ...] = ()
    """Paths and globs that the contract lets the work touch."""
    clauses: tuple[ClauseText, ...] = ()
    """What must hold. A finding names one of them."""
    non_goals: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    round: int = 1
    correction: str = ""
    """What was wrong with the form of the last answer. The work done for it is kept."""


DirectivePayload = PlanRequest | WorkRequest | EvaluateRequest


class Directive(Record, frozen=True, kw_only=True):
    """What goes to an agent: the key its answer is filed under, and the payload."""

    key: EffectKey
    payload: PlanRequest | WorkRequest | EvaluateRequest


class PlanProposed(Record, frozen=True, kw_only=True, tag_field="kind", tag="plan"):
    """A contract, proposed."""

    contract: Contract


class QuestionAsked(Record, frozen=True, kw_only=True, tag_field="kind", tag="question"):
    """The agent cannot go on without a person."""

    question: str
    options: tuple[str, ...] = ()


class WorkDone(Record, frozen=True, kw_only=True, tag_field="kind", tag="done"):
    """The agent says it is finished. The files in its checkout are the proposal."""

    summary: str = ""
    citations: tuple[Citation, ...] = ()
    """Lines it points at for `behavioral` checks. Each is read again from the tree."""


class WorkBlocked(Record, frozen=True, kw_only=True, tag_field="kind", tag="blocked"):
    """The agent gives up, with a reason."""

    reason: str


class EvaluatorFinding(Record, frozen=True, kw_only=True):
    """Something an evaluator says is wrong. It counts only if the line it cites is there."""

    clause: str
    """The clause that does not hold, one of those it was given."""
    path: str
    line: int
    snippet: str
    """What that line says, word for word."""
    message: str
    """What happens, what should happen, and how to see it."""


class Evaluation(Record, frozen=True, kw_only=True, tag_field="kind", tag="evaluation"):
    """What an evaluator found. Nothing found is an answer, and proves nothing."""

    findings: tuple[EvaluatorFinding, ...] = ()


PlanAnswer = PlanProposed | QuestionAsked | WorkBlocked
WorkAnswer = WorkDone | QuestionAsked | WorkBlocked
EvaluateAnswer = Evaluation | WorkBlocked
Answer = PlanProposed | WorkDone | QuestionAsked | WorkBlocked | Evaluation


class RawPlanProposed(Record, frozen=True, kw_only=True, tag_field="kind", tag="plan"):
    """A proposal whose contract is kept byte for byte until the rules have spoken."""

    contract: msgspec.Raw
