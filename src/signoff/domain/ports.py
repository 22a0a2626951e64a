"""What the use cases need from outside, as Protocols. Pure; adapters implement them, wiring joins them."""

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
        """Give the present moment."""
        ...


class Ids(Protocol):
    """Source of random ids."""

    def new(self) -> str:
        """Draw a ULID."""
        ...


class Processes(Protocol):
    """The one door through which foreign programs run."""

    def run(self, request: ProcessRequest) -> ProcessOutcome:
        """Run to the end under the supervisor; the outcome slip is on disk before this returns."""
        ...

    def recover(self, slip_path: str) -> ProcessOutcome | None:
        """End whatever an earlier driver left running for this slip, then give the slip if there is one."""
        ...

    def was_started(self, slip_path: str) -> bool:
        """Say whether an earlier driver got as far as starting the program."""
        ...

    def held(self, slip_path: str) -> Level | None:
        """Say which confinement a program was started under that left no slip; None where nobody knows."""
        ...

    def offer(self) -> SandboxOffer:
        """Say which levels of confinement this machine gives."""
        ...

    def stop_all(self) -> None:
        """Stop every program now running; the blocked `run` calls return with `Ending.STOPPED`."""
        ...


class Blobs(Protocol):
    """Content-addressed bodies, durable before the record that names them."""

    def put(self, data: bytes) -> Digest:
        """Store and give the digest; storing twice is storing once."""
        ...

    def get(self, digest: Digest) -> bytes:
        """Give the bytes, verified against the digest."""
        ...


class TreeEntry(NamedTuple):
    """One path of a tree; mode is git's (`100644`, `100755`, `120000`, `160000`)."""

    path: str
    mode: str
    oid: str


class Repository(Protocol):
    """Trees, commits and checkouts, through the engine's own git directory."""

    def base(self, revision: str = "HEAD") -> Base:
        """Pin where a run starts from."""
        ...

    def checkout(self, name: str, commit: CommitId) -> str:
        """Make a fresh shared-object clone at `commit`, replacing one of that name; give its path."""
        ...

    def checkout_path(self, name: str) -> str:
        """Give where `checkout` puts the clone of that name."""
        ...

    def drop_checkouts(self, prefix: str) -> None:
        """Remove the clones whose name begins with `prefix`."""
        ...

    def capture(self, folder: str, base: TreeId) -> Capture:
        """Write every file of `folder` as a tree; ignore rules come from `base` alone."""
        ...

    def look_around(self, run_id: RunId, checkout: str, settled: tuple[str, ...]) -> Surroundings:
        """Fingerprint what an agent in `checkout` must not change; `settled` ones are out of use."""
        ...

    def commit(self, tree: TreeId, parents: tuple[CommitId, ...], message: str, when: str) -> CommitId:
        """Commit with the engine's identity at `when`; the same arguments give the same id."""
        ...

    def parent_of(self, commit: CommitId) -> CommitId:
        """Give the first parent of a commit."""
        ...

    def tree_of(self, commit: CommitId) -> TreeId:
        """Give the tree of a commit."""
        ...

    def is_ancestor(self, ancestor: CommitId, commit: CommitId) -> bool:
        """Say whether the person's repository has `ancestor` in the history of `commit`; each in its own."""
        ...

    def entries(self, tree: TreeId) -> tuple[TreeEntry, ...]:
        """List every path of a tree, sorted."""
        ...

    def read(self, tree: TreeId, path: str) -> bytes | None:
        """Give a file's bytes as stored, or None where the tree has no such file."""
        ...

    def changes(self, before: TreeId, after: TreeId) -> tuple[PathChange, ...]:
        """List the paths that differ, sorted."""
        ...

    def diff(self, before: TreeId, after: TreeId) -> str:
        """Give the unified diff, without colours, filters or external tools."""
        ...

    def patch(self, before: TreeId, after: TreeId) -> str:
        """Give a patch that `apply_patch` can apply, binary files included."""
        ...

    def merge(self, ours: CommitId, theirs: CommitId, message: str, when: str) -> Merge:
        """Merge in memory; no working tree and no ref is touched."""
        ...

    def merge_base(self, ours: CommitId, theirs: CommitId) -> CommitId:
        """Give the commit that both started from."""
        ...

    def overlay(self, base: TreeId, source: TreeId, paths: tuple[str, ...]) -> TreeId:
        """Give `base` with these paths taken from `source` (removed where `source` has none)."""
        ...

    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> AbstractContextManager[str]:
        """Lay the tree out in a throwaway folder, with copies of the carried folders of the person's tree."""
        ...

    def bundle(self, tree: TreeId) -> bytes:
        """Give a tree as a git bundle of one commit without history."""
        ...

    def apply_patch(self, folder: str, patch: bytes) -> str | None:
        """Apply a unified diff to a checkout; None when it applied, else what git said."""
        ...

    def set_ref(self, name: str, new: CommitId | TreeId, expected: str | None) -> None:
        """Compare-and-swap a ref below `refs/signoff/`; `expected` None means it must not exist yet."""
        ...

    def ref(self, name: str) -> str | None:
        """Give what a ref below `refs/signoff/` points to in the engine's git directory."""
        ...

    def publish(self, name: str, commit: CommitId) -> str:
        """Make a commit reachable in the person's repository as `refs/signoff/<name>`; give that ref."""
        ...

    def published(self, name: str) -> CommitId | None:
        """Give the commit at `refs/signoff/<name>` in the person's repository, or None."""
        ...


class Workplace(Protocol):
    """The person's own folder, in which a host works: in a repository or not."""

    def pin(self) -> PinnedBase:
        """Say what a run starts from; of a repository, its last commit."""
        ...

    def look(self, base: TreeId, exchanged: str) -> Sight:
        """See how the files differ from `base`; the state file `exchanged` is no part of them."""
        ...

    def missing(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Give those of the paths that are not there, or lead out of the folder."""
        ...

    def paths(self, base: TreeId) -> frozenset[str]:
        """List the files of the base; outside a repository, those that are there."""
        ...

    def read(self, base: TreeId, path: str) -> bytes | None:
        """Give a file of the base; outside a repository, as it is there."""
        ...

    def standing(self, tree: TreeId, carry: tuple[str, ...]) -> AbstractContextManager[str]:
        """Give a folder with the files of `tree` to run a check in; outside a repository, the folder."""
        ...


class Links(Protocol):
    """The state files that hosts exchange, and the runs behind them."""

    def hold(self, state_file: str) -> AbstractContextManager[object]:
        """Keep everybody else from this state file; somebody holding it already is a ConflictError."""
        ...

    def find(self, state_file: str) -> Link | None:
        """Give the run behind a state file, or None."""
        ...

    def of_run(self, run_id: RunId) -> Link | None:
        """Give the state file of a run, or None."""
        ...

    def keep(self, link: Link) -> None:
        """Remember the run behind a state file."""
        ...

    def load(self, state_file: str) -> bytes | None:
        """Give a state file's bytes, or None where there is none."""
        ...

    def save(self, state_file: str, data: bytes) -> None:
        """Write a state file as a whole or not at all."""
        ...


class JournalFile(Protocol):
    """One append-only, hash-chained event log, open for writing."""

    @property
    def head(self) -> tuple[int, str]:
        """Sequence number and sum of the last record; (-1, "") before the first."""
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
        """Run it; None when the run was asked to stop meanwhile."""
        ...

    def offer(self) -> SandboxOffer:
        """Say which levels of confinement this machine gives its programs."""
        ...

    def was_started(self, order: CheckOrder) -> bool:
        """Say whether an earlier driver got as far as starting a program for this check."""
        ...

    def recover(self, order: CheckOrder) -> CheckSeen | None:
        """Give what an earlier driver's run of this check left behind, if it had finished."""
        ...


class Agent(Protocol):
    """A backend that carries out directives."""

    @property
    def name(self) -> str:
        """The name it is registered under."""
        ...

    @property
    def works_in_a_box(self) -> bool | None:
        """Whether its program is known to work confined; None where it starts no program at all."""
        ...

    def dispatch(self, request: AgentRequest) -> AgentReply:
        """Carry the directive out, to its end."""
        ...

    def recover(self, request: AgentRequest) -> AgentReply | None:
        """Give the reply an earlier driver's dispatch left behind; None when it never started.

        A dispatch that had started and left nothing was stopped; the caller calls it interrupted.
        """
        ...

    def was_started(self, request: AgentRequest) -> bool:
        """Say whether an earlier driver got as far as starting this dispatch."""
        ...


@runtime_checkable
class Followed(Protocol):
    """An agent whose activity can be read while it works; the others show how long they take, and no more."""

    def follow(self, request: AgentRequest) -> Callable[[], Iterator[Activity]]:
        """Give a function that gives what happened since it was called last; nothing before it begins."""
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
        """Stream the journal, the truth, from its start; a bad record is an error. Needs no lock."""
        ...

    def writer(self) -> AbstractContextManager[JournalFile]:
        """Open the journal where it ends now. Needs the lock, and is closed before that is given back."""
        ...

    def mend(self) -> int:
        """Cut a torn last line off the journal and keep its bytes; give how many. Needs the lock."""
        ...

    def lock(self, wait_s: float = 0.0) -> AbstractContextManager[object]:
        """Hold the run's driver lock; somebody else still holding it after `wait_s` is a ConflictError."""
        ...

    def is_locked(self) -> bool:
        """Say whether a driver holds the run now."""
        ...

    def drop(self, kind: str, body: bytes) -> None:
        """Leave something for the driver that holds the lock."""
        ...

    def inbox(self) -> tuple[InboxItem, ...]:
        """Give what was left, oldest first, without removing it."""
        ...

    def remove(self, item: InboxItem) -> None:
        """Remove an inbox item that is in the journal now."""
        ...

    def write(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Write a view or an artifact atomically; `name` may have one folder, such as `receipts/`."""
        ...

    def read(self, name: str) -> bytes | None:
        """Give a file of the run, or None when it is not there."""
        ...

    def size(self, name: str) -> int:
        """Give the size of a file of the run in bytes; 0 when it is not there."""
        ...

    def log_path(self, key: str, suffix: str = "") -> str:
        """Give an absolute path below `logs/` that is safe and unique for this key."""
        ...

    def log_tail(self, key: str, suffix: str, most: int) -> bytes:
        """Give the last bytes of a log; none where there is no such log."""
        ...

    def path(self, name: str) -> str:
        """Give the absolute path of a file of the run, for messages."""
        ...


class Documents(Protocol):
    """Specs and contracts that people curate, by kind (`specs`, `contracts`) and name."""

    def path(self, kind: str, name: str) -> str:
        """Give where a document lies, or would, for messages."""
        ...

    def read(self, kind: str, name: str) -> bytes | None:
        """Give a document's bytes, or None where there is none."""
        ...

    def create(self, kind: str, name: str, data: bytes) -> bool:
        """Write a document that is not there yet, whole or not at all; False where one is."""
        ...


class RunStore(Protocol):
    """All runs of a repository."""

    def create(self, run_id: RunId) -> RunFolder:
        """Make the folder of a new run, out of sight until revealed; whoever makes it holds its lock."""
        ...

    def reveal(self, run_id: RunId) -> RunFolder:
        """Let a new run be seen and give its lock back; one of the same id is a ConflictError."""
        ...

    def open(self, run_id: RunId) -> RunFolder:
        """Open a run by its id."""
        ...

    def list(self) -> tuple[RunId, ...]:
        """List the runs, sorted by id."""
        ...

    def moved_at(self, run_id: RunId) -> int:
        """Give when a run's journal moved last, in nanoseconds; a replayed run's id tells another time."""
        ...

    def cassette_path(self, run_id: RunId) -> str:
        """Give where the cassette of a run goes."""
        ...

    def keep_cassette(self, run_id: RunId, data: bytes) -> None:
        """Write the cassette of a run beside the others."""
        ...


class Memory(Protocol):
    """Curated memory of the repository."""

    def recall(self, ticket: Ticket, files: tuple[str, ...] = ()) -> Recollection:
        """Give at most twelve hits that bear on the ticket or these files; never raises for what it reads."""
        ...


class Ledger(Protocol):
    """The records of agents that ran, of every run of a repository."""

    @property
    def is_on(self) -> bool:
        """Say whether anything is written; reading goes on either way."""
        ...

    def catch_up(self, invocation: RunId, entries: tuple[LedgerEntry, ...]) -> int:
        """Append those of a run's records that are missing and were not pruned; give how many."""
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
