"""A contract as the page a person reads and edits. Pure, printed by `contract show --format md`.

Everything the contract says is on it, and compiling the page gives the contract back, apart from when, by
whom and from what it was made. So every text goes through `text.plan_prose`, which also reads it.
"""

import json
import re
import shlex
from collections.abc import Collection, Iterable, Iterator
from typing import assert_never

from signoff.domain.work.checks import (
    Behavioral,
    CommandExit,
    ContractCheck,
    Evidence,
    FileExists,
    ForbiddenPattern,
    GrepMatch,
    RunTests,
)
from signoff.domain.work.contract import (
    Contract,
    Criterion,
    NonGoal,
    StopCondition,
    Task,
    TaskPersona,
    VerificationMethod,
)
from signoff.text.json.camel_case import camel
from signoff.text.plan_prose import EMPTY, is_odd, written_item, written_text

_SINGLE_BREAK = re.compile(r"(?<=[^\n])\n(?=[^\n])")


def contract_page(contract: Contract, given: Collection[str] = ()) -> str:
    """Return the page. A seal is not on it, because what is compiled from it is a new contract.

    `given` are the keys of the file, in either spelling: an empty field among them is written as one, so that
    it is not missing in what is compiled from the page.
    """
    blocks = [*_head(contract), *(block for task in contract.tasks for block in _task(task))]
    for name, title, content in _sections(contract):
        if getattr(contract, name) or name in given or camel(name) in given:
            blocks += [f"## {title}", content]
    blocks.append("## Verification Contract")
    blocks += (
        block for task in contract.tasks for check in task.verification for block in _check(task, check)
    )
    return "\n\n".join(blocks) + "\n"


def _sections(contract: Contract) -> Iterator[tuple[str, str, str]]:
    """Yield each field with a section of its own, with the title and the text of that section."""
    criteria = _bullets(map(_criterion, contract.success_criteria), mark="- [ ] ")
    yield "success_criteria", "Success Criteria", criteria
    yield "non_goals", "Non-goals", _bullets(map(_non_goal, contract.non_goals))
    yield "stop_conditions", "Stop Conditions", _bullets(map(_stop_condition, contract.stop_conditions))
    yield "definition_of_done", "Definition of Done", "\n\n".join(_prose(contract.definition_of_done))
    yield "assumptions", "Assumptions", _bullets(map(written_text, contract.assumptions))
    yield "out_of_scope", "Out of Scope", _bullets(map(written_text, contract.out_of_scope))
    yield "spec_changes", "Spec Changes", _bullets(map(written_item, contract.spec_changes))
    yield "guards", "Guards", _bullets(map(written_item, contract.guards))


def _head(contract: Contract) -> Iterator[str]:
    fields = {
        "phase": contract.phase,
        "goal": _scalar(contract.goal),
        "tasks": len(contract.tasks),
        "waves": len({task.wave for task in contract.tasks}),
    }
    if not contract.why:
        fields["why"] = EMPTY
    yield "\n".join(("---", *(f"{name}: {value}" for name, value in fields.items()), "---"))
    yield f"# Phase {contract.phase}"
    yield _labels(
        ("Goal", written_text(contract.goal)),
        ("Why this phase", written_text(contract.why) if contract.why else None),
        ("Ambiguity", None if contract.ambiguity_score is None else str(contract.ambiguity_score)),
    )


def _task(task: Task) -> Iterator[str]:
    # The mark stands inside the code span, or before the word.
    context = [written_item(f"@{path}").removeprefix("\\") for path in task.context_files]
    lists = (task.files_modify, task.files_create, task.files_delete)
    yield "---"
    yield f"## Task {task.id[1:]} — {written_text(task.title) if task.title else ''}".rstrip(" ")
    yield _labels(
        ("Wave", str(task.wave)),
        ("Persona", None if task.persona is TaskPersona.NONE else task.persona.value),
        ("Depends on", ", ".join(f"Task {name[1:]}" for name in task.depends_on) or "none"),
        ("Files to modify", _items(task.files_modify)),
        ("Files to create", _items(task.files_create)),
        ("Files to delete", _items(task.files_delete)),
        ("Files", None if any(lists) else "none"),
        ("Context", f"Read {', '.join(context)}" if context else None),
    )
    if task.acceptance_criteria:
        yield "\n".join(
            (
                "**Acceptance Criteria:**",
                "",
                *(f"- {written_text(text)}" for text in task.acceptance_criteria),
            )
        )
    if task.action:
        yield from ("**Action:**", *_prose(task.action))


def _check(task: Task, check: ContractCheck) -> Iterator[str]:
    """Yield the block of a check, with the labels that the plan reader knows for its type.

    The reverse of `contracts/compile/plan_checks.py`: what is written here must be read back as the same
    check.
    """
    title = f" — {written_text(task.title)}" if task.title else ""
    yield f"### Contract for Task {task.id[1:]}{title}"
    tag = str(check.__struct_config__.tag)
    shared = (
        ("Check type", tag),
        ("Id", (written_item(check.id) if check.id else None)),
        ("Guard", "yes" if check.guard else None),
    )
    match check:
        case FileExists():
            contains = None if check.must_contain is None else written_item(check.must_contain)
            yield _labels(*shared, ("Path", written_item(check.path)), ("Contains", contains))
        case GrepMatch():
            yield _labels(
                *shared,
                ("Path", written_item(check.path)),
                ("Pattern", written_item(check.pattern)),
                ("Expect", check.expect.value),
            )
        case CommandExit():
            yield _labels(*shared, *_command(check))
        case Behavioral():
            yield _labels(*shared, ("Expected", written_text(check.description)))
            if check.evidence_required:
                yield "\n".join(("**Evidence:**", "", *map(_evidence, check.evidence_required)))
        case RunTests():
            yield _labels(*shared, ("Select", _items(check.select)))
        case _:
            assert_never(check)


def _command(check: CommandExit) -> Iterator[tuple[str, str | None]]:
    match_ = check.expect_stdout_match
    yield "Command", written_item(shlex.join((check.command, *check.args)))
    yield "Exit code", str(check.expected_exit)
    yield "Output matches", None if match_ is None else written_item(match_)
    yield "Folder", None if check.cwd == "." else written_item(check.cwd)
    yield "Timeout", f"{check.timeout_ms} ms"
    yield "Once", "yes" if check.once else None


def _evidence(item: Evidence) -> str:
    matches = "" if item.matcher is None else f" matches {written_item(item.matcher)}"
    return f"- {written_item(item.path)}{matches} — {written_text(item.description)}"


def _criterion(item: str | Criterion) -> str:
    if isinstance(item, str):
        return written_text(item)
    method = item.verification_method
    return _with_suffix(
        item.description,
        item.id,
        None if method is VerificationMethod.UNIT_TEST else f"method: {method.value}",
        _entry("proven by", item.proven_by),
        None if item.required else "optional",
        "guard" if item.guard else None,
    )


def _stop_condition(item: str | StopCondition) -> str:
    if isinstance(item, str):
        return written_text(item)
    return _with_suffix(item.description, item.id, _entry("proven by", item.proven_by))


def _non_goal(item: str | NonGoal) -> str:
    if isinstance(item, str):
        return written_text(item)
    return _with_suffix(
        item.description,
        item.id,
        _entry("untouched", item.untouched),
        None if item.dependencies is None else f"dependencies: {item.dependencies.value}",
        _entry("exports", item.exports),
        *map(_forbidden, item.forbidden),
    )


def _forbidden(item: ForbiddenPattern) -> str:
    paths = f" in {_items(item.paths)}" if item.paths else ""
    return f"forbidden: {written_item(item.pattern)}{paths}"


def _with_suffix(text: str, name: str, *entries: str | None) -> str:
    said = "; ".join((f"id: {written_item(name)}", *(entry for entry in entries if entry)))
    return f"{written_text(text)} ({said})"


def _entry(name: str, values: tuple[str, ...]) -> str | None:
    return f"{name}: {_items(values)}" if values else None


def _bullets(lines: Iterable[str], mark: str = "- ") -> str:
    return "\n".join(f"{mark}{line}" for line in lines) or "none"


def _scalar(text: str) -> str:
    """Return a value of the frontmatter, safe for viewers that render frontmatter as a heading."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if c in "<[" or is_odd(c) else c for c in written)


def _labels(*pairs: tuple[str, str | None]) -> str:
    return "\n".join(f"**{label}:** {value}" for label, value in pairs if value is not None)


def _items(values: tuple[str, ...]) -> str | None:
    return ", ".join(map(written_item, values)) or None


def _prose(text: str) -> Iterator[str]:
    """Return a paragraph for each line. What a paragraph cannot hold is written as a character reference."""
    return (written_text(line) for line in _SINGLE_BREAK.split(text))
