"""A sprint contract as a person reads it. Pure."""

from collections.abc import Iterable, Iterator

from signoff.domain.work.sprints import Sprint, SprintCriterion
from signoff.text.markdown import code, line


def sprint_page(sprint: Sprint) -> str:
    """Return the sprint as Markdown, without sections that have no content."""
    return "\n".join(_lines(sprint)) + "\n"


def _lines(sprint: Sprint) -> Iterator[str]:
    yield f"# Sprint {sprint.sprint_number}: {line(sprint.title)}".rstrip(" ")
    yield ""
    yield f"{code(sprint.contract_id)} of {code(sprint.spec_id)} · {sprint.status}" + (
        f" · after {', '.join(map(code, sprint.depends_on))}" if sprint.depends_on else ""
    )
    yield from _text("", sprint.description)
    yield from _bullets("Success criteria", map(_criterion, sprint.success_criteria))
    yield from _bullets("Non-goals", map(line, sprint.non_goals))
    yield from _bullets("Stop conditions", map(line, sprint.stop_conditions))
    yield from _text("Definition of done", sprint.definition_of_done)
    yield from _bullets("Assumptions", map(line, sprint.assumptions))
    yield from _bullets("Out of scope", map(line, sprint.out_of_scope))
    yield from _bullets("Files", map(code, sprint.estimated_files))
    yield from _text("For the generator", sprint.generator_notes or "")
    yield from _text("For the evaluator", sprint.evaluator_notes or "")
    if sprint.ambiguity_score is not None:
        yield from _text("", f"Ambiguity: {sprint.ambiguity_score} of 10")


def _criterion(one: SprintCriterion) -> str:
    optional = "" if one.required else ", optional"
    return f"{line(one.description)} ({code(one.criterion_id)}, {one.verification_method}{optional})"


def _bullets(title: str, lines: Iterable[str]) -> Iterator[str]:
    listed = [f"- {one}" for one in lines]
    if listed:
        yield from ("", f"## {title}", "", *listed)


def _text(title: str, text: str) -> Iterator[str]:
    if text.strip():
        yield from ("", *((f"## {title}", "") if title else ()), line(text))
