"""Check a signed-off run again: offline from what is on disk, or by running its checks once more.

Everything is computed anew from the journal: the verdict, the receipts it is based on, the trees. The
certificate, the receipts and the contract on disk are then compared with that, in both directions.
"""

from typing import NamedTuple

import msgspec

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.run_view import View
from signoff.delivery.effects.certificate_writer import CERTIFICATE, certify, encode, receipt_digest
from signoff.delivery.examination.check_effect import examine, lay
from signoff.delivery.flow.deliver import CERTIFY
from signoff.delivery.flow.intake_steps import on_tree
from signoff.delivery.flow.proof_steps import Proving, mixed_trees, report_keys
from signoff.delivery.verdict.judge import Seen
from signoff.domain.base.errors import ConfigError
from signoff.domain.base.typed_ids import Digest, EffectKey
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.evidence.receipts import Receipt, Result
from signoff.domain.evidence.verdict import VerdictOutcome
from signoff.domain.ports import Agent, RunFolder
from signoff.domain.run.certificate import Certificate, JournalHead
from signoff.domain.run.events import Waived
from signoff.domain.run.outcomes import Certified, Checked, TestsLaid
from signoff.domain.run.surveys import Survey
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.engine.run.named_blobs import named_blobs
from signoff.engine.run.receipt_files import receipt_name
from signoff.engine.run.run_log import records
from signoff.engine.run_state import State, fold
from signoff.judges.journal.journal_check import Anchor, check_journal
from signoff.runs.state.flow_choice import is_hosted, survey
from signoff.runs.state.run_views import read_status
from signoff.runs.state.waiver import waived_state
from signoff.text.json.canonical import digest

NOT_JUDGED_AGAIN = "rerun-not-judged"
"""The one violation that is about this machine and not about the sign-off."""


def verify(kit: Kit, folder: RunFolder) -> tuple[Violation, ...]:
    """Find everything on disk that contradicts the journal. Empty means the sign-off stands."""
    broken = _journal(folder)
    if broken:
        return broken
    try:
        return _compare(kit, folder)
    except ConfigError as error:  # a body that a record names is gone or was changed
        return (_violation(error.slug, f"{error.what}: {error.why}" if error.why else error.what),)


def _compare(kit: Kit, folder: RunFolder) -> tuple[Violation, ...]:
    state = waived_state(kit, folder)
    found = survey(state, folder.blobs.get)
    if is_hosted(state):
        why = "a run that a host drives with `signoff work` gets no certificate"
        return (_violation("not-signed-off", f"there is nothing to verify: {why}"),)
    if found.verdict is None or found.verdict.outcome is not VerdictOutcome.SIGNED_OFF:
        why = state.ended.why if state.ended else "the run has not ended"
        return (_violation("not-signed-off", f"there is nothing to verify: {why}"),)
    if state.ended is None:
        return (_violation("run-end-missing", "it is signed off and has no end; its journal was cut off"),)
    if state.run_id != folder.run_id:
        return (_violation("run-renamed", f"the journal is that of run {state.run_id}"),)
    certificate = _certificate(folder)
    if isinstance(certificate, Violation):
        return (certificate,)
    return (
        *_bodies(folder, state),
        *_statement(kit, folder, state, found, certificate),
        *_receipts(folder, state, certificate),
        *_contract(folder, state),
        *_tree(kit, certificate),
    )


def anchors(folder: RunFolder) -> tuple[Anchor, ...]:
    """Return what state.json and the certificate remember of the journal."""
    found: list[Anchor] = []
    view = read_status(folder)
    if view is not None:
        found.append(Anchor(view.seq, view.head, "state.json", view.finished))
    certificate = _certificate(folder)
    if isinstance(certificate, Certificate) and certificate.predicate.journal.run == folder.run_id:
        head = certificate.predicate.journal
        found.append(Anchor(head.seq, head.sum, CERTIFICATE, must_end=True))
    return tuple(found)


def rerun(kit: Kit, folder: RunFolder, agent: Agent) -> tuple[Violation, ...]:
    """Run every check behind the verdict again, on freshly laid out trees, and compare the results."""
    state = waived_state(kit, folder)
    found = survey(state, folder.blobs.get)
    assert found.verdict is not None
    start = state.start
    assert start is not None
    job = DeliveryJob(
        kit=kit,
        folder=folder,
        agent=agent,
        start=start,
        settings=msgspec.json.decode(folder.blobs.get(start.settings), type=Settings),
        ticket=msgspec.json.decode(folder.blobs.get(start.ticket), type=Ticket),
        state=lambda: state,
        is_replay=True,
    )
    different = _rebuild_trees(job, found)
    if different:
        return tuple(different)
    view = View(state, folder.blobs.get)
    wanted = {key for row in found.verdict.clauses for key in row.receipts}
    wanted |= {compared for key in wanted for compared in report_keys(view, key)}
    reports: dict[EffectKey, Digest] = {}
    for seen in view.seen():
        if seen.key in wanted:
            different += _repeat_check(job, found, seen, reports)
    return tuple(different)


def _rebuild_trees(job: DeliveryJob, found: Survey) -> list[Violation]:
    """Build the mixed trees again. A clean clone has only the base and the result.

    A tree other than the recorded one is a violation, since the receipts speak of that one.
    """
    assert found.verdict is not None
    final = found.verdict.trees.final
    assert final is not None
    state = job.state()
    view = View(state, job.folder.blobs.get)
    sealed = view.sealed()
    assert sealed is not None
    different = []
    for effect in mixed_trees(view, Proving(1, final, sealed.contract, found.clauses)):
        laid = [(key, outcome) for key, outcome in state.done.items() if isinstance(outcome, TestsLaid)]
        recorded = [outcome for key, outcome in laid if key.endswith(f"/{effect.place}")]
        if not recorded or recorded[-1] != lay(job, effect):
            different.append(_violation("tree-differs", f"{effect.place} is not the tree that was judged"))
    return different


def _repeat_check(
    job: DeliveryJob, found: Survey, seen: Seen, reports: dict[EffectKey, Digest]
) -> list[Violation]:
    """Repeat one check. Comparing checks compare the reports of the repeated test runs.

    A check that could not be run again is no pass and no failure: it has a violation of its own.
    """
    was = seen.observation
    clause = next((c for c in found.clauses if c.id == was.clause), None)
    if clause is None or clause.check is None:
        return [_violation("clause-unknown", f"{seen.key} is about a clause that does not exist")]
    view = View(job.state(), job.folder.blobs.get)
    compared = [reports.get(key) for key in report_keys(view, seen.key)]
    known = tuple(report for report in compared if report is not None)
    effect = on_tree(
        view,
        EffectKey(f"rerun/{seen.key}"),
        clause,
        clause.check,
        was.place,
        was.tree,
        was.contract,
        known if len(known) == len(compared) else (),
    )
    outcome = examine(job, effect)
    if outcome is None:
        return [_violation("rerun-stopped", f"{seen.key} was stopped")]
    now = outcome.observation
    if now.report is not None:
        reports[seen.key] = now.report
    if now.result is was.result:
        return []
    if now.result is Result.PARTIAL:
        return [_violation(NOT_JUDGED_AGAIN, f"{seen.key} could not be run again: {now.detail}")]
    return [_violation("rerun-differs", f"{seen.key} was {was.result} and is {now.result} now: {now.detail}")]


def _journal(folder: RunFolder) -> tuple[Violation, ...]:
    if folder.size("state.json") and read_status(folder) is None:
        return (
            _violation("anchor-unreadable", "state.json cannot be read, so the journal's end is unknown"),
        )
    data = folder.read("journal.jsonl") or b""
    checked = check_journal((data,), anchors(folder))
    return tuple(
        msgspec.convert(fault._asdict(), Violation)
        for fault in checked.violations
        if fault.severity == "error"
    )


def _certificate(folder: RunFolder) -> Certificate | Violation:
    data = folder.read(CERTIFICATE)
    if data is None:
        return _violation("certificate-missing", "the run has no certificate.json")
    try:
        return msgspec.json.decode(data, type=Certificate)
    except msgspec.DecodeError as error:
        return _violation("certificate-unreadable", f"certificate.json: {error}")


def _statement(
    kit: Kit, folder: RunFolder, state: State, found: Survey, certificate: Certificate
) -> list[Violation]:
    """Put the certificate together again from the journal and name every field that differs.

    It is compared field by field, because a person needs to know which statement is false.
    """
    assert found.verdict is not None
    assert found.final is not None
    written = _record_of_certificate(kit, folder, state, certificate.predicate.journal)
    if isinstance(written, Violation):
        return [written]
    again = certify(folder, state, found.verdict, found.final, written.head, written.engine_version)
    said, computed = msgspec.to_builtins(certificate), msgspec.to_builtins(again)
    pairs = [(f"/{name}", said[name], computed[name]) for name in said if name != "predicate"]
    pairs += [
        (f"/predicate/{name}", said["predicate"].get(name), computed["predicate"].get(name))
        for name in {**said["predicate"], **computed["predicate"]}
        if name != "receipts"  # compared file by file, so that the right one is named
    ]
    wanted = [ref.key for ref in again.predicate.receipts]
    pairs.append(("/predicate/receipts", [ref.key for ref in certificate.predicate.receipts], wanted))
    different = [path for path, one, other in pairs if one != other]
    if not different and _is_touched(folder, state, certificate, encode(again)):
        different = ["something the statement has no field for"]
    return [
        _violation("certificate-differs", f"certificate and journal disagree on {path}", path)
        for path in different
    ]


def _is_touched(folder: RunFolder, state: State, certificate: Certificate, again: bytes) -> bool:
    """Check whether the file has other bytes than were written, although every field has the same value."""
    data = folder.read(CERTIFICATE)
    done = state.done.get(CERTIFY)
    recorded = done.evidence if isinstance(done, Certified) else None
    own = certificate.predicate.journal.run == folder.run_id
    if own and recorded is not None and data is not None and digest(data) != recorded:
        return True
    same_receipts = encode(certificate) == again
    return same_receipts and data != again


class _Written(NamedTuple):
    """At which record a certificate was written, and by which version."""

    head: JournalHead
    engine_version: str


def _record_of_certificate(
    kit: Kit, folder: RunFolder, state: State, said: JournalHead
) -> _Written | Violation:
    """Find the record a certificate must name: the intent to write it, or the waiver that allowed it.

    Anything else is a violation. The journal of a waiver is checked first, and must name this run's head.
    """
    assert state.start is not None
    if said.run == folder.run_id:
        intent = state.intents.get(CERTIFY)
        if intent is None:
            return _violation("certificate-differs", "the run never set out to write a certificate")
        head = JournalHead(run=folder.run_id, seq=intent.seq, sum=intent.sum)
        return _Written(head, state.start.engine_version)
    child = kit.store.open(said.run)
    broken = _journal(child)
    if broken:
        return broken[0]
    entries = {entry.seq: entry for entry in records(child)}
    waiver = fold(entries.values())
    at = entries.get(said.seq)
    if waiver.start is None or waiver.start.parent != folder.run_id or waiver.start.parent_head != state.head:
        return _violation("certificate-differs", f"run {said.run} is no waiver of this one")
    if at is None or not isinstance(at.event, Waived):
        return _violation("certificate-differs", f"record {said.seq} of run {said.run} is no waiver")
    head = JournalHead(run=child.run_id, seq=at.seq, sum=at.sum)
    return _Written(head, waiver.start.engine_version)


def _receipts(folder: RunFolder, state: State, certificate: Certificate) -> list[Violation]:
    found: list[Violation] = []
    for ref in certificate.predicate.receipts:
        name = receipt_name(ref.key)
        data = folder.read(name)
        outcome = state.done.get(ref.key)
        if data is None:
            found.append(_violation("receipt-missing", f"{name} is gone"))
        elif receipt_digest(folder, ref.key) != ref.digest:
            found.append(_violation("receipt-changed", f"{name} is not what was certified"))
        elif not isinstance(outcome, Checked) or _observation(data) != outcome.observation:
            found.append(_violation("receipt-differs", f"{name} and the journal disagree"))
        elif outcome.evidence is not None and outcome.evidence != ref.digest:
            found.append(_violation("receipt-changed", f"{name} is not what the journal recorded"))
    return found


def _bodies(folder: RunFolder, state: State) -> list[Violation]:
    """Read every blob the journal names. Each must still have the digest it is named by."""
    found = []
    for name in dict.fromkeys(named_blobs(state)):
        try:
            folder.blobs.get(name)
        except ConfigError as error:
            found.append(_violation(error.slug, error.what))
    return found


def _observation(data: bytes) -> object:
    try:
        return msgspec.json.decode(data, type=Receipt).observation
    except msgspec.DecodeError:
        return None


def _contract(folder: RunFolder, state: State) -> list[Violation]:
    sealed = View(state, folder.blobs.get).sealed()
    data = folder.read("contract.json")
    if data is None:
        return [_violation("contract-missing", "contract.json is gone")]
    if sealed is None or data != folder.blobs.get(sealed.contract) + b"\n":
        return [_violation("contract-changed", "contract.json is not the contract that was sealed")]
    return []


def _tree(kit: Kit, certificate: Certificate) -> list[Violation]:
    said = certificate.predicate
    published = kit.repository.published(f"{said.run}/final")
    if published is None:
        return [_violation("tree-missing", f"refs/signoff/{said.run}/final is gone")]
    if published != said.commit or kit.repository.tree_of(said.commit) != said.tree:
        return [_violation("tree-differs", "the published commit does not have the certified tree")]
    return []


def _violation(code: str, message: str, path: str = "") -> Violation:
    return Violation(code=code, severity=Severity.ERROR, path=path, message=message)
