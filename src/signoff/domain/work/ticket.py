"""The work that is asked for, as it came in. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record


class InputKind(StrEnum):
    """The form in which the work was asked for."""

    TICKET = "ticket"
    PROMPT = "prompt"
    DIFF = "diff"
    FILE = "file"


class Ticket(Record, frozen=True, kw_only=True):
    """One request for work. Everything in it is untrusted text."""

    id: str = ""
    title: str = ""
    body: str = ""
    acceptance_criteria: tuple[str, ...] = ()
    kind: InputKind = InputKind.TICKET
    source: str = ""
    """Where it was read from: a file name, `prompt`, a tracker reference."""
