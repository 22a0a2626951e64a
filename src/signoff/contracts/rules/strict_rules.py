"""Rules of a contract that the format does not have: ids, proofs, paths, and who writes what.

Pure. `contract_rules` puts them after the format's own under the `strict` policy.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from signoff.contracts.rules.contract_codes import ContractCode
from signoff.contracts.rules.contract_parts import ClauseAt, Parts, Rule, WriteAt, chain, gates, why_no_file
from signoff.domain.base.violations import Violation
from signoff.domain.work.check_kinds import PathRole, evidence_of, needs_citations, required_file, search_of
from signoff.domain.work.checks import GrepMatch
from signoff.domain.work.contract import Criterion
from signoff.text.globs import alternatives, is_glob, match_glob, matches_any
from signoff.text.graph_cycles import cycles
from signoff.text.json.violation_list import shown
from signoff.text.pattern_syntax import MAX_PATTERNS, why_no_regex
from signoff.text.repo_paths import folder_keys, plain, why_outside

_CLAUSE_ID = re.compile(r"(?!.*(?:^|/)\.{0,2}(?:/|$))\w[\w.:/#@+-]{0,99}")

MAX_TASKS: Final = 2_000
MAX_FILES: Final = 5_000
MAX_CLAUSES: Final = 200


def something_is_required(parts: Parts) -> Iterator[Violation]:
    """A contract whose criteria are all optional is kept by doing nothing."""
    criteria = parts.contract.success_criteria
    if criteria and all(isinstance(item, Criterion) and not item.required for item in criteria):
        message = "every success criterion is optional"
        yield ContractCode.NO_REQUIRED_CRITERION.found(message, "/success_criteria")


def something_is_asked_and_shown(parts: Parts) -> Iterator[Violation]:
    """Without tasks, or without evidence to cite, everything would hold trivially."""
    if not parts.contract.tasks:
        yield ContractCode.NO_TASKS.found("no task", "/tasks")
    for check, path in parts.checks:
        if needs_citations(check) and not evidence_of(check):
            yield ContractCode.NO_EVIDENCE.found("nothing is to be cited for it", f"{path}/evidence_required")


def tasks_of_a_wave_write_apart(parts: Parts) -> Iterator[Violation]:
    """They run in parallel, each in its own checkout: the second to write a file would lose its work.

    A folder belongs to the task that declares a file in it. Overlapping globs are left to the merge.
    """
    tasks = parts.contract.tasks
    crowd = Counter(task.wave for task in tasks)
    shared = [write for write in parts.writes if crowd[tasks[write.task].wave] > 1]
    owners: dict[tuple[int, str], int] = {}
    for write in shared:
        owners.setdefault((tasks[write.task].wave, write.key), write.task)
    for write in shared:
        wave = tasks[write.task].wave
        places = ((wave, key) for key in (write.key, *folder_keys(write.key)))
        owner = next((owners[place] for place in places if owners.get(place, write.task) != write.task), None)
        if owner is not None:
            message = f"{shown(write.text)} is written by {shown(tasks[owner].id)} in the same wave"
            yield ContractCode.WRITE_CONFLICT.found(message, write.path)


def one_file_has_one_spelling(parts: Parts) -> Iterator[Violation]:
    """Where file systems fold case, two spellings are one file, and one change would undo the other.

    A file that is deleted under one name and created under another is renamed, and that is all right.
    """
    deleted = {write.plain for write in parts.writes if write.list == "files_delete"}
    spelt: dict[str, str] = {}
    for write in parts.writes:
        if write.plain in deleted:
            continue
        first = spelt.setdefault(write.key, write.plain)
        if first != write.plain:
            message = f"{shown(write.text)} and {shown(first)} are one file on macOS and Windows"
            yield ContractCode.CASE_CLASH.found(message, write.path)


def no_task_does_what_is_not_wanted(parts: Parts) -> Iterator[Violation]:
    """No contract can be kept where a task writes a file that a non-goal leaves alone."""
    goals = enumerate(parts.predicates[:MAX_CLAUSES])
    fixed = [(n, goal.untouched) for n, goal in goals if goal and goal.untouched]
    for write in parts.writes[:MAX_FILES]:
        for n, globs in fixed:
            if not is_glob(write.plain) and matches_any(write.plain, globs):
                message = f"{shown(write.text)} is left alone by non-goal {n + 1}"
                yield ContractCode.CONTRADICTION.found(
                    message, write.path, fix="take it off the task's files, or narrow the non-goal"
                )


def no_pattern_is_there_and_not_there(parts: Parts) -> Iterator[Violation]:
    """Every check is asked of the same result in the end."""
    first: dict[tuple[str, str], tuple[GrepMatch, str]] = {}
    for at in parts.checks:
        search = search_of(at.check)
        if search is None:
            continue
        other, pointer = first.setdefault((plain(search.path), search.pattern), (search, at.path))
        if other.expect is not search.expect:
            message = f"{pointer} expects the same pattern to be {other.expect.value}"
            yield ContractCode.CONTRADICTION.found(message, f"{at.path}/expect")


def nothing_deleted_is_asked_for(parts: Parts) -> Iterator[Violation]:
    """A file that a task deletes is not there for its checks, nor for later ones, unless it is made anew.

    The last wave that deletes a file counts, and any task of that wave or a later one may create it again.
    """
    tasks = parts.contract.tasks
    asked = {plain(file.path) for check, _ in parts.checks if (file := required_file(check))}
    deleted: dict[str, WriteAt] = {}
    for write in parts.writes:
        # Each is compared with everything that is created, so no more than anybody reads.
        is_looked_up = write.plain in deleted or len(deleted) < MAX_CLAUSES
        if (
            write.list == "files_delete"
            and write.plain in asked
            and is_looked_up
            and not is_glob(write.plain)
        ):
            first = deleted.setdefault(write.plain, write)
            if tasks[write.task].wave > tasks[first.task].wave:
                deleted[write.plain] = write
    lasting = {name: write for name, write in deleted.items() if not _is_made_anew(parts, write)}
    for i, task in enumerate(tasks):
        for j, check in enumerate(task.verification):
            file = required_file(check)
            gone = lasting.get(plain(file.path)) if file else None
            if gone is not None and task.wave >= tasks[gone.task].wave:
                message = f"{shown(gone.text)} is deleted by {shown(tasks[gone.task].id)}"
                yield ContractCode.CONTRADICTION.found(
                    message, f"/tasks/{i}/verification/{j}/path", fix="keep the file, or drop the check"
                )


def _is_made_anew(parts: Parts, deleted: WriteAt) -> bool:
    tasks = parts.contract.tasks
    return any(
        write.list == "files_create"
        and tasks[write.task].wave >= tasks[deleted.task].wave
        and match_glob(deleted.plain, write.plain)
        for write in parts.writes
    )


def there_is_not_too_much(parts: Parts) -> Iterator[Violation]:
    """Rules compare everything with everything. A contract beyond these sizes is a mistake or an attack."""
    contract = parts.contract
    sizes = (
        ("tasks", len(contract.tasks), MAX_TASKS, "/tasks"),
        ("files", len(parts.writes), MAX_FILES, "/tasks"),
        ("success criteria", len(contract.success_criteria), MAX_CLAUSES, "/success_criteria"),
        ("non-goals", len(contract.non_goals), MAX_CLAUSES, "/non_goals"),
        ("stop conditions", len(contract.stop_conditions), MAX_CLAUSES, "/stop_conditions"),
    )
    for name, size, most, path in sizes:
        if size > most:
            yield ContractCode.TOO_MANY.found(f"{size:,} {name}, and {most:,} is the most", path)


def scopes_mean_something(parts: Parts) -> Iterator[Violation]:
    """A glob that covers every file would make the scope gate hold whatever is changed."""
    for write in parts.writes:
        if any(is_glob(one) and not one.strip("*?./") for one in alternatives(write.text)):
            yield ContractCode.SCOPE_TOO_WIDE.found(f"{shown(write.text)} covers every file", write.path)


def paths_stay_inside(parts: Parts) -> Iterator[Violation]:
    """Every path and glob but those of evidence, which rule 11 judges."""
    for path, pointer in parts.paths:
        if why := why_no_file(path):
            yield ContractCode.PATH_ESCAPE.found(f"{shown(path)} {why}", pointer)
    for folder, pointer in parts.paths_in_checks(PathRole.FOLDER):
        if why := why_outside(folder):
            yield ContractCode.PATH_ESCAPE.found(
                f"{shown(folder)} {why}", pointer, fix="write a folder below the root, or `.`"
            )


def patterns_are_regexes(parts: Parts) -> Iterator[Violation]:
    """Every pattern but those of evidence, which rule 11 judges."""
    if parts.has_too_many_patterns:
        message = f"the patterns hold more than {MAX_PATTERNS:,} characters, and were not looked at"
        yield ContractCode.TOO_MANY.found(message, "/tasks")
        return
    for pattern, pointer in parts.patterns:
        if why := why_no_regex(pattern):
            yield ContractCode.BAD_REGEX.found(why, pointer)


def clause_ids_are_usable(parts: Parts) -> Iterator[Violation]:
    """Ids become parts of keys and file names. `gate/` is the engine's own: no plan redefines a gate."""
    for clause in parts.clauses:
        if not clause.is_given:
            continue
        if clause.id.startswith("gate/"):
            message = f"{shown(clause.id)} is a name only the engine gives"
            yield ContractCode.BAD_CLAUSE_ID.found(message, clause.path)
        elif not _CLAUSE_ID.fullmatch(clause.id):
            message = f"{shown(clause.id)} is no id"
            yield ContractCode.BAD_CLAUSE_ID.found(
                message, clause.path, fix="use letters, digits and . _ : / # @ + -, at most 100"
            )


def clause_ids_are_unique(parts: Parts) -> Iterator[Violation]:
    """A receipt speaks for one clause."""
    seen: dict[str, ClauseAt] = {}
    for clause in parts.clauses:
        first = seen.setdefault(clause.id, clause)
        if first is not clause and (first.is_given or clause.is_given):
            message = f"{shown(clause.id)} is the id of {first.path} already"
            yield ContractCode.DUPLICATE_CLAUSE_ID.found(message, clause.path)


def proofs_exist(parts: Parts) -> Iterator[Violation]:
    """What `proven_by` names must be a clause of this contract or a gate."""
    known = {clause.id for clause in parts.clauses} | gates()
    for _, named in parts.proofs:
        for name, pointer in named:
            if name not in known:
                yield ContractCode.UNKNOWN_PROOF.found(f"there is no clause {shown(name)}", pointer)


def proofs_are_grounded(parts: Parts) -> Iterator[Violation]:
    """What is proven by itself, or in a circle, is not proven."""
    edges: dict[str, dict[str, str]] = {}
    for clause, named in parts.proofs:
        edges.setdefault(clause, {}).update(named)
    for nodes, source, target in cycles(edges):
        yield ContractCode.CIRCULAR_PROOF.found(f"proven in a circle: {chain(nodes)}", edges[source][target])


RULES: Final[tuple[Rule, ...]] = (
    something_is_required,
    something_is_asked_and_shown,
    tasks_of_a_wave_write_apart,
    one_file_has_one_spelling,
    no_task_does_what_is_not_wanted,
    no_pattern_is_there_and_not_there,
    nothing_deleted_is_asked_for,
    there_is_not_too_much,
    scopes_mean_something,
    paths_stay_inside,
    patterns_are_regexes,
    clause_ids_are_usable,
    clause_ids_are_unique,
    proofs_exist,
    proofs_are_grounded,
)
