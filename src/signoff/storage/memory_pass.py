"""One pass over the memory of a repository: its entries, and what could not be read.

Reads files and nothing else. `storage.memory` loads it only if there is something to read.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from signoff.domain.base.findings import shown
from signoff.domain.work.memory import MemoryKind, Recollection
from signoff.memory.memory_entries import one_line, read_lines, read_note
from signoff.memory.recall import recall

if TYPE_CHECKING:
    from signoff.domain.work.ticket import Ticket
    from signoff.memory.memory_entries import MemoryEntry

MAX_ENTRIES: Final = 2_000
MAX_BYTES: Final = 1_000_000
"""How much of one file is read."""
MAX_TOTAL: Final = 16_000_000
"""How much of all files together is read."""

_MOST_PROBLEMS: Final = 20
_LONGEST_PROBLEM: Final = 300
_YAML: Final = (".yml", ".yaml")


def look_through(
    folder: str, elsewhere: str, shown_as: str, ticket: Ticket, files: tuple[str, ...]
) -> Recollection:
    """Return the entries in `folder` relevant to the ticket or these files, and what was not read."""
    shelf = _Shelf(folder, shown_as)
    entries = shelf.read()
    unread = [*shelf.problems, *_yaml_files(elsewhere)]
    if not entries and not unread:
        return Recollection()
    found = recall(ticket, entries, files)
    problems = [*unread, *found.problems]
    if len(problems) > _MOST_PROBLEMS:
        problems[_MOST_PROBLEMS:] = [f"{len(problems) - _MOST_PROBLEMS} more problems"]
    return replace(found, problems=tuple(one_line(problem, _LONGEST_PROBLEM) for problem in problems))


class _Shelf:
    """One pass over the folder, and how much may still be read."""

    def __init__(self, folder: str, shown_as: str) -> None:
        self._folder = folder
        self._shown = shown_as
        self._entries: list[MemoryEntry] = []
        self._bytes_left = MAX_TOTAL
        self._is_full = False
        self.problems: list[str] = []

    def read(self) -> list[MemoryEntry]:
        """Return all entries by kind and name, so that the same ones are cut each time."""
        top = self._names("")
        known = {f"{kind}.jsonl" for kind in MemoryKind} | set(MemoryKind)
        for kind in MemoryKind:
            if f"{kind}.jsonl" in top:
                self._take(kind, f"{kind}.jsonl")
            if kind in top:
                for name in self._names(kind):
                    if name.endswith(".md"):
                        self._take(kind, f"{kind}/{name}")
                    else:
                        self.problems.append(
                            f"not read: {self._place(f'{kind}/{name}')} is not a Markdown note"
                        )
        for name in top:
            if name.endswith(".md"):
                self._take(MemoryKind.HISTORICAL_PATTERNS, name)
            elif name not in known:
                self.problems.append(f"not read: {self._place(name)} is not one of the four kinds")
        return self._entries

    def _names(self, below: str) -> list[str]:
        """List a folder in order, but not through a link, which could lead anywhere."""
        folder = os.path.join(self._folder, below) if below else self._folder
        try:
            with os.scandir(folder) as found:
                names = sorted(entry.name for entry in found if not entry.name.startswith("."))
        except FileNotFoundError:
            return []
        except OSError as error:
            self.problems.append(f"not read: {self._place(below)}: {error.strerror}")
            return []
        if names and os.path.islink(folder):
            self.problems.append(f"not read: {self._place(below)} is a link")
            return []
        return names

    def _take(self, kind: MemoryKind, name: str) -> None:
        """Read one file, as far as there is room."""
        if self._is_full:
            return
        room = MAX_ENTRIES - len(self._entries)
        if room <= 0 or self._bytes_left <= 0:
            self._fill(name)
            return
        data = self._content(name)
        if data is None:
            return
        path = self._place(name)
        if name.endswith(".md"):
            found = read_note(data.decode("utf-8", "replace"), kind, path)
        else:
            found = read_lines(data, kind, path, room)
        self._entries += found.entries
        self.problems += found.problems
        if found.is_cut:
            self._fill(name)

    def _fill(self, name: str) -> None:
        self._is_full = True
        self.problems.append(
            f"cut at {self._place(name)}: only {MAX_ENTRIES:,} entries and {MAX_TOTAL:,} bytes are looked at"
        )

    def _content(self, name: str) -> bytes | None:
        """Return the beginning of a plain file. A link could lead anywhere, and a pipe would never end."""
        try:
            handle = os.open(os.path.join(self._folder, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    self.problems.append(f"not read: {self._place(name)} is not a plain file")
                    return None
                data = file.read(min(MAX_BYTES, self._bytes_left) + 1)
        except OSError as error:
            self.problems.append(f"not read: {self._place(name)}: {error.strerror}")
            return None
        self._bytes_left -= len(data)
        if len(data) <= MAX_BYTES:
            return data
        self.problems.append(f"{self._place(name)}: only the first {MAX_BYTES:,} bytes were looked at")
        whole = data[:MAX_BYTES]
        return whole if name.endswith(".md") else whole[: whole.rfind(b"\n") + 1]

    def _place(self, name: str) -> str:
        return one_line(shown(f"{self._shown}/{name}" if name else self._shown), _LONGEST_PROBLEM)


def _yaml_files(folder: str) -> list[str]:
    """Return a problem for each YAML memory of other tools. Silence would look like an empty memory."""
    found: list[str] = []
    for name in _listed(folder):
        for kind in MemoryKind:
            if name in (f"{kind}{ending}" for ending in _YAML):
                found.append(f"agents/memory/{name}")
            elif name == kind:
                below = _listed(os.path.join(folder, name))
                found += [f"agents/memory/{name}/{one}" for one in below if one.endswith(_YAML)]
    return [
        f"not read: {shown(path)} is YAML; write its entries to .signoff/memory/KIND.jsonl" for path in found
    ]


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
