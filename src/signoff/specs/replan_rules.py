"""The rules of a re-plan: a plan made after its questions were answered takes up the answers.

Pure. A person who answered must find the answers in what is planned from them: kept, cited, and not asked for
again. Check a new plan here before it replaces the old one. Its own rules are `specs.spec_rules`.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from signoff.domain.base.violations import Violation
from signoff.domain.work.spec import ResolvedBy, Spec
from signoff.specs.spec_lifecycle import cited, open_questions, standing_answers
from signoff.text.json.violation_list import MAX_VIOLATIONS, CodedRule, Findings, below, shown
from signoff.text.phrases import normalised


class ReplanCode(CodedRule):
    """What can be wrong with a re-plan that is a valid spec by itself."""

    OTHER_SPEC = "other-spec", ""
    LOWER_VERSION = "lower-version", "keep the version, or raise it"
    LOST_ANSWER = "lost-answer", "keep every answer as it was given"
    CHANGED_ANSWER = "changed-answer", "keep every answer as it was given"
    UNCITED_ANSWER = "uncited-answer", ""
    CHANGED_QUESTION = "changed-question", "ask it under a new id"
    ASKED_AGAIN = "asked-again", "plan from the answer"
    NOTHING_PLANNED = "nothing-planned", "plan the features"


def check_replan(before: Spec, after: Spec) -> tuple[Violation, ...]:
    """Return every way in which `after` passes over the answers in `before`.

    Pointers are into `after`.
    """
    findings = Findings()
    for rule in RULES:
        findings.extend(islice(rule(before, after), MAX_VIOLATIONS + 1))
    return findings.all()


def it_is_the_same_spec(before: Spec, after: Spec) -> Iterator[Violation]:
    """Ask for the same spec id and no lower version."""
    if after.spec_id != before.spec_id:
        message = f"{shown(after.spec_id)} is another spec than {shown(before.spec_id)}"
        yield ReplanCode.OTHER_SPEC.found(message, "/spec_id", fix=f"keep the id {shown(before.spec_id)}")
    if after.version < before.version:
        message = f"version {shown(after.version)} is lower than {shown(before.version)}"
        yield ReplanCode.LOWER_VERSION.found(message, "/version")


def answers_are_kept(before: Spec, after: Spec) -> Iterator[Violation]:
    """Ask for each answer in its own words and under its own name."""
    kept = standing_answers(after)
    places = {answer.question_id: n for n, answer in enumerate(after.resolved_clarifications)}
    for name, answer in standing_answers(before).items():
        if name not in kept:
            message = f"the answer to {shown(name)} is gone"
            yield ReplanCode.LOST_ANSWER.found(message, "/resolved_clarifications")
        elif (kept[name].answer, kept[name].resolved_by) != (answer.answer, answer.resolved_by):
            message = f"the answer to {shown(name)} is not the one that was given"
            yield ReplanCode.CHANGED_ANSWER.found(message, below("/resolved_clarifications", places[name]))


def answers_are_cited(before: Spec, after: Spec) -> Iterator[Violation]:
    """Ask for an assumption that names the question of each answer a person gave."""
    given = [name for name, one in standing_answers(before).items() if one.resolved_by is ResolvedBy.USER]
    found = cited(given, after.assumptions)
    for name in given:
        if name not in found:
            message = f"no assumption takes up the answer to {shown(name)}"
            fix = f"add an assumption that names {shown(name)} and what follows from the answer"
            yield ReplanCode.UNCITED_ANSWER.found(message, "/assumptions", fix=fix)


def answered_questions_stay_what_they_were(before: Spec, after: Spec) -> Iterator[Violation]:
    """Ask for unchanged questions: under another one the same answer says something else."""
    asked = _answered(before)
    for n, question in enumerate(after.clarification_questions):
        earlier = asked.get(question.question_id)
        if earlier is not None and earlier != _folded(question.question):
            message = f"{shown(question.question_id)} is answered, and now asks something else"
            yield ReplanCode.CHANGED_QUESTION.found(message, below("/clarification_questions", n, "question"))


def nothing_is_asked_again(before: Spec, after: Spec) -> Iterator[Violation]:
    """Report an answered question that is asked again, under its id or in the same words."""
    asked = _answered(before)
    known = {question.question_id for question in before.clarification_questions}
    names = {text: name for name, text in reversed(asked.items())}
    open_ids = {question.question_id for question in open_questions(after)}
    for n, question in enumerate(after.clarification_questions):
        name = question.question_id
        path = below("/clarification_questions", n)
        same = names.get(_folded(question.question))
        if name in asked and name in open_ids:
            yield ReplanCode.ASKED_AGAIN.found(f"{shown(name)} is answered already", path)
        elif name not in known and same is not None:
            message = f"{shown(name)} asks what {shown(same)} asked, and that is answered"
            yield ReplanCode.ASKED_AGAIN.found(message, path)


def something_is_planned(_before: Spec, after: Spec) -> Iterator[Violation]:
    """Ask a re-plan for features, or for a new question."""
    if not after.features and not open_questions(after):
        message = "the answers led to no feature and to no new question"
        yield ReplanCode.NOTHING_PLANNED.found(message, "/features")


RULES: Final[tuple[Callable[[Spec, Spec], Iterator[Violation]], ...]] = (
    it_is_the_same_spec,
    answers_are_kept,
    answers_are_cited,
    answered_questions_stay_what_they_were,
    nothing_is_asked_again,
    something_is_planned,
)


def _answered(spec: Spec) -> dict[str, str]:
    """Return the questions that have an answer, each with its words."""
    answers = standing_answers(spec)
    return {
        question.question_id: _folded(question.question)
        for question in spec.clarification_questions
        if question.question_id in answers
    }


def _folded(question: str) -> str:
    return normalised(question).casefold().rstrip("?？ .!")
