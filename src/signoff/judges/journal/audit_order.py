"""Check the order of a quality-audit log: phases, attempts, passes, totals.

Pure; `journal_check` passes each record of an audit log to an `AuditJudge`, and `audit_resume` asks what it
has seen. Light to import: no typing, no msgspec. Its memory does not grow with the log.

A phase may start again after an `error` that is recoverable, or as a numbered `attempt`; so a marker is
unique for its phase and attempt. A phase that is run again allows the later ones to be run again too.
"""

from collections import namedtuple
from collections.abc import Iterator

from signoff.engine.journal_format import instant
from signoff.judges.journal.audit_events import (
    CODE_ONLY,
    EVENTS,
    FULL_COUNTS,
    KEY_COUNTS,
    PASSES,
    PATTERNS,
    PHASES,
)
from signoff.judges.journal.journal_fields import (
    LARGEST_COUNT,
    Found,
    Judge,
    Record,
    check_fields,
    check_relative,
    check_schema_version,
)
from signoff.judges.journal.journal_rules import Faults
from signoff.judges.journal.journal_rules import JournalCode as Code

_LAST = PHASES[-1]
_MISSING_DOCS = "`aborted_missing_docs`"


class AuditLog(namedtuple("AuditLog", ("open", "ended", "attempts", "status", "aborted", "bugs", "started"))):
    """The facts that a log records about its run so far."""

    __slots__ = ()
    open: int
    """The phase that has started and not ended, or 0."""
    ended: frozenset[int]
    attempts: tuple[tuple[int, int], ...]
    """How often each phase that started was started."""
    status: str
    """Of `run_end`, empty without one."""
    aborted: bool
    """Something was recorded after which only the end may follow."""
    bugs: int | None
    """`bugs_md_count` of the end of phase 6, while that phase counts as ended."""
    started: bool
    """There is a `run_start`."""


class AuditJudge(Judge):
    """Check one audit log against its format, a record at a time."""

    def __init__(self, faults: Faults) -> None:
        self.open = 0
        self.failed = False
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
        checks = {
            "_index": self._index,
            "run_start": self.start,
            "phase_start": self._phase_start,
            "pattern_walked": self._pattern_walked,
            "pass_started": self._pass_started,
            "pass_ended": self._pass_ended,
            "finding_logged": self._finding_logged,
            "artifact_written": lambda record: check_relative(record.get("relative_path"), "/relative_path"),
            "phase_end": self._phase_end,
            "error": self._error,
            "documentation_state": self._documentation_state,
            "aborted_missing_docs": self._aborted_missing_docs,
            "run_end": self._run_end,
        }
        super().__init__(faults, "an audit", EVENTS, checks)

    def log(self) -> AuditLog:
        """Return what the log records about its run."""
        return AuditLog(
            open=self.open,
            ended=frozenset(self.ended),
            attempts=tuple(sorted(self.attempts.items())),
            status=self.status,
            aborted=bool(self.aborted),
            bugs=self.bugs if _LAST in self.ended else None,
            started=self.started,
        )

    # --- the run ---

    def _index(self, index: Record) -> Iterator[Found]:
        yield from check_schema_version(index.get("schema_version"))
        ts, started_at = index.get("ts"), index.get("started_at")
        if type(ts) is str and type(started_at) is str and instant(ts) != instant(started_at):
            message = f"`started_at` is {started_at!r:.60}, `ts` {ts!r:.60}"
            yield Code.STARTED_AT_DIFFERS, message, "/started_at"

    def _run_end(self, record: Record) -> Iterator[Found]:
        """Compare the end with what was recorded: phases, findings, and the verdict of phase 6.

        Each comparison is made only where the field has the right type: other rules report the wrong ones.
        A status that is no text counts as `failed`, which demands nothing more here.
        """
        status = record.get("status")
        self.status = status if type(status) is str else "failed"
        if status == "success":
            if self.aborted:
                yield Code.RUN_WAS_ABORTED, f"`success` after {self.aborted}", "/status"
            if missing := _listed(phase for phase in PHASES if phase not in self.ended):
                message = f"`success`, but these phases have not ended: {missing}"
                yield Code.PHASES_INCOMPLETE, message, "/status"
        logged, total = sum(self.findings.values()), record.get("total_findings")
        if logged and type(total) is int and total != logged:
            message = f"`total_findings` is {total!r:.30}, findings logged {logged}"
            yield Code.COUNTS_DIFFER, message, "/total_findings"
        verdict = record.get("final_verdict")
        if type(verdict) is str and _LAST in self.ended and self.gate_verdict not in (None, verdict):
            message = f"`final_verdict` is {verdict!r:.60}, that of phase 6 {self.gate_verdict!r:.60}"
            yield Code.COUNTS_DIFFER, message, "/final_verdict"

    # --- the markers of a phase ---

    def _phase_start(self, record: Record) -> Iterator[Found]:
        """Check that a phase may start: in turn, after a recoverable error, or as a numbered attempt.

        A number, if given, must be that of the next attempt, and a repeat without one needs a recoverable
        error before it. A first attempt must keep the order of phases, and so must a repeat, unless that
        phase or a later one is open.
        """
        phase = _phase_of(record)
        if not phase:
            return
        if self.aborted:
            yield Code.RUN_WAS_ABORTED, f"phase {phase} starts after {self.aborted}", "/event"
        attempt, given = self.attempts.get(phase, 0) + 1, record.get("attempt")
        if type(given) is int and given != attempt:
            message = f"this is attempt {attempt} of phase {phase}, not {given!r:.30}"
            yield Code.ATTEMPT_WRONG, message, "/attempt"
        elif attempt > 1 and phase not in self.may_restart and given is None:
            yield Code.PHASE_REPEATED, f"phase {phase} starts again without a recoverable error", "/phase"
        elif attempt == 1 or self.open < phase:
            missing = _listed(earlier for earlier in range(1, phase) if earlier not in self.ended)
            if self.open not in (0, phase):
                yield Code.PHASE_ORDER, f"phase {phase} starts while phase {self.open} is open", "/phase"
            elif missing:
                yield Code.PHASE_ORDER, f"phase {phase} starts before these have ended: {missing}", "/phase"
        self._begin(phase, attempt)

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

    def _phase_end(self, record: Record) -> Iterator[Found]:
        phase = _phase_of(record)
        if not phase:
            return
        yield from self._check_end(phase, record.get("attempt"))
        produced = record.get("artifacts_produced")
        for number, path in enumerate(produced if type(produced) is list else ()):
            yield from check_relative(path, f"/artifacts_produced/{number}")
        counts = record.get("key_counts")
        if isinstance(counts, dict):
            yield from check_fields(counts, KEY_COUNTS[phase], "/key_counts")
            yield from self._check_counts(phase, counts)
        self.ended.add(phase)
        if self.open == phase:
            self.open = 0

    def _check_end(self, phase: int, given: object) -> Iterator[Found]:
        attempt = self.attempts.get(phase, 0)
        if self.aborted:
            yield Code.RUN_WAS_ABORTED, f"phase {phase} ends after {self.aborted}", "/event"
        if self.open != phase and phase in self.ended:
            yield Code.PHASE_REPEATED, f"phase {phase} ends a second time", "/phase"
        elif self.open != phase:
            yield Code.PHASE_NOT_OPEN, f"phase {phase} ends and is not open", "/phase"
        elif type(given) is int and given != attempt:
            message = f"attempt {attempt} of phase {phase} is open, not {given!r:.30}"
            yield Code.ATTEMPT_WRONG, message, "/attempt"
        elif self.failed:
            message = f"phase {phase} ends after a recoverable error, without a new attempt"
            yield Code.PHASE_NOT_RETRIED, message, "/phase"
        if phase == self.open == 4 and self.passes_open:
            yield Code.PASS_ORDER, f"these passes have not ended: {_listed(sorted(self.passes_open))}", ""

    def _check_counts(self, phase: int, counts: Record) -> Iterator[Found]:
        """Compare the counts of a phase's end with each other and with the events of the phase.

        Events that count are optional, so a total is only compared once the phase has recorded one.
        """
        name, full = FULL_COUNTS.get(phase, ("", 0))
        count = counts.get(name)
        if type(count) is int:
            recorded = len(self.patterns if phase == 1 else self.passes_ended)
            if count != full:
                message = f"`{name}` is {count!r:.30}; a full phase {phase} has {full}"
                yield Code.COUNT_INCOMPLETE, message, f"/key_counts/{name}"
            if recorded and count != recorded:
                message = f"`{name}` is {count!r:.30}, recorded were {recorded}"
                yield Code.COUNTS_DIFFER, message, f"/key_counts/{name}"
        total, failures = counts.get("findings_total"), counts.get("gate_failures")
        if phase == 1 and self.patterns and type(total) is int and total < self.pattern_findings:
            message = f"`findings_total` is {total!r:.30}, the patterns found {self.pattern_findings!r:.30}"
            yield Code.COUNTS_DIFFER, message, "/key_counts/findings_total"
        elif phase == 5:
            checks = counts.get("gate_checks_total")
            if type(checks) is int and type(failures) is int and failures > checks:
                message = "there are more gate failures than gate checks"
                yield Code.COUNTS_DIFFER, message, "/key_counts/gate_failures"
        elif phase == _LAST:
            bugs = counts.get("bugs_md_count")
            self.bugs = bugs if type(bugs) is int else None
            self.gate_verdict = counts.get("gate_verdict")

    # --- what happens within a phase ---

    def _check_within(self, phase: int, what: str) -> Iterator[Found]:
        if self.open != phase:
            now = f"phase {self.open} is open" if self.open else "no phase is open"
            yield Code.OUTSIDE_PHASE, f"{what} belongs to phase {phase}, and {now}", "/phase"

    def _pattern_walked(self, record: Record) -> Iterator[Found]:
        yield from self._check_within(1, "`pattern_walked`")
        if self.open != 1:
            return
        pattern, found = record.get("pattern"), record.get("findings_count")
        if type(pattern) is int and 1 <= pattern <= PATTERNS:
            if pattern in self.patterns:
                yield Code.PATTERN_REPEATED, f"pattern {pattern} was walked before", "/pattern"
            self.patterns.add(pattern)
        if type(found) is int and 0 <= found <= LARGEST_COUNT:
            self.pattern_findings += found

    def _pass_started(self, record: Record) -> Iterator[Found]:
        yield from self._check_within(4, "`pass_started`")
        name = record.get("pass")
        if self.open != 4 or type(name) is not str or name not in PASSES:
            return
        if name in self.passes_open or name in self.passes_ended:
            yield Code.PASS_ORDER, f"pass {name} starts a second time", "/pass"
        self.passes_open.add(name)

    def _pass_ended(self, record: Record) -> Iterator[Found]:
        yield from check_relative(record.get("output_artifact"), "/output_artifact")
        yield from self._check_within(4, "`pass_ended`")
        name = record.get("pass")
        if self.open != 4 or type(name) is not str or name not in PASSES:
            return
        if name not in self.passes_open:
            yield Code.PASS_ORDER, f"pass {name} ends and is not open", "/pass"
        self.passes_open.discard(name)
        self.passes_ended.add(name)

    def _finding_logged(self, record: Record) -> Iterator[Found]:
        if phase := _phase_of(record):
            yield from self._check_within(phase, "a finding")
            if self.open == phase:
                self.findings[phase] += 1

    def _error(self, record: Record) -> Iterator[Found]:
        recoverable, phase = record.get("recoverable"), _phase_of(record)
        if phase and phase not in self.attempts:
            message = f"phase {phase} has an error and has not started"
            yield Code.ERROR_BEFORE_PHASE, message, "/phase"
        if recoverable is False:
            self.aborted = self.aborted or "an error that is not recoverable"
        elif recoverable is True:
            self.may_restart.add(phase or self.open)
            self.failed = self.failed or bool(phase and phase == self.open)

    # --- documentation ---

    def _documentation_state(self, record: Record) -> Iterator[Found]:
        if self.open > 1 or (not self.open and self.ended):
            message = "the state of documentation belongs to the entry of phase 1"
            yield Code.OUTSIDE_PHASE, message, "/event"
        if record.get("state") == CODE_ONLY:
            self.code_only = True
            yield from self._check_documentation()

    def _aborted_missing_docs(self, _: Record) -> Iterator[Found]:
        if self.attempts:
            message = "aborted because documentation is missing, after a phase had started"
            yield Code.RUN_WAS_ABORTED, message, "/event"
        self.aborted = _MISSING_DOCS
        yield from self._check_documentation()

    def _check_documentation(self) -> Iterator[Found]:
        if self.code_only and self.aborted == _MISSING_DOCS:
            yield Code.DOCUMENTATION_CONTRADICTS, f"`{CODE_ONLY}` and {_MISSING_DOCS} in one run", "/event"


def _phase_of(record: Record) -> int:
    phase = record.get("phase")
    return phase if type(phase) is int and phase in PHASES else 0


def _listed(names: Iterator[object] | list[str]) -> str:
    return ", ".join(map(str, names))
