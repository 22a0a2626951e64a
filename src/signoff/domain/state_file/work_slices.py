"""What a state file may hold about work on a user interface. Pure records.

Each is one field of `WorkState`. They say what is checked. What a host writes is kept as it came, with
every key that is not named here. The steps decide whether it is enough to go on.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from signoff.domain.base.record import Record
from signoff.domain.work.work_state import JsonValue, OutcomeWord, Persona, WorkState


class GreenfieldDecision(StrEnum):
    """How a project without any user interface gets its first."""

    SCAFFOLD = "scaffold"
    BARE = "bare"
    EXTERNAL_REFERENCE = "external_reference"


class A11ySeverity(StrEnum):
    """How grave a violation of accessibility is, from the least."""

    MINOR = "minor"
    MODERATE = "moderate"
    SERIOUS = "serious"
    CRITICAL = "critical"


class StitchVerdict(StrEnum):
    """What an integration test showed."""

    SUCCESS = "success"
    BLOCKED = "blocked"
    PARTIAL = "partial"


class Stack(Record, frozen=True, kw_only=True):
    """`stack`: what the front end is built with."""

    frontend: Annotated[str, Meta(min_length=1)]
    """`blade-livewire-flux`, `react-shadcn`, `vue` or `plain`. Any other is worked on as `plain`."""
    mtime: float = 0.0
    """When the newest manifest that says so was changed, in seconds since 1970."""


class UiAudit(Record, frozen=True, kw_only=True):
    """`ui_audit`: which user interface is there already."""

    greenfield: bool = False
    """There is no user interface yet."""
    greenfield_decision: GreenfieldDecision | None = None
    """What a person chose for a project without a user interface."""
    a11y_baseline: list[JsonValue] = []
    """Violations of accessibility from before the work. If it is given, a review has to have `a11y`."""
    components_found: JsonValue = None
    """Components that could be used again, each with its `similarity`."""
    components: JsonValue = None
    """Older name of `components_found`."""
    design_tokens: JsonValue = None
    """Colours, sizes and the like that have a name."""
    shadcn_inventory: JsonValue = None
    """What is there of shadcn, with its `version`."""
    version_mismatch_decision: JsonValue = None
    """What a person chose where that version is not the one that is known."""
    audit_path: JsonValue = None
    """How the audit was settled: `greenfield`, `high_confidence` or `ambiguous`."""


class UiDesign(Record, frozen=True, kw_only=True):
    """`ui_design`: the brief of what is to be built."""

    design_confirmed: bool = False
    """A person agreed to the brief."""
    layout: JsonValue = None
    components: JsonValue = None
    states: JsonValue = None
    """What is shown when empty, loading, in error, done and disabled."""
    microcopy: JsonValue = None
    """The words on the screen, without placeholders."""
    a11y: JsonValue = None


class A11y(Record, frozen=True, kw_only=True):
    """`ui_review.a11y`: what a scan for accessibility found."""

    violations: list[JsonValue] = []
    """Each with its `rule`, `selector` and `severity`."""
    severity_floor: A11ySeverity | None = None
    """What is less grave does not count. `moderate` if it is null."""
    accepted_violations: list[JsonValue] = []
    """What a person took as it is, by `rule` and `selector`."""


class Preview(Record, frozen=True, kw_only=True):
    """`ui_review.preview`: whether the work could be shown at all."""

    render_ok: bool = False
    skipped: JsonValue = None
    """Nothing was rendered on purpose."""


class UiReview(Record, frozen=True, kw_only=True):
    """`ui_review`: what a look at the work found."""

    findings: list[JsonValue] = []
    review_clean: bool = False
    a11y: A11y | None = None
    preview: Preview | None = None


class UiPolish(Record, frozen=True, kw_only=True):
    """`ui_polish`: rounds of putting findings right."""

    rounds: Annotated[int, Meta(ge=0, le=3)] = 0
    """How many there were: at most 2, or 3 with `extension_used`."""
    extension_used: bool = False
    """A person allowed one more."""
    applied: list[JsonValue] = []


class MixedContract(Record, frozen=True, kw_only=True):
    """`contract`: what back end and front end agree on before either is built."""

    data_model: list[JsonValue] = []
    api_surface: list[JsonValue] = []
    contract_confirmed: bool = False
    """A person agreed to it."""


class Stitch(Record, frozen=True, kw_only=True):
    """`stitch`: whether back end and front end work together."""

    scenarios: list[JsonValue] = []
    verdict: StitchVerdict = StitchVerdict.SUCCESS
    integration_confirmed: bool = False
    """A person took a verdict that is not `success`."""


SLICES: Final[Mapping[str, Any]] = {
    "stack": Stack,
    "ui_audit": UiAudit,
    "ui_design": UiDesign,
    "ui_review": UiReview,
    "ui_polish": UiPolish,
    "contract": MixedContract,
    "stitch": Stitch,
}
"""The record of each part, by its key, in the order on disk."""


def state_shape() -> type[msgspec.Struct]:
    """Return the type of a state as the schema has it, with the record of each part.

    `WorkState` itself keeps these parts as they came, whatever is in them.
    """
    kinds = {name: kind | None for name, kind in SLICES.items()}
    kinds |= {"persona": Persona | None, "outcomes": dict[str, OutcomeWord | None]}
    fields: list[Any] = []
    for field in msgspec.structs.fields(WorkState):
        kind = kinds.get(field.name, field.type)
        if field.required or field.name == "version":
            fields.append((field.name, kind))
        elif field.default is msgspec.NODEFAULT:
            fields.append((field.name, kind, msgspec.field(default_factory=field.default_factory)))
        else:
            fields.append((field.name, kind, field.default))
    return msgspec.defstruct(WorkState.__name__, fields, kw_only=True)
