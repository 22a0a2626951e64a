"""A recorded agent: for each directive the answer it gave and what it did to the files. Pure records."""

from typing import Literal

import msgspec

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.findings import Finding
from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import EffectKey, HaltId
from signoff.domain.run.outcomes import AgentFailure, Usage

NO_ANSWER = msgspec.Raw(b"null")


def _no_answer() -> msgspec.Raw:
    return NO_ANSWER


class CassetteFailure(Record, frozen=True, kw_only=True):
    """Why a dispatch brought no answer, as the journal has it."""

    failure: AgentFailure
    detail: str = ""
    failure_class: FailureClass | None = None
    retryable: bool | None = None
    retry_after_s: float | None = None


class CassetteEntry(Record, frozen=True, kw_only=True):
    """What the agent did when it was given the directive of this key: exactly one of an answer, a failure and
    an interruption."""

    key: EffectKey
    answer: msgspec.Raw = msgspec.field(default_factory=_no_answer)
    patch: str = ""
    """Unified diff, applied to the checkout."""
    files: dict[str, str | None] = {}
    """Raw writes below the checkout (None deletes): what a patch cannot say, such as `.git/info/exclude`."""
    failed: CassetteFailure | None = None
    interrupted: bool = False
    """Its driver died or was stopped while it worked."""
    usage: Usage | None = None
    """What it said it used. A replay counts it as the run did."""
    outside: tuple[Finding, ...] = ()
    """What it wrote, or tried to write, outside its checkout. A replay reports it without doing it."""
    doubts: tuple[Finding, ...] = ()
    """What changed outside its checkout while it worked in the open, about which a person is asked."""


class CassetteAnswer(Record, frozen=True, kw_only=True):
    """What the person answered when the recording was made, replayed as relayed input."""

    halt: HaltId
    answer: str
    typed: bool = False
    """It was typed on a terminal. Only a rehearsal, whose result counts nowhere, plays it as such."""


class Cassette(Record, frozen=True, kw_only=True):
    """A recorded run: entries by key, answers by halt, and the order in which things finished."""

    version: Literal[1]
    name: str
    entries: tuple[CassetteEntry, ...]
    answers: tuple[CassetteAnswer, ...] = ()
    order: tuple[str, ...] = ()
    """Effect keys, and `answer:<halt>` for answers, in order of completion. The rest is in order of intent.
    """
    started_at: str = "2026-01-01T00:00:00.000Z"
    """Where the clock of a replay starts."""
    agents: dict[str, str] = {}
    """Who was recorded, by role. The one without a role did everything else. Fallbacks go by it."""
    notes: tuple[str, ...] = ()
    """In what the recording is not what happened: credentials that were taken out of files."""
