"""Records of an input of the intake gate, whatever it came as, and of its judgement. Pure."""

from typing import Final

import msgspec
from msgspec.structs import replace

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import Digest
from signoff.domain.base.violations import Violation
from signoff.domain.work.refinement import Refinement, Route
from signoff.domain.work.ticket import InputKind, Ticket
from signoff.domain.work.work_state import WorkInput


class ChangedFile(Record, frozen=True, kw_only=True):
    """A file that a diff touches."""

    path: str
    is_new: bool = False
    is_renamed: bool = False


class Want(Record, frozen=True, kw_only=True):
    """An input of the intake gate, with everything that decides about it."""

    kind: InputKind
    ticket: Ticket = Ticket()
    """For prompts, diffs and files what was given along with them. Only a ticket needs an id."""
    raw: str = ""
    """The prompt or the diff as it was written."""
    path: str = ""
    reconstructed_ac: tuple[str, ...] | None = None
    """None until criteria were made out of a prompt. An empty list is read as None."""
    assumptions: tuple[str, ...] = ()
    confidence_confirmed: bool = False
    """Only a JSON `true` confirms."""
    issue_type: str = ""
    """What the tracker calls it: Bug, Story."""
    labels: tuple[str, ...] = ()
    branch: str = ""
    files: tuple[ChangedFile, ...] = ()
    """The files of a diff."""
    violations: tuple[Violation, ...] = ()

    @property
    def statement(self) -> str:
        """The words of the person. A diff alone states nothing."""
        if self.kind is InputKind.PROMPT:
            return self.raw
        return PARAGRAPH.join(filter(None, (self.ticket.title, self.ticket.body)))

    @property
    def criteria(self) -> tuple[str, ...]:
        """The acceptance criteria in force."""
        if self.kind is InputKind.TICKET:
            return self.ticket.acceptance_criteria
        return self.reconstructed_ac or ()

    @property
    def text(self) -> str:
        """Everything that is said: statement and criteria, each a paragraph of its own."""
        return PARAGRAPH.join(filter(None, (self.statement, *self.criteria)))


PARAGRAPH: Final = "\n\n"


class RefinementInput(Record, frozen=True, kw_only=True):
    """Everything that decides about the input of a hosted run."""

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
    """An input as it was parsed, with the judgement of the intake gate."""

    basis: Digest
    """The digest of the `RefinementInput`. For another basis the record is out of date."""
    want: Want
    refinement: Refinement


def input_of(given: bytes, edited: bytes | None) -> WorkInput:
    """Return the input of a run, with the data that the host put in place of its own."""
    first = msgspec.json.decode(given, type=WorkInput)
    data = None if edited is None else msgspec.json.decode(edited)
    return replace(first, data=data) if isinstance(data, dict) else first
