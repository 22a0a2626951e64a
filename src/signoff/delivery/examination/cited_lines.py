"""Decide which findings of an evaluator stand: the line it cites must be there and say what it says. Pure."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from signoff.domain.run.directives import EvaluatorFinding
from signoff.text.repo_paths import why_outside

_MIN_SNIPPET = 3
"""Fewer characters are on too many lines to point at one."""
MOST_FINDINGS = 20
"""As many as fit into one round of rework. The others are left for the next round."""


class Weighed(NamedTuple):
    """What stands, and how many were invented."""

    standing: tuple[EvaluatorFinding, ...]
    invented: int


def weigh(findings: Iterable[EvaluatorFinding], read: Callable[[str], bytes | None]) -> Weighed:
    """Return the findings whose citations are really there. The others count as invented."""
    standing: dict[EvaluatorFinding, None] = {}
    invented = 0
    texts: dict[str, list[str] | None] = {}
    for finding in findings:
        if finding.path not in texts:
            texts[finding.path] = None if why_outside(finding.path) else _lines(read(finding.path))
        lines = texts[finding.path]
        if lines is not None and finding.message.strip() and _is_there(finding, lines):
            standing.setdefault(finding)
        else:
            invented += 1
    return Weighed(tuple(standing)[:MOST_FINDINGS], invented)


def _lines(data: bytes | None) -> list[str] | None:
    return None if data is None else data.decode(errors="replace").split("\n")


def _is_there(finding: EvaluatorFinding, lines: list[str]) -> bool:
    """Check the snippet line by line from the cited one on. Spaces at the ends of lines do not count."""
    cited = [part.strip() for part in finding.snippet.strip().split("\n")]
    if not 1 <= finding.line <= len(lines) - len(cited) + 1:
        return False
    found = lines[finding.line - 1 : finding.line - 1 + len(cited)]
    if len(cited[0]) < _MIN_SNIPPET and cited[0] != found[0].strip():
        return False
    return bool(cited[0]) and all(part in line for part, line in zip(cited, found, strict=True))
