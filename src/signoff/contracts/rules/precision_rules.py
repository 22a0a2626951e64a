"""The precision rules: whether a contract states its goal in its precision fields in words to be checked.

Pure. Part of the `strict` policy. Rules that contracts and sprints share take texts with their places, so
that both are measured alike.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from signoff.contracts.rules.contract_parts import Parts, Rule, TextAt, spoken, texts
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.check_kinds import prose_of
from signoff.domain.work.contract import Contract, VerificationMethod
from signoff.text.json.camel_case import camel
from signoff.text.json.violation_list import CodedRule, shown
from signoff.text.phrases import is_blank, length
from signoff.text.vague_words import is_unwritten, vague_phrases, why_no_non_goal, why_no_signal

MIN_DONE: Final = 20
"""Characters of a definition of done."""
MIN_CRITERION: Final = 25
"""Characters of a success criterion."""
ENOUGH_CRITERIA: Final = 3
MAX_AMBIGUITY: Final = 10
TOO_AMBIGUOUS: Final = 7

OPINIONS: Final = frozenset({VerificationMethod.MANUAL, VerificationMethod.AGENT_EVALUATION})
"""Methods that end in an opinion: they can lower a verdict and never raise it."""

_FIELDS: Final = (
    "non_goals",
    "stop_conditions",
    "definition_of_done",
    "assumptions",
    "out_of_scope",
    "ambiguity_score",
)


class PrecisionCode(CodedRule):
    """What can be wrong with the words of a contract or a sprint."""

    MISSING_FIELD = "missing-precision-field", ""
    NO_NON_GOALS = "no-non-goals", "say what must not be done"
    NO_STOP_CONDITIONS = "no-stop-conditions", "name what shows that the work is finished"
    DONE_TOO_SHORT = "done-too-short", ""
    PLACEHOLDER = "placeholder", ""
    AMBIGUITY_RANGE = "ambiguity-range", ""
    TOO_AMBIGUOUS = "too-ambiguous", "ask what is unclear first"
    OPEN_QUESTIONS = "open-questions", "answer it, then plan from the answer"
    BLANK_TEXT = "blank-text", "say it in words"
    CRITERION_TOO_SHORT = "criterion-too-short", "say what can be seen when it holds"
    FEW_CRITERIA = (
        "few-criteria",
        "add what else must be seen: what is refused, what stays, what builds",
        Severity.WARNING,
    )
    CRITERION_WITHOUT_METHOD = (
        "criterion-without-method",
        "write `id`, `description`, `verification_method` and `proven_by`",
        Severity.WARNING,
    )
    OPINION_ONLY = "opinion-only", "name in `proven_by` the checks that show it", Severity.WARNING
    VAGUE_PHRASE = "vague-phrase", "say what can be seen instead"
    """A warning in a task's acceptance criteria."""
    PLACEHOLDER_NON_GOAL = "placeholder-non-goal", "name what must not be touched, added or changed"
    NO_SIGNAL = "no-signal", "name the check, the test or the output that shows it"


def fields_are_given(contract: Contract, given: Collection[str] | None) -> Iterator[Violation]:
    """Ask for each precision field. An empty list is an answer, a missing field is none.

    `given` are the keys of the file, in either spelling. Without them (None) an empty field counts as
    missing. Each field is first looked for, then held against the rule of its own.
    """
    for name in _FIELDS:
        value = getattr(contract, name)
        is_said = bool(value) or value == 0 if given is None else is_given(name, given)
        if not is_said or value is None:
            yield missing(name)
        elif name == "non_goals" and not value:
            yield PrecisionCode.NO_NON_GOALS.found("no non-goal", "/non_goals")
        elif name == "stop_conditions" and not value:
            yield PrecisionCode.NO_STOP_CONDITIONS.found("no stop condition", "/stop_conditions")
        elif name == "definition_of_done":
            yield from done_is_told(value)


def is_given(name: str, given: Collection[str]) -> bool:
    """Check whether a field is among the keys of a file, in either spelling."""
    return name in given or camel(name) in given


def ambiguity_is_low(score: int | None) -> Iterator[Violation]:
    """Ask a plan this uncertain for its questions first."""
    if score is not None and score >= TOO_AMBIGUOUS:
        message = f"an ambiguity of {shown(score)} is {TOO_AMBIGUOUS} or more"
        yield PrecisionCode.TOO_AMBIGUOUS.found(message, "/ambiguity_score")


def ambiguity_is_on_the_scale(score: int | None) -> Iterator[Violation]:
    """Ask for a rating from 0, nothing is open, to 10."""
    if score is not None and not 0 <= score <= MAX_AMBIGUITY:
        message = f"must be from 0 to {MAX_AMBIGUITY}, not {shown(score)}"
        fix = f"write 0 where nothing is open, {MAX_AMBIGUITY} where everything is"
        yield PrecisionCode.AMBIGUITY_RANGE.found(message, "/ambiguity_score", fix=fix)


def missing(name: str) -> Violation:
    """Return the violation of a precision field that was left out."""
    fixes = {
        "non_goals": "say what must not be done",
        "stop_conditions": "name what shows that the work is finished",
        "definition_of_done": "say what will be there in the end",
        "assumptions": "say what is taken for granted, or `[]`",
        "out_of_scope": "say what is left for later, or `[]`",
        "ambiguity_score": f"say from 0 to {MAX_AMBIGUITY} how much is still open",
    }
    return PrecisionCode.MISSING_FIELD.found(f"`{name}` is missing", f"/{name}", fix=fixes[name])


def done_is_told(text: str) -> Iterator[Violation]:
    """Ask for a definition of done that is more than a word, and more than its place."""
    fix = "say what will be there in the end"
    if (size := length(text)) < MIN_DONE:
        message = f"{size} characters to read, and {MIN_DONE} is the least"
        yield PrecisionCode.DONE_TOO_SHORT.found(message, "/definition_of_done", fix=fix)
    elif why := "is a placeholder" if is_unwritten(text) else why_no_signal(text):
        yield PrecisionCode.PLACEHOLDER.found(f"{shown(text)} {why}", "/definition_of_done", fix=fix)


def criteria_are_told(criteria: Iterable[TextAt]) -> Iterator[Violation]:
    """Ask for success criteria that are more than a few words."""
    for text, path in criteria:
        if (size := length(text)) < MIN_CRITERION:
            message = f"{size} characters to read, and {MIN_CRITERION} is the least"
            yield PrecisionCode.CRITERION_TOO_SHORT.found(message, path)


def nothing_is_blank(items: Iterable[TextAt]) -> Iterator[Violation]:
    """Ask for text. Spaces and invisible characters are none."""
    for text, path in items:
        if is_blank(text):
            yield PrecisionCode.BLANK_TEXT.found("nothing to read", path, fix="write it, or drop the entry")


def words_can_be_checked(
    items: Iterable[TextAt], *, quoted_too: bool = False, severity: Severity = Severity.ERROR
) -> Iterator[Violation]:
    """Report each vague phrase, with `quoted_too` as in `vague_phrases`."""
    for text, path in items:
        for phrase in vague_phrases(text, quoted_too=quoted_too):
            message = f"says “{phrase}”, which nothing can check"
            yield PrecisionCode.VAGUE_PHRASE.found(message, path, severity=severity)


def non_goals_forbid(items: Iterable[TextAt]) -> Iterator[Violation]:
    """Ask for non-goals that forbid something."""
    for text, path in items:
        if why := why_no_non_goal(text):
            yield PrecisionCode.PLACEHOLDER_NON_GOAL.found(f"{shown(text)} {why}", path)


def stop_conditions_are_signals(items: Iterable[TextAt]) -> Iterator[Violation]:
    """Ask for stop conditions whose coming true can be observed."""
    for text, path in items:
        if why := why_no_signal(text):
            yield PrecisionCode.NO_SIGNAL.found(f"{shown(text)} {why}", path)


def _ambiguity(parts: Parts) -> Iterator[Violation]:
    yield from ambiguity_is_on_the_scale(parts.contract.ambiguity_score)
    yield from ambiguity_is_low(parts.contract.ambiguity_score)


def _questions(parts: Parts) -> Iterator[Violation]:
    """Ask for an answer to each open question: a plan with one cannot be built."""
    for text, path in texts(parts.contract.open_questions, "/open_questions"):
        yield PrecisionCode.OPEN_QUESTIONS.found(f"{shown(text)} has no answer", path)


def _blanks(parts: Parts) -> Iterator[Violation]:
    contract = parts.contract
    yield from nothing_is_blank((TextAt(contract.goal, "/goal"), TextAt(contract.why, "/why")))
    for i, task in enumerate(contract.tasks):
        yield from nothing_is_blank((TextAt(task.title, f"/tasks/{i}/title"),))
        yield from nothing_is_blank(_acceptance(task.acceptance_criteria, i))
    for check, path in parts.checks:
        if (prose := prose_of(check)) is not None:
            yield from nothing_is_blank((TextAt(prose, f"{path}/description"),))
    for item, path in parts.evidence:
        yield from nothing_is_blank((TextAt(item.description, f"{path}/description"),))
    yield from nothing_is_blank(texts(contract.assumptions, "/assumptions"))
    yield from nothing_is_blank(texts(contract.out_of_scope, "/out_of_scope"))


def _criteria(parts: Parts) -> Iterator[Violation]:
    criteria = parts.contract.success_criteria
    yield from criteria_are_told(spoken(criteria, "/success_criteria"))
    if 0 < len(criteria) < ENOUGH_CRITERIA:
        message = f"{len(criteria)} success criteria, and {ENOUGH_CRITERIA} is the least that says much"
        yield PrecisionCode.FEW_CRITERIA.found(message, "/success_criteria")
    for n, item in enumerate(criteria):
        if isinstance(item, str):
            message = "it does not say how it is to be shown, so it stands or falls with every check"
            yield PrecisionCode.CRITERION_WITHOUT_METHOD.found(message, f"/success_criteria/{n}")
        elif item.required and not item.proven_by and item.verification_method in OPINIONS:
            message = f"`{item.verification_method}` can lower a verdict and never raise it"
            yield PrecisionCode.OPINION_ONLY.found(message, f"/success_criteria/{n}/verification_method")


def _phrases(parts: Parts) -> Iterator[Violation]:
    contract = parts.contract
    yield from words_can_be_checked(
        (
            TextAt(contract.goal, "/goal"),
            TextAt(contract.definition_of_done, "/definition_of_done"),
            *spoken(contract.success_criteria, "/success_criteria"),
            *spoken(contract.non_goals, "/non_goals"),
            *spoken(contract.stop_conditions, "/stop_conditions"),
        )
    )
    for i, task in enumerate(contract.tasks):
        criteria = _acceptance(task.acceptance_criteria, i)
        yield from words_can_be_checked(criteria, severity=Severity.WARNING)


def _placeholders(parts: Parts) -> Iterator[Violation]:
    yield from non_goals_forbid(spoken(parts.contract.non_goals, "/non_goals"))
    yield from stop_conditions_are_signals(spoken(parts.contract.stop_conditions, "/stop_conditions"))


def _acceptance(criteria: Sequence[str], i: int) -> tuple[TextAt, ...]:
    return texts(criteria, f"/tasks/{i}/acceptance_criteria")


RULES: Final[tuple[Rule, ...]] = (_ambiguity, _questions, _blanks, _criteria, _phrases, _placeholders)
