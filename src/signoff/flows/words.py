"""What a contract says, as agents are told it. Pure."""

from signoff.domain.contract import NonGoal


def non_goal_words(goal: str | NonGoal) -> str:
    """Give a non-goal in its own words."""
    return goal if isinstance(goal, str) else goal.description
