"""The first three steps of a hosted run: refine, memory, analyze. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.effects import RecallMemory
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.surveys import COMPLETE, Now
from signoff.domain.work.refinement import RefineFault
from signoff.domain.work.work_state import DirectiveSet
from signoff.hosted.flow.hosted_questions import ABORT, REFINE_PROMPT, delegates, waits
from signoff.hosted.flow.hosted_view import (
    ANSWER,
    CONFIRM,
    CORRECT,
    RECALL,
    REFINE_FURTHER,
    ROUTE,
    STATE_CRITERIA,
    TAKE_BACKEND,
    TICKET,
    question_halt,
)

if TYPE_CHECKING:
    from signoff.domain.work.refinement import Refinement
    from signoff.hosted.flow.hosted_view import HostedView

DESTRUCTIVE = HaltId("refine/destructive")
GUARD = HaltId("refine/question-guard")
MALFORMED = HaltId("refine/malformed")
PROCEED = "proceed all the same"
IS_TASK = "it is a task"

_AT_ONCE = (RefineFault.MALFORMED_INPUT, RefineFault.QUESTION_NOT_TASK, RefineFault.DESTRUCTIVE_INTENT)
"""What is settled before anything else is asked."""


def refine(view: HostedView) -> Now:
    """Refuse to start while it is unclear what is asked for."""
    found = view.refinement
    codes = _still_open(view, found)
    for code in _AT_ONCE:
        if code in codes:
            return _ask(view, code, found)
    if view.route.directive_set is not DirectiveSet.BACKEND:
        return _unavailable(view)
    return _ask(view, codes[0], found) if codes else COMPLETE


def _still_open(view: HostedView, found: Refinement) -> tuple[RefineFault, ...]:
    """Return the faults that prevent a start, without those that a person let through."""
    settled: set[RefineFault] = {RefineFault.PROMPT_UI_INTENT}
    if view.typed(DESTRUCTIVE, PROCEED) is not None:
        settled.add(RefineFault.DESTRUCTIVE_INTENT)
    if (given := view.answer(GUARD)) is not None and given.answer == IS_TASK:
        settled.add(RefineFault.QUESTION_NOT_TASK)
    return tuple(code for code in found.codes if code not in settled)


def _unavailable(view: HostedView) -> Now:
    route = view.route
    words = ", ".join(route.signals) or "what the state file says"
    return waits(
        "refine",
        HaltCode.DIRECTIVE_SET_UNAVAILABLE,
        ROUTE,
        f"This is work for the `{route.directive_set}` steps ({words}), and this version has only `backend`.",
        (TAKE_BACKEND, ABORT),
    )


def _ask(view: HostedView, code: RefineFault, found: Refinement) -> Now:
    """Return the halt for one fault.

    Each fault has one case, and mypy fails on a fault without one.
    """
    match code:
        case RefineFault.MALFORMED_INPUT:
            return waits(
                "refine",
                HaltCode.MALFORMED_INPUT,
                MALFORMED,
                "The input cannot be read.",
                (CORRECT, ABORT),
                lines=_faults(found),
            )
        case RefineFault.QUESTION_NOT_TASK:
            return waits(
                "refine",
                HaltCode.QUESTION_NOT_TASK,
                GUARD,
                found.question or "This is a question: answer it. No run is needed for that.",
                (ABORT, IS_TASK),
            )
        case RefineFault.DESTRUCTIVE_INTENT:
            return waits(
                "refine",
                HaltCode.DESTRUCTIVE_INTENT,
                DESTRUCTIVE,
                "This destroys something. Only a person at a terminal can let it through.",
                (ABORT, PROCEED),
                lines=tuple(f"{veto.phrase}: {veto.message}" for veto in found.vetoes),
                terminal_only=(PROCEED,),
            )
        case RefineFault.MISSING_ID | RefineFault.TRIVIAL_TITLE | RefineFault.MISSING_OR_VAGUE_AC:
            return waits(
                "refine",
                HaltCode(code),
                TICKET,
                "The ticket is unclear.",
                (CORRECT, STATE_CRITERIA, ABORT),
                lines=_faults(found),
                takes_text=True,
            )
        case RefineFault.PROMPT_UNREFINED:
            return _reconstruct(view, "Reconstruct acceptance criteria and assumptions")
        case RefineFault.PROMPT_MEDIUM_CONFIDENCE:
            return _confirm(view, found)
        case RefineFault.PROMPT_LOW_CONFIDENCE:
            return waits(
                "refine",
                HaltCode.PROMPT_LOW_CONFIDENCE,
                question_halt(view.questions_asked + 1),
                found.question,
                (ANSWER, ABORT),
                takes_text=True,
            )
        case RefineFault.PROMPT_UI_INTENT:
            return _unavailable(view)


def _reconstruct(view: HostedView, question: str) -> Now:
    return delegates(
        "refine",
        HaltCode.PROMPT_UNREFINED,
        "input",
        REFINE_PROMPT,
        f"{question}: {view.want.raw or view.want.path}",
        options=("continue: `reconstructed_ac` and `assumptions` are recorded", ABORT),
    )


def _faults(found: Refinement) -> tuple[str, ...]:
    return tuple(f"{violation.code}: {violation.message}" for violation in found.violations)


def _confirm(view: HostedView, found: Refinement) -> Now:
    given = view.answer(view.confirm_halt)
    if given is not None and given.answer == REFINE_FURTHER:
        return _reconstruct(view, "Reconstruct the acceptance criteria once more; a person was not content")
    criteria = tuple(f"   {n}) {criterion}" for n, criterion in enumerate(found.criteria, start=1))
    assumed = tuple(f"   - {text}" for text in found.assumptions) or ("   - (none recorded)",)
    return waits(
        "refine",
        HaltCode.PROMPT_MEDIUM_CONFIDENCE,
        view.confirm_halt,
        "This is what I understood. Is it right?",
        (CONFIRM, REFINE_FURTHER, ABORT),
        lines=("Acceptance criteria:", *criteria, "Assumptions:", *assumed),
        is_partial=True,
    )


def memory(view: HostedView) -> Now:
    """Search curated memory once. Finding nothing completes the step too."""
    return COMPLETE if view.state.done.get(RECALL) is not None else Now((RecallMemory(key=RECALL),))


def analyze(view: HostedView) -> Now:
    """Nothing to wait for: how the project is tested is looked up when there is something to test."""
    del view
    return COMPLETE
