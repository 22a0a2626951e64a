"""A proposed plan as a person reads it before approving. Pure."""

from collections.abc import Iterable

from signoff.core.clauses import contract_clauses
from signoff.domain.clauses import Clause, ClauseKind
from signoff.domain.contract import Contract, Task


def plan_page(contract: Contract) -> str:
    """Give goal, tasks with the files they may touch, and every clause the delivery is judged by."""
    clauses = contract_clauses(contract)
    parts = [f"Plan: {_flat(contract.goal)}"]
    for task in contract.tasks:
        parts += _task(task, [clause for clause in clauses if clause.task == task.id])
    for kind, title in _SECTIONS:
        parts += _section(title, (clause for clause in clauses if clause.kind is kind))
    parts += [f"  assumes: {_flat(text)}" for text in contract.assumptions]
    parts += [f"  changes the meaning of test: {_flat(test)}" for test in contract.spec_changes]
    return "\n".join(parts)


_SECTIONS = (
    (ClauseKind.CRITERION, "done when"),
    (ClauseKind.NON_GOAL, "not wanted"),
    (ClauseKind.STOP_CONDITION, "finished when"),
)


def _task(task: Task, clauses: Iterable[Clause]) -> list[str]:
    after = f", after {', '.join(task.depends_on)}" if task.depends_on else ""
    files = ", ".join((*task.files_modify, *task.files_create, *(f"-{p}" for p in task.files_delete)))
    return [
        f"  {task.id} (wave {task.wave}{after}): {_flat(task.title)}",
        f"     may touch: {_flat(files) or 'nothing'}",
        *(f"     shown by {c.id}: {_flat(c.text)}" for c in clauses if c.kind is ClauseKind.CHECK),
    ]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _section(title: str, clauses: Iterable[Clause]) -> list[str]:
    return [
        f"  {title}: {_flat(clause.text)}"
        + (f" (shown by {', '.join(clause.proven_by)})" if clause.proven_by else "")
        for clause in clauses
        if clause.task is None
    ]
