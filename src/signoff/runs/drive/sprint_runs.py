"""The runs of the sprints of a spec: which there are, how they stand, what the next one starts from."""

from typing import NamedTuple

import msgspec

from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import CommitId, RunId
from signoff.domain.ports import RunFolder
from signoff.domain.run.events import RunEnd, RunStart, RunStatus
from signoff.domain.work.spec import Spec
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.engine.run.run_log import start_of
from signoff.engine.run_summary import outcome_of
from signoff.runs.drive.run_start import SprintOf
from signoff.runs.inspect.run_list import look
from signoff.specs.sprint_order import SprintStage, SprintStanding, said_done
from signoff.text.json.canonical import digest


class SprintRunFound(NamedTuple):
    """A run of one sprint."""

    folder: RunFolder
    start: RunStart
    ended: RunEnd | None
    outcome: str

    @property
    def is_signed_off(self) -> bool:
        """Whether its result stands, by proof or by waiver."""
        return self.ended is not None and self.ended.status is RunStatus.SIGNED_OFF


def runs_of(kit: Kit, spec_id: str) -> tuple[SprintRunFound, ...]:
    """Return the runs of a spec's sprints, oldest first, by their journals."""
    found = []
    for run_id in sorted(kit.store.list(), key=kit.store.moved_at):
        start = start_of(kit.store.open(run_id))
        if start is None or start.spec != spec_id or not start.sprint or start.parent is not None:
            continue
        folder, state, survey = look(kit, run_id)
        found.append(SprintRunFound(folder, start, state.ended, outcome_of(state, survey.halts)))
    return tuple(found)


def latest_runs(runs: tuple[SprintRunFound, ...]) -> dict[str, SprintRunFound]:
    """Return for each sprint the run that counts: one that is signed off, else the latest."""
    found: dict[str, SprintRunFound] = {}
    for run in runs:
        known = found.get(run.start.sprint)
        if known is None or not known.is_signed_off or run.is_signed_off:
            found[run.start.sprint] = run
    return found


def standing(spec: Spec, stage: SprintStage, run: SprintRunFound | None) -> SprintStanding:
    """Return where a sprint stands: by its run, or without a run by the spec's file."""
    if run is None:
        return SprintStanding.DONE if said_done(spec, stage) else SprintStanding.PENDING
    if run.ended is None:
        return SprintStanding.OPEN
    match run.ended.status:
        case RunStatus.SIGNED_OFF:
            return SprintStanding.DONE
        case RunStatus.REFUSED:
            return SprintStanding.FAILED
        case _:
            return SprintStanding.PENDING


def asks_for_the_same(run: SprintRunFound, ticket: Ticket, contract: bytes | None) -> bool:
    """Check whether a run has the ticket and contract of its sprint as it is now, after possible edits."""
    is_same_way = (run.start.proposal is not None) == (contract is not None)
    return is_same_way and run.start.ticket == digest(msgspec.json.encode(ticket))


def sprint_start(kit: Kit, spec: Spec, stage: SprintStage, runs: tuple[SprintRunFound, ...]) -> SprintOf:
    """Return what a sprint starts from: the results of those before it, or HEAD if that holds them all."""
    results = _results(kit, runs)
    head = kit.repository.base().commit
    newest = next(iter(results), None)
    if _holds(kit, head, results):
        return SprintOf(spec.spec_id, stage.id, follows=newest[0] if newest else None)
    for run_id, commit in results:
        if _holds(kit, commit, results):
            return SprintOf(spec.spec_id, stage.id, commit, run_id)
    names = ", ".join(f"refs/signoff/{run_id}/final" for run_id, _ in results)
    raise ConflictError(
        f"the results of the sprints of {spec.spec_id} have no common descendant",
        slug="sprints-diverged",
        why=f"neither HEAD nor any of them holds all of these: {names}",
        fix="merge them into your branch, then go on",
    )


def _holds(kit: Kit, commit: CommitId, results: tuple[tuple[RunId, CommitId], ...]) -> bool:
    return all(kit.repository.is_ancestor(result, commit) for _, result in results)


def _results(kit: Kit, runs: tuple[SprintRunFound, ...]) -> tuple[tuple[RunId, CommitId], ...]:
    """Return what the signed-off runs published, newest first."""
    found = []
    for run in reversed(runs):
        if not run.is_signed_off:
            continue
        run_id = run.folder.run_id
        commit = kit.repository.published(f"{run_id}/final")
        if commit is None:
            raise ConflictError(
                f"the result of sprint {run.start.sprint} is gone",
                slug="sprint-result-missing",
                why=f"refs/signoff/{run_id}/final is not there any more",
                fix="fetch that ref from where it still is",
            )
        found.append((run_id, commit))
    return tuple(found)
