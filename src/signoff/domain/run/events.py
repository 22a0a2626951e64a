"""What can happen to a run: the journal's records. Pure.

Names are past tense. The envelope (`seq`, `ts`, `prev`, `sum`) is added when a record is stored.
Adding a field with a default is compatible. Anything else needs a new schema version and an upcast.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import get_args

import msgspec

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, CommitId, Digest, EffectKey, HaltId, RunId, TreeId
from signoff.domain.run.outcomes import Outcome
from signoff.domain.work.budgets import Budget

SCHEMA_VERSION = "1"


class How(StrEnum):
    """How a person's word came in. Only what was typed on a terminal can overrule."""

    TERMINAL = "terminal"
    RELAYED = "relayed"


class Driver(StrEnum):
    """Who brings directives to agents."""

    HOSTED = "hosted"
    AUTOPILOT = "autopilot"
    RECORDED = "recorded"


class EventBase(Record, frozen=True, kw_only=True, tag_field="event"):
    """A journal record without its envelope."""


class Index(EventBase, frozen=True, kw_only=True, tag="_index"):
    """The first record: which log this is and which events it may hold."""

    schema_version: str
    flow: str
    run_id: RunId
    event_types: tuple[str, ...]
    started_at: str


class RunStart(EventBase, frozen=True, kw_only=True, tag="run_start"):
    """The second record: everything the run is pinned to."""

    flow: str
    """Name and version, such as `deliver@1`."""
    driver: Driver
    agent: str
    base: CommitId
    base_tree: TreeId
    ticket: Digest
    settings: Digest
    engine_version: str
    approve_plan: bool = False
    """The plan is approved by policy (`--yes` or the setting). Otherwise a person is asked."""
    predicts_merges: bool = False
    """Merges of a wave are predicted, and what would conflict is sent back. Older runs did without."""
    guards_intent: bool = False
    """A person is asked before something is destroyed. Older runs did without."""
    persona: str = "senior-engineer"
    cassette: Digest | None = None
    record: bool = False
    """A cassette is left whenever the run comes to rest."""
    boxed: bool = False
    """Whether agents run confined to their checkout."""
    parent: RunId | None = None
    parent_head: str = ""
    route: Digest | None = None
    """Of a hosted run: which steps do the work, decided once."""
    roles: dict[str, str] = {}
    """Agents of single roles, where they are not `agent`."""
    adopted: bool = False
    """Of a hosted run: it began from a state file that no run of ours stood behind."""
    stands_for: dict[str, str] = {}
    """Of a replay: the agents that were recorded, by role. The one without a role is for all others."""
    rehearsal: bool = False
    """A recorded run is played to be compared with itself, so what it signs off counts for nothing."""
    exchanged: str = ""
    """Of a hosted run: its state file, relative to the root or absolute."""
    budget: Budget | None = None
    """What the run may spend, or None for no limit."""
    telemetry: bool = True
    """Whether dispatches of the first driver go into the ledger."""
    only_plan: bool = False
    """It ends with a sealed contract, and the steps behind that are skipped."""
    proposal: Digest | None = None
    """The contract it was started with, as a planner's answer. No planner is asked then."""
    approved_by: str = ""
    """Who agreed to exactly that contract in an earlier run."""
    spec: str = ""
    """The spec whose sprint it delivers."""
    sprint: str = ""
    follows: RunId | None = None
    """The run of another sprint, whose result is the base of this one."""


class Intended(EventBase, frozen=True, kw_only=True, tag="intended"):
    """An effect is about to be performed. Written before anything happens."""

    key: EffectKey
    do: str
    effect: Digest
    """Digest of the effect's canonical JSON. Replay compares it per key."""
    budget_usd: float | None = None
    """Of a dispatch: what is set aside for it alone until it ends."""


class Done(EventBase, frozen=True, kw_only=True, tag="done"):
    """An effect came to its end."""

    key: EffectKey
    outcome: Outcome


class Answered(EventBase, frozen=True, kw_only=True, tag="answered"):
    """A halt was answered."""

    halt: HaltId
    answer: str
    by: str
    how: How


class Claimed(EventBase, frozen=True, kw_only=True, tag="claimed"):
    """A host handed in what its agent says: a proposal like any other."""

    key: EffectKey
    answer: Digest
    kind: str
    by: str
    question: str = ""
    options: tuple[str, ...] = ()


class CycleStarted(EventBase, frozen=True, kw_only=True, tag="cycle_started"):
    """A host called once more. What it wrote into the state file stands before this record, as claims."""

    number: int
    read: Digest | None = None
    """Digest of the state file as it was read, or None if there was no file yet."""
    engine_version: str = ""


class StateExported(EventBase, frozen=True, kw_only=True, tag="state_exported"):
    """The state file as the engine left it. The next difference to it is a claim."""

    state: Digest
    wire: str
    refined: Digest | None = None
    """The blob of the refined work (`Refined`). It counts as long as nothing it rests on has changed."""


class HookVetoed(EventBase, frozen=True, kw_only=True, tag="hook_vetoed"):
    """An observer did not let a step of a hosted run pass. It counts for this cycle, the next asks again."""

    step: str
    hook: str
    point: str
    reason: str
    cycle: int
    lines: tuple[str, ...] = ()


class Waived(EventBase, frozen=True, kw_only=True, tag="waived"):
    """A person on a terminal overruled a clause, for the tree they saw."""

    clause: ClauseId
    reason: str
    by: str
    how: How
    tree: TreeId


class OverruleRefused(EventBase, frozen=True, kw_only=True, tag="overrule_refused"):
    """An attempt to overrule without a terminal. It changes nothing and is kept on record."""

    clause: ClauseId
    by: str
    how: How


class CapReset(EventBase, frozen=True, kw_only=True, tag="cap_reset"):
    """A person on a terminal let a cap count anew from here."""

    name: str
    """Name of a cap (see `domain.base.caps`)."""
    reason: str
    by: str
    how: How


class StopRequested(EventBase, frozen=True, kw_only=True, tag="stop_requested"):
    """The run is to stop. What is open stays open."""

    by: str
    how: How


class Resumed(EventBase, frozen=True, kw_only=True, tag="resumed"):
    """A driver took the run up again."""

    engine_version: str
    telemetry: bool = True
    """Whether dispatches of this driver go into the ledger."""


class TailRepaired(EventBase, frozen=True, kw_only=True, tag="tail_repaired"):
    """A torn last line was cut and kept aside."""

    bytes: int
    kept: str


class RunStatus(StrEnum):
    """How a run ended."""

    SIGNED_OFF = "signed-off"
    REFUSED = "refused"
    NOT_JUDGED = "could-not-be-judged"
    REPORTED = "reported"
    """A hosted run wrote its report, which says what of it was witnessed."""
    PLANNED = "planned"
    """There is a sealed contract, and nothing was to be built. It is no sign-off."""


class RunEnd(EventBase, frozen=True, kw_only=True, tag="run_end"):
    """The last record."""

    status: RunStatus
    final: TreeId | None = None
    why: str = ""


Event = (
    Index
    | RunStart
    | Intended
    | Done
    | Answered
    | Claimed
    | CycleStarted
    | StateExported
    | HookVetoed
    | Waived
    | OverruleRefused
    | CapReset
    | StopRequested
    | Resumed
    | TailRepaired
    | RunEnd
)

_OF_HOSTED_RUNS = (CycleStarted, StateExported, HookVetoed)


def _tags(kinds: Iterable[type[EventBase]]) -> tuple[str, ...]:
    return tuple(str(kind.__struct_config__.tag) for kind in kinds)


EVENT_TYPES: tuple[str, ...] = _tags(kind for kind in get_args(Event) if kind not in _OF_HOSTED_RUNS)
"""What the journal of every run may hold, in the order in which its first record lists it."""

WORK_EVENT_TYPES: tuple[str, ...] = (*EVENT_TYPES, *_tags(_OF_HOSTED_RUNS))
"""What the journal of a hosted run may hold."""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """An event with its place in the journal."""

    seq: int
    ts: str
    sum: str
    event: Event
