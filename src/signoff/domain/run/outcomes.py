"""The outcomes of effects, one record each, small enough for the journal. Pure.

Bodies (answers, contracts, reports) are blobs, and an outcome names them by digest.
"""

from enum import StrEnum

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.findings import Finding
from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, Digest, TreeId
from signoff.domain.machine.activity import UsageBasis
from signoff.domain.machine.sandbox_records import Level
from signoff.domain.machine.trees import CaptureProblem
from signoff.domain.work.observations import Observation


class OutcomeBase(Record, frozen=True, kw_only=True, tag_field="was"):
    """What came of an effect."""


class Recalled(OutcomeBase, frozen=True, kw_only=True, tag="recalled"):
    """What memory holds on the ticket. Empty is an honest answer."""

    hits: tuple[str, ...] = ()
    """One short line each."""
    looked_at: int = 0
    body: Digest | None = None
    """The blob of the `MemoryHit`s in full, or None if there is no hit."""
    problems: tuple[str, ...] = ()
    """What could not be read or was left out."""


class Analyzed(OutcomeBase, frozen=True, kw_only=True, tag="analyzed"):
    """The blob of the `Facts`."""

    facts: Digest


class AgentFailure(StrEnum):
    """Why a dispatch gave no answer."""

    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    NOT_STARTED = "not-started"
    MALFORMED_ANSWER = "malformed-answer"
    NO_CASSETTE_ENTRY = "no-cassette-entry"
    PATCH_REFUSED = "patch-refused"


class Usage(Record, frozen=True, kw_only=True):
    """What a dispatch reported about its price and its work. Absent means unknown, never zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    basis: UsageBasis = UsageBasis.RUN
    """What the figures cover. `LAST_CALL`: the calls that were reported, so it cost at least that. `SESSION`:
    earlier dispatches too, so they may not be added up.
    """
    tool_calls: int | None = None
    model: str = ""
    session: str = ""
    version: str = ""
    """Of the agent's program."""
    priced: bool = False
    """The price is ours: tokens times a price of a table, not what the agent said."""


class AgentAnswered(OutcomeBase, frozen=True, kw_only=True, tag="answered"):
    """The agent gave a well-formed answer, whose tag is `kind`."""

    answer: Digest
    kind: str
    question: str = ""
    options: tuple[str, ...] = ()
    usage: Usage | None = None
    agent: str = ""
    """Whose answer it is, where it is not the agent of the directive's role."""
    sandbox: Level | None = None
    """The confinement that held while it worked, or None if no program ran."""
    outside: tuple[Finding, ...] = ()
    """What it wrote, or tried to write, outside its checkout."""
    doubts: tuple[Finding, ...] = ()
    """What changed outside its checkout while it worked without a box. Another program may have done it."""


class AgentFailed(OutcomeBase, frozen=True, kw_only=True, tag="agent-failed"):
    """There is no answer to read."""

    failure: AgentFailure
    detail: str = ""
    failure_class: FailureClass | None = None
    """The failure, as finely as the program tells."""
    retryable: bool | None = None
    """Whether another try may help, or None if the backend does not say."""
    retry_after_s: float | None = None
    usage: Usage | None = None
    agent: str = ""
    sandbox: Level | None = None
    outside: tuple[Finding, ...] = ()
    doubts: tuple[Finding, ...] = ()


class Delegated(OutcomeBase, frozen=True, kw_only=True, tag="delegated"):
    """The checkout is ready and a host agent is awaited. Its answer comes as a claim."""

    checkout: str
    """Relative to the repository root."""
    directive: Digest


class Paused(OutcomeBase, frozen=True, kw_only=True, tag="paused"):
    """The time was waited."""


class Interrupted(OutcomeBase, frozen=True, kw_only=True, tag="interrupted"):
    """A dispatch that was in flight when its driver died. It counts as spent."""

    sandbox: Level | None = None
    """The confinement it was started under, or None if it is not known."""


Dispatched = AgentAnswered | AgentFailed | Delegated | Interrupted
"""The possible outcomes of handing a directive to an agent."""


class Captured(OutcomeBase, frozen=True, kw_only=True, tag="captured"):
    """The checkout as a commit, and what is wrong with the change as such."""

    commit: CommitId
    tree: TreeId
    files: int
    """How many paths differ from the task's base."""
    findings: tuple[Finding, ...] = ()
    problems: tuple[CaptureProblem, ...] = ()
    doubts: tuple[Finding, ...] = ()
    """Changes outside the checkout, made by the agent or by another program. A person decides."""


class Checked(OutcomeBase, frozen=True, kw_only=True, tag="checked"):
    """What a check saw. `evidence` is the digest of the whole receipt (live runs only:
    a replayed cassette must give the same bytes, and times differ)."""

    observation: Observation
    evidence: Digest | None = None


class FindingsWeighed(OutcomeBase, frozen=True, kw_only=True, tag="findings-weighed"):
    """What is left of an evaluator's findings once the lines they cite were read again."""

    tree: TreeId
    findings: Digest | None = None
    """The blob of an `Evaluation` with those that stand, or None if no finding stands."""
    standing: int = 0
    invented: int = 0
    """How many cite what is not there. They change nothing."""


class Sealed(OutcomeBase, frozen=True, kw_only=True, tag="sealed"):
    """The contract's canonical digest. Its bytes are the blob of the same name."""

    contract: Digest
    approver: str


class Merged(OutcomeBase, frozen=True, kw_only=True, tag="merged"):
    """The delivery branch after one more task."""

    commit: CommitId
    tree: TreeId


class MergeConflicted(OutcomeBase, frozen=True, kw_only=True, tag="merge-conflicted"):
    """Two tasks of one wave wrote the same lines, or the merge would remove files that no task deleted."""

    conflicts: tuple[str, ...]
    lost: tuple[str, ...] = ()
    """Paths that the merge would take away, although it has no right to."""


class MergePredicted(OutcomeBase, frozen=True, kw_only=True, tag="merge-predicted"):
    """Which commits would merge, before any does."""

    merges: int
    """How many go together, one after the other."""
    conflicts: tuple[str, ...] = ()
    """One short line for each that does not, the first few."""
    body: Digest | None = None
    """The blob of the `Forecast`, or None if everything merges."""


class TestsLaid(OutcomeBase, frozen=True, kw_only=True, tag="tests-laid"):
    """The mixed tree, and how many test files were laid over."""

    __test__ = False

    tree: TreeId
    count: int


class Certified(OutcomeBase, frozen=True, kw_only=True, tag="certified"):
    """The certificate is on disk. `evidence` as in `Checked`."""

    evidence: Digest | None = None


class Published(OutcomeBase, frozen=True, kw_only=True, tag="published"):
    """The ref in the person's repository."""

    ref: str


class WorkSeen(OutcomeBase, frozen=True, kw_only=True, tag="work-seen"):
    """The person's folder as a host left it. Outside a repository there is no tree and no list of changes."""

    tree: TreeId | None = None
    changes: Digest | None = None
    """The blob of the list of `Change`."""
    files: int = 0
    problems: tuple[CaptureProblem, ...] = ()
    missing: tuple[str, ...] = ()
    """Of what the host says it changed: what is not there at all."""


Outcome = (
    Recalled
    | Analyzed
    | AgentAnswered
    | AgentFailed
    | Delegated
    | Paused
    | Interrupted
    | Captured
    | Checked
    | FindingsWeighed
    | Sealed
    | Merged
    | MergeConflicted
    | MergePredicted
    | TestsLaid
    | Certified
    | Published
    | WorkSeen
)
