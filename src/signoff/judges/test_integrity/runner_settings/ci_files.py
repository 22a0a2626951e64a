"""Compare files whose lines run tests: CI, Makefiles, shell scripts, tox and nox. Pure.

A command is compared with its like on the other side, and so is its surrounding: a script that goes on after
a failure, a step that is allowed to fail, a job that never runs.
"""

import re
from collections.abc import Iterator, Sequence

from signoff.domain.evidence.case_records import WeakeningKind, quoted
from signoff.judges.test_integrity.runner_settings.runner_commands import (
    RunnerCommand,
    Weakened,
    fewer_places,
    test_commands,
    weaker_options,
)

_SWITCHES = (
    (
        "continue-on-error: true",
        re.compile(
            r"^[ \t]*(?:-[ \t]+)?continue(?:-on-error|OnError)\s*:\s*['\"]?(?:true|\$\{\{\s*true)",
            re.MULTILINE,
        ),
    ),
    (
        "allow_failure: true",
        re.compile(
            r"^[ \t]*(?:-[ \t]+)?allow_failure\s*:(?:\s*true|\s*\n\s+exit_codes)|allow_failures\s*:",
            re.MULTILINE,
        ),
    ),
    (
        "if: false",
        re.compile(r"^[ \t]*(?:-[ \t]+)?(?:if|condition)\s*:\s*['\"]?(?:\$\{\{\s*)?false\b", re.MULTILINE),
    ),
    ("when: never", re.compile(r"^[ \t]*(?:-[ \t]+)?when\s*:\s*['\"]?(?:never|manual)", re.MULTILINE)),
    (
        "ignore_outcome = true",
        re.compile(r"^\s*ignore_(?:outcome|errors)\s*[=:]\s*true", re.MULTILINE | re.IGNORECASE),
    ),
    ("catchError", re.compile(r"\bcatchError\b[^\n]*|\breturnStatus\s*:\s*true")),
)
_TRIGGERS = re.compile(
    r"^\s*-?\s*(pull_request|push|merge_group)\b|^\s*on\s*:.*\b(pull_request|push)\b", re.MULTILINE
)
_DOES = re.compile(r"^\s*(?:-\s+)?(?:run|uses|script|command|bash|task)\s*:", re.MULTILINE)


def ci_weakened(
    path: str, old: str, new: str, elsewhere: Sequence[RunnerCommand] = (), *, is_gone: bool = False
) -> Iterator[tuple[int, Weakened]]:
    """Yield what the second text runs less, or whose failure it now ignores, with the line.

    `elsewhere` are the commands that other files of the change run and did not run before.
    """
    if is_gone and elsewhere:
        return  # another service, or another file of it, runs tests now
    programs = frozenset(map(_runner, elsewhere))
    yield from _commands_weakened(list(test_commands(old, path)), list(test_commands(new, path)), programs)
    for name, pattern in _SWITCHES:
        before, after = _counted(pattern, old), _counted(pattern, new)
        if len(after) > len(before):
            message = f"`{name}` lets a failure pass: {len(before)} times before, {len(after)} after"
            yield after[-1], Weakened(WeakeningKind.COLLECTION_NARROWED, message)
    lost = _triggers(old) - _triggers(new)
    if lost and any(test_commands(new, "")):
        message = f"tests no longer run on {', '.join(sorted(lost))}; before they did"
        yield 1, Weakened(WeakeningKind.COLLECTION_NARROWED, message)


def fresh_commands(path: str, old: str, new: str) -> list[RunnerCommand]:
    """Return the commands of the second text that the first one does not have."""
    known = {command.text for command in test_commands(old, path)}
    return [command for command in test_commands(new, path) if command.text not in known]


def _runner(command: RunnerCommand) -> str:
    return command.program.removeprefix("python -m ").removeprefix("npx ").partition(" ")[0]


def _commands_weakened(
    old: list[RunnerCommand], new: list[RunnerCommand], elsewhere: frozenset[str]
) -> Iterator[tuple[int, Weakened]]:
    pairs, left, free = _paired(old, new)
    for command, other in pairs:
        if other.text != command.text:
            yield from ((other.line, weakened) for weakened in weaker_options(command.text, other.text))
            if fewer_places(command.text, other.text):
                message = f"runs less: {quoted(command.text)} → {quoted(other.text)}"
                yield other.line, Weakened(WeakeningKind.COLLECTION_NARROWED, message)
        for reason in other.lost:
            if reason not in command.lost:
                message = f"a failure no longer counts: {quoted(other.text)}, {reason}; before it did"
                yield other.line, Weakened(WeakeningKind.COLLECTION_NARROWED, message)
    for command in left:
        # A command that is there instead, here or in another file, may run the same tests.
        if not free and _runner(command) not in elsewhere:
            message = f"a step that runs tests is gone: {quoted(command.text)} → nothing"
            yield 1, Weakened(WeakeningKind.COLLECTION_NARROWED, message)


def _paired(
    old: list[RunnerCommand], new: list[RunnerCommand]
) -> tuple[list[tuple[RunnerCommand, RunnerCommand]], list[RunnerCommand], list[RunnerCommand]]:
    """Pair commands that are alike, the most alike first.

    Returns the pairs, and the commands left over on each side.
    """
    pairs: list[tuple[RunnerCommand, RunnerCommand]] = []
    left, free = old, list(new)
    for is_alike in (
        lambda a, b: (a.text, a.lost) == (b.text, b.lost),
        lambda a, b: a.text == b.text,
        lambda a, b: a.program == b.program,
    ):
        rest: list[RunnerCommand] = []
        for command in left:
            other = next((other for other in free if is_alike(command, other)), None)
            if other is None:
                rest.append(command)
            else:
                free.remove(other)
                pairs.append((command, other))
        left = rest
    return pairs, left, free


# --- what stands around the commands ---


def _counted(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return the lines of a switch that may concern tests."""
    lines = text.split("\n")
    found = [text.count("\n", 0, match.start()) for match in pattern.finditer(text)]
    return [at + 1 for at in found if not _is_about_else(lines, at)]


def _is_about_else(lines: list[str], at: int) -> bool:
    """Check whether a switch belongs to a single step that does something other than run tests.

    The step begins at the dash above the switch in the same column, and ends where the indent falls back to
    it. A switch of a whole job is not about one step.
    """
    column = len(lines[at]) - len(lines[at].lstrip(" -"))
    begin = at
    while begin >= 0 and not (lines[begin].lstrip().startswith("- ") and _column(lines[begin]) == column):
        if lines[begin].strip() and _column(lines[begin]) < column:
            return False
        begin -= 1
    if begin < 0:
        return False
    dash = len(lines[begin]) - len(lines[begin].lstrip())
    end = begin + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > dash):
        end += 1
    step = "\n".join(lines[begin:end])
    return _DOES.search(step) is not None and not any(test_commands(step, ""))


def _column(line: str) -> int:
    return len(line) - len(line.lstrip(" -"))


def _triggers(text: str) -> set[str]:
    return {first or second for first, second in _TRIGGERS.findall(text)}
