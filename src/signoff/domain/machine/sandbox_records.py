"""How far a program is kept to its own folders: what is asked for, and what a machine offers. Pure records.

    none < limits < landlock < bwrap

`none` is a program with its user's rights, `limits` adds caps the system holds it to, `landlock` lets it
write below its own folders only, `bwrap` also gives it its own processes, temporary folders and devices.
"""

from enum import StrEnum

from signoff.domain.base.record import Record


class Level(StrEnum):
    """One step of confinement, in the order in which they are written here."""

    NONE = "none"
    LIMITS = "limits"
    LANDLOCK = "landlock"
    BWRAP = "bwrap"

    @property
    def rank(self) -> int:
        """Place in the order, weakest first. The members are text: comparing them compares letters."""
        return _ORDER.index(self)

    @property
    def is_fence(self) -> bool:
        """Whether a program under it can write to its own folders alone."""
        return self.rank >= Level.LANDLOCK.rank


_ORDER = tuple(Level)


class SandboxChoice(StrEnum):
    """What a person may ask for: one level and no other, or the best that there is."""

    AUTO = "auto"
    NONE = "none"
    LIMITS = "limits"
    LANDLOCK = "landlock"
    BWRAP = "bwrap"


class SandboxRequest(Record, frozen=True, kw_only=True):
    """The box one program is to run in. What is not named here it can read and not change."""

    choice: SandboxChoice = SandboxChoice.AUTO
    minimum: Level = Level.NONE
    """With less than this the program is not run, whatever was chosen."""
    writable: tuple[str, ...] = ()
    """Absolute paths of folders that exist."""
    sealed: tuple[str, ...] = ()
    """Paths inside writable folders that stay as they are. Only `bwrap` can tell them apart."""
    network: bool = True
    """False: the program must not reach the network, and a level that cannot prevent it is not enough."""
    home: str = ""
    """A folder of its own that outlives it, or empty for one that is thrown away with it."""


class SandboxOffer(Record, frozen=True, kw_only=True):
    """What this machine gives, found out by trying."""

    levels: tuple[Level, ...]
    """Weakest first. Not every machine that has a level has those below it."""
    offline: tuple[Level, ...] = ()
    """Those that can cut a program off from the network."""
    refused: dict[Level, str] = {}
    """Why the others are not there."""

    @property
    def best(self) -> Level:
        """The strongest level there is."""
        return self.levels[-1]
