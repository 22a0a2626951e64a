"""The next step of a quality audit, decided from its log and its files.

Pure; `signoff audit next` reads both and only shows the answer. The files outrank the log: a phase that has
ended by the log is run again when its files are not complete, and one that is still open is ended when they
are. The earliest phase that is not complete comes first, because the later ones build on it.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from signoff.judges.journal.audit_events import PHASES
from signoff.judges.journal.audit_order import AuditLog
from signoff.judges.journal.journal_check import JournalCheck
from signoff.judges.journal.journal_rules import JournalCode


class Action(StrEnum):
    """What comes next."""

    FRESH = "fresh"
    """Begin the log: `_index`, `run_start`, the start of phase 1."""
    APPEND_PHASE_END = "append-phase-end"
    RERUN_PHASE = "rerun-phase"
    """Record a recoverable error of this phase, then start it again, from scratch."""
    START_PHASE = "start-phase"
    APPEND_RUN_END = "append-run-end"
    COMPLETE = "complete"
    ABORTED = "aborted"
    INVALID_LOG = "invalid-log"


class ResumeDecision(NamedTuple):
    """What comes next, in which phase, and why."""

    action: Action
    phase: int | None
    reason: str


FRESH = ResumeDecision(Action.FRESH, 1, "there is no log")

_NOT_STARTED = {JournalCode.RUN_START_MISSING}
_TORN = {JournalCode.NEWLINE_MISSING}


def next_step(
    check: JournalCheck,
    log: AuditLog | None,
    is_done: Callable[[int], bool],
    count_bugs: Callable[[], int | None],
) -> ResumeDecision:
    """Decide from a log that exists. `is_done` tells whether the files of a phase are complete.

    A torn last line is what a crash leaves, so it does not make the log invalid. Any other error does, except
    the missing `run_start` of a log that has only its `_index`.
    """
    errors = {fault.code for fault in check.violations if fault.severity == "error"} - _TORN
    if log is not None and check.events == 1 and errors <= _NOT_STARTED:
        return ResumeDecision(Action.FRESH, 1, "the log has its `_index` and nothing else")
    if log is None or errors:
        listed = ", ".join(sorted(errors)) or "it is no audit log"
        return ResumeDecision(Action.INVALID_LOG, None, f"the log cannot be relied on: {listed}")
    if log.aborted or log.status in ("aborted", "failed"):
        return ResumeDecision(Action.ABORTED, log.open or None, "the log says that the run was given up")
    return _go_on(log, is_done, count_bugs)


def _go_on(
    log: AuditLog, is_done: Callable[[int], bool], count_bugs: Callable[[], int | None]
) -> ResumeDecision:
    for phase in PHASES:
        step = _in_phase(phase, log, is_done)
        if step is not None:
            return step
    if log.bugs is not None and log.bugs != count_bugs():
        message = "BUGS.md has another number of bugs than phase 6 counted"
        return ResumeDecision(Action.RERUN_PHASE, PHASES[-1], message)
    if log.status:
        message = "all six phases have ended, and their files are complete"
        return ResumeDecision(Action.COMPLETE, None, message)
    message = "all six phases have ended, only the run's end is not recorded"
    return ResumeDecision(Action.APPEND_RUN_END, None, message)


def _in_phase(phase: int, log: AuditLog, is_done: Callable[[int], bool]) -> ResumeDecision | None:
    """Return what is left to do in this phase once the earlier ones are done, or None."""
    if phase not in log.ended and phase != log.open:
        return ResumeDecision(Action.START_PHASE, phase, f"phase {phase} is the next")
    if is_done(phase):
        reason = f"the files of phase {phase} are complete, only its end is not recorded"
        return ResumeDecision(Action.APPEND_PHASE_END, phase, reason) if phase == log.open else None
    if phase == log.open:
        return ResumeDecision(Action.RERUN_PHASE, phase, f"phase {phase} was left half-way")
    reason = f"the log says that phase {phase} has ended, and its files are not complete"
    return ResumeDecision(Action.RERUN_PHASE, phase, reason)
