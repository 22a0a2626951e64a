"""What the delivery report of a hosted run says. Pure records.

Texts are as they came from outside. The renderer makes them safe.
"""

from enum import StrEnum

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import EffectKey, RunId, TreeId
from signoff.domain.machine.trees import ChangeKind
from signoff.domain.work.memory import MemoryHit
from signoff.domain.work.observations import Counts, Result
from signoff.domain.work.refinement import Confidence
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import Persona


class ReportKind(StrEnum):
    """What a report as a whole rests on: the first word of its first line."""

    OBSERVED = "observed"
    """The engine saw the changes and ran the tests."""
    CLAIMED = "claimed"
    """The changes, the tests or both rest on the host's word alone."""
    OVERRULED = "overruled"
    """A person let something through."""
    PLAN_ONLY = "plan only"
    """The persona changes nothing."""
    PARTIAL = "partial"
    """The run halts. This is what there is so far."""


class WorkStanding(StrEnum):
    """What one step or one clause of a hosted run rests on."""

    PROVEN = "proven"
    """The engine saw it."""
    CLAIMED = "claimed"
    """The host says so, and no command witnessed it."""
    OVERRULED = "overruled"
    """A person at a terminal let it through."""
    OPEN = "open"
    SKIPPED = "skipped"
    """The persona does not go that far. It is no success."""


class AskedFor(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What was asked for, on one line."""

    kind: InputKind
    id: str = ""
    title: str = ""
    """A ticket's title, the first line of a prompt, the name of a file."""


class Said(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One thing a host wrote about its own work."""

    name: str
    text: str


class ReportedChange(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One file that was changed."""

    path: str
    kind: ChangeKind | None = None
    """None if only the host names the file."""
    added: int = 0
    removed: int = 0
    is_binary: bool = False
    is_named: bool = True
    """Whether the host said that it changed this file."""
    lines: str = ""
    """Where, in the host's words."""
    purpose: str = ""
    """What for, in the host's words."""


class ReportedChanges(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The files that differ from the base. Without a tree, those the host names."""

    standing: WorkStanding
    why: str = ""
    key: EffectKey | None = None
    """The look at the files that this is from."""
    tree: TreeId | None = None
    """The files as they were seen."""
    files: tuple[ReportedChange, ...] = ()


class WitnessedTests(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The engine's own run of the tests."""

    key: EffectKey
    """Of the receipt."""
    command: tuple[str, ...] = ()
    result: Result
    detail: str = ""
    counts: Counts | None = None
    duration_ms: int | None = None


class ReportedTests(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What the engine saw of the tests, and what the host says of them."""

    standing: WorkStanding
    why: str = ""
    run: WitnessedTests | None = None
    said: tuple[Said, ...] = ()


class ReportedReview(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The host's review. No command can witness one."""

    standing: WorkStanding
    why: str = ""
    said: tuple[Said, ...] = ()
    findings: tuple[str, ...] = ()


class ReportedClause(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One row of the matrix: what must hold, where it stands, and what shows it."""

    text: str
    standing: WorkStanding
    evidence: str = ""
    """The key of a receipt, or whose word it is."""


class ReportFollowUp(Record, frozen=True, kw_only=True, omit_defaults=False):
    """Something left to do or to look at."""

    note: str
    anchor: str = ""
    """The place it is about, such as `src/app.py:12`."""


class WorkReport(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The delivery report of a hosted run, or of one that halts."""

    kind: ReportKind
    headline: str
    """The text after the first word."""
    run: RunId
    asked: AskedFor
    persona: Persona
    policy: str
    confidence: Confidence | None = None
    """Of a prompt, once it could be scored."""
    assumptions: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    changes: ReportedChanges
    tests: ReportedTests
    review: ReportedReview
    clauses: tuple[ReportedClause, ...] = ()
    decisions: tuple[str, ...] = ()
    """What people answered on the way."""
    memory: tuple[MemoryHit, ...] = ()
    """Only what changed an outcome."""
    follow_ups: tuple[ReportFollowUp, ...] = ()
    next_commands: tuple[str, ...] = ()
    """Suggested, never run. Empty if the persona suggests nothing or the run halts."""
