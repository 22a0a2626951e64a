"""One record per agent that ran, projected from the journal. Pure records.

It never holds prompts, answers, command output, file contents or diffs.
"""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta

from signoff.domain.base.record import Record
from signoff.domain.evidence.receipts import FailureReason, Result


class AgentType(StrEnum):
    """What kind of agent ran. Roles outside this list are `CUSTOM` with a name."""

    PLANNER = "planner"
    PLAN_CHECKER = "plan-checker"
    BUILDER = "builder"
    VERIFIER = "verifier"
    QA_BROWSER = "qa-browser"
    RESEARCHER = "researcher"
    RESEARCH_SYNTHESIZER = "research-synthesizer"
    ROADMAPPER = "roadmapper"
    TEAM_ORCHESTRATOR = "team-orchestrator"
    CUSTOM = "custom"


class AgentStatus(StrEnum):
    """How the agent's process ended, not whether its code is right."""

    SUCCESS = "success"
    PARTIAL = "partial"
    BLOCKED = "blocked"
    FAILURE = "failure"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"


class Effort(StrEnum):
    """How hard the model was asked to think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    MAX = "max"


class LedgerRecord(Record, frozen=True, kw_only=True):
    """One dispatch, as the ledger keeps it."""

    run_id: str
    skill_invocation_id: str
    agent_type: AgentType
    model: str
    project: str
    status: AgentStatus
    started_at: str
    finished_at: str
    duration_ms: int
    schema_version: Literal[1] = 1
    parent_run_id: str | None = None
    session_id: str | None = None
    agent_name: str | None = None
    effort: Effort | None = None
    phase: int | None = None
    milestone: int | None = None
    task_id: str | None = None
    wave: int | None = None
    retry_of: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None
    tool_calls_count: int | None = None
    files_changed: tuple[str, ...] = ()
    commit_sha: str | None = None
    verifier_score: Annotated[int, Meta(ge=1, le=5)] | None = None
    verification_result: Result | None = None
    failure_reason: FailureReason | None = None
    failure_detail: Annotated[str, Meta(max_length=500)] | None = None
    log_file: str | None = None
    failure_class: str | None = None
    """Ours: the failure as finely as programs tell. No closed list: older readers take newer records."""
    agent: str | None = None
    """Ours: the program that was asked, such as `claude`, or `hosted` if a host did the work."""
    cost_usd: float | None = None
    """Ours: what it cost. Absent means unknown, never nothing."""
    usage_basis: str | None = None
    """Ours: `last-call` if the figures are the least it can have been, `session` if they cover earlier
    dispatches too and are left out. Absent if they are of this dispatch alone.
    """
    files_left_out: int | None = None
    """Ours: how many changed files are not listed, because there are too many or a name cannot be written."""
    effect_key: str | None = None
    """Ours: the dispatch in the journal of the run."""
