"""The facts of one hosted run that figures are made of. Pure: from its journal and its blobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from signoff.core.metrics import RunFacts
from signoff.core.state import fold
from signoff.domain.events import Answered, Claimed, RunEnd, RunStart, RunStatus
from signoff.domain.record import Record
from signoff.domain.surveys import WORK
from signoff.flows.hosted.flow import walk
from signoff.flows.hosted.reporting import memory_that_mattered
from signoff.flows.hosted.view import HostedView
from signoff.flows.hosted.working import Basis
from signoff.render.work_halt import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from signoff.core.state import State
    from signoff.domain.events import Event, Recorded
    from signoff.flows.run_view import Bodies


class _Exported(Record, frozen=True, kw_only=True):
    """What a state file asked; every version of the file has this field."""

    questions: tuple[str, ...] = ()


class _Watched:
    """Passes records on, and keeps what a fold does not: when it began and ended, and who spoke first."""

    def __init__(self, records: Iterable[Recorded]) -> None:
        self._records = records
        self.started_at = ""
        self.ended_at = ""
        self.user = ""

    def __iter__(self) -> Iterator[Recorded]:
        for recorded in self._records:
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


def run_facts(records: Iterable[Recorded], bodies: Bodies) -> RunFacts | None:
    """Give the facts of a hosted run; None for a run of another flow, and for one that never started."""
    watched = _Watched(records)
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
        is_verified=is_reported and verified is not None and verified.basis is not Basis.SKIPPED,
        waited_for_person=bool(state.answers) or _asked_a_person(state, bodies),
        hits=len(view.hits),
        mattered=len(memory_that_mattered(view)),
    )


def _asked_a_person(state: State, bodies: Bodies) -> bool:
    """Say whether a state file ever gave out a question that no directive led."""
    for digest in state.exports:
        asked = msgspec.json.decode(bodies(digest), type=_Exported).questions
        if asked and not asked[0].startswith(PREFIX):
            return True
    return False
