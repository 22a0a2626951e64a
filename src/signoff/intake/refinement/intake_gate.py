"""The intake gate: the complete judgement of a ticket or prompt before work starts. Pure.

The order is malformed, a question, destructive, unclear. A destructive input is blocked whatever its score:
no flag releases it, nor a prompt that was not understood.
"""

from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from signoff.domain.work.refinement import Band, RefineFault, Refinement, RefineOutcome, Route, RouteSource
from signoff.domain.work.ticket import InputKind, Ticket
from signoff.domain.work.work_state import DirectiveSet, Intent
from signoff.intake.refinement.confidence import score, weakest
from signoff.intake.refinement.intake_questions import (
    FIXED,
    IntakeQuestion,
    about_confidence,
    about_dimension,
    about_page,
    about_prompt,
    about_ticket,
)
from signoff.intake.refinement.question_guard import is_question
from signoff.intake.refinement.requests import Want
from signoff.intake.refinement.route import classify, ui_words
from signoff.intake.refinement.task_types import task_type
from signoff.intake.refinement.text_words import LONGEST_TEXT
from signoff.intake.refinement.vetoes import vetoes
from signoff.intake.ticket_files import TicketCode, gate

_PREVIEW: Final = 80
_UNROUTED: Final = Route(intent=Intent.BACKEND_CODING, directive_set=DirectiveSet.BACKEND)
_GATED: Final = {str(code): RefineFault(code.value) for code in TicketCode}
"""A list of faults may end in a note that there are more: that is no code of its own."""


def refine(want: Want, route: Route | None = None) -> Refinement:
    """Judge an input.

    `route` is a route that was decided before. It stands, and a prompt that no longer fits it is asked
    about.
    """
    is_malformed = bool(want.violations)
    found = Refinement(
        outcome=RefineOutcome.SUCCESS,
        codes=(),
        task_type=task_type(want),
        route=route or (_UNROUTED if is_malformed else classify(want)),
        is_question=not is_malformed and is_question(want),
        vetoes=() if is_malformed else vetoes(want.text),
        violations=want.violations,
        criteria=want.criteria,
        assumptions=want.assumptions,
        ui_intent=bool(ui_words(want.statement)),
    )
    if is_malformed:
        return _blocked(found, RefineFault.MALFORMED_INPUT)
    if found.is_question:
        return _blocked(found, RefineFault.QUESTION_NOT_TASK)
    if want.kind is InputKind.TICKET:
        return _of_ticket(found, want)
    return _of_prompt(found, want, is_routed=route is not None)


def want_of(ticket: Ticket) -> Want:
    """Return a ticket as an input of the gate.

    A person stated the criteria of a prompt's ticket, so they count as confirmed.
    """
    if ticket.kind is InputKind.TICKET:
        return Want(kind=ticket.kind, ticket=ticket)
    return Want(
        kind=InputKind.PROMPT,
        ticket=ticket,
        raw="\n".join(filter(None, (ticket.title, ticket.body))),
        reconstructed_ac=ticket.acceptance_criteria,
        confidence_confirmed=True,
    )


@lru_cache(maxsize=16)  # asked at every look at a run, and always about the same ticket
def judged(ticket: Ticket) -> Refinement:
    """Judge the ticket that a run is pinned to, as any other input is judged."""
    return refine(want_of(ticket))


def is_read_whole(ticket: Ticket) -> bool:
    """Check whether the judgement saw all of the text.

    Only the beginning of a text that is too long is read.
    """
    return len(want_of(ticket).text) <= LONGEST_TEXT


def _of_ticket(found: Refinement, want: Want) -> Refinement:
    found = replace(found, violations=gate(want.ticket))
    reported = dict.fromkeys(violation.code for violation in found.violations)
    codes = tuple(_GATED[code] for code in reported if code in _GATED)
    if found.vetoes:
        return _blocked(found, RefineFault.DESTRUCTIVE_INTENT, *codes)
    if not codes:
        return found
    asked = about_ticket(tuple(violation.message for violation in found.violations))
    return _blocked(found, *codes, asked=asked)


def _of_prompt(found: Refinement, want: Want, *, is_routed: bool) -> Refinement:
    """Judge a prompt by its score, once it has criteria.

    Each reason to stop returns at once, the strongest first. Only the medium band can be confirmed.
    """
    text = " ".join((want.statement or want.path or want.raw).split())
    preview = text if len(text) <= _PREVIEW else text[: _PREVIEW - 1] + "…"
    if want.reconstructed_ac is not None:
        anchors = tuple(file.path for file in want.files) or tuple(filter(None, (want.path,)))
        confidence = score(want.statement, want.reconstructed_ac, anchors=anchors)
        lowest = None if confidence.band is Band.HIGH else weakest(confidence)
        found = replace(found, confidence=confidence, weakest=lowest)
    if found.vetoes:
        return _blocked(found, RefineFault.DESTRUCTIVE_INTENT)
    if found.confidence is None:
        return _blocked(found, RefineFault.PROMPT_UNREFINED, asked=about_prompt(preview))
    is_chosen = found.route.source is RouteSource.OVERRIDE
    is_backend = found.route.directive_set is DirectiveSet.BACKEND
    if is_routed and is_backend and not is_chosen and found.ui_intent:
        return _blocked(found, RefineFault.PROMPT_UI_INTENT, asked=about_page(preview))
    if found.confidence.band is Band.LOW:
        asked = about_dimension(weakest(found.confidence))
        return _blocked(found, RefineFault.PROMPT_LOW_CONFIDENCE, asked=asked)
    if found.confidence.band is Band.HIGH or want.confidence_confirmed:
        return found
    asked = about_confidence(preview, found.confidence.score)
    blocked = _blocked(found, RefineFault.PROMPT_MEDIUM_CONFIDENCE, asked=asked)
    return replace(blocked, outcome=RefineOutcome.PARTIAL)


def _blocked(found: Refinement, *codes: RefineFault, asked: IntakeQuestion | None = None) -> Refinement:
    """Return the refinement blocked by these codes.

    The first code decides what is asked, unless `asked` is given.
    """
    question, options = asked or FIXED[codes[0]]
    return replace(found, outcome=RefineOutcome.BLOCKED, codes=codes, question=question, options=options)
