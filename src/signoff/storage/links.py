"""The run behind each state file: `.signoff/links/`, and the state files themselves.

A state file is found by its real path, so that a link to it, or another way to write its name, leads to the
same run. One lock per file keeps two hosts from working on one state.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import msgspec

from signoff.domain.base.errors import ConfigError, UsageError
from signoff.domain.port_records import Link
from signoff.host.files.durable_files import read_if_there, write_atomic
from signoff.host.files.locks import FileLock
from signoff.storage.state_folder import prepare
from signoff.text.digests import sha256_hex

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import RunId
    from signoff.domain.ports import Clock

_LARGEST = 64_000_000


class LinkStore:
    """The links of one repository."""

    def __init__(self, state_dir: str, clock: Clock) -> None:
        self._home = state_dir
        self._folder = os.path.join(state_dir, "links")
        self._clock = clock

    def hold(self, state_file: str) -> FileLock:
        """Return the lock that keeps every other process from this state file."""
        if not os.path.isdir(os.path.dirname(os.path.realpath(state_file))):
            raise UsageError(
                f"{state_file} cannot be written",
                slug="file-unwritable",
                why="there is no such folder",
                fix="make the folder, or give another --state-file",
            )
        prepare(self._home)
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        return FileLock(
            self._place(state_file, ".lock"),
            what=f"the state file {state_file}",
            slug="state-locked",
            fix="wait for the other `signoff work`, then call again",
            clock=self._clock,
        )

    def find(self, state_file: str) -> Link | None:
        """Return the run behind a state file, or None."""
        return self._read(self._place(state_file, ".json"))

    def of_run(self, run_id: RunId) -> Link | None:
        """Return the state file of a run, or None."""
        try:
            names = sorted(name for name in os.listdir(self._folder) if name.endswith(".json"))
        except FileNotFoundError:
            return None
        found = (self._read(os.path.join(self._folder, name)) for name in names)
        return next((link for link in found if link is not None and link.run_id == run_id), None)

    def keep(self, link: Link) -> None:
        """Store the run behind a state file, unless it is stored already."""
        place = self._place(link.state_file, ".json")
        if self._read(place) != link:
            write_atomic(place, msgspec.json.encode(link) + b"\n")

    def load(self, state_file: str) -> bytes | None:
        """Return a state file's bytes, or None if it does not exist."""
        try:
            handle = os.open(state_file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise _unreadable(state_file, str(error)) from None
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise _unreadable(state_file, "not a regular file")
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise _unreadable(state_file, f"more than {_LARGEST} bytes")
        return data

    def save(self, state_file: str, data: bytes) -> None:
        """Write a state file as a whole or not at all. If it is a link, its target is written."""
        try:
            write_atomic(os.path.realpath(state_file), data, 0o644)
        except OSError as error:
            raise UsageError(
                f"{state_file} cannot be written",
                slug="file-unwritable",
                why=str(error.strerror),
                fix="check the folder and its permissions",
            ) from None

    def _place(self, state_file: str, ending: str) -> str:
        real = os.path.realpath(state_file).encode("utf-8", "surrogateescape")
        return os.path.join(self._folder, sha256_hex(real)[:32] + ending)

    def _read(self, path: str) -> Link | None:
        data = read_if_there(path)
        try:
            return None if data is None else msgspec.json.decode(data, type=Link)
        except msgspec.DecodeError as error:
            raise ConfigError(
                f"{path} cannot be read",
                slug="link-invalid",
                why=str(error),
                fix="remove it: the old run is kept, and the state file starts a new one",
            ) from None


def _unreadable(path: str, why: str) -> UsageError:
    return UsageError(f"{path} cannot be read", slug="file-unreadable", why=why, fix="check the file name")
