"""The parts of a contract that rules are about, each with its JSON pointer, and what rules have in common.

Pure, used by the rules only.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import Final, Literal, NamedTuple

from signoff.contracts.clauses.contract_clauses import all_clauses
from signoff.contracts.clauses.non_goal_predicates import predicate_of, read_non_goal
from signoff.domain.base.violations import Violation
from signoff.domain.run.directives import Facts
from signoff.domain.work.check_kinds import PathRole, evidence_of, paths_of, patterns_of
from signoff.domain.work.checks import ContractCheck, DiffPredicate, Evidence
from signoff.domain.work.clauses import ClauseKind
from signoff.domain.work.contract import Contract, Criterion, GeneratedBy, NonGoal, StopCondition
from signoff.domain.work.strategies import Strategy
from signoff.text.json.violation_list import shown
from signoff.text.pattern_syntax import MAX_PATTERNS
from signoff.text.repo_paths import file_key, plain, why_outside

ListOfFiles = Literal["files_modify", "files_create", "files_delete"]
WRITES: Final[tuple[ListOfFiles, ...]] = ("files_modify", "files_create", "files_delete")

_EVERY_COMMAND = Facts(
    commands={name: (name,) for name in ("build", "lint", "test")},
    strategies=(Strategy(name="typecheck", argv=("typecheck",)),),
)


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


class WriteAt(NamedTuple):
    """A path or glob that a task may change."""

    task: int
    """Its place in the list of tasks."""
    list: ListOfFiles
    text: str
    path: str
    plain: str
    """The text without its empty and `.` parts."""
    key: str
    """The same for two spellings of one file. See `file_key`."""


class ClauseAt(NamedTuple):
    """A clause by its id, given or derived as `contracts.clauses.contract_clauses` derives it."""

    id: str
    path: str
    is_given: bool


class ProofsAt(NamedTuple):
    """What a clause says it is proven by."""

    clause: str
    proofs: tuple[TextAt, ...]


def named_files(contract: Contract) -> tuple[TextAt, ...]:
    """Return every path and glob a contract names, with those of evidence and the folders of commands."""
    parts = Parts(contract)
    evidence = parts.paths_in_checks(PathRole.EVIDENCE)
    return (*parts.paths, *evidence, *parts.paths_in_checks(PathRole.FOLDER))


def texts(items: Sequence[str], path: str) -> tuple[TextAt, ...]:
    """Return the strings of a list, each with its pointer."""
    return tuple([TextAt(item, f"{path}/{n}") for n, item in enumerate(items)])


def spoken(items: Sequence[str | Criterion | NonGoal | StopCondition], path: str) -> tuple[TextAt, ...]:
    """Return the words of a list whose items are plain strings or records with a description."""
    return tuple(
        TextAt(item, f"{path}/{n}")
        if isinstance(item, str)
        else TextAt(item.description, f"{path}/{n}/description")
        for n, item in enumerate(items)
    )


class Parts:
    """A contract, and what the rules look at in it: each gathered once, when a rule first asks."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    @cached_property
    def checks(self) -> tuple[CheckAt, ...]:
        """Every check of every task."""
        return tuple(
            [
                CheckAt(check, f"/tasks/{i}/verification/{j}")
                for i, task in enumerate(self.contract.tasks)
                for j, check in enumerate(task.verification)
            ]
        )

    @cached_property
    def evidence(self) -> tuple[EvidenceAt, ...]:
        """Every evidence item of every behavioral check."""
        return tuple(
            EvidenceAt(item, f"{path}/evidence_required/{n}")
            for check, path in self.checks
            for n, item in enumerate(evidence_of(check))
        )

    @cached_property
    def writes(self) -> tuple[WriteAt, ...]:
        """Every path and glob a task may change."""
        return tuple(
            WriteAt(i, name, text, f"/tasks/{i}/{name}/{n}", spelt := plain(text), file_key(spelt))
            for i, task in enumerate(self.contract.tasks)
            for name in WRITES
            for n, text in enumerate(getattr(task, name))
        )

    @cached_property
    def non_goal_globs(self) -> tuple[TextAt, ...]:
        """Every glob of a non-goal."""
        found: list[TextAt] = []
        for i, goal in enumerate(self.contract.non_goals):
            if isinstance(goal, NonGoal):
                found += texts(goal.untouched, f"/non_goals/{i}/untouched")
                found += texts(goal.exports, f"/non_goals/{i}/exports")
                for n, one in enumerate(goal.forbidden):
                    found += texts(one.paths, f"/non_goals/{i}/forbidden/{n}/paths")
        return tuple(found)

    @cached_property
    def predicates(self) -> tuple[DiffPredicate | None, ...]:
        """The predicate of each non-goal, None for one whose words cannot be turned into a predicate."""
        return tuple(
            read_non_goal(goal) if isinstance(goal, str) else predicate_of(goal)
            for goal in self.contract.non_goals
        )

    @cached_property
    def paths(self) -> tuple[TextAt, ...]:
        """Every path and glob that names files, but those of evidence."""
        found = [TextAt(write.text, write.path) for write in self.writes]
        for i, task in enumerate(self.contract.tasks):
            found += texts(task.context_files, f"/tasks/{i}/context_files")
        found += self.paths_in_checks(PathRole.FILE, PathRole.TESTS)
        return (*found, *self.non_goal_globs)

    def paths_in_checks(self, *roles: PathRole) -> tuple[TextAt, ...]:
        """Return the paths in checks that have one of these roles."""
        return tuple(
            TextAt(one.text, f"{path}/{one.field}")
            for check, path in self.checks
            for one in paths_of(check)
            if one.role in roles
        )

    @cached_property
    def patterns(self) -> tuple[TextAt, ...]:
        """Every regular expression, but those of evidence."""
        found = [
            TextAt(one.text, f"{path}/{one.field}")
            for check, path in self.checks
            for one in patterns_of(check)
            if not one.is_of_evidence
        ]
        for i, goal in enumerate(self.contract.non_goals):
            if isinstance(goal, NonGoal):
                for n, one in enumerate(goal.forbidden):
                    found.append(TextAt(one.pattern, f"/non_goals/{i}/forbidden/{n}/pattern"))
        return tuple(found)

    @cached_property
    def has_too_many_patterns(self) -> bool:
        """Whether compiling all of them, those of evidence too, would take too long."""
        matchers = sum(len(item.matcher or "") for item, _ in self.evidence)
        return matchers + sum(len(pattern) for pattern, _ in self.patterns) > MAX_PATTERNS

    @cached_property
    def clauses(self) -> tuple[ClauseAt, ...]:
        """The id of everything in the contract that can be true or false."""
        return tuple(clauses(self.contract))

    @cached_property
    def proofs(self) -> tuple[ProofsAt, ...]:
        """What each criterion and stop condition with an id names in `proven_by`."""
        found: list[ProofsAt] = []
        for name in ("success_criteria", "stop_conditions"):
            items: tuple[str | Criterion | StopCondition, ...] = getattr(self.contract, name)
            for n, item in enumerate(items):
                if not isinstance(item, str):
                    found.append(ProofsAt(item.id, texts(item.proven_by, f"/{name}/{n}/proven_by")))
        return tuple(found)


Rule = Callable[[Parts], Iterator[Violation]]
"""A function that yields what is wrong in one respect."""


def clauses(contract: Contract) -> Iterator[ClauseAt]:
    """Yield the id of everything in the contract that can be true or false."""
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
    for n in range(len(contract.out_of_scope)):
        yield ClauseAt(f"out-of-scope-{n + 1}", f"/out_of_scope/{n}", is_given=False)


@cache
def gates() -> frozenset[str]:
    """Return the ids of the gates a delivery may have, whatever commands the project turns out to have."""
    bare = Contract(
        version=1,
        phase=1,
        goal="",
        why="",
        generated_at="",
        generated_by=GeneratedBy.MANUAL,
        tasks=(),
        success_criteria=(),
    )
    return frozenset(c.id for c in all_clauses(bare, _EVERY_COMMAND) if c.kind is ClauseKind.GATE)


def why_no_file(path: str) -> str:
    """Return why this cannot be a file of the repository, or an empty string when it can."""
    return why_outside(path) or ("" if path.strip("./") or plain(path) else "is the root itself")


def chain(nodes: tuple[str, ...]) -> str:
    """Write a cycle for a message."""
    return " → ".join(shown(node, 20) for node in nodes)
