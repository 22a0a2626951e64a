"""A task of a plan as a task of a contract. Pure, called by the plan reader."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from signoff.contracts.compile.plan_checks import CHECK_LABELS, CHECK_TYPE, read_block, read_validation
from signoff.contracts.compile.plan_criteria import texts
from signoff.contracts.compile.plan_gaps import GapCode, Notes
from signoff.contracts.compile.plan_outline import BlockKind, Part
from signoff.contracts.rules.format_rules import MAX_ACTION
from signoff.domain.work.contract import TaskPersona
from signoff.text.json.camel_case import JsonObject
from signoff.text.json.violation_list import shown
from signoff.text.plan_prose import code_in, pieces, read_item, read_text, says_nothing, split

TASK_LABELS: Final = frozenset(
    {
        *("wave", "persona", "files", "files to modify", "files to create", "files to delete"),
        *("depends on", "why", "acceptance criteria", "done when", "action", "validation", "context"),
    }
)
LISTS: Final = ("files_modify", "files_create", "files_delete")

_KINDS: Final = {
    **dict.fromkeys(("new", "create", "created", "add", "added"), "files_create"),
    **dict.fromkeys(("delete", "deleted", "remove", "removed"), "files_delete"),
    **dict.fromkeys(("modify", "modified", "edit", "edited", "update", "updated", "change"), "files_modify"),
}
_WAVE = re.compile(r"([0-9]{1,9})\b")
_DEPENDENCY = re.compile(r"\b(?:task[ \t]{0,3}#?|t)([0-9]{1,9})\b", re.IGNORECASE)
_NONE = re.compile(r"none\b", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\b([0-9]{1,9})\b")
_MENTION = re.compile(r"@((?:\\.|&#[0-9]{1,7};|[^\s,;\\])+)")


class TaskSource(NamedTuple):
    """What a plan holds for one task."""

    id: str
    title: str
    line: int
    parts: tuple[Part, ...]
    blocks: tuple[tuple[int, tuple[Part, ...]], ...]
    """Contract blocks from elsewhere in the plan, each with its line."""


class TaskRead(NamedTuple):
    """A task, and what only the plan knows about it."""

    document: JsonObject
    has_wave: bool
    check_lines: tuple[int, ...]
    unsorted: frozenset[str]
    files_line: int


def read_task(source: TaskSource, known: frozenset[str], notes: Notes) -> TaskRead:
    """Return the task. Its wave is 1 where the plan names none, for the reader to derive.

    Each field is read from its label by a function of its own, in the order in which the contract lists them.
    """
    own = [part for part in source.parts if part.label not in CHECK_LABELS]
    labels: dict[str, Part] = {}
    for part in own:
        labels.setdefault(part.label, part)
        if part.label and part.label not in TASK_LABELS:
            notes.warn(part.line, GapCode.NOT_READ, f"a task has no {shown(part.label)}")
    if not source.title:
        notes.warn(source.line, GapCode.NO_TITLE, f"{source.id} has no title")
    wave = _wave(labels.get("wave"), notes)
    files_line = labels["files"].line if "files" in labels else source.line
    files, unsorted = _files(source, labels, notes)
    checks = tuple(_checks(source, labels.get("validation"), notes))
    task: JsonObject = {"id": source.id, "title": source.title, "wave": wave or 1}
    task["depends_on"] = _dependencies(labels.get("depends on"), known, notes)
    if persona := _persona(labels.get("persona"), notes):
        task["persona"] = persona
    task |= files
    task["acceptance_criteria"] = _acceptance(source, labels, notes)
    said = labels.get("action")
    task["action"] = action = prose([said]) if said else ""
    if said and len(action) > MAX_ACTION:
        message = f"the action has {len(action)} characters, and {MAX_ACTION} is the most"
        notes.gap(said.line, GapCode.ACTION_TOO_LONG, message)
    task["context_files"] = _context(labels.get("context"))
    task["verification"] = [check for _, check in checks]
    return TaskRead(task, wave is not None, tuple(line for line, _ in checks), unsorted, files_line)


def prose(parts: Iterable[Part]) -> str:
    """Return everything below labels as one text, with a line for each paragraph and item."""
    lines = []
    for block in (block for part in parts for block in part.blocks):
        match block.kind:
            case BlockKind.TEXT:
                lines.append(read_text(block.source))
            case BlockKind.BULLET:
                lines.append(f"- {read_text(block.source)}")
            case BlockKind.CODE:
                lines.append(block.source)
    return "\n".join(lines)


def _wave(part: Part | None, notes: Notes) -> int | None:
    if part is None or not part.source:
        return None
    found = _WAVE.match(read_item(part.source))
    if not found:
        message = f"{shown(part.source)} is not the number of a wave"
        notes.gap(part.line, GapCode.UNREADABLE_VALUE, message, "write a whole number from 1 up")
    return int(found[1]) if found else None


def _persona(part: Part | None, notes: Notes) -> str:
    if part is None or not part.source:
        return ""
    name = read_item(part.source).casefold()
    if name not in tuple(TaskPersona):
        message = f"{shown(name)} is not a persona"
        notes.gap(part.line, GapCode.UNKNOWN_PERSONA, message, f"write one of {', '.join(TaskPersona)}")
        return ""
    return name


def _dependencies(part: Part | None, known: frozenset[str], notes: Notes) -> list[object]:
    if part is None or says_nothing(part.source) or _NONE.match(part.source):
        return []
    numbers = _DEPENDENCY.findall(part.source) or _BARE_NUMBER.findall(part.source)
    names = [f"T{number}" for number in numbers]
    unknown = [name for name in names if name not in known] if names else [part.source]
    for name in unknown:
        notes.gap(part.line, GapCode.UNKNOWN_DEPENDENCY, f"there is no task {shown(name)}")
    return list(names)


def _acceptance(source: TaskSource, labels: dict[str, Part], notes: Notes) -> list[object]:
    parts = [labels[name] for name in ("acceptance criteria", "done when") if name in labels]
    found = texts(parts[:1])
    if parts and parts[0].label == "done when":
        message = "`Done when` is an older word for acceptance criteria, and was read as these"
        notes.warn(parts[0].line, GapCode.LEGACY_ANCHOR, message)
    if not found:
        line = parts[0].line if parts else source.line
        notes.gap(line, GapCode.NO_ACCEPTANCE_CRITERIA, f"{source.id} has no acceptance criteria")
    return list(found)


def _context(part: Part | None) -> list[object]:
    """Return each `@path` and each path in backticks, where an `@` is only a mark."""
    found: list[object] = []
    for block in part.blocks if part else ():
        for is_code, source in pieces(block.source):
            if is_code:
                found.append(code_in(source).removeprefix("@"))
            else:
                found += (
                    read_text(word[:-1] if word.endswith(".") and not word.endswith("\\.") else word)
                    for word in _MENTION.findall(source)
                )
    return found


def _files(source: TaskSource, labels: dict[str, Part], notes: Notes) -> tuple[JsonObject, frozenset[str]]:
    """Sort the paths into the three lists. A path that does not say otherwise is taken to be modified.

    Returned beside the lists are these paths, because a refresh may know better.
    """
    sorted_: dict[str, list[object]] = {name: [] for name in LISTS}
    unsorted: list[str] = []
    for kind in LISTS:
        part = labels.get(f"files to {kind.removeprefix('files_')}")
        for path, _ in _paths(part):
            sorted_[kind].append(path)
    plain = labels.get("files")
    for path, annotation in _paths(plain):
        kind = next((_KINDS[word] for word in annotation.casefold().split() if word in _KINDS), "")
        sorted_[kind or "files_modify"].append(path)
        unsorted += [] if kind else [path]
    if plain and unsorted:
        message = f"nothing says whether {shown(unsorted[0])} is created, so it was taken to be modified"
        if len(unsorted) > 1:
            message = (
                f"nothing says which of {len(unsorted)} files are created; all were taken to be modified"
            )
        notes.warn(plain.line, GapCode.FILES_NOT_SORTED, message)
    if not plain and not any(f"files to {kind.removeprefix('files_')}" in labels for kind in LISTS):
        notes.warn(source.line, GapCode.NO_FILES, f"{source.id} names no files, so it may not change any")
    return dict(sorted_), frozenset(unsorted)


def _paths(part: Part | None) -> Iterator[tuple[str, str]]:
    """Yield each path with the words in brackets behind it."""
    for item in chain.from_iterable(split(block.source, ",") for block in part.blocks) if part else ():
        if says_nothing(item):
            continue
        found = list(pieces(item))
        if found[0].is_code:
            rest = item[len(found[0].source) :].strip(" \t")
            yield code_in(found[0].source), rest[1:].partition(")")[0] if rest.startswith("(") else ""
            continue
        path, bracket, annotation = item.rpartition("(")
        if bracket and item.endswith(")") and path.endswith((" ", "\t")):
            yield read_text(path.rstrip(" \t")), annotation[:-1]
        else:
            yield read_text(item), ""


def _checks(source: TaskSource, validation: Part | None, notes: Notes) -> Iterator[tuple[int, JsonObject]]:
    """Yield the checks of the task's contract blocks, or of its validation bullets if it has no block.

    Blocks may stand inside the task or elsewhere in the plan. Bullets beside blocks are not read.
    """
    own = [part for part in source.parts if part.label in CHECK_LABELS]
    blocks = list(_split_blocks(own, source.line)) if any(part.label == CHECK_TYPE for part in own) else []
    blocks += [block for line, parts in source.blocks for block in _split_blocks(parts, line)]
    for line, parts in blocks:
        if (check := read_block(parts, line, notes)) is not None:
            yield line, check
    bullets = validation.bullets if validation else ()
    if blocks:
        if validation and bullets:
            message = f"{source.id} has contract blocks, so its validation bullets are no checks"
            notes.warn(
                validation.line, GapCode.NOT_READ, message, "write a contract block for each that counts"
            )
        return
    if not validation or not bullets:
        message = f"no contract block says how {source.id} is checked"
        fix = f"add: ### Contract for Task {source.id[1:]}, with **Check type:**, **Command:**, **Expected:**"
        notes.gap(source.line, GapCode.NO_CHECK, message, fix)
        return
    message = f"{source.id} has no contract block, so its validation bullets became its checks"
    notes.warn(validation.line, GapCode.CHECK_FROM_VALIDATION, message)
    for bullet in bullets:
        if (check := read_validation(bullet, notes)) is not None:
            yield bullet.line, check


def _split_blocks(parts: Sequence[Part], line: int) -> Iterator[tuple[int, tuple[Part, ...]]]:
    """Split at each check type. What stands before the first one belongs to it."""
    starts = [n for n, part in enumerate(parts) if part.label == CHECK_TYPE]
    bounds = [0, *starts[1:], len(parts)]
    for begin, end in pairwise(bounds):
        block = tuple(parts[begin:end])
        typed = next((part.line for part in block if part.label == CHECK_TYPE), line)
        yield typed, block
