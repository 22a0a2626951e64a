"""The loop: ask the flow what may run, perform it in parallel, record what happened.

One thread records. The threads of the pool only work and report, and nothing else changes state. A crash
leaves an intent without an outcome: the next driver finds it in `state.open`, asks the carrier to recover
it, and goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from signoff.domain.run.effects import Effect
from signoff.domain.run.events import Done, Event

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import EffectKey
    from signoff.domain.run.halts import Halt
    from signoff.domain.run.outcomes import Outcome
    from signoff.domain.run.surveys import Survey
    from signoff.engine.run_state import OpenIntent, State


class Flow(Protocol):
    """The pure side: what a state calls for."""

    def finished(self, state: State) -> bool:
        """Check whether there is nothing left to do or to wait for."""
        ...

    def ready(self, state: State) -> tuple[Effect, ...]:
        """Name every effect that may run now."""
        ...


class SurveyedFlow:
    """Surveys each state once, because the loop asks several questions between two records."""

    def __init__(self, look: Callable[[State], Survey]) -> None:
        self._look = look
        self._last: tuple[State, Survey] | None = None

    def survey(self, state: State) -> Survey:
        """Return everything the flow says about a state."""
        if self._last is None or self._last[0] is not state:
            self._last = (state, self._look(state))
        return self._last[1]

    def finished(self, state: State) -> bool:
        """Check whether the run has come to its end, or was asked to stop."""
        return state.stopping or state.ended is not None or self.survey(state).conclusion is not None

    def ready(self, state: State) -> tuple[Effect, ...]:
        """Name every effect that may run now."""
        return self.survey(state).effects

    def halts(self, state: State) -> tuple[Halt, ...]:
        """Name every open halt."""
        return self.survey(state).halts


class LoopLog(Protocol):
    """The journal and its fold. Used by the loop's own thread only."""

    @property
    def state(self) -> State:
        """The state after the last record."""
        ...

    def record(self, event: Event) -> None:
        """Append, make durable, fold."""
        ...

    def intend(self, effect: Effect) -> None:
        """Record that an effect is about to be performed."""
        ...


class Stopped(msgspec.Struct, frozen=True):
    """An effect that was stopped before its end. Its intent stays open."""

    key: EffectKey


class Crashed(msgspec.Struct, frozen=True):
    """An effect that raised: our bug, or something a person must fix before the run can go on."""

    key: EffectKey
    error: BaseException


Message = Event | Stopped | Crashed


class LoopMailbox(Protocol):
    """Where outcomes, answers, claims and stop requests arrive."""

    def put(self, message: Message) -> None:
        """Hand in the outcome of an effect. Called from the pool's threads."""
        ...

    def empty(self, state: State) -> bool:
        """Check whether nothing has arrived and nothing is known to be on its way."""
        ...

    def get(self, state: State, running: tuple[EffectKey, ...]) -> Message:
        """Wait for the next message."""
        ...


class Carrier(Protocol):
    """Performs effects through the ports."""

    def perform(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        """Perform the effect. Return None if the run was asked to stop meanwhile."""
        ...

    def recover(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        """Return the outcome of an earlier driver's try, or None if there is nothing to adopt."""
        ...

    def stop(self) -> None:
        """Stop everything that is being performed now."""
        ...


class Pending(Protocol):
    """An effect that is being performed, or is over."""

    def exception(self) -> BaseException | None:
        """Return what it raised, or None."""
        ...

    def result(self) -> Outcome | None:
        """Return its outcome, or None if it was stopped."""
        ...


class Pool(Protocol):
    """Where effects are performed: threads, or the driver itself."""

    def submit(
        self,
        call: Callable[[Carrier, Effect, OpenIntent], Outcome | None],
        carrier: Carrier,
        effect: Effect,
        intent: OpenIntent,
        /,
    ) -> Promise:
        """Begin with it."""
        ...


class Promise(Pending, Protocol):
    """An effect that calls back when it is over."""

    def add_done_callback(self, call: Callable[[Any], object], /) -> None:
        """Call when it is over."""
        ...


Slots = Callable[[Effect, tuple[Effect, ...]], bool]
"""Whether there is room for one more effect beside those running."""


def drive(
    flow: Flow, log: LoopLog, carrier: Carrier, mailbox: LoopMailbox, pool: Pool, slots: Slots
) -> State:
    """Run until the flow is finished, the run is stopped, or only halts are left."""
    running: dict[EffectKey, Effect] = {}
    while not flow.finished(log.state):
        for effect in flow.ready(log.state):
            if effect.key not in running and slots(effect, tuple(running.values())):
                if effect.key not in log.state.open:
                    log.intend(effect)
                running[effect.key] = effect
                _submit(pool, carrier, mailbox, effect, log.state.open[effect.key])
        if not running and mailbox.empty(log.state):
            break  # only halts are left: a person or an agent is awaited
        _receive(log, mailbox, running)
    if running:
        carrier.stop()
    while running:  # what finished meanwhile is kept; what was stopped stays open for resume
        _receive(log, mailbox, running)
    return log.state


def _receive(log: LoopLog, mailbox: LoopMailbox, running: dict[EffectKey, Effect]) -> None:
    message = mailbox.get(log.state, tuple(running))
    match message:
        case Crashed():
            raise message.error
        case Stopped():
            del running[message.key]
        case _:
            log.record(message)
            if isinstance(message, Done):
                del running[message.key]


def _submit(pool: Pool, carrier: Carrier, mailbox: LoopMailbox, effect: Effect, intent: OpenIntent) -> None:
    def report(future: Pending) -> None:
        error = future.exception()
        if error is not None:
            mailbox.put(Crashed(effect.key, error))
            return
        outcome = future.result()
        mailbox.put(Stopped(effect.key) if outcome is None else Done(key=effect.key, outcome=outcome))

    pool.submit(_carry_out, carrier, effect, intent).add_done_callback(report)


def _carry_out(carrier: Carrier, effect: Effect, intent: OpenIntent) -> Outcome | None:
    """Adopt what an earlier driver left behind, else perform the effect."""
    return carrier.recover(effect, intent) or carrier.perform(effect, intent)
