"""Compare the reports of test runs by test id.

Pure. Ids are those of `text.formats.junit_xml`. A case whose class part is empty (pytest) or equals its name
(the others) stands for a whole file that could not be loaded.
"""

import re
from collections.abc import Iterable, Iterator

from signoff.domain.base.findings import Finding
from signoff.domain.evidence.receipts import CaseOutcome, Counts, ReportedTest, TestReport
from signoff.text.formats.junit_xml import UnreadableReport, read_junit, worse
from signoff.text.globs import is_glob, match_text

_RED = (CaseOutcome.FAILED, CaseOutcome.ERROR)
_UNLOADED = (CaseOutcome.ERROR, CaseOutcome.SKIPPED)
_LONGEST_SHOWN = 200


# --- reading ---


def parse_junit(data: bytes, root: str = "") -> TestReport | UnreadableReport:
    """Read a report's cases in its order, one per id. Of several with one id the worst outcome stands.

    `root` is the folder the tests ran in: taken off absolute paths, so that ids of two trees compare.
    """
    report = read_junit(data, root)
    if isinstance(report, UnreadableReport):
        return report
    worst: dict[str, CaseOutcome] = {}
    for case in report.cases:
        worst[case.id] = worse(worst.get(case.id, case.outcome), case.outcome)
    return TestReport(cases=tuple(ReportedTest(id=name, outcome=worst[name]) for name in worst))


def counts(report: TestReport) -> Counts:
    """Count the cases of a report, each id once."""
    found = [case.outcome for case in report.cases]
    return Counts(
        collected=len(found),
        passed=found.count(CaseOutcome.PASSED),
        failed=found.count(CaseOutcome.FAILED),
        errors=found.count(CaseOutcome.ERROR),
        skipped=found.count(CaseOutcome.SKIPPED),
    )


# --- naming tests ---


def covers(item: str, test_id: str) -> bool:
    """Check whether a file, folder, class or test, as a runner takes it, covers a test id.

    `tests/test_a.py::TestC::test_m` and `tests.test_a.TestC::test_m` are the same. The name of a test covers
    all its parameters, and that of a suite the tests in it. `.` covers everything, a name with an empty part
    nothing.
    """
    if item in (".", "./"):
        return True
    wanted, found = _dotted(item), _dotted(test_id)
    if _has_empty_part(item):
        return False
    return wanted == found or found.startswith((wanted + ".", wanted + "[", wanted + " > "))


def _has_empty_part(item: str) -> bool:
    return any(not part.strip("./ \t\r\n") for part in item.split("::"))


def _dotted(name: str) -> str:
    """Write a node id or a test id the way pytest builds its class names: with dots throughout."""
    path, *rest = name.removeprefix("./").split("::")
    place = path.rstrip("/").removesuffix(".py").replace("/", ".").removeprefix(".")
    return ".".join(part for part in (place, *rest) if part)


def _is_guarded(test_id: str, guards: tuple[str, ...]) -> bool:
    name = _dotted(test_id)
    return any(
        covers(g, test_id) or (is_glob(g) and match_text(name, _dotted(g)))
        for g in guards
        if not _has_empty_part(g)
    )


def _permits(item: str, test_id: str) -> bool:
    """Check whether a permission covers a test. A folder covers no test: it would be a blank cheque."""
    if _has_empty_part(item) or not covers(item, test_id):
        return False
    wanted, found = _dotted(item), _dotted(test_id)
    if wanted == found or found.startswith(wanted + "["):
        return True
    if "::" not in item and "." not in item.rpartition("/")[2]:
        return False
    # `tests.unit`, `tests::unit` and `tests/unit.py` must not stand for the folder of that name.
    return len(wanted) >= len(_smallest_file(test_id, is_python=item.partition("::")[0].endswith(".py")))


def _smallest_file(test_id: str, *, is_python: bool) -> str:
    """Return the dotted name of the file that a test is in, or of its class if the file cannot be told.

    What begins with a capital at the end is a class: in `com.shop.CartTest` it is the file itself.
    """
    place, _, name = test_id.partition("::")
    if not place:
        return _dotted(name.partition("[")[0])
    if "/" in place or " > " in place:
        return _dotted(place.partition(" > ")[0])
    parts = place.split(".")
    end = len(parts)
    while end > 1 and parts[end - 1].lstrip("_")[:1].isupper():
        end -= 1
    if end < len(parts) and not is_python and not _TEST_MODULE.fullmatch(parts[end - 1]):
        end += 1
    return ".".join(parts[:end])


_TEST_MODULE = re.compile(r"test_.*|.*_test")


def was_collected(path: str, report: TestReport) -> bool:
    """Check whether a report has a case of a Python file, also one that could not be loaded.

    A runner may leave out the folders above its own root: then none of its ids may begin with them.
    """
    if not path.endswith(".py"):
        return False
    parts = _dotted(path).split(".")
    places = [
        (place or name).split(".") for place, _, name in (case.id.partition("::") for case in report.cases)
    ]
    for left_out in range(len(parts)):
        if left_out and any(place[:left_out] == parts[:left_out] for place in places):
            continue
        module = parts[left_out:]
        inner = [place[len(module) :] for place in places if place[: len(module)] == module]
        # Behind the module comes a class in it, not a file in a folder of that name.
        if any(
            not any(_TEST_MODULE.fullmatch(part) or part in ("test", "tests") for part in rest)
            for rest in inner
        ):
            return True
    return False


def _unloaded_file(case: ReportedTest) -> str:
    """Return the file that a case stands for as a whole, or an empty text for the case of a test."""
    place, _, name = case.id.partition("::")
    is_file = case.outcome in _UNLOADED if place == "" else place == name and case.outcome in _RED
    return name if is_file else ""


# --- comparing ---


def compare(base: TestReport, final: TestReport, permitted: Iterable[str] = ()) -> tuple[Finding, ...]:
    """Find the tests of the base that are gone, no longer collected or no longer run.

    Whether they still pass is for the final report itself to say.
    """
    allowed = tuple(permitted)
    outcomes = {case.id: case.outcome for case in final.cases}
    unloaded = tuple(filter(None, map(_unloaded_file, final.cases)))
    found: list[Finding] = []
    for case in base.cases:
        if _unloaded_file(case) or any(_permits(item, case.id) for item in allowed):
            continue
        if problem := _lost(case, outcomes.get(case.id), unloaded):
            found.append(problem)
    return tuple(found)


def _lost(case: ReportedTest, now: CaseOutcome | None, unloaded: tuple[str, ...]) -> Finding | None:
    if now is None and any(covers(file, case.id) for file in unloaded):
        return _finding("test-not-collected", case.id, "its file can no longer be loaded or is skipped")
    if now is None:
        return _finding("test-deleted", case.id, "on the base, and no longer there")
    if now is CaseOutcome.SKIPPED and case.outcome is not CaseOutcome.SKIPPED:
        return _finding("test-skipped", case.id, "ran on the base, and is now skipped or expected to fail")
    return None


def broken_as_written(
    base: TestReport, old: TestReport, permitted: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """Find the tests that passed on the base and, as they were written there, do not pass on the result.

    `old` is the report of final+base-tests, so a loosened assertion or a fixed expectation shows.
    """
    allowed = tuple(permitted)
    outcomes = {case.id: case.outcome for case in old.cases}
    return tuple(
        _finding("test-broken", case.id, "passed on the base; as it was written there it no longer does")
        for case in base.cases
        if case.outcome is CaseOutcome.PASSED
        and outcomes.get(case.id) is not CaseOutcome.PASSED
        and not any(_permits(item, case.id) for item in allowed)
    )


def new_ids(base: TestReport, final: TestReport) -> tuple[str, ...]:
    """Return the tests of the final report that the base does not have."""
    known = {case.id for case in base.cases}
    return tuple(case.id for case in final.cases if case.id not in known and not _unloaded_file(case))


def red_green(
    base_tests: TestReport, final: TestReport, new: Iterable[str], guards: Iterable[str] = ()
) -> tuple[Finding, ...]:
    """Find the new tests that do not show a difference: each must fail on base+tests and pass on final.

    A file that cannot even be loaded on base+tests counts as red for all its new tests.
    """
    red_files = tuple(filter(None, (_unloaded_file(c) for c in base_tests.cases if c.outcome in _RED)))
    before = {case.id: case.outcome for case in base_tests.cases}
    after = {case.id: case.outcome for case in final.cases}
    pinned = tuple(guards)
    findings: list[Finding] = []
    for test_id in new:
        outcome = after.get(test_id)
        if outcome is not CaseOutcome.PASSED:
            message = f"must pass on final, and is {outcome or 'missing'}"
            findings.append(_finding("new-test-not-green", test_id, message))
        if not _is_guarded(test_id, pinned):
            findings += _not_red(test_id, before.get(test_id), red_files)
    return tuple(findings)


def _not_red(test_id: str, outcome: CaseOutcome | None, red_files: tuple[str, ...]) -> Iterator[Finding]:
    if outcome is None and not any(covers(file, test_id) for file in red_files):
        yield _finding("new-test-not-run", test_id, "not seen on base+tests: nothing shows that it was red")
    elif outcome is CaseOutcome.PASSED:
        yield _finding("new-test-vacuous", test_id, "passes without the change, so it shows nothing about it")
    elif outcome is CaseOutcome.SKIPPED:
        yield _finding("new-test-not-red", test_id, "skipped on base+tests: nothing shows that it was red")


def _finding(code: str, test_id: str, message: str) -> Finding:
    shown = test_id if len(test_id) <= _LONGEST_SHOWN else test_id[:_LONGEST_SHOWN] + "…"
    return Finding(code=code, message=f"{shown}: {message}")


# --- test files ---

_TEST_FILE = re.compile(
    # Everything below such a folder: what a test expects is part of the test.
    r"(^|/)([Tt]ests?|__tests__|__snapshots__|specs?|testdata)/"
    r"|(^|/)("
    r"conftest\.py|tests?\.(py|rs|[cm]?[jt]sx?)"
    r"|test[_-][^/]*\.(py|rb|c|cc|cpp|lua|jl|sh|php|[cm]?[jt]sx?)"
    r"|[^/]+_tests?\.(py|go|rb|rs|c|cc|cpp|dart|exs?|lua|php|sh|[cm]?[jt]sx?)"
    r"|[^/]+-test\.[cm]?[jt]sx?"
    r"|[^/]+[._]spec\.[^/]+|[^/]+\.test\.[^/]+"
    r"|[^/]*(Tests?|TestCase|[a-z0-9](IT|Spec))\.(java|kts?|groovy|scala|cs|fs|vb|php|swift|m)"
    r"|Test[A-Z][^/]*\.(java|kt|groovy|scala)"
    r")$"
)


def is_test_path(path: str) -> bool:
    """Check whether a path belongs to the tests, by the conventions of the usual languages and frameworks."""
    return _TEST_FILE.search(path) is not None
