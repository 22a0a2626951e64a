"""Bring a plan contract of an older version to the current one. Pure, called by `contract compile --upgrade`.

Only what the older version wrote differently is changed, and each change is named. A contract of the current
version is returned as it is.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from signoff.domain.base.violations import Violation
from signoff.domain.work.contract import GeneratedBy
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.violation_list import fault, shown

CURRENT: Final = 1

_NUMBER = re.compile(r"(?:task\s{0,3}|t)?([0-9]{1,9})", re.IGNORECASE)
_LISTS: Final = (
    *("depends_on", "files_modify", "files_create", "files_delete"),
    *("acceptance_criteria", "context_files", "verification"),
)
_RENAMED: Final[Mapping[str, str]] = {"files": "files_modify", "done_when": "acceptance_criteria"}


class UpgradeCode(StrEnum):
    """What can keep a contract from being brought up to date."""

    UNKNOWN_VERSION = "unknown-version"


class Upgraded(NamedTuple):
    """A contract of the current version, and what was changed on the way."""

    contract: JsonObject
    changes: tuple[str, ...]
    """A sentence for each change. Empty for a contract of the current version."""
    violations: tuple[Violation, ...]


def upgrade(old: JsonObject) -> Upgraded:
    """Upgrade a contract. `old` may be any object, and fields that are unknown in it are kept.

    The version decides whether it can be upgraded. Then missing fields are set, and each task is upgraded.
    """
    version = old.get("version")
    if version not in (None, 0, CURRENT) or isinstance(version, bool):
        message = (
            f"version {shown(version) if isinstance(version, str | int | float) else 'given'} is not known"
        )
        fix = f"use a newer signoff, or write version {CURRENT}"
        wrong = fault(UpgradeCode.UNKNOWN_VERSION, message, "/version", fix=fix)
        return Upgraded(old, (), (wrong,))
    changes: list[str] = []
    contract: JsonObject = dict(old)
    if version != CURRENT:
        contract = {"version": CURRENT} | {name: old[name] for name in old if name != "version"}
        changes.append(f"/version: set to {CURRENT}")
    for name, value in (
        ("generated_by", GeneratedBy.MANUAL.value),
        ("source_plan_hash", ""),
        ("tasks", []),
        ("success_criteria", []),
    ):
        if name not in contract:
            contract[name] = value
            changes.append(
                f"/{name}: was missing, set to {shown(value) if isinstance(value, str) else 'an empty list'}"
            )
    tasks = contract["tasks"]
    if isinstance(tasks, list):
        contract["tasks"] = [
            _task(task, f"/tasks/{n}", changes) if isinstance(task, dict) else task
            for n, task in enumerate(tasks)
        ]
    return Upgraded(contract, tuple(changes), ())


def _task(old: JsonObject, path: str, changes: list[str]) -> JsonObject:
    """Return a task with its id, renamed fields, dependencies and missing lists brought up to date.

    Each change is noted. Fields are renamed before missing ones are set, so that nothing is written over.
    """
    task = dict(old)
    if (name := _task_id(old.get("id"))) and name != old.get("id"):
        task["id"] = name
        changes.append(f"{path}/id: {shown(name)} in place of a number")
    for before, after in _RENAMED.items():
        if before in task and after not in task:
            task = {after if name == before else name: value for name, value in task.items()}
            value = task[after]
            task[after] = [value] if isinstance(value, str) else value
            changes.append(f"{path}/{before}: renamed to {after}")
    wanted = _dependencies(task.get("depends_on", []))
    if "depends_on" in task and wanted != task["depends_on"]:
        task["depends_on"] = wanted
        changes.append(f"{path}/depends_on: written as a list of task ids")
    for name in (name for name in _LISTS if name not in task):
        task[name] = []
        changes.append(f"{path}/{name}: was missing, set to an empty list")
    if "action" not in task:
        task["action"] = ""
        changes.append(f"{path}/action: was missing, set to an empty text")
    return task


def _task_id(value: object) -> str:
    """Return `T1` for 1 and "1", or an empty string for what is not the number of a task."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return ""
    found = _NUMBER.fullmatch(str(value).strip())
    return f"T{found[1]}" if found else ""


def _dependencies(value: object) -> object:
    if value is None or (isinstance(value, str) and value.strip().casefold() in ("", "none")):
        return []
    items = value.split(",") if isinstance(value, str) else [value] if isinstance(value, int) else value
    if not isinstance(items, list):
        return value
    return [_task_id(item) or item for item in items]
