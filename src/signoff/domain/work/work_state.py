"""The state file that a host and the engine exchange, one cycle at a time. Pure records.

The file is a view: the truth is the run's journal. What a host writes into it is a claim. The order of the
fields is the order on disk.
"""

from enum import StrEnum
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta

from signoff.domain.base.record import Record
from signoff.domain.work.ticket import InputKind

JsonValue = object
"""Whatever JSON can hold, kept as it came. Look at its type before using it."""
JsonObject = dict[str, object]

OutcomeWord = Literal["success", "blocked", "partial", "skipped"]
"""What may be said of a step in a state file. Null is a step of which nothing is known."""

OUTCOMES: Final[tuple[str, ...]] = get_args(OutcomeWord)


V0_NAME = ".implement-ticket-state.json"
V1_NAME = ".work-state.json"
"""What a state file is called by default, in the older format and in this one."""


class StateFormat(StrEnum):
    """Which format a state file keeps: it is written back as it was read."""

    V0 = "v0"
    V1 = "v1"


class Intent(StrEnum):
    """What kind of work is asked for."""

    BACKEND_CODING = "backend-coding"
    UI_BUILD = "ui-build"
    UI_IMPROVE = "ui-improve"
    UI_TRIVIAL = "ui-trivial"
    MIXED = "mixed"


class DirectiveSet(StrEnum):
    """Which steps the work takes."""

    BACKEND = "backend"
    UI = "ui"
    UI_TRIVIAL = "ui-trivial"
    MIXED = "mixed"


class Persona(StrEnum):
    """How far a run goes, and how wide it tests."""

    SENIOR_ENGINEER = "senior-engineer"
    QA = "qa"
    ADVISORY = "advisory"


class WorkInput(Record, frozen=True, kw_only=True, omit_defaults=False):
    """What was asked for, as it came in."""

    kind: InputKind
    data: JsonObject
    """A ticket as its tracker wrote it, a prompt or diff as `raw` with `reconstructed_ac` and `assumptions`,
    or a file as `path` in place of `raw`.
    """


class WorkState(Record, frozen=True, kw_only=True, omit_defaults=False):
    """`.work-state.json`, version 1."""

    version: Annotated[int, Meta(ge=1, le=1)] = 1
    input: WorkInput
    intent: Intent = Intent.BACKEND_CODING
    directive_set: DirectiveSet = DirectiveSet.BACKEND
    stack: JsonValue = None
    """A `Stack`, or null while it was not detected."""
    ui_audit: JsonValue = None
    """A `UiAudit`, `{}` or null."""
    ui_design: JsonValue = None
    """A `UiDesign`, `{}` or null."""
    ui_review: JsonValue = None
    """A `UiReview`, `{}` or null."""
    ui_polish: JsonValue = None
    """A `UiPolish`, `{}` or null."""
    contract: JsonValue = None
    """A `MixedContract`, `{}` or null."""
    stitch: JsonValue = None
    """A `Stitch`, `{}` or null."""
    persona: Persona = Persona.SENIOR_ENGINEER
    memory: list[JsonValue] = []
    """What was remembered from earlier work."""
    plan: JsonValue = None
    """Text, a list of steps, or an object with `steps`."""
    changes: JsonValue = []
    """A list of objects with `path` or `file`."""
    tests: JsonValue = None
    """An object with a `verdict`."""
    verify: JsonValue = None
    """An object with a `verdict`."""
    outcomes: dict[str, JsonValue] = {}
    """By step: `success`, `blocked`, `partial` or null. A skipped step reads `success` here and `skipped` in
    the journal and the report."""
    questions: list[str] = []
    """What is to be done or answered next. Written by each cycle anew."""
    report: str | None = None
    """The delivery report, at the end."""


class StateFile(Record, frozen=True, kw_only=True):
    """A state file as it was read: its content and the format it keeps."""

    wire: StateFormat
    state: WorkState
