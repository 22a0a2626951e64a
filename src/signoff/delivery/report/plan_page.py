"""A proposed plan as a person reads it before approving. Pure."""

from collections.abc import Iterable, Iterator

from signoff.contracts.clauses.contract_clauses import contract_clauses, lowered_demands
from signoff.domain.work.clauses import Clause, ClauseKind
from signoff.domain.work.contract import Contract, Task


def plan_page(contract: Contract) -> str:
    """Return the page of a plan: what it does not ask for, its goal, its tasks with their files, its clauses.

    What a clause does not ask for stands before its text, where a long text cannot push it out of sight.
    """
    clauses = contract_clauses(contract)
    parts = [f"Plan: {_flat(contract.goal)}"]
    if reasons := lowered_demands(contract):
        parts += ["  asks for less than it could:", *(f"     {_flat(reason)}" for reason in reasons)]
    for task in contract.tasks:
        parts += _task(task, [clause for clause in clauses if clause.task == task.id])
    for clause in clauses:
        if clause.task is None:
            parts.append(f"  {_line(clause)}")
    parts += [f"  assumes: {_flat(text)}" for text in contract.assumptions]
    parts += [f"  may go or change: {_flat(test)}" for test in contract.spec_changes]
    parts += [f"  new tests that may pass on the base: {_flat(test)}" for test in contract.guards]
    return "\n".join(parts)


def asks_for_less(contract: Contract) -> Iterator[str]:
    """Yield a line for each clause that is a guard, optional, or has no check."""
    for clause in contract_clauses(contract):
        if marks := _marks(clause):
            yield f"{clause.id}{marks}: {_flat(clause.text)}"


_TITLES = {
    ClauseKind.CHECK: "shown by",
    ClauseKind.CRITERION: "done when",
    ClauseKind.NON_GOAL: "not wanted",
    ClauseKind.OUT_OF_SCOPE: "out of scope",
    ClauseKind.STOP_CONDITION: "finished when",
}


def _task(task: Task, clauses: Iterable[Clause]) -> list[str]:
    after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    files = ", ".join((*task.files_modify, *task.files_create, *(f"-{p}" for p in task.files_delete)))
    return [
        f"  {task.id} (wave {task.wave}{after}): {_flat(task.title)}",
        f"     may touch: {_flat(files) or 'nothing'}",
        *(f"     {_line(clause)}" for clause in clauses),
    ]


def _line(clause: Clause) -> str:
    props = f" (shown by {', '.join(clause.proven_by)})" if clause.proven_by else ""
    return _flat(f"{_TITLES[clause.kind]} {clause.id}{_marks(clause)}: {clause.text}{props}")


def _marks(clause: Clause) -> str:
    """Return what a clause does not ask for, in brackets."""
    is_guard = clause.guard or (clause.kind is ClauseKind.CHECK and clause.red_on is None)
    found = (
        ("optional", not clause.required),
        ("guard: holds already", is_guard),
        ("nothing shows it", clause.check is None and not clause.proven_by),
    )
    words = ", ".join(word for word, applies in found if applies)
    return f" ({words})" if words else ""


def _flat(text: str) -> str:
    return " ".join(text.split())
