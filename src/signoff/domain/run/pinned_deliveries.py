"""A pinned delivery: all that is needed to play a recorded run again, and what it came to. Pure records."""

from typing import Literal, NamedTuple

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, EffectKey, HaltId, TreeId
from signoff.domain.run.cassettes import Cassette
from signoff.domain.work.budgets import Budget
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.domain.work.work_state import Persona


class DeliveryAbout(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`delivery.json`: what was pinned, and what the run was started with."""

    version: Literal[1]
    run_id: str
    """Of the run that was pinned."""
    engine_version: str
    base_tree: TreeId
    approve_plan: bool
    budget: Budget | None = None
    persona: Persona = Persona.SENIOR_ENGINEER
    only_plan: bool = False
    approved_by: str = ""
    """Who had agreed to the contract that it was started with."""
    notes: tuple[str, ...] = ()
    """In what the recording is not what happened."""


class EffectCame(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One effect and its outcome. Times, prices and words are left out."""

    key: EffectKey
    do: str
    came: str


class OpenedHalt(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the run waits for at its end."""

    id: HaltId
    code: str


class DeliveryEnd(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`expected.json`: how the run ended."""

    outcome: str
    exit_code: int
    final: TreeId | None
    clauses: dict[ClauseId, str]
    """The standing of each."""
    halts: tuple[OpenedHalt, ...]
    effects: tuple[EffectCame, ...]
    """By key: the order in which siblings finish means nothing."""


class DeliveryPack(NamedTuple):
    """The files of one pack, read."""

    about: DeliveryAbout
    cassette: Cassette
    ticket: Ticket
    settings: Settings
    bundle: bytes
    """The base tree as a git bundle of one commit."""
    expected: DeliveryEnd
    contract: bytes = b""
    """What the run was started with in place of a planner."""
