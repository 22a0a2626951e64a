"""Turn a contract and the project's gates into one flat list of clauses.

Pure. The judge, the report and the flow all work on this list, so there is one answer to "what must
hold". Plain strings in a contract get their meaning here: an acceptance criterion stands or falls
with the checks of its task, a success criterion with every check of the contract. Non-goals, out-of-scope
entries and stop conditions are read from their words if they are plain strings. A clause whose words settle
nothing has no check and depends on no other clause: it is unproven until a person or the planner says more.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from signoff.contracts.clauses.non_goal_predicates import predicate_of, read_non_goal
from signoff.contracts.clauses.stop_condition_checks import Leaning, read_stop_condition
from signoff.domain.base.typed_ids import ClauseId, TaskId
from signoff.domain.run.directives import Facts
from signoff.domain.work.check_kinds import describe, selected_tests
from signoff.domain.work.checks import (
    ContractCheck,
    DeclaredScope,
    Place,
    ProtectedPaths,
    RedGreen,
    RunGate,
    RunTests,
    SecretScan,
    SomethingChanged,
    TestIntegrity,
)
from signoff.domain.work.clauses import GATE_TESTS, Clause, ClauseKind
from signoff.domain.work.contract import Contract, Criterion, NonGoal, StopCondition, Task
from signoff.domain.work.observations import Observation, Result
from signoff.domain.work.strategies import Strategy, WhenBase
from signoff.text.truncation import short

GATE_INTEGRITY = ClauseId("gate/test-integrity")
GATE_RED_GREEN = ClauseId("gate/red-green")
GATE_CONDUCT = ClauseId("gate/conduct")
GATE_CHANGE = ClauseId("gate/change")
GATE_BUILD = ClauseId("gate/build")
GATE_LINT = ClauseId("gate/lint")
_LONGEST_COMMAND = 120
"""Of a further check, in the words of its clause; the whole stands in its receipts."""


def project_gates(facts: Facts) -> tuple[Clause, ...]:
    """Return the gates that are commands of the project: what the baseline runs."""
    found: list[Clause] = []
    for name in ("build", "lint"):
        if argv := facts.commands.get(name):
            found.append(_gate(name, f"`{' '.join(argv)}` exits with 0", RunGate(argv=argv)))
    if argv := facts.commands.get("test"):
        found.append(_gate("tests", f"`{' '.join(argv)}` passes, and something was collected", RunTests()))
    return (*found, *(_strategy(one) for one in facts.strategies))


def _strategy(one: Strategy) -> Clause:
    check = RunGate(argv=one.argv, kind=one.kind, timeout_s=one.timeout_s, report=one.report, serve=one.serve)
    served = " against its server" if one.serve else ""
    reported = ", as its report says" if one.report else ""
    text = f"`{short(' '.join(one.argv), _LONGEST_COMMAND)}`{served} exits with 0{reported}"
    gate = _gate(one.name, text, check)
    return gate if one.required else replace(gate, required=False)


def left_out(facts: Facts, baseline: Callable[[ClauseId], Observation | None]) -> dict[ClauseId, str]:
    """Return the gates that do not count, and why: commands found by detection that do not pass on the base.

    Empty while the baseline has not been run. Gates from the settings are never among them.
    """
    reasons: dict[ClauseId, str] = {}
    for gate in project_gates(facts):
        when = facts.counts_when.get(gate.id.removeprefix("gate/"), WhenBase.ANY)
        seen = baseline(gate.id)
        if seen is None or when is WhenBase.ANY or seen.result is Result.PASS:
            continue
        if seen.result is Result.PARTIAL:
            reasons[gate.id] = f"could not be run on the base: {seen.detail}"
        elif when is WhenBase.PASSES:
            reasons[gate.id] = f"does not pass on the base: {seen.detail}"
    return reasons


def all_clauses(contract: Contract, facts: Facts) -> tuple[Clause, ...]:
    """Return every clause of a delivery, gates first, in a fixed order."""
    return (*project_gates(facts), *_engine_gates(contract, facts), *contract_clauses(contract))


def contract_clauses(contract: Contract) -> tuple[Clause, ...]:
    """Return the clauses the contract itself makes."""
    checks = tuple(clause for task in contract.tasks for clause in task_checks(task))
    ids = tuple(clause.id for clause in checks)
    accepted = (c for task in contract.tasks for c in _acceptance(task))
    criteria = (*accepted, *_success(contract, ids))
    required = tuple(clause.id for clause in criteria if clause.required)
    return (
        *checks,
        *criteria,
        *_non_goals(contract),
        *_out_of_scope(contract),
        *_stop_conditions(contract, ids, required),
    )


def task_checks(task: Task) -> tuple[Clause, ...]:
    """Return the clauses that are checks of one task."""
    return tuple(_check_clause(task.id, n, check) for n, check in enumerate(task.verification, start=1))


def declared_files(task: Task) -> tuple[str, ...]:
    """Return every path a task may touch."""
    return (*task.files_modify, *task.files_create, *task.files_delete)


def _gate(name: str, text: str, check: RunGate | RunTests) -> Clause:
    return Clause(id=ClauseId(f"gate/{name}"), kind=ClauseKind.GATE, text=text, check=check)


def _engine_gates(contract: Contract, facts: Facts) -> Iterator[Clause]:
    allowed = tuple(path for task in contract.tasks for path in declared_files(task))
    if facts.commands.get("test"):
        yield Clause(
            id=GATE_INTEGRITY,
            kind=ClauseKind.GATE,
            text="every test of the base is still collected and still runs",
            check=TestIntegrity(permitted=contract.spec_changes),
        )
        yield Clause(
            id=GATE_RED_GREEN,
            kind=ClauseKind.GATE,
            text="each new test fails on the base and passes on the result",
            check=RedGreen(guards=contract.guards),
        )
    yield Clause(
        id=GATE_CONDUCT,
        kind=ClauseKind.GATE,
        text="every task kept to the rules of its checkout and was brought to an end",
    )
    yield Clause(
        id=GATE_CHANGE,
        kind=ClauseKind.GATE,
        text="the result is not the base",
        check=SomethingChanged(),
    )
    yield Clause(
        id=ClauseId("gate/scope"),
        kind=ClauseKind.GATE,
        text="only files the contract declares have changed",
        check=DeclaredScope(allowed=allowed),
    )
    yield Clause(
        id=ClauseId("gate/protected-paths"),
        kind=ClauseKind.GATE,
        text="settings, runner configuration and CI files are as they were",
        check=ProtectedPaths(),
    )
    yield Clause(
        id=ClauseId("gate/secrets"),
        kind=ClauseKind.GATE,
        text="no added line holds a credential",
        check=SecretScan(),
    )


def _check_clause(task: TaskId, number: int, check: ContractCheck) -> Clause:
    red_on = Place.BASE_WITH_TESTS if selected_tests(check) is not None else Place.BASE
    return Clause(
        id=ClauseId(check.id or f"{task}/check-{number}"),
        kind=ClauseKind.CHECK,
        text=describe(check),
        task=task,
        check=check,
        red_on=None if check.guard else red_on,
    )


def _acceptance(task: Task) -> Iterator[Clause]:
    proven_by = tuple(clause.id for clause in task_checks(task))
    for number, text in enumerate(task.acceptance_criteria, start=1):
        yield Clause(
            id=ClauseId(f"{task.id}/criterion-{number}"),
            kind=ClauseKind.CRITERION,
            text=text,
            task=task.id,
            proven_by=proven_by,
        )


def _success(contract: Contract, checks: tuple[ClauseId, ...]) -> Iterator[Clause]:
    for number, item in enumerate(contract.success_criteria, start=1):
        match item:
            case str():
                yield Clause(
                    id=ClauseId(f"success-{number}"),
                    kind=ClauseKind.CRITERION,
                    text=item,
                    proven_by=checks,
                )
            case Criterion():
                yield Clause(
                    id=ClauseId(item.id),
                    kind=ClauseKind.CRITERION,
                    text=item.description,
                    proven_by=tuple(ClauseId(c) for c in item.proven_by),
                    required=item.required,
                    guard=item.guard,
                )


def _non_goals(contract: Contract) -> Iterator[Clause]:
    for number, item in enumerate(contract.non_goals, start=1):
        goal = item if isinstance(item, NonGoal) else NonGoal(id=f"non-goal-{number}", description=item)
        yield Clause(
            id=ClauseId(goal.id),
            kind=ClauseKind.NON_GOAL,
            text=goal.description,
            check=predicate_of(goal),
        )


def _out_of_scope(contract: Contract) -> Iterator[Clause]:
    """Yield a clause for each entry. Without a predicate it is a note for the reviewer, never a pass."""
    for number, text in enumerate(contract.out_of_scope, start=1):
        predicate = read_non_goal(text)
        yield Clause(
            id=ClauseId(f"out-of-scope-{number}"),
            kind=ClauseKind.OUT_OF_SCOPE,
            text=text,
            check=predicate,
            required=predicate is not None,
        )


def _stop_conditions(
    contract: Contract, checks: tuple[ClauseId, ...], criteria: tuple[ClauseId, ...]
) -> Iterator[Clause]:
    for number, item in enumerate(contract.stop_conditions, start=1):
        condition = StopCondition(id=f"stop-{number}", description=item) if isinstance(item, str) else item
        read = None if condition.proven_by else read_stop_condition(condition.description)
        proven_by = tuple(ClauseId(c) for c in condition.proven_by)
        yield Clause(
            id=ClauseId(condition.id),
            kind=ClauseKind.STOP_CONDITION,
            text=condition.description,
            check=None if isinstance(read, Leaning) else read,
            proven_by=_props(read, checks, criteria) if isinstance(read, Leaning) else proven_by,
        )


def _props(
    leaning: Leaning, checks: tuple[ClauseId, ...], criteria: tuple[ClauseId, ...]
) -> tuple[ClauseId, ...]:
    """Return the clauses a stop condition depends on. A gate the project lacks leaves it unproven."""
    match leaning:
        case Leaning.CRITERIA:
            return criteria
        case Leaning.CHECKS:
            return checks
        case Leaning.TESTS:
            return (GATE_TESTS, GATE_RED_GREEN)
        case Leaning.BUILD:
            return (GATE_BUILD,)
        case Leaning.LINT:
            return (GATE_LINT,)
        case _:
            assert_never(leaning)


def claims_something_new(clause: Clause, clauses: Mapping[ClauseId, Clause]) -> bool:
    """Check whether a clause, or a clause it depends on, must have been red before it was green."""
    seen: set[ClauseId] = set()
    waiting = [clause]
    while waiting:
        one = waiting.pop()
        if one.red_on is not None:
            return True
        seen.add(one.id)
        waiting += [clauses[name] for name in one.proven_by if name in clauses and name not in seen]
    return False


def lowered_demands(contract: Contract) -> tuple[str, ...]:
    """Return the ways in which a plan asks for less than it could. Only a person may agree to that."""
    reasons = [f"it lets {item} go or change" for item in contract.spec_changes]
    reasons += [f"it lets new tests pass on the base: {item}" for item in contract.guards]
    clauses = {clause.id: clause for clause in contract_clauses(contract)}
    criteria = [c for c in clauses.values() if c.kind is ClauseKind.CRITERION and c.required]
    if not any(claims_something_new(criterion, clauses) for criterion in criteria):
        reasons.append("no required criterion of it claims anything new")
    return tuple(reasons)
