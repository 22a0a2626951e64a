"""Watch over what agents without a box could change: their surroundings, compared before and after.

An agent that is kept in by a fence is not watched: whatever changes meanwhile is the person's own doing.
Agents that work side by side are told apart as far as possible: no agent is accused of what another does
in its own checkout, and what any of them may have done is put to a person.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from signoff.delivery.context.surroundings_comparison import compare
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.findings import Finding, shown
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.machine.surroundings import Surroundings, Touched
from signoff.domain.run.agents import AgentReply
from signoff.domain.run.directives import Directive, WorkRequest
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, AgentFailure, Interrupted, Outcome
from signoff.engine.run_state import State
from signoff.text.truncation import short

MOST = 3
"""Findings of each kind. With an answer's own text, a record must stay under 4 KB."""
_LONGEST_PATH = 100

Look = Callable[[], Surroundings]


class OpenDispatch:
    """One dispatch in the open, and who worked beside it."""

    def __init__(self, key: EffectKey) -> None:
        self.key = key
        self.beside: set[EffectKey] = set()
        self.touched = Touched()


class Lookout:
    """The dispatches of one run that are being watched. Called from the pool's threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: dict[EffectKey, OpenDispatch] = {}

    @contextmanager
    def over(self, key: EffectKey, look: Look) -> Iterator[OpenDispatch]:
        """Compare the surroundings before and after what is done inside."""
        watch = OpenDispatch(key)
        with self._lock:
            for other in self._live.values():
                other.beside.add(key)
                watch.beside.add(other.key)
            self._live[key] = watch
        try:
            before = look()
            yield watch
            watch.touched = compare(before, look())
        finally:
            with self._lock:
                del self._live[key]


def settled_dispatches(state: State) -> tuple[EffectKey, ...]:
    """Return the dispatches that have ended, so that no agent works in their checkouts any more."""
    ended = AgentAnswered | AgentFailed | Interrupted
    return tuple(key for key, outcome in state.done.items() if isinstance(outcome, ended))


def with_findings(
    outcome: Outcome | None, reply: AgentReply, directive: Directive, watch: OpenDispatch | None
) -> Outcome | None:
    """Add to an outcome what its agent did outside its checkout.

    The work of a task is judged when it is captured. Of a plan or an evaluation nothing is: an agent that
    wrote elsewhere while it was to read has failed.
    """
    certain, doubts = findings_of(watch) if watch else ((), ())
    certain = (*reply.found, *certain, *edits_outside(reply.outside))[:MOST]
    # With something certain no person has to be asked about doubts, and a record has room for one of the two.
    doubts = () if certain else (*reply.doubts, *doubts)[:MOST]
    if isinstance(outcome, AgentAnswered) and certain and not isinstance(directive.payload, WorkRequest):
        detail = f"it wrote outside its checkout: {certain[0].path}"
        return AgentFailed(
            failure=AgentFailure.CRASHED,
            detail=detail,
            failure_class=FailureClass.DENIED,
            retryable=False,
            usage=outcome.usage,
            agent=outcome.agent,
            sandbox=outcome.sandbox,
            outside=certain,
            doubts=doubts,
        )
    if isinstance(outcome, AgentAnswered | AgentFailed) and (certain or doubts):
        return replace(outcome, outside=certain, doubts=doubts)
    return outcome


def told_by(state: State, dispatch: EffectKey) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the findings and doubts of a whole attempt: a dispatch that failed on the way counts, too."""
    attempt = dispatch.rpartition("/dispatch-")[0] + "/dispatch-"
    ended = [
        outcome
        for key, outcome in state.done.items()
        if key.startswith(attempt) and isinstance(outcome, AgentAnswered | AgentFailed)
    ]
    certain = tuple(finding for outcome in ended for finding in outcome.outside)
    return certain, tuple(finding for outcome in ended for finding in outcome.doubts)[:MOST]


def findings_of(watch: OpenDispatch) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return what is certainly this agent's doing, and what another agent or a person may have done."""
    certain, doubtful = watch.touched
    if watch.beside:
        others = ", ".join(sorted({key.partition("/attempt-")[0] for key in watch.beside}))
        both = (*certain, *doubtful)
        why = f"changed while agents without a box worked here and on {short(others, 40)}"
        return (), _findings(both, f"{why}; it may have been you")
    why = "changed while an agent without a box worked"
    return _findings(certain, why), _findings(doubtful, f"{why}; it may have been you")


def edits_outside(paths: tuple[str, ...]) -> tuple[Finding, ...]:
    """Return a finding for each path outside the checkout that an edit tool was given."""
    return _findings(paths, "an agent had its edit tool write there")


def _findings(paths: tuple[str, ...], why: str) -> tuple[Finding, ...]:
    more = len(paths) - MOST
    made = [
        Finding(
            code="outside-write",
            path=short(shown(path), _LONGEST_PATH),
            message=f"outside the checkout: {why}",
        )
        for path in paths[:MOST]
    ]
    if more > 0:
        made[-1] = replace(made[-1], message=f"{made[-1].message}; and {more} more")
    return tuple(made)
