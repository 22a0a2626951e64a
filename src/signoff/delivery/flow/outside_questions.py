"""Changes outside a checkout that a person may have made, too: they are asked. Pure.

Only agents without a box come this far. A wrong alarm then costs a question, not an attempt.
"""

import re

from msgspec.structs import replace

from signoff.delivery.context.run_view import View
from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import EffectKey, HaltId
from signoff.domain.run.events import How
from signoff.domain.run.halts import Halt, HaltCode, HaltKind
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, Captured
from signoff.text.truncation import short

NOT_THE_AGENT = "not the agent"
THE_AGENT = "the agent"
_MORE = re.compile(r"; and (\d{1,9}) more$")
_LONGEST_PATHS = 320


def unasked(view: View) -> tuple[str, ...]:
    """Return the doubts about agents that only plan or look. They hand in no files, so no person is asked."""
    return tuple(
        f"{key}: {doubt.path}: {doubt.message}"
        for key, outcome in sorted(view.state.done.items())
        if isinstance(outcome, AgentAnswered | AgentFailed) and not key.startswith("implement/")
        for doubt in outcome.doubts
    )


def settled(view: View, capture: EffectKey, captured: Captured) -> Captured | Halt:
    """Return the capture with what a person said about its doubts, or the halt that asks about them.

    Only the clear word of a person on a terminal lets the work through. Anything else leaves it open, or
    refuses it.
    """
    if not captured.doubts or captured.findings:
        return captured
    halt = HaltId(f"{capture}/outside")
    answer = view.answer(halt)
    if answer is not None and answer.answer == THE_AGENT:
        return replace(captured, findings=captured.doubts)
    if answer is not None and answer.answer == NOT_THE_AGENT and answer.how is How.TERMINAL:
        return captured
    return Halt(
        id=halt,
        code=HaltCode.OUTSIDE_CHANGE,
        kind=HaltKind.PERSON,
        step="implement",
        question=(
            f"{_changed(captured.doubts)} changed outside the checkout while an agent worked without a box. "
            "Who did it?"
        ),
        options=(NOT_THE_AGENT, THE_AGENT),
        terminal_only=(NOT_THE_AGENT,),
        lines=tuple(f"{doubt.path}: {doubt.message}" for doubt in captured.doubts),
    )


def _changed(doubts: tuple[Finding, ...]) -> str:
    """Name what changed. If more changed than a record has room for, the messages end with how many."""
    paths = ", ".join(dict.fromkeys(doubt.path for doubt in doubts))
    more = sum(int(found[1]) for doubt in doubts if (found := _MORE.search(doubt.message)))
    return short(paths, _LONGEST_PATHS) + (f" and {more} more" if more else "")
