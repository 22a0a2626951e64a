"""Read a test runner's own report, and compare reports by test id.

Pure. JUnit XML is what every runner can write; what it says is data of unknown origin. A report that
cannot be read in full is a named fault, never an empty report.

An id is `classname::name`: `tests.test_ledger.TestLock::test_is_held[posix]` from pytest,
`test/lock.test.js::lock > is held` from Node and vitest. A case whose class part is empty (pytest) or
equals its name (the others) stands for a whole file that could not be loaded.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple
from xml.parsers import expat

from signoff.core.globs import is_glob, match_text
from signoff.domain.findings import Finding
from signoff.domain.receipts import CaseOutcome, Counts, TestCase, TestReport

_WORST_LAST = (CaseOutcome.PASSED, CaseOutcome.SKIPPED, CaseOutcome.FAILED, CaseOutcome.ERROR)
_RED = (CaseOutcome.FAILED, CaseOutcome.ERROR)
_UNLOADED = (CaseOutcome.ERROR, CaseOutcome.SKIPPED)
_NOT_RUN = ("notrun", "disabled", "skipped", "suppressed")
"""What GoogleTest says of a test that it lists and does not run."""
_LONGEST_SHOWN = 200


class ReportFault(StrEnum):
    """Why a report says nothing."""

    UNPARSABLE = "unparsable"
    """Not XML, cut off in the middle, or the XML of something else."""
    DOCTYPE = "declares-a-doctype"
    """Entities can be made to grow without bounds, and no runner needs any."""
    CASES_MISSING = "cases-missing"
    """It counts tests and lists none."""
    CONTRADICTORY = "contradictory"
    """Its counts and its cases do not go together."""


class UnreadableReport(NamedTuple):
    """A report that must not be taken for evidence, and why."""

    fault: ReportFault
    detail: str


# --- reading ---


def parse_junit(data: bytes, root: str = "") -> TestReport | UnreadableReport:
    """Give the report's cases in its order, one per id; of several with one id the worst outcome stands.

    `root` is the folder the tests ran in: taken off absolute paths, so that ids of two trees compare.
    """
    reader = _Reader(root)
    try:
        reader.feed(data)
    except _FaultError as error:
        return error.value
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: unusable encodings
        return UnreadableReport(ReportFault.UNPARSABLE, str(error))
    return TestReport(cases=tuple(TestCase(id=name, outcome=reader.cases[name]) for name in reader.cases))


class _FaultError(Exception):
    """Carries a fault out of expat's callbacks; never leaves this module."""

    def __init__(self, fault: ReportFault, detail: str) -> None:
        super().__init__(detail)
        self.value = UnreadableReport(fault, detail)


class _Suite:
    """A suite while it is being read; what is listed includes the suites inside it."""

    def __init__(self, attributes: dict[str, str]) -> None:
        self.name = attributes.get("name", "")
        self.tests = _count(attributes, "tests")
        bad = [_count(attributes, name) for name in ("failures", "errors")]
        self.bad = None if bad == [None, None] else sum(each or 0 for each in bad)
        self.listed = 0
        self.listed_bad = 0
        self.run_ids: set[str] = set()
        self.is_leaf = True

    def check(self) -> None:
        """Refuse counts that do not go with what is listed.

        `tests` may well exceed the cases: pytest counts subtests and failing teardowns too.
        """
        if not self.listed and (self.tests or self.bad):
            raise _FaultError(ReportFault.CASES_MISSING, f"counts {self.tests or self.bad} tests, lists none")
        if self.bad is not None and (self.bad > self.listed_bad or (self.listed_bad and not self.bad)):
            detail = f"counts {self.bad} failures, lists {self.listed_bad}"
            raise _FaultError(ReportFault.CONTRADICTORY, detail)
        if self.is_leaf and self.tests is not None and self.tests < len(self.run_ids):
            detail = f"counts {self.tests} tests, lists {len(self.run_ids)}"
            raise _FaultError(ReportFault.CONTRADICTORY, detail)


def _count(attributes: dict[str, str], name: str) -> int | None:
    value = attributes.get(name, "").strip()
    if not value:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise _FaultError(ReportFault.UNPARSABLE, f"{name}={value[:40]!r} is no number")
    return int(value)


class _Reader:
    """Collects cases from expat's callbacks; keeps no tree, so depth and size cost nothing."""

    def __init__(self, root: str) -> None:
        self.cases: dict[str, CaseOutcome] = {}
        self._prefix = root.rstrip("/") + "/"
        self._open: list[str] = []
        self._suites: list[_Suite] = []
        self._id = ""
        self._outcome = CaseOutcome.PASSED
        self._is_todo = False

    def feed(self, data: bytes) -> None:
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.Parse(data, True)  # noqa: FBT003 - expat takes no keywords

    def _refuse_doctype(self, *_: object) -> None:
        raise _FaultError(ReportFault.DOCTYPE, "a report has no document type")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if not parent and tag not in ("testsuites", "testsuite"):
            raise _FaultError(ReportFault.UNPARSABLE, f"<{tag[:40]}> is not a test report")
        if tag in ("testsuites", "testsuite"):
            self._start_suite(attributes, parent)
        elif tag == "testcase":
            self._start_case(attributes, parent)
        elif parent == "testcase" and tag in ("failure", "error", "skipped"):
            self._mark(tag, attributes)
        elif parent == "testsuite" and tag in ("failure", "error"):  # of the suite as such
            self._id, self._outcome, self._is_todo = f"::{self._suites[-1].name}", CaseOutcome.ERROR, False
            self._count_bad()
            self._keep()

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag in ("testsuites", "testsuite"):
            self._suites.pop().check()
        elif tag == "testcase":
            self._keep()

    def _start_suite(self, attributes: dict[str, str], parent: str) -> None:
        if parent not in ("", "testsuites", "testsuite"):
            raise _FaultError(ReportFault.UNPARSABLE, f"a suite inside <{parent[:40]}>")
        for outer in self._suites:
            outer.is_leaf = False
        self._suites.append(_Suite(attributes))

    def _start_case(self, attributes: dict[str, str], parent: str) -> None:
        if parent not in ("testsuites", "testsuite") or "name" not in attributes:
            raise _FaultError(ReportFault.UNPARSABLE, "a case without a name or outside a suite")
        names = (self._class_of(attributes), attributes["name"])
        self._id = "::".join(name.removeprefix(self._prefix) for name in names)
        said = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
        self._outcome = CaseOutcome.SKIPPED if said & set(_NOT_RUN) else CaseOutcome.PASSED
        self._is_todo = False

    def _class_of(self, attributes: dict[str, str]) -> str:
        """Give the class part; Node writes "test" for every case, there the suites tell them apart."""
        given = attributes.get("classname")
        if given is not None and (given != "test" or attributes.get("file", "").endswith(".py")):
            return given
        named = self._suites[1:] if self._open[0] == "testsuites" else self._suites
        return " > ".join(suite.name for suite in named if suite.name) or "test"

    def _mark(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "skipped":
            self._is_todo = self._is_todo or attributes.get("type") == "todo"
            found = CaseOutcome.SKIPPED
        else:
            self._count_bad()
            found = CaseOutcome.FAILED if tag == "failure" else CaseOutcome.ERROR
        self._outcome = _worse(self._outcome, found)

    def _count_bad(self) -> None:
        for suite in self._suites:
            suite.listed_bad += 1

    def _keep(self) -> None:
        # Node runs a test marked `todo`, lists its failure and does not mind it.
        outcome = CaseOutcome.SKIPPED if self._is_todo else self._outcome
        self.cases[self._id] = _worse(self.cases.get(self._id, outcome), outcome)
        for suite in self._suites:
            suite.listed += 1
            if outcome is not CaseOutcome.SKIPPED:
                suite.run_ids.add(self._id)


def _worse(one: CaseOutcome, other: CaseOutcome) -> CaseOutcome:
    return max(one, other, key=_WORST_LAST.index)


def counts(report: TestReport) -> Counts:
    """Count the cases of a report; an id counts once."""
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
    """Say whether a file, folder, class or test, as a runner takes it, covers a test id.

    `tests/test_a.py::TestC::test_m` and `tests.test_a.TestC::test_m` are the same; a test's name covers
    all its parameters, and a suite's the tests in it. `.` covers everything, a name with an empty part
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
    """Only a test, a class or a file can be permitted to change: a folder would be a blank cheque."""
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
    """Give the dotted name of the file that a test is in, its class where the file cannot be told.

    What begins with a capital at the end is a class: in `com.shop.CartTest` it is the file itself.
    """
    place, _, name = test_id.partition("::")
    if not place:
        return _dotted(name.partition("[")[0])
    if "/" in place or " > " in place:
        return _dotted(place.partition(" > ")[0])
    parts = place.split(".")
    end = len(parts)
    while end > 1 and _is_class(parts[end - 1]):
        end -= 1
    if end < len(parts) and not is_python and not _TEST_MODULE.fullmatch(parts[end - 1]):
        end += 1
    return ".".join(parts[:end])


_TEST_MODULE = re.compile(r"test_.*|.*_test")


def _is_class(part: str) -> bool:
    return part.lstrip("_")[:1].isupper()


def was_collected(path: str, report: TestReport) -> bool:
    """Say whether a report has a case of a Python file, also one that could not be loaded.

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
        if any(_is_of_module(place, parts[left_out:]) for place in places):
            return True
    return False


def _is_of_module(place: list[str], module: list[str]) -> bool:
    """Say whether a case's class part is a module or a class in it, rather than a file of a like folder."""
    inner = place[len(module) :]
    return place[: len(module)] == module and not any(
        _TEST_MODULE.fullmatch(part) or part in ("test", "tests") for part in inner
    )


def _unloaded_file(case: TestCase) -> str:
    """Give the file that a case stands for as a whole; empty for the case of a test."""
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


def _lost(case: TestCase, now: CaseOutcome | None, unloaded: tuple[str, ...]) -> Finding | None:
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
    """Give the tests of the final report that the base does not have."""
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
    return tuple(
        finding
        for test_id in new
        for finding in (
            *_not_green(test_id, after.get(test_id)),
            *(() if _is_guarded(test_id, pinned) else _not_red(test_id, before.get(test_id), red_files)),
        )
    )


def _not_green(test_id: str, outcome: CaseOutcome | None) -> Iterator[Finding]:
    if outcome is not CaseOutcome.PASSED:
        yield _finding("new-test-not-green", test_id, f"must pass on final, and is {outcome or 'missing'}")


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
    """Say whether a path belongs to the tests, by the conventions of the usual languages and frameworks."""
    return _TEST_FILE.search(path) is not None
