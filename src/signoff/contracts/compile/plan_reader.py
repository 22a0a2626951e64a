"""Compile a Markdown plan into a contract: as far as the plan goes, with what is missing by line.

Pure, called by `contract compile`. The same bytes give the same contract. Nothing is guessed in silence:
what had to be derived is a warning, and what could not be is a gap. With gaps there is no contract.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Final, NamedTuple

from signoff.contracts.compile.plan_checks import CHECK_LABELS
from signoff.contracts.compile.plan_criteria import CRITERION, NON_GOAL, STOP_CONDITION, entries, items, texts
from signoff.contracts.compile.plan_gaps import Compiled, GapCode, Notes, Traces
from signoff.contracts.compile.plan_outline import FrontmatterField, Part, PlanOutline, Section, outline
from signoff.contracts.compile.plan_tasks import TASK_LABELS, TaskRead, TaskSource, prose, read_task
from signoff.contracts.compile.rule_gaps import rule_gaps
from signoff.domain.work.contract import GeneratedBy
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.canonical import digest
from signoff.text.json.json_text import read_text as decoded
from signoff.text.json.violation_list import shown
from signoff.text.plan_prose import read_item, read_text

MAX_PLAN: Final = 1_000_000

_PHASE = re.compile(r"phase[ \t]+([0-9]{1,9})\b.*", re.IGNORECASE | re.DOTALL)
_TASK = re.compile(r"task[ \t]+([0-9]{1,9})[ \t]*(?:[—–:.-][ \t]*(.*))?", re.IGNORECASE | re.DOTALL)
_BLOCK = re.compile(r"contract for (?:task[ \t]*|t)([0-9]{1,9})\b.*", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"([0-9]{1,9})(?![0-9.])")
_LETTERS = re.compile(r"[^a-z]+")

_SectionReader = Callable[[list[Part]], object]
_NON_GOALS: Final[tuple[str, _SectionReader]] = ("non_goals", lambda parts: entries(parts, NON_GOAL))
_SECTIONS: Final[Mapping[str, tuple[str, _SectionReader]]] = {
    "success criteria": ("success_criteria", lambda parts: entries(parts, CRITERION)),
    "non goals": _NON_GOALS,
    "nongoals": _NON_GOALS,
    "stop conditions": ("stop_conditions", lambda parts: entries(parts, STOP_CONDITION)),
    "definition of done": ("definition_of_done", prose),
    "assumptions": ("assumptions", texts),
    "out of scope": ("out_of_scope", texts),
    "spec changes": ("spec_changes", lambda parts: [read_item(block.source) for block in items(parts)]),
    "guards": ("guards", lambda parts: [read_item(block.source) for block in items(parts)]),
}
"""The headings of lists, the field that each becomes, and how it is read."""
_HEAD_LABELS: Final = frozenset({"goal", "why this phase", "why", "ambiguity"})


class _Plan(NamedTuple):
    """The parts of a plan by what they are for."""

    fields: Mapping[str, FrontmatterField]
    head: tuple[Part, ...]
    phase: FrontmatterField | None
    tasks: tuple[TaskSource, ...]
    sections: Mapping[str, list[Section]]


def compile_plan(data: bytes, *, generated_at: str) -> Compiled:
    """Compile a plan. Never raises on any bytes."""
    notes = Notes()
    text, violations = decoded(data, MAX_PLAN)
    if text is None:
        wrong = violations[0]
        code = GapCode.TOO_LARGE if wrong.code == GapCode.TOO_LARGE else GapCode.NOT_UTF8
        notes.gap(wrong.line or 1, code, f"the plan {wrong.message}", wrong.fix)
        return Compiled(_document(data, generated_at), notes.gaps(), ())
    plan = _sort_sections(outline(text), notes)
    known = frozenset(task.id for task in plan.tasks)
    tasks = [read_task(task, known, notes) for task in plan.tasks]
    _derive_waves(plan.tasks, tasks, notes)
    contract = _document(data, generated_at)
    contract["phase"] = _phase(plan, notes)
    contract["goal"] = _goal(plan, notes)
    contract["why"] = _why(plan, notes)
    contract["tasks"] = [task.document for task in tasks]
    contract |= _read_lists(plan, notes)
    if not tasks:
        notes.gap(1, GapCode.NO_TASKS, "the plan has no task")
    _compare_counts(plan.fields, tasks, notes)
    traces = _traces(plan.tasks, tasks)
    if tasks:
        for gap in rule_gaps(contract, traces.lines):
            notes.gap(*gap)
    return Compiled(contract, notes.gaps(), notes.warnings(), traces)


def _document(data: bytes, generated_at: str) -> JsonObject:
    return {
        "version": 1,
        "phase": 0,
        "goal": "",
        "why": "",
        "generated_at": generated_at,
        "generated_by": GeneratedBy.COMPILE_PLAN.value,
        "source_plan_hash": digest(data),
        "tasks": [],
        "success_criteria": [],
    }


def _sort_sections(page: PlanOutline, notes: Notes) -> _Plan:
    """Sort the sections: head, tasks, contract blocks, lists of the contract, and what is not read.

    The title decides. A section below a task belongs to it, unless it is a block or a list of the contract.
    """
    head: list[Part] = []
    phase: FrontmatterField | None = None
    tasks: dict[str, TaskSource] = {}
    blocks: dict[str, list[tuple[int, tuple[Part, ...]]]] = {}
    sections: dict[str, list[Section]] = {}
    inside: TaskSource | None = None
    level = 0
    for section in page.sections:
        name = _LETTERS.sub(" ", section.title.casefold()).strip()
        if found := _BLOCK.fullmatch(section.title):
            blocks.setdefault(f"T{found[1]}", []).append((section.line, section.parts))
        elif found := _TASK.fullmatch(section.title):
            level = section.level
            title = read_text((found[2] or "").strip(" \t"))
            task = TaskSource(f"T{found[1]}", title, section.line, section.parts, ())
            inside = _add_task(tasks, task, notes)
        elif name in _SECTIONS:
            inside = None
            sections.setdefault(_SECTIONS[name][0], []).append(section)
        elif inside and section.level > level:
            inside = inside._replace(parts=(*inside.parts, *_relabelled(section, name)))
            tasks[inside.id] = inside
        elif (found := _PHASE.fullmatch(section.title)) or section.level <= 1:
            inside = None
            head += section.parts
            phase = phase or (FrontmatterField(section.line, found[1]) if found else None)
        else:
            inside = None
            _warn_of_section(section, name, notes)
    ready = tuple(task._replace(blocks=tuple(blocks.pop(task.id, ()))) for task in tasks.values())
    for name, left in blocks.items():
        for line, _ in left:
            message = f"there is no task {name[1:]} for this contract block"
            notes.gap(line, GapCode.BLOCK_WITHOUT_TASK, message)
    return _Plan(page.fields, tuple(head), phase, ready, sections)


def _add_task(tasks: dict[str, TaskSource], task: TaskSource, notes: Notes) -> TaskSource | None:
    """Add a task and return it, or return None with a gap when its number is taken."""
    if first := tasks.get(task.id):
        notes.gap(task.line, GapCode.DUPLICATE_TASK, f"line {first.line} has a task {task.id[1:]} already")
        return None
    tasks[task.id] = task
    return task


def _relabelled(section: Section, name: str) -> tuple[Part, ...]:
    """Let a heading below a task stand for the label of its name."""
    if name in TASK_LABELS and section.parts and not section.parts[0].label:
        return (section.parts[0]._replace(label=name, line=section.line), *section.parts[1:])
    return section.parts


def _warn_of_section(section: Section, name: str, notes: Notes) -> None:
    for part in section.parts:
        if part.label in CHECK_LABELS:
            message = "nothing says which task this check belongs to"
            fix = "write ### Contract for Task N above it"
            notes.gap(part.line, GapCode.BLOCK_WITHOUT_TASK, message, fix)
            return
    if name != "verification contract" and any(part.blocks for part in section.parts):
        message = f"nothing of a contract stands below {shown(section.title)}"
        notes.warn(
            section.line, GapCode.NOT_READ, message, "leave it to human readers, or correct the heading"
        )


def _derive_waves(sources: Sequence[TaskSource], tasks: Sequence[TaskRead], notes: Notes) -> None:
    """Put each task without a wave into the first one after its dependencies, with a warning."""
    by_id = {source.id: task for source, task in zip(sources, tasks, strict=True)}
    for name in _in_order(by_id):
        task = by_id[name]
        if not task.has_wave:
            before = (_wave(by_id[need]) for need in _needs(by_id, task))
            task.document["wave"] = 1 + max(before, default=0)
    for source, task in zip(sources, tasks, strict=True):
        if not task.has_wave:
            message = f"{source.id} names no wave; wave {_wave(task)} follows from its dependencies"
            notes.warn(source.line, GapCode.WAVE_DERIVED, message)


def _in_order(by_id: Mapping[str, TaskRead]) -> Iterator[str]:
    """Yield the ids of the tasks after what they depend on. Tasks in a circle are left out."""
    sorter = TopologicalSorter({name: _needs(by_id, task) for name, task in by_id.items()})
    # A circle breaks a rule and is a gap already; what lies outside of it has an order all the same.
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        yield from ready
        sorter.done(*ready)


def _needs(by_id: Mapping[str, TaskRead], task: TaskRead) -> list[str]:
    names = task.document["depends_on"]
    return [name for name in names if name in by_id] if isinstance(names, list) else []


def _wave(task: TaskRead) -> int:
    wave = task.document["wave"]
    return wave if isinstance(wave, int) else 0


def _label(plan: _Plan, *names: str) -> Part | None:
    return next((part for name in names for part in plan.head if part.label == name and part.blocks), None)


def _phase(plan: _Plan, notes: Notes) -> int:
    """Return the phase, 0 where there is none. The frontmatter counts before the heading.

    A missing phase is a gap. Two that differ are only a warning, because one of them counts. A phase in the
    frontmatter that is no number counts as missing, even if the heading has one.
    """
    field = plan.fields.get("phase")
    found = _NUMBER.match(field.value) if field else None
    said = FrontmatterField(field.line, found[1] if found else "0") if field else plan.phase
    if said is None or not int(said.value):
        message = "the plan has no phase, which is a number from 1 up"
        notes.gap(said.line if said else 1, GapCode.NO_PHASE, message)
    if found and plan.phase and int(plan.phase.value) != int(found[1]):
        message = f"the frontmatter says phase {found[1]} and the heading {plan.phase.value}"
        notes.warn(plan.phase.line, GapCode.SAID_TWICE, f"{message}; the frontmatter counts")
    return int(said.value) if said else 0


def _goal(plan: _Plan, notes: Notes) -> str:
    field, part = plan.fields.get("goal"), _label(plan, "goal")
    said = read_text(part.source) if part else ""
    goal = field.value if field else said
    if not goal.strip():
        line = field.line if field else part.line if part else 1
        notes.gap(line, GapCode.NO_GOAL, "the plan has no goal")
    elif part and _one_spaced(said) != _one_spaced(goal):
        message = "the goal differs from that of the frontmatter, which counts"
        notes.warn(part.line, GapCode.SAID_TWICE, message)
    return goal


def _why(plan: _Plan, notes: Notes) -> str:
    if "why" in plan.fields:
        return plan.fields["why"].value
    if part := _label(plan, "why this phase", "why"):
        return read_text(part.source)
    reasons = [part for task in plan.tasks for part in task.parts if part.label == "why" and part.blocks]
    if not reasons:
        notes.gap(1, GapCode.NO_WHY, "the plan does not say why")
        return ""
    message = "the plan says why only task by task, so these reasons were joined"
    notes.warn(reasons[0].line, GapCode.WHY_FROM_TASKS, message)
    return " ".join(read_text(part.source) for part in reasons)


def _read_lists(plan: _Plan, notes: Notes) -> JsonObject:
    """Read the lists of the contract. A precision field without a section in the plan is left out."""
    found: JsonObject = {"success_criteria": []}
    for name, read in dict(_SECTIONS.values()).items():
        if name in plan.sections:
            found[name] = read([part for section in plan.sections[name] for part in section.parts])
    for part in plan.head:
        if part.label and part.label not in _HEAD_LABELS:
            notes.warn(part.line, GapCode.NOT_READ, f"the head of a plan has no {shown(part.label)}")
    if not found["success_criteria"]:
        line = min((section.line for section in plan.sections.get("success_criteria", ())), default=1)
        notes.gap(line, GapCode.NO_SUCCESS_CRITERIA, "the plan has no success criteria")
    return found | _ambiguity(plan, notes)


def _ambiguity(plan: _Plan, notes: Notes) -> JsonObject:
    field, part = plan.fields.get("ambiguity_score"), _label(plan, "ambiguity")
    if field is None and part is None:
        return {}
    value = field.value if field else read_item(part.source) if part else ""
    if found := _NUMBER.match(value):
        return {"ambiguity_score": int(found[1])}
    line = field.line if field else part.line if part else 1
    message = f"{shown(value)} is not an ambiguity score"
    notes.gap(line, GapCode.UNREADABLE_VALUE, message, "write a whole number from 0 to 10")
    return {}


def _compare_counts(fields: Mapping[str, FrontmatterField], tasks: Sequence[TaskRead], notes: Notes) -> None:
    waves = {task.document["wave"] for task in tasks}
    for name, count in (("tasks", len(tasks)), ("waves", len(waves))):
        field = fields.get(name)
        if field and field.value != str(count):
            message = f"the frontmatter says {shown(field.value)} {name}, and there are {count}"
            notes.warn(field.line, GapCode.COUNT_DIFFERS, message, f"write {name}: {count}")


def _traces(sources: Sequence[TaskSource], tasks: Sequence[TaskRead]) -> Traces:
    lines: dict[str, int] = {}
    for n, (source, task) in enumerate(zip(sources, tasks, strict=True)):
        lines |= {f"/tasks/{n}": source.line, f"/tasks/{n}/files_modify": task.files_line}
        lines |= {f"/tasks/{n}/verification/{i}": line for i, line in enumerate(task.check_lines)}
    unsorted = (
        (source.id, path) for source, task in zip(sources, tasks, strict=True) for path in task.unsorted
    )
    return Traces(lines, frozenset(unsorted))


def _one_spaced(text: str) -> str:
    return " ".join(text.split())
