"""The hosted flow: the eight steps of a delivery, done by a host that calls once per cycle. Pure.

Every cycle looks at all steps again, from the claims and from what the engine saw. No step is done because
the host wrote so, and a step that a changed file re-opens is simply open again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.typed_ids import HaltId
from signoff.domain.run.events import RunEnd, RunStatus
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.surveys import COMPLETE, STEPS, WORK, StepStatus, Survey
from signoff.hosted.flow.first_steps import analyze, memory, refine
from signoff.hosted.flow.hosted_questions import ABORT, waits
from signoff.hosted.flow.hosted_view import HostedView
from signoff.hosted.flow.work_steps import StepBasis, WorkStep, implement, plan, test, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from signoff.domain.run.surveys import Now
    from signoff.engine.run_state import State
    from signoff.engine.shared_view import Bodies

NAME = "work"
VERSION = WORK
TRY_AGAIN = "try again"


class Walked(msgspec.Struct, frozen=True):
    """How far a hosted run has come: every step that is done, and the one it stands at."""

    behind: Mapping[str, WorkStep]
    at: str
    now: Now
    """What the step it stands at asks for. Complete if all steps are done."""


def _without_basis(step: Callable[[HostedView], Now]) -> Callable[[HostedView], WorkStep]:
    return lambda view: WorkStep(step(view), StepBasis.WITNESSED)


_STEPS: tuple[tuple[str, Callable[[HostedView], WorkStep]], ...] = (
    ("refine", _without_basis(refine)),
    ("memory", _without_basis(memory)),
    ("analyze", _without_basis(analyze)),
    ("plan", plan),
    ("implement", implement),
    ("test", test),
    ("verify", verify),
)


def walk(view: HostedView) -> Walked:
    """Go through the steps until one of them is not complete, or an observer does not let it pass."""
    behind: dict[str, WorkStep] = {}
    for name, look in _STEPS:
        if (veto := _vetoed(view, name)) is not None:
            return Walked(behind, name, veto)
        step = look(view)
        if not step.now.complete:
            return Walked(behind, name, step.now)
        behind[name] = step
    return Walked(behind, "report", _vetoed(view, "report") or COMPLETE)


def _vetoed(view: HostedView, step: str) -> Now | None:
    """Return the halt of a step that a hook vetoed, or None.

    A veto counts for its own cycle, since every cycle asks anew. One that a person answered by giving up
    counts for good: otherwise that answer would be forgotten with the cycle it was given in.
    """
    veto = view.state.vetoes.get(step)
    if veto is None:
        return None
    halt = HaltId(f"{step}/veto-{veto.cycle}")
    answer = view.answer(halt)
    is_given_up = answer is not None and answer.answer == ABORT
    if veto.cycle != view.state.cycles and not is_given_up:
        return None
    return waits(
        step,
        HaltCode.HOOK_VETO,
        halt,
        f"The hook `{veto.hook}` does not let `{step}` pass ({veto.point}): {veto.reason}",
        (TRY_AGAIN, ABORT),
        lines=veto.lines,
    )


def survey(state: State, bodies: Bodies) -> Survey:
    """Return what may run, what waits, and whether there is a report."""
    view = HostedView(state, bodies)
    walked = walk(view)
    found = Survey(
        _standings(walked), walked.now.effects, walked.now.halts, conclusion=_conclusion(view, walked)
    )
    if state.stopping or state.ended is not None:
        return found._replace(effects=(), conclusion=None)
    return found


def _standings(walked: Walked) -> Mapping[str, StepStatus]:
    standings = dict.fromkeys(STEPS, StepStatus.PENDING)
    for name, step in walked.behind.items():
        skipped = step.basis is StepBasis.SKIPPED
        standings[name] = StepStatus.SKIPPED if skipped else StepStatus.SUCCESS
    standings[walked.at] = StepStatus.SUCCESS if walked.now.complete else StepStatus.ACTIVE
    return standings


def _conclusion(view: HostedView, walked: Walked) -> RunEnd | None:
    for halt in walked.now.halts:
        answer = view.answer(halt.id)
        if answer is not None and answer.answer == ABORT:
            return RunEnd(status=RunStatus.REFUSED, why=f"{answer.by} gave it up at {halt.step}")
    if not walked.now.complete:
        return None
    seen = view.seen
    return RunEnd(status=RunStatus.REPORTED, final=seen.tree if seen else None)
