"""Compute the input of a hosted run and its judgement, from its file and from what people answered. Pure.

Apart from `wants`, and imported only when something has changed: it needs every rule of the intake gate.
"""

from functools import lru_cache

from msgspec.structs import replace

from signoff.domain.base.typed_ids import Digest
from signoff.domain.work.ticket import Ticket
from signoff.domain.work.work_state import WorkInput
from signoff.intake.refinement.envelopes import read_input
from signoff.intake.refinement.intake_gate import refine
from signoff.intake.refinement.requests import Refined, RefinementInput, Want, input_of
from signoff.intake.ticket_files import MIN_TITLE, restated
from signoff.text.phrases import normalised, weight


@lru_cache(maxsize=1)
def settle(given: bytes, edited: bytes | None, basis: RefinementInput, digest: Digest) -> Refined:
    """Parse the input, put what people answered on top, and judge it.

    Cached, because every part of a cycle that looks at one state asks for it.
    """
    want = _want(input_of(given, edited), basis)
    return Refined(basis=digest, want=want, refinement=refine(want, basis.route))


def _want(given: WorkInput, basis: RefinementInput) -> Want:
    want = read_input(given.kind, given.data)
    if basis.stated:
        if basis.is_corrected:
            want = replace(want, ticket=_completed(want.ticket, basis.stated))
        else:
            want = replace(want, ticket=restated(want.ticket, basis.stated), violations=())
    for answer in basis.added:
        want = replace(want, raw=f"{want.raw}\n{answer}")
    return replace(want, confidence_confirmed=True) if basis.is_confirmed else want


def _completed(ticket: Ticket, answer: str) -> Ticket:
    """Fill in from an answer what a ticket, corrected in its file after that answer, still lacks."""
    stated = restated(Ticket(), answer)
    is_titled = weight(normalised(ticket.title)) >= MIN_TITLE
    return replace(
        ticket,
        id=ticket.id or stated.id,
        title=ticket.title if is_titled else stated.title or ticket.title,
        acceptance_criteria=ticket.acceptance_criteria or stated.acceptance_criteria,
    )
