"""Judge a ticket that a run is pinned to, as any other want is judged. Pure."""

from functools import lru_cache

from signoff.core.refining.judging import refine
from signoff.core.refining.wants import Want
from signoff.core.refining.words import LONGEST_TEXT
from signoff.domain.refining import Refinement
from signoff.domain.ticket import InputKind, Ticket


def want_of(ticket: Ticket) -> Want:
    """Give a ticket as a want; the criteria of a prompt are those a person stated, so they are confirmed."""
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
    """Say everything there is to say about a ticket."""
    return refine(want_of(ticket))


def is_read_whole(ticket: Ticket) -> bool:
    """Say whether the judgement saw all of the text: of one that is too long only the beginning is read."""
    return len(want_of(ticket).text) <= LONGEST_TEXT
