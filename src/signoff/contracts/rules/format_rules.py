"""Find everything that is wrong with a contract before a token is spent on it.

Pure, called by `signoff contract check` and by the flow before a plan is agreed to. Here are the format's own
rules, 1 to 11, and what its shape leaves open. `strict` adds the rules in `strict_rules`, `vacuous` and
`precision`, which have no number. A rule is a function from the parts of a contract to violations. To add
one, write it and name it in the tuple at the end of its module.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, islice
from typing import Final

from signoff.contracts.rules import precision_rules, strict_rules, vacuous_checks
from signoff.contracts.rules.contract_codes import ContractCode
from signoff.contracts.rules.contract_parts import WRITES, Parts, Rule, chain, texts, why_no_file
from signoff.domain.base.typed_ids import TaskId
from signoff.domain.base.violations import Violation
from signoff.domain.work.check_kinds import command_of
from signoff.domain.work.contract import Contract, ContractPolicy, TaskPersona
from signoff.text.graph_cycles import cycles
from signoff.text.json.violation_list import MAX_VIOLATIONS, Findings, shown
from signoff.text.pattern_syntax import why_no_regex
from signoff.text.repo_paths import plain
from signoff.text.timestamps import is_utc_moment

__all__ = ["MAX_ACTION", "RULES", "ContractCode", "check_contract"]

MAX_ACTION: Final = 500

_TASK_ID = re.compile(r"T[0-9]+")
_SHELL = re.compile(r"""[\s\x00-\x1f|&;<>()$`\\"'*?\[\]{}!#~]""")


def check_contract(
    contract: Contract, policy: ContractPolicy = ContractPolicy.STRICT, given: Collection[str] | None = None
) -> tuple[Violation, ...]:
    """Return every violation of every rule of the policy, warnings among them.

    `given` are the keys that stand in the file, in either spelling: only they tell a list that was left out
    from one that is empty. Without them, what is empty counts as left out.
    """
    parts = Parts(contract)
    findings = Findings()
    for rule in RULES[policy]:
        findings.extend(_capped(rule(parts)))
    if policy is ContractPolicy.STRICT:
        findings.extend(_capped(precision_rules.fields_are_given(contract, given)))
    return findings.all()


def _capped(found: Iterable[Violation]) -> Iterable[Violation]:
    """Let no rule go on once its violations are more than will be listed."""
    return islice(found, MAX_VIOLATIONS + 1)


def task_ids_are_unique(parts: Parts) -> Iterator[Violation]:
    """Rule 1."""
    seen: dict[str, int] = {}
    for i, task in enumerate(parts.contract.tasks):
        first = seen.setdefault(task.id, i)
        if first != i:
            message = f"{shown(task.id)} is the id of task {first + 1} already"
            yield ContractCode.DUPLICATE_TASK_ID.found(message, f"/tasks/{i}/id", rule=1)


def task_ids_are_t_and_digits(parts: Parts) -> Iterator[Violation]:
    """Rule 2."""
    for i, task in enumerate(parts.contract.tasks):
        if not _TASK_ID.fullmatch(task.id):
            message = f"{shown(task.id)} is not `T` and a number"
            yield ContractCode.BAD_TASK_ID.found(message, f"/tasks/{i}/id", fix=f"write `T{i + 1}`", rule=2)


def dependencies_exist(parts: Parts) -> Iterator[Violation]:
    """Rule 3."""
    known = {task.id for task in parts.contract.tasks}
    for i, task in enumerate(parts.contract.tasks):
        for j, name in enumerate(task.depends_on):
            if name not in known:
                message = f"there is no task {shown(name)}"
                yield ContractCode.UNKNOWN_DEPENDENCY.found(message, f"/tasks/{i}/depends_on/{j}", rule=3)


def dependencies_have_no_cycle(parts: Parts) -> Iterator[Violation]:
    """Rule 4."""
    edges: dict[str, dict[str, str | None]] = {task.id: {} for task in parts.contract.tasks}
    for task in parts.contract.tasks:
        edges[task.id] |= dict.fromkeys(task.depends_on)
    for nodes, source, target in cycles(edges):
        i = next(
            i
            for i, task in enumerate(parts.contract.tasks)
            if task.id == source and target in task.depends_on
        )
        path = f"/tasks/{i}/depends_on/{parts.contract.tasks[i].depends_on.index(TaskId(target))}"
        yield ContractCode.DEPENDENCY_CYCLE.found(f"a cycle: {chain(nodes)}", path, rule=4)


def waves_follow_dependencies(parts: Parts) -> Iterator[Violation]:
    """Rule 5."""
    waves = {task.id: task.wave for task in parts.contract.tasks}
    for i, task in enumerate(parts.contract.tasks):
        latest = max((name for name in task.depends_on if name in waves), key=waves.__getitem__, default=None)
        if latest is not None and task.wave <= waves[latest]:
            message = (
                f"wave {task.wave} is not after wave {waves[latest]} of {shown(latest)}, which it depends on"
            )
            yield ContractCode.WAVE_ORDER.found(
                message, f"/tasks/{i}/wave", fix=f"put it in wave {waves[latest] + 1} or later", rule=5
            )


def tasks_have_checks(parts: Parts) -> Iterator[Violation]:
    """Rule 6."""
    for i, task in enumerate(parts.contract.tasks):
        if not task.verification:
            yield ContractCode.NO_VERIFICATION.found(
                "no check shows this task", f"/tasks/{i}/verification", rule=6
            )


def files_are_listed_once(parts: Parts) -> Iterator[Violation]:
    """Rule 7."""
    for i, task in enumerate(parts.contract.tasks):
        given = [name for name in WRITES if getattr(task, name)]
        if len(given) < 2:
            continue
        lists = [(name, [plain(path) for path in getattr(task, name)]) for name in given]
        for (first, known), (second, later) in combinations(lists, 2):
            both = set(known).intersection(later)
            for path, pointer in texts(later, f"/tasks/{i}/{second}"):
                if path in both:
                    message = f"{shown(path)} is in {first} already"
                    yield ContractCode.FILE_LISTED_TWICE.found(message, pointer, rule=7)


def commands_need_no_shell(parts: Parts) -> Iterator[Violation]:
    """Rule 8. A space is shell syntax too: words after the first belong into `args`."""
    for check, path in parts.checks:
        ran = command_of(check)
        if ran is None:
            continue
        if not ran.command or _SHELL.search(ran.command):
            message = f"{shown(ran.command)} is not the name of a program, and no shell will read it"
            yield ContractCode.SHELL_SYNTAX.found(message, f"{path}/command", rule=8)
        for word, pointer in texts(ran.args, f"{path}/args"):
            if "\0" in word:
                message = "holds a NUL, which no program can be given"
                yield ContractCode.SHELL_SYNTAX.found(message, pointer, fix="remove it", rule=8)


def success_is_defined(parts: Parts) -> Iterator[Violation]:
    """Rule 9."""
    if not parts.contract.success_criteria:
        yield ContractCode.NO_SUCCESS_CRITERIA.found("no success criterion", "/success_criteria", rule=9)


def actions_are_short(parts: Parts) -> Iterator[Violation]:
    """Rule 10, in code points."""
    for i, task in enumerate(parts.contract.tasks):
        if len(task.action) > MAX_ACTION:
            message = f"{len(task.action)} characters, and {MAX_ACTION} is the most"
            yield ContractCode.ACTION_TOO_LONG.found(message, f"/tasks/{i}/action", rule=10)


def evidence_can_be_looked_up(parts: Parts) -> Iterator[Violation]:
    """Rule 11."""
    for item, path in parts.evidence:
        if why := why_no_file(item.path):
            yield ContractCode.EVIDENCE_PATH.found(f"{shown(item.path)} {why}", f"{path}/path", rule=11)
        if item.matcher is None:
            continue
        too_many = "is one pattern too many to be looked at" if parts.has_too_many_patterns else ""
        if why := too_many or why_no_regex(item.matcher):
            yield ContractCode.EVIDENCE_MATCHER.found(why, f"{path}/matcher", rule=11)


def numbers_count_from_one(parts: Parts) -> Iterator[Violation]:
    """Phases and waves start at 1, and no time limit is shorter than a millisecond."""
    numbers = [(parts.contract.phase, "/phase")]
    numbers += [(task.wave, f"/tasks/{i}/wave") for i, task in enumerate(parts.contract.tasks)]
    numbers += [
        (ran.timeout_ms, f"{path}/timeout_ms") for check, path in parts.checks if (ran := command_of(check))
    ]
    for number, path in numbers:
        if number < 1:
            yield ContractCode.NOT_POSITIVE.found(f"must be 1 or more, not {shown(number)}", path)


def made_at_a_moment(parts: Parts) -> Iterator[Violation]:
    """Readers must take `generated_at` for the same moment everywhere, so it is in UTC."""
    made = parts.contract.generated_at
    if not is_utc_moment(made):
        yield ContractCode.BAD_TIMESTAMP.found(f"{shown(made)} is no moment in UTC", "/generated_at")


def personas_are_known_everywhere(parts: Parts) -> Iterator[Violation]:
    """`data` stands in the format's types and not among its decisions."""
    for i, task in enumerate(parts.contract.tasks):
        if task.persona is TaskPersona.DATA:
            yield ContractCode.PERSONA_DATA.found(
                "the persona `data` is read as `backend`", f"/tasks/{i}/persona"
            )


_FORMAT: Final[tuple[Rule, ...]] = (
    task_ids_are_unique,
    task_ids_are_t_and_digits,
    dependencies_exist,
    dependencies_have_no_cycle,
    waves_follow_dependencies,
    tasks_have_checks,
    files_are_listed_once,
    commands_need_no_shell,
    success_is_defined,
    actions_are_short,
    evidence_can_be_looked_up,
    numbers_count_from_one,
    made_at_a_moment,
    personas_are_known_everywhere,
)

RULES: Final[dict[ContractPolicy, tuple[Rule, ...]]] = {
    ContractPolicy.SEED: _FORMAT,
    ContractPolicy.STRICT: (*_FORMAT, *strict_rules.RULES, *vacuous_checks.RULES, *precision_rules.RULES),
}
