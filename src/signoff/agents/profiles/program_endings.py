"""How the end of a program is read, whichever program it is. Pure.

Only one way leads to `completed`: it ended by itself with 0, and its last event says so without an error.
All programs lie with their exit codes in one case or another, but no program was seen to lie with both.
"""

from collections.abc import Mapping
from typing import NamedTuple

from signoff.agents.profiles.base import Classified
from signoff.agents.profiles.failures import WRONG_FOLDER, recognise, wait_named_in
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.machine.activity import Complained, Tally
from signoff.domain.machine.process_records import Ending
from signoff.domain.run.failure_policy import TREATMENT
from signoff.text.truncation import short

_LONGEST_DETAIL = 300
_ASKED_TO_END = (128 + 2, 128 + 15)
"""Exit codes after INT and TERM: another process asked it to end, not this one."""


class _EndCause(NamedTuple):
    failure: FailureClass
    detail: str = ""
    status: int | None = None


def failed(
    failure: FailureClass, detail: str = "", status: int | None = None, denials: int = 0
) -> Classified:
    """Return the reading of a failure, with what may be done about it."""
    return Classified(
        failure=failure,
        detail=short(detail, _LONGEST_DETAIL),
        http_status=status,
        retryable=TREATMENT[failure].retryable,
        retry_after_s=wait_named_in(detail),
        denials=denials,
    )


def read_end(
    exit_code: int | None,
    ending: Ending,
    tally: Tally,
    stderr_tail: str,
    reasons: Mapping[str, FailureClass],
) -> Classified:
    """Classify an end. `reasons` are the program's own words for the cause, as far as they are clear."""
    cause = _cause(exit_code, ending, tally, stderr_tail, reasons)
    if cause is not None:
        return failed(cause.failure, cause.detail, cause.status, tally.denials)
    if tally.denials and not tally.text.strip():
        return failed(
            FailureClass.DENIED, "a tool was not allowed and it said nothing more", None, tally.denials
        )
    return Classified(text=tally.text, denials=tally.denials)


def _cause(
    exit_code: int | None,
    ending: Ending,
    tally: Tally,
    stderr_tail: str,
    reasons: Mapping[str, FailureClass],
) -> _EndCause | None:
    match ending:
        case Ending.TIMED_OUT:
            return _EndCause(FailureClass.TIMED_OUT, _last_complaint(tally))
        case Ending.SILENT:
            return _EndCause(FailureClass.SILENT, _last_complaint(tally))
        case Ending.STOPPED:
            return _EndCause(FailureClass.CANCELLED)
        case Ending.DRIVER_DIED:
            return _EndCause(FailureClass.INTERRUPTED)
        case Ending.NOT_STARTED:
            return _EndCause(FailureClass.NOT_STARTED)
        case Ending.EXITED:
            return _cause_of_exit(exit_code, tally, stderr_tail, reasons)


def _cause_of_exit(
    exit_code: int | None, tally: Tally, stderr_tail: str, reasons: Mapping[str, FailureClass]
) -> _EndCause | None:
    elsewhere = next((c for c in tally.complaints if c.code == WRONG_FOLDER), None)
    if elsewhere is not None:
        return _EndCause(FailureClass.WRONG_FOLDER, elsewhere.message)
    if tally.finished is None:
        return _without_end(exit_code, tally, stderr_tail)
    if not tally.finished.ok:
        return _declared(tally, reasons)
    if exit_code != 0:
        return _EndCause(FailureClass.CRASHED, f"exit code {exit_code} after its last event: {stderr_tail}")
    return None


def _declared(tally: Tally, reasons: Mapping[str, FailureClass]) -> _EndCause:
    """Return the cause of a failure that it declared itself: its own word for it, or its last complaint."""
    assert tally.finished is not None
    complaint = tally.complaints[-1] if tally.complaints else Complained(message=tally.finished.text)
    detail = complaint.message or tally.finished.reason
    clear = reasons.get(tally.finished.reason)
    return _EndCause(clear or _kind(complaint) or FailureClass.UNKNOWN, detail, complaint.status)


def _without_end(exit_code: int | None, tally: Tally, stderr_tail: str) -> _EndCause:
    """There is no last event: whatever the exit code, the work is not done."""
    for complaint in reversed(tally.complaints):
        if kind := _kind(complaint):
            return _EndCause(kind, complaint.message, complaint.status)
    said = (
        f"exit code {exit_code}, no last event: {stderr_tail or _last_complaint(tally) or 'it said nothing'}"
    )
    if exit_code in _ASKED_TO_END:
        return _EndCause(FailureClass.INTERRUPTED, said)
    if exit_code == 0:
        return _EndCause(FailureClass.NO_END, said)
    return _EndCause(recognise(stderr_tail) or FailureClass.CRASHED, said)


def _kind(complaint: Complained) -> FailureClass | None:
    return recognise(complaint.message, complaint.status, complaint.code)


def _last_complaint(tally: Tally) -> str:
    return tally.complaints[-1].message if tally.complaints else ""
