"""Ask the observers of a hosted cycle, and do what follows from their word.

Three kinds of trouble, never mixed. An observer that fails in a way it knows (`HookError`) is a warning. A
veto stops: at a step it is recorded and the run halts there, at a point of the cycle it ends the command, and
what the journal holds by then stays. Anything else an observer raises is a bug, and is not caught here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.run.events import HookVetoed, RunStatus
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.hooks import HookError, HookRecord, HookVeto
from signoff.domain.work.refinement import Route
from signoff.domain.work.settings import HookPoint
from signoff.domain.work.work_state import DirectiveSet, StateFormat
from signoff.hosted.exchange.host_claims import parse
from signoff.hosted.flow.cycle_output import question_lines
from signoff.hosted.flow.flow import walk
from signoff.hosted.flow.hosted_view import ROUTE, TAKE_BACKEND, HostedView
from signoff.hosted.flow.work_steps import SLICE_OF, StepBasis
from signoff.hosted.watch.observers import (
    directive_set_guard,
    halt_surface_audit,
    program,
    state_shape,
    trace,
)
from signoff.hosted.watch.watch_interface import Unwatched
from signoff.text.truncation import short

if TYPE_CHECKING:
    from types import TracebackType

    from signoff.domain.run.effects import Effect
    from signoff.domain.run.halts import Halt
    from signoff.domain.run.hooks import Observer, RunProgram
    from signoff.domain.run.surveys import Survey
    from signoff.domain.work.settings import HookSettings
    from signoff.engine.loop import LoopLog, SurveyedFlow
    from signoff.engine.run_state import State
    from signoff.engine.shared_view import Bodies
    from signoff.hosted.watch.watch_interface import CyclePoint

Tell = Callable[[str], None]

STEP_POINTS = frozenset({HookPoint.BEFORE_STEP, HookPoint.AFTER_STEP, HookPoint.ON_HALT, HookPoint.ON_ERROR})
"""Where a veto stops a step. At every other point it stops the whole cycle."""

_LONGEST = 300
_MOST_LINES = 8
"""A veto is a record of the journal, and those stay below 4 KB."""

_RESTS_ON = {"refine": "input", **SLICE_OF}
"""The slice of the state file that each step goes by."""
_ON_FILES = ("implement", "test", "verify")
"""Steps that say something about the files as they are."""


class Vetoed(NamedTuple):
    """A veto: the hook, its reason and more lines."""

    hook: str
    reason: str
    lines: tuple[str, ...]


def registered(settings: HookSettings, run: RunProgram, tell: Tell) -> tuple[Observer, ...]:
    """Return the observers that the settings ask for, in the order in which they are asked."""
    built_in = (
        (settings.trace, trace(tell)),
        (settings.halt_surface_audit, halt_surface_audit()),
        (settings.state_shape, state_shape()),
        (settings.directive_set_guard, directive_set_guard()),
    )
    chosen = tuple(observer for is_on, observer in built_in if is_on)
    return chosen + tuple(program(command, run) for command in settings.commands)


class HookWatch(Unwatched):
    """Asks observers about one cycle."""

    def __init__(self, observers: tuple[Observer, ...], bodies: Bodies, state_file: str, tell: Tell) -> None:
        self._observers = observers
        self._state_file = state_file
        self._tell = tell
        self.bodies = bodies
        self.is_broken = False
        """An observer raised what it may not: that is the error, and no other observer is asked about it."""

    def at(
        self,
        point: CyclePoint,
        state: State,
        found: Survey | None = None,
        *,
        wrote: tuple[str, ...] = (),
        exported: bytes = b"",
    ) -> None:
        """Ask at a point of the cycle. A veto raises ConflictError, and what is recorded stays."""
        record = self.record(HookPoint(point), state)
        if found is not None:
            record = msgspec.structs.replace(record, step=found.step, outcome=_outcome(found))
        veto = self.ask(msgspec.structs.replace(record, wrote=wrote, exported=exported.decode()))
        if veto is not None:
            raise ConflictError(
                f"the hook `{veto.hook}` stops this cycle ({point})",
                slug="hook-veto",
                why="; ".join((veto.reason, *veto.lines)),
                fix="see to that, then call again: the run goes on from what is recorded",
            )

    def steps(self, flow: SurveyedFlow, log: LoopLog) -> WatchedSteps:
        """Return the flow as the loop is to see it. On exit it reports the halt, or the error."""
        return WatchedSteps(self, flow, log)

    def record(self, point: HookPoint, state: State) -> HookRecord:
        """Return what every observer is told at any point."""
        is_begun = point not in (HookPoint.BEFORE_LOAD, HookPoint.AFTER_LOAD)
        return HookRecord(
            point=point,
            run=state.run_id,
            cycle=state.cycles if is_begun else state.cycles + 1,
            state_file=self._state_file,
            set=decided_set(state, self.bodies),
        )

    def ask(self, record: HookRecord) -> Vetoed | None:
        """Ask every observer of this point, until the first veto."""
        for observer in self._observers:
            if record.point not in observer.points:
                continue
            self.is_broken = True  # until it comes back in a way it may
            try:
                observer.look(record)
            except HookError as error:
                self.warn(observer.name, record.point, str(error))
            except HookVeto as veto:
                self.is_broken = False
                lines = tuple(short(line, _LONGEST) for line in veto.lines[:_MOST_LINES])
                return Vetoed(short(observer.name, _LONGEST), short(veto.reason, _LONGEST), lines)
            self.is_broken = False
        return None

    def warn(self, hook: str, point: HookPoint, text: str) -> None:
        """Warn the person of something that stops nothing."""
        self._tell(f"warning: hook {short(hook, _LONGEST)} at {point}: {short(text, _LONGEST)}; going on")


class WatchedSteps:
    """The flow as the loop sees it with hooks: no effect of a step before its observers agree."""

    def __init__(self, watch: HookWatch, flow: SurveyedFlow, log: LoopLog) -> None:
        self._watch = watch
        self._flow = flow
        self._log = log
        # The steps that the last state file gave out as done: their observers have let them pass.
        self._passed_before: set[str] = set()
        if exports := log.state.exports:
            last = parse(watch.bodies(exports[-1]), "the last state file").state
            self._passed_before = {name for name, outcome in last.outcomes.items() if outcome == "success"}
        self._begun: set[str] = set()
        self._passed: set[str] = set()

    def finished(self, state: State) -> bool:
        """Ask about the steps the run has reached, then return whether nothing is left to do."""
        if not (state.stopping or state.ended is not None or self._is_given_up(state)):
            self._ask_steps()
        return self._flow.finished(self._log.state)

    def ready(self, state: State) -> tuple[Effect, ...]:
        """Name every effect that may run now. The loop asks `finished` first, which asks the observers."""
        return self._flow.ready(state)

    def __enter__(self) -> WatchedSteps:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._tell_halts()
        elif isinstance(error, Exception) and not self._watch.is_broken:
            self._tell_error(error)

    def _is_given_up(self, state: State) -> bool:
        end = self._flow.survey(state).conclusion
        return end is not None and end.status is not RunStatus.REPORTED

    def _ask_steps(self) -> None:
        """Ask about every step the run has reached, and stop at the first veto.

        A step that passed in an earlier cycle is asked about again only if it rests on something new.
        """
        state = self._log.state
        view = HostedView(state, self._watch.bodies)
        walked = walk(view)
        for name in (*walked.behind, walked.at):
            if _rests_on_new_things(name, view):
                self._passed_before.discard(name)
            if name in self._passed_before:
                continue
            if name not in self._begun:
                self._begun.add(name)
                if not self._let(HookPoint.BEFORE_STEP, name):
                    return
            is_behind = name in walked.behind or walked.now.complete
            if is_behind and name not in self._passed:
                self._passed.add(name)
                step = walked.behind.get(name)
                is_skipped = step is not None and step.basis is StepBasis.SKIPPED
                if not self._let(HookPoint.AFTER_STEP, name, "skipped" if is_skipped else "success"):
                    return

    def _let(self, point: HookPoint, step: str, outcome: str = "") -> bool:
        """Ask about a step. A veto is recorded, and the flow halts there."""
        record = self._watch.record(point, self._log.state)
        veto = self._watch.ask(msgspec.structs.replace(record, step=step, outcome=outcome))
        if veto is not None:
            self._record(point, step, veto)
        return veto is None

    def _record(self, point: HookPoint, step: str, veto: Vetoed) -> None:
        self._log.record(
            HookVetoed(
                step=step,
                hook=veto.hook,
                point=point,
                reason=veto.reason,
                cycle=self._log.state.cycles,
                lines=veto.lines,
            )
        )

    def _tell_halts(self) -> None:
        found = self._flow.survey(self._log.state)
        if found.conclusion is not None:
            return
        for halt in found.halts:
            veto = self._ask_of(halt)
            if veto is not None and halt.code is not HaltCode.HOOK_VETO:
                self._record(HookPoint.ON_HALT, halt.step, veto)
                for instead in self._flow.survey(self._log.state).halts:
                    self._ask_of(instead)
                return

    def _ask_of(self, halt: Halt) -> Vetoed | None:
        record = self._watch.record(HookPoint.ON_HALT, self._log.state)
        return self._watch.ask(
            msgspec.structs.replace(
                record,
                step=halt.step,
                outcome="partial" if halt.is_partial else "blocked",
                halt=halt.id,
                code=halt.code,
                kind=halt.kind,
                verb=halt.verb,
                lines=question_lines(halt),
                options=halt.options,
            )
        )

    def _tell_error(self, error: Exception) -> None:
        state = self._log.state
        record = self._watch.record(HookPoint.ON_ERROR, state)
        text = short(f"{type(error).__name__}: {error}", _LONGEST)
        step = self._flow.survey(state).step
        veto = self._watch.ask(msgspec.structs.replace(record, step=step, error=text))
        if veto is not None:
            self._watch.warn(veto.hook, HookPoint.ON_ERROR, f"{veto.reason} (it failed already)")


def decided_set(state: State, bodies: Bodies) -> DirectiveSet:
    """Return the directive set by the records alone: an answer, a claim, the last file given out, the start.

    This does not ask the flow on purpose: the guard compares the two.
    """
    assert state.start is not None
    assert state.start.route is not None
    answer, claim = state.answers.get(ROUTE), state.claims.get(EffectKey("directive_set"))
    if answer is not None and answer.answer == TAKE_BACKEND:
        return DirectiveSet.BACKEND
    if claim is not None:
        return msgspec.json.decode(bodies(claim.answer), type=DirectiveSet)
    if state.exports:
        last = parse(bodies(state.exports[-1]), "the last state file")
        if last.wire is not StateFormat.V0:  # that one has no room for it
            return last.state.directive_set
    return msgspec.json.decode(bodies(state.start.route), type=Route).directive_set


def _rests_on_new_things(name: str, view: HostedView) -> bool:
    """Check whether a step depends on a claim or on files that are newer than its last export."""
    state = view.state
    claimed = state.claimed_before.get(EffectKey(_RESTS_ON.get(name, "")), 0)
    if claimed > state.exported_in:
        return True
    now, then = view.seen, view.seen_in(state.exported_in)
    if name not in _ON_FILES or now is None:
        return False
    return then is None or now.tree is None or now.tree != then.tree


def _outcome(found: Survey) -> str:
    if not found.halts:
        return "success" if found.conclusion is not None else ""
    return "partial" if found.halts[0].is_partial else "blocked"
