"""What compiling a plan gives, and what it can find missing. Pure records."""

from collections.abc import Mapping
from typing import NamedTuple

from signoff.text.json.camel_case import JsonObject
from signoff.text.json.violation_list import CodedRule


class GapCode(CodedRule):
    """Everything that can keep a plan from being a contract, and everything a person should look at."""

    TOO_LARGE = "too-large", ""
    NOT_UTF8 = "not-utf8", ""
    NO_PHASE = "no-phase", "write phase: 1 between --- lines at the top"
    NO_GOAL = "no-goal", "write **Goal:** and what is true when it is done"
    NO_WHY = "no-why", "write **Why this phase:** and a sentence"
    NO_TASKS = "no-tasks", "write ## Task 1 — its title"
    NO_SUCCESS_CRITERIA = "no-success-criteria", "write ## Success Criteria and a bullet for each"
    DUPLICATE_TASK = "duplicate-task", "number it anew"
    UNKNOWN_DEPENDENCY = "unknown-dependency", "name tasks of this plan, or none"
    UNKNOWN_PERSONA = "unknown-persona", ""
    NO_ACCEPTANCE_CRITERIA = "no-acceptance-criteria", "write **Acceptance Criteria:** and a bullet for each"
    ACTION_TOO_LONG = "action-too-long", "shorten it"
    NO_CHECK = "no-check", ""
    UNKNOWN_CHECK_TYPE = "unknown-check-type", ""
    BLOCK_WITHOUT_TASK = "block-without-task", "name a task of this plan"
    NO_COMMAND = "no-command", "write **Command:** `command`"
    NO_EXPECTED = "no-expected", "write: - `command` → what it must show"
    NO_PATH = "no-path", ""
    NO_PATTERN = "no-pattern", ""
    NO_EVIDENCE = "no-evidence", ""
    UNREADABLE_VALUE = "unreadable-value", ""
    UNTRANSLATED_COMMAND = (
        "untranslated-command",
        "write the check with exact labels, or as one program without a shell",
    )
    BREAKS_A_RULE = "breaks-a-rule", ""

    WHY_FROM_TASKS = "why-from-tasks", "write **Why this phase:** and a sentence"
    WAVE_DERIVED = "wave-derived", "write **Wave:** and its number"
    FILES_NOT_SORTED = "files-not-sorted", "write (new), (modify) or (delete) behind each"
    NO_FILES = "no-files", "write **Files:** with the paths it changes"
    NO_TITLE = "no-title", "write one behind its number"
    LEGACY_ANCHOR = "legacy-anchor", "write **Acceptance Criteria:**"
    CHECK_FROM_VALIDATION = "check-from-validation", "look whether they show enough"
    TRANSLATED_COMMAND = "translated-command", "compare the check with the command"
    COUNT_DIFFERS = "count-differs", ""
    SAID_TWICE = "said-twice", "make them agree"
    NOT_READ = "not-read", "remove it, or correct the label"
    TASK_LEFT = "task-left", ""
    CHECK_KEPT = "check-kept", ""
    CRITERION_KEPT = "criterion-kept", ""
    ENTRY_KEPT = "entry-kept", ""
    FILE_KEPT = "file-kept", ""
    SEAL_DROPPED = "seal-dropped", ""


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

    def gap(self, line: int, code: GapCode, message: str, fix: str = "") -> None:
        """Note what keeps the plan from being a contract."""
        self._gaps.append(PlanGap(line, code, message, fix or code.fix))

    def warn(self, line: int, code: GapCode, message: str, fix: str = "") -> None:
        """Note what a person should look at."""
        self._warnings.append(PlanGap(line, code, message, fix or code.fix))

    def gaps(self) -> tuple[PlanGap, ...]:
        """Return what is missing, in the order of the plan's lines."""
        return tuple(sorted(self._gaps, key=lambda gap: gap.line))

    def warnings(self) -> tuple[PlanGap, ...]:
        """Return what a person should look at, in the order of the plan's lines."""
        return tuple(sorted(self._warnings, key=lambda gap: gap.line))
