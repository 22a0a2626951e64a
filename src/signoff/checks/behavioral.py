"""`behavioral`: every required piece of evidence is a cited line, read again from the tree."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from signoff.checks.base import CheckJudgement, CheckTools, Escape, could_not_run, failed, inside, passed
from signoff.checks.regex import RegexProblem, search_texts
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.work.checks import Behavioral, Citation, Evidence

_MIN_SNIPPET: Final = 3
"""Fewer characters are on too many lines to point at one."""


class _Cited(NamedTuple):
    """A citation that holds for one piece of evidence, both by number, with the line as the tree has it."""

    evidence: int
    citation: int
    line: str


def behavioral(bench: CheckTools, check: Behavioral) -> CheckJudgement:
    """Check that each piece of evidence has a citation of its own, whose line reads as cited and matches.

    Every piece of evidence gets the citations it could use, and a matching between them decides. So one
    citation never serves two pieces of evidence, in whatever order they are listed.
    """
    wanted = check.evidence_required
    if not wanted:
        return failed("no evidence is asked for, so nothing is shown", FailureReason.EVIDENCE_MISSING)
    citations = _different(bench, bench.order.citations)
    cited = [
        _Cited(n, i, line)
        for n, evidence in enumerate(wanted)
        for i, citation in enumerate(citations)
        if (line := _cited_line(bench.order.folder, evidence, citation)) is not None
    ]
    matched = search_texts(bench, [(wanted[each.evidence].matcher or "", each.line) for each in cited])
    if isinstance(matched, RegexProblem):
        return could_not_run(matched.error)
    options: list[list[int]] = [[] for _ in wanted]
    for each, is_match in zip(cited, matched.found, strict=True):
        if is_match:
            options[each.evidence].append(each.citation)
    if missing := _left_over(options):
        first = wanted[missing[0]]
        amount = f"{len(missing)} of {len(wanted)} pieces of evidence not shown"
        detail = f"{amount}; first {first.path}: {first.description}"
        return failed(detail, FailureReason.EVIDENCE_MISSING)
    return passed(f"{len(wanted)} pieces of evidence read again")


def _different(bench: CheckTools, citations: Iterable[Citation]) -> list[Citation]:
    """Return the citations for this clause, each once: saying it twice shows nothing more."""
    found: dict[tuple[object, ...], Citation] = {}
    for citation in citations:
        if citation.clause in ("", bench.order.clause):
            path = inside(bench.order.folder, citation.path)
            found.setdefault((path, citation.line, citation.snippet.strip()), citation)
    return list(found.values())


def _left_over(options: Sequence[Sequence[int]]) -> list[int]:
    """Return the items left over by a maximum matching, in which each option serves one item.

    An item that finds all its options taken asks their holders to move on to another, and these ask in turn.
    """
    holder: dict[int, int] = {}
    held: dict[int, int] = {}
    left_over = []
    for item in range(len(options)):
        asked_by: dict[int, int] = {}
        free: int | None = None
        queue = [item]
        for asking in queue:
            for option in options[asking]:
                if option in asked_by:
                    continue
                asked_by[option] = asking
                if option not in holder:
                    free = option
                    break
                queue.append(holder[option])
            if free is not None:
                break
        else:
            left_over.append(item)
        while free is not None:
            asking = asked_by[free]
            holder[free] = asking
            before = held.get(asking)
            held[asking] = free
            free = before
    return left_over


def _cited_line(folder: str, evidence: Evidence, citation: Citation) -> str | None:
    """Return the cited line if it is of the right file, exists and holds the snippet."""
    snippet = citation.snippet.strip()
    path = inside(folder, citation.path)
    if not snippet or isinstance(path, Escape) or path != inside(folder, evidence.path):
        return None
    try:
        with open(path, "rb") as file:
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return None
    line = lines[citation.line - 1] if 0 < citation.line <= len(lines) else ""
    is_enough = len(snippet) >= _MIN_SNIPPET or snippet == line.strip()
    return line.removesuffix("\r") if is_enough and snippet in line else None
