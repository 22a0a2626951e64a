"""Say everything that is wrong with a spec before anybody plans or builds from it.

Pure; the commands about specs and whatever takes a plan from a planner ask it. Rules are functions from a
spec to violations; adding one is writing it and naming it in `RULES`. What concerns single fields is in
`spec_fields`, the sprints a spec carries in `spec_sprints`; here is how status, questions, answers and
features must agree. Pointers are in our spelling: `Document.placed` gives them in that of the file.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from signoff.core import spec_fields, spec_sprints
from signoff.core.contract_parts import chain, texts
from signoff.core.cycles import cycles
from signoff.core.phrases import normalised
from signoff.core.precision import TOO_AMBIGUOUS, PrecisionCode, words_can_be_checked
from signoff.core.spec_codes import SpecCode
from signoff.core.spec_life import WORKABLE, cited, is_too_ambiguous, open_questions, replan_due
from signoff.core.violations import MAX_VIOLATIONS, Findings, below, fault, shown
from signoff.domain.spec import ResolvedBy, Spec, SpecStatus
from signoff.domain.violations import Severity, Violation

__all__ = ["RULES", "SpecCode", "check_spec"]

_NEEDS_FEATURES = frozenset({SpecStatus.READY, SpecStatus.IN_PROGRESS, SpecStatus.COMPLETED})
_ENOUGH_CRITERIA: Final = 2


def check_spec(spec: Spec) -> tuple[Violation, ...]:
    """Give every violation of every rule. Whether work may start is `spec_life.is_ready`, not this."""
    findings = Findings()
    for rule in RULES:
        findings.extend(islice(rule(spec), 2 * MAX_VIOLATIONS))
    return findings.all()


def features_can_be_accepted(spec: Spec) -> Iterator[Violation]:
    """Without a criterion nobody can say whether a feature is there."""
    for n, feature in enumerate(spec.features):
        path = below("/features", n, "acceptance_criteria")
        count = len(feature.acceptance_criteria)
        if not count:
            message = "nothing says when this feature is there"
            yield fault(SpecCode.NO_ACCEPTANCE_CRITERIA, message, path, fix="add an acceptance criterion")
        elif count < _ENOUGH_CRITERIA:
            message = "one acceptance criterion is seldom enough"
            yield _warning(SpecCode.FEW_ACCEPTANCE_CRITERIA, message, path, "add what else must hold")


def criteria_are_precise(spec: Spec) -> Iterator[Violation]:
    """A phrase that nothing can check has to be replaced before a sprint is cut from it."""
    for n, feature in enumerate(spec.features):
        criteria = texts(feature.acceptance_criteria, below("/features", n, "acceptance_criteria"))
        yield from words_can_be_checked(criteria, severity=Severity.WARNING)


def dependencies_exist(spec: Spec) -> Iterator[Violation]:
    """A feature waits for features of this spec only."""
    known = {feature.feature_id for feature in spec.features}
    for n, feature in enumerate(spec.features):
        for i, name in enumerate(feature.dependencies):
            if name not in known:
                path = below("/features", n, "dependencies", i)
                message = f"there is no feature {shown(name)}"
                yield fault(SpecCode.UNKNOWN_DEPENDENCY, message, path, fix="name a feature of this spec")


def dependencies_have_no_cycle(spec: Spec) -> Iterator[Violation]:
    """A feature that waits for itself, straight or by way of others, is never built."""
    edges: dict[str, dict[str, str]] = {feature.feature_id: {} for feature in spec.features}
    for n, feature in enumerate(spec.features):
        for i, name in enumerate(feature.dependencies):
            edges[feature.feature_id].setdefault(name, below("/features", n, "dependencies", i))
    for nodes, source, target in cycles(edges):
        message = f"{shown(source)} depends on itself" if source == target else f"a cycle: {chain(nodes)}"
        path = edges[source][target]
        yield fault(SpecCode.DEPENDENCY_CYCLE, message, path, fix="drop one of these dependencies")


def nothing_is_open_in_what_goes_on(spec: Spec) -> Iterator[Violation]:
    """Any open question means needs-clarification, however low the ambiguity is rated."""
    if spec.status not in WORKABLE | {SpecStatus.COMPLETED}:
        return
    for n, question in _open(spec):
        message = f"{shown(question)} is open, and the status is {spec.status}"
        fix = f"answer it, or set the status to `{SpecStatus.NEEDS_CLARIFICATION}`"
        yield fault(SpecCode.OPEN_QUESTION, message, below("/clarification_questions", n), fix=fix)


def ambiguity_is_low(spec: Spec) -> Iterator[Violation]:
    """A plan this uncertain asks its questions first."""
    if spec.status in WORKABLE and is_too_ambiguous(spec):
        message = (
            f"an ambiguity of {shown(spec.ambiguity_score)} is {TOO_AMBIGUOUS} or more, "
            f"and the status is {spec.status}"
        )
        yield fault(PrecisionCode.TOO_AMBIGUOUS, message, "/ambiguity_score", fix="ask what is unclear first")


def clarification_has_something_to_ask(spec: Spec) -> Iterator[Violation]:
    """Without a question no answer could ever end it; with all answered, or features there, it is over."""
    if spec.status is not SpecStatus.NEEDS_CLARIFICATION:
        return
    if not spec.clarification_questions:
        message = "needs clarification and asks nothing, so that no answer can end it"
        fix = "ask what is unclear, or set the status to `draft`"
        yield fault(SpecCode.NO_QUESTIONS, message, "/clarification_questions", fix=fix)
    elif replan_due(spec):
        message = "every question is answered, and there are no features: it is due for a re-plan"
        yield _warning(SpecCode.NOTHING_OPEN, message, "/status", "have it planned again from the answers")
    elif not open_questions(spec):
        message = "every question is answered: it is ready"
        yield _warning(SpecCode.NOTHING_OPEN, message, "/status", "set the status to `ready`")
    elif spec.features:
        message = "features are filled in before the questions are answered"
        fix = "leave them empty until the answers are planned from"
        yield _warning(SpecCode.FEATURES_TOO_EARLY, message, "/features", fix)


def something_is_promised(spec: Spec) -> Iterator[Violation]:
    """Without a feature there is nothing to build and nothing was built."""
    if spec.features:
        return
    if spec.status in _NEEDS_FEATURES:
        message = f"the status is {spec.status}, and there is no feature"
        yield fault(SpecCode.NO_FEATURES, message, "/features", fix="plan its features")
    elif spec.status is SpecStatus.DRAFT:
        yield _warning(SpecCode.NO_FEATURES, "there is no feature yet", "/features", "plan its features")


def answers_have_a_question(spec: Spec) -> Iterator[Violation]:
    """An answer to nothing settles nothing; of two to one question the last stands."""
    known = {question.question_id for question in spec.clarification_questions}
    counted: Counter[str] = Counter()
    for n, answer in enumerate(spec.resolved_clarifications):
        path = below("/resolved_clarifications", n, "question_id")
        counted[answer.question_id] += 1
        if answer.question_id not in known:
            message = f"there is no question {shown(answer.question_id)}"
            yield fault(SpecCode.UNKNOWN_QUESTION, message, path, fix="name a question of this spec")
        if counted[answer.question_id] == 2:
            message = f"{shown(answer.question_id)} is answered twice, and the last answer stands"
            yield _warning(SpecCode.ANSWERED_TWICE, message, path, "keep one answer")


def own_answers_have_grounds(spec: Spec) -> Iterator[Violation]:
    """A planner that answers itself says where it found the answer."""
    own = [
        (n, answer.question_id)
        for n, answer in enumerate(spec.resolved_clarifications)
        if answer.resolved_by is ResolvedBy.PLANNER and not normalised(answer.evidence)
    ]
    assumed = cited((name for _, name in own), spec.assumptions)
    for n, name in own:
        if name not in assumed:
            message = f"the planner answered {shown(name)} itself, without evidence"
            fix = "add `evidence`, or an assumption that names the question and its grounds"
            path = below("/resolved_clarifications", n)
            yield fault(SpecCode.UNGROUNDED_ANSWER, message, path, fix=fix)


RULES: Final[tuple[Callable[[Spec], Iterator[Violation]], ...]] = (
    spec_fields.texts_say_something,
    spec_fields.questions_are_questions,
    spec_fields.numbers_are_in_range,
    spec_fields.timestamps_mean_one_moment,
    spec_fields.times_are_in_order,
    spec_fields.ids_are_unique,
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
    spec_sprints.sprints_are_precise,
    spec_sprints.sprints_fit_together,
    spec_sprints.sprints_are_of_this_spec,
)


def _open(spec: Spec) -> Iterator[tuple[int, str]]:
    asked = {question.question_id for question in open_questions(spec)}
    for n, question in enumerate(spec.clarification_questions):
        if question.question_id in asked:
            yield n, question.question_id


def _warning(code: SpecCode, message: str, path: str, fix: str) -> Violation:
    return fault(code, message, path, fix=fix, severity=Severity.WARNING)
