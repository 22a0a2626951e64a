"""The journal of one run and its fold, written by one thread.

`record` is append, fsync, fold, in this order: a state is never ahead of the disk. Views are written after
the fold, at most once a second while the run moves, and always when it waits or ends.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from signoff.domain.run.effects import Dispatch
from signoff.domain.run.events import SCHEMA_VERSION, Event, Index, Intended, Recorded, RunStart
from signoff.engine.run_state import State, advance, fold
from signoff.text.json.canonical import canonical, digest
from signoff.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.base.typed_ids import RunId
    from signoff.domain.ports import Clock, JournalFile, JournalLine, RunFolder
    from signoff.domain.run.effects import Effect

Stamp = Callable[[int], str]
"""Returns the time of the record with this number, interruptions not counted."""
Watcher = Callable[[Recorded, State], None]

_EVENTS = msgspec.json.Decoder(Event)
_ENCODER = msgspec.json.Encoder()
_REPLAY_STEP = timedelta(milliseconds=250)


def live_stamp(clock: Clock) -> Stamp:
    """Stamp records with the present moment."""
    return lambda _seq: clock.now()


def replayed_stamp(started_at: str) -> Stamp:
    """Stamp records by their number alone, so that a cassette gives the same bytes every time.

    A crash and a resume in between do not move the clock: the commits stay the same too.
    """
    start = datetime.fromisoformat(started_at)

    def stamp(seq: int) -> str:
        moment = start + seq * _REPLAY_STEP
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    return stamp


def recorded(line: JournalLine) -> Recorded:
    """Decode a stored line into an event with its place."""
    return Recorded(seq=line.seq, ts=line.ts, sum=line.sum, event=_EVENTS.decode(line.raw))


def records(folder: RunFolder) -> Iterator[Recorded]:
    """Stream the journal of a run as events."""
    for line in folder.lines():
        yield recorded(line)


def load(folder: RunFolder) -> State:
    """Fold the journal of a run."""
    return fold(records(folder))


def start_of(folder: RunFolder) -> RunStart | None:
    """Return what a run is pinned to. Only its first two records are read."""
    starts = (entry.event for entry in islice(records(folder), 2) if isinstance(entry.event, RunStart))
    return next(starts, None)


class RunLog:
    """The only writer of a run. Use it inside the lock and inside `folder.writer()`."""

    def __init__(
        self, journal: JournalFile, stamp: Stamp, state: State | None = None, watch: Watcher | None = None
    ) -> None:
        self._journal = journal
        self._stamp = stamp
        self._watch = watch
        self._state = State() if state is None else state

    @property
    def state(self) -> State:
        """The state after the last record."""
        return self._state

    def record(self, event: Event) -> None:
        """Append, make durable, fold, then tell the watcher.

        A chained log cannot be cleaned later: what looks like a credential is replaced before it is
        written, and the state is a fold of what was written.
        """
        body = _ENCODER.encode(event)
        cleaned = redact(body)
        if cleaned != body:
            body, event = cleaned, _EVENTS.decode(cleaned)
        line = self._journal.append(body, self._stamp(self._state.seq + 1 - self._state.interruptions))
        entry = Recorded(seq=line.seq, ts=line.ts, sum=line.sum, event=event)
        self._state = advance(self._state, entry)
        if self._watch is not None:
            self._watch(entry, self._state)

    def intend(self, effect: Effect) -> None:
        """Record that an effect is about to be performed."""
        self.record(
            Intended(
                key=effect.key,
                do=str(effect.__struct_config__.tag),
                effect=digest(canonical(effect)),
                budget_usd=effect.budget_usd if isinstance(effect, Dispatch) else None,
            )
        )


def begin_log(
    journal: JournalFile, stamp: Stamp, run_id: RunId, event_types: tuple[str, ...], start: RunStart
) -> RunLog:
    """Write the first two records of a new run: its index, and everything it is pinned to."""
    log = RunLog(journal, stamp)
    log.record(
        Index(
            schema_version=SCHEMA_VERSION,
            flow=start.flow.partition("@")[0],
            run_id=run_id,
            event_types=event_types,
            started_at=stamp(0),
        )
    )
    log.record(start)
    return log
