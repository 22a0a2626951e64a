"""Everything that is known of one run, in one record: for `runs show`, for reports in JSON, for a page."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from signoff.delivery.context.run_view import View
from signoff.delivery.effects.certificate_writer import CERTIFICATE
from signoff.delivery.report.progress_page import describe_outcome
from signoff.delivery.verdict.trust_level import confinement, level
from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, EffectKey
from signoff.domain.evidence.receipts import Observation
from signoff.domain.evidence.verdict import Verdict, VerdictOutcome
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.ports import RunFolder
from signoff.domain.run.directives import Facts
from signoff.domain.run.events import Answered, CapReset, OverruleRefused, RunStart, Waived
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Captured,
    Checked,
    Dispatched,
    Sealed,
    Usage,
)
from signoff.domain.run.status import Status
from signoff.domain.run.surveys import StepStatus
from signoff.domain.work.clauses import Clause
from signoff.domain.work.contract import Contract
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.engine.run.receipt_files import receipt_name
from signoff.engine.run_state import Span, State
from signoff.ledger.run_costs import agent_of
from signoff.runs.inspect.run_list import Looked
from signoff.runs.state.flow_choice import ticket as ticket_of
from signoff.runs.state.open_halts import OpenHalt, open_halts
from signoff.runs.state.run_views import status_of

FILES = (
    "journal.jsonl",
    "state.json",
    "PROGRESS.md",
    "handoff.md",
    "contract.json",
    "verification.json",
    "report.md",
    CERTIFICATE,
)


class RunShown(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A record of which every key is written, also where it is empty."""


class ShownDispatch(RunShown, frozen=True, kw_only=True):
    """One conversation turn with an agent."""

    key: EffectKey
    agent: str
    was: str
    brought: str
    span: Span | None
    usage: Usage | None
    sandbox: Level | None = None
    """The confinement that held, or None if no program ran or it is not known."""


class ShownCheck(RunShown, frozen=True, kw_only=True):
    """One check that ran, what it saw, and the file of its receipt."""

    key: EffectKey
    observation: Observation
    span: Span | None
    receipt: str


class ShownWork(RunShown, frozen=True, kw_only=True):
    """What was taken over from one checkout."""

    key: EffectKey
    captured: Captured


class ShownRef(RunShown, frozen=True, kw_only=True):
    """A ref in the person's repository."""

    ref: str
    commit: CommitId


class Details(RunShown, frozen=True, kw_only=True):
    """One run, whole."""

    status: Status
    start: RunStart
    ticket: Ticket
    steps: Mapping[str, StepStatus]
    halts: tuple[OpenHalt, ...]
    facts: Facts | None
    contract: Contract | None
    sealed: Sealed | None
    level: str
    """How far its certificate can be believed, or `none` without a certificate."""
    verdict: Verdict | None
    clauses: tuple[Clause, ...]
    dispatches: tuple[ShownDispatch, ...]
    work: tuple[ShownWork, ...]
    checks: tuple[ShownCheck, ...]
    answers: tuple[Answered, ...]
    waivers: tuple[Waived, ...]
    refusals: tuple[OverruleRefused, ...]
    resets: tuple[CapReset, ...]
    notes: tuple[str, ...]
    running: tuple[EffectKey, ...]
    """Intended and not done. Without a driver, it is what the last one left."""
    driven: bool
    """Whether a driver holds the run now."""
    refs: tuple[ShownRef, ...]
    files: dict[str, str]


def describe(kit: Kit, looked: Looked) -> Details:
    """Gather everything about a run."""
    folder, state, found = looked
    view = View(state, folder.blobs.get)
    status = status_of(folder, state, found)
    final = f"{folder.run_id}/final"
    commit = kit.repository.published(final)
    certified = found.verdict is not None and found.verdict.outcome is VerdictOutcome.SIGNED_OFF
    return Details(
        status=status,
        start=view.start,
        ticket=ticket_of(state, folder.blobs.get),
        steps=found.steps,
        halts=open_halts(kit, folder, status.halts),
        facts=view.facts(),
        contract=view.contract(),
        sealed=view.sealed(),
        level=level(state) if certified and state.ended is not None else "none",
        verdict=found.verdict,
        clauses=found.clauses,
        dispatches=tuple(_dispatches(state, view.start)),
        work=tuple(ShownWork(key=k, captured=o) for k, o in state.done.items() if isinstance(o, Captured)),
        checks=tuple(_checks(folder, state)),
        answers=tuple(state.answers.values()),
        waivers=state.waivers,
        refusals=state.refusals,
        resets=state.resets,
        notes=found.notes,
        running=tuple(state.open),
        driven=folder.is_locked(),
        refs=(ShownRef(ref=f"refs/signoff/{final}", commit=commit),) if commit is not None else (),
        files={name: folder.path(name) for name in FILES if folder.size(name)},
    )


def as_data(details: Details) -> dict[str, Any]:
    """Return the details as one flat document: where the run stands first, then everything else."""
    whole: dict[str, Any] = msgspec.to_builtins(details)
    del whole["status"]
    return {**msgspec.structs.asdict(details.status), **whole}


def _dispatches(state: State, start: RunStart) -> Iterator[ShownDispatch]:
    for key, outcome in state.done.items():
        if isinstance(outcome, Dispatched):
            yield ShownDispatch(
                key=key,
                agent=agent_of(key, outcome, start),
                was=str(outcome.__struct_config__.tag),
                brought=describe_outcome(outcome),
                span=state.spans.get(key),
                usage=outcome.usage if isinstance(outcome, AgentAnswered | AgentFailed) else None,
                sandbox=confinement(outcome),
            )


def _checks(folder: RunFolder, state: State) -> Iterator[ShownCheck]:
    for key, outcome in state.done.items():
        if isinstance(outcome, Checked):
            yield ShownCheck(
                key=key,
                observation=outcome.observation,
                span=state.spans.get(key),
                receipt=folder.path(receipt_name(key)),
            )
