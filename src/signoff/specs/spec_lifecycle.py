"""The state of a spec: its open questions, whether work may start, whether its answers wait for a plan.

Pure. The rules, the answers, the re-plan and the commands about specs ask here, so that "open" and "ready"
mean one thing everywhere.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from signoff.contracts.rules.precision_rules import TOO_AMBIGUOUS
from signoff.domain.work.spec import ClarificationQuestion, ResolvedClarification, Spec, SpecStatus
from signoff.text.phrases import normalised
from signoff.text.timestamps import is_moment

WORKABLE: Final = frozenset({SpecStatus.DRAFT, SpecStatus.READY, SpecStatus.IN_PROGRESS})
"""The states in which work may start or go on, if nothing else stands in the way."""

_WORD = re.compile(r"\w+(?:[-.]\w+)*")
"""A name such as `Q1`, `data-model.2`: what follows after a dot or a dash is still part of it."""
_MOST_ODD: Final = 1_000
"""The number of unusual names that are searched for: each takes a walk through all the text."""


def open_questions(spec: Spec) -> tuple[ClarificationQuestion, ...]:
    """Return the questions without an answer, in their order."""
    resolved = {answer.question_id for answer in spec.resolved_clarifications}
    return tuple(one for one in spec.clarification_questions if one.question_id not in resolved)


def standing_answers(spec: Spec) -> dict[str, ResolvedClarification]:
    """Return the last answer to each question."""
    return {answer.question_id: answer for answer in spec.resolved_clarifications}


def is_ready(spec: Spec) -> bool:
    """Check whether work may start on it.

    Its rules (`check_spec`) may still find something wrong.
    """
    return (
        spec.status in WORKABLE
        and not open_questions(spec)
        and bool(spec.features)
        and not is_too_ambiguous(spec)
    )


def is_too_ambiguous(spec: Spec) -> bool:
    """Check whether its planner rates it too uncertain to work on. An unrated spec is not."""
    return spec.ambiguity_score is not None and spec.ambiguity_score >= TOO_AMBIGUOUS


def replan_due(spec: Spec) -> bool:
    """Check whether every question is answered and only a planner can go on: there are no features."""
    return (
        spec.status is SpecStatus.NEEDS_CLARIFICATION
        and bool(spec.clarification_questions)
        and not open_questions(spec)
        and not spec.features
    )


def moment(text: str) -> datetime | None:
    """Parse a timestamp with `Z` or an offset.

    None for anything else, because it would mean another moment elsewhere.
    """
    return datetime.fromisoformat(text) if is_moment(text) else None


def cited(names: Iterable[str], texts: Iterable[str]) -> frozenset[str]:
    """Return the names that a text mentions as whole words: `Q1` is not in `Q10` nor in `Q1-b`."""
    spoken = "\n".join(normalised(text) for text in texts)
    words = frozenset(_WORD.findall(spoken))
    wanted = {name: normalised(name) for name in names}
    odd = [name for name, word in wanted.items() if word and not _WORD.fullmatch(word)]
    found = {name for name, word in wanted.items() if word in words}
    return frozenset(found.union(name for name in odd[:_MOST_ODD] if _is_in(wanted[name], spoken)))


def _is_in(name: str, spoken: str) -> bool:
    # Most are not there at all, and that is found out much faster.
    whole = rf"(?<!\w)(?<!\w[-.]){re.escape(name)}(?!\w)(?![-.]\w)"
    return name in spoken and re.search(whole, spoken) is not None
