"""Curated memory: Markdown notes in `.signoff/memory/`, found by the files and symbols they name.

An honest minimum: a note is a hit when its file name's words all occur in the ticket. The notes are
context for the planner, never commands.
"""

import os
import re

from signoff.core.cutting import short
from signoff.domain.ticket import Ticket

_MOST_HITS = 12
_LONGEST_HIT = 120


class NotesMemory:
    """Notes of one repository."""

    def __init__(self, state_dir: str) -> None:
        self._folder = os.path.join(state_dir, "memory")

    def recall(self, ticket: Ticket) -> tuple[tuple[str, ...], int]:
        """Give at most twelve hits that bear on the ticket, and how many notes were looked at."""
        words = set(_words(f"{ticket.title} {ticket.body} {' '.join(ticket.acceptance_criteria)}"))
        notes = self._notes()
        hits = [name for name in notes if set(_words(name.removesuffix(".md"))) <= words]
        return tuple(self._first_line(name) for name in hits[:_MOST_HITS]), len(notes)

    def _notes(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self._folder) if name.endswith(".md"))
        except FileNotFoundError:
            return []

    def _first_line(self, name: str) -> str:
        with open(os.path.join(self._folder, name), encoding="utf-8", errors="replace") as file:
            return short(f"{name}: {file.readline().strip('# ')}", _LONGEST_HIT)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())
