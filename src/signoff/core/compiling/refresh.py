"""Compile a plan again without losing what only the contract knew.

Pure; `contract compile --refresh` calls it. The plan wins wherever it says something. Tasks are matched by
id, checks by what they look at, criteria by their text. Compiling the same plan again changes nothing more.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from signoff.core.compiling.gaps import Compiled, Gap, GapCode
from signoff.core.compiling.plan_tasks import LISTS
from signoff.core.compiling.rule_gaps import rule_gaps
from signoff.core.formats.spelling import JsonObject
from signoff.core.sealing import SEAL
from signoff.core.violations import shown

_SAID_BY_EVERY_PLAN: Final = frozenset(
    {
        *("version", "phase", "goal", "why", "generated_at", "generated_by", "source_plan_hash"),
        *("tasks", "success_criteria", SEAL),
    }
)
_OF_A_CHECK: Final = frozenset(
    {
        *("type", "path", "must_contain", "pattern", "expect", "command", "args", "expected_exit"),
        *("description", "evidence_required", "select"),
    }
)
"""What a plan says of a check; whatever else is on an older one is kept."""


def refresh(old: JsonObject, new: Compiled) -> Compiled:
    """Give the newly compiled contract with what only the older one knew; `old` may be any object."""
    before = {task["id"]: task for task in _objects(old.get("tasks")) if isinstance(task.get("id"), str)}
    tasks = [
        _task(before.get(task["id"], {}), task, new.traces.unsorted)
        for task in _objects(new.contract["tasks"])
    ]
    contract = new.contract | {"tasks": tasks}
    for name in ("success_criteria", "non_goals", "stop_conditions"):
        if name in contract:
            contract[name] = _criteria(_list(old.get(name)), _list(contract[name]))
    contract |= {
        name: value for name, value in old.items() if name not in contract and name not in _SAID_BY_EVERY_PLAN
    }
    settled = set(_sorted_now(before, new))
    warnings = [
        gap for gap in new.warnings if gap.code is not GapCode.FILES_NOT_SORTED or gap.line not in settled
    ]
    warnings += _left(old, before, new)
    warnings.sort(key=lambda gap: gap.line)
    return Compiled(contract, _gaps(contract, new), tuple(warnings), new.traces)


def _task(old: JsonObject, new: JsonObject, unsorted: frozenset[tuple[str, str]]) -> JsonObject:
    task = dict(new)
    for name in LISTS:
        task[name] = []
    kinds = {path: name for name in LISTS for path in _list(old.get(name)) if isinstance(path, str)}
    for name in LISTS:
        for path in _list(new[name]):
            is_open = (new["id"], path) in unsorted and name == "files_modify"
            kind = kinds.get(str(path), name) if is_open else name
            task[kind] = [*(known for known in _list(task[kind]) if known != path), path]
    task["verification"] = _checks(_objects(old.get("verification")), _objects(new["verification"]))
    kept = {name: value for name, value in old.items() if name not in task}
    return _in_order(task, kept)


def _in_order(task: JsonObject, kept: JsonObject) -> JsonObject:
    """Put a kept persona where personas stand; everything else that was kept comes last."""
    if "persona" not in kept:
        return task | kept
    head = {name: task[name] for name in ("id", "title", "wave", "depends_on")}
    return head | {"persona": kept["persona"]} | task | kept


def _checks(old: list[JsonObject], new: list[JsonObject]) -> list[JsonObject]:
    partners = _partners(old, new)
    return [_check(old[partners[n]] if n in partners else {}, check) for n, check in enumerate(new)]


def _partners(old: list[JsonObject], new: list[JsonObject]) -> dict[int, int]:
    """Match exact checks first, then those that look at the same thing; each old one once."""
    partners: dict[int, int] = {}
    for key in (_exactly, _subject):
        waiting: dict[str, list[int]] = {}
        taken = set(partners.values())
        for place in reversed(range(len(old))):
            if place not in taken:
                waiting.setdefault(key(old[place]), []).append(place)
        for n, check in enumerate(new):
            if n not in partners and (places := waiting.get(key(check))):
                partners[n] = places.pop()
    return partners


def _exactly(check: JsonObject) -> str:
    return _key({name: check[name] for name in _OF_A_CHECK if name in check and name != "evidence_required"})


def _subject(check: JsonObject) -> str:
    names = ("type", "path", "command", "args", "description", "select")
    return _key({name: check[name] for name in names if check.get(name)})


def _key(value: JsonObject) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _check(old: JsonObject, new: JsonObject) -> JsonObject:
    kept = {name: value for name, value in old.items() if name not in new and name not in _OF_A_CHECK}
    evidence = old.get("evidence_required")
    if new.get("evidence_required") == [] and isinstance(evidence, list) and evidence:
        kept["evidence_required"] = evidence
    return new | kept


def _criteria(old: list[object], new: list[object]) -> list[object]:
    known = {item["description"]: item for item in _objects(old) if isinstance(item.get("description"), str)}
    return [known.get(item, item) if isinstance(item, str) else item for item in new]


def _sorted_now(before: Mapping[object, JsonObject], new: Compiled) -> Iterator[int]:
    """Give the lines of file lists of which the older contract knows what happens to each file."""
    for n, task in enumerate(_objects(new.contract["tasks"])):
        old = before.get(task["id"], {})
        known = {path for name in LISTS for path in _list(old.get(name)) if isinstance(path, str)}
        line = new.traces.lines.get(f"/tasks/{n}/files_modify")
        files = _list(task["files_modify"])
        if line and all(path in known for path in files if (task["id"], path) in new.traces.unsorted):
            yield line


def _left(old: JsonObject, before: Mapping[object, JsonObject], new: Compiled) -> Iterator[Gap]:
    """Say what the older contract had and the new one has not."""
    if old.get(SEAL):
        message = "the older contract was sealed; this is a new one, which nobody has sealed"
        yield Gap(1, GapCode.SEAL_DROPPED, message, "look at it and seal it: `signoff contract seal`")
    tasks = _objects(new.contract["tasks"])
    now = {task["id"]: n for n, task in enumerate(tasks)}
    for name in (name for name in before if name not in now):
        message = f"{shown(str(name))} is no longer in the plan, and left the contract"
        yield Gap(1, GapCode.TASK_LEFT, message, "write it into the plan if it should stay")
    for name, n in now.items():
        checks = _objects(before.get(name, {}).get("verification"))
        kept = set(_partners(checks, _objects(tasks[n]["verification"])).values())
        for place in (place for place in range(len(checks)) if place not in kept):
            message = f"check {place + 1} of {shown(str(name))} is not in the plan, and left the contract"
            line = new.traces.lines.get(f"/tasks/{n}", 1)
            yield Gap(line, GapCode.CHECK_LEFT, message, "write it into the plan if it should stay")


def _gaps(contract: JsonObject, new: Compiled) -> tuple[Gap, ...]:
    """Ask the rules again, and drop the gaps that the older contract's evidence closes."""
    closed = {
        new.traces.lines.get(f"/tasks/{n}/verification/{i}")
        for n, task in enumerate(_objects(contract["tasks"]))
        for i, check in enumerate(_objects(task["verification"]))
        if check.get("evidence_required")
    }
    kept = [
        gap
        for gap in new.gaps
        if gap.code is not GapCode.BREAKS_A_RULE
        and not (gap.code is GapCode.NO_EVIDENCE and gap.line in closed)
    ]
    kept += rule_gaps(contract, new.traces.lines) if contract["tasks"] else ()
    return tuple(sorted(kept, key=lambda gap: gap.line))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[JsonObject]:
    return [item for item in _list(value) if isinstance(item, dict)]
