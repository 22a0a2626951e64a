"""`signoff spec answer`: resolve the open questions of a spec, typed, given, or from a file."""

import os
from shlex import quote
from typing import NamedTuple

from signoff.cli.command import Options, Say, show
from signoff.cli.contract_files import unusable
from signoff.cli.files import note_event, read_file, readable, replace_file
from signoff.cli.terminal import on_terminal, typed_line
from signoff.core.formats.documents import has_errors, read_spec
from signoff.core.spec_answers import (
    GivenAnswer,
    answered,
    history_line,
    read_answers,
    why_not,
    write_answers,
)
from signoff.core.spec_life import open_questions, replan_due
from signoff.domain.errors import UsageError, WaitingError
from signoff.domain.spec import ClarificationQuestion, ResolvedBy, Spec
from signoff.host.clock import SystemClock
from signoff.host.locks import folder_lock

HOMES = (".signoff", ".bober")


class Place(NamedTuple):
    """Where a spec lies."""

    path: str
    history: str
    """The log of events beside the specs; empty for a spec that lies elsewhere."""


def answer(options: Options, say: Say) -> int:
    """Record answers; each is on disk before the next one is asked for."""
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
        spec = _load(place.path)
        if open_questions(spec):
            return wait_for_answers(say, name, spec)
    return _conclude(say, name, spec)


def _given(options: Options, rest: list[str]) -> tuple[GivenAnswer, ...] | None:
    """Give the answers that came with the command; None where somebody must be asked."""
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
    return (GivenAnswer(question_id=question, answer=text, resolved_by=by, evidence=options.evidence or ""),)


def _record(place: Place, given: tuple[GivenAnswer, ...]) -> Spec:
    """Record answers, all of them or none; nobody else's answer is lost to ours."""
    with folder_lock(os.path.dirname(os.path.abspath(place.path)), what=place.path):
        document = read_spec(read_file(place.path))
        spec = document.value
        if spec is None:
            raise unusable(place.path, document.violations, "spec-invalid", "is not a spec")
        lines: list[bytes] = []
        clock = SystemClock()
        for one in given:
            question, by, evidence = one.question_id, one.resolved_by, one.evidence
            if wrong := why_not(spec, question, one.answer, by=by, evidence=evidence):
                raise UsageError(wrong.message, slug="answer-refused", fix=wrong.fix)
            before, when = spec, clock.now()
            spec = answered(spec, question, one.answer, by=by, when=when, evidence=evidence)
            lines.append(history_line(before, spec, question, when))
        if place.history:  # first: a line too many says less wrong than an answer without one
            for line in lines:
                note_event(place.history, line)
        replace_file(place.path, write_answers(document, spec))
    return spec


def _walk(place: Place, say: Say, only: str | None) -> Spec:
    """Ask one question after the other; an empty line leaves one open, the end of input all the rest."""
    spec = _load(place.path)
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
            given = GivenAnswer(question_id=question.question_id, answer=_chosen(question, line))
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


def _chosen(question: ClarificationQuestion, line: str) -> str:
    """Give the option a number or label stands for, in full; anything else is the answer itself."""
    for number, option in enumerate(question.options, start=1):
        if line.casefold() in (str(number), option.label.casefold()):
            return f"{option.label}: {option.description}"
    return line


def _load(path: str) -> Spec:
    document = read_spec(read_file(path))
    if document.value is None:
        raise unusable(path, document.violations, "spec-invalid", "is not a spec")
    return document.value


def _conclude(say: Say, name: str, spec: Spec) -> int:
    document = _document(spec)
    remaining, due = document["remaining"], document["replan_due"]
    if remaining:
        text = f"{name}: {spec.status}, {len(open_questions(spec))} open: {', '.join(_open(spec))}"
    else:
        text = f"{name}: {'every question is answered; due for a re-plan' if due else spec.status}"
    say.result(document, text)
    return 0


def wait_for_answers(say: Say, name: str, spec: Spec) -> int:
    """Say what is open, to whoever can answer it; nobody is typing here."""
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


def find_spec(root: str, name: str) -> Place:
    """Find a spec by its file or its id, in this folder or one above it."""
    if os.path.isfile(name):
        return Place(name, _history(name))
    stem = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)
    folder = os.path.abspath(root)
    while True:
        for home in HOMES:
            for file in (f"{name}.json", f"{stem}.json"):
                path = os.path.join(folder, home, "specs", file)
                if os.sep not in file and os.path.isfile(path):
                    return Place(path, _history(path))
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = parent
    raise UsageError(
        f"there is no spec {name}",
        slug="spec-unknown",
        why=f"neither a file of that name nor {' or '.join(f'{home}/specs/{stem}.json' for home in HOMES)}",
        fix="name the file, or the id of a spec",
    )


def _history(path: str) -> str:
    home, specs = os.path.split(os.path.dirname(os.path.abspath(path)))
    is_home = specs == "specs" and os.path.basename(home) in HOMES
    return os.path.join(home, "history.jsonl") if is_home else ""
