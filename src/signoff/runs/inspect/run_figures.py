"""The figures on hosted runs, computed from their journals and blobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.errors import SignoffError
from signoff.domain.base.record import Record
from signoff.domain.run.events import Answered, Claimed, RunEnd, RunStart, RunStatus
from signoff.domain.run.surveys import WORK
from signoff.engine.run.run_log import records
from signoff.engine.run_state import fold
from signoff.hosted.flow.cycle_output import PREFIX
from signoff.hosted.flow.flow import walk
from signoff.hosted.flow.hosted_view import HostedView
from signoff.hosted.flow.work_steps import StepBasis
from signoff.hosted.report.metrics import Metrics, RunFacts, metrics
from signoff.hosted.report.work_report_facts import memory_that_mattered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from signoff.domain.run.events import Event, Recorded
    from signoff.engine.run.kit import Kit
    from signoff.engine.run_state import State
    from signoff.engine.shared_view import Bodies


def measure(kit: Kit) -> tuple[Metrics, int, tuple[str, ...]]:
    """Return the figures, the number of runs they cover, and the runs that could not be read."""
    unreadable: list[str] = []
    facts = tuple(_facts(kit, unreadable))
    return metrics(facts), len(facts), tuple(unreadable)


def _facts(kit: Kit, unreadable: list[str]) -> Iterator[RunFacts]:
    for run_id in kit.store.list():
        folder = kit.store.open(run_id)
        try:
            found = run_facts(records(folder), folder.blobs.get)
        except SignoffError as error:
            unreadable.append(f"{run_id}: {error.what}")
            continue
        if found is not None:
            yield found


class _Exported(Record, frozen=True, kw_only=True):
    """The questions of a state file. Every version of the file has this field."""

    questions: tuple[str, ...] = ()


class _Watched:
    """Passes records on, and keeps what a fold does not: when it began and ended, and who spoke first."""

    def __init__(self, journal: Iterable[Recorded]) -> None:
        self._journal = journal
        self.started_at = ""
        self.ended_at = ""
        self.user = ""

    def __iter__(self) -> Iterator[Recorded]:
        for recorded in self._journal:
            self._watch(recorded.ts, recorded.event)
            yield recorded

    def _watch(self, ts: str, event: Event) -> None:
        match event:
            case RunStart():
                self.started_at = ts
            case RunEnd():
                self.ended_at = ts
            case Claimed() | Answered():
                self.user = self.user or event.by
            case _:
                return


def run_facts(journal: Iterable[Recorded], bodies: Bodies) -> RunFacts | None:
    """Return the facts of a hosted run, or None for another flow and for a run that never started."""
    watched = _Watched(journal)
    state = fold(watched)
    if state.start is None or state.start.flow != WORK:
        return None
    view = HostedView(state, bodies)
    is_reported = state.ended is not None and state.ended.status is RunStatus.REPORTED
    verified = walk(view).behind.get("verify")
    return RunFacts(
        run=state.run_id,
        started_at=watched.started_at,
        ended_at=watched.ended_at,
        user=watched.user,
        parent=view.start.parent,
        is_reported=is_reported,
        is_verified=is_reported and verified is not None and verified.basis is not StepBasis.SKIPPED,
        waited_for_person=bool(state.answers) or _asked_a_person(state, bodies),
        hits=len(view.hits),
        mattered=len(memory_that_mattered(view)),
    )


def _asked_a_person(state: State, bodies: Bodies) -> bool:
    """Check whether a state file ever gave out a question without a directive, which is for a person."""
    for digest in state.exports:
        asked = msgspec.json.decode(bodies(digest), type=_Exported).questions
        if asked and not asked[0].startswith(PREFIX):
            return True
    return False
