"""The ledger's words for a dispatch that did not succeed: its status, and a cause in our own words. Pure.

The output of a program or a model never goes into the ledger: it may quote a prompt, an answer or a file.
From the detail in the journal only facts of a fixed form are taken, such as an exit code.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from signoff.domain.base.failure_classes import FailureClass as F
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.ledger import AgentStatus
from signoff.domain.run.outcomes import AgentFailed, AgentFailure

MEANINGS: Final[Mapping[F, str]] = {
    F.RATE_LIMITED: "too many requests for the provider",
    F.QUOTA_EXCEEDED: "the account's allowance is used up",
    F.OVERLOADED: "the provider is overloaded",
    F.SERVER_ERROR: "the provider failed",
    F.NETWORK: "the provider could not be reached, or the connection broke",
    F.AUTH: "the agent is not logged in, or its key was refused",
    F.CONTEXT_OVERFLOW: "more text than the model can take",
    F.REFUSED: "the model declined",
    F.DENIED: "a tool that it needed was not allowed",
    F.BAD_REQUEST: "the provider did not take the request",
    F.MALFORMED_ANSWER: "it ended without an answer that can be read",
    F.CRASHED: "the program ended with an error",
    F.NO_END: "the program ended without its last event",
    F.TIMED_OUT: "its time was up",
    F.SILENT: "it said nothing for too long",
    F.NOT_STARTED: "the program could not be started",
    F.WRONG_FOLDER: "it did not run in its own folder",
    F.TOO_MUCH_OUTPUT: "it printed more than is kept",
    F.TURNS_USED_UP: "its number of turns was used up",
    F.BUDGET_USED_UP: "its budget was used up",
    F.CANCELLED: "it was told to stop",
    F.INTERRUPTED: "its driver died or was stopped",
    F.UNKNOWN: "the cause is unknown",
}
"""What each class means, in words that fit into a sentence."""

STATUSES: Final[Mapping[F, AgentStatus]] = {
    F.TIMED_OUT: AgentStatus.TIMEOUT,
    F.SILENT: AgentStatus.TIMEOUT,
    F.CANCELLED: AgentStatus.INTERRUPTED,
    F.INTERRUPTED: AgentStatus.INTERRUPTED,
}
"""The status of a class of failure. It is `failure` for a class that is not listed."""

RECORDED: Final[Mapping[AgentFailure, str]] = {
    AgentFailure.NO_CASSETTE_ENTRY: "the cassette has nothing for this dispatch",
    AgentFailure.PATCH_REFUSED: "what was recorded does not fit the files",
}
"""Failures of a cassette. No program was started, so they have no class."""

_FACTS: Final = re.compile(
    r"exit code -?\d{1,6}"
    r"|not finished after [\d.e+]{1,12} s"
    r"|it said nothing for [\d.e+]{1,12} s"
    r"|no JSON object on stdout \(\d{1,15} bytes(?:, cut off)?\)"
    r"|no answer in what it said last \(\d{1,15} characters\)"
    r"|\d{1,6} times a tool was not allowed"
    r"|its last event is beyond the \d{1,15} bytes that are kept"
)


class Told(NamedTuple):
    """The ledger's fields of a failure."""

    status: AgentStatus
    reason: FailureReason
    failure_class: str
    detail: str


def class_of(failed: AgentFailed) -> F | None:
    """Return the class of a failure, None for a cassette that could not be played."""
    if failed.failure_class is not None:
        return failed.failure_class
    return None if failed.failure in RECORDED else F(failed.failure)


def tell(failed: AgentFailed) -> Told:
    """Return the fields of a failed dispatch, without any text of the program."""
    found = class_of(failed)
    if found is None:
        cause, status, reason = (
            RECORDED[failed.failure],
            AgentStatus.FAILURE,
            FailureReason.PRECONDITION_UNMET,
        )
    else:
        cause, status, reason = MEANINGS[found], status_of(found), TREATMENT[found].reason
    facts = [fact[0]] if (fact := _FACTS.match(failed.detail)) else []
    if failed.retry_after_s is not None:
        facts.append(f"it asks to wait {failed.retry_after_s:g} s")
    detail = f"{cause} ({'; '.join(facts)})" if facts else cause
    return Told(status, reason, str(found or failed.failure), detail)


def interrupted() -> Told:
    """Return the fields of a dispatch that was in flight when its driver died."""
    return Told(
        status_of(F.INTERRUPTED), TREATMENT[F.INTERRUPTED].reason, str(F.INTERRUPTED), MEANINGS[F.INTERRUPTED]
    )


def status_of(failure: F) -> AgentStatus:
    """Return the status of a class of failure."""
    return STATUSES.get(failure, AgentStatus.FAILURE)
