"""Say everything that is wrong with a contract before a token is spent on it.

Pure. Rules 1 to 11 are the plan contract's own and carry their number; the others are ours and carry none,
so a caller may keep those alone. A rule is a function from a contract to
violations; adding one is writing it and naming it in `RULES`.
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import combinations, islice
from typing import Final

from signoff.core.contract_parts import (
    WRITES,
    ClauseAt,
    checks,
    clauses,
    evidence,
    gates,
    paths,
    proofs,
    texts,
    writes,
)
from signoff.core.cycles import cycles
from signoff.core.patterns import why_no_regex
from signoff.core.repo_paths import file_key, folder_keys, plain, why_outside
from signoff.core.violations import MAX_VIOLATIONS, Findings, fault, shown
from signoff.domain.checks import Behavioral, CommandExit, GrepMatch
from signoff.domain.contract import Contract, Criterion
from signoff.domain.ids import TaskId
from signoff.domain.violations import Violation

MAX_ACTION: Final = 500
TOO_AMBIGUOUS: Final = 7

_TASK_ID = re.compile(r"T[0-9]+")
_CLAUSE_ID = re.compile(r"(?!.*(?:^|/)\.{0,2}(?:/|$))\w[\w.:/#@+-]{0,99}")
_SHELL = re.compile(r"""[\s\x00-\x1f|&;<>()$`\\"'*?\[\]{}!#~]""")


class ContractCode(StrEnum):
    """What can be wrong with a contract that has the right shape."""

    DUPLICATE_TASK_ID = "duplicate-task-id"
    BAD_TASK_ID = "bad-task-id"
    UNKNOWN_DEPENDENCY = "unknown-dependency"
    DEPENDENCY_CYCLE = "dependency-cycle"
    WAVE_ORDER = "wave-order"
    NO_VERIFICATION = "no-verification"
    FILE_LISTED_TWICE = "file-listed-twice"
    SHELL_SYNTAX = "shell-syntax"
    NO_SUCCESS_CRITERIA = "no-success-criteria"
    NO_REQUIRED_CRITERION = "no-required-criterion"
    ACTION_TOO_LONG = "action-too-long"
    EVIDENCE_PATH = "evidence-path"
    EVIDENCE_MATCHER = "evidence-matcher"
    NO_TASKS = "no-tasks"
    NO_EVIDENCE = "no-evidence"
    NOT_POSITIVE = "not-positive"
    WRITE_CONFLICT = "write-conflict"
    SCOPE_TOO_WIDE = "scope-too-wide"
    PATH_ESCAPE = "path-escape"
    BAD_REGEX = "bad-regex"
    BAD_CLAUSE_ID = "bad-clause-id"
    DUPLICATE_CLAUSE_ID = "duplicate-clause-id"
    UNKNOWN_PROOF = "unknown-proof"
    CIRCULAR_PROOF = "circular-proof"
    TOO_AMBIGUOUS = "too-ambiguous"


def check_contract(contract: Contract) -> tuple[Violation, ...]:
    """Give every violation of every rule."""
    findings = Findings()
    for rule in RULES:
        findings.extend(islice(rule(contract), MAX_VIOLATIONS + 1))
    return findings.all()


def task_ids_are_unique(contract: Contract) -> Iterator[Violation]:
    """Rule 1."""
    seen: dict[str, int] = {}
    for i, task in enumerate(contract.tasks):
        first = seen.setdefault(task.id, i)
        if first != i:
            message = f"{shown(task.id)} is the id of task {first + 1} already"
            yield fault(
                ContractCode.DUPLICATE_TASK_ID, message, f"/tasks/{i}/id", fix="number it anew", rule=1
            )


def task_ids_are_t_and_digits(contract: Contract) -> Iterator[Violation]:
    """Rule 2."""
    for i, task in enumerate(contract.tasks):
        if not _TASK_ID.fullmatch(task.id):
            message = f"{shown(task.id)} is not `T` and a number"
            yield fault(ContractCode.BAD_TASK_ID, message, f"/tasks/{i}/id", fix=f"write `T{i + 1}`", rule=2)


def dependencies_exist(contract: Contract) -> Iterator[Violation]:
    """Rule 3."""
    known = {task.id for task in contract.tasks}
    for i, task in enumerate(contract.tasks):
        for j, name in enumerate(task.depends_on):
            if name not in known:
                message = f"there is no task {shown(name)}"
                path = f"/tasks/{i}/depends_on/{j}"
                yield fault(
                    ContractCode.UNKNOWN_DEPENDENCY, message, path, fix="name a task of this contract", rule=3
                )


def dependencies_have_no_cycle(contract: Contract) -> Iterator[Violation]:
    """Rule 4."""
    edges: dict[str, dict[str, str | None]] = {task.id: {} for task in contract.tasks}
    for task in contract.tasks:
        edges[task.id] |= dict.fromkeys(task.depends_on)
    for nodes, source, target in cycles(edges):
        i = next(
            i for i, task in enumerate(contract.tasks) if task.id == source and target in task.depends_on
        )
        path = f"/tasks/{i}/depends_on/{contract.tasks[i].depends_on.index(TaskId(target))}"
        message = f"a cycle: {_chain(nodes)}"
        yield fault(
            ContractCode.DEPENDENCY_CYCLE, message, path, fix="drop one of these dependencies", rule=4
        )


def waves_follow_dependencies(contract: Contract) -> Iterator[Violation]:
    """Rule 5."""
    waves = {task.id: task.wave for task in contract.tasks}
    for i, task in enumerate(contract.tasks):
        latest = max((name for name in task.depends_on if name in waves), key=waves.__getitem__, default=None)
        if latest is not None and task.wave <= waves[latest]:
            message = (
                f"wave {task.wave} is not after wave {waves[latest]} of {shown(latest)}, which it depends on"
            )
            fix = f"put it in wave {waves[latest] + 1} or later"
            yield fault(ContractCode.WAVE_ORDER, message, f"/tasks/{i}/wave", fix=fix, rule=5)


def tasks_have_checks(contract: Contract) -> Iterator[Violation]:
    """Rule 6."""
    for i, task in enumerate(contract.tasks):
        if not task.verification:
            path = f"/tasks/{i}/verification"
            yield fault(
                ContractCode.NO_VERIFICATION, "no check shows this task", path, fix="add a check", rule=6
            )


def files_are_listed_once(contract: Contract) -> Iterator[Violation]:
    """Rule 7."""
    for i, task in enumerate(contract.tasks):
        lists = [(name, [plain(path) for path in getattr(task, name)]) for name in WRITES]
        for (first, known), (second, later) in combinations(lists, 2):
            both = set(known).intersection(later)
            for path, pointer in texts(later, f"/tasks/{i}/{second}"):
                if path in both:
                    message = f"{shown(path)} is in {first} already"
                    yield fault(
                        ContractCode.FILE_LISTED_TWICE, message, pointer, fix="keep it in one list", rule=7
                    )


def commands_need_no_shell(contract: Contract) -> Iterator[Violation]:
    """Rule 8. A space is shell syntax too: words after the first belong into `args`."""
    for check, path in checks(contract):
        if not isinstance(check, CommandExit):
            continue
        if not check.command or _SHELL.search(check.command):
            message = f"{shown(check.command)} is not the name of a program, and no shell will read it"
            fix = "name the program here and its words in args"
            yield fault(ContractCode.SHELL_SYNTAX, message, f"{path}/command", fix=fix, rule=8)
        for word, pointer in texts(check.args, f"{path}/args"):
            if "\0" in word:
                message = "holds a NUL, which no program can be given"
                yield fault(ContractCode.SHELL_SYNTAX, message, pointer, fix="remove it", rule=8)


def success_is_defined(contract: Contract) -> Iterator[Violation]:
    """Rule 9."""
    if not contract.success_criteria:
        message = "no success criterion"
        yield fault(ContractCode.NO_SUCCESS_CRITERIA, message, "/success_criteria", fix="add one", rule=9)


def something_is_required(contract: Contract) -> Iterator[Violation]:
    """A contract whose criteria are all optional is kept by doing nothing."""
    criteria = contract.success_criteria
    if criteria and all(isinstance(item, Criterion) and not item.required for item in criteria):
        message = "every success criterion is optional"
        yield fault(ContractCode.NO_REQUIRED_CRITERION, message, "/success_criteria", fix="make one required")


def actions_are_short(contract: Contract) -> Iterator[Violation]:
    """Rule 10, in code points."""
    for i, task in enumerate(contract.tasks):
        if len(task.action) > MAX_ACTION:
            message = f"{len(task.action)} characters, and {MAX_ACTION} is the most"
            yield fault(
                ContractCode.ACTION_TOO_LONG, message, f"/tasks/{i}/action", fix="shorten it", rule=10
            )


def evidence_can_be_looked_up(contract: Contract) -> Iterator[Violation]:
    """Rule 11."""
    for item, path in evidence(contract):
        if why := _why_no_file(item.path):
            message = f"{shown(item.path)} {why}"
            fix = "write a path below the root of the repository"
            yield fault(ContractCode.EVIDENCE_PATH, message, f"{path}/path", fix=fix, rule=11)
        if item.matcher is not None and (why := why_no_regex(item.matcher)):
            fix = "write a Python regular expression"
            yield fault(ContractCode.EVIDENCE_MATCHER, why, f"{path}/matcher", fix=fix, rule=11)


def something_is_asked_and_shown(contract: Contract) -> Iterator[Violation]:
    """Without tasks, or without evidence to cite, everything would hold trivially."""
    if not contract.tasks:
        yield fault(ContractCode.NO_TASKS, "no task", "/tasks", fix="add one")
    for check, path in checks(contract):
        if isinstance(check, Behavioral) and not check.evidence_required:
            message = "nothing is to be cited for it"
            fix = "name a path and what its cited line must show"
            yield fault(ContractCode.NO_EVIDENCE, message, f"{path}/evidence_required", fix=fix)


def numbers_count_from_one(contract: Contract) -> Iterator[Violation]:
    """Phases and waves start at 1, and no time limit is shorter than a millisecond."""
    numbers = [(contract.phase, "/phase")]
    numbers += [(task.wave, f"/tasks/{i}/wave") for i, task in enumerate(contract.tasks)]
    numbers += [
        (c.timeout_ms, f"{path}/timeout_ms") for c, path in checks(contract) if isinstance(c, CommandExit)
    ]
    for number, path in numbers:
        if number < 1:
            message = f"must be 1 or more, not {shown(number)}"
            yield fault(ContractCode.NOT_POSITIVE, message, path, fix="write 1 or more")


def tasks_of_a_wave_write_apart(contract: Contract) -> Iterator[Violation]:
    """They run in parallel, each in its own checkout: the second to write a file would lose its work.

    A folder is written by whoever declares a file in it; overlapping globs are left to the merge.
    """
    owners: dict[tuple[int, str], int] = {}
    for i, task in enumerate(contract.tasks):
        for path, _ in writes(contract, i):
            owners.setdefault((task.wave, file_key(path)), i)
    for i, task in enumerate(contract.tasks):
        for path, pointer in writes(contract, i):
            places = ((task.wave, key) for key in (file_key(path), *folder_keys(path)))
            owner = next((owners[place] for place in places if owners.get(place, i) != i), None)
            if owner is not None:
                message = f"{shown(path)} is written by {shown(contract.tasks[owner].id)} in the same wave"
                fix = "put one of the two in a later wave, depending on the other"
                yield fault(ContractCode.WRITE_CONFLICT, message, pointer, fix=fix)


def scopes_mean_something(contract: Contract) -> Iterator[Violation]:
    """A glob that covers every file would make the scope gate hold whatever is changed."""
    for i in range(len(contract.tasks)):
        for path, pointer in writes(contract, i):
            if ("*" in path or "?" in path) and not path.strip("*?./"):
                message = f"{shown(path)} covers every file"
                fix = "name the files or the folder the task needs"
                yield fault(ContractCode.SCOPE_TOO_WIDE, message, pointer, fix=fix)


def paths_stay_inside(contract: Contract) -> Iterator[Violation]:
    """Every path and glob but those of evidence, which rule 11 judges."""
    for path, pointer in paths(contract):
        if why := _why_no_file(path):
            fix = "write a path below the root, with forward slashes"
            yield fault(ContractCode.PATH_ESCAPE, f"{shown(path)} {why}", pointer, fix=fix)
    for check, pointer in checks(contract):
        if isinstance(check, CommandExit) and (why := why_outside(check.cwd)):
            fix = "write a folder below the root, or `.`"
            yield fault(ContractCode.PATH_ESCAPE, f"{shown(check.cwd)} {why}", f"{pointer}/cwd", fix=fix)


def patterns_are_regexes(contract: Contract) -> Iterator[Violation]:
    """Every pattern but those of evidence, which rule 11 judges."""
    for check, path in checks(contract):
        if isinstance(check, GrepMatch):
            pattern, field = check.pattern, "pattern"
        elif isinstance(check, CommandExit) and check.expect_stdout_match is not None:
            pattern, field = check.expect_stdout_match, "expect_stdout_match"
        else:
            continue
        if why := why_no_regex(pattern):
            fix = "write a Python regular expression"
            yield fault(ContractCode.BAD_REGEX, why, f"{path}/{field}", fix=fix)


def clause_ids_are_usable(contract: Contract) -> Iterator[Violation]:
    """Ids become parts of keys and file names; `gate/` is the engine's own: no plan redefines a gate."""
    for clause in clauses(contract):
        if not clause.is_given:
            continue
        if clause.id.startswith("gate/"):
            message = f"{shown(clause.id)} is a name only the engine gives"
            yield fault(ContractCode.BAD_CLAUSE_ID, message, clause.path, fix="choose another id")
        elif not _CLAUSE_ID.fullmatch(clause.id):
            message = f"{shown(clause.id)} is no id"
            fix = "use letters, digits and . _ : / # @ + -, at most 100"
            yield fault(ContractCode.BAD_CLAUSE_ID, message, clause.path, fix=fix)


def clause_ids_are_unique(contract: Contract) -> Iterator[Violation]:
    """A receipt speaks for one clause."""
    seen: dict[str, ClauseAt] = {}
    for clause in clauses(contract):
        first = seen.setdefault(clause.id, clause)
        if first is not clause and (first.is_given or clause.is_given):
            message = f"{shown(clause.id)} is the id of {first.path} already"
            yield fault(ContractCode.DUPLICATE_CLAUSE_ID, message, clause.path, fix="choose another id")


def proofs_exist(contract: Contract) -> Iterator[Violation]:
    """What `proven_by` names must be a clause of this contract or a gate."""
    known = {clause.id for clause in clauses(contract)} | gates(contract)
    for _, named in proofs(contract):
        for name, pointer in named:
            if name not in known:
                message = f"there is no clause {shown(name)}"
                fix = "name a check by its id, or as `<task>/check-<n>`"
                yield fault(ContractCode.UNKNOWN_PROOF, message, pointer, fix=fix)


def proofs_are_grounded(contract: Contract) -> Iterator[Violation]:
    """What is proven by itself, or in a circle, is not proven."""
    edges: dict[str, dict[str, str]] = {}
    for clause, named in proofs(contract):
        edges.setdefault(clause, {}).update(named)
    for nodes, source, target in cycles(edges):
        message = f"proven in a circle: {_chain(nodes)}"
        path = edges[source][target]
        yield fault(ContractCode.CIRCULAR_PROOF, message, path, fix="name a check that shows it")


def ambiguity_is_low(contract: Contract) -> Iterator[Violation]:
    """A plan this uncertain asks its questions first."""
    score = contract.ambiguity_score
    if score is not None and score >= TOO_AMBIGUOUS:
        message = f"an ambiguity of {shown(score)} is {TOO_AMBIGUOUS} or more"
        yield fault(ContractCode.TOO_AMBIGUOUS, message, "/ambiguity_score", fix="ask what is unclear first")


RULES: Final[tuple[Callable[[Contract], Iterator[Violation]], ...]] = (
    task_ids_are_unique,
    task_ids_are_t_and_digits,
    dependencies_exist,
    dependencies_have_no_cycle,
    waves_follow_dependencies,
    tasks_have_checks,
    files_are_listed_once,
    commands_need_no_shell,
    success_is_defined,
    something_is_required,
    actions_are_short,
    evidence_can_be_looked_up,
    something_is_asked_and_shown,
    numbers_count_from_one,
    tasks_of_a_wave_write_apart,
    scopes_mean_something,
    paths_stay_inside,
    patterns_are_regexes,
    clause_ids_are_usable,
    clause_ids_are_unique,
    proofs_exist,
    proofs_are_grounded,
    ambiguity_is_low,
)


def _why_no_file(path: str) -> str:
    """Say why this cannot be a file of the repository; empty when it can."""
    return why_outside(path) or ("" if plain(path) else "is the root itself")


def _chain(nodes: tuple[str, ...]) -> str:
    return " → ".join(shown(node, 20) for node in nodes)
