"""Show that new and changed tests fail without the change and pass with it, by running them on both trees.

The project's own test command runs three times, narrowed to the test files that changed: on the base (which
tests are new?), on the base with the new test files laid over it (they must fail) and on the result (they
must pass). The runner's own report tells tests apart. Changed tests that the command does not run are named,
and the change is not judged then: a test that was not run shows nothing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from signoff.domain.base.typed_ids import ClauseId, EffectKey, TreeId
from signoff.domain.evidence.case_records import ReadCase as Case
from signoff.domain.evidence.case_records import Reader
from signoff.domain.evidence.gates import GateSeverity
from signoff.domain.evidence.receipts import CaseOutcome, Receipt, ReportedTest, TestReport
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.domain.work.checks import Place, RunTests
from signoff.gates.compared_trees import ChangeTrees, GateRunner, ProtectedSettings, protected_settings
from signoff.gates.gate_baseline import Draft
from signoff.judges.test_integrity.python.python_reader import read_python
from signoff.judges.test_results.report_comparison import covers, is_test_path, new_ids, red_green

NO_READERS: Mapping[str, Reader] = {}
_NAMED_TEST = re.compile(
    r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.py$|(?:test|spec)[^/]*\.[cm]?[jt]sx?$", re.IGNORECASE
)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_OTHER = re.compile(r"\.(?:go|rs|rb|java|kts?|swift|cc?|cpp|cs|fs|php|scala|groovy|dart|exs?)$")
"""Languages whose tests are recognised by their path and cannot be run one by one."""
_PYTHON_RUNNERS = re.compile(r"(?:py\.?test|tox|nox|unittest|nose2?|stestr)(?:-?3(?:\.\d+)?)?$")
_SCRIPT_RUNNERS = re.compile(r"(?:node|npm|npx|pnpm|yarn|bunx?|deno|jest|vitest|mocha|ava|tape?)$")
_RED = (CaseOutcome.FAILED, CaseOutcome.ERROR)
_CANNOT_PICK = "tests of this language cannot be picked out and run alone"
_NO_FILES = "no test file was added or changed, so there is nothing to show"


class RedGreenShown(NamedTuple):
    """Result of the three runs."""

    findings: list[Draft]
    receipts: tuple[Receipt, ...] = ()
    unjudged: str = ""
    notes: tuple[str, ...] = ()
    new: int = 0
    changed: int = 0


class _NamedTestFile(NamedTuple):
    """A test file of the result that can be run by its name."""

    path: str
    is_new: bool
    changed: tuple[Case, ...] = ()
    """Its tests whose body differs from the base."""
    lines: Mapping[str, int] = {}
    is_read: bool = False
    """Whether reading the file told its tests apart."""
    is_empty: bool = False
    """Whether no test could be read in it. The runner may find some all the same."""


class _Runs(NamedTuple):
    base: TestReport
    laid: TestReport
    final: TestReport


def show_red_green(
    trees: ChangeTrees,
    runner: GateRunner,
    guards: tuple[str, ...] = (),
    readers: Mapping[str, Reader] = NO_READERS,
) -> RedGreenShown:
    """Run the tests on all three trees and compare. `guards` names new tests that pin today's behaviour.

    `readers`, by file ending, tell which existing tests changed. Each early return names why nothing could
    be shown. A file that the command cannot run is left out, and leaves the result unjudged.
    """
    changes = [c for c in trees.changes(trees.base, trees.final) if is_test_path(c.path)]
    files = _files(trees, changes, {**readers, "py": read_python})
    others = [c.path for c in changes if _OTHER.search(c.path) and c.kind is not ChangeKind.DELETED]
    if not files:
        if others:
            return RedGreenShown([], unjudged=_not_run(others, _CANNOT_PICK))
        return RedGreenShown([], notes=(_NO_FILES,))
    protected = _protected(trees)
    if protected.settings is None or protected.facts is None:
        return RedGreenShown([], unjudged=protected.problem)
    if not protected.facts.commands.get("test"):
        return RedGreenShown(
            [], unjudged="no test command is known; set one in [checks] test of signoff.toml"
        )
    command = protected.facts.commands["test"]
    foreign = [file.path for file in files if not _is_run_by(command, file.path)]
    files = [file for file in files if file.path not in foreign]
    left = [_not_run(others, _CANNOT_PICK)] if others else []
    left += [_not_run(foreign, f"the test command, {command[0]}, runs another language")] if foreign else []
    if not files:
        return RedGreenShown([], unjudged="; ".join(left))
    runs = _TestRuns(trees, runner, protected)
    laid = trees.overlay(
        trees.base, trees.final, tuple(c.path for c in changes if c.kind is not ChangeKind.DELETED)
    )
    select = tuple(file.path for file in files)
    old = tuple(file.path for file in files if not file.is_new)
    final = runs.run(Place.FINAL, trees.final, select)
    red = runs.run(Place.BASE_WITH_TESTS, laid, select)
    base = runs.run(Place.BASE, trees.base, old) if old else TestReport(cases=())
    receipts = tuple(runs.receipts)
    if final is None or red is None or base is None:
        return RedGreenShown([], receipts, unjudged="; ".join((*runs.problems, *left)))
    shown = _compared(files, _Runs(base, red, final), guards, receipts)
    return shown._replace(unjudged="; ".join(left))


def _protected(trees: ChangeTrees) -> ProtectedSettings:
    """Return the base's settings and test command, or those of the result if the base has no test command."""
    protected = protected_settings(trees, trees.base)
    if protected.facts is None or protected.facts.commands.get("test"):
        return protected
    return protected_settings(trees, trees.final)


# --- which tests ---


def _not_run(paths: list[str], why: str) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"not run: {paths[0]}{more}: {why}"


def _is_run_by(command: tuple[str, ...], path: str) -> bool:
    """Check whether a command may run the tests of a file. A command that is not known may run anything."""
    names = [word.rpartition("/")[2] for word in command]
    is_python = any(map(_PYTHON_RUNNERS.match, names))
    is_script = any(map(_SCRIPT_RUNNERS.match, names))
    if is_python == is_script:
        return True
    return is_python if path.endswith(".py") else is_script


def _files(
    trees: ChangeTrees, changes: list[PathChange], readers: Mapping[str, Reader]
) -> list[_NamedTestFile]:
    """Return the changed files that hold tests. Helpers and test data cannot be run by themselves.

    A file that is named like a test is run even if no test can be read in it: tests can be inherited.
    """
    paths = [change.path for change in changes if change.kind is not ChangeKind.DELETED]
    before, after = trees.read_many(trees.base, paths), trees.read_many(trees.final, paths)
    found: list[_NamedTestFile] = []
    for path in paths:
        if path not in after:
            continue
        reader = readers.get(path.rpartition(".")[2])
        if path.endswith(".py") or (_SCRIPT.search(path) and _NAMED_TEST.search(path)):
            file = _read_file(path, before.get(path), after[path], reader)
            found += [file] if file else []
    return found


def _read_file(path: str, before: bytes | None, after: bytes, reader: Reader | None) -> _NamedTestFile | None:
    new = _cases(path, after, reader)
    if new is None:  # what cannot be read, the runner will name
        return _NamedTestFile(path, before is None)
    if not new:
        return _NamedTestFile(path, before is None, is_empty=True) if _NAMED_TEST.search(path) else None
    old = (_cases(path, before, reader) or {}) if before is not None else {}
    changed = tuple(case for name, case in new.items() if name in old and old[name].body != case.body)
    return _NamedTestFile(
        path, before is None, changed, {name: case.line for name, case in new.items()}, is_read=True
    )


def _cases(path: str, data: bytes, reader: Reader | None) -> dict[str, Case] | None:
    if reader is None:
        return None
    read = reader(path, data.decode("utf-8", "surrogateescape"), frozenset())
    if read.problem:
        return None
    return {case.id: case for case in read.cases if case.is_test}


# --- running ---


class _TestRuns:
    """Runs the test command on one tree after the other."""

    def __init__(self, trees: ChangeTrees, runner: GateRunner, protected: ProtectedSettings) -> None:
        self.receipts: list[Receipt] = []
        self.problems: list[str] = []
        self._trees, self._runner, self._protected = trees, runner, protected

    def run(self, place: Place, tree: TreeId, select: tuple[str, ...]) -> TestReport | None:
        """Return the runner's report, or None and note a problem where there is none."""
        settings = self._protected.settings
        # A runner that we do not know cannot be told which files to run.
        narrowed = select if settings is None or settings.checks.test_report is None else ()
        key, check = EffectKey(f"redgreen/{place}"), RunTests(select=narrowed)
        order = self._protected.order(self._trees, key, ClauseId("red-green"), check, place, tree)
        seen = self._protected.run(self._trees, self._runner, order)
        self.receipts.append(seen.receipt)
        if seen.report is None:
            self.problems.append(f"on {place}: {seen.receipt.observation.detail}")
        return seen.report


# --- comparing ---


def _compared(
    files: list[_NamedTestFile], runs: _Runs, guards: tuple[str, ...], receipts: tuple[Receipt, ...]
) -> RedGreenShown:
    # A command that cannot be narrowed runs the cases of other files too.
    ours = {case.id for case in runs.final.cases if _file_of(case.id, files) is not None}
    new = [name for name in new_ids(runs.base, runs.final) if name in ours]
    found = [*_new_tests(new, runs, files, guards)]
    for file in files:
        found += _changed_tests(file, runs, guards)
        if not file.is_empty and not any(
            covers(file.path, name) and not _is_whole_file(name) for name in ours
        ):
            message = "no test of this file could be collected on the result"
            found.append(Draft("new-test-not-green", file.path, 1, GateSeverity.BLOCKING, message))
    notes = tuple(
        f"{file.path}: which of its existing tests changed is not told apart; only new ones were judged"
        for file in files
        if not file.is_new and not file.is_read
    )
    return RedGreenShown(found, receipts, "", notes, len(new), sum(len(file.changed) for file in files))


def _file_of(test_id: str, files: list[_NamedTestFile]) -> _NamedTestFile | None:
    return next((file for file in files if covers(file.path, test_id)), None)


def _new_tests(
    new: Iterable[str], runs: _Runs, files: list[_NamedTestFile], guards: tuple[str, ...]
) -> Iterator[Draft]:
    """Yield what is wrong with new tests: each must fail without the change and pass with it.

    A file that could not be loaded on base+tests counts as the failure of every test in it.
    """
    laid, final = _by_id(runs.laid), _by_id(runs.final)
    whole = [case for case in runs.laid.cases if _is_whole_file(case.id)]
    for name in new:
        few = [case for case in (laid.get(name),) if case is not None]
        before = TestReport(cases=(*whole, *few))
        after = TestReport(cases=(final[name],) if name in final else ())
        for problem in red_green(before, after, (name,), guards):
            file = _file_of(name, files)
            path, lines = (file.path, file.lines) if file else ("", {})
            line = next((line for own, line in lines.items() if covers(f"{path}::{own}", name)), 1)
            yield Draft(problem.code, path, line, GateSeverity.BLOCKING, problem.message, name)


def _changed_tests(file: _NamedTestFile, runs: _Runs, guards: tuple[str, ...]) -> Iterator[Draft]:
    for case in file.changed:
        item = f"{file.path}::{case.id}"
        after = [c for c in runs.final.cases if covers(item, c.id)]
        before = [c for c in runs.laid.cases if covers(item, c.id)]
        if not after and not file.path.endswith(".py"):
            continue  # a name made of a template or a variable is not the one the runner reports
        bad = next((c for c in after if c.outcome is not CaseOutcome.PASSED), None)
        if not after or bad is not None:
            said = f"must pass on the result, and is {bad.outcome if bad else 'missing'}"
            yield _changed("changed-test-not-green", item, case, file, said)
        if any(covers(guard, item) for guard in guards) or not before:
            continue  # not collected on base+tests: its file cannot be loaded there, which is red
        if not any(c.outcome in _RED for c in before):
            said = "passes without the change, so what was changed in it shows nothing about the change"
            yield _changed("changed-test-vacuous", item, case, file, said)


def _changed(kind: str, item: str, case: Case, file: _NamedTestFile, said: str) -> Draft:
    return Draft(kind, file.path, case.line, GateSeverity.IMPORTANT, f"{item}: {said}", item)


def _is_whole_file(test_id: str) -> bool:
    """Check whether a case stands for a file that could not be loaded: it names no test within the file."""
    place, _, name = test_id.partition("::")
    return place in ("", name)


def _by_id(report: TestReport) -> dict[str, ReportedTest]:
    return {case.id: case for case in report.cases}
