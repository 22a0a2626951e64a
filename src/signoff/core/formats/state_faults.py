"""What can be wrong with a state file beyond what any file can have. Pure."""

from enum import StrEnum
from typing import Final, Literal, get_args

OutcomeWord = Literal["success", "blocked", "partial", "skipped"]
"""What may be said of a step in a state file; null is a step that nothing is known of."""

OUTCOMES: Final[tuple[str, ...]] = get_args(OutcomeWord)


class StateFault(StrEnum):
    """Codes of a state file's own; wrong types and missing fields have those of every other file."""

    NOT_A_STATE_FILE = "not-a-state-file"
    UNSUPPORTED_VERSION = "unsupported-version"
    UNKNOWN_INPUT_KIND = "unknown-input-kind"
    UNKNOWN_INTENT = "unknown-intent"
    UNKNOWN_DIRECTIVE_SET = "unknown-directive-set"
    UNKNOWN_PERSONA = "unknown-persona"
    UNKNOWN_OUTCOME = "unknown-outcome"
    UNKNOWN_STEP = "unknown-step"
    TOO_MANY_ROUNDS = "too-many-rounds"
