"""Read what jest and vitest print.

Pure. Both end with a block of figures: suites, tests, time. The block counts only when it is whole, adds
up, and stands below at least one suite that passed.
"""

import re

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import TESTS, End, Run, ended, number
from signoff.domain.receipts import Counts

_SUITES = re.compile(r"(?:Test Suites: +| {0,8}Test Files {2,})(\S.*)$")
_TESTS = re.compile(r"(?:Tests: +| {0,8}Tests {2,})(\S.*)$")
_TIME = re.compile(r"(?:Time: +| {0,8}Duration {2,})[\d.]+ ?m?s\b")
_ERRORS = re.compile(r" {0,8}Errors {2,}(\d+) errors?")
_START = re.compile(r" ?RUN +v\d+\.\d+\.\d+\S* ")
_GOOD = re.compile(r" ?PASS (?:\S.*)?|\s*[✓✔√] +\S")
_SUITE_GOOD = re.compile(r" ?PASS +\S")
_BAD = re.compile(r" ?FAIL +\S| *⎯+ (?:Failed|Unhandled) |  ● Test suite failed to run")
_THRESHOLD = re.compile(r"Jest: \S{1,80} coverage threshold for |ERROR: Coverage for \w+ ")
_NONE = re.compile(r"No test(?:s| files) found, exiting with code \d")
_FIGURE = re.compile(r"(\d+) (failed|passed|skipped|todo|pending|total|expected fail)")


def read(lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Give each run of the log, in order."""
    found: list[Run] = []
    run = _Block()
    for line in lines:
        if _START.match(line.text) and run.is_begun:
            found.append(run.cut(line.number))
            run = _Block()
        if _NONE.match(line.text):
            found.append(
                Run(runner=run.runner, kinds=TESTS, end=End.EMPTY, line=line.number, detail=line.text)
            )
            run = _Block()
        elif run.take(line.text):
            found.append(run.closed(line.number))
            run = _Block()
        elif _THRESHOLD.match(line.text) and found:
            found[-1] = _red(found[-1], "the coverage threshold is not met")
    if run.is_begun:
        found.append(run.cut(lines[-1].number))
    return tuple(found)


def _red(run: Run, detail: str) -> Run:
    return Run(runner=run.runner, kinds=TESTS, end=End.RED, counts=run.counts, line=run.line, detail=detail)


class _Block:
    """A run while its lines go by."""

    def __init__(self) -> None:
        self.runner = "jest"
        self.is_begun = False
        self.good = 0
        self.is_red = False
        self.suites: dict[str, int] | None = None
        self.tests: dict[str, int] | None = None

    def take(self, text: str) -> bool:
        """Take a line; says whether it was the last of the block."""
        if _START.match(text):
            self.is_begun, self.runner = True, "vitest"
        elif _SUITE_GOOD.match(text):
            self.is_begun, self.good = True, self.good + 1
        elif _GOOD.match(text):
            self.good += 1
        elif _BAD.match(text):
            self.is_begun = self.is_red = True
        elif suites := _SUITES.match(text):
            self.is_begun, self.suites = True, _figures(suites[1])
            self.runner = "jest" if text.startswith("Test Suites:") else "vitest"
        elif self.suites is None:
            return bool(_THRESHOLD.match(text)) and self._missed()
        elif tests := _TESTS.match(text):
            self.tests = _figures(tests[1])
        elif _ERRORS.match(text):
            self.is_red = True
        elif _TIME.match(text):
            return True
        return False

    def _missed(self) -> bool:
        self.is_red = True
        return False

    def cut(self, line: int) -> Run:
        return self._made(End.RED if self.is_red else End.CUT, line, "a run without its summary")

    def closed(self, line: int) -> Run:
        """Give the run with its summary."""
        suites, tests = self.suites or {}, self.tests
        if tests is None:
            return self._made(End.CUT, line, "a summary without its tests")
        counts = self._counts
        if suites.get("failed") or counts.failed or self.is_red:
            return self._made(End.RED, line)
        if not _adds_up(tests) or not _adds_up(suites):
            return self._made(End.TORN, line, "the figures of the summary do not add up")
        if counts.passed and not self.good:
            return self._made(End.CUT, line, "a summary without the tests it sums up")
        return self._made(ended(counts), line)

    @property
    def _counts(self) -> Counts:
        tests = self.tests or {}
        skipped = sum(tests.get(word, 0) for word in ("skipped", "pending", "todo", "expected fail"))
        failed, passed = tests.get("failed", 0), tests.get("passed", 0)
        broken = (self.suites or {}).get("failed", 0) if not failed else 0
        return Counts(
            collected=tests.get("total", failed + passed + skipped),
            passed=passed,
            failed=failed,
            errors=broken,
            skipped=skipped,
        )

    def _made(self, end: End, line: int, detail: str = "") -> Run:
        return Run(runner=self.runner, kinds=TESTS, end=end, counts=self._counts, line=line, detail=detail)


def _figures(text: str) -> dict[str, int]:
    """Read `1 failed, 2 passed, 3 total` (jest, also `0 of 1 total`) or `2 passed | 1 todo (3)` (vitest)."""
    found = {word: number(count) for count, word in _FIGURE.findall(text)}
    if whole := re.search(r"\((\d+)\)$", text):
        found["total"] = number(whole[1])
    return found


def _adds_up(figures: dict[str, int]) -> bool:
    parts = sum(count for word, count in figures.items() if word != "total")
    return "total" not in figures or parts == figures["total"]
