"""The state of a run: a fold of its events, and nothing else.

Pure. `advance` is the only thing that changes a state. The engine calls it for each record it has made
durable, a reader for each record it finds. The flow decides what the state means (which step, which halt,
what comes next). The fold only keeps what happened.
"""

from collections.abc import Iterable
from typing import assert_never

from msgspec import structs

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import Digest, EffectKey, HaltId, RunId
from signoff.domain.run.events import (
    Answered,
    CapReset,
    Claimed,
    CycleStarted,
    Done,
    HookVetoed,
    Index,
    Intended,
    OverruleRefused,
    Recorded,
    Resumed,
    RunEnd,
    RunStart,
    StateExported,
    StopRequested,
    TailRepaired,
    Waived,
)
from signoff.domain.run.outcomes import Outcome


class OpenIntent(Record, frozen=True, kw_only=True):
    """An intent as it stands in the journal. Its time is the time of everything the effect writes."""

    seq: int
    ts: str
    sum: str
    do: str
    effect: Digest
    budget_usd: float | None = None


class Span(Record, frozen=True, kw_only=True):
    """When an effect was intended and when it was done."""

    started: str
    ended: str


class State(Record, frozen=True, kw_only=True):
    """Everything that happened to a run so far."""

    seq: int = -1
    ts: str = ""
    head: str = ""
    run_id: RunId = RunId("")
    start: RunStart | None = None
    open: dict[EffectKey, OpenIntent] = {}
    """Intended and not done."""
    done: dict[EffectKey, Outcome] = {}
    """In the order in which things were recorded."""
    intents: dict[EffectKey, OpenIntent] = {}
    spans: dict[EffectKey, Span] = {}
    claims: dict[EffectKey, Claimed] = {}
    claimed_at: dict[EffectKey, int] = {}
    """The record of the latest claim of each name."""
    claimed_before: dict[EffectKey, int] = {}
    """The cycle that was the first to see the latest claim of each name."""
    cycles: int = 0
    last_read: Digest | None = None
    """The state file as the latest cycle read it."""
    exports: tuple[Digest, ...] = ()
    """Every state file a hosted run gave out, the latest last."""
    exported_in: int = 0
    """The cycle that gave out the latest of them."""
    refined: Digest | None = None
    """The digest of the refined input when the latest file was given out."""
    vetoes: dict[str, HookVetoed] = {}
    """The latest veto of each step. The flow decides which of them still counts."""
    answers: dict[HaltId, Answered] = {}
    answered_at: dict[HaltId, int] = {}
    """The record of the latest answer to each halt."""
    waivers: tuple[Waived, ...] = ()
    refusals: tuple[OverruleRefused, ...] = ()
    cap_resets: dict[str, int] = {}
    """How often each cap was reset."""
    cap_reset_at: dict[str, int] = {}
    """The record of the latest reset of each cap. What came before it does not count against the cap."""
    resets: tuple[CapReset, ...] = ()
    stopping: bool = False
    interruptions: int = 0
    """How many records only say that a driver came back or repaired the tail."""
    repairs: int = 0
    ended: RunEnd | None = None


def advance(state: State, recorded: Recorded) -> State:
    """Return the state after one more record."""
    return fold((recorded,), state)


def fold(records: Iterable[Recorded], state: State | None = None) -> State:
    """Return the state after all of these records. They are taken one by one and not kept."""
    draft = _Draft(State() if state is None else state)
    for recorded in records:
        draft.take(recorded)
    return draft.state()


class _Draft:
    """A state in the making: copied once, however many records follow."""

    def __init__(self, state: State) -> None:
        self._fields = structs.asdict(state)
        for name, value in self._fields.items():
            if isinstance(value, dict):
                self._fields[name] = dict(value)

    def state(self) -> State:
        return State(**self._fields)

    def take(self, recorded: Recorded) -> None:
        """Take over one record. Each kind of event has one case, and mypy fails on an event without one.

        Most cases keep the newest event under its key. Waivers, refused overrules and resets of caps are all
        kept. A case reads nothing but its record and the fields, so that a replay ends in the same state.
        """
        fields, event = self._fields, recorded.event
        fields.update(seq=recorded.seq, ts=recorded.ts, head=recorded.sum)
        match event:
            case Index():
                fields["run_id"] = event.run_id
            case RunStart():
                fields["start"] = event
            case Intended():
                self._open(recorded, event)
            case Done():
                opened = fields["open"].pop(event.key, None)
                fields["done"][event.key] = event.outcome
                started = opened.ts if opened else recorded.ts
                fields["spans"][event.key] = Span(started=started, ended=recorded.ts)
            case Answered():
                fields["answers"][event.halt] = event
                fields["answered_at"][event.halt] = recorded.seq
            case Claimed():
                fields["claims"][event.key] = event
                fields["claimed_at"][event.key] = recorded.seq
                fields["claimed_before"][event.key] = fields["cycles"] + 1
            case CycleStarted():
                fields["cycles"] = event.number
                fields["last_read"] = event.read
                fields["stopping"] = False
            case StateExported():
                fields["exports"] = (*fields["exports"], event.state)
                fields["exported_in"] = fields["cycles"]
                fields["refined"] = event.refined
            case HookVetoed():
                fields["vetoes"][event.step] = event
            case Waived():
                fields["waivers"] = (*fields["waivers"], event)
            case OverruleRefused():
                fields["refusals"] = (*fields["refusals"], event)
            case CapReset():
                fields["cap_resets"][event.name] = fields["cap_resets"].get(event.name, 0) + 1
                fields["cap_reset_at"][event.name] = recorded.seq
                fields["resets"] = (*fields["resets"], event)
            case StopRequested():
                fields["stopping"] = True
            case Resumed():
                fields["stopping"] = False
                fields["interruptions"] += 1
            case TailRepaired():
                fields["repairs"] += 1
                fields["interruptions"] += 1
            case RunEnd():
                fields["ended"] = event
            case _:
                assert_never(event)

    def _open(self, recorded: Recorded, event: Intended) -> None:
        opened = OpenIntent(
            seq=recorded.seq,
            ts=recorded.ts,
            sum=recorded.sum,
            do=event.do,
            effect=event.effect,
            budget_usd=event.budget_usd,
        )
        self._fields["open"][event.key] = opened
        self._fields["intents"][event.key] = opened
