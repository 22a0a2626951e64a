"""What is handed to an agent backend and what it gives back. Pure records."""

from signoff.domain.directives import Directive
from signoff.domain.outcomes import AgentFailure, Usage
from signoff.domain.record import Record


class AgentRequest(Record, frozen=True, kw_only=True):
    """One directive for one agent, in one checkout."""

    directive: Directive
    checkout: str
    """Absolute path: the agent's working directory and the only place it may write to."""
    logs: str
    """Absolute path of the folder for its output and its outcome slip; outside the checkout."""
    timeout_s: float


class AgentReply(Record, frozen=True, kw_only=True):
    """What came back: exactly one of an answer, a failure, a delegation or a stop."""

    answer: bytes | None = None
    """The answer as the agent wrote it; parsed by the caller, once."""
    failure: AgentFailure | None = None
    detail: str = ""
    delegated: bool = False
    """Nobody was started: a host agent is expected to work in the checkout and submit."""
    stopped: bool = False
    """The run was asked to stop while the agent worked; nothing is recorded and resume starts again."""
    usage: Usage | None = None
