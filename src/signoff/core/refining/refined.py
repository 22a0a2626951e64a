"""What refining came to, as the journal of a hosted run keeps it. Pure, and light: every cycle reads it."""

import msgspec
from msgspec.structs import replace

from signoff.core.refining.wants import Want
from signoff.domain.ids import Digest
from signoff.domain.record import Record
from signoff.domain.refining import Refinement, Route
from signoff.domain.work_state import WorkInput


class Basis(Record, frozen=True, kw_only=True):
    """Everything that decides about what is wanted in a hosted run."""

    given: Digest
    """The input the run began with."""
    edited: Digest | None = None
    """Its data as the host has made them clearer since."""
    route: Route
    stated: str = ""
    """The ticket as a person stated it anew."""
    is_corrected: bool = False
    """The host edited the input after that."""
    added: tuple[str, ...] = ()
    """What a person answered to the questions about a prompt, in order."""
    is_confirmed: bool = False
    """A person said that the reconstruction is right."""


class Refined(Record, frozen=True, kw_only=True):
    """A want as it was read, and what the intake gate said of it."""

    basis: Digest
    """Of the `Basis`; with another one it says nothing."""
    want: Want
    refinement: Refinement


def input_of(given: bytes, edited: bytes | None) -> WorkInput:
    """Give the input of a run, with the data that the host has put in place of its own."""
    first = msgspec.json.decode(given, type=WorkInput)
    data = None if edited is None else msgspec.json.decode(edited)
    return replace(first, data=data) if isinstance(data, dict) else first
