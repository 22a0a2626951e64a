"""Search memory for a ticket, and make a record of the result."""

from __future__ import annotations

import msgspec

from signoff.domain.run.outcomes import Recalled
from signoff.text.truncation import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from signoff.domain.ports import Blobs, Memory
    from signoff.domain.work.memory import MemoryHit
    from signoff.domain.work.ticket import Ticket

_LONGEST_HIT = 120
_LONGEST_PROBLEM = 150
_MOST_PROBLEMS = 8
"""Twelve hits and these problems stay below the 4 KB of a record. The hits in full are a blob."""


def look_up(memory: Memory, blobs: Blobs, ticket: Ticket, files: tuple[str, ...] = ()) -> Recalled:
    """Search memory for a ticket and return the record. Without a hit there is no blob."""
    found = memory.recall(ticket, files)
    return Recalled(
        hits=tuple(short(line, _LONGEST_HIT) for line in _lines(found.hits)),
        looked_at=found.looked_at,
        body=blobs.put(msgspec.json.encode(found.hits)) if found.hits else None,
        problems=tuple(short(problem, _LONGEST_PROBLEM) for problem in found.problems[:_MOST_PROBLEMS]),
    )


def _lines(hits: tuple[MemoryHit, ...]) -> Iterator[str]:
    if hits:  # most repositories have no memory, and matching is not loaded for them
        from signoff.memory.recall import told

        yield from map(told, hits)
