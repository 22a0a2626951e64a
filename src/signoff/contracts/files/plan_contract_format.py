"""A contract as a plan contract, `.planning/phase-N-contract.json`, for tools that know no more. Pure.

Reading needs nothing: a plan contract is a contract. Writing turns what we say in objects into the words
these tools expect, keeps every other field, and names what is lost. So is the seal, which covers all of it.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from signoff.domain.base.violations import Violation
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.json_text import DecodeCode
from signoff.text.json.violation_list import fault, shown

_IN_WORDS: Final = ("success_criteria", "non_goals", "stop_conditions")
_CHECKS: Final = frozenset({"file-exists", "grep-match", "command-exit", "behavioral"})
_TASK_LISTS: Final = (
    *("depends_on", "files_modify", "files_create", "files_delete"),
    *("acceptance_criteria", "context_files"),
)
_MOST_NAMES: Final = 9
_FIELD = re.compile(r"[a-z_]{1,30}")
_NAME = re.compile(r"phase-([0-9]+)-contract\.json")


class PlanContract(NamedTuple):
    """The document, and what could not be said in it."""

    document: JsonObject
    left_out: tuple[str, ...]
    """One line for each place, such as `success_criteria/0: id, proven_by`."""


def as_plan_contract(raw: JsonObject) -> PlanContract:
    """Return a contract in the words of a plan contract. `raw` is in our spelling."""
    document: JsonObject = {"source_plan_hash": "", **raw} if "source_plan_hash" not in raw else dict(raw)
    left_out = ["seal"] if document.pop("seal", "") else []
    for name in _IN_WORDS:
        items = document.get(name)
        if isinstance(items, list):
            document[name] = [_words(item, f"{name}/{n}", left_out) for n, item in enumerate(items)]
    tasks = raw.get("tasks")
    if isinstance(tasks, list):
        document["tasks"] = [_task(task, f"tasks/{n}", left_out) for n, task in enumerate(tasks)]
    return PlanContract(document, tuple(left_out))


def missing_fields(raw: JsonObject) -> Iterator[Violation]:
    """Yield a violation for each field that a plan contract must have and ours may leave out.

    Other shapes are passed over, because the decoder has reported them.
    """
    tasks = raw.get("tasks")
    for i, task in enumerate(tasks if isinstance(tasks, list) else ()):
        if not isinstance(task, dict):
            continue
        for name in (*_TASK_LISTS, "action"):
            if name not in task:
                yield _missing(name, f"/tasks/{i}/{name}")
        checks = task.get("verification")
        for n, check in enumerate(checks if isinstance(checks, list) else ()):
            if isinstance(check, dict) and check.get("type") == "command-exit" and "args" not in check:
                yield _missing("args", f"/tasks/{i}/verification/{n}/args")


def _missing(name: str, path: str) -> Violation:
    kind = "string" if name == "action" else "array"
    return fault(DecodeCode.MISSING_FIELD, f"`{name}` is missing", path, fix=f"add it: {kind}")


def plan_beside(name: str) -> str:
    """Return the name of the plan for a contract of this name, or an empty string for any other name."""
    found = _NAME.fullmatch(name)
    return f"phase-{found[1]}-plan.md" if found else ""


def contract_beside(plan: str) -> str:
    """Return the name of the contract for a plan of this name, or an empty string for any other name."""
    found = re.fullmatch(r"phase-([0-9]+)-plan\.md", plan)
    return f"phase-{found[1]}-contract.json" if found else ""


def _words(item: object, place: str, left_out: list[str]) -> object:
    if not isinstance(item, dict):
        return item
    lost = [(key if _FIELD.fullmatch(key) else shown(key, 20)) for key in item if key != "description"]
    if lost:
        more = f" and {len(lost) - _MOST_NAMES} more" if len(lost) > _MOST_NAMES else ""
        left_out.append(f"{place}: {', '.join(lost[:_MOST_NAMES])}{more}")
    return item.get("description", "")


def _task(task: object, place: str, left_out: list[str]) -> object:
    # The other format demands lists, arguments and an action even where they are empty. A check of a type
    # that it does not know is left out, and reported in `left_out`. What has the wrong shape stays as it is.
    if not isinstance(task, dict):
        return task
    checks = task.get("verification")
    kept = checks
    if isinstance(checks, list):
        kept = [
            {"args": [], **check}
            if isinstance(check, dict) and check.get("type") == "command-exit"
            else check
            for check in checks
            if _is_known(check)
        ]
        foreign = ((n, check) for n, check in enumerate(checks) if not _is_known(check))
        left_out += (f"{place}/verification/{n}: a check of type {check.get('type')}" for n, check in foreign)
    return {**{name: [] for name in _TASK_LISTS}, "action": "", **task, "verification": kept}


def _is_known(check: object) -> bool:
    return not isinstance(check, dict) or check.get("type") in _CHECKS
