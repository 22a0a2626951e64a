"""What lies around a checkout, looked at before and after an agent worked without a box. Pure records."""

from collections.abc import Mapping
from typing import NamedTuple

Fingerprint = tuple[int, int, int]
"""Size, time of the last change and inode. For small files, size and checksum."""


class Surroundings(NamedTuple):
    """The files that are not the agent's, by their path from the top of the repository."""

    person: Mapping[str, Fingerprint]
    """The person's files and their repository: the person may change them at any time."""
    engine: Mapping[str, Fingerprint]
    """Nothing here changes while agents work."""
    kept: Mapping[str, Fingerprint]
    """More may come, but what is there stays as it is."""
    growing: Mapping[str, Fingerprint]
    """Journals: they are appended to."""
    is_whole: bool = True
    """False where there was too much to look at all of the person's files."""


class Touched(NamedTuple):
    """What is not as it was."""

    certain: tuple[str, ...] = ()
    """Only an agent can have done it."""
    doubtful: tuple[str, ...] = ()
    """The person may have done it as well."""
