"""The rules of a sprint contract, and of several that belong together.

Pure. `seed` asks for the least its format needs and applies the phrase gate, `strict` adds the planner's
checklist. A violation goes back to the planner: another try at building would meet the same words.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from signoff.contracts.rules import precision_rules
from signoff.contracts.rules.contract_parts import TextAt, chain, texts, why_no_file
from signoff.contracts.rules.precision_rules import PrecisionCode
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.contract import ContractPolicy, VerificationMethod
from signoff.domain.work.sprints import Sprint
from signoff.text.graph_cycles import cycles
from signoff.text.json.violation_list import MAX_VIOLATIONS, CodedRule, Findings, shown
from signoff.text.timestamps import is_moment

MIN_CRITERIA: Final = 3

_MOMENTS: Final = ("created_at", "updated_at", "started_at", "completed_at")


_LISTS: Final = ("assumptions", "out_of_scope")
"""They may be empty, but not left out."""


class SprintCode(CodedRule):
    """The faults of a sprint. Those of its words have a `PrecisionCode`."""

    NOT_POSITIVE = "not-positive", "write 1 or more"
    BAD_TIMESTAMP = "bad-timestamp", "write it as `2026-01-31T09:00:00Z`"
    NO_SUCCESS_CRITERIA = "no-success-criteria", "add one"
    TOO_FEW_CRITERIA = (
        "too-few-criteria",
        "add what else must be seen: what is refused, what stays, what builds",
    )
    NO_REQUIRED_CRITERION = "no-required-criterion", "make one required"
    DUPLICATE_CRITERION_ID = "duplicate-criterion-id", "choose another id"
    NO_BUILD_CRITERION = (
        "no-build-criterion",
        "add one whose verification method is `build`",
        Severity.WARNING,
    )
    OPINIONS_ONLY = "opinions-only", "give one a verification method that runs something", Severity.WARNING
    NO_NOTES = "no-notes", "", Severity.WARNING
    PATH_ESCAPE = "path-escape", "write a path below the root, with forward slashes"
    SELF_DEPENDENCY = "self-dependency", "drop it"
    DUPLICATE_SPRINT_ID = "duplicate-sprint-id", "choose another id"
    DUPLICATE_SPRINT_NUMBER = "duplicate-sprint-number", "number it anew"
    UNKNOWN_SPRINT = "unknown-sprint", "name the `contract_id` of a sprint of this spec"
    SPRINT_CYCLE = "sprint-cycle", "drop one of these dependencies"
    FIRST_SPRINT_WAITS = "first-sprint-waits", "let it depend on nothing, or number the other one first"
    MIXED_SPECS = "mixed-specs", "keep the sprints of a spec together", Severity.WARNING


class SprintAt(NamedTuple):
    """A sprint with its JSON pointer, which is empty for a file of its own."""

    sprint: Sprint
    path: str


def check_sprint(
    sprint: Sprint, policy: ContractPolicy = ContractPolicy.STRICT, given: Collection[str] | None = None
) -> tuple[Violation, ...]:
    """Return everything that is wrong with one sprint, warnings included.

    Its dependencies are looked up by `check_sprints`. `given` are the keys in the file, in either spelling:
    only they tell a list that was left out from an empty one, so without them that is not checked.
    """
    rules = (_strict_words, _planned, _noted) if policy is ContractPolicy.STRICT else (_least_words,)
    findings = Findings()
    for rule in (_shape, *rules):
        findings.extend(_some(rule(sprint)))
    if policy is ContractPolicy.STRICT and given is not None:
        findings.extend(
            precision_rules.missing(name) for name in _LISTS if not precision_rules.is_given(name, given)
        )
    return findings.all()


def check_sprints(sprints: Sequence[SprintAt]) -> tuple[Violation, ...]:
    """Return everything that is wrong between the sprints, which must be all of a spec.

    A sprint that depends on itself is reported by `check_sprint`.
    """
    findings = Findings()
    for rule in (
        _one_of_each,
        _dependencies_exist,
        _dependencies_have_no_cycle,
        _the_first_can_start,
        _one_spec,
    ):
        findings.extend(_some(rule(sprints)))
    return findings.all()


def _some(found: Iterable[Violation]) -> Iterable[Violation]:
    return islice(found, MAX_VIOLATIONS + 1)


def _shape(sprint: Sprint) -> Iterator[Violation]:
    """Check what the format asks for and the types leave open."""
    if sprint.sprint_number < 1:
        message = f"must be 1 or more, not {shown(sprint.sprint_number)}"
        yield SprintCode.NOT_POSITIVE.found(message, "/sprint_number")
    if sprint.version is not None and sprint.version < 0:
        message = f"must be 0 or more, not {shown(sprint.version)}"
        yield SprintCode.NOT_POSITIVE.found(message, "/version", fix="write 0 or more")
    for name in _MOMENTS:
        moment: str | None = getattr(sprint, name)
        if moment is not None and not is_moment(moment):
            yield SprintCode.BAD_TIMESTAMP.found(f"{shown(moment)} is no moment with a zone", f"/{name}")
    if not sprint.success_criteria:
        yield SprintCode.NO_SUCCESS_CRITERIA.found("no success criterion", "/success_criteria")
    if not sprint.non_goals:
        yield PrecisionCode.NO_NON_GOALS.found("no non-goal", "/non_goals")
    if not sprint.stop_conditions:
        yield PrecisionCode.NO_STOP_CONDITIONS.found("no stop condition", "/stop_conditions")
    yield from precision_rules.ambiguity_is_on_the_scale(sprint.ambiguity_score)


def _least_words(sprint: Sprint) -> Iterator[Violation]:
    """Check lengths that count every character, and phrases in quotation marks too."""
    said = (*_names(sprint), *texts(sprint.non_goals, "/non_goals"))
    yield from precision_rules.nothing_is_blank(item for item in said if not item.text)
    if len(sprint.definition_of_done) < precision_rules.MIN_DONE:
        yield from precision_rules.done_is_told(sprint.definition_of_done)
    short = (item for item in _criteria(sprint) if len(item.text) < precision_rules.MIN_CRITERION)
    yield from precision_rules.criteria_are_told(short)
    yield from precision_rules.words_can_be_checked(_gated(sprint), quoted_too=True)


def _strict_words(sprint: Sprint) -> Iterator[Violation]:
    """Check the lengths of readable text, and words that mean something."""
    yield from precision_rules.nothing_is_blank(_names(sprint))
    yield from precision_rules.nothing_is_blank(texts(sprint.assumptions, "/assumptions"))
    yield from precision_rules.nothing_is_blank(texts(sprint.out_of_scope, "/out_of_scope"))
    yield from precision_rules.done_is_told(sprint.definition_of_done)
    yield from precision_rules.criteria_are_told(_criteria(sprint))
    yield from precision_rules.words_can_be_checked(_gated(sprint))
    yield from precision_rules.non_goals_forbid(texts(sprint.non_goals, "/non_goals"))
    yield from precision_rules.stop_conditions_are_signals(texts(sprint.stop_conditions, "/stop_conditions"))
    if sprint.ambiguity_score is None:
        yield precision_rules.missing("ambiguity_score")
    yield from precision_rules.ambiguity_is_low(sprint.ambiguity_score)


def _planned(sprint: Sprint) -> Iterator[Violation]:
    """Report what keeps a sprint from being built, or from being judged.

    Each field is checked by itself, in the order of the format.
    """
    criteria = sprint.success_criteria
    if 0 < len(criteria) < MIN_CRITERIA:
        message = f"{len(criteria)} success criteria, and {MIN_CRITERIA} is the least"
        yield SprintCode.TOO_FEW_CRITERIA.found(message, "/success_criteria")
    if criteria and not any(item.required for item in criteria):
        message = "every success criterion is optional"
        yield SprintCode.NO_REQUIRED_CRITERION.found(message, "/success_criteria")
    seen: dict[str, int] = {}
    for n, item in enumerate(criteria):
        if (first := seen.setdefault(item.criterion_id, n)) != n:
            message = f"{shown(item.criterion_id)} is the id of criterion {first + 1} already"
            yield SprintCode.DUPLICATE_CRITERION_ID.found(message, f"/success_criteria/{n}/criterion_id")
    for text, path in texts(sprint.estimated_files, "/estimated_files"):
        if why := why_no_file(text):
            yield SprintCode.PATH_ESCAPE.found(f"{shown(text)} {why}", path)
    for text, path in texts(sprint.depends_on, "/depends_on"):
        if text == sprint.contract_id:
            yield SprintCode.SELF_DEPENDENCY.found("it depends on itself", path)


def _noted(sprint: Sprint) -> Iterator[Violation]:
    """Warn about what a careful planner writes and this one left out.

    Each warning stands alone.
    """
    criteria = sprint.success_criteria
    required = [item.verification_method for item in criteria if item.required]
    if criteria and all(item.verification_method is not VerificationMethod.BUILD for item in criteria):
        yield SprintCode.NO_BUILD_CRITERION.found("no criterion says that it builds", "/success_criteria")
    if required and precision_rules.OPINIONS.issuperset(required):
        message = "every required criterion is an opinion, which can lower a verdict and never raise it"
        yield SprintCode.OPINIONS_ONLY.found(message, "/success_criteria")
    for name, reader in (("generator_notes", "builds"), ("evaluator_notes", "judges")):
        if not (getattr(sprint, name) or "").strip():
            message = f"`{name}` is empty"
            yield SprintCode.NO_NOTES.found(
                message, f"/{name}", fix=f"tell the agent that {reader} it where to look"
            )


def _one_of_each(sprints: Sequence[SprintAt]) -> Iterator[Violation]:
    ids: dict[str, SprintAt] = {}
    numbers: dict[tuple[str, int], SprintAt] = {}
    for at in sprints:
        sprint, path = at
        if ids.setdefault(sprint.contract_id, at) is not at:
            message = f"{shown(sprint.contract_id)} is the id of another sprint already"
            yield SprintCode.DUPLICATE_SPRINT_ID.found(message, f"{path}/contract_id")
        first = numbers.setdefault((sprint.spec_id, sprint.sprint_number), at)
        if first is not at:
            message = f"{sprint.sprint_number} is the number of {shown(first.sprint.contract_id)} already"
            yield SprintCode.DUPLICATE_SPRINT_NUMBER.found(message, f"{path}/sprint_number")


def _dependencies_exist(sprints: Sequence[SprintAt]) -> Iterator[Violation]:
    known = {at.sprint.contract_id for at in sprints}
    for sprint, path in sprints:
        for name, pointer in texts(sprint.depends_on, f"{path}/depends_on"):
            if name not in known:
                yield SprintCode.UNKNOWN_SPRINT.found(f"there is no sprint {shown(name)}", pointer)


def _dependencies_have_no_cycle(sprints: Sequence[SprintAt]) -> Iterator[Violation]:
    edges: dict[str, dict[str, str]] = {at.sprint.contract_id: {} for at in sprints}
    for sprint, path in sprints:
        for name, pointer in texts(sprint.depends_on, f"{path}/depends_on"):
            if name != sprint.contract_id:
                edges[sprint.contract_id].setdefault(name, pointer)
    for nodes, source, target in cycles(edges):
        yield SprintCode.SPRINT_CYCLE.found(f"a cycle: {chain(nodes)}", edges[source][target])


def _the_first_can_start(sprints: Sequence[SprintAt]) -> Iterator[Violation]:
    first: dict[str, SprintAt] = {}
    for at in sprints:
        known = first.setdefault(at.sprint.spec_id, at)
        if at.sprint.sprint_number < known.sprint.sprint_number:
            first[at.sprint.spec_id] = at
    for sprint, path in first.values():
        if set(sprint.depends_on) - {sprint.contract_id}:
            message = "the first sprint waits for another, so no sprint can start"
            yield SprintCode.FIRST_SPRINT_WAITS.found(message, f"{path}/depends_on")


def _one_spec(sprints: Sequence[SprintAt]) -> Iterator[Violation]:
    for sprint, path in sprints[1:]:
        if sprint.spec_id != (spec := sprints[0].sprint.spec_id):
            message = f"{shown(sprint.spec_id)} is another spec than {shown(spec)}"
            yield SprintCode.MIXED_SPECS.found(message, f"{path}/spec_id")


def _names(sprint: Sprint) -> Iterator[TextAt]:
    for name in ("contract_id", "spec_id", "title", "description"):
        yield TextAt(getattr(sprint, name), f"/{name}")
    for n, item in enumerate(sprint.success_criteria):
        yield TextAt(item.criterion_id, f"/success_criteria/{n}/criterion_id")


def _criteria(sprint: Sprint) -> tuple[TextAt, ...]:
    return tuple(
        TextAt(item.description, f"/success_criteria/{n}/description")
        for n, item in enumerate(sprint.success_criteria)
    )


def _gated(sprint: Sprint) -> tuple[TextAt, ...]:
    """Return the texts that the phrase gate checks."""
    return (
        TextAt(sprint.description, "/description"),
        TextAt(sprint.definition_of_done, "/definition_of_done"),
        *_criteria(sprint),
        *texts(sprint.non_goals, "/non_goals"),
        *texts(sprint.stop_conditions, "/stop_conditions"),
    )
