"""Read what `cargo test` prints, also with -q.

Pure. Each test binary has its own block: `running N tests`, the tests, and `test result: …`.
"""

import re

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import TESTS, End, Run, ended, number
from signoff.domain.receipts import Counts

_BINARY = re.compile(r" {2,}(?:Running \S.*\)|Doc-tests \S+)$")
_RUNNING = re.compile(r"running (\d+) tests?$")
_TEST = re.compile(r"test .* \.\.\. (ok|FAILED|ignored.*|bench:.*)$")
_RESULT = re.compile(
    r"test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out"
    r"(?:; finished in [\d.]+s)?$"
)
_BAD = re.compile(
    r"error: (?:\d+ targets? failed|test failed|doctest failed)|error: could not compile .* test\)"
)


def read(lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Give all binaries of the log as one run."""
    run = _Binaries()
    for line in lines:
        run.take(line)
    return (run.made(),) if run.is_begun else ()


class _Binaries:
    """The run while its lines go by."""

    def __init__(self) -> None:
        self.is_begun = self.is_red = False
        self.is_torn = False
        self.announced = self.blocks = self.results = 0
        self.waiting: int | None = None
        self.shown = 0
        self.last = 0
        self.counts = Counts()

    def take(self, line: Line) -> None:
        text = line.text
        if _BINARY.match(text):
            self.is_begun, self.announced = True, self.announced + 1
        elif running := _RUNNING.match(text):
            self.is_begun, self.blocks = True, self.blocks + 1
            self.is_torn |= self.waiting is not None
            self.waiting, self.shown = number(running[1]), 0
        elif result := _RESULT.match(text):
            self._close(result, line.number)
        elif test := _TEST.match(text):
            self.shown += 1
            self.is_red |= test[1] == "FAILED"
        elif _BAD.match(text):
            self.is_begun = self.is_red = True

    def _close(self, result: re.Match[str], line: int) -> None:
        passed, failed, ignored, measured = (number(result[n]) for n in (2, 3, 4, 5))
        self.is_begun, self.results, self.last = True, self.results + 1, line
        ran = passed + failed + ignored + measured
        self.is_torn |= self.waiting != ran or self.shown > ran or (result[1] == "ok") != (failed == 0)
        self.is_red |= result[1] == "FAILED"
        self.waiting = None
        now = self.counts
        self.counts = Counts(
            collected=now.collected + ran,
            passed=now.passed + passed + measured,
            failed=now.failed + failed,
            skipped=now.skipped + ignored,
        )

    def made(self) -> Run:
        if self.is_red:
            return self._run(End.RED)
        if self.waiting is not None or self.announced > self.blocks or not self.results:
            return self._run(End.CUT, "a test binary began whose result is not there")
        if self.is_torn or self.blocks != self.results:
            return self._run(End.TORN, "the results and the tests above do not go together")
        return self._run(ended(self.counts))

    def _run(self, end: End, detail: str = "") -> Run:
        return Run(
            runner="cargo test", kinds=TESTS, end=end, counts=self.counts, line=self.last, detail=detail
        )
