"""A contract as a plan contract, `.planning/phase-N-contract.json`, for tools that know no more. Pure.

Reading needs nothing: a plan contract is a contract. Writing turns what we say in objects into the words
these tools expect, and keeps every field they do not know.
"""

import re
from typing import Final, NamedTuple

from signoff.core.formats.spelling import JsonObject

_IN_WORDS: Final = ("success_criteria", "non_goals", "stop_conditions")
_CHECKS: Final = frozenset({"file-exists", "grep-match", "command-exit", "behavioral"})
_TASK_LISTS: Final = (
    *("depends_on", "files_modify", "files_create", "files_delete"),
    *("acceptance_criteria", "context_files"),
)
_NAME = re.compile(r"phase-([0-9]+)-contract\.json")


class PlanContract(NamedTuple):
    """The document, and what could not be said in it."""

    document: JsonObject
    left_out: tuple[str, ...]


def as_plan_contract(raw: JsonObject) -> PlanContract:
    """Give a contract in the words of a plan contract."""
    left_out: list[str] = []
    document: JsonObject = {"source_plan_hash": "", **raw} if "source_plan_hash" not in raw else dict(raw)
    for name in _IN_WORDS:
        items = document.get(name)
        if isinstance(items, list):
            document[name] = [_words(item) for item in items]
    tasks = raw.get("tasks")
    if isinstance(tasks, list):
        document["tasks"] = [_task(task, left_out) for task in tasks]
    return PlanContract(document, tuple(left_out))


def plan_beside(name: str) -> str:
    """Give the name of the plan that belongs to a contract of this name; empty for any other name."""
    found = _NAME.fullmatch(name)
    return f"phase-{found[1]}-plan.md" if found else ""


def contract_beside(plan: str) -> str:
    """Give the name of the contract that a plan of this name is compiled to; empty for any other name."""
    found = re.fullmatch(r"phase-([0-9]+)-plan\.md", plan)
    return f"phase-{found[1]}-contract.json" if found else ""


def _words(item: object) -> object:
    return item.get("description", "") if isinstance(item, dict) else item


def _task(task: object, left_out: list[str]) -> object:
    if not isinstance(task, dict):
        return task
    checks = task.get("verification")
    kept = checks
    if isinstance(checks, list):
        kept = [_check(check) for check in checks if _is_known(check)]
        foreign = (check for check in checks if not _is_known(check))
        left_out += [f"{task.get('id')}: a check of type {check.get('type')}" for check in foreign]
    return {**{name: [] for name in _TASK_LISTS}, "action": "", **task, "verification": kept}


def _is_known(check: object) -> bool:
    return not isinstance(check, dict) or check.get("type") in _CHECKS


def _check(check: object) -> object:
    return {"args": [], **check} if isinstance(check, dict) and check.get("type") == "command-exit" else check
