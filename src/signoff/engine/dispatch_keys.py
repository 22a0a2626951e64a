"""What the key of a dispatch says: the step it begins with, and the task. Pure."""

import re
from typing import Final

_TASK: Final = re.compile(r"[a-z-]+/(T[0-9]+)/")
_ROLES: Final = {"plan": "planner", "implement": "builder"}


def role_in(key: str) -> str:
    """Return the role a dispatch is for, or the name of its step if that is no role of ours."""
    step = key.partition("/")[0]
    if step == "verify" and "/evaluate/" in key:
        return "evaluator"
    return _ROLES.get(step, step)


def task_in(key: str) -> str | None:
    """Return the task that a dispatch works on, or None."""
    found = _TASK.match(key)
    return found[1] if found else None
