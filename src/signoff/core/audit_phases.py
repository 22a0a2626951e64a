"""What must lie in `quality/` before a phase of a quality audit counts as done.

Pure: conditions over a small view of files; `signoff audit check` and `signoff audit next` bring the view.
The files outrank the log: a phase the log says has ended is done only if its conditions hold. Phases 3 and 5
ask less of an audit without bugs; a BUGS.md that is there and cannot be read is no audit without bugs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from signoff.core.audit_events import PHASES
from signoff.core.bug_headings import bug_headings
from signoff.core.violations import fault
from signoff.domain.violations import Severity, Violation

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


class PhaseFault(StrEnum):
    """How a phase's files can fall short."""

    MISSING = "artifact-missing"
    EMPTY = "artifact-empty"
    BLANK = "artifact-blank"
    UNREADABLE = "artifact-unreadable"
    TOO_SHORT = "artifact-too-short"
    NO_FINDINGS = "finding-section-missing"
    NO_TESTS = "functional-test-missing"
    NO_REVIEW = "review-missing"
    NO_PATCH = "regression-patch-missing"
    NO_TRIAGE = "triage-missing"
    NO_AUDITOR = "auditor-missing"
    ODD_NAMES = "audit-names-odd"
    BAD_HEADING = "bug-heading-invalid"
    NO_TERMINAL_GATE = "terminal-gate-missing"
    BUGS_DIFFER = "bugs-count-differs"


class Artifacts(Protocol):
    """The files of one repository, by their path from its root."""

    def exists(self, path: str) -> bool:
        """Say whether anything has this name."""
        ...

    def lines(self, path: str) -> Sequence[str] | None:
        """Give the lines of a file, without their ends; None for what cannot be read as one."""
        ...

    def files(self, folder: str) -> Sequence[str]:
        """Give the names of the files in a folder, hidden ones left out; none when it is not there."""
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
    """Give every condition of a phase that does not hold; warnings do not keep it from being done."""
    return tuple(_CONDITIONS[phase](artifacts))


def is_done(phase: int, artifacts: Artifacts) -> bool:
    """Say whether the files of a phase are complete."""
    return not any(unmet.is_error for unmet in check_phase(phase, artifacts))


def count_bugs(artifacts: Artifacts) -> int | None:
    """Count the bugs of BUGS.md; none when there is no such file, None when it cannot be read."""
    bugs = _bugs(artifacts)
    return None if bugs is None else len(bugs)


def compare_bugs(counted: int, artifacts: Artifacts) -> Iterator[Unmet]:
    """Hold what the end of phase 6 counted against BUGS.md; the file is right."""
    listed = count_bugs(artifacts)
    if listed is None:
        yield _unreadable(6, BUGS)
    elif listed != counted:
        message = f"{BUGS} lists {listed}, the end of phase 6 counted {counted}"
        yield _unmet(PhaseFault.BUGS_DIFFER, 6, BUGS, message, "run phase 6 again")


# --- the phases ---


def _explored(artifacts: Artifacts) -> Iterator[Unmet]:
    lines = artifacts.lines(EXPLORATION)
    if lines is None:
        yield _absent(1, EXPLORATION, artifacts)
        return
    if len(lines) < MIN_EXPLORATION_LINES:
        message = f"{EXPLORATION} has {len(lines)} lines, {MIN_EXPLORATION_LINES} at least"
        yield _unmet(PhaseFault.TOO_SHORT, 1, EXPLORATION, message, "explore further")
    if not any(_FINDING.match(line) for line in lines):
        message = f"{EXPLORATION} has no section of findings"
        fix = "head them `## Open Exploration Findings`, `## Finding …` or `## 1. …`"
        yield _unmet(PhaseFault.NO_FINDINGS, 1, EXPLORATION, message, fix)


def _generated(artifacts: Artifacts) -> Iterator[Unmet]:
    for name in GENERATED:
        yield from _filled(2, f"{FOLDER}/{name}", artifacts)
    tests = [name for name in artifacts.files(FOLDER) if _FUNCTIONAL_TEST.fullmatch(name)]
    if not any(_has_text(artifacts.lines(f"{FOLDER}/{name}")) for name in tests):
        message = f"there is no {FOLDER}/test_functional.<ext> with anything in it"
        yield _unmet(
            PhaseFault.NO_TESTS, 2, f"{FOLDER}/test_functional.*", message, "write the functional tests"
        )


def _reviewed(artifacts: Artifacts) -> Iterator[Unmet]:
    folder = f"{FOLDER}/code_reviews"
    yield from _some(3, folder, artifacts.files(folder), PhaseFault.NO_REVIEW, "review", artifacts)
    bugs = _bugs(artifacts)
    if bugs is None:
        yield _unreadable(3, BUGS)
    elif bugs:
        folder = f"{FOLDER}/patches"
        patches = [name for name in artifacts.files(folder) if _REGRESSION_PATCH.fullmatch(name)]
        what = "BUG-*-regression-test.patch"
        yield from _some(3, folder, patches, PhaseFault.NO_PATCH, what, artifacts)


def _audited(artifacts: Artifacts) -> Iterator[Unmet]:
    folder = f"{FOLDER}/spec_audits"
    names = artifacts.files(folder)
    triages = [name for name in names if _TRIAGE.fullmatch(name)]
    auditors = [name for name in names if _AUDITOR.fullmatch(name) and name not in triages]
    if not triages and not auditors and len(names) >= 2:
        message = f"{folder} has {len(names)} files, none named *-triage.md or *-auditor-*.md"
        fix = "name them so; the gate of phase 6 looks for these names"
        yield _unmet(PhaseFault.ODD_NAMES, 4, folder, message, fix, Severity.WARNING)
        return
    yield from _some(4, folder, triages, PhaseFault.NO_TRIAGE, "*-triage.md", artifacts)
    yield from _some(4, folder, auditors, PhaseFault.NO_AUDITOR, "*-auditor-*.md", artifacts)


def _reconciled(artifacts: Artifacts) -> Iterator[Unmet]:
    bugs = _bugs(artifacts)
    if bugs is None:
        yield _unreadable(5, BUGS)
        return
    if not bugs:
        return
    yield from _filled(5, TDD_RESULTS, artifacts)
    if "" in bugs:
        message = f"{BUGS} has a heading `### BUG-` without an id"
        yield _unmet(PhaseFault.BAD_HEADING, 5, BUGS, message, "give each bug an id, such as BUG-001")
    for bug in dict.fromkeys(filter(None, bugs)):
        yield from _there(5, f"{FOLDER}/writeups/{bug}.md", artifacts)
        yield from _there(5, f"{FOLDER}/results/{bug}.red.log", artifacts)


def _verified(artifacts: Artifacts) -> Iterator[Unmet]:
    yield from _filled(6, GATE_LOG, artifacts)
    lines = artifacts.lines(PROGRESS)
    if lines is None:
        yield _absent(6, PROGRESS, artifacts)
    elif not any(_TERMINAL_GATE.match(line) for line in lines):
        message = f"{PROGRESS} has no section `Terminal Gate Verification`"
        fix = "run the gate to its end and record it there"
        yield _unmet(PhaseFault.NO_TERMINAL_GATE, 6, PROGRESS, message, fix)


_CONDITIONS: Mapping[int, Callable[[Artifacts], Iterator[Unmet]]] = dict(
    zip(PHASES, (_explored, _generated, _reviewed, _audited, _reconciled, _verified), strict=True)
)


# --- what they are made of ---


def _bugs(artifacts: Artifacts) -> list[str] | None:
    """Give the bugs of BUGS.md, none without the file; None when it is there and cannot be read."""
    lines = artifacts.lines(BUGS)
    if lines is not None:
        return bug_headings(lines)
    return None if artifacts.exists(BUGS) else []


def _has_text(lines: Iterable[str] | None) -> bool:
    return lines is not None and any(line and not line.isspace() for line in lines)


def _filled(phase: int, path: str, artifacts: Artifacts) -> Iterator[Unmet]:
    """Want a file that is not empty; one of blanks alone is."""
    lines = artifacts.lines(path)
    if lines is None:
        yield _absent(phase, path, artifacts)
    elif not _has_text(lines):
        yield _unmet(PhaseFault.EMPTY, phase, path, f"{path} is empty", f"run phase {phase} again")


def _there(phase: int, path: str, artifacts: Artifacts) -> Iterator[Unmet]:
    """Want a file; one without content is odd, but it is there."""
    lines = artifacts.lines(path)
    if lines is None:
        yield _absent(phase, path, artifacts)
    elif not _has_text(lines):
        yield _blank(phase, path)


def _some(
    phase: int, folder: str, names: Sequence[str], code: PhaseFault, what: str, artifacts: Artifacts
) -> Iterator[Unmet]:
    """Want at least one of these files."""
    if not names:
        yield _unmet(code, phase, folder, f"{folder} has no {what}", f"run phase {phase} again")
    elif not any(_has_text(artifacts.lines(f"{folder}/{name}")) for name in names):
        yield _blank(phase, f"{folder}/{names[0]}")


def _blank(phase: int, path: str) -> Unmet:
    message = f"{path} is there and says nothing"
    return _unmet(PhaseFault.BLANK, phase, path, message, f"run phase {phase} again", Severity.WARNING)


def _absent(phase: int, path: str, artifacts: Artifacts) -> Unmet:
    if artifacts.exists(path):
        return _unreadable(phase, path)
    return _unmet(PhaseFault.MISSING, phase, path, f"{path} is missing", f"run phase {phase} again")


def _unreadable(phase: int, path: str) -> Unmet:
    message = f"{path} is there and cannot be read as a file of this repository"
    return _unmet(PhaseFault.UNREADABLE, phase, path, message, "make it a readable file")


def _unmet(
    code: PhaseFault,
    phase: int,
    file: str,
    message: str,
    fix: str,
    severity: Severity = Severity.ERROR,
) -> Unmet:
    return Unmet(file, fault(code, message, fix=fix, rule=phase, severity=severity))
