"""Read what `go test` prints, with and without -v.

Pure. One line per package is all that Go says at the end, and nothing sums these up: a log that was cut
between two packages looks whole. Without -v packages are counted, with it tests.
"""

import re

from signoff.core.evidence.logs import Line
from signoff.core.evidence.runs import TESTS, End, Run, ended
from signoff.domain.receipts import Counts

_OK = re.compile(r"ok\s+(\S+)\s+(?:\(cached\)|[\d.]+s)(\s.*)?$")
_NO_FILES = re.compile(r"\?\s+\S+\s+\[no test files\]$")
_FAIL = re.compile(r"FAIL\s+\S+(?:\s+(?:[\d.]+s|\[(?:build|setup) failed\]))$|FAIL$|panic: |--- FAIL: ")
_START = re.compile(r"=== RUN +\S")
_DONE = re.compile(r" *--- (PASS|FAIL|SKIP): ")
_PLAIN_PASS = re.compile(r"PASS$")


def read(lines: tuple[Line, ...]) -> tuple[Run, ...]:
    """Give the run of all packages as one, where the log has any."""
    ok = hollow = empty = started = 0
    bad = 0
    is_red = False
    done = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    last = 0
    open_tests = 0
    for line in lines:
        text = line.text
        if match := _OK.match(text):
            is_hollow = "[no tests to run]" in (match[2] or "")
            ok, hollow, last, open_tests = ok + (not is_hollow), hollow + is_hollow, line.number, 0
        elif _NO_FILES.match(text):
            empty, last = empty + 1, line.number
        elif match := _DONE.match(text):
            done[match[1]] += 1
            is_red |= match[1] == "FAIL"
        elif _START.match(text):
            started, open_tests = started + 1, open_tests + 1
        elif _FAIL.match(text):
            is_red = True
            bad += bool(re.match(r"FAIL\s+\S", text))
            last, open_tests = line.number, 0
    if not (ok or hollow or empty or started or bad or done["FAIL"]):
        return ()
    counts = _counts(ok, bad, done, started)
    if is_red:
        return (_made(End.RED, counts, last),)
    if open_tests or started > sum(done.values()):
        return (_made(End.CUT, counts, last, "tests began whose end is not there"),)
    if started and not (ok or hollow):
        return (_made(End.CUT, counts, last, "tests without the line of their package"),)
    return (_made(ended(counts), counts, last, is_one_line=not started),)


def _counts(ok: int, bad: int, done: dict[str, int], started: int) -> Counts:
    if not started:
        return Counts(collected=ok + bad, passed=ok, failed=max(bad, done["FAIL"]))
    failed = max(done["FAIL"], min(bad, 1))
    return Counts(
        collected=max(started, sum(done.values())), passed=done["PASS"], failed=failed, skipped=done["SKIP"]
    )


def _made(end: End, counts: Counts, line: int, detail: str = "", *, is_one_line: bool = False) -> Run:
    return Run(
        runner="go test",
        kinds=TESTS,
        end=end,
        counts=counts,
        line=line,
        detail=detail,
        is_one_line=is_one_line,
    )
