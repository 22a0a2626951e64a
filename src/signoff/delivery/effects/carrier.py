"""Perform the effects of a delivery through the ports, and recover what an earlier driver left of them.

Every effect is safe to repeat: a checkout is made afresh, a capture or merge of the same things under
the intent's recorded date gives the same ids, and what a finished process saw is in its slip.
"""

from threading import Event
from typing import TypedDict, assert_never

import msgspec
from msgspec.structs import replace

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.context.outside_changes import told_by
from signoff.delivery.context.run_view import View
from signoff.delivery.dispatch.dispatch_effect import dispatch, recover_dispatch
from signoff.delivery.effects.certificate_writer import write_certificate
from signoff.delivery.examination.check_effect import (
    examine,
    lay,
    protection_findings,
    recover_examination,
    weigh_findings,
)
from signoff.delivery.merge.merge_effect import merge_task, predict
from signoff.domain.base.findings import Finding, shown
from signoff.domain.base.typed_ids import CommitId, EffectKey, TreeId
from signoff.domain.machine.trees import CaptureProblem, PathChange
from signoff.domain.ports import Repository
from signoff.domain.run.effects import (
    Analyze,
    CaptureTree,
    Certify,
    Dispatch,
    Effect,
    LayTests,
    LookAtWork,
    MergeTask,
    Pause,
    PredictMerge,
    Publish,
    RecallMemory,
    RunCheck,
    Seal,
    WeighFindings,
)
from signoff.domain.run.outcomes import Analyzed, Captured, Outcome, Paused, Published, Sealed
from signoff.engine.run_state import OpenIntent
from signoff.judges.scope.change_scope import outside_scope, undeclared_deletions
from signoff.memory.memory_lookup import look_up
from signoff.project.detection.stack_detection import detect
from signoff.text.globs import matches_any
from signoff.text.json.canonical import canonical
from signoff.text.symlink_targets import leads_outside
from signoff.text.truncation import short

_LINK = "120000"
"""Git's mode of a symbolic link."""
_MOST_FINDINGS = 8
_LONGEST_TEXT = 150
"""How many findings an outcome holds, and bytes of each. Records stay under 4 KB."""


class JobCarrier:
    """Performs the effects of one run."""

    def __init__(self, job: DeliveryJob) -> None:
        self._job = job
        self._stopped = Event()

    def perform(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        """Perform the effect, one case for each kind. Return None if the run was asked to stop meanwhile."""
        job = self._job
        match effect:
            case RecallMemory():
                # As it stands now: the criteria that a person added name files and symbols too.
                ticket = View(job.state(), job.folder.blobs.get).ticket()
                return look_up(job.kit.memory, job.folder.blobs, ticket)
            case Analyze():
                return _analyze(job)
            case Dispatch():
                return dispatch(job, effect)
            case Pause():
                return None if self._stopped.wait(effect.seconds) else Paused()
            case CaptureTree():
                return _capture(job, effect, intent)
            case RunCheck():
                return examine(job, effect)
            case WeighFindings():
                return weigh_findings(job, effect)
            case Seal():
                return _seal(job, effect)
            case MergeTask():
                return merge_task(job, effect, intent)
            case PredictMerge():
                return predict(job, effect, intent)
            case LayTests():
                laid = lay(job, effect)
                _keep(job, effect.key, laid.tree)
                return laid
            case Certify():
                return write_certificate(job, effect, intent)
            case Publish():
                ref = job.kit.repository.publish(f"{job.folder.run_id}/final", effect.commit)
                return Published(ref=ref)
            case LookAtWork():
                raise AssertionError("a delivery works in checkouts of its own")
            case _:
                assert_never(effect)

    def recover(self, effect: Effect, intent: OpenIntent) -> Outcome | None:
        """Adopt what an earlier driver's processes left. Every other effect is simply done again."""
        del intent
        match effect:
            case Dispatch():
                return recover_dispatch(self._job, effect)
            case RunCheck():
                return recover_examination(self._job, effect)
            case _:
                return None

    def stop(self) -> None:
        """Stop every process of the run, and end every pause."""
        self._stopped.set()
        self._job.kit.processes.stop_all()


def _analyze(job: DeliveryJob) -> Analyzed:
    repository = job.kit.repository
    paths = frozenset(entry.path for entry in repository.entries(job.base_tree))
    facts = detect(paths, lambda path: repository.read(job.base_tree, path), job.settings.checks)
    return Analyzed(facts=job.folder.blobs.put(msgspec.json.encode(facts)))


def _capture(job: DeliveryJob, effect: CaptureTree, intent: OpenIntent) -> Captured:
    repository = job.kit.repository
    checkout = repository.checkout_path(job.checkout_name(effect.dispatch))
    captured = repository.capture(checkout, job.base_tree)
    message = f"{effect.task}: work of {effect.dispatch}\n"
    commit = repository.commit(captured.tree, (effect.start,), message, intent.ts)
    _keep(job, effect.key, commit)
    before = repository.tree_of(effect.base)
    changes = repository.changes(before, captured.tree)
    outside, doubts = told_by(job.state(), effect.dispatch)
    findings = (
        *outside,
        *outside_scope(changes, effect.allowed),
        *_deleted_without_leave(job, effect, changes),
        *protection_findings(job, before, captured.tree, changes),
        *_links_outside(repository, captured.tree, changes),
        *(
            Finding(code="state-touched", path=shown(path), message="agents may not write into .signoff/")
            for path in captured.meddled
        ),
    )
    return Captured(
        commit=commit,
        tree=captured.tree,
        files=len(changes),
        **_cut_to_record(findings, captured.problems, doubts),
    )


class _Noted(TypedDict):
    findings: tuple[Finding, ...]
    problems: tuple[CaptureProblem, ...]
    doubts: tuple[Finding, ...]


def _cut_to_record(
    findings: tuple[Finding, ...], problems: tuple[CaptureProblem, ...], doubts: tuple[Finding, ...]
) -> _Noted:
    """Cut what is wrong with a change to the size of a record, naming at least one problem of each kind.

    Doubts are asked about only if nothing is certain.
    """
    room = max(1, _MOST_FINDINGS - len(findings))
    return _Noted(
        findings=tuple(
            replace(f, path=short(f.path, _LONGEST_TEXT), message=short(f.message, _LONGEST_TEXT))
            for f in findings[:_MOST_FINDINGS]
        ),
        problems=tuple(
            CaptureProblem(kind=each.kind, path=short(shown(each.path), _LONGEST_TEXT))
            for each in problems[:room]
        ),
        doubts=() if findings else doubts,
    )


def _deleted_without_leave(
    job: DeliveryJob, effect: CaptureTree, changes: tuple[PathChange, ...]
) -> tuple[Finding, ...]:
    """Find deletions of files that the task did not declare to modify or delete.

    A file that this run made itself may be deleted again.
    """
    contract = View(job.state(), job.folder.blobs.get).contract()
    task = next((t for t in contract.tasks if t.id == effect.task), None) if contract else None
    if task is None:
        return ()
    may_delete = (*task.files_modify, *task.files_delete)
    read = job.kit.repository.read
    inside = (c for c in changes if matches_any(c.path, effect.allowed))
    return undeclared_deletions(inside, may_delete, lambda path: read(job.base_tree, path))


def _links_outside(
    repository: Repository, tree: TreeId, changes: tuple[PathChange, ...]
) -> tuple[Finding, ...]:
    """Find new or changed links that lead out of the tree: what they point to is not delivered."""
    changed = {change.path for change in changes}
    links = [
        entry.path for entry in repository.entries(tree) if entry.mode == _LINK and entry.path in changed
    ]
    return tuple(
        Finding(code="link-outside", path=shown(path), message="a link that leads out of the tree")
        for path in links
        if leads_outside(path, repository.read(tree, path) or b"")
    )


def _seal(job: DeliveryJob, effect: Seal) -> Sealed:
    raw, digest = View(job.state(), job.folder.blobs.get).proposal(effect.proposal)
    body = canonical(raw)
    stored = job.folder.blobs.put(body)
    assert stored == digest, "the digest of a contract is the digest of its canonical bytes"
    job.folder.write("contract.json", body + b"\n")
    return Sealed(contract=stored, approver=effect.approver)


def _keep(job: DeliveryJob, key: EffectKey, target: CommitId | TreeId) -> None:
    """Name an object below refs/signoff/ so that no clean-up takes it."""
    name = f"{job.folder.run_id}/{key}"
    before = job.kit.repository.ref(name)
    if before != target:
        job.kit.repository.set_ref(name, target, before)
