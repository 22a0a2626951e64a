"""What no added line may hold: the part of a `diff-predicate` that needs regular expressions.

The other parts are computed by `judges.scope.non_goal_check`, which calls this one with the lines in its
order. A pattern comes from a plan, so it runs in the killable process, under the same limit as that of any
other check.
"""

from collections.abc import Sequence
from typing import NamedTuple

from signoff.checks.base import CheckJudgement, CheckTools, could_not_run, failed, passed
from signoff.checks.regex import RegexProblem, search_texts
from signoff.domain.base.findings import shown
from signoff.domain.run.check_orders import AddedLine
from signoff.domain.work.checks import DiffPredicate, ForbiddenPattern
from signoff.text.globs import matches_any


class _Question(NamedTuple):
    """One pattern asked about one line."""

    forbidden: ForbiddenPattern
    line: AddedLine


def added_lines(bench: CheckTools, check: DiffPredicate) -> CheckJudgement:
    """Check that no added line of the files in question matches a forbidden pattern. No line is quoted."""
    questions = [
        _Question(forbidden, line)
        for forbidden in check.forbidden
        for line in bench.order.added
        if not forbidden.paths or matches_any(line.path, forbidden.paths)
    ]
    # A pattern that cannot be used says nothing, whether or not there is a line to ask it about.
    pairs = [(forbidden.pattern, "") for forbidden in check.forbidden]
    pairs += [(forbidden.pattern, line.text.removesuffix("\r")) for forbidden, line in questions]
    seen = search_texts(bench, pairs)
    if isinstance(seen, RegexProblem):
        return could_not_run(seen.error)
    answers = seen.found[len(check.forbidden) :]
    hits = [question for question, is_found in zip(questions, answers, strict=True) if is_found]
    return failed(_said(hits)) if hits else passed(f"in none of {len(bench.order.added)} added lines")


def _said(hits: Sequence[_Question]) -> str:
    first = hits[0]
    more = f", and {len(hits) - 1} more" if len(hits) > 1 else ""
    place = f"{shown(first.line.path)}:{first.line.line}"
    return f"{first.forbidden.pattern!r} is forbidden, but was added at {place}{more}"
