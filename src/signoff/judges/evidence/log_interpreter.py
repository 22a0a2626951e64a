"""Interpreter of the table of test runners: it sorts the lines of a log by what they mean to one runner.

Pure. A row of `runner_table` names the lines a runner writes, and a function that decides how a run of them
ended. Everything that is the same for all runners happens here: finding where a run begins and ends, and
noticing one whose end is missing.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from signoff.domain.evidence.receipts import Counts
from signoff.judges.evidence.log_lines import LogLine
from signoff.judges.evidence.log_runs import TESTS, Run, RunEnding, ended

_NO_COUNTS = Counts()
START, END = "start", "end"
"""Names of signs with a meaning of their own: a new run begins here, and the run ends here."""


class Sign(NamedTuple):
    """A kind of line that means something to a runner."""

    name: str
    pattern: re.Pattern[str]
    after: tuple[str, ...] = ()
    """One of these signs must have been seen in this run before."""
    until: tuple[str, ...] = ()
    """Once one of these was seen, this sign is ignored for the rest of the run."""


class Hit(NamedTuple):
    """A line that a sign matched."""

    sign: str
    match: re.Match[str]
    line: int


class LogBlock:
    """The matched lines of one run."""

    def __init__(self, runner: str) -> None:
        self.runner = runner
        self.hits: list[Hit] = []
        self.seen: set[str] = set()
        self.line_before = ""
        """The last line that is not empty above the end."""
        self.line_after = LogLine(0, "")
        """The first line that is not empty below the end."""

    def add(self, hit: Hit) -> None:
        """Take the next hit of the log."""
        self.hits.append(hit)
        self.seen.add(hit.sign)

    def of(self, *names: str) -> list[Hit]:
        """Return the hits of some signs, in the order of the log."""
        return [hit for hit in self.hits if hit.sign in names]

    def count(self, name: str) -> int:
        """Return how often a sign was hit."""
        return len(self.of(name))

    def last(self, name: str) -> Hit | None:
        """Return the last hit of a sign."""
        return next(reversed(self.of(name)), None)

    def run(
        self, end: RunEnding, counts: Counts = _NO_COUNTS, detail: str = "", *, line: int | None = None
    ) -> Run:
        """Make the run, which ends at the last hit unless another line is given."""
        last = self.hits[-1].line if self.hits else 0
        at = last if line is None else line
        return Run(runner=self.runner, kinds=TESTS, end=end, counts=counts, line=at, detail=detail)

    def settled(self, counts: Counts, *faults: tuple[object, RunEnding, str], line: int | None = None) -> Run:
        """Make the run that ended by the first fault that is there, without any by its counts."""
        found = ((end, detail) for is_there, end, detail in faults if is_there)
        end, detail = next(found, (ended(counts), ""))
        return self.run(end, counts, detail, line=line)


class LogRunner(NamedTuple):
    """How the log of one test runner is read: a row of the table."""

    name: str
    signs: tuple[Sign, ...]
    """A line means the first sign that matches."""
    unended: Callable[[LogBlock], Run | None]
    """Judge lines without an end, or return None if no run has begun. Some runners never write an end."""
    settle: Callable[[LogBlock], Run | None] = lambda _: None
    """Judge a run with its end, or return None if that line belongs to no run."""
    below: tuple[str, str] = ("", "")
    """The sign that turns the last run red when it stands below its end, and what it then reports."""


def read_runs(runner: LogRunner, lines: tuple[LogLine, ...]) -> tuple[Run, ...]:
    """Return the runs of one runner in a log, in order.

    A line means the first sign of the row that matches it. A run ends at its `end`, or is cut off by the next
    `start` and by the end of the log.
    """
    found: list[Run] = []
    block = LogBlock(runner.name)
    written = [line for line in lines if line.text]
    for at, line in enumerate(written):
        hit = _hit(runner.signs, block, line)
        if hit is None:
            continue
        if hit.sign == START:
            found += _cut(runner, block, line.number)
            block = LogBlock(runner.name)
        block.add(hit)
        if hit.sign == END:
            block.line_before = written[at - 1].text if at else ""
            block.line_after = written[at + 1] if at + 1 < len(written) else LogLine(line.number, "")
            run = runner.settle(block)
            found += [run] if run else []
            block = LogBlock(runner.name)
    found += _cut(runner, block, written[-1].number if written else 0)
    sign, detail = runner.below
    if found and any(hit.line > found[-1].line for hit in block.of(sign)):
        found[-1] = replace(found[-1], end=RunEnding.RED, detail=detail)
    return tuple(found)


def sorted_lines(name: str, signs: tuple[Sign, ...], lines: tuple[LogLine, ...]) -> LogBlock:
    """Return a whole log as one block, for a tool whose runs cannot be told apart."""
    block = LogBlock(name)
    for line in lines:
        if hit := _hit(signs, block, line):
            block.add(hit)
    return block


def compiled(*rows: tuple[str, str] | tuple[str, str, str]) -> tuple[Sign, ...]:
    """Compile rows of name, pattern and, where there is one, `after NAME NAME` or `until NAME NAME`."""
    made = []
    for name, pattern, *condition in rows:
        word, *names = condition[0].split() if condition else ("",)
        after, until = (tuple(names) if word == each else () for each in ("after", "until"))
        made.append(Sign(name, re.compile(pattern), after, until))
    return tuple(made)


def _hit(signs: tuple[Sign, ...], block: LogBlock, line: LogLine) -> Hit | None:
    for sign in signs:
        is_open = (not sign.after or not block.seen.isdisjoint(sign.after)) and block.seen.isdisjoint(
            sign.until
        )
        if is_open and (match := sign.pattern.match(line.text)):
            return Hit(sign.name, match, line.number)
    return None


def _cut(runner: LogRunner, block: LogBlock, line: int) -> list[Run]:
    run = runner.unended(block)
    return [] if run is None else [run if run.line else replace(run, line=line)]
