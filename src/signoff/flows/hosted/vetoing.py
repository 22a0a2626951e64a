"""A step that an observer did not let pass: the run halts there until it does. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.halts import HaltCode
from signoff.domain.ids import HaltId
from signoff.flows.hosted.asking import ABORT, waits

if TYPE_CHECKING:
    from signoff.domain.events import HookVetoed
    from signoff.flows.hosted.view import HostedView
    from signoff.flows.now import Now

TRY_AGAIN = "try again"


def vetoed(view: HostedView, step: str) -> Now | None:
    """Give the halt of a step that was vetoed; None where nothing stands against it.

    A veto counts for its own cycle, since every cycle asks anew. One that a person answered by giving up
    counts for good: otherwise the word would be forgotten with the cycle it was given in.
    """
    veto = view.state.vetoes.get(step)
    if veto is None:
        return None
    halt = veto_halt(veto)
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


def veto_halt(veto: HookVetoed) -> HaltId:
    """Name the halt of one veto; another cycle's is another."""
    return HaltId(f"{veto.step}/veto-{veto.cycle}")
