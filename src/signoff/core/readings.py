"""What comes of looking through a change for one kind of thing. Pure record."""

from typing import NamedTuple

from signoff.domain.findings import Finding


class Reading(NamedTuple):
    """What was found, and what nothing can be said about; the second is never taken for a pass."""

    findings: tuple[Finding, ...] = ()
    undecided: tuple[str, ...] = ()
    """One phrase each: a path, and why it could not be judged."""
