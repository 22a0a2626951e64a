"""The messages about a run that was just started."""

from signoff.cli.shared.command import Output
from signoff.domain.work.ticket import Ticket
from signoff.runs.drive.run_start import StartedRun

_MOST_SHOWN = 3


def introduce(say: Output, started: StartedRun, ticket: Ticket) -> None:
    """Print which run was started, and which changes of the working tree are not part of its base."""
    base = started.base
    say.note(f"run {started.folder.run_id}: {ticket.id} {ticket.title} (base {base.commit[:12]})")
    for note in started.notes:
        say.note(note)
    if base.dirty:
        more = len(base.dirty) - _MOST_SHOWN
        shown = ", ".join(base.dirty[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
        say.note(f"note: uncommitted changes are not part of the base: {shown}")
    if base.submodules:
        say.note(f"note: submodules are known by their commit alone: {', '.join(base.submodules)}")
