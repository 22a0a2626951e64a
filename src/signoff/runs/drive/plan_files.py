"""What a planning run leaves for people to read, change and commit: its contract and its spec.

Both are made once, from the journal, and never replace a file of other content: then both get the next
free number. What a person or a delivery changes in them later is left alone.
"""

from typing import Any, NamedTuple

import msgspec

from signoff.delivery.context.run_view import View
from signoff.delivery.flow.plan_step import answers_given
from signoff.domain.ports import Documents, RunFolder
from signoff.domain.run.directives import Facts
from signoff.domain.run.events import RunStatus
from signoff.domain.work.spec import Spec
from signoff.engine.run.kit import Kit
from signoff.engine.run_state import State
from signoff.specs.planned_spec import RUN, Plan, file_name, spec_of
from signoff.text.json.json_text import read_json

SPECS = "specs"
CONTRACTS = "contracts"


class PlanFiles(NamedTuple):
    """The two files, with what stands in them now."""

    spec: Any
    contract: Any
    spec_path: str
    contract_path: str


def is_planned(state: State) -> bool:
    """Check whether a run has ended with a plan and was to go no further."""
    return state.ended is not None and state.ended.status is RunStatus.PLANNED


def keep_plan(kit: Kit, folder: RunFolder, state: State) -> PlanFiles:
    """Write contract and spec of a planning run that has ended, unless they are there, and return them."""
    view = View(state, folder.blobs.get)
    sealed, contract = view.sealed(), view.contract()
    assert sealed is not None
    assert contract is not None
    body = msgspec.json.format(folder.blobs.get(sealed.contract), indent=2) + b"\n"
    plan = Plan(
        run_id=folder.run_id,
        ticket=view.ticket(),
        contract=contract,
        facts=view.facts() or Facts(),
        answers=answers_given(view),
        at=state.ts,
    )
    documents = kit.documents
    number = 0
    while True:
        number += 1
        name = file_name(plan.ticket.id, number)
        if _is_ours(documents, name, folder.run_id) or _write(documents, name, spec_of(plan, name), body):
            return _read_files(documents, name)


def _write(documents: Documents, name: str, spec: Spec, contract: bytes) -> bool:
    """Write both under this name. Return False if another file has it."""
    if documents.read(SPECS, name) is not None:
        return False
    kept = documents.read(CONTRACTS, name)
    if kept != contract and (kept is not None or not documents.create(CONTRACTS, name, contract)):
        return False
    return documents.create(SPECS, name, msgspec.json.format(msgspec.json.encode(spec), indent=2) + b"\n")


def _is_ours(documents: Documents, name: str, run_id: str) -> bool:
    """Check whether the spec of this name is the one that this run left."""
    data = documents.read(SPECS, name)
    found = read_json(data).value if data is not None else None
    metadata = found.get("metadata") if isinstance(found, dict) else None
    return isinstance(metadata, dict) and metadata.get(RUN) == run_id


def _read_files(documents: Documents, name: str) -> PlanFiles:
    spec, contract = documents.read(SPECS, name), documents.read(CONTRACTS, name)
    return PlanFiles(
        spec=read_json(spec).value if spec is not None else None,
        contract=read_json(contract).value if contract is not None else None,
        spec_path=documents.path(SPECS, name),
        contract_path=documents.path(CONTRACTS, name),
    )
