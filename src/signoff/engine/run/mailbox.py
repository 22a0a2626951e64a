"""Where a driver's messages arrive: outcomes from its threads, answers and stops from the inbox.

A live driver takes outcomes as they come. A recorded one takes them in the cassette's order, and
answers halts with the cassette's answers, so that the same cassette gives the same journal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from signoff.domain.base.typed_ids import EffectKey, HaltId
from signoff.domain.run.events import Answered, Claimed, Done, Event, How, OverruleRefused, StopRequested
from signoff.domain.run.halts import Halt
from signoff.engine.loop import Crashed, Stopped
from signoff.engine.run_state import State

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from threading import Condition

    from signoff.domain.ports import InboxItem, RunFolder
    from signoff.engine.loop import Message

_POLL_S = 0.1
_EVENTS = msgspec.json.Decoder(Event)

Halts = Callable[[State], tuple[Halt, ...]]


def answer_to(halt: HaltId) -> str:
    """Name the answer to a halt in a cassette's order. A halt may have the name of its dispatch."""
    return f"answer:{halt}"


class CassetteScript:
    """A cassette's order and answers."""

    def __init__(
        self, order: tuple[str, ...], answers: Mapping[HaltId, str], typed: Collection[HaltId] = ()
    ) -> None:
        """Keep order and answers. Answers to the halts in `typed` count as typed on a terminal."""
        self._rank = {name: rank for rank, name in enumerate(order)}
        self.answers = answers
        self._typed = typed

    def answered(self, halt: HaltId) -> Answered:
        """Return the answer to a halt as an event."""
        how = How.TERMINAL if halt in self._typed else How.RELAYED
        return Answered(halt=halt, answer=self.answers[halt], by="cassette", how=how)

    def first(self, running: tuple[EffectKey, ...], halts: tuple[HaltId, ...]) -> str | None:
        """Name what finishes next: by the cassette's order, else effects by intent, then answers."""
        waiting = (*running, *halts)
        if not waiting:
            return None
        names = (*running, *map(answer_to, halts))
        return min(zip(names, waiting, strict=True), key=lambda pair: self._place(pair[0], names))[1]

    def _place(self, name: str, names: tuple[str, ...]) -> tuple[int, int]:
        return self._rank.get(name, len(self._rank)), names.index(name)


class Alone:
    """A `threading.Condition` for one thread, which has no one to wait for."""

    def __enter__(self) -> None:
        """Do nothing: there is no other thread."""

    def __exit__(self, *error: object) -> None:
        """Do nothing: there is no other thread."""

    def notify(self) -> None:
        """Do nothing: there is no other thread."""

    def wait(self, timeout: float) -> None:
        """Refuse to wait: what a driver did itself has arrived before it asks for a message."""
        raise AssertionError(f"a driver without threads would wait {timeout} s for itself")


def _condition() -> Condition:
    from threading import Condition  # a host's cycle has no threads, and loads none

    return Condition()


class DriverMailbox:
    """The one queue of a driver."""

    def __init__(
        self, folder: RunFolder, halts: Halts, script: CassetteScript | None = None, *, shared: bool = True
    ) -> None:
        """Open the mailbox of a run. One that is not `shared` is for a driver without threads."""
        self._folder = folder
        self._halts = halts
        self._script = script
        self._arrived: dict[EffectKey, Message] = {}
        self._condition = _condition() if shared else Alone()
        self._taken: InboxItem | None = None
        self._stop: StopRequested | None = None
        self._finish: StopRequested | None = None

    def put(self, message: Message) -> None:
        """Hand in the outcome of an effect. Called from the pool's threads."""
        assert isinstance(message, Done | Stopped | Crashed)
        with self._condition:
            self._arrived[message.key] = message
            self._condition.notify()

    def request_stop(self, by: str, how: How) -> None:
        """Ask the driver to stop. Safe in a signal handler: it takes no lock."""
        self._stop = StopRequested(by=by, how=how)

    def request_finish(self, by: str, how: How) -> None:
        """Ask the driver to begin nothing more, and to stop when all that runs is over. It takes no lock."""
        self._finish = StopRequested(by=by, how=how)

    @property
    def is_closing(self) -> bool:
        """Whether nothing more is to be begun."""
        return self._finish is not None

    def empty(self, state: State) -> bool:
        """Check whether nothing is known to be on its way."""
        self._forget_taken()
        if self._stop or self._finish or self._arrived or self._acceptable(state):
            return False
        return self._script is None or not self._scripted_halts(state)

    def get(self, state: State, running: tuple[EffectKey, ...]) -> Message:
        """Wait for the next message: a crash first, then a stop, the inbox, then outcomes in their order.

        The inbox is files, so nothing wakes this thread for a new item: the wait ends after `_POLL_S` at the
        latest, and everything is asked again.
        """
        while True:
            self._forget_taken()
            with self._condition:
                if crash := next((m for m in self._arrived.values() if isinstance(m, Crashed)), None):
                    return crash
            if self._stop and not state.stopping:
                return self._stop
            if self._finish and not running and not state.stopping:
                return self._finish
            if item := self._acceptable(state):
                self._taken = item[0]
                return item[1]
            with self._condition:
                message = self._next(state, running)
                if message is not None:
                    return message
                self._condition.wait(_POLL_S)

    def _next(self, state: State, running: tuple[EffectKey, ...]) -> Message | None:
        if self._script is None or state.stopping:
            key = next(iter(self._arrived), None)
            return None if key is None else self._arrived.pop(key)
        # By intent, not by when this driver took them up: a resumed run must finish in the same order.
        by_intent = tuple(sorted(running, key=lambda key: state.intents[key].seq))
        chosen = self._script.first(by_intent, self._scripted_halts(state))
        if chosen is None:
            return None
        if chosen in running:
            return self._arrived.pop(EffectKey(chosen), None)
        return self._script.answered(HaltId(chosen))

    def _scripted_halts(self, state: State) -> tuple[HaltId, ...]:
        assert self._script is not None
        answers = self._script.answers
        return tuple(
            halt.id
            for halt in self._halts(state)
            if halt.id in answers
            and ((given := state.answers.get(halt.id)) is None or given.answer != answers[halt.id])
        )

    def _acceptable(self, state: State) -> tuple[InboxItem, Event] | None:
        """Return the first inbox item that fits the state. Items that no longer fit are removed."""
        for item in self._folder.inbox():
            event = _event(item)
            if event is not None and self._fits(state, event):
                return item, event
            self._folder.remove(item)
        return None

    def _fits(self, state: State, event: Event) -> bool:
        match event:
            case Answered():
                return event.halt in {halt.id for halt in self._halts(state)}
            case Claimed():
                return HaltId(event.key) in {halt.id for halt in self._halts(state)}
            case StopRequested():
                return not state.stopping
            case _:
                return True

    def _forget_taken(self) -> None:
        # Removed only now, when the driver has recorded it: a crash in between repeats an answer,
        # it never loses one.
        if self._taken is not None:
            self._folder.remove(self._taken)
            self._taken = None


def _event(item: InboxItem) -> Event | None:
    """Parse an inbox item, or return None if nothing of its kind may arrive here.

    A file is not a terminal: whatever it says of itself, it is relayed input, and relayed input never
    overrules. So a waiver is not among the events that may arrive here.
    """
    try:
        event = _EVENTS.decode(item.body)
    except msgspec.DecodeError:
        return None
    match event:
        case Answered() | StopRequested() | OverruleRefused():
            return replace(event, how=How.RELAYED)
        case Claimed():
            return event
        case _:
            return None
