"""Comparison of two bug lists: recall, precision, and which bugs were paired.

Pure; `signoff calibrate recall` calls it. A bug is a heading `### BUG-NNN`, with its file, line and
requirement in the lines below where they are given. Ids are invented in each run, so two bugs are matched by
their place first and by their title last, and one finding recovers one known bug, never two.
"""

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec.structs import replace

from signoff.domain.base.violations import Severity, Violation
from signoff.text.json.violation_list import CodedRule
from signoff.text.repo_paths import file_key

MAX_BUGS: Final = 1_000
"""Bugs of one list that are compared. A warning names the limit if there are more."""

NEAR_LINES: Final = 10
"""How far apart two findings in one file may lie and still be one."""

_Z: Final = 1.959963984540054
"""Two-sided 95 % of the normal distribution, for the intervals."""

_MAX_TITLE: Final = 300
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_BUG: Final = re.compile(r"(BUG-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)(?![\w-])[\s:.–—-]*(.*)", re.DOTALL)
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_FIELD: Final = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([A-Za-z][A-Za-z /_:]{0,30}?)(?:\*\*|__)?[ \t]*:(.*)"
)
_PLACE: Final = re.compile(r"([\w@+][\w@+.-]*(?:/[\w@+.-]+)*)(?:(?::|#L|,? lines? )(\d{1,9}))?", re.ASCII)
_REQUIREMENT: Final = re.compile(r"\b(?:REQ|UC)-[A-Za-z0-9]+", re.ASCII)
_FILE_FIELDS: Final = frozenset(
    {
        *("file", "files", "file path", "file:line", "file/line", "path", "location", "locations"),
        *("source", "source file", "where", "affected file", "affected files", "primary file"),
    }
)
_LINE_FIELDS: Final = frozenset({"line", "lines", "line number"})
_REQUIREMENT_FIELDS: Final = frozenset(
    {"requirement", "requirements", "req", "requirement id", "violated requirement", "violates"}
)


class Bug(NamedTuple):
    """One entry of a bug list."""

    id: str
    title: str = ""
    file: str = ""
    line: int | None = None
    requirement: str = ""
    at: int = 0
    """The line of its heading."""


class BugList(NamedTuple):
    """The bugs of a file, each id once, and what was odd about it."""

    bugs: tuple[Bug, ...]
    warnings: tuple[Violation, ...]


class Likeness(IntEnum):
    """Why two bugs count as the same, the weakest reason first."""

    ID = 1
    TITLE = 2
    FILE = 3
    REQUIREMENT = 4
    LINE = 5


class Pair(NamedTuple):
    """A known bug and the finding that recovered it."""

    baseline: Bug
    current: Bug
    by: Likeness


class Interval(NamedTuple):
    """Where the true share lies, with 95 % confidence."""

    low: float
    high: float


class BugRecall(NamedTuple):
    """What was found again, what was not, and what is new."""

    pairs: tuple[Pair, ...]
    missed: tuple[Bug, ...]
    spurious: tuple[Bug, ...]

    @property
    def recall(self) -> float | None:
        """Return the share of known bugs that were found, None if no bug is known."""
        return _share(len(self.pairs), len(self.pairs) + len(self.missed))

    @property
    def precision(self) -> float | None:
        """Return the share of findings that are known bugs, None if nothing was found."""
        return _share(len(self.pairs), len(self.pairs) + len(self.spurious))


class BugListFault(CodedRule):
    """What is odd about a bug list. It is compared all the same."""

    DUPLICATE_BUG = "duplicate-bug", "give it another number", Severity.WARNING
    HEADING_LEVEL = "heading-level", "write it as `### BUG-NNN`", Severity.WARNING
    TOO_MANY_BUGS = "too-many-bugs", "split the list", Severity.WARNING


# --- reading ---


def read_bugs(text: str) -> BugList:
    """Return the bugs of a Markdown file. Headings inside fenced code do not count.

    The fields below a heading belong to its bug until the next heading of its level or above.
    """
    bugs: dict[str, Bug] = {}
    warnings: list[Violation] = []

    def warn(code: BugListFault, message: str) -> None:
        warnings.append(replace(code.found(message), line=number))

    open_bug: str | None = None
    for number, line in _outside_fences(text):
        heading = _HEADING.match(line)
        if heading is None:
            if open_bug is not None:
                bugs[open_bug] = _with_field(bugs[open_bug], line)
            continue
        found = _BUG.match(heading[2].strip().strip("*`[]").rstrip("# "))
        level = len(heading[1])
        if found is None or level != 3:
            # A deeper heading is still part of the bug above it.
            open_bug = open_bug if level > 3 and found is None else None
            if found is not None:
                message = f"{found[1]} is in a heading of level {level}, so it does not count"
                warn(BugListFault.HEADING_LEVEL, message)
        elif found[1] in bugs:
            open_bug = None
            warn(BugListFault.DUPLICATE_BUG, f"{found[1]} is listed twice; the first one counts")
        elif len(bugs) == MAX_BUGS:
            warn(BugListFault.TOO_MANY_BUGS, f"only the first {MAX_BUGS:,} bugs are compared")
            break
        else:
            open_bug = found[1]
            bugs[open_bug] = _located(Bug(found[1], found[2].strip(), at=number), found[2], needs_line=True)
    return BugList(tuple(bugs.values()), tuple(warnings))


def _outside_fences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines outside fenced code and HTML comments, as CommonMark delimits them.

    A fence ends only at a longer or equal run of the same mark with nothing behind it. What looks like a
    comment inside a fence is code, so the two are told apart line by line.
    """
    fence = ""
    is_comment = False
    for number, line in enumerate(text.split("\n"), 1):
        if is_comment:
            is_comment = "-->" not in line
            continue
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
        elif line.lstrip(" ").startswith("<!--"):
            is_comment = "-->" not in line
        else:
            yield number, line


def _with_field(bug: Bug, line: str) -> Bug:
    found = _FIELD.match(line)
    if found is None:
        return bug
    name, value = found[1].strip().lower(), found[2].strip().strip("*_").strip()
    if name in _FILE_FIELDS and not bug.file:
        return _located(bug, value, needs_line=False)
    if (
        name in _LINE_FIELDS
        and bug.line is None
        and (digits := re.match(r"\D{0,3}(\d{1,9})", value, re.ASCII))
    ):
        return bug._replace(line=int(digits[1]))
    if name in _REQUIREMENT_FIELDS and not bug.requirement and (found_id := _REQUIREMENT.search(value)):
        return bug._replace(requirement=found_id[0].upper())
    return bug


def _located(bug: Bug, text: str, *, needs_line: bool) -> Bug:
    """Take the first place from a text. In a title only `path:line` is a place."""
    for found in _PLACE.finditer(text[:2_000]):
        path = found[1].rstrip(".")
        if ("." in path or "/" in path) and (found[2] or not needs_line):
            return bug._replace(file=path.removeprefix("./"), line=int(found[2]) if found[2] else None)
    return bug


# --- comparing ---


def compare(baseline: Sequence[Bug], current: Sequence[Bug]) -> BugRecall:
    """Pair as many bugs as possible, one to one, and the surest pairs first.

    Every likeness is an edge between a known bug and a finding, and a largest matching over the sorted edges
    decides.
    """
    edges = [
        (likeness, b, c)
        for b, known in enumerate(baseline)
        for c, found in enumerate(current)
        if (likeness := alike(known, found)) is not None
    ]
    edges.sort(key=lambda edge: (-edge[0], _far(baseline[edge[1]], current[edge[2]]), edge[1], edge[2]))
    by = {(b, c): likeness for likeness, b, c in edges}
    partner = _matching(len(baseline), [(b, c) for _, b, c in edges])
    pairs = tuple(Pair(baseline[b], current[c], by[b, c]) for b, c in sorted(partner.items()))
    taken = set(partner.values())
    return BugRecall(
        pairs,
        missed=tuple(bug for b, bug in enumerate(baseline) if b not in partner),
        spurious=tuple(bug for c, bug in enumerate(current) if c not in taken),
    )


def alike(known: Bug, found: Bug) -> Likeness | None:
    """Return why two bugs may be the same, or None. Bugs in different files never are, whatever their ids.

    Ids are invented in each run, so an equal one counts only if nothing else contradicts it.
    """
    is_same_id = known.id.upper() == found.id.upper()
    if known.file and found.file:
        # Whether two paths can mean one file: equal, or one is the end of the other.
        a, b = _key(known.file), _key(found.file)
        if not (a == b or a.endswith("/" + b) or b.endswith("/" + a)):
            return None
        return _alike_in_one_file(known, found, is_same_id=is_same_id)
    if _words(known.title) and _words(known.title) == _words(found.title):
        return Likeness.TITLE
    return Likeness.ID if is_same_id and _may_say_the_same(known.title, found.title) else None


def _alike_in_one_file(known: Bug, found: Bug, *, is_same_id: bool) -> Likeness | None:
    """Return the surest likeness of two bugs in one file: place, requirement, title, id, then file.

    The order matters: the first likeness that holds is returned. Equal ids count only if the titles may
    mean one bug or a line is missing, since two lists may number their bugs independently.
    """
    have_lines = known.line is not None and found.line is not None
    if have_lines and _far(known, found) <= NEAR_LINES:
        return Likeness.LINE
    if known.requirement and known.requirement == found.requirement:
        return Likeness.REQUIREMENT
    if _words(known.title) and _words(known.title) == _words(found.title):
        return Likeness.TITLE
    may_be_one = _may_say_the_same(known.title, found.title)
    if is_same_id and (may_be_one or not have_lines):
        return Likeness.ID
    return Likeness.FILE if may_be_one and not have_lines else None


def _may_say_the_same(one: str, other: str) -> bool:
    """Check whether the other title has half of the shorter one's words. A missing title fits any."""
    a, b = _vocabulary(one), _vocabulary(other)
    return not a or not b or 2 * len(a & b) >= min(len(a), len(b))


def _far(one: Bug, other: Bug) -> int:
    return abs(one.line - other.line) if one.line is not None and other.line is not None else 1_000_000


@lru_cache(maxsize=4 * MAX_BUGS)
def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text[:_MAX_TITLE].casefold()))


@lru_cache(maxsize=4 * MAX_BUGS)
def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(_words(text))


@lru_cache(maxsize=4 * MAX_BUGS)
def _key(path: str) -> str:
    return file_key(path)


def _matching(size: int, edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return a largest matching (Kuhn's algorithm), which prefers earlier edges, from left to right."""
    choices: list[list[int]] = [[] for _ in range(size)]
    order: dict[int, None] = {}
    for left, right in edges:
        choices[left].append(right)
        order.setdefault(left)
    partner: dict[int, int] = {}
    owner: dict[int, int] = {}
    for left in order:
        for giver, right in _path(left, choices, owner):
            partner[giver], owner[right] = right, giver
    return partner


def _path(start: int, choices: list[list[int]], owner: dict[int, int]) -> list[tuple[int, int]]:
    """Return the new pairs that find `start` a partner by moving others over, empty if there are none."""
    came_from: dict[int, int] = {}
    held: dict[int, int] = {}
    queue = deque([start])
    while queue:
        left = queue.popleft()
        for right in choices[left]:
            if right in came_from:
                continue
            came_from[right] = left
            if right not in owner:
                return list(_steps(right, came_from, held, start))
            held[owner[right]] = right
            queue.append(owner[right])
    return []


def _steps(
    right: int, came_from: dict[int, int], held: dict[int, int], start: int
) -> Iterator[tuple[int, int]]:
    left = came_from[right]
    yield left, right
    while left != start:
        right = held[left]
        left = came_from[right]
        yield left, right


# --- figures ---


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def wilson(part: int, whole: int) -> Interval | None:
    """Return the Wilson interval of a share, None for a share of nothing."""
    if not whole:
        return None
    share, square = part / whole, _Z * _Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    spread = _Z / (1 + square / whole) * math.sqrt(share * (1 - share) / whole + square / (4 * whole * whole))
    low = 0.0 if part == 0 else max(0.0, middle - spread)
    high = 1.0 if part == whole else min(1.0, middle + spread)
    return Interval(low, high)


def describe(likeness: Likeness) -> str:
    """Return the name of a likeness."""
    return likeness.name.lower()
