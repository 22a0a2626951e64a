"""What a look into memory leaves in the journal, and what the planner is told of it."""

from pathlib import Path

import msgspec

from signoff.domain.run.outcomes import Recalled
from signoff.domain.work.memory import MemoryHit, MemoryKind, Recollection
from signoff.domain.work.ticket import Ticket
from signoff.memory.memory_lookup import look_up
from signoff.storage.blobs import BlobStore

MAX_RECORD = 4_000
HIT = MemoryHit(
    id="ADR-1",
    type=MemoryKind.ARCHITECTURE_DECISIONS,
    source="repo",
    path="m.md",
    score=1.0,
    entry="No ORM. " * 40,
)


class Remembered:
    """A memory that always gives the same."""

    def __init__(self, found: Recollection) -> None:
        self.found = found
        self.files: tuple[str, ...] = ()

    def recall(self, ticket: Ticket, files: tuple[str, ...] = ()) -> Recollection:
        self.files = files
        return self.found


def test_no_hit_leaves_the_record_it_always_left(tmp_path: Path) -> None:
    """Journals of recorded runs are compared byte by byte."""
    blobs = BlobStore(str(tmp_path / "blobs"))

    record = look_up(Remembered(Recollection()), blobs, Ticket())

    assert msgspec.json.encode(record) == b'{"was":"recalled"}'
    assert not (tmp_path / "blobs").exists()


def test_hits_are_short_in_the_record_and_whole_in_the_blob(tmp_path: Path) -> None:
    blobs = BlobStore(str(tmp_path))
    memory = Remembered(Recollection(hits=(HIT,), looked_at=7))

    record = look_up(memory, blobs, Ticket(), ("a.py",))

    assert record.hits[0].startswith("architecture-decisions/ADR-1: No ORM.")
    assert len(record.hits[0]) <= 120
    assert record.looked_at == 7
    assert record.body is not None
    assert msgspec.json.decode(blobs.get(record.body), type=tuple[MemoryHit, ...]) == (HIT,)
    assert memory.files == ("a.py",)


def test_the_largest_record_stays_below_what_the_journal_takes(tmp_path: Path) -> None:
    loud = msgspec.structs.replace(HIT, id="\\" * 80, entry='"' * 400)
    found = Recollection(hits=(loud,) * 12, looked_at=2_000, problems=('"\\' * 150,) * 21)

    record = look_up(Remembered(found), BlobStore(str(tmp_path)), Ticket())

    assert isinstance(record, Recalled)
    assert len(msgspec.json.encode(record)) < MAX_RECORD - 600
