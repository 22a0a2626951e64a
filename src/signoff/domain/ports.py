"""What the use cases need from outside, as Protocols that adapters implement and wiring joins. Pure."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable

from signoff.domain.base.typed_ids import CommitId, Digest, RunId, TreeId
from signoff.domain.evidence.receipts import Receipt, TestReport
from signoff.domain.machine.activity import Activity
from signoff.domain.machine.process_records import ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import Level, SandboxOffer
from signoff.domain.machine.surroundings import Surroundings
from signoff.domain.machine.trees import Base, Capture, Merge, PathChange
from signoff.domain.port_records import InboxItem as InboxItem
from signoff.domain.port_records import JournalLine as JournalLine
from signoff.domain.port_records import LedgerEntry as LedgerEntry
from signoff.domain.port_records import LedgerLine as LedgerLine
from signoff.domain.port_records import Link as Link
from signoff.domain.port_records import PinnedBase as PinnedBase
from signoff.domain.port_records import Pruned as Pruned
from signoff.domain.port_records import Sight as Sight
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.memory import Recollection
from signoff.domain.work.ticket import Ticket


class Clock(Protocol):
    """Time as text: ISO 8601, UTC, millisecond precision, `Z`."""

    def now(self) -> str:
        """Return the present moment."""
        ...


class Ids(Protocol):
    """Source of random ids."""

    def new(self) -> str:
        """Draw a ULID."""
        ...


class Processes(Protocol):
    """The one door through which foreign programs run."""

    def run(self, request: ProcessRequest) -> ProcessOutcome:
        """Run to the end under the supervisor. The outcome slip is on disk before this returns."""
        ...

    def recover(self, slip_path: str) -> ProcessOutcome | None:
        """End whatever an earlier driver left running for this slip, then give the slip if there is one."""
        ...

    def was_started(self, slip_path: str) -> bool:
        """Check whether an earlier driver got as far as starting the program."""
        ...

    def held(self, slip_path: str) -> Level | None:
        """Return how a program that left no slip was confined, or None if it is not known."""
        ...

    def offer(self) -> SandboxOffer:
        """Return the levels of confinement that this machine offers."""
        ...

    def stop_all(self) -> None:
        """Stop every program now running. The blocked `run` calls return with `Ending.STOPPED`."""
        ...


class Blobs(Protocol):
    """Content-addressed bodies, durable before the record that names them."""

    def put(self, data: bytes) -> Digest:
        """Store the bytes and return their digest. Storing twice is storing once."""
        ...

    def get(self, digest: Digest) -> bytes:
        """Return the bytes, verified against the digest."""
        ...


class TreeEntry(NamedTuple):
    """One path of a tree. The mode is git's (`100644`, `100755`, `120000`, `160000`)."""

    path: str
    mode: str
    oid: str


class Repository(Protocol):
    """Trees, commits and checkouts, through the engine's own git directory."""

    def base(self, revision: str = "HEAD") -> Base:
        """Pin where a run starts from."""
        ...

    def checkout(self, name: str, commit: CommitId) -> str:
        """Make a fresh shared-object clone at `commit`, replacing one of that name, and return its path."""
        ...

    def checkout_path(self, name: str) -> str:
        """Return where `checkout` puts the clone of that name."""
        ...

    def drop_checkouts(self, prefix: str) -> None:
        """Remove the clones whose name begins with `prefix`."""
        ...

    def capture(self, folder: str, base: TreeId) -> Capture:
        """Write every file of `folder` as a tree. Ignore rules come from `base` alone."""
        ...

    def look_around(self, run_id: RunId, checkout: str, settled: tuple[str, ...]) -> Surroundings:
        """Fingerprint what an agent in `checkout` must not change. The `settled` places are out of use."""
        ...

    def commit(self, tree: TreeId, parents: tuple[CommitId, ...], message: str, when: str) -> CommitId:
        """Commit with the engine's identity at `when`, so that the same arguments lead to the same id."""
        ...

    def parent_of(self, commit: CommitId) -> CommitId:
        """Return the first parent of a commit."""
        ...

    def tree_of(self, commit: CommitId) -> TreeId:
        """Return the tree of a commit."""
        ...

    def is_ancestor(self, ancestor: CommitId, commit: CommitId) -> bool:
        """Check whether `ancestor` is `commit` or in its history, in the person's repository."""
        ...

    def entries(self, tree: TreeId) -> tuple[TreeEntry, ...]:
        """List every path of a tree, sorted."""
        ...

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Return a file's bytes as stored, or None if the tree has no such file."""
        ...

    def changes(self, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
        """List the paths that differ, sorted."""
        ...

    def diff(self, before: TreeId, after: TreeId) -> str:
        """Return the unified diff, made without colours, filters or external tools."""
        ...

    def patch(self, before: TreeId, after: TreeId) -> str:
        """Return a patch that `apply_patch` can apply, binary files included."""
        ...

    def merge(self, ours: CommitId, theirs: CommitId, message: str, when: str) -> Merge:
        """Merge in memory. No working tree and no ref is touched."""
        ...

    def merge_base(self, ours: CommitId, theirs: CommitId) -> CommitId:
        """Return the commit that both started from."""
        ...

    def overlay(self, base: TreeId, source: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Return `base` with these paths taken from `source`. A path that `source` lacks is removed."""
        ...

    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> AbstractContextManager[str]:
        """Write the tree into a throwaway folder, with copies of the folders `carry` of the person's tree."""
        ...

    def bundle(self, tree: TreeId) -> bytes:
        """Return a tree as a git bundle of one commit without history."""
        ...

    def apply_patch(self, folder: str, patch: bytes) -> str | None:
        """Apply a unified diff to a checkout and return None, or what git said if it does not apply."""
        ...

    def set_ref(self, name: str, new: CommitId | TreeId, expected: str | None) -> None:
        """Compare-and-swap a ref below `refs/signoff/`. If `expected` is None, it must not exist yet."""
        ...

    def ref(self, name: str) -> str | None:
        """Return what a ref below `refs/signoff/` points to in the engine's git directory."""
        ...

    def publish(self, name: str, commit: CommitId) -> str:
        """Make a commit reachable in the person's repository as `refs/signoff/<name>` and return that ref."""
        ...

    def published(self, name: str) -> CommitId | None:
        """Return the commit at `refs/signoff/<name>` in the person's repository, or None."""
        ...


class Workplace(Protocol):
    """The person's own folder, in which a host works: in a repository or not."""

    def pin(self) -> PinnedBase:
        """Return what a run starts from: in a repository, its last commit."""
        ...

    def look(self, base: TreeId, exchanged: str) -> Sight:
        """See how the files differ from `base`. The state file `exchanged` is no part of them."""
        ...

    def missing(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the paths that do not exist or lead out of the folder."""
        ...

    def paths(self, base: TreeId) -> frozenset[str]:
        """List the files of the base. Outside a repository, list those that exist."""
        ...

    def read(self, base: TreeId, path: str) -> bytes | None:
        """Return a file of the base. Outside a repository, return it as it is on disk."""
        ...

    def standing(self, tree: TreeId, carry: tuple[str, ...]) -> AbstractContextManager[str]:
        """Return a folder with the files of `tree` to run a check in (outside a repository, the project)."""
        ...


class Links(Protocol):
    """The state files that hosts exchange, and the runs behind them."""

    def hold(self, state_file: str) -> AbstractContextManager[object]:
        """Keep every other process from this state file. If one holds it already, that is a ConflictError."""
        ...

    def find(self, state_file: str) -> Link | None:
        """Return the run behind a state file, or None."""
        ...

    def of_run(self, run_id: RunId) -> Link | None:
        """Return the state file of a run, or None."""
        ...

    def keep(self, link: Link) -> None:
        """Remember the run behind a state file."""
        ...

    def load(self, state_file: str) -> bytes | None:
        """Return a state file's bytes, or None if there is no such file."""
        ...

    def save(self, state_file: str, data: bytes) -> None:
        """Write a state file as a whole or not at all."""
        ...


class JournalFile(Protocol):
    """One append-only, hash-chained event log, open for writing."""

    @property
    def head(self) -> tuple[int, str]:
        """Sequence number and sum of the last record, (-1, "") before the first."""
        ...

    def append(self, body: bytes, ts: str) -> JournalLine:
        """Append one JSON object that begins with its `event`, and make it durable before returning."""
        ...


class CheckSeen(NamedTuple):
    """A receipt and, for a test run, the report it was read from."""

    receipt: Receipt
    report: TestReport | None = None


class CheckRunner(Protocol):
    """Runs checks that need files or processes."""

    def run(self, order: CheckOrder) -> CheckSeen | None:
        """Run a check, or return None if the run was asked to stop meanwhile."""
        ...

    def offer(self) -> SandboxOffer:
        """Return the levels of confinement that this machine offers its programs."""
        ...

    def was_started(self, order: CheckOrder) -> bool:
        """Check whether an earlier driver got as far as starting a program for this check."""
        ...

    def recover(self, order: CheckOrder) -> CheckSeen | None:
        """Return what an earlier driver's run of this check left behind, if it had finished."""
        ...


class Agent(Protocol):
    """A backend that performs directives."""

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...

    @property
    def works_in_a_box(self) -> bool | None:
        """Whether its program is known to work confined, or None if it starts no program at all."""
        ...

    def dispatch(self, request: AgentRequest) -> AgentReply:
        """Perform the directive, to its end."""
        ...

    def recover(self, request: AgentRequest) -> AgentReply | None:
        """Return the reply an earlier driver's dispatch left behind, or None if it never started.

        A dispatch that had started and left nothing was stopped, and the caller calls it interrupted.
        """
        ...

    def was_started(self, request: AgentRequest) -> bool:
        """Check whether an earlier driver got as far as starting this dispatch."""
        ...


@runtime_checkable
class Followed(Protocol):
    """An agent whose activity can be read while it works. The others show how long they take, and no more."""

    def follow(self, request: AgentRequest) -> Callable[[], Iterator[Activity]]:
        """Return a function that yields what happened since its last call.

        It yields nothing before the dispatch begins.
        """
        ...


class RunFolder(Protocol):
    """Everything on disk that belongs to one run."""

    @property
    def run_id(self) -> RunId:
        """The id, which is the folder's name."""
        ...

    @property
    def blobs(self) -> Blobs:
        """Bodies named by digest."""
        ...

    def lines(self) -> Iterator[JournalLine]:
        """Stream the journal from its start, without the lock. A bad record is an error."""
        ...

    def writer(self) -> AbstractContextManager[JournalFile]:
        """Open the journal where it ends now. Needs the lock, and is closed before that is given back."""
        ...

    def mend(self) -> int:
        """Cut a torn last line off the journal, keep its bytes and return how many. Needs the lock."""
        ...

    def lock(self, wait_s: float = 0.0) -> AbstractContextManager[object]:
        """Hold the run's driver lock, or raise a ConflictError if it is still held after `wait_s`."""
        ...

    def is_locked(self) -> bool:
        """Check whether a driver holds the run now."""
        ...

    def drop(self, kind: str, body: bytes) -> None:
        """Leave something for the driver that holds the lock."""
        ...

    def inbox(self) -> tuple[InboxItem, ...]:
        """Return what was left, oldest first, without removing it."""
        ...

    def remove(self, item: InboxItem) -> None:
        """Remove an inbox item that is in the journal now."""
        ...

    def write(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Write a view or an artifact atomically. Its `name` may have one folder, such as `receipts/`."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return a file of the run, or None if it does not exist."""
        ...

    def size(self, name: str) -> int:
        """Return the size of a file of the run in bytes, 0 if it does not exist."""
        ...

    def log_path(self, key: str, suffix: str = "") -> str:
        """Return an absolute path below `logs/` that is safe and unique for this key."""
        ...

    def log_tail(self, key: str, suffix: str, most: int) -> bytes:
        """Return the last bytes of a log, empty if there is no such log."""
        ...

    def path(self, name: str) -> str:
        """Return the absolute path of a file of the run, for messages."""
        ...


class Documents(Protocol):
    """Specs and contracts that people curate, by kind (`specs`, `contracts`) and name."""

    def path(self, kind: str, name: str) -> str:
        """Return where a document is, or would be, for messages."""
        ...

    def read(self, kind: str, name: str) -> bytes | None:
        """Return a document's bytes, or None if it does not exist."""
        ...

    def create(self, kind: str, name: str, data: bytes) -> bool:
        """Write a new document, whole or not at all, and return False if one of that name exists."""
        ...


class RunStore(Protocol):
    """All runs of a repository."""

    def create(self, run_id: RunId) -> RunFolder:
        """Make the folder of a new run, hidden until `reveal`. The caller holds its lock."""
        ...

    def reveal(self, run_id: RunId) -> RunFolder:
        """Make a new run visible and release its lock. A run of the same id is a ConflictError."""
        ...

    def open(self, run_id: RunId) -> RunFolder:
        """Open a run by its id."""
        ...

    def list(self) -> tuple[RunId, ...]:
        """List the runs, sorted by id."""
        ...

    def moved_at(self, run_id: RunId) -> int:
        """Return when a run's journal last changed, in nanoseconds.

        The id of a replayed run names another time.
        """
        ...

    def cassette_path(self, run_id: RunId) -> str:
        """Return where the cassette of a run goes."""
        ...

    def keep_cassette(self, run_id: RunId, data: bytes) -> None:
        """Write the cassette of a run beside the others."""
        ...


class Memory(Protocol):
    """Curated memory of the repository."""

    def recall(self, ticket: Ticket, files: tuple[str, ...] = ()) -> Recollection:
        """Return at most twelve hits on the ticket or these files. What it reads never makes it raise."""
        ...


class Ledger(Protocol):
    """The records of agents that ran, of every run of a repository."""

    @property
    def is_on(self) -> bool:
        """Check whether anything is written. Reading works either way."""
        ...

    def catch_up(self, invocation: RunId, entries: tuple[LedgerEntry, ...]) -> int:
        """Append those of a run's records that are missing and were not pruned, and return how many."""
        ...

    def append(self, entry: LedgerEntry) -> None:
        """Append a record that is not there yet."""
        ...

    def lines(self) -> Iterator[LedgerLine]:
        """Stream every line there is, oldest file first."""
        ...

    def prune(self, before: str) -> Pruned:
        """Remove the records of dispatches that began before a day, and their logs."""
        ...
