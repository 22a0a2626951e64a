"""A recorded agent: for each directive the answer it gave and what it did to the files. Pure records."""

from typing import Literal

import msgspec

from signoff.domain.ids import EffectKey, HaltId
from signoff.domain.record import Record


class CassetteEntry(Record, frozen=True, kw_only=True):
    """What the agent did when it was given the directive of this key."""

    key: EffectKey
    answer: msgspec.Raw
    patch: str = ""
    """Unified diff, applied to the checkout."""
    files: dict[str, str | None] = {}
    """Raw writes below the checkout (None deletes): what a patch cannot say, such as `.git/info/exclude`."""


class CassetteAnswer(Record, frozen=True, kw_only=True):
    """What the person answered when the recording was made; replayed as relayed input."""

    halt: HaltId
    answer: str


class Cassette(Record, frozen=True, kw_only=True):
    """A recorded run: entries by key, answers by halt, and the order in which things finished."""

    version: Literal[1]
    name: str
    entries: tuple[CassetteEntry, ...]
    answers: tuple[CassetteAnswer, ...] = ()
    order: tuple[str, ...] = ()
    """Effect keys, and `answer:<halt>` for answers, in order of completion; the rest in order of intent."""
    started_at: str = "2026-01-01T00:00:00.000Z"
    """Where the clock of a replay starts."""
