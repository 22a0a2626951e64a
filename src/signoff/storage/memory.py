"""Curated memory of a repository: notes and lines in `.signoff/memory/`.

Which entries bear on a ticket is decided in `core.recall`. A repository without memory costs two failed
calls, and nothing that could read one is loaded. Whatever cannot be read is named and left out: memory is
context, and a run without some of it is a run all the same.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from signoff.domain.memory import Recollection

if TYPE_CHECKING:
    from signoff.domain.ticket import Ticket


class NotesMemory:
    """The memory of one repository."""

    def __init__(self, state_dir: str) -> None:
        self._folder = os.path.join(state_dir, "memory")
        self._elsewhere = os.path.join(os.path.dirname(state_dir), "agents", "memory")
        self._shown = f"{os.path.basename(state_dir)}/memory"

    def recall(self, ticket: Ticket, files: tuple[str, ...] = ()) -> Recollection:
        """Give the entries that bear on the ticket or these files; see the port."""
        if _is_absent(self._folder) and _is_absent(self._elsewhere):
            return Recollection()
        from signoff.storage.memory_shelf import look_through

        return look_through(self._folder, self._elsewhere, self._shown, ticket, files)


def _is_absent(folder: str) -> bool:
    """Say whether nothing is there; what cannot be looked at may be."""
    try:
        os.lstat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
