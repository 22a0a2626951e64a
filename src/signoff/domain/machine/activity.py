"""What an agent does while it works, in one shape whichever program it is. Pure records.

Activity goes to a log and to the live view. It is counted, never believed: what an agent says about its own
success is among the events that nothing decides by.
"""

from enum import StrEnum

from signoff.domain.base.record import Record


class ToolKind(StrEnum):
    """What a tool does to the world."""

    READ = "read"
    EDIT = "edit"
    EXECUTE = "execute"
    OTHER = "other"


class ActivityBase(Record, frozen=True, kw_only=True, tag_field="kind"):
    """One thing that happened."""


class Began(ActivityBase, frozen=True, kw_only=True, tag="began"):
    """The agent's session is open."""

    session: str = ""
    model: str = ""
    version: str = ""


class Spoke(ActivityBase, frozen=True, kw_only=True, tag="spoke"):
    """It said something. The last of these may hold the answer."""

    text: str


class ToolStarted(ActivityBase, frozen=True, kw_only=True, tag="tool-started"):
    """It uses a tool."""

    id: str
    tool: str
    does: ToolKind = ToolKind.OTHER
    about: str = ""
    """A path or a command, cut short."""
    paths: tuple[str, ...] = ()
    """Of an edit: the files it is for, where they are named."""


class ToolEnded(ActivityBase, frozen=True, kw_only=True, tag="tool-ended"):
    """A tool came back."""

    id: str
    failed: bool = False
    denied: bool = False
    """It was not allowed to."""
    exit_code: int | None = None


class Retried(ActivityBase, frozen=True, kw_only=True, tag="retried"):
    """It asks its model again by itself."""

    status: int | None = None
    wait_s: float | None = None
    why: str = ""


class UsageBasis(StrEnum):
    """What a usage figure covers. The same number means different things in different programs."""

    RUN = "run"
    SESSION = "session"
    """Everything since the session began, earlier dispatches included."""
    LAST_CALL = "last-call"


class Metered(ActivityBase, frozen=True, kw_only=True, tag="metered"):
    """What it says it used. A figure that is absent is unknown."""

    basis: UsageBasis
    call: str = ""
    """For `LAST_CALL`: which call, if it is named. The same one may be reported twice."""
    input_tokens: int | None = None
    """Without those read from a cache."""
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Complained(ActivityBase, frozen=True, kw_only=True, tag="complained"):
    """Something went wrong, in its own words."""

    message: str
    status: int | None = None
    """Of the model's HTTP answer, where it says so."""
    code: str = ""


class Finished(ActivityBase, frozen=True, kw_only=True, tag="finished"):
    """Its last event. Without one, it did not come to its end, whatever the exit code."""

    ok: bool
    reason: str = ""
    text: str = ""


class UnknownLine(ActivityBase, frozen=True, kw_only=True, tag="unread"):
    """A line of a kind that is not known here. It is kept and is never an error."""

    line: str


Activity = Began | Spoke | ToolStarted | ToolEnded | Retried | Metered | Complained | Finished | UnknownLine


class Tally(Record, frozen=True, kw_only=True):
    """A dispatch summed up from its activity."""

    session: str = ""
    model: str = ""
    version: str = ""
    tools: dict[str, int] = {}
    denials: int = 0
    retries: int = 0
    metered: Metered | None = None
    text: str = ""
    """The last thing it said."""
    finished: Finished | None = None
    complaints: tuple[Complained, ...] = ()
