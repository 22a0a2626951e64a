"""The codes of what can be wrong with a contract. Pure. `docs/reference` lists every one of these.

What is wrong with its words has codes of its own: `precision_rules.PrecisionCode`.
"""

from signoff.domain.base.violations import Severity
from signoff.text.json.violation_list import CodedRule


class ContractCode(CodedRule):
    """What can be wrong with a contract that has the right shape."""

    DUPLICATE_TASK_ID = "duplicate-task-id", "number it anew"
    BAD_TASK_ID = "bad-task-id", ""
    UNKNOWN_DEPENDENCY = "unknown-dependency", "name a task of this contract"
    DEPENDENCY_CYCLE = "dependency-cycle", "drop one of these dependencies"
    WAVE_ORDER = "wave-order", ""
    NO_VERIFICATION = "no-verification", "add a check"
    FILE_LISTED_TWICE = "file-listed-twice", "keep it in one list"
    SHELL_SYNTAX = "shell-syntax", "name the program here and its words in args"
    NO_SUCCESS_CRITERIA = "no-success-criteria", "add one"
    ACTION_TOO_LONG = "action-too-long", "shorten it"
    EVIDENCE_PATH = "evidence-path", "write a path below the root of the repository"
    EVIDENCE_MATCHER = "evidence-matcher", "write a Python regular expression"
    NOT_POSITIVE = "not-positive", "write 1 or more"
    BAD_TIMESTAMP = "bad-timestamp", "write it as `2026-01-31T09:00:00Z`"
    PERSONA_DATA = "persona-data", "write `backend`, if that is meant", Severity.WARNING
    """A warning: it is read as `backend`."""
    NO_REQUIRED_CRITERION = "no-required-criterion", "make one required"
    NO_TASKS = "no-tasks", "add one"
    NO_EVIDENCE = "no-evidence", "name a path and what its cited line must show"
    WRITE_CONFLICT = "write-conflict", "put one of the two in a later wave, depending on the other"
    CASE_CLASH = "case-clash", "spell it in one way"
    CONTRADICTION = "contradiction", "drop one of the two"
    TOO_MANY = "too-many", "split the delivery"
    SCOPE_TOO_WIDE = "scope-too-wide", "name the files or the folder the task needs"
    PATH_ESCAPE = "path-escape", "write a path below the root, with forward slashes"
    BAD_REGEX = "bad-regex", "write a Python regular expression"
    VACUOUS_GLOB = "vacuous-glob", "write it without `//` and `/./`"
    VACUOUS_PATTERN = "vacuous-pattern", "write what the file must hold, or drop it"
    VACUOUS_COMMAND = "vacuous-command", "run something that fails when the work is not done"
    BAD_CLAUSE_ID = "bad-clause-id", "choose another id"
    DUPLICATE_CLAUSE_ID = "duplicate-clause-id", "choose another id"
    UNKNOWN_PROOF = "unknown-proof", "name a check by its id, or as `<task>/check-<n>`"
    CIRCULAR_PROOF = "circular-proof", "name a check that shows it"
