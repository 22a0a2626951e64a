"""What may be done about a failed dispatch: a row for each class. Pure.

Retries, fallbacks and the ledger read the same table, so that they cannot disagree.
"""

from collections.abc import Mapping
from typing import NamedTuple

from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.run.outcomes import AgentFailure


class Treatment(NamedTuple):
    """What one class of failure means for everybody else."""

    reason: FailureReason
    """For the ledger, whose list is closed."""
    retryable: bool
    """The same dispatch to the same agent may succeed later."""
    may_fall_back: bool
    """Another agent or model may be asked instead. After a refusal that is for a person to decide."""
    failure: AgentFailure = AgentFailure.CRASHED
    """The coarse word in the journal."""


_REASON = FailureReason

TREATMENT: Mapping[F, Treatment] = {
    F.RATE_LIMITED: Treatment(_REASON.RATE_LIMITED, retryable=True, may_fall_back=True),
    F.QUOTA_EXCEEDED: Treatment(_REASON.RATE_LIMITED, retryable=False, may_fall_back=True),
    F.OVERLOADED: Treatment(_REASON.RATE_LIMITED, retryable=True, may_fall_back=True),
    F.SERVER_ERROR: Treatment(_REASON.NETWORK_ERROR, retryable=True, may_fall_back=True),
    F.NETWORK: Treatment(_REASON.NETWORK_ERROR, retryable=True, may_fall_back=True),
    F.AUTH: Treatment(_REASON.PRECONDITION_UNMET, retryable=False, may_fall_back=True),
    F.CONTEXT_OVERFLOW: Treatment(_REASON.CONTEXT_OVERFLOW, retryable=False, may_fall_back=True),
    F.REFUSED: Treatment(_REASON.UNKNOWN, retryable=False, may_fall_back=False),
    F.DENIED: Treatment(_REASON.TOOL_MISUSE, retryable=False, may_fall_back=False),
    F.BAD_REQUEST: Treatment(_REASON.PRECONDITION_UNMET, retryable=False, may_fall_back=False),
    F.MALFORMED_ANSWER: Treatment(
        _REASON.TOOL_MISUSE, retryable=True, may_fall_back=False, failure=AgentFailure.MALFORMED_ANSWER
    ),
    F.CRASHED: Treatment(_REASON.UNKNOWN, retryable=True, may_fall_back=True),
    F.NO_END: Treatment(_REASON.UNKNOWN, retryable=True, may_fall_back=True),
    F.TIMED_OUT: Treatment(
        _REASON.UNKNOWN, retryable=True, may_fall_back=False, failure=AgentFailure.TIMED_OUT
    ),
    F.SILENT: Treatment(_REASON.UNKNOWN, retryable=True, may_fall_back=True, failure=AgentFailure.TIMED_OUT),
    F.NOT_STARTED: Treatment(
        _REASON.DEPENDENCY_MISSING, retryable=False, may_fall_back=True, failure=AgentFailure.NOT_STARTED
    ),
    F.WRONG_FOLDER: Treatment(
        _REASON.PRECONDITION_UNMET, retryable=False, may_fall_back=False, failure=AgentFailure.NOT_STARTED
    ),
    F.TOO_MUCH_OUTPUT: Treatment(_REASON.UNKNOWN, retryable=True, may_fall_back=False),
    F.TURNS_USED_UP: Treatment(_REASON.UNKNOWN, retryable=False, may_fall_back=False),
    F.BUDGET_USED_UP: Treatment(_REASON.UNKNOWN, retryable=False, may_fall_back=False),
    F.CANCELLED: Treatment(_REASON.UNKNOWN, retryable=False, may_fall_back=False),
    F.INTERRUPTED: Treatment(_REASON.UNKNOWN, retryable=True, may_fall_back=False),
    F.UNKNOWN: Treatment(_REASON.UNKNOWN, retryable=True, may_fall_back=False),
}
