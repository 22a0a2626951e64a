"""The parts of a contract that rules are about, each with its JSON pointer. Pure; used by the rules only."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from signoff.core.clauses import all_clauses
from signoff.domain.checks import Behavioral, ContractCheck, Evidence, FileExists, GrepMatch, RunTests
from signoff.domain.clauses import ClauseKind
from signoff.domain.contract import Contract, Criterion, NonGoal, StopCondition
from signoff.domain.directives import Facts

WRITES: Final = ("files_modify", "files_create", "files_delete")

_EVERY_COMMAND = Facts(commands={name: (name,) for name in ("build", "lint", "test")})


class CheckAt(NamedTuple):
    """A check of a task."""

    check: ContractCheck
    path: str


class EvidenceAt(NamedTuple):
    """An evidence item of a behavioral check."""

    evidence: Evidence
    path: str


class TextAt(NamedTuple):
    """One string of a list."""

    text: str
    path: str


class ClauseAt(NamedTuple):
    """A clause by its id, given or derived as `core.clauses` derives it."""

    id: str
    path: str
    is_given: bool


class ProofsAt(NamedTuple):
    """What a clause says it is proven by."""

    clause: str
    proofs: tuple[TextAt, ...]


def texts(items: Sequence[str], path: str) -> tuple[TextAt, ...]:
    """Give the strings of a list."""
    return tuple(TextAt(item, f"{path}/{n}") for n, item in enumerate(items))


def writes(contract: Contract, i: int) -> Iterator[TextAt]:
    """Give every path a task may change."""
    for name in WRITES:
        yield from texts(getattr(contract.tasks[i], name), f"/tasks/{i}/{name}")


def checks(contract: Contract) -> Iterator[CheckAt]:
    """Give every check of every task."""
    for i, task in enumerate(contract.tasks):
        for j, check in enumerate(task.verification):
            yield CheckAt(check, f"/tasks/{i}/verification/{j}")


def evidence(contract: Contract) -> Iterator[EvidenceAt]:
    """Give every evidence item of every behavioral check."""
    for check, path in checks(contract):
        if isinstance(check, Behavioral):
            for n, item in enumerate(check.evidence_required):
                yield EvidenceAt(item, f"{path}/evidence_required/{n}")


def paths(contract: Contract) -> Iterator[TextAt]:
    """Give every path and glob that names files, but those of evidence."""
    for i, task in enumerate(contract.tasks):
        yield from writes(contract, i)
        yield from texts(task.context_files, f"/tasks/{i}/context_files")
    for check, path in checks(contract):
        if isinstance(check, FileExists | GrepMatch):
            yield TextAt(check.path, f"{path}/path")
        elif isinstance(check, RunTests):
            # A test id is `path::name`, and a parametrised name may hold anything.
            yield from texts([test.split("::")[0] for test in check.select], f"{path}/select")
    for i, goal in enumerate(contract.non_goals):
        if isinstance(goal, NonGoal):
            yield from texts(goal.untouched, f"/non_goals/{i}/untouched")


def clauses(contract: Contract) -> Iterator[ClauseAt]:
    """Give the id of everything in the contract that can be true or false."""
    for i, task in enumerate(contract.tasks):
        for n, check in enumerate(task.verification):
            path = f"/tasks/{i}/verification/{n}"
            if check.id:
                yield ClauseAt(check.id, f"{path}/id", is_given=True)
            else:
                yield ClauseAt(f"{task.id}/check-{n + 1}", path, is_given=False)
        for n in range(len(task.acceptance_criteria)):
            yield ClauseAt(
                f"{task.id}/criterion-{n + 1}", f"/tasks/{i}/acceptance_criteria/{n}", is_given=False
            )
    for name, derived in (
        ("success_criteria", "success"),
        ("non_goals", "non-goal"),
        ("stop_conditions", "stop"),
    ):
        items: tuple[str | Criterion | NonGoal | StopCondition, ...] = getattr(contract, name)
        for n, item in enumerate(items):
            if isinstance(item, str):
                yield ClauseAt(f"{derived}-{n + 1}", f"/{name}/{n}", is_given=False)
            else:
                yield ClauseAt(item.id, f"/{name}/{n}/id", is_given=True)


def proofs(contract: Contract) -> Iterator[ProofsAt]:
    """Give what criteria and stop conditions lean on."""
    for name in ("success_criteria", "stop_conditions"):
        items: tuple[str | Criterion | StopCondition, ...] = getattr(contract, name)
        for n, item in enumerate(items):
            if not isinstance(item, str):
                yield ProofsAt(item.id, texts(item.proven_by, f"/{name}/{n}/proven_by"))


def gates(contract: Contract) -> frozenset[str]:
    """Give the ids of the gates a delivery may have, whatever commands the project turns out to have."""
    bare = msgspec.structs.replace(contract, tasks=(), success_criteria=(), non_goals=(), stop_conditions=())
    return frozenset(c.id for c in all_clauses(bare, _EVERY_COMMAND) if c.kind is ClauseKind.GATE)
