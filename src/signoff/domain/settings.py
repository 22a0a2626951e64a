"""One frozen object of settings, read once; each value remembers where it came from. Pure records.

Field names are the keys of `signoff.toml` (or `[tool.signoff]` in pyproject.toml). A run uses the
settings *of its base commit*: what an agent does to the file cannot lower the bar.
"""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from signoff.domain.record import Record

Argv = Annotated[tuple[str, ...], Meta(min_length=1)]
PositiveInt = Annotated[int, Meta(ge=1)]


class CheckSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[checks]`: the project's bar."""

    test: Argv | None = None
    """Test command as a list of words; detected when absent."""
    build: Argv | None = None
    """Build command as a list of words; detected when absent."""
    lint: Argv | None = None
    """Lint command as a list of words; detected when absent."""
    test_report: str | None = None
    """A JUnit XML file that the test command writes, relative to the root, for runners we do not know."""
    carry: tuple[str, ...] = ()
    """Dependency folders copied beside a materialised tree, such as `node_modules` or `.venv`."""
    timeout_s: PositiveInt = 600
    """How long a test, build or lint command may take."""
    protected: tuple[str, ...] = ()
    """Further globs that no agent may change."""
    unprotected: tuple[str, ...] = ()
    """Globs taken off the built-in list of protected paths."""


class PlanApproval(StrEnum):
    """Who says yes to a plan."""

    PERSON = "person"
    POLICY = "policy"


class PlanSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[plan]`: who approves a contract."""

    approve: PlanApproval = PlanApproval.PERSON
    """`person` asks on a terminal; `policy` seals what passes the rules without asking."""


class AgentSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[agent]`: who does the work."""

    name: str = ""
    """`command` or `hosted`; a flag on the command line wins."""
    command: Argv | None = None
    """For `command`: a program that reads a directive as JSON on stdin and answers as JSON on stdout."""
    timeout_s: PositiveInt = 1800
    """How long one dispatch may take."""
    env: tuple[str, ...] = ()
    """Names of environment variables the agent may see."""


class LimitSettings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[limits]`: every loop has a cap."""

    parallel: PositiveInt = 4
    """How many agents work at once."""
    plan_revisions: Annotated[int, Meta(ge=0)] = 2
    """How often a plan is sent back."""
    rework: Annotated[int, Meta(ge=0)] = 3
    """How often a task is sent back."""
    retries: Annotated[int, Meta(ge=0)] = 3
    """How often a dispatch that failed is tried again before a person is asked."""


class Settings(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything a person may set."""

    checks: CheckSettings = CheckSettings()
    plan: PlanSettings = PlanSettings()
    agent: AgentSettings = AgentSettings()
    limits: LimitSettings = LimitSettings()


class SettingOrigin(Record, frozen=True, kw_only=True):
    """One value and where it came from."""

    name: str
    value: str
    source: str
