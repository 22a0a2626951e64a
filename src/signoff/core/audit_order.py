"""Judge the events of a quality-audit log: fields, phases in order, attempts, totals.

Pure; `journal_check` leads each record of an audit log past an `AuditJudge`, and `audit_resume` asks what it
has seen. Light to import: no typing, no msgspec. What it remembers does not grow with the log.

A phase may start again after an `error` that is recoverable, or as a numbered `attempt`; so a marker is
unique for its phase and attempt. A phase that is run again allows the later ones to be run again too.
"""

from collections import namedtuple
from collections.abc import Callable

from signoff.core.audit_events import CODE_ONLY, EVENTS, FULL_COUNTS, KEY_COUNTS, PASSES, PHASES
from signoff.core.journal_faults import Faults
from signoff.core.journal_fields import LARGEST_COUNT, check_fields, check_relative, check_schema_version
from signoff.core.journal_format import instant
from signoff.core.journal_rules import JournalCode

_LAST = PHASES[-1]


class AuditLog(namedtuple("AuditLog", ("open", "ended", "attempts", "status", "aborted", "bugs", "started"))):
    """What a log says of its run, as far as it goes."""

    __slots__ = ()
    open: int
    """The phase that has started and not ended; 0 when there is none."""
    ended: frozenset[int]
    attempts: tuple[tuple[int, int], ...]
    """How often each phase that started was started."""
    status: str
    """Of `run_end`; empty without one."""
    aborted: bool
    """Something was recorded after which nothing may follow but the end."""
    bugs: int | None
    """`bugs_md_count` of the end of phase 6, while that phase counts as ended."""
    started: bool
    """There is a `run_start`."""


class AuditJudge:
    """Holds one audit log against its format, a record at a time."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.open = 0
        self.failed = False
        self.started = False
        self.aborted = ""
        self.code_only = False
        self.status = ""
        self.bugs: int | None = None
        self.gate_verdict: object = None
        self.ended: set[int] = set()
        self.may_restart: set[int] = set()
        self.attempts: dict[int, int] = {}
        self.findings: dict[int, int] = {}
        self.patterns: set[int] = set()
        self.pattern_findings = 0
        self.passes_open: set[str] = set()
        self.passes_ended: set[str] = set()
        self._handlers: dict[str, Callable[[dict[str, object]], None]] = {
            "_index": self._see_index,
            "run_start": self._see_run_start,
            "phase_start": self._see_phase_start,
            "pattern_walked": self._see_pattern,
            "pass_started": self._see_pass_started,
            "pass_ended": self._see_pass_ended,
            "finding_logged": self._see_finding,
            "artifact_written": self._see_artifact,
            "phase_end": self._see_phase_end,
            "error": self._see_error,
            "documentation_state": self._see_documentation,
            "aborted_missing_docs": self._see_missing_docs,
            "run_end": self._see_run_end,
        }

    def see(self, event: str, record: dict[str, object]) -> None:
        """Judge one record."""
        fields = EVENTS.get(event)
        if fields is None:
            self.faults.add(
                JournalCode.EVENT_UNKNOWN, f"{event[:60]!r} is no event of an audit log", "/event"
            )
            return
        check_fields(record, fields, self.faults)
        handler = self._handlers.get(event)
        if handler is not None:
            handler(record)

    def log(self) -> AuditLog:
        """Give what the log says of its run."""
        attempts = tuple(sorted(self.attempts.items()))
        bugs = self.bugs if _LAST in self.ended else None
        return AuditLog(
            self.open, frozenset(self.ended), attempts, self.status, bool(self.aborted), bugs, self.started
        )

    # --- the run ---

    def _see_index(self, index: dict[str, object]) -> None:
        check_schema_version(index.get("schema_version"), self.faults)
        ts, started_at = index.get("ts"), index.get("started_at")
        if type(ts) is str and type(started_at) is str and instant(ts) != instant(started_at):
            message = f"`started_at` is {started_at!r:.60}, `ts` {ts!r:.60}"
            self.faults.add(JournalCode.STARTED_AT_DIFFERS, message, "/started_at")

    def _see_run_start(self, _: dict[str, object]) -> None:
        if self.started:
            self.faults.add(JournalCode.RUN_START_REPEATED, "`run_start` stands here again", "/event")
        self.started = True

    def _see_run_end(self, record: dict[str, object]) -> None:
        status = record.get("status")
        self.status = status if type(status) is str else "failed"
        if status == "success":
            missing = [str(phase) for phase in PHASES if phase not in self.ended]
            if self.aborted:
                self.faults.add(JournalCode.RUN_WAS_ABORTED, f"`success` after {self.aborted}", "/status")
            if missing:
                message = f"`success`, but these phases have not ended: {', '.join(missing)}"
                self.faults.add(JournalCode.PHASES_INCOMPLETE, message, "/status")
        logged, total = sum(self.findings.values()), record.get("total_findings")
        if logged and type(total) is int and total != logged:
            self._differ(f"`total_findings` is {total!r:.30}, findings logged {logged}", "/total_findings")
        verdict = record.get("final_verdict")
        if type(verdict) is str and _LAST in self.ended and self.gate_verdict not in (None, verdict):
            self._differ(
                f"`final_verdict` is {verdict!r:.60}, that of phase 6 {self.gate_verdict!r:.60}",
                "/final_verdict",
            )

    # --- the markers of a phase ---

    def _see_phase_start(self, record: dict[str, object]) -> None:
        phase = _phase(record)
        if not phase:
            return
        if self.aborted:
            self.faults.add(
                JournalCode.RUN_WAS_ABORTED, f"phase {phase} starts after {self.aborted}", "/event"
            )
        attempt, given = self.attempts.get(phase, 0) + 1, record.get("attempt")
        if type(given) is int and given != attempt:
            message = f"this is attempt {attempt} of phase {phase}, not {given!r:.30}"
            self.faults.add(JournalCode.ATTEMPT_WRONG, message, "/attempt")
        elif attempt > 1 and phase not in self.may_restart and given is None:
            message = f"phase {phase} starts again without a recoverable error"
            self.faults.add(JournalCode.PHASE_REPEATED, message, "/phase")
        elif attempt == 1 or self.open < phase:
            self._check_turn(phase)
        self._begin(phase, attempt)

    def _check_turn(self, phase: int) -> None:
        """Report what must have ended before this phase starts."""
        if self.open not in (0, phase):
            message = f"phase {phase} starts while phase {self.open} is open"
            self.faults.add(JournalCode.PHASE_ORDER, message, "/phase")
            return
        missing = [str(earlier) for earlier in range(1, phase) if earlier not in self.ended]
        if missing:
            message = f"phase {phase} starts before these have ended: {', '.join(missing)}"
            self.faults.add(JournalCode.PHASE_ORDER, message, "/phase")

    def _begin(self, phase: int, attempt: int) -> None:
        if attempt > 1:
            self.may_restart.update(later for later in self.ended if later > phase)
        if self.open not in (0, phase):
            self.may_restart.add(self.open)
        self.attempts[phase] = attempt
        self.may_restart.discard(phase)
        self.ended.discard(phase)
        self.open, self.failed = phase, False
        self.findings[phase] = 0
        if phase == 1:
            self.patterns.clear()
            self.pattern_findings = 0
        elif phase == 4:
            self.passes_open.clear()
            self.passes_ended.clear()

    def _see_phase_end(self, record: dict[str, object]) -> None:
        phase = _phase(record)
        if not phase:
            return
        self._check_end(phase, record.get("attempt"))
        produced = record.get("artifacts_produced")
        for number, path in enumerate(produced if type(produced) is list else ()):
            check_relative(path, self.faults, f"/artifacts_produced/{number}")
        counts = record.get("key_counts")
        if isinstance(counts, dict):
            check_fields(counts, KEY_COUNTS[phase], self.faults, "/key_counts")
            self._check_counts(phase, counts)
        self.ended.add(phase)
        if self.open == phase:
            self.open = 0

    def _check_end(self, phase: int, given: object) -> None:
        attempt = self.attempts.get(phase, 0)
        if self.aborted:
            self.faults.add(JournalCode.RUN_WAS_ABORTED, f"phase {phase} ends after {self.aborted}", "/event")
        if self.open != phase:
            if phase in self.ended:
                self.faults.add(JournalCode.PHASE_REPEATED, f"phase {phase} ends a second time", "/phase")
            else:
                self.faults.add(JournalCode.PHASE_NOT_OPEN, f"phase {phase} ends and is not open", "/phase")
        elif type(given) is int and given != attempt:
            message = f"attempt {attempt} of phase {phase} is open, not {given!r:.30}"
            self.faults.add(JournalCode.ATTEMPT_WRONG, message, "/attempt")
        elif self.failed:
            message = f"phase {phase} ends after a recoverable error, without a new attempt"
            self.faults.add(JournalCode.PHASE_NOT_RETRIED, message, "/phase")
        if phase == 4 and self.open == phase and self.passes_open:
            message = f"these passes have not ended: {', '.join(sorted(self.passes_open))}"
            self.faults.add(JournalCode.PASS_ORDER, message)

    def _check_counts(self, phase: int, counts: dict[str, object]) -> None:
        for where, name, full in FULL_COUNTS:
            count = counts.get(name)
            if phase == where and type(count) is int and count != full:
                message = f"`{name}` is {count!r:.30}; a full phase {phase} has {full}"
                self.faults.add(JournalCode.COUNT_INCOMPLETE, message, f"/key_counts/{name}")
        if phase == 1 and self.patterns:
            self._compare(counts, "patterns_walked", len(self.patterns))
            total = counts.get("findings_total")
            if type(total) is int and total < self.pattern_findings:
                message = (
                    f"`findings_total` is {total!r:.30}, the patterns found {self.pattern_findings!r:.30}"
                )
                self._differ(message, "/key_counts/findings_total")
        elif phase == 4 and self.passes_ended:
            self._compare(counts, "passes_complete", len(self.passes_ended))
        elif phase == 5:
            total, failures = counts.get("gate_checks_total"), counts.get("gate_failures")
            if type(total) is int and type(failures) is int and failures > total:
                self._differ("there are more gate failures than gate checks", "/key_counts/gate_failures")
        elif phase == _LAST:
            bugs = counts.get("bugs_md_count")
            self.bugs = bugs if type(bugs) is int else None
            self.gate_verdict = counts.get("gate_verdict")

    def _compare(self, counts: dict[str, object], name: str, seen: int) -> None:
        count = counts.get(name)
        if type(count) is int and count != seen:
            self._differ(f"`{name}` is {count!r:.30}, recorded were {seen}", f"/key_counts/{name}")

    def _differ(self, message: str, path: str) -> None:
        self.faults.add(JournalCode.COUNTS_DIFFER, message, path)

    # --- what happens within a phase ---

    def _is_within(self, phase: int, what: str) -> bool:
        if self.open == phase:
            return True
        now = f"phase {self.open} is open" if self.open else "no phase is open"
        message = f"{what} belongs to phase {phase}, and {now}"
        self.faults.add(JournalCode.OUTSIDE_PHASE, message, "/phase")
        return False

    def _see_pattern(self, record: dict[str, object]) -> None:
        if not self._is_within(1, "`pattern_walked`"):
            return
        pattern, found = record.get("pattern"), record.get("findings_count")
        if type(pattern) is int and 1 <= pattern <= 7:
            if pattern in self.patterns:
                message = f"pattern {pattern} was walked before"
                self.faults.add(JournalCode.PATTERN_REPEATED, message, "/pattern")
            self.patterns.add(pattern)
        if type(found) is int and 0 <= found <= LARGEST_COUNT:
            self.pattern_findings += found

    def _see_pass_started(self, record: dict[str, object]) -> None:
        name = record.get("pass")
        if not self._is_within(4, "`pass_started`") or type(name) is not str or name not in PASSES:
            return
        if name in self.passes_open or name in self.passes_ended:
            self.faults.add(JournalCode.PASS_ORDER, f"pass {name} starts a second time", "/pass")
        self.passes_open.add(name)

    def _see_pass_ended(self, record: dict[str, object]) -> None:
        check_relative(record.get("output_artifact"), self.faults, "/output_artifact")
        name = record.get("pass")
        if not self._is_within(4, "`pass_ended`") or type(name) is not str or name not in PASSES:
            return
        if name not in self.passes_open:
            self.faults.add(JournalCode.PASS_ORDER, f"pass {name} ends and is not open", "/pass")
        self.passes_open.discard(name)
        self.passes_ended.add(name)

    def _see_finding(self, record: dict[str, object]) -> None:
        phase = _phase(record)
        if phase and self._is_within(phase, "a finding"):
            self.findings[phase] += 1

    def _see_artifact(self, record: dict[str, object]) -> None:
        check_relative(record.get("relative_path"), self.faults, "/relative_path")

    def _see_error(self, record: dict[str, object]) -> None:
        recoverable, phase = record.get("recoverable"), _phase(record)
        if phase and phase not in self.attempts:
            message = f"phase {phase} has an error and has not started"
            self.faults.add(JournalCode.ERROR_BEFORE_PHASE, message, "/phase")
        if recoverable is False:
            self.aborted = self.aborted or "an error that is not recoverable"
        elif recoverable is True:
            self.may_restart.add(phase or self.open)
            self.failed = self.failed or bool(phase and phase == self.open)

    # --- documentation ---

    def _see_documentation(self, record: dict[str, object]) -> None:
        if self.open > 1 or (not self.open and self.ended):
            message = "the state of documentation belongs to the entry of phase 1"
            self.faults.add(JournalCode.OUTSIDE_PHASE, message, "/event")
        if record.get("state") == CODE_ONLY:
            self.code_only = True
            self._check_documentation()

    def _see_missing_docs(self, _: dict[str, object]) -> None:
        if self.attempts:
            message = "aborted for want of documentation after a phase had started"
            self.faults.add(JournalCode.RUN_WAS_ABORTED, message, "/event")
        self.aborted = "`aborted_missing_docs`"
        self._check_documentation()

    def _check_documentation(self) -> None:
        if self.code_only and self.aborted == "`aborted_missing_docs`":
            message = "`code_only` and `aborted_missing_docs` in one run"
            self.faults.add(JournalCode.DOCUMENTATION_CONTRADICTS, message, "/event")


def _phase(record: dict[str, object]) -> int:
    phase = record.get("phase")
    return phase if type(phase) is int and phase in PHASES else 0
