"""What destroys something is not started before a person at a terminal has said so. Pure.

A veto is no part of any score: no flag, no setting and no relayed answer releases it. A word counts for the
text it was given for: a ticket that is stated anew is judged anew.
"""

from signoff.core.canonical import canonical, digest
from signoff.core.cutting import short
from signoff.core.refining.judging import is_read_whole, judged
from signoff.core.spending import GO_ON
from signoff.domain.events import How
from signoff.domain.halts import Halt, HaltCode, HaltKind
from signoff.domain.ids import HaltId
from signoff.domain.ticket import Ticket
from signoff.flows.budgeting import GIVE_UP
from signoff.flows.view import View

DESTRUCTIVE = HaltId("refine/destructive")
_MOST_LINES = 8
_LONGEST_LINE = 300
_WARNING = "This destroys something. Only a person at a terminal can let it through."
_UNREAD = "the text is too long to be read to its end, so nobody knows what it asks for"


def destructive(view: View) -> Halt | None:
    """Give the question that stands before everything else; None where nothing is destroyed, or it may be."""
    found = _found(view)
    if not found:
        return None
    answer = view.answer(_halt_id(view))
    if answer is not None and (answer.answer == GIVE_UP or _is_typed(answer.answer, answer.how)):
        return None
    return Halt(
        id=_halt_id(view),
        code=HaltCode.DESTRUCTIVE_INTENT,
        kind=HaltKind.PERSON,
        step="refine",
        question=f"{_WARNING} {'; '.join(found)}.",
        options=(GO_ON, GIVE_UP),
        terminal_only=(GO_ON,),
    )


def given_up(view: View) -> str:
    """Say why the run ends before it began; empty unless a person would not have it."""
    found = _found(view)
    answer = view.answer(_halt_id(view)) if found else None
    if answer is None or answer.answer != GIVE_UP:
        return ""
    return f"given up, because it destroys something: {found[0]}"


def _found(view: View) -> tuple[str, ...]:
    """Give what is destroyed, a line each."""
    if not view.start.guards_intent:
        return ()
    ticket = view.ticket()
    lines = [short(f"“{veto.phrase}” {veto.message}", _LONGEST_LINE) for veto in judged(ticket).vetoes]
    unread = () if is_read_whole(ticket) else (_UNREAD,)
    return (*lines[:_MOST_LINES], *unread)


def _is_typed(text: str, how: How) -> bool:
    return text == GO_ON and how is How.TERMINAL


def _halt_id(view: View) -> HaltId:
    ticket = view.ticket()
    if ticket == view.body(view.start.ticket, Ticket):
        return DESTRUCTIVE
    return HaltId(f"{DESTRUCTIVE}/{digest(canonical(ticket)).rpartition(':')[2][:8]}")
