"""`signoff spec answer`: resolve the open questions of a spec, typed, given, or from a file."""

from shlex import quote

from signoff.cli.shared.command import Options, Output, show
from signoff.cli.shared.contract_files import unusable
from signoff.cli.shared.files import note_event, read_file, readable, replace_file
from signoff.cli.shared.terminal import on_terminal, typed_line
from signoff.contracts.files.document_files import Document, has_errors, read_spec
from signoff.domain.base.errors import UsageError, WaitingError
from signoff.domain.work.spec import ClarificationQuestion, ResolvedBy, Spec
from signoff.specs.spec_answers import (
    AnswerOnFile,
    SpecPlace,
    chosen_answer,
    read_answers,
    take_answers,
    why_not,
)
from signoff.specs.spec_lifecycle import open_questions, replan_due
from signoff.wiring import find_spec, lock_around, now


def answer(options: Options, say: Output) -> int:
    """Record answers, each of them on disk before the next question is asked."""
    if len(options.words) > 3:
        raise UsageError(
            "an answer of several words is put in quotes",
            slug="usage",
            fix='signoff spec answer ID QUESTION "ANSWER"',
        )
    name, *rest = (readable(word) for word in options.words)
    place = find_spec(options.root, name)
    given = _given(options, rest)
    if given is not None:
        spec = _record(place, given)
    elif on_terminal() and not say.as_json:
        spec = _walk(place, say, rest[0] if rest else None)
    else:
        spec = _spec_at(place.path)
        if open_questions(spec):
            return wait_for_answers(say, name, spec)
    return _conclude(say, name, spec)


def _given(options: Options, rest: list[str]) -> tuple[AnswerOnFile, ...] | None:
    """Return the answers that came with the command, or None when the person must be asked.

    They come from a file, or from the words of the command line; mixing the two is an error.
    """
    by = ResolvedBy(options.by or ResolvedBy.USER)
    if options.file:
        if rest or options.by or options.evidence:
            raise UsageError(
                "an answer and a file of answers",
                slug="usage",
                fix="give one of the two; a file says `resolved_by` and `evidence` for each answer itself",
            )
        answers, violations = read_answers(read_file(options.file))
        if has_errors(violations):
            raise unusable(options.file, violations, "answers-invalid", "is not a file of answers")
        return answers
    if len(rest) < 2:
        if options.by or options.evidence:
            raise UsageError("--by and --evidence go with an answer", slug="usage", fix="give the answer too")
        return None
    question, text = rest
    text = read_file("-").decode(errors="replace").strip() if text == "-" else text
    return (AnswerOnFile(question_id=question, answer=text, resolved_by=by, evidence=options.evidence or ""),)


def _record(place: SpecPlace, given: tuple[AnswerOnFile, ...]) -> Spec:
    """Record answers, all of them or none, under a lock, so that no other command's answer is lost."""
    with lock_around(place.path):
        taken = take_answers(_load(place.path), given, now())
        if place.history:  # first: a line too many says less wrong than an answer without one
            for line in taken.history:
                note_event(place.history, line)
        replace_file(place.path, taken.data)
    return taken.spec


def _walk(place: SpecPlace, say: Output, only: str | None) -> Spec:
    """Ask one question after the other.

    An empty line leaves a question open, the end of input all the rest.
    """
    spec = _spec_at(place.path)
    if only is not None and only not in [question.question_id for question in spec.clarification_questions]:
        raise _unknown(spec, only)
    for question in open_questions(spec):
        if only not in (None, question.question_id):
            continue
        say.note(f"\n{_question_text(question)}")
        line = typed_line()
        if line is None:
            break
        if line:
            given = AnswerOnFile(question_id=question.question_id, answer=chosen_answer(question, line))
            spec = _record(place, (given,))
    return spec


def _unknown(spec: Spec, name: str) -> UsageError:
    wrong = why_not(spec, name, "an answer")
    assert wrong is not None
    return UsageError(wrong.message, slug="answer-refused", fix=wrong.fix)


def _question_text(question: ClarificationQuestion) -> str:
    lines = [f"{question.question_id} [{question.category}] {question.question}"]
    lines += [f"  {n}. {o.label}: {o.description}" for n, o in enumerate(question.options, start=1)]
    if question.recommendation:
        lines.append(f"  recommended: {question.recommendation}")
    if question.options:
        lines.append("  (a number, a label, or your own words; an empty line leaves it open)")
    return "\n".join(lines)


def _load(path: str) -> Document[Spec]:
    """Read a spec file. The document that comes back has a value."""
    document = read_spec(read_file(path))
    if document.value is None:
        raise unusable(path, document.violations, "spec-invalid", "is not a spec")
    return document


def _spec_at(path: str) -> Spec:
    spec = _load(path).value
    assert spec is not None
    return spec


def _conclude(say: Output, name: str, spec: Spec) -> int:
    document = _document(spec)
    remaining, due = document["remaining"], document["replan_due"]
    if remaining:
        text = f"{name}: {spec.status}, {len(open_questions(spec))} open: {', '.join(_open(spec))}"
    else:
        text = f"{name}: {'every question is answered; due for a re-plan' if due else spec.status}"
    say.result(document, text)
    return 0


def wait_for_answers(say: Output, name: str, spec: Spec) -> int:
    """Print the open questions and return exit code 3, when no terminal is there to ask on."""
    questions = open_questions(spec)
    error = WaitingError(
        f"{name} has open questions: {', '.join(_open(spec))}",
        slug="questions-open",
        why="; ".join(f"{q.question_id}: {q.question}" for q in questions),
        fix=f'signoff spec answer {quote(name)} {quote(questions[0].question_id)} "ANSWER"',
    )
    said = {"slug": error.slug, "what": error.what, "why": error.why, "fix": error.fix}
    say.result({**_document(spec), "error": said}, "")
    show(error, say)
    return error.exit_code


def _document(spec: Spec) -> dict[str, object]:
    return {
        "remaining": _open(spec),
        "status": spec.status,
        "replan_due": replan_due(spec),
        "spec_id": spec.spec_id,
    }


def _open(spec: Spec) -> list[str]:
    return [question.question_id for question in open_questions(spec)]
