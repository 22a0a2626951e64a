"""Whether somebody has agreed to exactly this contract before, by the journal of the run that planned it."""

from itertools import islice

from signoff.app.kit import Kit
from signoff.app.runlog import records
from signoff.core.canonical import contract_digest
from signoff.core.state import fold
from signoff.domain.events import RunStart, RunStatus
from signoff.domain.ids import Digest
from signoff.domain.outcomes import Sealed
from signoff.domain.ports import RunFolder
from signoff.flows.view import SEAL


def approved_before(kit: Kit, contract: bytes) -> str:
    """Say who approved a contract in a run that ended with it as its plan; empty where nobody did.

    Only the newest of these runs counts, and only its journal: a file that says of itself that it was agreed
    to proves nothing.
    """
    wanted = contract_digest(contract)
    for run_id in reversed(kit.store.list()):
        if approver := _approver(kit.store.open(run_id), wanted):
            return approver
    return ""


def _approver(folder: RunFolder, wanted: Digest) -> str:
    starts = (entry.event for entry in islice(records(folder), 2) if isinstance(entry.event, RunStart))
    if not next((start.only_plan for start in starts), False):
        return ""
    state = fold(records(folder))
    sealed = state.done.get(SEAL)
    is_planned = state.ended is not None and state.ended.status is RunStatus.PLANNED
    return sealed.approver if is_planned and isinstance(sealed, Sealed) and sealed.contract == wanted else ""
