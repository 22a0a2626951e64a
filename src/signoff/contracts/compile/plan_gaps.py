"""What compiling a plan gives, and what it can find missing. Pure records."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from signoff.text.json.camel_case import JsonObject


class GapCode(StrEnum):
    """Everything that can keep a plan from being a contract, and everything a person should look at."""

    TOO_LARGE = "too-large"
    NOT_UTF8 = "not-utf8"
    NO_PHASE = "no-phase"
    NO_GOAL = "no-goal"
    NO_WHY = "no-why"
    NO_TASKS = "no-tasks"
    NO_SUCCESS_CRITERIA = "no-success-criteria"
    DUPLICATE_TASK = "duplicate-task"
    UNKNOWN_DEPENDENCY = "unknown-dependency"
    UNKNOWN_PERSONA = "unknown-persona"
    NO_ACCEPTANCE_CRITERIA = "no-acceptance-criteria"
    ACTION_TOO_LONG = "action-too-long"
    NO_CHECK = "no-check"
    UNKNOWN_CHECK_TYPE = "unknown-check-type"
    BLOCK_WITHOUT_TASK = "block-without-task"
    NO_COMMAND = "no-command"
    NO_EXPECTED = "no-expected"
    NO_PATH = "no-path"
    NO_PATTERN = "no-pattern"
    NO_EVIDENCE = "no-evidence"
    UNREADABLE_VALUE = "unreadable-value"
    UNTRANSLATED_COMMAND = "untranslated-command"
    BREAKS_A_RULE = "breaks-a-rule"

    WHY_FROM_TASKS = "why-from-tasks"
    WAVE_DERIVED = "wave-derived"
    FILES_NOT_SORTED = "files-not-sorted"
    NO_FILES = "no-files"
    NO_TITLE = "no-title"
    LEGACY_ANCHOR = "legacy-anchor"
    CHECK_FROM_VALIDATION = "check-from-validation"
    TRANSLATED_COMMAND = "translated-command"
    COUNT_DIFFERS = "count-differs"
    SAID_TWICE = "said-twice"
    NOT_READ = "not-read"
    TASK_LEFT = "task-left"
    CHECK_KEPT = "check-kept"
    CRITERION_KEPT = "criterion-kept"
    ENTRY_KEPT = "entry-kept"
    FILE_KEPT = "file-kept"
    SEAL_DROPPED = "seal-dropped"


class PlanGap(NamedTuple):
    """Something that is missing or worth a look, and where in the plan."""

    line: int
    code: GapCode
    message: str
    fix: str = ""


class Traces(NamedTuple):
    """What the contract does not say about the plan it was compiled from. `refresh` needs it."""

    lines: Mapping[str, int] = {}
    """From the JSON pointer of a task or check to the line of the plan where it begins."""
    unsorted: frozenset[tuple[str, str]] = frozenset()
    """Task id and path of each file that the plan names without saying what happens to it."""


class Compiled(NamedTuple):
    """A contract as far as the plan goes, and what is missing."""

    contract: JsonObject
    gaps: tuple[PlanGap, ...]
    """What keeps it from being a contract."""
    warnings: tuple[PlanGap, ...]
    """What a person should look at."""
    traces: Traces = Traces()


class Notes:
    """Collects gaps and warnings while a plan is read, and gives them in the order of its lines."""

    def __init__(self) -> None:
        self._gaps: list[PlanGap] = []
        self._warnings: list[PlanGap] = []

    def gap(self, line: int, code: GapCode, message: str, fix: str) -> None:
        """Note what keeps the plan from being a contract."""
        self._gaps.append(PlanGap(line, code, message, fix))

    def warn(self, line: int, code: GapCode, message: str, fix: str = "") -> None:
        """Note what a person should look at."""
        self._warnings.append(PlanGap(line, code, message, fix))

    def gaps(self) -> tuple[PlanGap, ...]:
        """Return what is missing, in the order of the plan's lines."""
        return tuple(sorted(self._gaps, key=lambda gap: gap.line))

    def warnings(self) -> tuple[PlanGap, ...]:
        """Return what a person should look at, in the order of the plan's lines."""
        return tuple(sorted(self._warnings, key=lambda gap: gap.line))
