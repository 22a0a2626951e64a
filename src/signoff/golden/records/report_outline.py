"""Compare delivery reports by their headings, rows and standings, not by their words. Pure."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from signoff.domain.state_file.work_report import ReportKind, WorkStanding
from signoff.golden.records.state_comparison import Moved

_FIRST = re.compile(rf"({'|'.join(map(re.escape, ReportKind))})(?::|$)")
_STANDING = re.compile(rf"\*\*({'|'.join(map(re.escape, WorkStanding))})\*\*")
_CELLS = re.compile(r"(?<!\\)\|")
_CLAUSES = "## Clauses"
_ROW = 5
"""Parts of a row of three cells, cut at its bars."""


class ReportOutline(NamedTuple):
    """A report without its words."""

    kind: str
    """The first word or words, empty unless they are among those that a report begins with."""
    headings: tuple[str, ...]
    has_body: tuple[bool, ...]
    standings: tuple[tuple[str, ...], ...]
    """By section, every standing that is set in bold."""
    clauses: tuple[str, ...]
    """By row of the matrix, its standing and whether there is evidence for it."""


def outline(report: str) -> ReportOutline:
    """Return the parts of a report that are compared."""
    opening, *sections = re.split(r"^(?=## )", report, flags=re.MULTILINE)
    parted = [section.partition("\n") for section in sections]
    first = _FIRST.match(opening)
    matrix = next((body for heading, _, body in parted if heading.rstrip() == _CLAUSES), "")
    return ReportOutline(
        kind=first[1] if first else "",
        headings=tuple(heading.rstrip() for heading, _, _ in parted),
        has_body=tuple(bool(body.strip()) for _, _, body in parted),
        standings=tuple(tuple(_STANDING.findall(body)) for _, _, body in parted),
        clauses=tuple(_rows(matrix)),
    )


def _rows(matrix: str) -> Iterator[str]:
    lines = [line for line in matrix.splitlines() if line.startswith("|")]
    for line in lines[2:]:
        cells = [cell.strip() for cell in _CELLS.split(line)]
        if len(cells) == _ROW:
            yield f"{cells[2]}, {'nothing shows it' if cells[3] == 'none' else 'shown'}"


def compare_reports(before: str, after: str) -> Iterator[Moved]:
    """Yield every difference between two reports that counts."""
    old, new = outline(before), outline(after)
    for name in ReportOutline._fields:
        then, now = getattr(old, name), getattr(new, name)
        if then != now:
            yield Moved(f"/report/{name}", _told(then), _told(now))


def _told(value: object) -> str:
    match value:
        case str():
            return value or "(none)"
        case tuple():
            return "; ".join(map(_told, value)) or "(none)"
        case _:
            return str(value).lower()
