"""Further commands that a result is checked with: type checks, API and browser tests, anything else. Pure.

A strategy becomes the gate `gate/<name>`: it is run on the base first, then on the merged result, and counts
like the tests. Build, lint and tests have settings of their own and are not listed here.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from signoff.domain.base.record import Record

RESERVED = (
    "tests",
    "build",
    "lint",
    "typecheck",
    "test-integrity",
    "red-green",
    "conduct",
    "change",
    "scope",
    "protected-paths",
    "secrets",
    "bar",
    "evaluation",
)
"""Names of gates that there are already."""

GateWord = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}(?![\s\S])")]
Port = Annotated[int, Meta(ge=1, le=65535)]


class StrategyKind(StrEnum):
    """What a command shows. It decides the word for its failure, never whether it passed."""

    TYPECHECK = "typecheck"
    LINT = "lint"
    BUILD = "build"
    API = "api"
    BROWSER = "browser"
    COMMAND = "command"


class WhenBase(StrEnum):
    """What must have happened on the base for a gate to count on the result."""

    ANY = "any"
    """It always counts. If it could not be run, the result could not be judged."""
    RUNS = "runs"
    """It is left out, and that is said, where it could not be run on the base."""
    PASSES = "passes"
    """It is left out, and that is said, unless it passed on the base."""


class ProjectServer(Record, frozen=True, kw_only=True):
    """A program of the project that must answer on loopback while a command runs."""

    argv: tuple[str, ...]
    """The words of its command. `{port}` stands for a free port that is drawn for each run."""
    url: str = ""
    """It is ready when this answers with a status below 500. `{port}` as above."""
    port: int | None = None
    """Or: when something listens here."""
    timeout_s: int = 60


class Strategy(Record, frozen=True, kw_only=True):
    """One command of a project, besides its build, lint and tests."""

    name: str
    argv: tuple[str, ...]
    kind: StrategyKind = StrategyKind.COMMAND
    source: str = "settings"
    """The file that says so."""
    required: bool = True
    timeout_s: int | None = None
    """None for the limit of all checks."""
    report: str | None = None
    """A JUnit XML file that it writes, relative to the root. Exit code and report must then agree."""
    serve: ProjectServer | None = None
