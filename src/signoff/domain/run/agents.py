"""What is handed to an agent backend and what it gives back. Pure records."""

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.findings import Finding
from signoff.domain.base.record import Record
from signoff.domain.machine.activity import Tally
from signoff.domain.machine.sandbox_records import Level, SandboxRequest
from signoff.domain.run.directives import Directive
from signoff.domain.run.outcomes import AgentFailure, Usage


class AgentRequest(Record, frozen=True, kw_only=True):
    """One directive for one agent, in one checkout."""

    directive: Directive
    checkout: str
    """Absolute path: the agent's working directory and the only place it may write to."""
    logs: str
    """Absolute path of the folder for its output and its outcome slip, outside the checkout."""
    timeout_s: float
    silence_s: float | None = None
    """How long it may say nothing at all, or None for no limit."""
    prompt: str = ""
    """What it is told. Empty means the directive as it stands."""
    system: str = ""
    """What it is told beside the prompt, about its role."""
    model: str = ""
    effort: str = ""
    home: str = ""
    """Absolute path of a folder of this dispatch alone, its home. Empty means one beside the logs."""
    budget_usd: float | None = None
    sandbox: SandboxRequest | None = None
    """The box it is to work in, or None for one that is started without."""
    output_limit: int = 50_000_000
    """Bytes kept of each of its outputs."""


class AgentReply(Record, frozen=True, kw_only=True):
    """What came back: exactly one of an answer, a failure, a delegation or a stop."""

    answer: bytes | None = None
    """The answer as the agent wrote it. The caller parses it, once."""
    failure: AgentFailure | None = None
    detail: str = ""
    delegated: bool = False
    """No program was started: a host agent is expected to work in the checkout and submit."""
    stopped: bool = False
    """The run was asked to stop while the agent worked. Nothing is recorded and resume starts again."""
    usage: Usage | None = None
    tally: Tally | None = None
    """What it did, counted, from programs whose activity can be read."""
    failure_class: FailureClass | None = None
    """The failure, as finely as the program tells."""
    retryable: bool = False
    """The same dispatch may succeed later."""
    sandbox: Level | None = None
    """The confinement that held while it worked, or None if no program ran."""
    outside: tuple[str, ...] = ()
    """Places outside its own folders that its edit tools were to write to. The edit may have failed."""
    found: tuple[Finding, ...] = ()
    """Of a recording: what was found outside the checkout then."""
    doubts: tuple[Finding, ...] = ()
    """Of a recording: what was doubtful then."""
    retry_after_s: float | None = None
    """How long it asks to be left alone first, if it says so."""
