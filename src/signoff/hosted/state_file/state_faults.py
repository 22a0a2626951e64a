"""What can be wrong with a state file beyond what any file can have. Pure."""

from enum import StrEnum


class StateFault(StrEnum):
    """Codes of a state file's own. Wrong types and missing fields have those of every other file."""

    NOT_A_STATE_FILE = "not-a-state-file"
    UNSUPPORTED_VERSION = "unsupported-version"
    UNKNOWN_INPUT_KIND = "unknown-input-kind"
    UNKNOWN_INTENT = "unknown-intent"
    UNKNOWN_DIRECTIVE_SET = "unknown-directive-set"
    UNKNOWN_PERSONA = "unknown-persona"
    UNKNOWN_OUTCOME = "unknown-outcome"
    UNKNOWN_STEP = "unknown-step"
    TOO_MANY_ROUNDS = "too-many-rounds"
