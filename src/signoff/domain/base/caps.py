"""The caps of a run that a person can reset. Pure."""

from enum import StrEnum


class Cap(StrEnum):
    """A limit that counts something up, by its name."""

    RETRIES = "retries"
    """Dispatches that failed in a row."""
    REWORK = "rework"
    """How often each task was sent back."""
    PLAN_REVISIONS = "plan_revisions"
    """How often the plan was sent back."""
    BUDGET = "budget"
    """What the run has spent."""
