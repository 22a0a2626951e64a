"""Compile a plan again without losing what only the contract knew.

Pure, called by `contract compile --refresh`. The plan wins wherever it says something. Tasks are matched by
id, checks by id or by what they look at, criteria by id or text. What only the contract has stays behind what
the plan has, with a warning: it may have been added by hand or have left the plan, and to drop it would ask
for less without a word. Compiling the same plan again changes nothing more.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from signoff.contracts.compile.plan_gaps import Compiled, GapCode, PlanGap
from signoff.contracts.compile.plan_tasks import LISTS
from signoff.contracts.compile.rule_gaps import rule_gaps
from signoff.contracts.files.contract_seal import SEAL
from signoff.domain.work.contract import Contract
from signoff.text.json.camel_case import JsonObject, to_snake
from signoff.text.json.violation_list import shown
from signoff.text.repo_paths import plain

_SAID_BY_EVERY_PLAN: Final = frozenset(
    {
        *("version", "phase", "goal", "why", "generated_at", "generated_by", "source_plan_hash"),
        *("tasks", "success_criteria", SEAL),
    }
)
_MERGED: Final[Mapping[str, str]] = {
    "success_criteria": "a success criterion",
    "non_goals": "a non-goal",
    "stop_conditions": "a stop condition",
    "assumptions": "an assumption",
    "out_of_scope": "something out of scope",
}
"""Lists of which both the plan and the contract may know entries, and what one of them is called."""
_FILES: Final = (*LISTS, "context_files")
_SUBJECT: Final = ("type", "path", "pattern", "command", "args", "description", "select")
"""The fields that say what a check looks at. Checks without ids are matched by them."""
_KEEP: Final = "write it into the plan, or take it out of the contract"


class _OlderContract(NamedTuple):
    """The older contract, and what is looked up in it."""

    tasks: Mapping[object, JsonObject]
    """By id."""
    checks: Mapping[object, JsonObject]
    """The checks with an id, by that id. They may have moved to another task."""


def refresh(old: JsonObject, new: Compiled) -> Compiled:
    """Return the newly compiled contract with what only the older one knew. `old` may be any object.

    Tasks and lists are merged one by one, fields without a heading in the plan are taken over, and the rules
    are asked again.
    """
    spelt = to_snake(old, Contract)
    known = spelt if isinstance(spelt, dict) else {}
    earlier = {task["id"]: task for task in _objects(known.get("tasks")) if isinstance(task.get("id"), str)}
    checks = [check for task in earlier.values() for check in _objects(task.get("verification"))]
    before = _OlderContract(earlier, {_id(check): check for check in reversed(checks) if _id(check)})
    tasks = _objects(new.contract["tasks"])
    taken = frozenset(_id(check) for task in tasks for check in _objects(task["verification"])) - {""}
    contract = new.contract | {
        "tasks": [_merged_task(before, task, taken, new.traces.unsorted) for task in tasks]
    }
    for name in (name for name in _MERGED if name in contract):
        contract[name] = _merged_entries(_as_list(known.get(name)), _as_list(contract[name]))
    contract |= {
        name: value
        for name, value in known.items()
        if name not in contract and name not in _SAID_BY_EVERY_PLAN
    }
    settled = set(_sorted_now(before.tasks, new))
    warnings = [
        gap for gap in new.warnings if gap.code is not GapCode.FILES_NOT_SORTED or gap.line not in settled
    ]
    warnings += _dropped(known, before.tasks, new)
    warnings += _kept_warnings(contract, new)
    warnings.sort(key=lambda gap: gap.line)
    return Compiled(contract, _remaining_gaps(contract, new), tuple(warnings), new.traces)


def _merged_task(
    before: _OlderContract, new: JsonObject, taken: frozenset[str], unsorted: frozenset[tuple[str, str]]
) -> JsonObject:
    old = before.tasks.get(new["id"], {})
    task = dict(new) | _merged_files(old, new, unsorted)
    wanted = _as_list(new["acceptance_criteria"])
    task["acceptance_criteria"] = [
        *wanted,
        *(text for text in _distinct_texts(old.get("acceptance_criteria")) if text not in wanted),
    ]
    checks = _objects(old.get("verification"))
    task["verification"] = _merged_checks(checks, _objects(new["verification"]), taken, before.checks)
    kept = {name: value for name, value in old.items() if name not in task}
    if "persona" in kept:  # it stands where personas stand, and all else that was kept comes last
        head = {name: task[name] for name in ("id", "title", "wave", "depends_on")}
        task = head | {"persona": kept["persona"]} | task
    return task | kept


def _merged_files(old: JsonObject, new: JsonObject, unsorted: frozenset[tuple[str, str]]) -> JsonObject:
    """Return the lists of files: those of the plan, then what only the older contract lists.

    A path whose list the plan leaves open goes into the list where the older contract has it.
    """
    files: dict[str, list[object]] = {name: [] for name in LISTS}
    kinds = {path: name for name in LISTS for path in _distinct_texts(old.get(name))}
    for name in LISTS:
        for path in _as_list(new[name]):
            is_open = (new["id"], path) in unsorted and name == "files_modify"
            kind = kinds.get(str(path), name) if is_open else name
            files[kind] = [*(known for known in files[kind] if known != path), path]
    files["context_files"] = _as_list(new["context_files"])
    changed = {plain(str(path)) for name in LISTS for path in _as_list(new[name])}
    for name in _FILES:
        said = changed if name in LISTS else {plain(str(path)) for path in files[name]}
        files[name] = [
            *files[name],
            *(path for path in _distinct_texts(old.get(name)) if plain(path) not in said),
        ]
    return dict(files)


def _merged_checks(
    old: list[JsonObject], new: list[JsonObject], taken: frozenset[str], by_id: Mapping[object, JsonObject]
) -> list[JsonObject]:
    """Return the plan's checks with what was known of them, then those that only the contract has.

    `taken` are the ids of the plan's checks: an old check with such an id is not kept, it is the plan's.
    """
    left = list(old)
    found = []
    for check in new:
        partner = _partner(left, check, taken)
        if partner is not None:
            left.remove(partner)
        found.append(_merged_check(partner or by_id.get(_id(check), {}), check))
    return found + [check for check in left if _id(check) not in taken]


def _partner(left: list[JsonObject], check: JsonObject, taken: frozenset[str]) -> JsonObject | None:
    """Return the old check that this one replaces: of the same id, else one about the same thing.

    Of several the first is taken, or one that says all that the plan says. So a second refresh finds each
    check in its place and changes nothing.
    """
    for old in left:
        if _id(check) and _id(old) == _id(check):
            return old
    alike = [old for old in left if _id(old) not in taken and _subject(old) == _subject(check)]
    return next((old for old in alike if check.items() <= old.items()), next(iter(alike), None))


def _subject(check: JsonObject) -> list[object]:
    return [check.get(name) or None for name in _SUBJECT]


def _merged_check(old: JsonObject, new: JsonObject) -> JsonObject:
    if old.get("type") != new["type"]:
        return new
    kept = {name: value for name, value in old.items() if name not in new}
    evidence = old.get("evidence_required")
    if new.get("evidence_required") == [] and isinstance(evidence, list) and evidence:
        kept["evidence_required"] = evidence
    return new | kept


def _merged_entries(old: list[object], new: list[object]) -> list[object]:
    """Return the plan's entries with what was known of them, then those that only the contract has.

    An entry is found again by its id, otherwise by its text. One whose id the plan has is the plan's.
    """
    taken = {_id(item) for item in new} - {""}
    texts = {_description(item) for item in new} - {""}
    by_id: dict[str, JsonObject] = {}
    by_text: dict[str, list[JsonObject]] = {}
    for entry in _objects(old):
        if _id(entry) in taken:
            by_id.setdefault(_id(entry), entry)
        elif _description(entry):
            by_text.setdefault(_description(entry), []).append(entry)
    found: list[object] = []
    for item in new:
        waiting = by_text.get(_description(item), [])
        known = by_id.get(_id(item)) or (waiting.pop(0) if waiting else {})
        found.append((known | item) if isinstance(item, dict) else known or item)
    behind = (item for item in old if isinstance(item, str | dict))
    return found + [item for item in behind if _id(item) not in taken and _description(item) not in texts]


def _sorted_now(before: Mapping[object, JsonObject], new: Compiled) -> Iterator[int]:
    """Yield the lines of file lists whose open paths are all sorted by the older contract."""
    for n, task in enumerate(_objects(new.contract["tasks"])):
        old = before.get(task["id"], {})
        known = {path for name in LISTS for path in _as_list(old.get(name)) if isinstance(path, str)}
        line = new.traces.lines.get(f"/tasks/{n}/files_modify")
        files = _as_list(task["files_modify"])
        if line and all(path in known for path in files if (task["id"], path) in new.traces.unsorted):
            yield line


def _dropped(old: JsonObject, before: Mapping[object, JsonObject], new: Compiled) -> Iterator[PlanGap]:
    """Yield a warning for what the older contract had and the new one has not: its seal, and tasks."""
    if old.get(SEAL):
        message = "the older contract was sealed, and this new one is not"
        yield PlanGap(1, GapCode.SEAL_DROPPED, message, "look at it and seal it: `signoff contract seal`")
    now = {task["id"] for task in _objects(new.contract["tasks"])}
    for name in (name for name in before if name not in now):
        message = f"{shown(str(name))} is no longer in the plan, and left the contract"
        yield PlanGap(1, GapCode.TASK_LEFT, message, "write it into the plan if it should stay")


def _kept_warnings(contract: JsonObject, new: Compiled) -> Iterator[PlanGap]:
    """Yield a warning for what is not in the plan and stayed in the contract."""
    for name, what in _MERGED.items():
        code = GapCode.CRITERION_KEPT if name == "success_criteria" else GapCode.ENTRY_KEPT
        # A list that the plan does not speak of at all is the contract's own, and nothing to wonder about.
        for item in _only_in_contract(contract, new.contract, name) if name in new.contract else ():
            message = (
                f"{shown(_description(item) or _id(item))} is {what} that only the contract had, and stays"
            )
            yield PlanGap(1, code, message, _KEEP)
    pairs = zip(_objects(contract["tasks"]), _objects(new.contract["tasks"]), strict=True)
    for n, (task, planned) in enumerate(pairs):
        yield from _kept_in_task(task, planned, n, new.traces.lines)


def _kept_in_task(
    task: JsonObject, planned: JsonObject, number: int, lines: Mapping[str, int]
) -> Iterator[PlanGap]:
    """Yield these warnings for one task: its files, its acceptance criteria and its checks.

    What was kept stands behind what the plan has, so the length of the plan's list tells the two apart.
    """
    line = lines.get(f"/tasks/{number}", 1)
    name = task["id"]
    said = {plain(str(path)) for kind in LISTS for path in _as_list(planned[kind])}
    for kind in _FILES:
        before = said if kind in LISTS else {plain(str(path)) for path in _as_list(planned[kind])}
        for path in (path for path in _distinct_texts(task[kind]) if plain(path) not in before):
            message = f"{shown(path)} is in {kind} of {name} in the contract only, and stays"
            yield PlanGap(lines.get(f"/tasks/{number}/files_modify", line), GapCode.FILE_KEPT, message, _KEEP)
    for text in _only_in_contract(task, planned, "acceptance_criteria"):
        message = f"{shown(str(text))} is a criterion of {name} that only the contract had, and stays"
        yield PlanGap(line, GapCode.CRITERION_KEPT, message, _KEEP)
    first = len(_as_list(planned["verification"])) + 1
    for place, check in enumerate(_objects(_only_in_contract(task, planned, "verification")), first):
        about = next(
            (str(check[key]) for key in ("id", "path", "command", "description") if check.get(key)), ""
        )
        message = f"check {place} of {name}, {shown(about)}, is one that only the contract had, and stays"
        yield PlanGap(line, GapCode.CHECK_KEPT, message, _KEEP)


def _only_in_contract(made: JsonObject, planned: JsonObject, name: str) -> list[object]:
    """Return what stands behind the plan's own entries of a list."""
    return _as_list(made[name])[len(_as_list(planned[name])) :]


def _remaining_gaps(contract: JsonObject, new: Compiled) -> tuple[PlanGap, ...]:
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


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _objects(value: object) -> list[JsonObject]:
    return [item for item in _as_list(value) if isinstance(item, dict)]


def _distinct_texts(value: object) -> list[str]:
    return list(dict.fromkeys(item for item in _as_list(value) if isinstance(item, str)))


def _id(item: object) -> str:
    """Return the id of a check or an entry, or an empty string."""
    found = item.get("id") if isinstance(item, dict) else None
    return found if isinstance(found, str) else ""


def _description(item: object) -> str:
    found = item.get("description") if isinstance(item, dict) else item
    return found if isinstance(found, str) else ""
