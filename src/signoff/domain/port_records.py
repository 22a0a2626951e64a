"""Small records that adapters hand over in every cycle of a hosted run. Pure.

Apart from the Protocols in `domain.ports`, which only type checkers need: a host waits for every import.
"""

import msgspec

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, RunId, TreeId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.domain.machine.trees import CaptureProblem, PathChange


class PinnedBase(msgspec.Struct, frozen=True):
    """What a hosted run starts from. Commit and tree are empty if there is nothing to compare with."""

    commit: CommitId
    tree: TreeId
    signoff_toml: bytes | None
    pyproject: bytes | None


class Sight(msgspec.Struct, frozen=True):
    """The person's files as they are on disk. Outside a repository there is no tree."""

    tree: TreeId | None
    changes: "tuple[PathChange, ...]" = ()
    problems: "tuple[CaptureProblem, ...]" = ()


class Link(Record, frozen=True, kw_only=True):
    """Which run a state file belongs to."""

    run_id: RunId
    state_file: str


class InboxItem(msgspec.Struct, frozen=True):
    """Something dropped for the driver of a run: its file name, what kind it is, and its bytes."""

    name: str
    kind: str
    body: bytes


class JournalLine(msgspec.Struct, frozen=True):
    """A journal record as stored: its envelope and the whole line's bytes without the newline."""

    seq: int
    ts: str
    event: str
    prev: str
    sum: str
    raw: bytes


class LedgerLine(msgspec.Struct, frozen=True):
    """A line of the ledger, without its newline, and where it stands."""

    file: str
    """The name below `.signoff/`."""
    number: int
    raw: bytes


class LedgerEntry(msgspec.Struct, frozen=True):
    """A record on its way into the ledger."""

    run_id: str
    line: bytes
    """With its newline."""
    log: str = ""
    """What its log begins with. Empty for a dispatch that succeeded, which leaves no log."""
    stderr_path: str = ""
    """Where its program's standard error was kept, if it had any."""


class Pruned(msgspec.Struct, frozen=True):
    """What was taken out of the ledger."""

    records: int
    logs: int
    kept: int
    unreadable: tuple[str, ...] = ()
    """Lines without a readable date, which stay."""
