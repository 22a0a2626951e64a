"""Golden transcripts: the scenario a person wrote, and the pack a capture leaves. Pure records.

A scenario is data: a project, a request, and what the host does after each cycle. A pack is what the engine
answered to it, and what the engine saw, so that it can be played again without git and without test runs.
"""

from typing import NamedTuple

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import CommitId, TreeId
from signoff.domain.evidence.receipts import Counts, FailureReason, Result
from signoff.domain.machine.trees import CaptureProblem, PathChange
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import JsonObject, JsonValue

STATE_FILE = ".work-state.json"
CYCLE_CAP = 10

SUCCESS = "success"
CONFIG_ERROR = "config_error"
HALTED = "halt_unhandled:"
"""Before the code of the halt that the scenario leaves open."""
CAPPED = "cycle_cap_reached"


# --- what a person wrote ---


class GivenInput(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is asked for: of a ticket its `data`, of everything else its `text`."""

    kind: InputKind
    data: JsonObject | None = None
    text: str = ""


class ScenarioAnswer(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person answers to a halt."""

    answer: str
    halt: str | None = None
    """The one that waits for a person, if not given."""
    on_terminal: bool = False
    """Whether a person typed it. Relayed words never overrule."""


class HostTurn(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the host does between two cycles. An empty turn only calls again."""

    write: JsonObject = {}
    """Slices of the state file."""
    edit: dict[str, str | None] = {}
    """Files of the project. Null removes one."""
    answer: ScenarioAnswer | None = None
    give: GivenInput | None = None
    """Another input, handed to the next cycle."""


class Scenario(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`scenarios/<id>.json`."""

    id: str
    description: str
    input: GivenInput | None = None
    """None if the run begins with a state file that is there already."""
    persona: str | None = None
    files: dict[str, str] = {}
    """The project, path by path, committed if `git` is true."""
    git: bool = True
    state_file: str = STATE_FILE
    state: JsonValue = None
    """What stands in the state file before the first cycle."""
    turns: tuple[HostTurn, ...] = ()
    cycle_cap: int = CYCLE_CAP


# --- what the engine saw ---


class SeenFiles(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The project's files as the engine would see them in one cycle."""

    cycle: int
    tree: TreeId | None = None
    changes: tuple[PathChange, ...] = ()
    problems: tuple[CaptureProblem, ...] = ()


class SeenTests(Record, frozen=True, kw_only=True):
    """One run of the tests."""

    at: str
    """The tree it ran on, or the cycle outside a repository."""
    result: Result
    failure_reason: FailureReason | None = None
    detail: str = ""
    exit_code: int | None = None
    counts: Counts | None = None


class Observations(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`fixture/observations.json`: everything that came from git and from running tests."""

    commit: CommitId = CommitId("")
    tree: TreeId = TreeId("")
    files: tuple[SeenFiles, ...] = ()
    tests: tuple[SeenTests, ...] = ()


# --- what it answered ---


class RecordedCycle(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One call of a host and how it ended."""

    index: int
    words: tuple[str, ...]
    exit_code: int
    stdout: str
    stderr: str
    directive: str
    """The verb, where there is one."""
    action: str
    """What the host did then."""


class HaltMarker(Record, frozen=True, kw_only=True, omit_defaults=False):
    """A cycle that did not end with a report."""

    cycle: int
    exit_code: int
    code: str
    """The code of the halt, or the slug of an error."""
    kind: str
    """`agent`, `person`, `error` or `ended`."""
    step: str = ""
    outcome: str = ""
    directive: str = ""
    payload: dict[str, str] = {}
    asks_about: str = ""
    """The dimension that the one question of the low band is about."""
    awaits: tuple[str, ...] = ()
    """Who is awaited, one for each open halt."""
    terminal_only: tuple[int, ...] = ()
    """Numbers of the options that only a person at a terminal can choose."""
    questions: tuple[str, ...] = ()


class Transcript(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`transcript.json`."""

    id: str
    final_outcome: str
    cycles: tuple[RecordedCycle, ...]


class Pack(NamedTuple):
    """Everything a capture leaves of one scenario."""

    scenario: Scenario
    transcript: Transcript
    snapshots: tuple[bytes | None, ...]
    """By cycle, the state file as the engine left it, or None if there was no file."""
    halts: tuple[HaltMarker, ...]
    report: str
    seen: Observations


class Summary(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One row of `summary.json`."""

    id: str
    description: str
    final_outcome: str
    exit_code: int
    cycles: int


class Difference(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One place in which the engine does not do what it did."""

    scenario: str
    cycle: int
    """0 for the whole of it."""
    pointer: str
    before: str
    after: str
