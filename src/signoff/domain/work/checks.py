"""The checks: what the engine can run to find out whether a clause holds. Pure records.

The first four kinds are the plan contract's own, and `tests` runs the project's test command with a
report. The kinds below `EngineCheckBase` are never written by a planner: the engine adds them itself.
"""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.work.observations import Place as Place
from signoff.domain.work.strategies import ProjectServer, StrategyKind


class Expectation(StrEnum):
    """Whether a pattern must be found or must not."""

    PRESENT = "present"
    ABSENT = "absent"


class DependencyRule(StrEnum):
    """What a non-goal says about the dependency manifests."""

    NONE_ADDED = "none-added"
    UNCHANGED = "unchanged"


class ForbiddenPattern(Record, frozen=True, kw_only=True):
    """A regular expression that no added line may match."""

    pattern: str
    paths: tuple[str, ...] = ()
    """Globs. Empty means every file."""


class ContractCheckBase(Record, frozen=True, kw_only=True, tag_field="type"):
    """What every check of a contract may say besides its own fields."""

    id: str = ""
    """The id of its clause. Empty stands for `<task>/check-<n>`."""
    guard: bool = False
    """A regression guard: it passes on base already and must go on passing."""


class FileExists(ContractCheckBase, frozen=True, kw_only=True, tag="file-exists"):
    """A file is there, and holds a text."""

    path: str
    must_contain: str | None = None


class GrepMatch(ContractCheckBase, frozen=True, kw_only=True, tag="grep-match"):
    """A pattern is present in, or absent from, the files of a glob."""

    path: str
    pattern: str
    expect: Expectation


class CommandExit(ContractCheckBase, frozen=True, kw_only=True, tag="command-exit"):
    """A program, run without a shell, ends with the expected code."""

    command: str
    expected_exit: int
    args: tuple[str, ...] = ()
    cwd: str = "."
    timeout_ms: int = 30_000
    expect_stdout_match: str | None = None
    once: bool = False
    """It must not run twice: interrupted means *could not be judged*, never a repeat."""


class Evidence(Record, frozen=True, kw_only=True):
    """A line that must be cited."""

    path: str
    description: str
    matcher: str | None = None


class Citation(Record, frozen=True, kw_only=True):
    """A line cited as evidence. It is read again from the tree."""

    path: str
    line: int
    snippet: str
    clause: str = ""
    """The clause it is for. Empty means every clause of the task."""


class Behavioral(ContractCheckBase, frozen=True, kw_only=True, tag="behavioral"):
    """Something only citations can show. Each one is read again from the tree."""

    description: str
    evidence_required: tuple[Evidence, ...]


class RunTests(ContractCheckBase, frozen=True, kw_only=True, tag="tests"):
    """The project's own test command, judged by its report. `select` narrows it to files or test ids."""

    select: tuple[str, ...] = ()


class EngineCheckBase(Record, frozen=True, kw_only=True, tag_field="type"):
    """A check the engine computes from trees and reports it already has."""


class RunGate(EngineCheckBase, frozen=True, kw_only=True, tag="gate"):
    """A command of the project other than its tests: exit code 0, and no failure in its report."""

    argv: tuple[str, ...]
    kind: StrategyKind = StrategyKind.COMMAND
    timeout_s: int | None = None
    """None stands for the limit of all checks."""
    report: str | None = None
    """Where it leaves a JUnit report, relative to the tree."""
    serve: ProjectServer | None = None


class SomethingChanged(EngineCheckBase, frozen=True, kw_only=True, tag="something-changed"):
    """The result is not the base."""


class DeclaredScope(EngineCheckBase, frozen=True, kw_only=True, tag="scope"):
    """Only declared files changed."""

    allowed: tuple[str, ...]


class ProtectedPaths(EngineCheckBase, frozen=True, kw_only=True, tag="protected-paths"):
    """Settings, runner configuration and CI files are as they were."""


class TestIntegrity(EngineCheckBase, frozen=True, kw_only=True, tag="test-integrity"):
    """Every test of the base is still collected, still runs, and passes as it was written there."""

    permitted: tuple[str, ...] = ()
    """Ids of tests whose specification the contract changes."""


class RedGreen(EngineCheckBase, frozen=True, kw_only=True, tag="red-green"):
    """Each new test fails on base+tests and passes on final."""

    guards: tuple[str, ...] = ()
    """Ids or globs of new tests that pin behaviour the base already has."""


class SecretScan(EngineCheckBase, frozen=True, kw_only=True, tag="secret-scan"):
    """No added line holds something shaped like a credential."""


class DiffPredicate(EngineCheckBase, frozen=True, kw_only=True, tag="diff-predicate"):
    """A non-goal in a form that can be checked: nothing listed here happened between base and result."""

    untouched: tuple[str, ...] = ()
    dependencies: DependencyRule | None = None
    exports: tuple[str, ...] = ()
    forbidden: tuple[ForbiddenPattern, ...] = ()


ContractCheck = FileExists | GrepMatch | CommandExit | Behavioral | RunTests
EngineCheck = (
    RunGate
    | SomethingChanged
    | DeclaredScope
    | ProtectedPaths
    | TestIntegrity
    | RedGreen
    | SecretScan
    | DiffPredicate
)
Check = (
    FileExists
    | GrepMatch
    | CommandExit
    | Behavioral
    | RunTests
    | RunGate
    | SomethingChanged
    | DeclaredScope
    | ProtectedPaths
    | TestIntegrity
    | RedGreen
    | SecretScan
    | DiffPredicate
)
