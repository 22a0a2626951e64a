"""`behavioral`: every required piece of evidence is a line that somebody points at and we read again."""

from typing import NamedTuple

from signoff.checks.base import Bench, Escape, Judgement, could_not_run, failed, inside, passed
from signoff.checks.regex import RegexProblem, search_texts
from signoff.domain.checks import Behavioral, Citation, Evidence
from signoff.domain.receipts import FailureReason


class _Cited(NamedTuple):
    """A citation that holds, for one piece of evidence: the line as the tree has it."""

    evidence: Evidence
    line: str


def behavioral(bench: Bench) -> Judgement:
    """Each piece of evidence has a citation whose line exists, reads as cited and satisfies the matcher."""
    check = bench.order.check
    assert isinstance(check, Behavioral)
    if not check.evidence_required:
        return failed("no evidence is asked for, so nothing is shown", FailureReason.EVIDENCE_MISSING)
    cited = [
        _Cited(evidence, line)
        for evidence in check.evidence_required
        for citation in bench.order.citations
        if citation.clause in ("", bench.order.clause)
        if (line := _cited_line(bench.order.folder, evidence, citation)) is not None
    ]
    matched = search_texts(bench, [(each.evidence.matcher or "", each.line) for each in cited])
    if isinstance(matched, RegexProblem):
        return could_not_run(matched.error)
    shown = [each.evidence for each, is_match in zip(cited, matched.found, strict=True) if is_match]
    missing = [evidence for evidence in check.evidence_required if evidence not in shown]
    if missing:
        wanted = f"{missing[0].path}: {missing[0].description}"
        detail = (
            f"{len(missing)} of {len(check.evidence_required)} pieces of evidence not shown; first {wanted}"
        )
        return failed(detail, FailureReason.EVIDENCE_MISSING)
    return passed(f"{len(check.evidence_required)} pieces of evidence read again")


def _cited_line(folder: str, evidence: Evidence, citation: Citation) -> str | None:
    """Give the cited line if it is of the right file, exists and holds the snippet."""
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
    return line.removesuffix("\r") if snippet in line else None
