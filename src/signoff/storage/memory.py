"""Curated memory of a repository: notes and lines in `.signoff/memory/`.

`memory.recall` decides which entries are relevant to a ticket. A repository without memory costs two failed
calls, and nothing that could read one is loaded. Whatever cannot be read is named and left out, because
memory is only context and a run can do without it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from signoff.domain.work.memory import Recollection

if TYPE_CHECKING:
    from signoff.domain.work.ticket import Ticket


class NotesMemory:
    """The memory of one repository."""

    def __init__(self, state_dir: str) -> None:
        self._folder = os.path.join(state_dir, "memory")
        self._elsewhere = os.path.join(os.path.dirname(state_dir), "agents", "memory")
        self._shown = f"{os.path.basename(state_dir)}/memory"

    def recall(self, ticket: Ticket, files: tuple[str, ...] = ()) -> Recollection:
        """Return the entries relevant to the ticket or these files, as the port describes."""
        if _is_absent(self._folder) and _is_absent(self._elsewhere):
            return Recollection()
        from signoff.storage.memory_pass import look_through

        return look_through(self._folder, self._elsewhere, self._shown, ticket, files)


def _is_absent(folder: str) -> bool:
    """Check whether nothing is there. A folder that cannot be looked at counts as present."""
    try:
        os.lstat(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
