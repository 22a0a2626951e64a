"""What must hold of the single fields of a spec: texts, numbers, times, ids. Pure; for `core.spec_rules`."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from signoff.core.contract_parts import TextAt
from signoff.core.phrases import normalised
from signoff.core.precision import ambiguity_is_on_the_scale, nothing_is_blank
from signoff.core.spec_codes import SpecCode
from signoff.core.spec_life import moment
from signoff.core.violations import below, fault, shown
from signoff.domain.spec import Spec, SpecStatus
from signoff.domain.violations import Severity, Violation

MIN_QUESTION: Final = 5

_ENDS = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}", "\N{GREEK QUESTION MARK}", ";")
"""Unicode composes the Greek question mark to a semicolon."""
_CLOSING = "\"'`)]»”’*_ "


def texts_say_something(spec: Spec) -> Iterator[Violation]:
    """Spaces and invisible characters are not something."""
    return nothing_is_blank(_texts(spec))


def questions_are_questions(spec: Spec) -> Iterator[Violation]:
    """A word or two cannot be answered."""
    for n, question in enumerate(spec.clarification_questions):
        text = normalised(question.question)
        path = f"/clarification_questions/{n}/question"
        if len(text) < MIN_QUESTION:
            message = f"{shown(text)} is shorter than {MIN_QUESTION} characters"
            yield fault(SpecCode.SHORT_QUESTION, message, path, fix="ask a whole question")
        elif not text.rstrip(_CLOSING).endswith(_ENDS):
            message = "does not end with a question mark"
            yield _warning(SpecCode.NO_QUESTION_MARK, message, path, "ask a question that can be answered")


def numbers_are_in_range(spec: Spec) -> Iterator[Violation]:
    """Versions and estimates count from one; ambiguity is rated from 0 to 10."""
    counts = [(spec.version, "/version")]
    counts += [
        (feature.estimated_sprints, f"/features/{n}/estimated_sprints")
        for n, feature in enumerate(spec.features)
        if feature.estimated_sprints is not None
    ]
    for count, path in counts:
        if count < 1:
            message = f"{shown(count)} is less than 1"
            yield fault(SpecCode.NOT_POSITIVE, message, path, fix="count from 1")
    yield from ambiguity_is_on_the_scale(spec.ambiguity_score)
    for n, question in enumerate(spec.clarification_questions):
        for violation in ambiguity_is_on_the_scale(question.ambiguity_weight):
            yield replace(violation, path=f"/clarification_questions/{n}/ambiguity_weight")


def timestamps_mean_one_moment(spec: Spec) -> Iterator[Violation]:
    """A date alone, or a time without an offset, means another moment elsewhere."""
    stamps = [TextAt(spec.created_at, "/created_at"), TextAt(spec.updated_at, "/updated_at")]
    if spec.completed_at is not None:
        stamps.append(TextAt(spec.completed_at, "/completed_at"))
    for n, answer in enumerate(spec.resolved_clarifications):
        stamps.append(TextAt(answer.resolved_at, f"/resolved_clarifications/{n}/resolved_at"))
    for text, path in stamps:
        if moment(text) is None:
            message = f"{shown(text)} is no date and time with its offset"
            fix = "write it as `2026-01-31T12:00:00Z`, or with an offset"
            yield fault(SpecCode.BAD_TIMESTAMP, message, path, fix=fix)


def times_are_in_order(spec: Spec) -> Iterator[Violation]:
    """Nothing changes before it is there, and what is completed was completed at some time."""
    created, updated = moment(spec.created_at), moment(spec.updated_at)
    if created is not None and updated is not None and updated < created:
        message = f"{shown(spec.updated_at)} is before it was created"
        fix = "write when it was changed last"
        yield _warning(SpecCode.UPDATED_BEFORE_CREATED, message, "/updated_at", fix)
    if spec.status is SpecStatus.COMPLETED and spec.completed_at is None:
        message = "does not say when it was completed"
        yield _warning(SpecCode.NO_COMPLETION_TIME, message, "/completed_at", "add when it was completed")


def ids_are_unique(spec: Spec) -> Iterator[Violation]:
    """An answer speaks for one question, a dependency for one feature, a choice for one option."""
    features = (
        TextAt(feature.feature_id, f"/features/{n}/feature_id") for n, feature in enumerate(spec.features)
    )
    yield from _doubled(features, SpecCode.DUPLICATE_FEATURE_ID)
    questions = (
        TextAt(question.question_id, f"/clarification_questions/{n}/question_id")
        for n, question in enumerate(spec.clarification_questions)
    )
    yield from _doubled(questions, SpecCode.DUPLICATE_QUESTION_ID)
    for n, question in enumerate(spec.clarification_questions):
        labels = (
            TextAt(normalised(option.label), f"/clarification_questions/{n}/options/{i}/label")
            for i, option in enumerate(question.options)
        )
        yield from _doubled(labels, SpecCode.DUPLICATE_OPTION)


def _texts(spec: Spec) -> Iterator[TextAt]:
    for name in ("spec_id", "title", "description"):
        yield TextAt(getattr(spec, name), f"/{name}")
    for n, feature in enumerate(spec.features):
        path = f"/features/{n}"
        for name in ("feature_id", "title", "description"):
            yield TextAt(getattr(feature, name), f"{path}/{name}")
        for i, criterion in enumerate(feature.acceptance_criteria):
            yield TextAt(criterion, below(path, "acceptance_criteria", i))
    for n, question in enumerate(spec.clarification_questions):
        path = f"/clarification_questions/{n}"
        yield TextAt(question.question_id, f"{path}/question_id")
        for i, option in enumerate(question.options):
            yield TextAt(option.label, f"{path}/options/{i}/label")
            yield TextAt(option.description, f"{path}/options/{i}/description")
    for n, answer in enumerate(spec.resolved_clarifications):
        yield TextAt(answer.answer, f"/resolved_clarifications/{n}/answer")


def _doubled(named: Iterable[TextAt], code: SpecCode) -> Iterator[Violation]:
    seen: dict[str, str] = {}
    for text, path in named:
        first = seen.setdefault(text, path)
        if first != path:
            yield fault(code, f"{shown(text)} is given twice", path, fix="choose another one")


def _warning(code: SpecCode, message: str, path: str, fix: str) -> Violation:
    return fault(code, message, path, fix=fix, severity=Severity.WARNING)
