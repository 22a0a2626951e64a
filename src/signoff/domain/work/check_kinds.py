"""Every question that is asked about the kind of a check.

Pure. Each function is one `match` over the kinds that ends in `assert_never`, so mypy names every answer
that a new kind still lacks. No other module asks `isinstance` of a check. Running one is a `match` of the
same form in `checks.registry`.
"""

from enum import StrEnum
from typing import NamedTuple, assert_never

from signoff.domain.work.checks import (
    Behavioral,
    Check,
    CommandExit,
    ContractCheck,
    DeclaredScope,
    DiffPredicate,
    Evidence,
    FileExists,
    GrepMatch,
    ProtectedPaths,
    RedGreen,
    RunGate,
    RunTests,
    SecretScan,
    SomethingChanged,
    TestIntegrity,
)

# --- what a planner wrote in it ---


class PathRole(StrEnum):
    """What a path in a check stands for, which decides the rule that judges it."""

    FILE = "file"
    """A file or a glob that the check looks at."""
    TESTS = "tests"
    """The file part of a selected test."""
    FOLDER = "folder"
    """Where a program is started. The root itself is allowed."""
    EVIDENCE = "evidence"
    """A file whose lines may be cited."""


class PathIn(NamedTuple):
    """A path of a check, and the JSON pointer of its field below the check."""

    text: str
    field: str
    role: PathRole


class PatternIn(NamedTuple):
    """A regular expression of a check, and the JSON pointer of its field below the check."""

    text: str
    field: str
    is_of_evidence: bool = False


def describe(check: ContractCheck) -> str:
    """Return in a few words what a check shows: the text of its clause."""
    match check:
        case FileExists():
            return f"{check.path} exists" + (
                f" and holds {check.must_contain!r}" if check.must_contain else ""
            )
        case GrepMatch():
            return f"/{check.pattern}/ is {check.expect} in {check.path}"
        case CommandExit():
            return f"`{' '.join((check.command, *check.args))}` exits with {check.expected_exit}"
        case RunTests():
            return f"tests pass: {', '.join(check.select) or 'all of them'}"
        case Behavioral():
            return check.description
        case _:
            assert_never(check)


def paths_of(check: ContractCheck) -> tuple[PathIn, ...]:
    """Return every path and glob a check names. The rules about paths see these and no others."""
    match check:
        case FileExists() | GrepMatch():
            return (PathIn(check.path, "path", PathRole.FILE),)
        case CommandExit():
            return (PathIn(check.cwd, "cwd", PathRole.FOLDER),)
        case RunTests():
            # A test id is `path::name`, and a parametrised name may hold anything.
            files = [test.partition("::")[0] for test in check.select]
            return tuple(PathIn(file, f"select/{n}", PathRole.TESTS) for n, file in enumerate(files))
        case Behavioral():
            return tuple(
                PathIn(item.path, f"evidence_required/{n}/path", PathRole.EVIDENCE)
                for n, item in enumerate(check.evidence_required)
            )
        case _:
            assert_never(check)


def patterns_of(check: ContractCheck) -> tuple[PatternIn, ...]:
    """Return every regular expression in a check. The rules about patterns see these and no others."""
    match check:
        case GrepMatch():
            return (PatternIn(check.pattern, "pattern"),)
        case CommandExit(expect_stdout_match=str(pattern)):
            return (PatternIn(pattern, "expect_stdout_match"),)
        case Behavioral():
            return tuple(
                PatternIn(item.matcher, f"evidence_required/{n}/matcher", is_of_evidence=True)
                for n, item in enumerate(check.evidence_required)
                if item.matcher is not None
            )
        case FileExists() | CommandExit() | RunTests():
            return ()
        case _:
            assert_never(check)


def evidence_of(check: ContractCheck) -> tuple[Evidence, ...]:
    """Return what must be cited for a check, in the order of its field `evidence_required`."""
    match check:
        case Behavioral():
            return check.evidence_required
        case FileExists() | GrepMatch() | CommandExit() | RunTests():
            return ()
        case _:
            assert_never(check)


def prose_of(check: ContractCheck) -> str | None:
    """Return the `description` a planner wrote, or None for a kind that has no such field."""
    match check:
        case Behavioral():
            return check.description
        case FileExists() | GrepMatch() | CommandExit() | RunTests():
            return None
        case _:
            assert_never(check)


def command_of(check: Check) -> CommandExit | None:
    """Return a check that runs a program of the planner's choice, or None for every other kind."""
    match check:
        case CommandExit():
            return check
        case FileExists() | GrepMatch() | RunTests() | Behavioral():
            return None
        case RunGate() | SomethingChanged() | DeclaredScope() | ProtectedPaths():
            return None
        case TestIntegrity() | RedGreen() | SecretScan() | DiffPredicate():
            return None
        case _:
            assert_never(check)


def search_of(check: ContractCheck) -> GrepMatch | None:
    """Return a check that searches files for a pattern, or None for every other kind."""
    match check:
        case GrepMatch():
            return check
        case FileExists() | CommandExit() | Behavioral() | RunTests():
            return None
        case _:
            assert_never(check)


def required_file(check: ContractCheck) -> FileExists | None:
    """Return a check that asks for one file to be there, or None for every other kind."""
    match check:
        case FileExists():
            return check
        case GrepMatch() | CommandExit() | Behavioral() | RunTests():
            return None
        case _:
            assert_never(check)


# --- how it is run ---


class Examiner(StrEnum):
    """What finds out whether a check holds."""

    RUNNER = "runner"
    """The check runner, on the files of a tree."""
    DIFF = "diff"
    """A comparison of two trees, of which the check runner does the part with regular expressions."""
    COMPARISON = "comparison"
    """A comparison of what the engine has already: changes, a diff, reports of tests."""


def examiner_of(check: Check) -> Examiner:
    """Return what finds out whether a check holds."""
    match check:
        case FileExists() | GrepMatch() | CommandExit() | Behavioral() | RunTests() | RunGate():
            return Examiner.RUNNER
        case DiffPredicate():
            return Examiner.DIFF
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return Examiner.COMPARISON
        case _:
            assert_never(check)


class Stage(StrEnum):
    """When a check is run on the result."""

    COMMANDS = "commands"
    """First: the commands of the project, whose reports others compare."""
    REPORTS = "reports"
    """Once the tests have run on every tree."""
    CLAUSES = "clauses"
    """After both."""


def stage_of(check: Check) -> Stage:
    """Return when a check is run on the result. For `tests` that is the check of a task, not the gate."""
    match check:
        case RunGate():
            return Stage.COMMANDS
        case TestIntegrity() | RedGreen():
            return Stage.REPORTS
        case FileExists() | GrepMatch() | CommandExit() | Behavioral() | RunTests():
            return Stage.CLAUSES
        case SomethingChanged() | DeclaredScope() | ProtectedPaths() | SecretScan() | DiffPredicate():
            return Stage.CLAUSES
        case _:
            assert_never(check)


def needs_process(check: Check) -> bool:
    """Check whether a check runs a program, whose outcome an earlier driver may have left behind."""
    match check:
        case CommandExit() | RunTests() | RunGate():
            return True
        case FileExists() | GrepMatch() | Behavioral() | DiffPredicate():
            return False
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return False
        case _:
            assert_never(check)


def needs_citations(check: Check) -> bool:
    """Check whether a check holds by citations alone, so that without them it is red for no reason."""
    match check:
        case Behavioral():
            return True
        case FileExists() | GrepMatch() | CommandExit() | RunTests() | RunGate() | DiffPredicate():
            return False
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return False
        case _:
            assert_never(check)


def selected_tests(check: Check) -> tuple[str, ...] | None:
    """Return the test ids a run of the project's tests is narrowed to, or None if it is no such run."""
    match check:
        case RunTests():
            return check.select
        case FileExists() | GrepMatch() | CommandExit() | Behavioral() | RunGate() | DiffPredicate():
            return None
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return None
        case _:
            assert_never(check)


def project_command(check: Check) -> RunGate | None:
    """Return a check that runs a command of the project other than its tests, or None."""
    match check:
        case RunGate():
            return check
        case FileExists() | GrepMatch() | CommandExit() | Behavioral() | RunTests() | DiffPredicate():
            return None
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return None
        case _:
            assert_never(check)


def predicate_in(check: Check) -> DiffPredicate | None:
    """Return a check that asks something of a whole change, or None for every other kind."""
    match check:
        case DiffPredicate():
            return check
        case FileExists() | GrepMatch() | CommandExit() | Behavioral() | RunTests() | RunGate():
            return None
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return None
        case _:
            assert_never(check)


def examined_file(check: Check) -> str | None:
    """Return the one path or glob a check is about, for reports that point at a place, or None."""
    match check:
        case FileExists() | GrepMatch():
            return check.path
        case CommandExit() | Behavioral() | RunTests() | RunGate() | DiffPredicate():
            return None
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            return None
        case _:
            assert_never(check)
