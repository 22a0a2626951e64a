"""Count what a JUnit report lists, case by case.

Pure. `core.test_reports` keeps one case per id, to compare reports; as evidence every case counts, also two
of one name, and so does what a case says of itself without a `<failure>` in it.
"""

import re
from xml.parsers import expat

from signoff.domain.receipts import Counts

_FAILED = ("failed", "fail", "failure", "broken")
_ERRORS = ("error", "errored", "aborted", "timeout", "timedout")
_SKIPPED = ("notrun", "disabled", "skipped", "suppressed", "pending", "todo", "ignored")
_EMPTY_FILE = re.compile(r"\S*[/\\]\S*\.[cm]?[jt]sx?")
_WORST_LAST = ("passed", "skipped", "failed", "errors")


def tally(data: bytes) -> tuple[Counts, int]:
    """Count the cases of a report that could be read, and the tests it counts beyond them."""
    reader = _Tally()
    parser = expat.ParserCreate()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.Parse(data, True)  # noqa: FBT003 - expat takes no keywords
    found = reader.outcomes
    counts = Counts(collected=len(found), **{word: found.count(word) for word in _WORST_LAST})
    return counts, reader.unlisted


class _Tally:
    """Collects outcomes from expat's callbacks."""

    def __init__(self) -> None:
        self.outcomes: list[str] = []
        self.unlisted = 0
        self._open: list[str] = []
        self._suites: list[list[int]] = []  # of each: tests that it counts, cases and suites inside it
        self._outcome = ""
        self._is_todo = self._is_empty_file = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self._open[-1] if self._open else ""
        self._open.append(tag)
        if tag in ("testsuites", "testsuite"):
            self._add()
            self._suites.append([int(attributes.get("tests", "").strip() or 0), 0])
        elif tag == "testcase":
            self._add()
            self._start_case(attributes, parent)
        elif parent == "testcase" and tag in ("failure", "error", "skipped"):
            self._is_todo |= tag == "skipped" and attributes.get("type") == "todo"
            self._worsen({"failure": "failed", "error": "errors"}.get(tag, tag))
        elif parent == "testsuite" and tag in ("failure", "error"):  # of the suite as such
            self._add()
            self.outcomes.append("errors")

    def end(self, tag: str) -> None:
        self._open.pop()
        if tag in ("testsuites", "testsuite"):
            counted, inside = self._suites.pop()
            self.unlisted = max(self.unlisted, counted - inside)
        elif tag == "testcase" and not (self._is_empty_file and self._outcome == "passed"):
            # Node runs a test marked `todo`, lists its failure and does not mind it.
            self.outcomes.append("skipped" if self._is_todo else self._outcome)

    def _start_case(self, attributes: dict[str, str], parent: str) -> None:
        said = {attributes.get("status", "").lower(), attributes.get("result", "").lower()}
        self._outcome, self._is_todo = "passed", False
        for words, outcome in ((_SKIPPED, "skipped"), (_FAILED, "failed"), (_ERRORS, "errors")):
            if said & set(words):
                self._worsen(outcome)
        # Node lists a file without tests as a test of that name which passed.
        is_of_node = parent == "testsuites" and attributes.get("classname") == "test"
        self._is_empty_file = is_of_node and bool(_EMPTY_FILE.fullmatch(attributes.get("name", "")))

    def _worsen(self, outcome: str) -> None:
        self._outcome = max(self._outcome, outcome, key=_WORST_LAST.index)

    def _add(self) -> None:
        """Count a child; Node counts the suites in a suite as tests."""
        for suite in self._suites:
            suite[1] += 1
