"""Everything the engine can do, one record each. Pure.

Names are imperative, and the past-tense twin of each is in `outcomes`. A key is derived from what the
effect is for, so that asking the flow twice gives the same key and a restart finds its own traces.
"""

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import ClauseId, CommitId, Digest, EffectKey, TaskId, TreeId
from signoff.domain.work.observations import Place

TYPE_CHECKING = False
if TYPE_CHECKING:  # effects are written and compared, never read back: a host's cycle can do without these
    from signoff.domain.run.directives import Directive
    from signoff.domain.run.merge_forecast import MergeCandidate
    from signoff.domain.work.checks import Check, Citation


class EffectBase(Record, frozen=True, kw_only=True, tag_field="do"):
    """An effect and its key."""

    key: EffectKey


class RecallMemory(EffectBase, frozen=True, kw_only=True, tag="recall"):
    """Look for curated memory that bears on the ticket."""


class Analyze(EffectBase, frozen=True, kw_only=True, tag="analyze"):
    """See what the base tree is made of and how it is built and tested."""

    base: CommitId


class Dispatch(EffectBase, frozen=True, kw_only=True, tag="dispatch"):
    """Hand a directive to an agent, in a fresh checkout of `start`."""

    directive: "Directive"
    start: CommitId
    agent: str = ""
    """Who is asked instead of the agent of the directive's role."""
    budget_usd: float | None = None
    """What it may spend, of a run that has a budget."""


class Pause(EffectBase, frozen=True, kw_only=True, tag="pause"):
    """Leave an agent's provider alone for a while before the next try."""

    seconds: float


class CaptureTree(EffectBase, frozen=True, kw_only=True, tag="capture"):
    """Take the files of a checkout as a tree and commit it on top of `start`."""

    dispatch: EffectKey
    """The dispatch whose checkout it is."""
    start: CommitId
    base: CommitId
    """Whose ignore rules hold, and against which the task's change is measured."""
    task: TaskId
    allowed: tuple[str, ...]


class RunCheck(EffectBase, frozen=True, kw_only=True, tag="check"):
    """Run one check on one materialised tree and keep a receipt."""

    clause: ClauseId
    check: "Check"
    place: Place
    tree: TreeId
    base: TreeId
    """What the tree is compared with, for checks that judge a difference."""
    contract: Digest | None = None
    reports: tuple[Digest, ...] = ()
    """Earlier test reports that a comparing check reads, in the order it names them."""
    citations: "tuple[Citation, ...]" = ()
    """What the task's agent points at, for a `behavioral` check."""


class WeighFindings(EffectBase, frozen=True, kw_only=True, tag="weigh"):
    """Read every line that an evaluator cites again, on the tree it was to look at."""

    answer: Digest
    tree: TreeId


class Seal(EffectBase, frozen=True, kw_only=True, tag="seal"):
    """Fix the contract by digest, so that nothing may change it from here on."""

    proposal: Digest
    approver: str


class MergeTask(EffectBase, frozen=True, kw_only=True, tag="merge"):
    """Merge one accepted task into the delivery branch of the run."""

    task: TaskId
    ours: CommitId
    theirs: CommitId


class PredictMerge(EffectBase, frozen=True, kw_only=True, tag="predict-merge"):
    """Try in memory whether commits merge, one after the other. No ref moves."""

    ours: CommitId
    theirs: "tuple[MergeCandidate, ...]"
    """In the order in which they would be merged. One that conflicts is left out for those behind it."""


class LayTests(EffectBase, frozen=True, kw_only=True, tag="lay-tests"):
    """Build one of the two mixed trees: base+tests, or final+base-tests."""

    place: Place
    base: TreeId
    final: TreeId
    named: tuple[str, ...] = ()
    """Files that the contract names as tests, beside those that are so by their name."""
    baseline: Digest | None = None
    """The test report of the base: what was collected there is a test, whatever it is called."""


class Certify(EffectBase, frozen=True, kw_only=True, tag="certify"):
    """Write the certificate of a signed-off run."""

    final: CommitId


class Publish(EffectBase, frozen=True, kw_only=True, tag="publish"):
    """Make the result reachable in the person's repository under `refs/signoff/`."""

    commit: CommitId


class LookAtWork(EffectBase, frozen=True, kw_only=True, tag="look"):
    """See which files a host changed in the person's own folder, as of one cycle."""

    base: TreeId
    """Empty outside a repository: then nothing can be compared."""
    exchanged: str = ""
    """The state file, relative to the root. It is no part of the work."""
    paths: tuple[str, ...] = ()
    """What the host says it changed."""


Effect = (
    RecallMemory
    | Analyze
    | Dispatch
    | Pause
    | CaptureTree
    | RunCheck
    | WeighFindings
    | Seal
    | MergeTask
    | PredictMerge
    | LayTests
    | Certify
    | Publish
    | LookAtWork
)
