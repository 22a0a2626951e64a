"""Keep the ledger in step with the journals: while a run is driven, when it is resumed, and on demand."""

import posixpath
from typing import NamedTuple

from signoff.domain.base.errors import SignoffError
from signoff.domain.base.typed_ids import CommitId
from signoff.domain.port_records import LedgerEntry
from signoff.domain.ports import Ledger, Repository, RunFolder
from signoff.domain.run.events import Recorded
from signoff.domain.run.ledger import AgentStatus, LedgerRecord
from signoff.engine.run.kit import Kit
from signoff.engine.run.run_log import records
from signoff.ledger.ledger_lines import Chosen, LedgerFilter, choose
from signoff.ledger.ledger_records import UNKNOWN, LedgerProjection, encode_record


def is_kept(kit: Kit) -> bool:
    """Check whether dispatches go into the ledger now."""
    return kit.ledger is None or kit.ledger.is_on


class LedgerKeeper:
    """Writes the ledger of one run. On creation it appends the records that an earlier driver missed."""

    def __init__(self, kit: Kit, folder: RunFolder) -> None:
        self._ledger = kit.ledger
        self._folder = folder
        self._projection = _projection(kit, folder)
        past = tuple(one for entry in records(folder) for one in self._projection.take(entry))
        self.appended = 0
        """How many records were missing."""
        if self._ledger is not None:
            self.appended = self._ledger.catch_up(folder.run_id, tuple(map(self._entry, past)))

    def moved(self, entry: Recorded) -> None:
        """Take note of one more record of the journal."""
        for record in self._projection.take(entry):
            if self._ledger is not None:
                self._ledger.append(self._entry(record))

    def _entry(self, record: LedgerRecord) -> LedgerEntry:
        is_success = record.status is AgentStatus.SUCCESS
        return LedgerEntry(
            record.run_id,
            encode_record(record),
            "" if is_success else _log(record),
            "" if is_success or not record.effect_key else self._folder.log_path(record.effect_key, ".err"),
        )


class Rebuilt(NamedTuple):
    """Result of rebuilding the ledger."""

    appended: int
    runs: int
    skipped: tuple[str, ...]
    """Runs that were left out, and why."""


def rebuild(kit: Kit, ledger: Ledger) -> Rebuilt:
    """Append every record that the journals have and the ledger lacks."""
    appended, runs = 0, 0
    skipped: list[str] = []
    for run_id in kit.store.list() if ledger.is_on else ():
        folder = kit.store.open(run_id)
        try:
            with folder.lock():
                appended += LedgerKeeper(kit, folder).appended
            runs += 1
        except SignoffError as error:
            if error.slug == "ledger-unwritable":
                raise
            skipped.append(f"{run_id}: {error.what}")
    return Rebuilt(appended, runs, tuple(skipped))


def chosen(ledger: Ledger, wanted: LedgerFilter) -> Chosen:
    """Return the records that a query selects."""
    return choose(ledger.lines(), wanted)


def _projection(kit: Kit, folder: RunFolder) -> LedgerProjection:
    project = posixpath.basename(kit.root.rstrip("/")).encode("utf-8", "replace").decode() or UNKNOWN
    return LedgerProjection(project, folder.blobs.get, lambda commit: _changed(kit.repository, commit))


def _changed(repository: Repository, commit: CommitId) -> tuple[str, ...] | None:
    """List what a capture changed, or None if the commit is gone, as in a ledger that is rebuilt late."""
    try:
        before = repository.tree_of(repository.parent_of(commit))
        return tuple(change.path for change in repository.changes(before, repository.tree_of(commit)))
    except SignoffError:
        return None


def _log(record: LedgerRecord) -> str:
    """Return the head of a side log: what is known without a word of the agent."""
    facts = (
        ("dispatch", record.effect_key),
        ("run", record.skill_invocation_id),
        ("agent", record.agent),
        ("model", record.model),
        ("status", record.status),
        ("reason", record.failure_reason),
        ("class", record.failure_class),
        ("detail", record.failure_detail),
        ("began", record.started_at),
        ("ended", record.finished_at),
    )
    return "".join(f"{name}: {value}\n" for name, value in facts if value)
