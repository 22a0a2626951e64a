"""Answers to the questions of a spec: checked, put into the spec, and written back into its file.

Pure. An answer never makes a spec ready that has nothing to build: its answers wait for a planner. Everything
else in the file is kept as it stands.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from signoff.contracts.files.document_files import Document, has_errors
from signoff.contracts.rules.precision_rules import TOO_AMBIGUOUS, PrecisionCode
from signoff.domain.base.errors import UsageError
from signoff.domain.base.record import Record
from signoff.domain.base.violations import Violation
from signoff.domain.work.spec import (
    ClarificationQuestion,
    ResolvedBy,
    ResolvedClarification,
    Spec,
    SpecStatus,
)
from signoff.specs.spec_lifecycle import cited, open_questions, replan_due, standing_answers
from signoff.specs.spec_rules import SpecCode
from signoff.text.json.camel_case import JsonObject, camel, is_camel, pointer_in, put_field, to_snake
from signoff.text.json.decode import convert
from signoff.text.json.json_lines import located
from signoff.text.json.json_text import DecodeCode, read_json
from signoff.text.json.violation_list import Findings, below, fault, printable, shown
from signoff.text.phrases import normalised

_NAMED = 10
"""How many question ids a message lists."""


class SpecPlace(NamedTuple):
    """The file of a spec."""

    path: str
    history: str
    """The log of events beside the specs. Empty for a spec that lies elsewhere."""


class AnswerOnFile(Record, frozen=True, kw_only=True):
    """One answer as it stands in a file of answers."""

    question_id: str
    answer: str
    resolved_by: ResolvedBy = ResolvedBy.USER
    evidence: str = ""


class GivenAnswers(NamedTuple):
    """The answers of a file, empty when anything is wrong with it."""

    answers: tuple[AnswerOnFile, ...]
    violations: tuple[Violation, ...]


def why_not(
    spec: Spec, question_id: str, answer: str, *, by: ResolvedBy = ResolvedBy.USER, evidence: str = ""
) -> Violation | None:
    """Return the violation that keeps this answer from being taken, or None."""
    path = "/resolved_clarifications"
    if question_id not in {question.question_id for question in spec.clarification_questions}:
        message = f"there is no question {shown(question_id)}"
        return SpecCode.UNKNOWN_QUESTION.found(message, "/clarification_questions", fix=_choice(spec))
    if not normalised(answer):
        return PrecisionCode.BLANK_TEXT.found(f"the answer to {shown(question_id)} is empty", path)
    if printable(answer + evidence) != answer + evidence:
        message = f"the answer to {shown(question_id)} holds half of a character, which no file can hold"
        return SpecCode.UNWRITABLE_ANSWER.found(message, path)
    is_grounded = normalised(evidence) or question_id in cited([question_id], spec.assumptions)
    if by is ResolvedBy.PLANNER and not is_grounded:
        message = f"the planner answers {shown(question_id)} itself, without evidence"
        return SpecCode.UNGROUNDED_ANSWER.found(message, path, fix="say where the answer is found")
    return None


def answered(
    spec: Spec, question_id: str, answer: str, *, by: ResolvedBy, when: str, evidence: str = ""
) -> Spec:
    """Return the spec with this answer in place of an earlier one.

    The spec comes back unchanged where `why_not` objects. The last answer makes a spec with features ready.
    One without features stays as it is: `replan_due`.
    """
    if why_not(spec, question_id, answer, by=by, evidence=evidence) is not None:
        return spec
    given = ResolvedClarification(
        question_id=question_id, answer=answer, resolved_at=when, resolved_by=by, evidence=evidence
    )
    after = replace(
        spec,
        resolved_clarifications=_with_answer(spec.resolved_clarifications, given),
        ambiguity_score=_score_without(spec, question_id),
        updated_at=when,
    )
    is_waiting = spec.status is not SpecStatus.NEEDS_CLARIFICATION or open_questions(after)
    if is_waiting or not after.features:
        return after
    score = after.ambiguity_score
    return replace(
        after,
        status=SpecStatus.READY,
        ambiguity_score=None if score is None else min(score, TOO_AMBIGUOUS - 1),
    )


class TakenAnswers(NamedTuple):
    """A spec with answers, its file as it is to be written, and a line of history for each answer."""

    spec: Spec
    data: bytes
    history: tuple[bytes, ...]


def take_answers(document: Document[Spec], given: Iterable[AnswerOnFile], when: str) -> TakenAnswers:
    """Put all answers into a spec that could be parsed.

    The first wrong one is a `UsageError`, and then no answer is taken.
    """
    spec = document.value
    assert spec is not None
    lines: list[bytes] = []
    for one in given:
        question, by, evidence = one.question_id, one.resolved_by, one.evidence
        if wrong := why_not(spec, question, one.answer, by=by, evidence=evidence):
            raise UsageError(wrong.message, slug="answer-refused", fix=wrong.fix)
        before = spec
        spec = answered(spec, question, one.answer, by=by, when=when, evidence=evidence)
        lines.append(history_line(before, spec, question, when))
    return TakenAnswers(spec, write_answers(document, spec), tuple(lines))


def chosen_answer(question: ClarificationQuestion, line: str) -> str:
    """Return the option that a number or label stands for, in full.

    Any other line is the answer itself.
    """
    for number, option in enumerate(question.options, start=1):
        if line.casefold() in (str(number), option.label.casefold()):
            return f"{option.label}: {option.description}"
    return line


def write_answers(document: Document[Spec], spec: Spec) -> bytes:
    """Return the document's file with what answering changed.

    Every other field keeps its value and place. `spec` is the document's own spec with answers, and the
    document must be one that could be parsed.
    """
    before, raw = document.value, document.raw
    assert before is not None
    assert raw is not None
    written = dict(raw)
    for name in ("status", "ambiguity_score", "updated_at"):
        if getattr(before, name) != getattr(spec, name):
            put_field(written, name, getattr(spec, name), may_be_camel=document.is_camel)
    name = "resolved_clarifications"
    if before.resolved_clarifications != spec.resolved_clarifications:
        # Where both spellings stand, ours is read, and what is in it is in our spelling.
        may_be_camel = document.is_camel and not (name in raw and camel(name) in raw)
        answers = _written_answers(before, spec, raw, may_be_camel)
        put_field(written, name, answers, may_be_camel=document.is_camel)
    return (json.dumps(written, indent=2, ensure_ascii=False) + "\n").encode()


def read_answers(data: bytes) -> GivenAnswers:
    """Parse `{"Q1": "answer"}`, or a list of objects with `question_id` and `answer`.

    Never raises: mistakes are in `violations`.
    """
    text, parsed, before = read_json(data)
    if text is None or has_errors(before):
        return GivenAnswers((), tuple(located(before, text)) if text else before)
    findings = Findings(before)
    answers = _from_object(parsed, findings) if isinstance(parsed, dict) else _from_list(parsed, findings)
    found = tuple(located(findings.all(), text))
    return GivenAnswers(() if findings.has_errors else answers, found)


def history_line(spec_before: Spec, spec_after: Spec, question_id: str, when: str) -> bytes:
    """Return the line of the history that notes an answer: who and which question, never its words.

    `outcome` is there only where this answer made the spec ready or due for a re-plan.
    """
    given = standing_answers(spec_after).get(question_id)
    details: JsonObject = {
        "specId": spec_after.spec_id,
        "questionId": question_id,
        "resolvedBy": given.resolved_by if given else None,
        "remaining": [question.question_id for question in open_questions(spec_after)],
        "status": spec_after.status,
        "replanDue": replan_due(spec_after),
    }
    if spec_after.status is SpecStatus.READY and spec_before.status is not SpecStatus.READY:
        details["outcome"] = "ready"
    elif replan_due(spec_after) and not replan_due(spec_before):
        details["outcome"] = "replan-due"
    line: JsonObject = {
        "timestamp": when,
        "event": "clarification-resolved",
        "phase": "planning",
        "details": details,
    }
    return msgspec.json.encode(line) + b"\n"


def _choice(spec: Spec) -> str:
    names = [question.question_id for question in open_questions(spec) or spec.clarification_questions]
    listed = ", ".join(shown(name) for name in names[:_NAMED])
    return f"name one of {listed}" if listed else "ask it in the spec first"


def _with_answer(
    answers: tuple[ResolvedClarification, ...], given: ResolvedClarification
) -> tuple[ResolvedClarification, ...]:
    """Return the answers with this one in place of all earlier ones to its question.

    It stands where the first of them stood, or at the end.
    """
    ids = [answer.question_id for answer in answers]
    at = ids.index(given.question_id) if given.question_id in ids else len(ids)
    rest = tuple(answer for answer in answers[at:] if answer.question_id != given.question_id)
    return (*answers[:at], given, *rest)


def _score_without(spec: Spec, question_id: str) -> int | None:
    """Return the ambiguity once this question is answered.

    Answering a question again takes nothing off.
    """
    score = spec.ambiguity_score
    weight = next((q.ambiguity_weight for q in open_questions(spec) if q.question_id == question_id), None)
    return score if score is None or not weight or weight < 0 else max(0, score - weight)


def _written_answers(before: Spec, after: Spec, raw: JsonObject, may_be_camel: bool) -> list[object]:
    """Return the answers as the file holds them.

    An answer that is given again is changed in place, with what the file holds beside it.
    """
    name = "resolved_clarifications"
    listed = raw.get(name, raw.get(camel(name)))
    held = listed if isinstance(listed, list) else []
    by_answer: dict[ResolvedClarification, list[object]] = {}
    by_question: dict[str, object] = {}
    for answer, item in zip(before.resolved_clarifications, held, strict=False):
        by_answer.setdefault(answer, []).append(item)
        by_question[answer.question_id] = item
    written: list[object] = []
    for answer in after.resolved_clarifications:
        if same := by_answer.get(answer):
            written.append(same.pop(0))
        else:
            # The last answer to a question is the one that stood, and so is what is written beside it.
            written.append(_written_answer(answer, by_question.get(answer.question_id), may_be_camel))
    return written


def _written_answer(answer: ResolvedClarification, held: object, may_be_camel: bool) -> JsonObject:
    item = dict(held) if isinstance(held, dict) else {}
    for name in ("question_id", "answer", "resolved_at", "resolved_by"):
        put_field(item, name, getattr(answer, name), may_be_camel=may_be_camel)
    if answer.evidence or "evidence" in item:
        item["evidence"] = answer.evidence
    return item


def _from_object(parsed: JsonObject, findings: Findings) -> tuple[AnswerOnFile, ...]:
    answers = []
    for name, answer in parsed.items():
        if isinstance(answer, str):
            _note_blank(answer, below("", name), findings)
            answers.append(AnswerOnFile(question_id=name, answer=answer))
        else:
            message = f"the answer to {shown(name)} must be text"
            findings.add(fault(DecodeCode.WRONG_TYPE, message, below("", name), fix="write it in quotes"))
    return tuple(answers)


def _from_list(parsed: object, findings: Findings) -> tuple[AnswerOnFile, ...]:
    if not isinstance(parsed, list):
        fix = "write an object of answers by question, or a list of answers"
        findings.add(fault(DecodeCode.WRONG_TYPE, "must be an object or a list", fix=fix))
        return ()
    kind = tuple[AnswerOnFile, ...]
    answers, found = convert(to_snake(parsed, kind), kind)
    if any(isinstance(item, dict) and is_camel(item, AnswerOnFile) for item in parsed):
        found = tuple(replace(one, path=pointer_in(one.path, parsed)) for one in found)
    findings.extend(found)
    seen: set[str] = set()
    for n, given in enumerate(answers or ()):
        _note_blank(given.answer, below("", n, "answer"), findings)
        if given.question_id in seen:
            findings.add(
                SpecCode.ANSWERED_TWICE.found(f"{shown(given.question_id)} is answered twice", below("", n))
            )
        seen.add(given.question_id)
    return answers or ()


def _note_blank(answer: str, path: str, findings: Findings) -> None:
    if not normalised(answer):
        findings.add(PrecisionCode.BLANK_TEXT.found("the answer is empty", path))
