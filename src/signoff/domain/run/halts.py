"""A run that waits: for whom, under which code, and how it is answered. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import Digest, HaltId


class HaltKind(StrEnum):
    """Who is awaited."""

    PERSON = "person"
    AGENT = "agent"


class HaltCode(StrEnum):
    """Why a run waits. Each code is documented in docs/reference/halts.md."""

    TICKET_UNCLEAR = "ticket-unclear"
    PLAN_QUESTION = "plan-question"
    NEEDS_CLARIFICATION = "needs-clarification"
    PLAN_APPROVAL = "plan-approval"
    TASK_QUESTION = "task-question"
    TASK_BLOCKED = "task-blocked"
    DIRECTIVE_OPEN = "directive-open"
    AGENT_FAILED = "agent-failed"
    OUTSIDE_CHANGE = "outside-change"
    BUDGET_USED_UP = "budget-used-up"

    # Of hosted runs, by step. Their spelling is that of the protocol the hosts speak.
    MALFORMED_INPUT = "malformed_input"
    QUESTION_NOT_TASK = "question_not_task"
    DESTRUCTIVE_INTENT = "destructive_intent"
    DIRECTIVE_SET_UNAVAILABLE = "directive_set_unavailable"
    MISSING_ID = "missing_id"
    TRIVIAL_TITLE = "trivial_title"
    MISSING_OR_VAGUE_AC = "missing_or_vague_ac"
    PROMPT_UNREFINED = "prompt_unrefined"
    PROMPT_MEDIUM_CONFIDENCE = "prompt_medium_confidence"
    PROMPT_LOW_CONFIDENCE = "prompt_low_confidence"
    EMPTY_PLAN_DELEGATE = "empty_plan_delegate"
    MALFORMED_PLAN = "malformed_plan"
    EMPTY_CHANGES_DELEGATE = "empty_changes_delegate"
    MALFORMED_CHANGES = "malformed_changes"
    CHANGES_NOT_SEEN = "changes_not_seen"
    CHANGES_CONTRADICTED = "changes_contradicted"
    WORK_NOT_JUDGED = "work_not_judged"
    EMPTY_TESTS_DELEGATE = "empty_tests_delegate"
    MALFORMED_TESTS = "malformed_tests"
    BAD_TEST_VERDICT = "bad_test_verdict"
    TESTS_CONTRADICTED = "tests_contradicted"
    TESTS_NOT_JUDGED = "tests_not_judged"
    BAR_LOWERED = "bar_lowered"
    EMPTY_VERIFY_DELEGATE = "empty_verify_delegate"
    MALFORMED_VERIFY = "malformed_verify"
    BAD_VERIFY_VERDICT = "bad_verify_verdict"
    VERIFY_CONTRADICTED = "verify_contradicted"
    REVIEW_STALE = "review_stale"
    UNBACKED_OUTCOME = "unbacked_outcome"
    HOOK_VETO = "hook_veto"


class Halt(Record, frozen=True, kw_only=True):
    """One open question of a run. It blocks its dependants only."""

    id: HaltId
    code: HaltCode
    kind: HaltKind
    step: str
    question: str
    options: tuple[str, ...] = ()
    """Numbered from 1 when shown. The answer may be the number or free text where that makes sense."""
    directive: Digest | None = None
    checkout: str = ""
    terminal_only: tuple[str, ...] = ()
    """Answers that count only when a person types them on a terminal."""
    verb: str = ""
    """Of a hosted run: what the host's agent is asked to do."""
    payload: dict[str, str] = {}
    lines: tuple[str, ...] = ()
    """Further lines below the question."""
    takes_text: bool = False
    """Of a hosted run: beside the options, the answer may be any text."""
    is_partial: bool = False
    """There is something to go on with that a person only has to confirm."""
