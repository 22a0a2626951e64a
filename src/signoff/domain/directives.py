"""Work that only an agent can do, and what an agent may answer. Pure records.

An answer is a proposal. None of its fields is a verdict: what an agent says about its own success
is not read by anything that decides.
"""

from enum import StrEnum

import msgspec

from signoff.domain.checks import Citation
from signoff.domain.contract import Contract, Task
from signoff.domain.ids import EffectKey
from signoff.domain.record import Record
from signoff.domain.strategies import Strategy, WhenBase
from signoff.domain.ticket import Ticket


class Verb(StrEnum):
    """What is asked of the agent."""

    CREATE_PLAN = "create-plan"
    APPLY_PLAN = "apply-plan"


class Exchange(Record, frozen=True, kw_only=True):
    """A question that was asked and the answer a person gave."""

    question: str
    answer: str


class Failure(Record, frozen=True, kw_only=True):
    """A check that did not pass, as it is handed back for rework."""

    clause: str
    detail: str


class Facts(Record, frozen=True, kw_only=True):
    """What the engine saw in the repository by itself."""

    stacks: tuple[str, ...] = ()
    commands: dict[str, tuple[str, ...]] = {}
    """`build`, `test` and `lint`, each as argv; absent where none was found."""
    sources: dict[str, str] = {}
    """For each command, where it was found: `settings`, `pyproject.toml`, `package.json`."""
    guides: tuple[str, ...] = ()
    """Module guides below the root, such as `CLAUDE.md` and `AGENTS.md`."""
    notes: tuple[str, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    """Further commands, each a gate of its own."""
    counts_when: dict[str, WhenBase] = {}
    """By the name of a gate, what the base must have shown for it to count; `any` where it is absent."""


class PlanRequest(Record, frozen=True, kw_only=True, tag_field="verb", tag="create-plan"):
    """Turn a ticket into a contract."""

    ticket: Ticket
    facts: Facts
    memory: tuple[str, ...] = ()
    violations: tuple[str, ...] = ()
    """What the rules said about the previous proposal."""
    answers: tuple[Exchange, ...] = ()


class WorkRequest(Record, frozen=True, kw_only=True, tag_field="verb", tag="apply-plan"):
    """Do one task of a sealed contract in the checkout that is the working directory."""

    task: Task
    goal: str
    non_goals: tuple[str, ...] = ()
    guides: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    answers: tuple[Exchange, ...] = ()
    attempt: int = 1


DirectivePayload = PlanRequest | WorkRequest


class Directive(Record, frozen=True, kw_only=True):
    """What goes to an agent: the key its answer is filed under, and the payload."""

    key: EffectKey
    payload: PlanRequest | WorkRequest


class PlanProposed(Record, frozen=True, kw_only=True, tag_field="kind", tag="plan"):
    """A contract, proposed."""

    contract: Contract


class QuestionAsked(Record, frozen=True, kw_only=True, tag_field="kind", tag="question"):
    """The agent cannot go on without a person."""

    question: str
    options: tuple[str, ...] = ()


class WorkDone(Record, frozen=True, kw_only=True, tag_field="kind", tag="done"):
    """The agent says it is finished; the files in its checkout are the proposal."""

    summary: str = ""
    citations: tuple[Citation, ...] = ()
    """Lines it points at for `behavioral` checks; each is read again from the tree."""


class WorkBlocked(Record, frozen=True, kw_only=True, tag_field="kind", tag="blocked"):
    """The agent gives up, with a reason."""

    reason: str


PlanAnswer = PlanProposed | QuestionAsked | WorkBlocked
WorkAnswer = WorkDone | QuestionAsked | WorkBlocked
Answer = PlanProposed | WorkDone | QuestionAsked | WorkBlocked


class RawPlanProposed(Record, frozen=True, kw_only=True, tag_field="kind", tag="plan"):
    """A proposal whose contract is kept byte for byte until the rules have spoken."""

    contract: msgspec.Raw
