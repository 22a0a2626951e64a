"""What can be wrong with a spec that has the right shape, by name. Pure.

What is wrong with its words and its ambiguity has the names of `core.precision.PrecisionCode`.
"""

from enum import StrEnum


class SpecCode(StrEnum):
    """What can be wrong with a spec, with an answer to its questions, or with a file of answers."""

    NOT_POSITIVE = "not-positive"
    BAD_TIMESTAMP = "bad-timestamp"
    UPDATED_BEFORE_CREATED = "updated-before-created"
    """A warning."""
    NO_COMPLETION_TIME = "no-completion-time"
    """A warning."""
    SHORT_QUESTION = "short-question"
    NO_QUESTION_MARK = "no-question-mark"
    """A warning."""
    DUPLICATE_FEATURE_ID = "duplicate-feature-id"
    DUPLICATE_QUESTION_ID = "duplicate-question-id"
    DUPLICATE_OPTION = "duplicate-option"
    NO_ACCEPTANCE_CRITERIA = "no-acceptance-criteria"
    FEW_ACCEPTANCE_CRITERIA = "few-acceptance-criteria"
    """A warning."""
    UNKNOWN_DEPENDENCY = "unknown-dependency"
    DEPENDENCY_CYCLE = "dependency-cycle"
    OPEN_QUESTION = "open-question"
    NO_QUESTIONS = "no-questions"
    NOTHING_OPEN = "nothing-open"
    """A warning."""
    NO_FEATURES = "no-features"
    """A warning in a draft."""
    FEATURES_TOO_EARLY = "features-too-early"
    """A warning."""
    UNKNOWN_QUESTION = "unknown-question"
    ANSWERED_TWICE = "answered-twice"
    """A warning in a spec: the last answer stands."""
    UNGROUNDED_ANSWER = "ungrounded-answer"
    UNWRITABLE_ANSWER = "unwritable-answer"
    FOREIGN_SPRINT = "foreign-sprint"
    UNKNOWN_FEATURE = "unknown-feature"
