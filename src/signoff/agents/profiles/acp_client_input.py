"""What the client program is told on its standard input. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.machine.activity import UsageBasis


class UsageSource(StrEnum):
    """Where a program tells what it used, at the end of a prompt."""

    USAGE = "usage"
    """In `usage`, as the protocol has it."""
    QUOTA = "quota"
    """In `_meta.quota.token_count`."""


class Metering(Record, frozen=True, kw_only=True):
    """What a program's figures mean, which the protocol leaves open."""

    counts: UsageSource = UsageSource.USAGE
    basis: UsageBasis = UsageBasis.LAST_CALL
    """If it is not known, the figures are the least it can have been."""
    includes_cached: bool = False
    """Its input tokens hold those that came from a cache."""


class PromptOrder(Record, frozen=True, kw_only=True):
    """One prompt for one session in the current folder."""

    prompt: str
    may_write: bool = True
    mode: str = ""
    """The session's mode by its id. Empty means the program's own."""
    model: str = ""
    """To be chosen by the protocol, for programs that take it no other way."""
    effort: str = ""
    metering: Metering = Metering()
    lends_files: bool = False
    """It may read files through us: for programs that have no way of their own but a shell."""
    reading: tuple[str, ...] = ()
    """Names of its tools that only read, for programs that tell of no kind."""
    notices: tuple[str, ...] = ()
    """How pieces of text begin by which it says, as if the model spoke, that it asks the model again."""
