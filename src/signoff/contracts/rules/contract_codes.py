"""The codes of what can be wrong with a contract. Pure. `docs/reference` lists every one of these.

What is wrong with its words has codes of its own: `core.precision.PrecisionCode`.
"""

from enum import StrEnum


class ContractCode(StrEnum):
    """What can be wrong with a contract that has the right shape."""

    DUPLICATE_TASK_ID = "duplicate-task-id"
    BAD_TASK_ID = "bad-task-id"
    UNKNOWN_DEPENDENCY = "unknown-dependency"
    DEPENDENCY_CYCLE = "dependency-cycle"
    WAVE_ORDER = "wave-order"
    NO_VERIFICATION = "no-verification"
    FILE_LISTED_TWICE = "file-listed-twice"
    SHELL_SYNTAX = "shell-syntax"
    NO_SUCCESS_CRITERIA = "no-success-criteria"
    ACTION_TOO_LONG = "action-too-long"
    EVIDENCE_PATH = "evidence-path"
    EVIDENCE_MATCHER = "evidence-matcher"
    NOT_POSITIVE = "not-positive"
    BAD_TIMESTAMP = "bad-timestamp"
    PERSONA_DATA = "persona-data"
    """A warning: it is read as `backend`."""
    NO_REQUIRED_CRITERION = "no-required-criterion"
    NO_TASKS = "no-tasks"
    NO_EVIDENCE = "no-evidence"
    WRITE_CONFLICT = "write-conflict"
    CASE_CLASH = "case-clash"
    CONTRADICTION = "contradiction"
    TOO_MANY = "too-many"
    SCOPE_TOO_WIDE = "scope-too-wide"
    PATH_ESCAPE = "path-escape"
    BAD_REGEX = "bad-regex"
    VACUOUS_GLOB = "vacuous-glob"
    VACUOUS_PATTERN = "vacuous-pattern"
    VACUOUS_COMMAND = "vacuous-command"
    BAD_CLAUSE_ID = "bad-clause-id"
    DUPLICATE_CLAUSE_ID = "duplicate-clause-id"
    UNKNOWN_PROOF = "unknown-proof"
    CIRCULAR_PROOF = "circular-proof"
