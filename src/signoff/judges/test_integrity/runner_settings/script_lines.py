"""The lines of scripts: which belong together, and whether a failing line would end the script. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

_MOST_JOINED = 40
_MOST_AROUND = 200
"""Lines of a script that are looked at before and after a command."""
_OFF = re.compile(r"^set\s+(?:\+\w*e\w*|\+o\s+errexit)\b")
_ON = re.compile(r"^set\s+(?:-\w*e\w*|-o\s+errexit)\b")
_WELL = re.compile(r"^(?:exit\s+0|true|:)\s*(?:#.*)?$")
_TRAPPED = re.compile(r"^trap\s+['\"]?(?:exit 0|true)")
_SHELL = re.compile(r"^\s*shell\s*:\s*['\"]?(?:bash|sh)\s+(?!-\w*e)(?:\+e|\{0\})")
_MAKE = re.compile(r"(?:^|/)(?:GNUm|[Mm])akefile$|\.mk$")
_PREFIX = re.compile(r"^\s*(?:(?:-\s+)?(?:run|script|command|bash)\s*:\s*|-\s+)?")


def logical_lines(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, joined where one ends in a backslash or leaves a bracket open."""
    at = 0
    while at < len(rows):
        number, line = at + 1, rows[at]
        while at + 1 < len(rows) and at - number < _MOST_JOINED and _goes_on(line):
            at += 1
            line = f"{line.rstrip().removesuffix(chr(92)).rstrip()} {rows[at].strip()}"
        yield number, line
        at += 1


def _goes_on(line: str) -> bool:
    bare = line.rstrip()
    is_open_call = "session.run" in bare and bare.count("(") > bare.count(")")
    return bare.endswith(chr(92)) or is_open_call


def without_prefix(line: str, path: str) -> str:
    """Return a line of a Makefile or tox.ini without the characters that control how it is run."""
    if _MAKE.search(path):
        return re.sub(r"^(\t\s*)[@+-]+\s*", r"\1", line)
    return re.sub(r"^(\s+|\s*commands\w*\s*=\s*)[-!]\s*", r"\1", line) if path.endswith("tox.ini") else line


def failure_lost(rows: Sequence[str], at: int, path: str) -> tuple[str, ...]:
    """Return the reasons why a failure of the command in this row would not count, by the lines around it.

    A leading dash decides in Makefiles and tox.ini. In scripts it is the last `set` before the command, a
    trap, and lines before or behind it that make the script end well.
    """
    found: list[str] = []
    row = rows[at]
    if path.endswith("tox.ini") and re.match(r"^(?:\s+|\s*commands\w*\s*=\s*)-\s*\S", row):
        found.append("tox ignores the failure of a line with a leading dash")
    if _MAKE.search(path) and re.match(r"^\t\s*[@+]*-", row):
        found.append("make ignores the failure of a line with a leading dash")
    if _MAKE.search(path) or path.endswith((".ini", ".py", ".toml")):
        return tuple(found)
    before, after = _around(rows, at)
    switched = [word for word in before if _OFF.match(word) or _ON.match(word)]
    if switched and _OFF.match(switched[-1]):
        found.append(f"`{switched[-1]}` stands before it")
    if any(_TRAPPED.match(word) for word in before):
        found.append("a trap makes the script end well")
    if any(_WELL.match(word) for word in before if word.startswith("exit")):
        found.append("`exit 0` stands before it")
    if after and _WELL.match(after[-1]):
        found.append(f"`{after[-1]}` stands behind it")
    if any(_SHELL.match(word) for word in rows[max(0, at - 6) : at + 6]):
        found.append("its shell goes on after a failure")
    return tuple(found)


def _around(rows: Sequence[str], at: int) -> tuple[list[str], list[str]]:
    """Return the lines of the same script at the same depth, before and after a row, without comments.

    A line that is indented less ends the script in either direction.
    """
    before = list(_same_depth(rows, range(at - 1, max(-1, at - _MOST_AROUND), -1), _indent(rows[at])))
    after = list(_same_depth(rows, range(at + 1, min(len(rows), at + _MOST_AROUND)), _indent(rows[at])))
    return before[::-1], after


def _same_depth(rows: Sequence[str], places: Iterable[int], indent: int) -> Iterator[str]:
    for place in places:
        row = rows[place]
        if row.strip() and _indent(row) < indent:
            return
        if _indent(row) == indent and (bare := _bare(row)):
            yield bare


def _bare(row: str) -> str:
    bare = _PREFIX.sub("", row).strip()
    return "" if bare.startswith("#") else bare.strip("'\"")


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())
