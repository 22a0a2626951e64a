"""Judge what a change did to existing tests. Pure. `signoff tests integrity` and the gate pass the files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from signoff.domain.evidence.case_records import (
    TOO_LONG,
    AssertionChange,
    FileSides,
    IntegrityJudged,
    NotJudged,
    ReadCase,
    Reader,
    TestFile,
    Weakening,
    WeakeningKind,
    finding,
    short_name,
)
from signoff.judges.test_integrity.comparison.file_comparison import Comparison
from signoff.judges.test_integrity.comparison.moved_cases import Elsewhere, MovedCase, appeared
from signoff.judges.test_integrity.python.python_reader import read_python
from signoff.judges.test_integrity.runner_settings.settings_comparison import compare_config, is_config
from signoff.judges.test_results.report_comparison import is_test_path
from signoff.judges.test_results.source_paths import is_generated

_CLAIMS = re.compile(
    r"\b(?:assert\w*|expect\w*|should\w*|XCTAssert\w*|REQUIRE\w*|CHECK\w*|EXPECT_\w+|ASSERT_\w+|verify)\b|@Test\b|"
    r"#\[(?:tokio::)?test|\[(?:Fact|Theory|TestMethod|Test)\b|\bfunc test\w+|\bdef test_\w+|"
    r"\bit[ (]['\"]|\btest[ (]['\"]"
)
_SOURCE = re.compile(
    r"\.(?:py|[cm]?[jt]sx?|go|rs|rb|java|kts?|swift|c|cc|cpp|cs|fs|php|scala|groovy|dart|exs?|lua|sh|m)$"
)
_LINES_KEPT = 0.9
"""Share of its lines that a test file in a language without a reader must keep."""
_COLLECTED = re.compile(
    r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$|(?:^|/)[^/_.][^/]*_test\.go$"
    r"|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:^|/)__tests__/.*\.[cm]?[jt]sx?$|(?:^|/)(?:test|spec)\.[cm]?[jt]s$"
)
_HIDDEN_FOLDER = re.compile(r"(?:^|/)(?:\.[^/]+|_[^_/][^/]*|testdata|node_modules)/")
_SAME_FILE = 0.5
"""Share of test names from which a vanished file and a new one count as one that moved."""


class _SidesRead(NamedTuple):
    """A test file as it was read on both sides."""

    path: str
    before: TestFile
    after: TestFile
    is_gone: bool = False
    is_new: bool = False


def is_judged(path: str) -> bool:
    """Check whether a change of this file is compared."""
    return (is_test_path(path) and not is_generated(path)) or is_config(path)


def own_packages(paths: Iterable[str]) -> frozenset[str]:
    """Return the importable names at the top of a project, by where its Python files lie."""
    found = set()
    for path in paths:
        parts = path.split("/")
        if parts[0] in ("src", "lib", "python") and len(parts) > 1:
            parts = parts[1:]
        if path.endswith(".py") and not is_test_path(path):
            found.add(parts[0].removesuffix(".py"))
    return frozenset(
        found - {"setup", "docs", "doc", "examples", "conftest", "noxfile", "tools", "scripts", "bench"}
    )


def judge(
    changes: Iterable[FileSides],
    readers: Mapping[str, Reader],
    own: frozenset[str],
    permitted: frozenset[str] = frozenset(),
) -> IntegrityJudged:
    """Return every weakening of the change.

    `readers` are for file endings besides Python's, which is read here. A test file without one is compared
    by size only and named as not judged. `permitted` names tests (`Class::test`, or `path::Class::test`) or
    files that may change.
    """
    judged = IntegrityJudged([], [], [])
    read: list[_SidesRead] = []
    changed = [side for side in changes if side.before != side.after]
    settings = [side for side in changed if is_config(side.path)]
    moved_tox = any("[tool.tox" in (side.after or "") for side in changed if side.path.endswith(".toml"))
    for side in changed:
        if side.path == "tox.ini" and side.after is None and moved_tox:
            continue  # tox reads pyproject.toml instead
        if is_config(side.path):  # a new file narrows as well as a changed one: the runner reads both
            judged.findings.extend(compare_config(side.path, side.before, side.after, settings))
        if is_test_path(side.path) and is_judged(side.path):
            ending = side.path.rpartition(".")[2]
            reader = readers.get(ending) or (read_python if ending == "py" else None)
            if reader is not None:
                read += _read_sides(side, reader, own, judged)
            elif side.before is not None:
                _by_size(side, judged)
    _compare(read, judged)
    kept = [found for found in judged.findings if not _is_permitted(found, permitted)]
    allowed = [found for found in judged.changed if not _is_permitted(found, permitted)]
    return IntegrityJudged(sorted(set(kept), key=_place), allowed, sorted(set(judged.not_judged)))


def _place(found: Weakening) -> tuple[str, int, str, str, str]:
    return found.path, found.line, found.kind, found.symbol, found.message


def _is_permitted(found: Weakening | AssertionChange, permitted: frozenset[str]) -> bool:
    if not found.symbol:
        return found.path in permitted
    return found.symbol in permitted or f"{found.path}::{found.symbol}" in permitted


def _read_sides(
    side: FileSides, reader: Reader, own: frozenset[str], judged: IntegrityJudged
) -> Iterator[_SidesRead]:
    """Yield the file as read on both sides, or add to `judged` why it could not be read.

    A file that only the change made unreadable counts as deleted, since its tests no longer run. One that
    could not be read before is not judged, and neither is a part of a file. A new file is always read.
    """
    before = TestFile() if side.before is None else reader(side.path, side.before, own)
    after = TestFile() if side.after is None else reader(side.path, side.after, own)
    is_new = side.before is None
    if TOO_LONG in (before.problem, after.problem):
        judged.not_judged.append(NotJudged(side.path, TOO_LONG))
    elif after.problem and not before.problem and not side.is_part and not is_new:
        held = f"before it held {len(before.cases)} tests"
        message = f"the file can no longer be read ({after.problem}); {held}"
        judged.findings.append(finding(side.path, 1, WeakeningKind.DELETED, "", message))
    elif (before.problem or after.problem) and not is_new:
        reason = "the diff shows too little of it" if side.is_part else before.problem
        judged.not_judged.append(NotJudged(side.path, reason))
    if is_new or not (before.problem or after.problem):
        yield _SidesRead(side.path, before, after, is_gone=side.after is None, is_new=is_new)


def _by_size(side: FileSides, judged: IntegrityJudged) -> None:
    """Compare a test file without a reader by its lines and the words that assert."""
    if not _SOURCE.search(side.path):
        judged.not_judged.append(NotJudged(side.path, "no source file: what tests read from it is not known"))
        return
    before, after = side.before or "", side.after
    if after is None:
        message = f"the test file is gone; before it had {_lines(before)} lines"
        judged.findings.append(finding(side.path, 1, WeakeningKind.FILE_DELETED, "", message))
        return
    claims, left = len(_CLAIMS.findall(before)), len(_CLAIMS.findall(after))
    if left < claims or _lines(after) < _LINES_KEPT * _lines(before):
        message = (
            f"lines {_lines(before)} → {_lines(after)}, assertions and tests by their words {claims} → {left}"
        )
        judged.findings.append(finding(side.path, 1, WeakeningKind.FILE_SHRUNK, "", message))
    judged.not_judged.append(NotJudged(side.path, "no reader for this language here: compared by size only"))


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.split("\n"))


# --- comparing ---


def _compare(read: list[_SidesRead], judged: IntegrityJudged) -> None:
    """Add what each file lost, with tests and files that moved compared in their new places."""
    moved = _moved(read)
    targets = {file.path for file in moved.values()}
    elsewhere = _elsewhere(read)
    for file in read:
        comparison = Comparison(file.path)
        if new := moved.get(file.path):
            comparison = Comparison(new.path)
            comparison.run(file.before, new.after, elsewhere)
        elif file.is_gone:
            # Compare the tests of a vanished file that moved, and add one finding for the rest.
            lost: list[ReadCase] = []
            for case in file.before.cases:
                if place := elsewhere.find(case, file.path):
                    comparison.moved(case, file.before, place, elsewhere)
                elif case.is_test or case.assertions:
                    lost.append(case)
            lost = [case for case in lost if case.is_test] or lost
            if lost:
                count = sum(len(case.assertions) for case in lost)
                what = f"{len(lost)} tests or helpers and {count} assertions: {lost[0].id}, …"
                found = finding(file.path, 1, WeakeningKind.FILE_DELETED, "", f"the file is gone with {what}")
                comparison.findings.append(found)
        elif not file.is_new:
            comparison.run(file.before, file.after, elsewhere)
        elif file.path not in targets:
            comparison.new_file(file.after)
        judged.findings.extend(comparison.findings)
        judged.changed.extend(comparison.changed)


def _elsewhere(read: list[_SidesRead]) -> Elsewhere:
    """Return where the tests of all files may be now. A new file that no runner looks into does not count.

    Three things are collected: cases that appeared in any file, cases of conftest files, and the names of
    helpers that check equality without a condition.
    """
    helpers = [case for file in read for case in file.after.cases if not case.is_test]
    return Elsewhere(
        (
            MovedCase(file.path, file.after, case)
            for file in read
            for case in appeared(file.before, file.after)
            if not case.is_test or not file.is_new or _is_collected(file.path)
        ),
        (case for file in read if file.path.endswith("conftest.py") for case in file.after.cases),
        frozenset(
            short_name(case.id)
            for case in helpers
            if any(one.op == "equals" and not one.guards for one in case.assertions)
        ),
    )


def _moved(read: list[_SidesRead]) -> dict[str, _SidesRead]:
    """Return the new file for each file that moved, by the share of test names they have in common."""
    found: dict[str, _SidesRead] = {}
    new = [file for file in read if file.is_new]
    for gone in (file for file in read if file.is_gone):
        names = _tests(gone.before)
        # Moved to a name that no runner looks for, a test is as gone as a deleted one.
        free = [file for file in new if _is_collected(file.path) or not _is_collected(gone.path)]
        best = max(free, key=lambda file: len(names & _tests(file.after)), default=None)
        if best and names and len(names & _tests(best.after)) >= _SAME_FILE * len(names):
            found[gone.path] = best
            new.remove(best)
    return found


def _is_collected(path: str) -> bool:
    """Check whether the usual runners look into a file of this name by themselves."""
    return _COLLECTED.search(path) is not None and _HIDDEN_FOLDER.search(path) is None


def _tests(file: TestFile) -> set[str]:
    return {case.id for case in file.cases if case.is_test}
