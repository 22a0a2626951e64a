"""Write the certificate of a run whose verdict is *signed off*."""

import msgspec

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.run_view import View
from signoff.delivery.flow.deliver import survey
from signoff.delivery.verdict.trust_level import confinement, level
from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey
from signoff.domain.evidence.verdict import Verdict, VerdictOutcome
from signoff.domain.ports import RunFolder
from signoff.domain.run.certificate import (
    PREDICATE_TYPE,
    STATEMENT_TYPE,
    AgentRun,
    Certificate,
    JournalHead,
    Predicate,
    ReceiptRef,
    Subject,
    Waiver,
)
from signoff.domain.run.effects import Certify
from signoff.domain.run.events import RunStart
from signoff.domain.run.outcomes import Certified, Checked, Dispatched
from signoff.engine.run.receipt_files import receipt_name
from signoff.engine.run_state import OpenIntent, State
from signoff.ledger.run_costs import agent_of
from signoff.text.json.canonical import digest

CERTIFICATE = "certificate.json"


def write_certificate(job: DeliveryJob, effect: Certify, intent: OpenIntent) -> Certified:
    """Write `certificate.json` as of the intent's own record, so that a repeat writes the same bytes."""
    state = job.state()
    found = survey(state, job.folder.blobs.get)
    assert found.verdict is not None
    head = JournalHead(run=job.folder.run_id, seq=intent.seq, sum=intent.sum)
    certificate = certify(job.folder, state, found.verdict, effect.final, head, job.start.engine_version)
    body = encode(certificate)
    job.folder.write(CERTIFICATE, body)
    return Certified(evidence=None if job.is_replay else digest(body))


def encode(certificate: Certificate) -> bytes:
    """Encode a certificate as it is written to disk."""
    return msgspec.json.format(msgspec.json.encode(certificate), indent=2) + b"\n"


def certify(
    folder: RunFolder, state: State, verdict: Verdict, final: CommitId, head: JournalHead, engine_version: str
) -> Certificate:
    """Put together what was agreed, seen and approved. Only a verdict of *signed off* gets this far."""
    assert verdict.outcome is VerdictOutcome.SIGNED_OFF
    assert verdict.trees.final is not None
    view = View(state, folder.blobs.get)
    sealed = view.sealed()
    assert sealed is not None
    keys = [key for key, outcome in state.done.items() if isinstance(outcome, Checked)]
    return Certificate(
        type_=STATEMENT_TYPE,
        subject=(Subject(name="delivered tree", digest={"gitTree": verdict.trees.final}),),
        predicate_type=PREDICATE_TYPE,
        predicate=Predicate(
            run=state.run_id,
            ticket=view.ticket().id,
            contract=sealed.contract,
            base=view.base_commit,
            commit=final,
            tree=verdict.trees.final,
            level=level(state),
            approver=sealed.approver,
            clauses=verdict.clauses,
            receipts=tuple(ReceiptRef(key=key, digest=receipt_digest(folder, key)) for key in keys),
            waivers=tuple(
                Waiver(clause=w.clause, reason=w.reason, by=w.by, how=w.how) for w in state.waivers
            ),
            agent_runs=_agent_runs(state, view.start),
            journal=head,
            engine_version=engine_version,
        ),
    )


def receipt_digest(folder: RunFolder, key: EffectKey) -> Digest:
    """Return the digest of a receipt's file, or "missing", which never verifies."""
    data = folder.read(receipt_name(key))
    return digest(data) if data is not None else Digest("missing")


def _agent_runs(state: State, start: RunStart) -> tuple[AgentRun, ...]:
    return tuple(
        AgentRun(
            key=key,
            agent=agent_of(key, outcome, start),
            was=str(outcome.__struct_config__.tag),
            sandbox=confinement(outcome),
        )
        for key, outcome in state.done.items()
        if isinstance(outcome, Dispatched)
    )
