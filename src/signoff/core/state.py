"""The state of a run: a fold of its events, and nothing else.

Pure. `advance` is the only thing that changes a state; the engine calls it for each record it has
made durable, a reader calls it for each record it finds. What the numbers mean (which step, which
halt, what comes next) is the flow's to say; the fold only keeps what happened.
"""

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from signoff.domain.events import (
    Answered,
    Claimed,
    Done,
    Index,
    Intended,
    OverruleRefused,
    Recorded,
    Resumed,
    RunEnd,
    RunStart,
    StopRequested,
    TailRepaired,
    Waived,
)
from signoff.domain.ids import Digest, EffectKey, HaltId, RunId
from signoff.domain.outcomes import Outcome
from signoff.domain.record import Record


class Opened(Record, frozen=True, kw_only=True):
    """An intent as it stands in the journal; its time is the time of everything the effect writes."""

    seq: int
    ts: str
    sum: str
    do: str
    effect: Digest


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
    open: dict[EffectKey, Opened] = {}
    """Intended and not done."""
    done: dict[EffectKey, Outcome] = {}
    """In the order in which things were recorded."""
    intents: dict[EffectKey, Opened] = {}
    spans: dict[EffectKey, Span] = {}
    claims: dict[EffectKey, Claimed] = {}
    answers: dict[HaltId, Answered] = {}
    waivers: tuple[Waived, ...] = ()
    refusals: tuple[OverruleRefused, ...] = ()
    stopping: bool = False
    interruptions: int = 0
    """How many records only say that a driver came back or mended the tail."""
    repairs: int = 0
    ended: RunEnd | None = None


def advance(state: State, recorded: Recorded) -> State:
    """Give the state after one more record."""
    changed = _apply(state, recorded)
    return replace(changed, seq=recorded.seq, ts=recorded.ts, head=recorded.sum)


def fold(records: Iterable[Recorded]) -> State:
    """Give the state after all of these records."""
    state = State()
    for recorded in records:
        state = advance(state, recorded)
    return state


def _apply(state: State, recorded: Recorded) -> State:
    event = recorded.event
    match event:
        case Index():
            return replace(state, run_id=event.run_id)
        case RunStart():
            return replace(state, start=event)
        case Intended():
            opened = Opened(
                seq=recorded.seq, ts=recorded.ts, sum=recorded.sum, do=event.do, effect=event.effect
            )
            return replace(
                state,
                open={**state.open, event.key: opened},
                intents={**state.intents, event.key: opened},
            )
        case Done():
            return _done(state, recorded, event)
        case Answered():
            return replace(state, answers={**state.answers, event.halt: event})
        case Claimed():
            return replace(state, claims={**state.claims, event.key: event})
        case Waived():
            return replace(state, waivers=(*state.waivers, event))
        case OverruleRefused():
            return replace(state, refusals=(*state.refusals, event))
        case StopRequested():
            return replace(state, stopping=True)
        case Resumed():
            return replace(state, stopping=False, interruptions=state.interruptions + 1)
        case TailRepaired():
            return replace(state, repairs=state.repairs + 1, interruptions=state.interruptions + 1)
        case RunEnd():
            return replace(state, ended=event)
        case _:
            assert_never(event)


def _done(state: State, recorded: Recorded, event: Done) -> State:
    opened = state.open.get(event.key)
    started = opened.ts if opened else recorded.ts
    return replace(
        state,
        open={key: value for key, value in state.open.items() if key != event.key},
        done={**state.done, event.key: event.outcome},
        spans={**state.spans, event.key: Span(started=started, ended=recorded.ts)},
    )
