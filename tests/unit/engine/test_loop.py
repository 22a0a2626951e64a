"""The loop: intents before effects, one message per effect, halts beside running siblings."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import pytest

from signoff.domain.base.typed_ids import Digest, EffectKey
from signoff.domain.run.effects import Effect, RecallMemory
from signoff.domain.run.events import Done, Event, How, Intended, Recorded, StopRequested
from signoff.domain.run.outcomes import Outcome, Recalled
from signoff.engine.loop import Message, drive
from signoff.engine.run_state import OpenIntent, State, advance

A, B, C = (RecallMemory(key=EffectKey(name)) for name in "abc")


class ListLog:
    def __init__(self, state: State | None = None) -> None:
        self.events: list[Event] = []
        self._state = state or State()

    @property
    def state(self) -> State:
        return self._state

    def record(self, event: Event) -> None:
        self.events.append(event)
        entry = Recorded(seq=self._state.seq + 1, ts="", sum="", event=event)
        self._state = advance(self._state, entry)

    def intend(self, effect: Effect) -> None:
        self.record(Intended(key=effect.key, do="recall", effect=Digest("")))


class StepsFlow:
    """Effects in order; each names the ones that must be done before it."""

    def __init__(self, needs: dict[RecallMemory, tuple[RecallMemory, ...]]) -> None:
        self.needs = needs

    def finished(self, state: State) -> bool:
        return state.stopping or all(effect.key in state.done for effect in self.needs)

    def ready(self, state: State) -> tuple[Effect, ...]:
        return tuple(
            effect
            for effect, before in self.needs.items()
            if effect.key not in state.done and all(b.key in state.done for b in before)
        )


class QueueMailbox:
    def __init__(self, first: Iterable[Message] = ()) -> None:
        self.queue: Queue[Message] = Queue()
        for message in first:
            self.queue.put(message)

    def put(self, message: Message) -> None:
        self.queue.put(message)

    def empty(self, state: State) -> bool:
        return self.queue.empty()

    def get(self, state: State, running: tuple[EffectKey, ...]) -> Message:
        return self.queue.get(timeout=10)


class Doing:
    """A carrier that notes what it did; `adopt` are keys an earlier driver finished."""

    def __init__(self, adopt: Iterable[str] = ()) -> None:
        self.done: list[str] = []
        self.adopt = set(adopt)
        self.stopped = threading.Event()
        self.waits_for_stop: set[str] = set()
        self.raises: Exception | None = None

    def perform(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        if self.raises is not None:
            raise self.raises
        if effect.key in self.waits_for_stop:
            assert self.stopped.wait(10)
            return None
        self.done.append(effect.key)
        return Recalled()

    def recover(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        return Recalled(looked_at=1) if effect.key in self.adopt else None

    def stop(self) -> None:
        self.stopped.set()


def go(
    flow: StepsFlow, log: ListLog, doing: Doing, mailbox: QueueMailbox | None = None, slots: int = 9
) -> State:
    with ThreadPoolExecutor(4) as pool:
        return drive(
            flow, log, doing, mailbox or QueueMailbox(), pool, lambda _effect, running: len(running) < slots
        )


def test_an_intent_is_on_record_before_its_effect_is_done() -> None:
    log = ListLog()

    go(StepsFlow({A: (), B: (A,)}), log, Doing())

    assert [type(event).__name__ for event in log.events] == ["Intended", "Done", "Intended", "Done"]


def test_what_an_earlier_driver_finished_is_adopted_and_not_done_again() -> None:
    log = ListLog()
    log.intend(A)
    doing = Doing(adopt=["a"])

    state = go(StepsFlow({A: (), B: ()}), log, doing)

    assert doing.done == ["b"]
    assert state.done[A.key] == Recalled(looked_at=1)
    assert sum(isinstance(event, Intended) for event in log.events) == 2


def test_an_open_intent_with_nothing_to_adopt_is_done_without_a_second_intent() -> None:
    log = ListLog()
    log.intend(A)

    go(StepsFlow({A: ()}), log, Doing())

    assert [type(event).__name__ for event in log.events] == ["Intended", "Done"]


def test_slots_bound_what_runs_at_once() -> None:
    log = ListLog()

    go(StepsFlow({A: (), B: (), C: ()}), log, Doing(), slots=1)

    assert [type(event).__name__ for event in log.events] == ["Intended", "Done"] * 3


def test_only_halts_left_ends_the_loop() -> None:
    class Waiting(StepsFlow):
        def finished(self, state: State) -> bool:
            return False

    state = go(Waiting({A: ()}), ListLog(), Doing())

    assert A.key in state.done


def test_a_stop_keeps_what_finished_and_leaves_the_rest_open() -> None:
    doing = Doing()
    doing.waits_for_stop.add("b")
    log = ListLog()

    class Mail(QueueMailbox):
        def get(self, state: State, running: tuple[EffectKey, ...]) -> Message:
            if A.key in state.done and not state.stopping:
                return StopRequested(by="me", how=How.TERMINAL)
            return super().get(state, running)

    state = go(StepsFlow({A: (), B: ()}), log, doing, Mail())

    assert A.key in state.done
    assert B.key in state.open
    assert B.key not in state.done


def test_an_effect_that_raises_ends_the_driver_with_that_error_and_records_nothing_for_it() -> None:
    doing = Doing()
    doing.raises = ValueError("ours")
    log = ListLog()

    with pytest.raises(ValueError, match="ours"):
        go(StepsFlow({A: ()}), log, doing)

    assert not any(isinstance(event, Done) for event in log.events)
