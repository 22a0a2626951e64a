"""Journals of any length, made through the product's own writer."""

import subprocess
from pathlib import Path

import msgspec

from signoff.domain.base.typed_ids import CommitId, Digest, EffectKey, RunId, TreeId
from signoff.domain.run.events import (
    EVENT_TYPES,
    SCHEMA_VERSION,
    Done,
    Driver,
    Event,
    Index,
    Intended,
    RunEnd,
    RunStart,
    RunStatus,
)
from signoff.domain.run.outcomes import Recalled
from signoff.domain.run.status import Status
from signoff.storage.journal import Journal

RUN = RunId("01M0000000000000000000BENC")
DIGEST = Digest("sha256:" + "0" * 64)


def write_journal(path: Path, events: int) -> Status:
    """Write a finished journal of this many events; give the view that goes with it."""
    journal = Journal.create(str(path), durable=False)
    for number in range(events):
        line = journal.append(msgspec.json.encode(_event(number, events)), "2026-01-01T00:00:00.000Z")
    journal.close()
    return Status(
        run_id=RUN,
        seq=line.seq,
        offset=path.stat().st_size,
        head=line.sum,
        ts=line.ts,
        step="report",
        outcome="signed-off",
        finished=True,
    )


def finished_run(repo: Path, events: int) -> str:
    """Lay out a repository with one finished run of this many events; give the run's id."""
    repo.mkdir()
    git = ("git", "-C", str(repo), "-c", "user.name=b", "-c", "user.email=b@example.org")
    subprocess.run((*git, "init", "-q"), check=True)
    subprocess.run((*git, "commit", "-q", "--allow-empty", "-m", "base"), check=True)
    run = repo / ".signoff" / "runs" / RUN
    run.mkdir(parents=True)
    status = write_journal(run / "journal.jsonl", events)
    (run / "state.json").write_bytes(msgspec.json.encode(status))
    return RUN


def _event(number: int, events: int) -> Event:
    if number == 0:
        return Index(
            schema_version=SCHEMA_VERSION,
            flow="deliver",
            run_id=RUN,
            event_types=EVENT_TYPES,
            started_at="2026-01-01T00:00:00.000Z",
        )
    if number == 1:
        return RunStart(
            flow="deliver@1",
            driver=Driver.RECORDED,
            agent="recorded",
            base=CommitId("0" * 40),
            base_tree=TreeId("0" * 40),
            ticket=DIGEST,
            settings=DIGEST,
            engine_version="0",
        )
    if number == events - 1:
        return RunEnd(status=RunStatus.SIGNED_OFF)
    key = EffectKey(f"implement/T{number // 2}/attempt-1/dispatch-1")
    if number % 2 == 0:
        return Intended(key=key, do="recall", effect=DIGEST)
    return Done(key=key, outcome=Recalled())
