"""What a scripted model does, in words no interface owns. Pure records."""

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a tool. Paths are relative to the agent's folder."""


class Write(Step, frozen=True, kw_only=True):
    """Make a file."""

    path: str
    content: str


class Edit(Step, frozen=True, kw_only=True):
    """Put one piece of text in the place of another; most agents want the file read first."""

    path: str
    old: str
    new: str


class Read(Step, frozen=True, kw_only=True):
    """Look at a file."""

    path: str


class Shell(Step, frozen=True, kw_only=True):
    """Run a command."""

    command: str


class Unheard(Step, frozen=True, kw_only=True):
    """Use a tool that was never offered."""

    name: str = "conjure"


class Mangled(Step, frozen=True, kw_only=True):
    """Use the shell with arguments that are no JSON."""

    arguments: str = '{"command": "echo'


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that uses tools: one, or several at once."""

    steps: tuple[Step, ...]


class Say(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that only speaks, which ends the agent's work."""

    text: str
    times: int = 1
    """Say it so often, for answers of any size."""
    refuses: bool = False
    """The interface's own way to decline, not just words."""
    is_cut_short: bool = False
    """Stopped by the limit on output."""


Turn = Act | Say


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP answer that is an error."""

    code: int
    message: str
    kind: str = ""
    """What OpenAI calls it, where one status has several meanings; the others have one word for each."""
    retry_after_s: int | None = None


class Hang(msgspec.Struct, frozen=True, kw_only=True):
    """Take the request, answer nothing."""


class Stall(msgspec.Struct, frozen=True, kw_only=True):
    """Begin the answer, then say nothing more."""


class Cut(msgspec.Struct, frozen=True, kw_only=True):
    """Begin the answer, then close the connection."""


class Drop(msgspec.Struct, frozen=True, kw_only=True):
    """Close the connection without a byte."""


class Garbage(msgspec.Struct, frozen=True, kw_only=True):
    """Say 200 and send what is no answer."""

    as_stream: bool = False
    """As events whose data is no JSON; else as a page of HTML."""


class StreamError(msgspec.Struct, frozen=True, kw_only=True):
    """Begin the answer, then report an overload inside the stream."""

    message: str = "Overloaded"


Fault = Status | Hang | Stall | Cut | Drop | Garbage | StreamError


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """What the model does from the first request to the last."""

    name: str
    turns: tuple[Turn, ...]
    fault: Fault | None = None
    fault_at: int = 0
    """The turn that goes wrong."""
    fault_times: int | None = None
    """How often it goes wrong before it goes right; absent: always. Counted for each name with its label."""
    repeats: bool = False
    """Begin again when the turns are used up: a model that never comes to an end."""
