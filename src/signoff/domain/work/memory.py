"""Curated memory that bears on a delivery. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record


class MemoryKind(StrEnum):
    """The four kinds that are kept, in the order in which they are given."""

    DOMAIN_INVARIANTS = "domain-invariants"
    ARCHITECTURE_DECISIONS = "architecture-decisions"
    INCIDENT_LEARNINGS = "incident-learnings"
    HISTORICAL_PATTERNS = "historical-patterns"


class MemoryHit(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One entry that bears on the ticket: context, never a command."""

    id: str
    type: MemoryKind
    source: str
    """`repo` for a curated entry of the repository."""
    path: str
    """Where the entry stands, relative to the repository."""
    score: float
    entry: str
    """Its text, cut to what a prompt can bear."""


class Recollection(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What a look into memory brought. No hits is an honest answer."""

    hits: tuple[MemoryHit, ...] = ()
    """The best first, at most twelve."""
    looked_at: int = 0
    """How many entries were read."""
    problems: tuple[str, ...] = ()
    """What could not be read or was left out, a line each."""
