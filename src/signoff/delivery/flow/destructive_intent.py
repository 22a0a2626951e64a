"""Ask a person at a terminal before anything is started that destroys something. Pure.

A veto is no part of any score: no flag, no setting and no relayed answer releases it. An answer counts for
the text it was given for: a ticket that is stated anew is judged anew.
"""

from signoff.delivery.budget.budget_stage import GIVE_UP
from signoff.delivery.budget.budget_state import GO_ON
from signoff.delivery.context.run_view import View
from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.events import How
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.work.ticket import Ticket
from signoff.intake.refinement.intake_gate import is_read_whole, judged
from signoff.text.json.canonical import canonical, digest
from signoff.text.truncation import short

DESTRUCTIVE = HaltId("refine/destructive")
_MOST_LINES = 8
_LONGEST_LINE = 300
_WARNING = "This destroys something. Only a person at a terminal can let it through."
_UNREAD = "the text is too long to be read to its end, so what it asks for is not known"


def destructive(view: View) -> Halt | None:
    """Return the halt that asks before anything is destroyed, or None if nothing is, or it was allowed."""
    found = _destroyed(view)
    if not found:
        return None
    answer = view.answer(_halt_id(view))
    if answer is not None and (
        answer.answer == GIVE_UP or (answer.answer == GO_ON and answer.how is How.TERMINAL)
    ):
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
    """Return why the run ends before it began, or "" unless a person refused what it destroys."""
    found = _destroyed(view)
    answer = view.answer(_halt_id(view)) if found else None
    if answer is None or answer.answer != GIVE_UP:
        return ""
    return f"given up, because it destroys something: {found[0]}"


def _destroyed(view: View) -> tuple[str, ...]:
    """Return what is destroyed, a line each."""
    if not view.start.guards_intent:
        return ()
    ticket = view.ticket()
    lines = [short(f"“{veto.phrase}” {veto.message}", _LONGEST_LINE) for veto in judged(ticket).vetoes]
    unread = () if is_read_whole(ticket) else (_UNREAD,)
    return (*lines[:_MOST_LINES], *unread)


def _halt_id(view: View) -> HaltId:
    ticket = view.ticket()
    if ticket == view.body(view.start.ticket, Ticket):
        return DESTRUCTIVE
    return HaltId(f"{DESTRUCTIVE}/{digest(canonical(ticket)).rpartition(':')[2][:8]}")
