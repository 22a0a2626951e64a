"""A sprint contract as a person reads it. Pure."""

from collections.abc import Iterable, Iterator

from signoff.domain.sprints import Sprint, SprintCriterion


def sprint_page(sprint: Sprint) -> str:
    """Give the sprint as Markdown; sections without content are left out."""
    return "\n".join(_lines(sprint)) + "\n"


def _lines(sprint: Sprint) -> Iterator[str]:
    yield f"# Sprint {sprint.sprint_number}: {_flat(sprint.title)}"
    yield ""
    yield f"`{_flat(sprint.contract_id)}` of `{_flat(sprint.spec_id)}` · {sprint.status}" + _after(sprint)
    yield from _text("", sprint.description)
    yield from _bullets("Success criteria", (_criterion(one) for one in sprint.success_criteria))
    yield from _bullets("Non-goals", sprint.non_goals)
    yield from _bullets("Stop conditions", sprint.stop_conditions)
    yield from _text("Definition of done", sprint.definition_of_done)
    yield from _bullets("Assumptions", sprint.assumptions)
    yield from _bullets("Out of scope", sprint.out_of_scope)
    yield from _bullets("Files", (f"`{_flat(path)}`" for path in sprint.estimated_files))
    yield from _text("For the generator", sprint.generator_notes or "")
    yield from _text("For the evaluator", sprint.evaluator_notes or "")
    if sprint.ambiguity_score is not None:
        yield from _text("", f"Ambiguity: {sprint.ambiguity_score} of 10")


def _after(sprint: Sprint) -> str:
    return f" · after {', '.join(map(_flat, sprint.depends_on))}" if sprint.depends_on else ""


def _criterion(one: SprintCriterion) -> str:
    optional = "" if one.required else ", optional"
    return f"{_flat(one.description)} ({_flat(one.criterion_id)}, {one.verification_method}{optional})"


def _bullets(title: str, items: Iterable[str]) -> Iterator[str]:
    listed = [f"- {_flat(item)}" for item in items]
    if listed:
        yield from ("", f"## {title}", "", *listed)


def _text(title: str, text: str) -> Iterator[str]:
    if text.strip():
        yield from ("", *((f"## {title}", "") if title else ()), _flat(text))


def _flat(text: str) -> str:
    return " ".join(text.split())
