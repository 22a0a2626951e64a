"""Read JUnit XML, the report that every test runner can write.

Pure. What a report says is data of unknown origin: one that cannot be read in full is a named fault, never an
empty report. `judges.test_results.report_comparison` compares reports by test id, `judges.evidence` counts
their cases.

An id is `classname::name`: `tests.test_ledger.TestLock::test_is_held[posix]` from pytest,
`test/lock.test.js::lock > is held` from Node and vitest.
"""

import re
from enum import StrEnum
from typing import NamedTuple
from xml.parsers import expat

from signoff.domain.evidence.receipts import CaseOutcome

WORST_LAST = (CaseOutcome.PASSED, CaseOutcome.SKIPPED, CaseOutcome.FAILED, CaseOutcome.ERROR)
_OF_ELEMENT = {"skipped": CaseOutcome.SKIPPED, "failure": CaseOutcome.FAILED, "error": CaseOutcome.ERROR}
_OF_STATUS = {
    **dict.fromkeys(("notrun", "disabled", "skipped", "suppressed"), CaseOutcome.SKIPPED),  # GoogleTest
    **dict.fromkeys(("pending", "todo", "ignored"), CaseOutcome.SKIPPED),
    **dict.fromkeys(("failed", "fail", "failure", "broken"), CaseOutcome.FAILED),
    **dict.fromkeys(("error", "errored", "aborted", "timeout", "timedout"), CaseOutcome.ERROR),
}
"""What a case says of itself in `status` or `result`, without an element of its own."""
_SUITES = ("testsuites", "testsuite")
_JAVASCRIPT_FILE = re.compile(r"\S*[/\\]\S*\.[cm]?[jt]sx?")


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


class JunitCase(NamedTuple):
    """One case as the report lists it. Two cases may have one id."""

    id: str
    outcome: CaseOutcome
    is_empty_file: bool = False
    """Node lists a file without tests as a test of that name."""


class JunitReport(NamedTuple):
    """A report that could be read in full."""

    cases: tuple[JunitCase, ...]
    unlisted: int
    """How many tests a suite counts beyond the cases and suites it lists."""


def read_junit(data: bytes, root: str = "") -> JunitReport | UnreadableReport:
    """Read every case in the report's order. Never raises, whatever the bytes.

    `root` is the folder the tests ran in: taken off absolute paths, so that ids of two trees compare.
    """
    reader = _JUnitReader(root)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    try:
        parser.Parse(data, True)  # noqa: FBT003 - expat takes no keywords
    except _FaultError as error:
        return error.value
    except (expat.ExpatError, ValueError, LookupError) as error:  # the last two: unusable encodings
        return UnreadableReport(ReportFault.UNPARSABLE, str(error))
    return JunitReport(tuple(reader.cases), reader.unlisted)


def worse(one: CaseOutcome, other: CaseOutcome) -> CaseOutcome:
    """Return the worse of two outcomes."""
    return max(one, other, key=WORST_LAST.index)


class _FaultError(Exception):
    """A fault on its way out of expat's callbacks. It never leaves this module."""

    def __init__(self, fault: ReportFault, detail: str) -> None:
        super().__init__(detail)
        self.value = UnreadableReport(fault, detail)


def _refuse_doctype(*_: object) -> None:
    raise _FaultError(ReportFault.DOCTYPE, "a report has no document type")


class _Suite:
    """A suite while it is read. What is listed includes the suites inside it."""

    def __init__(self, attributes: dict[str, str]) -> None:
        self.name = attributes.get("name", "")
        self.tests = _count(attributes, "tests")
        bad = [_count(attributes, name) for name in ("failures", "errors")]
        self.bad = None if bad == [None, None] else sum(each or 0 for each in bad)
        self.listed = 0
        self.listed_bad = 0
        self.suites_inside = 0
        self.run_ids: set[str] = set()

    def check(self) -> None:
        """Refuse counts that do not go with what is listed.

        `tests` may well exceed the cases: pytest counts subtests and failing teardowns too.
        """
        if not self.listed and (self.tests or self.bad):
            raise _FaultError(ReportFault.CASES_MISSING, f"counts {self.tests or self.bad} tests, lists none")
        if self.bad is not None and (self.bad > self.listed_bad or (self.listed_bad and not self.bad)):
            detail = f"counts {self.bad} failures, lists {self.listed_bad}"
            raise _FaultError(ReportFault.CONTRADICTORY, detail)
        if not self.suites_inside and self.tests is not None and self.tests < len(self.run_ids):
            detail = f"counts {self.tests} tests, lists {len(self.run_ids)}"
            raise _FaultError(ReportFault.CONTRADICTORY, detail)


def _count(attributes: dict[str, str], name: str) -> int | None:
    value = attributes.get(name, "").strip()
    if not value:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise _FaultError(ReportFault.UNPARSABLE, f"{name}={value[:40]!r} is no number")
    return int(value)


class _JUnitReader:
    """Collector of cases from expat's callbacks. It keeps no tree, so depth and size cost nothing."""

    def __init__(self, root: str) -> None:
        self.cases: list[JunitCase] = []
        self.unlisted = 0
        self._prefix = root.rstrip("/") + "/"
        self._open: list[str] = []
        self._suites: list[_Suite] = []
        self._case = JunitCase("", CaseOutcome.PASSED)
        self._is_todo = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take an opening tag. A tag that the format does not know is ignored, except as the root."""
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if not parent and tag not in _SUITES:
            raise _FaultError(ReportFault.UNPARSABLE, f"<{tag[:40]}> is not a test report")
        if tag in _SUITES:
            if parent not in ("", *_SUITES):
                raise _FaultError(ReportFault.UNPARSABLE, f"a suite inside <{parent[:40]}>")
            for outer in self._suites:
                outer.suites_inside += 1
            self._suites.append(_Suite(attributes))
        elif tag == "testcase":
            self._start_case(attributes, parent)
        elif parent == "testcase" and tag in _OF_ELEMENT:
            self._is_todo |= tag == "skipped" and attributes.get("type") == "todo"
            self._count_bad(tag)
            self._case = self._case._replace(outcome=worse(self._case.outcome, _OF_ELEMENT[tag]))
        elif parent == "testsuite" and tag in ("failure", "error"):  # of the suite as such
            self._case, self._is_todo = JunitCase(f"::{self._suites[-1].name}", CaseOutcome.ERROR), False
            self._count_bad(tag)
            self._keep()

    def end(self, tag: str) -> None:
        """Take a closing tag."""
        self._open.pop()
        if tag in _SUITES:
            suite = self._suites.pop()
            suite.check()
            # Node counts the suites in a suite as tests.
            self.unlisted = max(self.unlisted, (suite.tests or 0) - suite.listed - suite.suites_inside)
        elif tag == "testcase":
            self._keep()

    def _start_case(self, attributes: dict[str, str], parent: str) -> None:
        if parent not in _SUITES or "name" not in attributes:
            raise _FaultError(ReportFault.UNPARSABLE, "a case without a name or outside a suite")
        names = (self._class_of(attributes), attributes["name"])
        outcome = CaseOutcome.PASSED
        for attribute in ("status", "result"):
            said = attributes.get(attribute, "").lower()
            outcome = worse(outcome, _OF_STATUS.get(said, CaseOutcome.PASSED))
        is_of_node = parent == "testsuites" and attributes.get("classname") == "test"
        self._case = JunitCase(
            id="::".join(name.removeprefix(self._prefix) for name in names),
            outcome=outcome,
            is_empty_file=is_of_node and _JAVASCRIPT_FILE.fullmatch(attributes["name"]) is not None,
        )
        self._is_todo = False

    def _class_of(self, attributes: dict[str, str]) -> str:
        """Return the class part. Node writes "test" for every case: there the suites tell them apart."""
        given = attributes.get("classname")
        if given is not None and (given != "test" or attributes.get("file", "").endswith(".py")):
            return given
        named = self._suites[1:] if self._open[0] == "testsuites" else self._suites
        return " > ".join(suite.name for suite in named if suite.name) or "test"

    def _count_bad(self, tag: str) -> None:
        for suite in self._suites:
            suite.listed_bad += tag != "skipped"

    def _keep(self) -> None:
        # Node runs a test marked `todo`, lists its failure and does not mind it.
        case = self._case._replace(outcome=CaseOutcome.SKIPPED) if self._is_todo else self._case
        self.cases.append(case)
        for suite in self._suites:
            suite.listed += 1
            if case.outcome is not CaseOutcome.SKIPPED:
                suite.run_ids.add(case.id)
