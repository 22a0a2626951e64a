"""A run that waits: for whom, under which code, and how it is answered. Pure records."""

from enum import StrEnum

from signoff.domain.ids import Digest, HaltId
from signoff.domain.record import Record


class HaltKind(StrEnum):
    """Who is awaited."""

    PERSON = "person"
    AGENT = "agent"


class HaltCode(StrEnum):
    """Why a run waits. Each code is documented in docs/reference/halts.md."""

    TICKET_UNCLEAR = "ticket-unclear"
    PLAN_QUESTION = "plan-question"
    PLAN_APPROVAL = "plan-approval"
    TASK_QUESTION = "task-question"
    TASK_BLOCKED = "task-blocked"
    DIRECTIVE_OPEN = "directive-open"
    AGENT_FAILED = "agent-failed"


class Halt(Record, frozen=True, kw_only=True):
    """One open question of a run. It blocks its dependants only."""

    id: HaltId
    code: HaltCode
    kind: HaltKind
    step: str
    question: str
    options: tuple[str, ...] = ()
    """Numbered from 1 when shown; the answer may be the number or free text where that makes sense."""
    directive: Digest | None = None
    checkout: str = ""
    terminal_only: tuple[str, ...] = ()
    """Answers that count only when a person types them on a terminal."""
