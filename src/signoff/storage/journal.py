"""The append-only, hash-chained log of a run: one write per record, durable before the engine acts on it.

The one writer holds the run's lock (`host.files.locks`). Readers (`read_journal`) need no lock. `append` is
one `write` on an O_APPEND descriptor: atomic against other writers, but not against a crash, so the last line
may be torn. `open` raises then, and `repair` cuts the line off and keeps its bytes. A record that cannot be
read is an error, never skipped. The format of a line is in `engine.journal_format`, the check of a whole file
in `judges.journal.journal_check`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from signoff.domain.base.errors import ConfigError, ConflictError, InfrastructureError
from signoff.domain.port_records import JournalLine
from signoff.engine.journal_format import (
    MAX_LINE,
    NO_SUM,
    BadLine,
    UnreadableLine,
    build_line,
    computed_sum,
    cut_lines,
    decode_line,
    fast_decoder,
    is_timestamp,
    stored_sum,
)
from signoff.host.files.durable_files import sync_folder, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

_BLOCK = 1 << 20
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_SETTLE_S = 0.01
"""How long a reader waits for the rest of a line, which may be in writing, before it calls the line torn."""


class Journal:
    """One event log, open for appending. Confine it to one thread."""

    def __init__(self, path: str, handle: int, last: JournalLine | None, *, durable: bool = True) -> None:
        self._path = path
        self._handle = handle
        self._last = last
        self._durable = durable
        self._size = os.fstat(handle).st_size
        self._unsure = False

    @classmethod
    def create(cls, path: str, *, durable: bool = True) -> Self:
        """Begin an empty log. `durable=False` is for tests and benchmarks only."""
        try:
            handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            raise ConflictError(
                f"there is a journal at {path} already",
                slug="journal-exists",
                fix="resume that run, or start another",
            ) from None
        if durable:
            sync_folder(os.path.dirname(path) or ".")
        return cls(path, handle, None, durable=durable)

    @classmethod
    def open(cls, path: str, *, durable: bool = True) -> Self:
        """Open a log where it ends. Only its last line is read and verified."""
        handle = _open(path, os.O_RDWR | os.O_APPEND)
        try:
            return cls(path, handle, _last_line(path, handle), durable=durable)
        except BaseException:
            os.close(handle)
            raise

    @property
    def head(self) -> tuple[int, str]:
        """Sequence number and sum of the last record, (-1, "") before the first."""
        return (self._last.seq, self._last.sum) if self._last else (-1, "")

    def append(self, body: bytes, ts: str) -> JournalLine:
        """Append one JSON object that begins with its `event`. It is on disk when this returns.

        When it raises, the log is as it was before.
        """
        self._refuse_if_changed()
        seq, prev = self.head[0] + 1, self.head[1] or NO_SUM
        line, event, total = build_line(body, seq=seq, ts=ts, prev=prev)
        self._write(line)
        self._size += len(line)
        self._last = JournalLine(seq, ts, event, prev, total, line[:-1])
        return self._last

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse_if_changed(self) -> None:
        """Raise if another process wrote or replaced the file, before the chain forks."""
        if self._unsure:
            raise InfrastructureError(
                f"an earlier write to {self._path} failed and could not be taken back",
                slug="journal-write-failed",
                fix=f"check the disk, run `signoff journal check {self._path}`, then resume the run",
            )
        status = os.fstat(self._handle)
        if status.st_size != self._size or status.st_nlink == 0:
            raise ConflictError(
                f"{self._path} changed while this run was writing it",
                slug="journal-changed",
                why=f"it has {status.st_size} bytes instead of {self._size}, or was removed",
                fix=f"signoff journal check {self._path}",
            )

    def _write(self, line: bytes) -> None:
        try:
            written = os.write(self._handle, line)
            if written < len(line):
                raise OSError(errno.ENOSPC, f"only {written} of {len(line)} bytes were written")
            if self._durable:
                _sync(self._handle)
        except OSError as error:
            self._take_back()
            raise InfrastructureError(
                f"a record could not be written to {self._path}",
                slug="disk-full" if error.errno in _FULL else "journal-write-failed",
                why=str(error.strerror),
                fix="make room on that disk, then resume the run",
            ) from error

    def _take_back(self) -> None:
        """Cut off a record that was only partly written. If that fails too, refuse all further appends."""
        try:
            os.ftruncate(self._handle, self._size)
            _sync(self._handle)
        except OSError:
            self._unsure = True


def read_journal(path: str) -> Iterator[JournalLine]:
    """Stream every record of a log in constant memory, each verified against the one before."""
    handle = _open(path, os.O_RDONLY)
    try:
        follow = _Follower()
        for number, (raw, whole) in enumerate(cut_lines(_settled(handle)), 1):
            if not whole and len(raw) <= MAX_LINE:
                raise _torn(path)
            try:
                yield follow.read(raw)
            except (BadLine, _ChangedError) as bad:
                raise _unreadable(path, f"line {number}: {bad}") from None
    finally:
        os.close(handle)


class Repair(NamedTuple):
    """What `repair` did, which is nothing if `cut` is 0."""

    cut: int
    """Bytes taken off the end."""
    kept: str
    """The file that holds them, or "" if nothing was cut."""
    record: JournalLine | None
    """The `tail_repaired` record. None if nothing was cut, or after a `run_end`, which stays the last one."""


def repair(path: str, *, durable: bool = True) -> Repair:
    """Cut off a torn last line, keep its bytes beside the log, and record that at the time of the last one.

    Not at the present time: a replayed run has a clock of its own, and the present would be ahead of all
    that follows. The caller holds the run's lock, because the last line of a log that is being written only
    looks torn. Refuses a log in which anything but the last line is bad: no crash causes that, so no repair
    is safe.
    """
    handle = _open(path, os.O_RDWR | os.O_APPEND)
    try:
        last, end = _sound_part(path, handle)
        os.lseek(handle, end, os.SEEK_SET)
        torn = b"".join(_blocks(handle))
        if not torn:
            return Repair(0, "", None)
        if last is None:
            raise ConfigError(
                f"no whole record is left in {path}",
                slug="journal-empty",
                fix="start that run again in a new log",
            )
        kept = _keep(path, last.seq + 1, torn)
        os.ftruncate(handle, end)
        _sync(handle)
        if last.event == "run_end":
            return Repair(len(torn), kept, None)
        body = {"event": "tail_repaired", "bytes": len(torn), "kept": os.path.basename(kept)}
        journal = Journal(path, handle, last, durable=durable)
        return Repair(len(torn), kept, journal.append(msgspec.json.encode(body), last.ts))
    finally:
        os.close(handle)


class _Follower:
    """Reads record after record and checks each against the one before it."""

    def __init__(self) -> None:
        self._decode = fast_decoder()
        self._seq = 0
        self._sum = NO_SUM

    def read(self, raw: bytes) -> JournalLine:
        if len(raw) > MAX_LINE:
            raise _ChangedError(f"longer than {MAX_LINE} bytes")
        line = _verified(raw, self._decode(raw))
        if line.seq != self._seq or line.prev != self._sum:
            raise _ChangedError(f"record {line.seq} does not follow the one before it")
        self._seq, self._sum = line.seq + 1, line.sum
        return line


class _ChangedError(Exception):
    """A line that can be read but is not the record that belongs there, which no crash can cause."""


def _verified(raw: bytes, record: dict[str, object]) -> JournalLine:
    """Return the line as a record, after computing its sum again."""
    seq, ts, event, prev, total = (record.get(key) for key in ("seq", "ts", "event", "prev", "sum"))
    if total is None or total != computed_sum(raw):
        raise _ChangedError("the line was changed after it was written")
    if type(seq) is not int or not isinstance(event, str) or not isinstance(prev, str):
        raise _ChangedError("seq, event or prev is missing")
    if not isinstance(ts, str) or not is_timestamp(ts):
        raise _ChangedError("ts is missing or no ISO 8601 UTC time")
    return JournalLine(seq, ts, event, prev, str(total), raw)


def _last_line(path: str, handle: int) -> JournalLine | None:
    """Read and verify the last line alone. Return None for an empty log."""
    tail = _tail(handle)
    if tail and not tail.endswith(b"\n"):
        time.sleep(_SETTLE_S)
        tail = _tail(handle)
    if not tail:
        return None
    if not tail.endswith(b"\n"):
        raise _torn(path)
    raw = tail[:-1].rpartition(b"\n")[2]
    if len(raw) > MAX_LINE:
        raise _unreadable(path, f"the last line is longer than {MAX_LINE} bytes")
    try:
        return _verified(raw, decode_line(raw))
    except (BadLine, _ChangedError) as bad:
        raise (_torn(path) if _is_torn(raw, bad) else _unreadable(path, f"the last line: {bad}")) from None


def _tail(handle: int) -> bytes:
    """Return enough of the end to hold the longest line, both its newlines, and one byte too many."""
    start = max(0, os.fstat(handle).st_size - MAX_LINE - 3)
    return os.pread(handle, MAX_LINE + _BLOCK, start)


def _sound_part(path: str, handle: int) -> tuple[JournalLine | None, int]:
    """Return the last good record and the offset behind it. Raise if a bad line is not a torn last one."""
    follow = _Follower()
    last: JournalLine | None = None
    end, torn_at = 0, 0
    for number, (raw, whole) in enumerate(cut_lines(_blocks(handle)), 1):
        if torn_at:
            raise _damaged(path, f"line {torn_at} is unreadable and not the last")
        if not whole and len(raw) <= MAX_LINE:
            break  # nothing can come behind what no newline ends
        try:
            last = follow.read(raw)
            end += len(raw) + 1
        except (BadLine, _ChangedError) as bad:
            if not _is_torn(raw, bad):
                raise _damaged(path, f"line {number}: {bad}") from None
            torn_at = number
    return last, end


def _is_torn(raw: bytes, bad: Exception) -> bool:
    """Check whether a closed line looks like a crash: it is not JSON, and its sum does not match.

    A line that is JSON was written as a whole, and cutting it off would hide a change.
    """
    if not isinstance(bad, BadLine) or bad.kind in (UnreadableLine.DUPLICATE_KEY, UnreadableLine.NOT_OBJECT):
        return False
    total = computed_sum(raw)
    return total is None or total != stored_sum(raw)


def _keep(path: str, seq: int, torn: bytes) -> str:
    """Write the torn bytes beside the log under a new name, and return its path."""
    kept, again = f"{path}.torn-{seq}", 1
    while os.path.lexists(kept):
        again += 1
        kept = f"{path}.torn-{seq}-{again}"
    write_atomic(kept, torn)
    return kept


def _open(path: str, flags: int) -> int:
    try:
        return os.open(path, flags | os.O_CLOEXEC)
    except FileNotFoundError:
        raise ConfigError(
            f"there is no journal at {path}", slug="journal-missing", fix="signoff runs"
        ) from None
    except PermissionError as error:
        raise _unreadable(path, str(error.strerror)) from None


def _blocks(handle: int) -> Iterator[bytes]:
    while block := os.read(handle, _BLOCK):
        yield block


def _settled(handle: int) -> Iterator[bytes]:
    """Yield blocks. If they stop inside a line, look again, because its writer may not be done with it."""
    grew = True
    while grew:
        grew, ends_line = False, True
        for block in _blocks(handle):
            grew, ends_line = True, block.endswith(b"\n")
            yield block
        if ends_line:
            return
        time.sleep(_SETTLE_S)


def _sync(handle: int) -> None:
    if sys.platform == "darwin":
        # fsync(2) on macOS leaves the data in the drive's cache; only F_FULLFSYNC asks the drive itself.
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(handle)


def _torn(path: str) -> ConfigError:
    return ConfigError(
        f"the last line of {path} is torn",
        slug="journal-torn",
        why="its writer was stopped half-way, so the engine never acted on that record",
        fix=f"signoff journal repair {path}",
    )


def _unreadable(path: str, why: str) -> ConfigError:
    return ConfigError(
        f"{path} cannot be read", slug="journal-unreadable", why=why, fix=f"signoff journal check {path}"
    )


def _damaged(path: str, why: str) -> ConfigError:
    return ConfigError(
        f"{path} is damaged in a way that repair must not touch",
        slug="journal-damaged",
        why=why,
        fix=f"`signoff journal check {path}` names every line; restore it from a copy",
    )
