"""What a profile is: the pure part of a backend that runs a coding agent's own program.

A profile knows how one program is started, what a line of its output means and how its end is to be
read. It touches nothing: `agents.cli_backend` runs what `command` gives, and every table in here can be
tested from recorded lines.
"""

from typing import NamedTuple, Protocol

import msgspec

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.record import Record
from signoff.domain.machine.activity import Activity, Tally
from signoff.domain.machine.process_records import Ending


class LaunchOrder(Record, frozen=True, kw_only=True):
    """What one dispatch asks of the program."""

    program: tuple[str, ...]
    """The words that start it, the first a path."""
    prompt: str
    checkout: str
    """Absolute path of the folder it works in."""
    home: str
    """Absolute path of a folder of this dispatch alone, in place of the person's home."""
    session: str
    """A UUID derived from the dispatch, for programs that let us name the session."""
    system: str = ""
    model: str = ""
    effort: str = ""
    may_write: bool = True
    """False for those who only plan: they read, and change nothing."""
    is_fenced: bool = False
    """It runs in a box of ours that keeps it to its own folders, so it needs none of its own."""
    budget_usd: float | None = None
    args: tuple[str, ...] = ()
    """Further words from the settings. They come after ours, so they win."""


class Launch(Record, frozen=True, kw_only=True):
    """How it is started."""

    argv: tuple[str, ...]
    env: dict[str, str]
    """In addition to what every agent gets. The person's own variables win over these."""
    held: dict[str, str] = msgspec.field(default_factory=dict)
    """As `env`, and nothing wins over these: they keep an agent that plans from writing."""
    folders: tuple[str, ...] = ()
    """Folders below the private home that must exist."""
    files: dict[str, bytes]
    """What is to lie below the private home, by relative path."""
    stdin: bytes = b""


class ReadContext(NamedTuple):
    """What a line may be held against."""

    checkout: str = ""
    """Where the program is meant to work, links resolved. Empty if it is not known."""


class Classified(Record, frozen=True, kw_only=True):
    """How a dispatch is to be read: completed with a text, or failed for a reason."""

    text: str = ""
    """What it said last, in which the answer is looked for."""
    failure: FailureClass | None = None
    detail: str = ""
    """In the program's own words, on one line."""
    http_status: int | None = None
    retryable: bool = False
    """The same dispatch may succeed later."""
    retry_after_s: float | None = None
    """How long it asks to be left alone."""
    denials: int = 0
    """How often a tool was not allowed."""


class Profile(Protocol):
    """One program. Every method is a pure function."""

    name: str
    """What the backend is called, and the program where the settings name no other."""
    title: str
    """What people call it."""
    tested: str
    """The version these tables were recorded with."""
    config_folder: str
    """Its own configuration below the private home, such as `.claude`."""
    login: str
    """What a person does when it is not logged in, as a sentence."""
    works_in_a_box: bool
    """It was seen to do its work under `landlock` and under `bwrap`."""

    def command(self, order: LaunchOrder) -> Launch:
        """Return how it is started."""
        ...

    def read(self, line: bytes, context: ReadContext) -> tuple[Activity, ...]:
        """Return the activity in one line of stdout. It never raises, whatever the bytes."""
        ...

    def classify(self, exit_code: int | None, ending: Ending, tally: Tally, stderr_tail: str) -> Classified:
        """Classify its end. Success needs a last event without an error, an exit code is not enough."""
        ...
