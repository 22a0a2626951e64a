"""The rules of a spec: its fields, its sprints, and how status, questions, answers and features agree.

Pure. A rule is a function from a spec to violations, named in `RULES`. Pointers are in our spelling, and
`Document.placed` turns them into that of the file. Faults of wording and ambiguity have the codes of
`precision_rules.PrecisionCode`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec.structs import replace

from signoff.contracts.files.document_files import Document, beside
from signoff.contracts.rules.contract_parts import TextAt, chain, texts
from signoff.contracts.rules.precision_rules import (
    TOO_AMBIGUOUS,
    PrecisionCode,
    ambiguity_is_on_the_scale,
    nothing_is_blank,
    words_can_be_checked,
)
from signoff.contracts.rules.sprint_rules import SprintAt, SprintCode, check_sprint, check_sprints
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.contract import ContractPolicy
from signoff.domain.work.spec import ResolvedBy, Spec, SpecStatus
from signoff.domain.work.sprints import Sprint
from signoff.specs.spec_lifecycle import WORKABLE, cited, is_too_ambiguous, moment, open_questions, replan_due
from signoff.text.graph_cycles import cycles
from signoff.text.json.violation_list import MAX_VIOLATIONS, CodedRule, Findings, below, fault, shown
from signoff.text.phrases import normalised

MIN_QUESTION: Final = 5

_ENDS = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}", "\N{GREEK QUESTION MARK}", ";")
"""Unicode composes the Greek question mark to a semicolon."""
_CLOSING = "\"'`)]»”’*_ "
_NEEDS_FEATURES = frozenset({SpecStatus.READY, SpecStatus.IN_PROGRESS, SpecStatus.COMPLETED})
_ENOUGH_CRITERIA: Final = 2


class SpecCode(CodedRule):
    """What can be wrong with a spec, with an answer to its questions, or with a file of answers."""

    NOT_POSITIVE = "not-positive", "count from 1"
    BAD_TIMESTAMP = "bad-timestamp", "write it as `2026-01-31T12:00:00Z`, or with an offset"
    UPDATED_BEFORE_CREATED = "updated-before-created", "write when it was changed last", Severity.WARNING
    NO_COMPLETION_TIME = "no-completion-time", "add when it was completed", Severity.WARNING
    SHORT_QUESTION = "short-question", "ask a whole question"
    NO_QUESTION_MARK = "no-question-mark", "ask a question that can be answered", Severity.WARNING
    DUPLICATE_FEATURE_ID = "duplicate-feature-id", ""
    DUPLICATE_QUESTION_ID = "duplicate-question-id", ""
    DUPLICATE_OPTION = "duplicate-option", ""
    NO_ACCEPTANCE_CRITERIA = "no-acceptance-criteria", "add an acceptance criterion"
    FEW_ACCEPTANCE_CRITERIA = "few-acceptance-criteria", "add what else must hold", Severity.WARNING
    UNKNOWN_DEPENDENCY = "unknown-dependency", "name a feature of this spec"
    DEPENDENCY_CYCLE = "dependency-cycle", "drop one of these dependencies"
    OPEN_QUESTION = "open-question", ""
    NO_QUESTIONS = "no-questions", "ask what is unclear, or set the status to `draft`"
    NOTHING_OPEN = "nothing-open", "have it planned again from the answers", Severity.WARNING
    NO_FEATURES = "no-features", "plan its features"
    """A warning in a draft."""
    FEATURES_TOO_EARLY = (
        "features-too-early",
        "leave them empty until the answers are planned from",
        Severity.WARNING,
    )
    UNKNOWN_QUESTION = "unknown-question", "name a question of this spec"
    ANSWERED_TWICE = "answered-twice", "keep one answer"
    """A warning in a spec: the last answer stands."""
    UNGROUNDED_ANSWER = (
        "ungrounded-answer",
        "add `evidence`, or an assumption that names the question and its grounds",
    )
    UNWRITABLE_ANSWER = "unwritable-answer", "write it as UTF-8"
    FOREIGN_SPRINT = "foreign-sprint", ""
    UNKNOWN_FEATURE = "unknown-feature", "name a feature of this spec"


def check_spec(spec: Spec) -> tuple[Violation, ...]:
    """Return every violation of every rule.

    Whether work may start is another question: `spec_lifecycle.is_ready`.
    """
    findings = Findings()
    for rule in RULES:
        findings.extend(islice(rule(spec), 2 * MAX_VIOLATIONS))
    return findings.all()


def check_document(document: Document[Spec]) -> tuple[Violation, ...]:
    """Return what is wrong with a spec file: its shape, then its rules as far as it can be read."""
    if document.value is not None:
        return (*document.violations, *document.placed(check_spec(document.value)))
    mended = document.placed(check_spec(document.mended)) if document.mended is not None else ()
    return (*document.violations, *beside(mended, document.violations))


def features_can_be_accepted(spec: Spec) -> Iterator[Violation]:
    """Ask for acceptance criteria: without one no check can show that a feature is there."""
    for n, feature in enumerate(spec.features):
        path = below("/features", n, "acceptance_criteria")
        count = len(feature.acceptance_criteria)
        if not count:
            yield SpecCode.NO_ACCEPTANCE_CRITERIA.found("nothing says when this feature is there", path)
        elif count < _ENOUGH_CRITERIA:
            yield SpecCode.FEW_ACCEPTANCE_CRITERIA.found("one acceptance criterion is seldom enough", path)


def criteria_are_precise(spec: Spec) -> Iterator[Violation]:
    """Report phrases that nothing can check, before a sprint is cut from them."""
    for n, feature in enumerate(spec.features):
        criteria = texts(feature.acceptance_criteria, below("/features", n, "acceptance_criteria"))
        yield from words_can_be_checked(criteria, severity=Severity.WARNING)


def dependencies_exist(spec: Spec) -> Iterator[Violation]:
    """Ask each feature to wait for features of this spec only."""
    known = {feature.feature_id for feature in spec.features}
    for n, feature in enumerate(spec.features):
        for i, name in enumerate(feature.dependencies):
            if name not in known:
                message = f"there is no feature {shown(name)}"
                yield SpecCode.UNKNOWN_DEPENDENCY.found(message, below("/features", n, "dependencies", i))


def dependencies_have_no_cycle(spec: Spec) -> Iterator[Violation]:
    """Report a feature that waits for itself, straight or by way of others: it is never built."""
    edges: dict[str, dict[str, str]] = {feature.feature_id: {} for feature in spec.features}
    for n, feature in enumerate(spec.features):
        for i, name in enumerate(feature.dependencies):
            edges[feature.feature_id].setdefault(name, below("/features", n, "dependencies", i))
    for nodes, source, target in cycles(edges):
        message = f"{shown(source)} depends on itself" if source == target else f"a cycle: {chain(nodes)}"
        yield SpecCode.DEPENDENCY_CYCLE.found(message, edges[source][target])


def nothing_is_open_in_what_goes_on(spec: Spec) -> Iterator[Violation]:
    """Report open questions outside needs-clarification, however low the ambiguity is rated."""
    if spec.status not in WORKABLE | {SpecStatus.COMPLETED}:
        return
    for n, question in _open(spec):
        message = f"{shown(question)} is open, and the status is {spec.status}"
        fix = f"answer it, or set the status to `{SpecStatus.NEEDS_CLARIFICATION}`"
        yield SpecCode.OPEN_QUESTION.found(message, below("/clarification_questions", n), fix=fix)


def ambiguity_is_low(spec: Spec) -> Iterator[Violation]:
    """Ask a plan this uncertain for its questions first."""
    if spec.status in WORKABLE and is_too_ambiguous(spec):
        message = (
            f"an ambiguity of {shown(spec.ambiguity_score)} is {TOO_AMBIGUOUS} or more, "
            f"and the status is {spec.status}"
        )
        yield PrecisionCode.TOO_AMBIGUOUS.found(message, "/ambiguity_score")


def clarification_has_something_to_ask(spec: Spec) -> Iterator[Violation]:
    """Ask a spec that needs clarification for an open question.

    Without a question no answer could ever end it. With all answered, or with features, it is over.
    """
    if spec.status is not SpecStatus.NEEDS_CLARIFICATION:
        return
    if not spec.clarification_questions:
        message = "needs clarification and asks nothing, so that no answer can end it"
        yield SpecCode.NO_QUESTIONS.found(message, "/clarification_questions")
    elif replan_due(spec):
        message = "every question is answered, and there are no features: it is due for a re-plan"
        yield SpecCode.NOTHING_OPEN.found(message, "/status")
    elif not open_questions(spec):
        message = "every question is answered: it is ready"
        yield SpecCode.NOTHING_OPEN.found(message, "/status", fix="set the status to `ready`")
    elif spec.features:
        message = "features are filled in before the questions are answered"
        yield SpecCode.FEATURES_TOO_EARLY.found(message, "/features")


def something_is_promised(spec: Spec) -> Iterator[Violation]:
    """Ask for a feature: without one there is nothing to build."""
    if spec.features:
        return
    if spec.status in _NEEDS_FEATURES:
        yield SpecCode.NO_FEATURES.found(f"the status is {spec.status}, and there is no feature", "/features")
    elif spec.status is SpecStatus.DRAFT:
        yield SpecCode.NO_FEATURES.found("there is no feature yet", "/features", severity=Severity.WARNING)


def answers_have_a_question(spec: Spec) -> Iterator[Violation]:
    """Report an answer to an unknown question, and a second one to the same question.

    Of two answers the last stands.
    """
    known = {question.question_id for question in spec.clarification_questions}
    counted: Counter[str] = Counter()
    for n, answer in enumerate(spec.resolved_clarifications):
        path = below("/resolved_clarifications", n, "question_id")
        counted[answer.question_id] += 1
        if answer.question_id not in known:
            yield SpecCode.UNKNOWN_QUESTION.found(f"there is no question {shown(answer.question_id)}", path)
        if counted[answer.question_id] == 2:
            message = f"{shown(answer.question_id)} is answered twice, and the last answer stands"
            yield SpecCode.ANSWERED_TWICE.found(message, path, severity=Severity.WARNING)


def own_answers_have_grounds(spec: Spec) -> Iterator[Violation]:
    """Ask a planner that answers itself for the evidence."""
    own = [
        (n, answer.question_id)
        for n, answer in enumerate(spec.resolved_clarifications)
        if answer.resolved_by is ResolvedBy.PLANNER and not normalised(answer.evidence)
    ]
    assumed = cited((name for _, name in own), spec.assumptions)
    for n, name in own:
        if name not in assumed:
            message = f"the planner answered {shown(name)} itself, without evidence"
            yield SpecCode.UNGROUNDED_ANSWER.found(message, below("/resolved_clarifications", n))


def texts_say_something(spec: Spec) -> Iterator[Violation]:
    """Ask for text in every field that is read. Spaces and invisible characters are none."""
    return nothing_is_blank(_texts(spec))


def questions_are_questions(spec: Spec) -> Iterator[Violation]:
    """Ask for whole questions: a word or two cannot be answered."""
    for n, question in enumerate(spec.clarification_questions):
        text = normalised(question.question)
        path = f"/clarification_questions/{n}/question"
        if len(text) < MIN_QUESTION:
            message = f"{shown(text)} is shorter than {MIN_QUESTION} characters"
            yield SpecCode.SHORT_QUESTION.found(message, path)
        elif not text.rstrip(_CLOSING).endswith(_ENDS):
            yield SpecCode.NO_QUESTION_MARK.found("does not end with a question mark", path)


def numbers_are_in_range(spec: Spec) -> Iterator[Violation]:
    """Ask for versions and estimates from 1, and for ambiguity from 0 to 10."""
    counts = [(spec.version, "/version")]
    counts += [
        (feature.estimated_sprints, f"/features/{n}/estimated_sprints")
        for n, feature in enumerate(spec.features)
        if feature.estimated_sprints is not None
    ]
    for count, path in counts:
        if count < 1:
            yield SpecCode.NOT_POSITIVE.found(f"{shown(count)} is less than 1", path)
    yield from ambiguity_is_on_the_scale(spec.ambiguity_score)
    for n, question in enumerate(spec.clarification_questions):
        for violation in ambiguity_is_on_the_scale(question.ambiguity_weight):
            yield replace(violation, path=f"/clarification_questions/{n}/ambiguity_weight")


def timestamps_mean_one_moment(spec: Spec) -> Iterator[Violation]:
    """Ask for times with an offset: a time without one means another moment elsewhere."""
    stamps = [TextAt(spec.created_at, "/created_at"), TextAt(spec.updated_at, "/updated_at")]
    if spec.completed_at is not None:
        stamps.append(TextAt(spec.completed_at, "/completed_at"))
    for n, answer in enumerate(spec.resolved_clarifications):
        stamps.append(TextAt(answer.resolved_at, f"/resolved_clarifications/{n}/resolved_at"))
    for text, path in stamps:
        if moment(text) is None:
            yield SpecCode.BAD_TIMESTAMP.found(f"{shown(text)} is no date and time with its offset", path)


def times_are_in_order(spec: Spec) -> Iterator[Violation]:
    """Report a change before the creation, and a completed spec without its time."""
    created, updated = moment(spec.created_at), moment(spec.updated_at)
    if created is not None and updated is not None and updated < created:
        message = f"{shown(spec.updated_at)} is before it was created"
        yield SpecCode.UPDATED_BEFORE_CREATED.found(message, "/updated_at")
    if spec.status is SpecStatus.COMPLETED and spec.completed_at is None:
        yield SpecCode.NO_COMPLETION_TIME.found("does not say when it was completed", "/completed_at")


def ids_are_unique(spec: Spec) -> Iterator[Violation]:
    """Report ids and options that are given twice: an answer speaks for one question."""
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


def sprints_are_precise(spec: Spec) -> Iterator[Violation]:
    """Yield what is wrong with each sprint by itself."""
    for sprint, path in _sprints(spec):
        for violation in check_sprint(sprint, ContractPolicy.STRICT):
            yield replace(violation, path=path + violation.path)


def sprints_fit_together(spec: Spec) -> Iterator[Violation]:
    """Yield what is wrong between the sprints.

    A sprint named by its id is in its own file, so what it would settle is not reported here.
    """
    sprints = list(_sprints(spec))
    named = {sprint for sprint in spec.sprints if isinstance(sprint, str)}
    settled = set()
    for sprint, path in sprints:
        for n, name in enumerate(sprint.depends_on):
            if name in named:
                settled.add((SprintCode.UNKNOWN_SPRINT, below(path, "depends_on", n)))
                settled.add((SprintCode.FIRST_SPRINT_WAITS, below(path, "depends_on")))
    for violation in check_sprints(sprints):
        code = violation.code
        # A sprint of another spec is an error here, and named below.
        if code != SprintCode.MIXED_SPECS and (code, violation.path) not in settled:
            yield violation


def sprints_are_of_this_spec(spec: Spec) -> Iterator[Violation]:
    """Ask each sprint for the id and the features of this spec."""
    known = {feature.feature_id for feature in spec.features}
    for sprint, path in _sprints(spec):
        if sprint.spec_id != spec.spec_id:
            message = f"{shown(sprint.spec_id)} is another spec than this one, {shown(spec.spec_id)}"
            fix = f"write {shown(spec.spec_id)}, or move the sprint to its own spec"
            yield SpecCode.FOREIGN_SPRINT.found(message, below(path, "spec_id"), fix=fix)
        for n, name in enumerate(sprint.features):
            if name not in known:
                message = f"there is no feature {shown(name)}"
                yield SpecCode.UNKNOWN_FEATURE.found(message, below(path, "features", n))


def _sprints(spec: Spec) -> Iterator[SprintAt]:
    for n, sprint in enumerate(spec.sprints):
        if isinstance(sprint, Sprint):
            yield SprintAt(sprint, below("/sprints", n))


RULES: Final[tuple[Callable[[Spec], Iterator[Violation]], ...]] = (
    texts_say_something,
    questions_are_questions,
    numbers_are_in_range,
    timestamps_mean_one_moment,
    times_are_in_order,
    ids_are_unique,
    features_can_be_accepted,
    criteria_are_precise,
    dependencies_exist,
    dependencies_have_no_cycle,
    nothing_is_open_in_what_goes_on,
    ambiguity_is_low,
    clarification_has_something_to_ask,
    something_is_promised,
    answers_have_a_question,
    own_answers_have_grounds,
    sprints_are_precise,
    sprints_fit_together,
    sprints_are_of_this_spec,
)


def _open(spec: Spec) -> Iterator[tuple[int, str]]:
    asked = {question.question_id for question in open_questions(spec)}
    for n, question in enumerate(spec.clarification_questions):
        if question.question_id in asked:
            yield n, question.question_id
