"""Messages for the process that drives a run: `<run>/inbox/<ULID>-<kind>.json`.

`answer`, `submit` and `stop` drop a file while a driver holds the run's lock. The driver takes what is
there, records it, and only then calls `done`. A crash in between shows the item again, so the record must
name it and the fold must count it once. Bodies are bytes here: the reader checks whether they are good JSON.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from signoff.domain.port_records import InboxItem
from signoff.host.files.durable_files import write_atomic
from signoff.text.lazy_patterns import pattern

if TYPE_CHECKING:
    from signoff.domain.ports import Ids

_WORDS = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_KIND = pattern(_WORDS)
_NAME = pattern(rf"[0-7][0-9A-HJKMNP-TV-Z]{{25}}-({_WORDS})\.json")


class Inbox:
    """The inbox of one run, in a folder made when the first item is dropped."""

    def __init__(self, folder: str, ids: Ids) -> None:
        self._folder = folder
        self._ids = ids

    def drop(self, kind: str, body: bytes) -> str:
        """Write one item, whole or not at all, and return its name. Needs no lock."""
        if not _KIND.fullmatch(kind):
            raise ValueError(f"an inbox kind is lower-case words joined by dashes: {kind!r}")
        name = f"{self._ids.new()}-{kind}.json"
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        write_atomic(os.path.join(self._folder, name), body)
        return name

    def take(self) -> list[InboxItem]:
        """Return the items in the order of dropping without removing them. Foreign files are left alone."""
        found = []
        for name in self._names():
            known = _NAME.fullmatch(name)
            body = _regular_file(os.path.join(self._folder, name)) if known else None
            if known and body is not None:
                found.append(InboxItem(name, known[1], body))
        return found

    def done(self, item: InboxItem) -> None:
        """Remove an item that is recorded, if it is still there."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, item.name))

    def _names(self) -> list[str]:
        try:
            return sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []


def _regular_file(path: str) -> bytes | None:
    """Return a plain file's bytes, or None for a link, a pipe, or a file that is gone by now."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
