"""Which criteria of a ticket a plan speaks of. Pure.

Only words are compared. A plan may say the same in other words, and another thing in the same ones, so this
proves nothing. The report shows it, and a policy does not agree to a plan that shares no word with the
ticket.
"""

import re
from collections.abc import Iterable

from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.domain.work.contract import Contract

_WORD = re.compile(r"\w+")
_SHARE = 0.5
"""Of a criterion's words, how many one clause must have for the two to be about the same thing."""
_FILLER = frozenset(
    _WORD.findall(
        "a an and are as be by can for from has have if in is it its must no not of on or shall should so "
        "such that the then there this to was when which will with"
    )
)
_SPEAKING = (ClauseKind.CRITERION, ClauseKind.CHECK, ClauseKind.STOP_CONDITION)


def unspoken(criteria: Iterable[str], clauses: Iterable[Clause]) -> tuple[str, ...]:
    """Return the criteria that no required clause of the plan speaks of."""
    said = [_words(clause.text) for clause in clauses if clause.required and clause.kind in _SPEAKING]
    found: list[str] = []
    for each in criteria:
        words = _words(each)
        if not any(not words or len(words & text) >= _SHARE * len(words) for text in said):
            found.append(each)
    return tuple(found)


def is_about_something_else(criteria: Iterable[str], contract: Contract, clauses: Iterable[Clause]) -> bool:
    """Check whether a plan has not one word in common with what was asked."""
    asked = frozenset[str]().union(*(_words(each) for each in criteria))
    tasks = (f"{task.title} {task.action}" for task in contract.tasks)
    texts = (contract.goal, *tasks, *(clause.text for clause in clauses))
    return bool(asked) and all(asked.isdisjoint(_words(text)) for text in texts)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _FILLER
