"""The ledger on disk: `.signoff/agent-runs.jsonl`, older files and side logs in `.signoff/agent-runs/`.

One record is one line, appended with a single write. A writer holds the lock of the folder of older files. A
reader holds it only while files are opened, and reads what was there then. Nothing is synced: records lost in
a crash of the machine are still in the journals, and are appended again when their run is resumed or the
ledger is rebuilt.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from signoff.domain.base.errors import ConfigError
from signoff.domain.port_records import LedgerLine, Pruned
from signoff.engine.journal_format import cut_lines
from signoff.host.files.durable_files import append_line, remove_tree, write_atomic
from signoff.host.files.locks import folder_lock
from signoff.ledger.ledger_lines import is_before, read_record
from signoff.storage.state_folder import prepare
from signoff.text.lazy_patterns import pattern
from signoff.text.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.base.typed_ids import RunId
    from signoff.domain.port_records import LedgerEntry
    from signoff.domain.ports import Clock

NAME = "agent-runs.jsonl"
FOLDER = "agent-runs"
PRUNED = "pruned"
"""Ids of pruned records, one per line, so that they are not taken for missing."""
ROTATE_ABOVE = 5_000_000
"""Bytes."""
_LOG_BYTES = 20_000
_BLOCK = 1 << 20
_WHAT = "the ledger"
_OLDER = pattern(r"(\d{4}-\d\d-\d\d)(?:\.(\d+))?\.jsonl")


class LedgerFile:
    """The ledger of one repository."""

    def __init__(
        self, state_dir: str, clock: Clock, *, is_on: bool = True, rotate_above: int = ROTATE_ABOVE
    ) -> None:
        self._home = state_dir
        self._path = os.path.join(state_dir, NAME)
        self._folder = os.path.join(state_dir, FOLDER)
        self._clock = clock
        self._is_on = is_on
        self._rotate_above = rotate_above

    @property
    def is_on(self) -> bool:
        """Return whether anything is written. Reading works either way."""
        return self._is_on

    def catch_up(self, invocation: RunId, entries: tuple[LedgerEntry, ...]) -> int:
        """Append those of a run's records that are missing and were not pruned, and return how many."""
        if not self._is_on or not entries:
            return 0
        try:
            self._prepare()
            with folder_lock(self._folder, what=_WHAT):
                known = self._known(invocation)
                missing = [entry for entry in entries if entry.run_id not in known]
                for entry in missing:
                    self._write(entry)
        except OSError as error:
            raise self._unwritable(error) from None
        return len(missing)

    def append(self, entry: LedgerEntry) -> None:
        """Append a record that is not there yet."""
        if not self._is_on:
            return
        try:
            self._prepare()
            with folder_lock(self._folder, what=_WHAT):
                self._write(entry)
        except OSError as error:
            raise self._unwritable(error) from None

    def lines(self) -> Iterator[LedgerLine]:
        """Yield every line, oldest file first."""
        for name, handle, size in self._opened():
            with os.fdopen(handle, "rb", buffering=0) as file:
                for number, (raw, _) in enumerate(cut_lines(_blocks(file.fileno(), size)), start=1):
                    if raw.strip():
                        yield LedgerLine(name, number, raw)

    def prune(self, before: str) -> Pruned:
        """Remove the records of dispatches that began before a day, and their logs."""
        if not os.path.isdir(self._folder):
            return Pruned(0, 0, sum(1 for _ in self.lines()))
        gone: list[str] = []
        unreadable: list[str] = []
        kept = 0
        try:
            with folder_lock(self._folder, what=_WHAT):
                for name in self._names():
                    kept += self._prune_file(name, before, gone, unreadable)
                logs = {f"{run_id}.log" for run_id in gone} & set(os.listdir(self._folder))
                for name in logs:
                    remove_tree(os.path.join(self._folder, name))
        except OSError as error:
            raise self._unwritable(error) from None
        return Pruned(len(gone), len(logs), kept, tuple(unreadable))

    # --- writing; needs the lock ---

    def _prepare(self) -> None:
        prepare(self._home)
        os.makedirs(self._folder, mode=0o700, exist_ok=True)

    def _write(self, entry: LedgerEntry) -> None:
        self._rotate()
        if entry.log:
            self._write_log(entry)
        append_line(self._path, entry.line, mode=0o600, durable=False)

    def _rotate(self) -> None:
        """Move a file that is large enough aside under today's date."""
        if NAME not in self._names() or os.stat(self._path).st_size <= self._rotate_above:
            return
        today, number = self._clock.now()[:10], 1
        target = os.path.join(self._folder, f"{today}.jsonl")
        while os.path.lexists(target):
            number += 1
            target = os.path.join(self._folder, f"{today}.{number}.jsonl")
        os.rename(self._path, target)

    def _write_log(self, entry: LedgerEntry) -> None:
        """Write the end of the program's standard error to a side log, never into the ledger itself."""
        stderr = _tail(entry.stderr_path)
        body = entry.log.encode() + (b"\nthe end of its standard error:\n" + stderr if stderr else b"")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(os.path.join(self._folder, f"{entry.run_id}.log"), flags, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(body)

    def _prune_file(self, name: str, before: str, gone: list[str], unreadable: list[str]) -> int:
        """Rewrite one file without its old records, whose ids are noted before they go."""
        path = os.path.join(self._home, name)
        staying: list[bytes] = []
        leaving: list[str] = []
        for number, raw in enumerate(_read(path).split(b"\n"), start=1):
            if not raw.strip():
                continue
            found = read_record(raw)
            if isinstance(found, str):
                unreadable.append(f"{name}:{number}: {found}")
            if isinstance(found, str) or not is_before(found, before):
                staying.append(raw + b"\n")
            else:
                leaving.append(found.run_id)
        if leaving:
            ids = "".join(f"{run_id}\n" for run_id in leaving).encode()
            append_line(os.path.join(self._folder, PRUNED), ids, mode=0o600)
            if staying or name == NAME:
                write_atomic(path, b"".join(staying))
            else:
                os.unlink(path)
        gone += leaving
        return len(staying)

    # --- reading ---

    def _known(self, invocation: RunId) -> set[str]:
        """Return the ids of a run's records that are present or were pruned."""
        needle = f'"skill_invocation_id":"{invocation}"'.encode()
        known: set[str] = set()
        for name in self._names():
            data = _read(os.path.join(self._home, name))
            if needle in data:
                found = (read_record(raw) for raw in data.split(b"\n") if needle in raw)
                known.update(record.run_id for record in found if not isinstance(record, str))
        with contextlib.suppress(FileNotFoundError):
            known.update(_read(os.path.join(self._folder, PRUNED)).decode("ascii", "replace").split())
        return known

    def _opened(self) -> list[tuple[str, int, int]]:
        """Open every file as it is now: what is moved meanwhile is neither missed nor read twice."""
        try:
            if not os.path.isdir(self._folder):
                return self._open_all()
            with folder_lock(self._folder, what=_WHAT):
                return self._open_all()
        except OSError as error:
            raise ConfigError(
                "the ledger cannot be read",
                slug="ledger-unreadable",
                why=f"{self._path}: {error.strerror}",
                fix="correct that, or write a new one from the journals with `signoff agents rebuild`",
            ) from None

    def _open_all(self) -> list[tuple[str, int, int]]:
        opened = []
        for name in self._names():
            handle = os.open(os.path.join(self._home, name), os.O_RDONLY | os.O_CLOEXEC)
            opened.append((name, handle, _size(handle)))
        return opened

    def _names(self) -> list[str]:
        """Return the files, the one being written last. Anything but a regular file is an error."""
        try:
            older = [found for name in os.listdir(self._folder) if (found := _OLDER.fullmatch(name))]
        except FileNotFoundError:
            older = []
        older.sort(key=lambda found: (found[1], int(found[2] or 1)))
        names = [f"{FOLDER}/{found[0]}" for found in older]
        if os.path.lexists(self._path):
            names.append(NAME)
        for name in names:
            # A link would lead elsewhere, and opening a pipe would block.
            if not stat.S_ISREG(os.lstat(os.path.join(self._home, name)).st_mode):
                raise OSError(None, f"{name} is not a regular file")
        return names

    def _unwritable(self, error: OSError) -> ConfigError:
        return ConfigError(
            "the ledger cannot be written",
            slug="ledger-unwritable",
            why=f"{self._path}: {error.strerror}",
            fix="correct that, or work without a ledger: SIGNOFF_TELEMETRY=off",
        )


def _tail(path: str) -> bytes:
    """Return the end of a kept output, with anything that looks like a secret replaced."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, _size(file.fileno()) - 2 * _LOG_BYTES))  # half a secret is not recognised
            data = redact(file.read())
    except OSError:
        return b""
    return data[-_LOG_BYTES:]


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _blocks(handle: int, size: int) -> Iterator[bytes]:
    """Read up to the size that the file had when it was opened."""
    while size > 0 and (data := os.read(handle, min(_BLOCK, size))):
        size -= len(data)
        yield data


def _size(handle: int) -> int:
    return os.fstat(handle).st_size
