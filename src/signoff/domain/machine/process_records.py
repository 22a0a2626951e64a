"""What is asked of the process door and what it saw. Pure records."""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import Digest
from signoff.domain.machine.sandbox_records import Level, SandboxRequest


class Ending(StrEnum):
    """How a supervised process ended. Only `EXITED` says anything about its work."""

    EXITED = "exited"
    """It ended by itself, and `exit_code` is its own (128 + n if signal n ended it)."""
    TIMED_OUT = "timed-out"
    SILENT = "silent"
    """It wrote nothing for as long as `idle_timeout_s` and was ended."""
    STOPPED = "stopped"
    """A person asked for the stop with Ctrl-C or `runs stop`."""
    DRIVER_DIED = "driver-died"
    """The driver vanished, so the supervisor ended the child and its descendants."""
    NOT_STARTED = "not-started"
    """The program could not be executed: missing, not executable, no such folder."""


class ProcessRequest(Record, frozen=True, kw_only=True):
    """One foreign program, to be run under the supervisor."""

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    """The whole environment of the child. Nothing is inherited."""
    timeout_s: float
    idle_timeout_s: float | None = None
    """How long it may write nothing to either output, or None for no limit."""
    stdout_path: str
    stderr_path: str
    slip_path: str
    """Where the outcome slip goes. `<slip_path>.started` names the live processes until then."""
    stdin: bytes = b""
    output_limit: int = 10_000_000
    """Bytes kept per stream. The digest covers everything that was kept, `truncated` says there was more."""
    secrets: tuple[str, ...] = ()
    """Values replaced by `[redacted]` before a byte reaches the disk, across chunk boundaries too."""
    grace_s: float = 2.0
    """How long each rung of the ladder INT, TERM, KILL waits for the next."""
    sandbox: SandboxRequest | None = None
    """The box to run it in, or None for a program of our own, which needs no box."""


class Stream(Record, frozen=True, kw_only=True):
    """One output stream as it lies on disk."""

    path: str
    digest: Digest
    size: int
    truncated: bool = False


class ProcessOutcome(Record, frozen=True, kw_only=True):
    """What the supervisor saw: the content of an outcome slip."""

    ending: Ending
    exit_code: int | None
    """None unless the process ended by itself."""
    started_at: str
    ended_at: str
    duration_ms: int
    stdout: Stream
    stderr: Stream
    detail: str = ""
    """For `NOT_STARTED`: what the operating system said."""
    sandbox: Level = Level.NONE
    """The confinement that really held while it ran."""
