"""Runs, blobs and state files in memory: a replay leaves nothing behind and waits for no disk."""

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.typed_ids import Digest, RunId
from signoff.domain.ports import InboxItem, JournalLine, Link


class MemoryBlobs:
    """Bodies by their digest."""

    def __init__(self) -> None:
        self._held: dict[Digest, bytes] = {}

    def put(self, data: bytes) -> Digest:
        """Store a body and return its digest."""
        digest = Digest(f"sha256:{hashlib.sha256(data).hexdigest()}")
        self._held[digest] = data
        return digest

    def get(self, digest: Digest) -> bytes:
        """Return the bytes."""
        try:
            return self._held[digest]
        except KeyError:
            raise ConfigError(f"there is no {digest}", slug="blob-missing") from None


class MemoryJournal:
    """A log whose sums only tell one record from another."""

    def __init__(self) -> None:
        self.lines: list[JournalLine] = []

    @property
    def head(self) -> tuple[int, str]:
        """Sequence number and sum of the last record."""
        return (self.lines[-1].seq, self.lines[-1].sum) if self.lines else (-1, "")

    def append(self, body: bytes, ts: str) -> JournalLine:
        """Append one record."""
        seq, before = self.head
        line = JournalLine(seq + 1, ts, "", before, f"record-{seq + 1}", body)
        self.lines.append(line)
        return line


class MemoryFolder:
    """One run."""

    def __init__(self, run_id: RunId) -> None:
        self._run_id = run_id
        self._blobs = MemoryBlobs()
        self._journal = MemoryJournal()
        self._files: dict[str, bytes] = {}
        self._inbox: list[InboxItem] = []

    @property
    def run_id(self) -> RunId:
        """The id."""
        return self._run_id

    @property
    def blobs(self) -> MemoryBlobs:
        """Bodies named by digest."""
        return self._blobs

    def lines(self) -> Iterator[JournalLine]:
        """Stream the journal."""
        return iter(tuple(self._journal.lines))

    @contextmanager
    def writer(self) -> Iterator[MemoryJournal]:
        """Open the journal."""
        yield self._journal

    def mend(self) -> int:
        """Return 0: nothing can be torn here."""
        return 0

    def lock(self, wait_s: float = 0.0) -> AbstractContextManager[object]:
        """Return a lock that is always free."""
        del wait_s
        return nullcontext()

    def is_locked(self) -> bool:
        """Return False: a play has only one process."""
        return False

    def drop(self, kind: str, body: bytes) -> None:
        """Leave a message for the driver."""
        self._inbox.append(InboxItem(str(len(self._inbox)), kind, body))

    def inbox(self) -> tuple[InboxItem, ...]:
        """Return the messages."""
        return tuple(self._inbox)

    def remove(self, item: InboxItem) -> None:
        """Remove an inbox item."""
        self._inbox.remove(item)

    def write(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Keep a view."""
        del durable
        self._files[name] = data

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file of the run."""
        return self._files.get(name)

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        return len(self._files.get(name, b""))

    def log_path(self, key: str, suffix: str = "") -> str:
        """Return a path that is never written to."""
        return f"/nowhere/{self._run_id}/{key}{suffix}"

    def log_tail(self, key: str, suffix: str, most: int) -> bytes:
        """Return b"": nothing is ever logged here."""
        del key, suffix, most
        return b""

    def path(self, name: str) -> str:
        """Return a path for messages."""
        return f"/nowhere/{self._run_id}/{name}"


class MemoryStore:
    """All runs of one play."""

    def __init__(self) -> None:
        self._runs: dict[RunId, MemoryFolder] = {}

    def create(self, run_id: RunId) -> MemoryFolder:
        """Make the folder of a new run."""
        if run_id in self._runs:
            raise ConflictError(f"run {run_id} exists already", slug="run-exists")
        self._runs[run_id] = MemoryFolder(run_id)
        return self._runs[run_id]

    def reveal(self, run_id: RunId) -> MemoryFolder:
        """Return the run that `create` made."""
        return self._runs[run_id]

    def open(self, run_id: RunId) -> MemoryFolder:
        """Open a run by its id."""
        try:
            return self._runs[run_id]
        except KeyError:
            raise ConfigError(f"there is no run {run_id!r}", slug="run-unknown") from None

    def list(self) -> tuple[RunId, ...]:
        """List the runs."""
        return tuple(sorted(self._runs))

    def moved_at(self, run_id: RunId) -> int:
        """Return how far a run has come, in place of a time."""
        return self._runs[run_id].size("state.json")

    def cassette_path(self, run_id: RunId) -> str:
        """Return a path that is never written to."""
        return f"/nowhere/cassettes/{run_id}.json"

    def keep_cassette(self, run_id: RunId, data: bytes) -> None:
        """Do nothing: hosted runs make no cassette."""
        del run_id, data


class MemoryLinks:
    """State files, and the runs behind them."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._links: dict[str, Link] = {}

    def hold(self, state_file: str) -> AbstractContextManager[object]:
        """Return a lock that is always free."""
        del state_file
        return nullcontext()

    def find(self, state_file: str) -> Link | None:
        """Return the run behind a state file."""
        return self._links.get(state_file)

    def of_run(self, run_id: RunId) -> Link | None:
        """Return the state file of a run."""
        return next((link for link in self._links.values() if link.run_id == run_id), None)

    def keep(self, link: Link) -> None:
        """Store the run behind a state file."""
        self._links[link.state_file] = link

    def load(self, state_file: str) -> bytes | None:
        """Return a state file's bytes."""
        return self._files.get(state_file)

    def save(self, state_file: str, data: bytes) -> None:
        """Store a state file."""
        self._files[state_file] = data
