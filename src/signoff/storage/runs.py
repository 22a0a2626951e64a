"""The folders of the runs: `.signoff/runs/<run-id>/`.

Keys and clause ids come from contracts, and contracts from agents, so a key never becomes a path as
it is: `safe_name` keeps what is harmless and escapes the rest.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from signoff.domain.base.errors import ConfigError, ConflictError
from signoff.domain.base.typed_ids import RunId
from signoff.host.files.durable_files import read_if_there, remove_tree, sync_folder, write_atomic
from signoff.host.files.locks import FileLock
from signoff.host.files.random_ids import is_ulid
from signoff.storage.blobs import BlobStore
from signoff.storage.inbox import Inbox
from signoff.storage.journal import Journal, read_journal, repair
from signoff.storage.state_folder import prepare
from signoff.text.digests import sha256_hex
from signoff.text.lazy_patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.ports import Clock, Ids, InboxItem, JournalLine

JOURNAL = "journal.jsonl"
_HARMLESS = pattern(r"[A-Za-z0-9+_][A-Za-z0-9+_-]*(?:/[A-Za-z0-9+_-]+)*")
_HARMFUL = pattern(r"[^A-Za-z0-9+_-]")
_LONGEST_NAME = 150
_NEW = ".new-"
_UNFINISHED = ".write-"
"""How `host.files.durable_files.write_atomic` begins the name of a file that is not whole yet."""
_ABANDONED_S = 3600.0
_CREATING_S = 10.0


def safe_name(key: str) -> str:
    """Return a file name that is unique for this key and safe whatever the key holds."""
    if _HARMLESS.fullmatch(key) and len(key) <= _LONGEST_NAME:
        return key.replace("/", ".")
    readable = _HARMFUL.sub("_", key)[:_LONGEST_NAME]
    return f"key-{readable}-{sha256_hex(key.encode('utf-8', 'surrogatepass'))[:12]}"


class Folder:
    """Everything on disk that belongs to one run."""

    def __init__(self, path: str, run_id: RunId, ids: Ids, clock: Clock) -> None:
        self._path = path
        self._run_id = run_id
        self._clock = clock
        self._inbox = Inbox(os.path.join(path, "inbox"), ids)
        self._blobs = BlobStore(os.path.join(path, "blobs"))

    @property
    def run_id(self) -> RunId:
        """The id, which is the folder's name."""
        return self._run_id

    @property
    def blobs(self) -> BlobStore:
        """Bodies named by digest."""
        return self._blobs

    def lines(self) -> Iterator[JournalLine]:
        """Stream the journal from its start. A bad record is an error. Needs no lock."""
        return read_journal(self.path(JOURNAL))

    def writer(self) -> Journal:
        """Open the journal where it ends now. Needs the lock, and must be closed before that is released."""
        return Journal.open(self.path(JOURNAL))

    def mend(self) -> int:
        """Clear up after a killed driver, and return how many bytes of a torn last line were cut off.

        The bytes are kept beside the journal. Needs the lock.
        """
        self._sweep()
        try:
            self.writer().close()
        except ConfigError as error:
            if error.slug != "journal-torn":
                raise
            return repair(self.path(JOURNAL)).cut
        return 0

    def _sweep(self) -> None:
        """Remove files that were never finished. A fresh one may belong to a writer that needs no lock."""
        for parent in (
            self._path,
            *(each.path for each in os.scandir(self._path) if each.is_dir(follow_symlinks=False)),
        ):
            for entry in os.scandir(parent):
                if entry.name.startswith(_UNFINISHED) and _is_abandoned(entry):
                    remove_tree(entry.path)

    def lock(self, wait_s: float = 0.0) -> FileLock:
        """Return the run's driver lock. Entering it raises ConflictError if it is held after `wait_s`."""
        return FileLock(
            self.path("lock"),
            what=f"run {self._run_id}",
            slug="run-locked",
            fix=f"wait for it, or `signoff runs stop {self._run_id}`",
            wait_s=wait_s,
            clock=self._clock,
        )

    def is_locked(self) -> bool:
        """Check whether a driver holds the run now."""
        return self.lock().is_taken()

    def drop(self, kind: str, body: bytes) -> None:
        """Leave a message for the driver that holds the lock."""
        self._inbox.drop(kind, body)

    def inbox(self) -> tuple[InboxItem, ...]:
        """Return the messages, oldest first, without removing them."""
        return tuple(self._inbox.take())

    def remove(self, item: InboxItem) -> None:
        """Remove an inbox item that is in the journal now."""
        self._inbox.done(item)

    def write(self, name: str, data: bytes, *, durable: bool = True) -> None:
        """Write a view or an artifact atomically. A view that is written again anyway need not be durable."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_atomic(path, data, durable=durable)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file of the run, or None if it does not exist."""
        return read_if_there(self.path(name))

    def size(self, name: str) -> int:
        """Return the size of a file of the run in bytes, or 0 if it does not exist."""
        try:
            return os.stat(self.path(name)).st_size
        except FileNotFoundError:
            return 0

    def log_path(self, key: str, suffix: str = "") -> str:
        """Return an absolute path below `logs/` that is safe and unique for this key."""
        folder = self.path("logs")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return os.path.join(folder, safe_name(key) + suffix)

    def log_tail(self, key: str, suffix: str, most: int) -> bytes:
        """Return the last bytes of a log, or b"" if it does not exist."""
        try:
            with open(self.log_path(key, suffix), "rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - most))
                return file.read(most)
        except FileNotFoundError:
            return b""

    def path(self, name: str) -> str:
        """Return the absolute path of a file of the run. In `folder/key.json` the key is made safe here."""
        folder, slash, rest = name.partition("/")
        inside = os.path.join(folder, safe_name(rest.removesuffix(".json")) + ".json") if slash else name
        return os.path.join(self._path, inside)


class Store:
    """All runs of a repository, below its `.signoff/`."""

    def __init__(self, state_dir: str, ids: Ids, clock: Clock) -> None:
        self._home = state_dir
        self._runs = os.path.join(state_dir, "runs")
        self._ids = ids
        self._clock = clock
        self._making: dict[RunId, FileLock] = {}

    def create(self, run_id: RunId) -> Folder:
        """Make the folder of a new run, out of sight until `reveal`, and hold its lock until then.

        A run is seen with its first two records or not at all: a crash in between leaves a folder that is
        never listed, not a run that cannot be resumed. Its lock is free then, and the next process that makes
        a run removes it.
        """
        prepare(self._home)
        os.makedirs(self._runs, mode=0o700, exist_ok=True)
        folder = Folder(self._hidden(run_id), run_id, self._ids, self._clock)
        with self._creating():  # so that no process sweeps a folder that is not locked yet
            self._sweep()
            self._make(folder)
        Journal.create(folder.path(JOURNAL)).close()
        return folder

    def _make(self, folder: Folder) -> None:
        hidden = self._hidden(folder.run_id)
        try:
            os.mkdir(hidden, mode=0o700)
        except FileExistsError:
            raise _taken(folder.run_id, "is being made by another process") from None
        if os.path.lexists(os.path.join(self._runs, folder.run_id)):  # revealed since the caller looked
            os.rmdir(hidden)
            raise _taken(folder.run_id, "exists already")
        lock = folder.lock()
        lock.acquire()
        self._making[folder.run_id] = lock

    def _creating(self) -> FileLock:
        return FileLock(
            os.path.join(self._runs, ".creating"),
            what="the folder of the runs",
            wait_s=_CREATING_S,
            clock=self._clock,
        )

    def _sweep(self) -> None:
        """Remove folders of runs that were never revealed and whose maker is gone."""
        for entry in os.scandir(self._runs):
            if entry.name.startswith(_NEW):
                with contextlib.suppress(FileNotFoundError):  # revealed since it was listed
                    if not FileLock(os.path.join(entry.path, "lock"), clock=self._clock).is_taken():
                        remove_tree(entry.path)
            elif entry.name.startswith(_UNFINISHED) and _is_abandoned(entry):
                remove_tree(entry.path)

    def reveal(self, run_id: RunId) -> Folder:
        """Make a new run visible and release its lock. Raise a ConflictError if the id is taken."""
        try:
            return self._reveal(run_id)
        finally:
            if (lock := self._making.pop(run_id, None)) is not None:
                lock.release()

    def _reveal(self, run_id: RunId) -> Folder:
        try:
            os.rename(self._hidden(run_id), os.path.join(self._runs, run_id))
        except OSError as error:
            raise _taken(run_id, "exists already", str(error.strerror)) from None
        sync_folder(self._runs)
        return self._folder(run_id)

    def _hidden(self, run_id: RunId) -> str:
        return os.path.join(self._runs, _NEW + run_id)

    def open(self, run_id: RunId) -> Folder:
        """Open a run by its id or by an unambiguous beginning of it."""
        matches = [known for known in self.list() if known.startswith(run_id.upper())] if run_id else []
        if len(matches) == 1:
            return self._folder(matches[0])
        known = ", ".join(self.list()[-5:]) or "none"
        what = (
            f"there is no run {run_id!r}"
            if not matches
            else f"{run_id!r} is the beginning of {len(matches)} runs"
        )
        raise ConfigError(what, slug="run-unknown", why=f"runs here: {known}", fix="signoff runs")

    def list(self) -> tuple[RunId, ...]:
        """List the runs, sorted by id."""
        try:
            names = os.listdir(self._runs)
        except FileNotFoundError:
            return ()
        return tuple(RunId(name) for name in sorted(names) if is_ulid(name))

    def moved_at(self, run_id: RunId) -> int:
        """Return when a run's journal last changed, in nanoseconds. A replayed run's id has another time."""
        try:
            return os.stat(os.path.join(self._runs, run_id, JOURNAL)).st_mtime_ns
        except OSError:
            return 0

    def cassette_path(self, run_id: RunId) -> str:
        """Return the path of the cassette of a run, whether or not it exists."""
        return os.path.join(self._home, "cassettes", f"{run_id}.json")

    def keep_cassette(self, run_id: RunId, data: bytes) -> None:
        """Write the cassette of a run beside the others."""
        path = self.cassette_path(run_id)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_atomic(path, data)

    def _folder(self, run_id: RunId) -> Folder:
        return Folder(os.path.join(self._runs, run_id), run_id, self._ids, self._clock)


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    """Check whether this file is too old to be still written. A file that is gone needs no removal."""
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED_S
    except FileNotFoundError:
        return False


def _taken(run_id: RunId, how: str, why: str = "") -> ConflictError:
    return ConflictError(f"run {run_id} {how}", slug="run-exists", why=why, fix=f"signoff runs show {run_id}")
