"""Where runs stand, answered from their views where those are current."""

from typing import NamedTuple

from signoff.domain.base.errors import ConfigError, ConflictError, SignoffError
from signoff.domain.base.typed_ids import RunId
from signoff.domain.ports import RunFolder
from signoff.domain.run.status import Status
from signoff.domain.run.surveys import Survey
from signoff.engine.run.kit import Kit
from signoff.engine.run_state import State
from signoff.runs.state.flow_choice import KNOWN, survey
from signoff.runs.state.run_views import read_status, status_of
from signoff.runs.state.waiver import waived_state

LATEST = "latest"
UNREADABLE = "unreadable"
"""The outcome of a run whose records cannot be read. Such a run is listed, never passed over."""


class Looked(NamedTuple):
    """A run folded from its journal."""

    folder: RunFolder
    state: State
    survey: Survey


def find(kit: Kit, name: str = LATEST) -> RunFolder:
    """Find a run by its id, by an unambiguous beginning of it, or as `latest`."""
    if name != LATEST:
        return kit.store.open(RunId(name))
    run_id = latest(kit)
    if run_id is None:
        raise ConfigError(
            "there are no runs here",
            slug="no-runs",
            why=f"{kit.root} has no .signoff/runs/",
            fix="signoff run TICKET",
        )
    return kit.store.open(run_id)


def latest(kit: Kit) -> RunId | None:
    """Return the newest run that is not a waiver, or None."""
    for run_id in _newest_first(kit):
        view = read_status(kit.store.open(run_id))
        if view is None or view.parent is None:
            return run_id
    return None


def status(kit: Kit, run_id: RunId) -> Status:
    """Return where a run stands: from `state.json` while that is current, else by folding."""
    folder = kit.store.open(run_id)
    view = read_status(folder)
    if view is not None and view.offset == folder.size("journal.jsonl"):
        return view
    looked = look(kit, run_id)
    return status_of(folder, looked.state, looked.survey)


def look(kit: Kit, run_id: RunId) -> Looked:
    """Fold a run's journal, with the waivers that were given after its end."""
    folder = kit.store.open(run_id)
    state = waived_state(kit, folder)
    start = state.start
    if start is None or start.flow not in KNOWN:
        parent = start.parent if start else None
        raise ConflictError(
            f"run {folder.run_id} is no delivery this version can read",
            slug="not-a-delivery",
            why=f"it is a waiver of run {parent}"
            if parent
            else f"it follows {start.flow if start else 'no flow'}",
            fix=f"signoff report {parent}" if parent else "use the version that made it",
        )
    return Looked(folder, state, survey(state, folder.blobs.get))


def runs(kit: Kit) -> tuple[Status, ...]:
    """List every run, newest first."""
    return tuple(_listed(kit, run_id) for run_id in _newest_first(kit))


def _newest_first(kit: Kit) -> list[RunId]:
    return sorted(kit.store.list(), key=kit.store.moved_at, reverse=True)


def _listed(kit: Kit, run_id: RunId) -> Status:
    try:
        return status(kit, run_id)
    except SignoffError as error:
        why = f"{error.what}: {error.why}" if error.why else error.what
        return Status(
            run_id=run_id,
            seq=-1,
            offset=0,
            head="",
            ts="",
            step="",
            outcome=UNREADABLE,
            finished=False,
            why=why,
        )
