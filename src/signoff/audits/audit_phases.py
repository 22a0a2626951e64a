"""The files that must be in `quality/` before a phase of a quality audit counts as done.

Pure: conditions over a small view of files, which `signoff audit check` and `signoff audit next` provide.
The files outrank the log: a phase that has ended by the log is done only if its conditions hold. Phases 3 and
5 require less of an audit without bugs; a BUGS.md that exists and cannot be read does not count as one.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from signoff.audits.bug_headings import bug_headings
from signoff.domain.base.violations import Severity, Violation
from signoff.judges.journal.audit_events import PHASES
from signoff.text.json.violation_list import CodedRule, fault

FOLDER: Final = "quality"
LOG: Final = f"{FOLDER}/run_state.jsonl"
BUGS: Final = f"{FOLDER}/BUGS.md"
EXPLORATION: Final = f"{FOLDER}/EXPLORATION.md"
PROGRESS: Final = f"{FOLDER}/PROGRESS.md"
GATE_LOG: Final = f"{FOLDER}/results/quality-gate.log"
TDD_RESULTS: Final = f"{FOLDER}/results/tdd-results.json"

MIN_EXPLORATION_LINES: Final = 120
GENERATED: Final = (
    "REQUIREMENTS.md",
    "QUALITY.md",
    "CONTRACTS.md",
    "COVERAGE_MATRIX.md",
    "COMPLETENESS_REPORT.md",
    "RUN_CODE_REVIEW.md",
    "RUN_INTEGRATION_TESTS.md",
    "RUN_SPEC_AUDIT.md",
    "RUN_TDD_TESTS.md",
)
"""What phase 2 writes, beside the functional tests."""

# Each is matched against one line or one name, so that no text can make it slow.
_FINDING = re.compile(r"##\s+(?:Finding|Open Exploration Findings|\d+\.)")
_TERMINAL_GATE = re.compile(r"#{1,6}\s[^\n]*\bTerminal Gate Verification\b")
_FUNCTIONAL_TEST = re.compile(r"test_functional\.[^.].*", re.DOTALL)
_REGRESSION_PATCH = re.compile(r"BUG-.*-regression-test\.patch", re.DOTALL)
_TRIAGE = re.compile(r".*-triage\.md", re.DOTALL)
_AUDITOR = re.compile(r".*-auditor-.*\.md", re.DOTALL)

_AGAIN: Final = "run phase {phase} again"


class PhaseFault(CodedRule):
    """How the files of a phase can be incomplete. `{phase}` in a fix is its number."""

    MISSING = "artifact-missing", _AGAIN
    EMPTY = "artifact-empty", _AGAIN
    BLANK = "artifact-blank", _AGAIN, Severity.WARNING
    UNREADABLE = "artifact-unreadable", "make it a readable file"
    TOO_SHORT = "artifact-too-short", "explore further"
    NO_FINDINGS = (
        "finding-section-missing",
        "add a heading `## Open Exploration Findings`, `## Finding …` or `## 1. …`",
    )
    NO_TESTS = "functional-test-missing", "write the functional tests"
    NO_REVIEW = "review-missing", _AGAIN
    NO_PATCH = "regression-patch-missing", _AGAIN
    NO_TRIAGE = "triage-missing", _AGAIN
    NO_AUDITOR = "auditor-missing", _AGAIN
    ODD_NAMES = (
        "audit-names-odd",
        "rename them; the gate of phase 6 looks for these names",
        Severity.WARNING,
    )
    BAD_HEADING = "bug-heading-invalid", "give each bug an id, such as BUG-001"
    NO_TERMINAL_GATE = "terminal-gate-missing", "run the gate to its end and record it there"
    BUGS_DIFFER = "bugs-count-differs", _AGAIN


class Artifacts(Protocol):
    """The files of one repository, by their path from its root."""

    def exists(self, path: str) -> bool:
        """Check whether anything has this name."""
        ...

    def lines(self, path: str) -> Sequence[str] | None:
        """Return the lines of a file, without their ends, or None if it cannot be read as one."""
        ...

    def files(self, folder: str) -> Sequence[str]:
        """Return the names of the files in a folder without hidden ones, empty if there is no folder."""
        ...


class Unmet(NamedTuple):
    """A condition that does not hold, and the file it is about."""

    file: str
    violation: Violation

    @property
    def is_error(self) -> bool:
        """Whether the phase is not done for it."""
        return self.violation.severity is Severity.ERROR


def check_phase(phase: int, artifacts: Artifacts) -> tuple[Unmet, ...]:
    """Return every condition of a phase that does not hold. Warnings do not keep it from being done."""
    return tuple(_unmet(phase, *found) for found in _CONDITIONS[phase](artifacts))


def is_done(phase: int, artifacts: Artifacts) -> bool:
    """Check whether the files of a phase are complete."""
    return not any(unmet.is_error for unmet in check_phase(phase, artifacts))


def count_bugs(artifacts: Artifacts) -> int | None:
    """Count the bugs of BUGS.md: 0 when there is no such file, None when it cannot be read."""
    bugs = _bugs(artifacts)
    return None if bugs is None else len(bugs)


def compare_bugs(counted: int, artifacts: Artifacts) -> Iterator[Unmet]:
    """Compare what the end of phase 6 counted with BUGS.md. The file is right."""
    listed = count_bugs(artifacts)
    if listed is None:
        yield _unmet(6, *_unreadable(BUGS))
    elif listed != counted:
        message = f"{BUGS} lists {listed}, the end of phase 6 counted {counted}"
        yield _unmet(6, PhaseFault.BUGS_DIFFER, BUGS, message)


def _unmet(phase: int, code: PhaseFault, file: str, message: str) -> Unmet:
    fix = code.fix.format(phase=phase)
    return Unmet(file, fault(code, message, fix=fix, rule=phase, severity=code.severity))


# --- the phases ---

_Found = tuple[PhaseFault, str, str]
"""Code, file, message."""


def _explored(artifacts: Artifacts) -> Iterator[_Found]:
    lines = artifacts.lines(EXPLORATION)
    if lines is None:
        yield _absent(EXPLORATION, artifacts)
        return
    if len(lines) < MIN_EXPLORATION_LINES:
        message = f"{EXPLORATION} has {len(lines)} lines, {MIN_EXPLORATION_LINES} at least"
        yield PhaseFault.TOO_SHORT, EXPLORATION, message
    if not any(_FINDING.match(line) for line in lines):
        yield PhaseFault.NO_FINDINGS, EXPLORATION, f"{EXPLORATION} has no section of findings"


def _generated(artifacts: Artifacts) -> Iterator[_Found]:
    for name in GENERATED:
        yield from _filled(f"{FOLDER}/{name}", artifacts)
    tests = [name for name in artifacts.files(FOLDER) if _FUNCTIONAL_TEST.fullmatch(name)]
    if not any(_has_text(artifacts.lines(f"{FOLDER}/{name}")) for name in tests):
        message = f"there is no {FOLDER}/test_functional.<ext> with any content"
        yield PhaseFault.NO_TESTS, f"{FOLDER}/test_functional.*", message


def _reviewed(artifacts: Artifacts) -> Iterator[_Found]:
    folder = f"{FOLDER}/code_reviews"
    yield from _some(folder, artifacts.files(folder), PhaseFault.NO_REVIEW, "review", artifacts)
    bugs = _bugs(artifacts)
    if bugs is None:
        yield _unreadable(BUGS)
    elif bugs:
        folder = f"{FOLDER}/patches"
        patches = [name for name in artifacts.files(folder) if _REGRESSION_PATCH.fullmatch(name)]
        yield from _some(folder, patches, PhaseFault.NO_PATCH, "BUG-*-regression-test.patch", artifacts)


def _audited(artifacts: Artifacts) -> Iterator[_Found]:
    folder = f"{FOLDER}/spec_audits"
    names = artifacts.files(folder)
    triages = [name for name in names if _TRIAGE.fullmatch(name)]
    auditors = [name for name in names if _AUDITOR.fullmatch(name) and name not in triages]
    if not triages and not auditors and len(names) >= 2:
        message = f"{folder} has {len(names)} files, none named *-triage.md or *-auditor-*.md"
        yield PhaseFault.ODD_NAMES, folder, message
        return
    yield from _some(folder, triages, PhaseFault.NO_TRIAGE, "*-triage.md", artifacts)
    yield from _some(folder, auditors, PhaseFault.NO_AUDITOR, "*-auditor-*.md", artifacts)


def _reconciled(artifacts: Artifacts) -> Iterator[_Found]:
    bugs = _bugs(artifacts)
    if bugs is None:
        yield _unreadable(BUGS)
        return
    if not bugs:
        return
    yield from _filled(TDD_RESULTS, artifacts)
    if "" in bugs:
        yield PhaseFault.BAD_HEADING, BUGS, f"{BUGS} has a heading `### BUG-` without an id"
    for bug in dict.fromkeys(filter(None, bugs)):
        for path in (f"{FOLDER}/writeups/{bug}.md", f"{FOLDER}/results/{bug}.red.log"):
            lines = artifacts.lines(path)
            if lines is None:
                yield _absent(path, artifacts)
            elif not _has_text(lines):
                yield _blank(path)


def _verified(artifacts: Artifacts) -> Iterator[_Found]:
    yield from _filled(GATE_LOG, artifacts)
    lines = artifacts.lines(PROGRESS)
    if lines is None:
        yield _absent(PROGRESS, artifacts)
    elif not any(_TERMINAL_GATE.match(line) for line in lines):
        message = f"{PROGRESS} has no section `Terminal Gate Verification`"
        yield PhaseFault.NO_TERMINAL_GATE, PROGRESS, message


_CONDITIONS: Mapping[int, Callable[[Artifacts], Iterator[_Found]]] = dict(
    zip(PHASES, (_explored, _generated, _reviewed, _audited, _reconciled, _verified), strict=True)
)


# --- single files ---


def _bugs(artifacts: Artifacts) -> list[str] | None:
    """Return the bugs of BUGS.md, an empty list without the file, and None when it cannot be read."""
    lines = artifacts.lines(BUGS)
    if lines is not None:
        return bug_headings(lines)
    return None if artifacts.exists(BUGS) else []


def _has_text(lines: Iterable[str] | None) -> bool:
    return lines is not None and any(line and not line.isspace() for line in lines)


def _filled(path: str, artifacts: Artifacts) -> Iterator[_Found]:
    """Require a file that is neither empty nor blank."""
    lines = artifacts.lines(path)
    if lines is None:
        yield _absent(path, artifacts)
    elif not _has_text(lines):
        yield PhaseFault.EMPTY, path, f"{path} is empty"


def _some(
    folder: str, names: Sequence[str], code: PhaseFault, what: str, artifacts: Artifacts
) -> Iterator[_Found]:
    """Require at least one of these files."""
    if not names:
        yield code, folder, f"{folder} has no {what}"
    elif not any(_has_text(artifacts.lines(f"{folder}/{name}")) for name in names):
        yield _blank(f"{folder}/{names[0]}")


def _blank(path: str) -> _Found:
    return PhaseFault.BLANK, path, f"{path} has no content"


def _absent(path: str, artifacts: Artifacts) -> _Found:
    if artifacts.exists(path):
        return _unreadable(path)
    return PhaseFault.MISSING, path, f"{path} is missing"


def _unreadable(path: str) -> _Found:
    return PhaseFault.UNREADABLE, path, f"{path} exists and cannot be read as a file of this repository"
