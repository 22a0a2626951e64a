"""Table of the test runners whose logs can be read: pytest, unittest, jest and vitest, node, go, cargo.

Pure. A summary alone is easily written by hand: it counts only with the run it sums up, and only when its
figures add up. Each row of `RUNNERS` lists the lines that mean something to a runner, and the functions that
decide from these how a run ended.
"""

import re
from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from signoff.domain.evidence.receipts import Counts
from signoff.judges.evidence.log_interpreter import END, START, LogBlock, LogRunner, compiled
from signoff.judges.evidence.log_lines import LogLine
from signoff.judges.evidence.log_runs import Run, RunEnding, ended, number

_UNSHOWN = "a summary without the tests it sums up"


def _figures(pairs: Iterable[tuple[str, str]]) -> Counter[str]:
    """Return figures by their word. A word that is missing counts 0."""
    return Counter({word.strip(): number(count) for count, word in pairs})


# --- pytest: any verbosity that has a summary, also with pytest-xdist ---

_TAIL = r"(?: +(?:\[ *\d+%\]|\[ *\d+/\d+\]|[\d.]+(?:ms|s|m)))?"
_WORD = r"(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)"
_PART = r"\d+ (?:subtests )?[a-z]+"
_TOOK = r"in [\d.]+s(?: \(\d[\d:, a-z]*\))?"
_SUMMARY = rf"(?:=+ )?((?:no tests ran|{_PART}(?:, {_PART})*)) {_TOOK}(?: =+)?$"
_BAR = r"={3,} \S.* ={3,}$"
_PYTEST_RED = (
    r"(?:FAILED|ERROR) \S+|=+ (?:FAILURES|ERRORS) =+$|INTERNALERROR>|!{3,} .+ !{3,}$"
    r"|FAIL Required test coverage|ERROR: |Coverage failure: "
)
_PYTEST_SIGNS = compiled(
    (START, r"=+ test session starts(?: \([^)]{1,60}\))? =+$"),
    (END, _SUMMARY),
    (END, r"(?:=+ )?(?:\d+/)?\d+ tests? collected\b.* in [\d.]+s(?: =+)?$"),
    ("collected", r"(?:collecting \.\.\. ?)?collected (\d+) items?(?: / (.+))?$"),
    ("workers", r"(?:\d+ workers?|gw\d+(?: ok)?(?: / gw\d+(?: ok)?)*) \[(\d+) items?\]"),
    ("test", rf"\[gw\d+\] \[ *\d+%\] {_WORD} \S"),
    ("test", rf"(?!::)(?>[^ :]|:(?!:))*::.*? {_WORD}(?: \([^()]*\))?{_TAIL}$"),
    ("red", _PYTEST_RED),
    ("bar", _BAR),
    # Below a heading are warnings and captured output, which may hold dots too.
    ("progress", rf"(?:(\S++) )?([.FEsxXR,uy-]++){_TAIL}$", "until bar red"),
)
_PERCENT = re.compile(r"\[ *\d+%\]$")
_PASSES = re.compile(r"=+ PASSES =+$")
_CAPTURED = re.compile(r"-{3,} Captured (?:stdout|stderr|log) (?:setup|call|teardown) -{3,}$")
_NAMED = re.compile(r"_{3,} \S.* _{3,}$")
_SECTION_END = re.compile(f"{_BAR}|{_SUMMARY}")


def _pytest_state(block: LogBlock) -> tuple[bool, bool, int]:
    """Return whether a session has begun, whether it shows a failure, and how many tests it shows.

    A line of dots and letters is progress if it stands alone or behind something like a path.
    """
    progress = [
        hit.match
        for hit in block.of("progress")
        if (place := hit.match[1]) is None or "/" in place or "." in place.strip(".")
    ]
    tests = [hit.match[1] for hit in block.of("test")]
    marks = "".join(match[2] for match in progress)
    shows_percent = any(_PERCENT.search(match.string) for match in progress)
    is_begun = shows_percent or bool(block.seen & {START, "collected", "workers", "test"})
    is_red = "red" in block.seen or "FAILED" in tests or "ERROR" in tests
    is_red = is_red or (is_begun and ("F" in marks or "E" in marks))
    return is_begun, is_red, sum(mark in ".FEsxX" for mark in marks) + len(tests) - tests.count("RERUN")


def _planned(block: LogBlock) -> tuple[int | None, int]:
    """Return how many tests were to run, and how many files were skipped or broken while collecting."""
    hit = next(reversed(block.of("collected", "workers")), None)
    if hit is None:
        return None, 0
    rest = (hit.match[2] or "") if hit.sign == "collected" else ""
    named = _figures(re.findall(r"(\d+) ([a-z]+)", rest))
    selected = named["selected"] if "selected" in named else number(hit.match[1]) - named["deselected"]
    return selected, named["skipped"] + named["errors"] + named["error"]


def _pytest_unended(block: LogBlock) -> Run | None:
    is_begun, is_red, _ = _pytest_state(block)
    if not is_begun:
        return None
    counts = Counts(collected=_planned(block)[0] or 0)
    end = RunEnding.RED if is_red else RunEnding.CUT
    return block.run(end, counts, "a session without its summary", line=0)


def _pytest_settle(block: LogBlock) -> Run | None:
    """Compare the summary with what was collected and shown. A bare one without any session is prose.

    The summary must account for the tests selected and for the tests shown in progress. The conditions are
    in order of weight, and the first that holds decides the ending.
    """
    summary = block.hits[-1].match
    if not summary.re.groups:
        return block.run(RunEnding.EMPTY, Counts(), "tests were collected and not run")
    is_begun, is_red, shown = _pytest_state(block)
    if not (summary[0].startswith(("=", "no tests")) or is_begun or is_red or shown):
        return None
    said = _figures(re.findall(r"(\d+) ((?:subtests )?[a-z]+)", summary[1]))
    passed, failed = said["passed"] + said["xpassed"], said["failed"]
    errors, skipped = said["error"] + said["errors"], said["skipped"] + said["xfailed"]
    collected = passed + failed + errors + skipped
    counts = Counts(collected=collected, passed=passed, failed=failed, errors=errors, skipped=skipped)
    ran = sum(said[word] for word in ("passed", "failed", "skipped", "xfailed", "xpassed"))
    selected, unloaded = _planned(block)
    return block.settled(
        counts,
        (counts.failed or counts.errors or said["subtests failed"], RunEnding.RED, ""),
        (is_red, RunEnding.TORN, "failures above, and none in the summary"),
        (not ran, RunEnding.EMPTY, "no test ran"),
        (
            selected is not None and not selected <= ran <= selected + unloaded,
            RunEnding.TORN,
            f"{selected} were to run, and the summary accounts for {ran}",
        ),
        (shown > ran + unloaded, RunEnding.TORN, f"{shown} tests in progress, {ran} in the summary"),
        (
            selected is None and shown != ran,
            RunEnding.CUT,
            f"a summary of {ran} tests, and the log shows {shown} of them",
        ),
    )


def without_captured(lines: tuple[LogLine, ...]) -> tuple[LogLine, ...]:
    """Leave out what passing tests printed, as `pytest -rA` shows it: it is not about the run.

    Only where pytest marks the section's beginning and end: output shown live (-s) cannot be told apart.
    """
    kept: list[LogLine] = []
    is_of_passes = is_captured = False
    for line in lines:
        text = line.text
        if not is_of_passes or _SECTION_END.match(text):
            is_of_passes, is_captured = bool(_PASSES.match(text)), False
        else:
            is_captured = bool(_CAPTURED.match(text)) or (is_captured and not _NAMED.match(text))
        if not is_captured:
            kept.append(line)
    return lines if is_of_passes else tuple(kept)  # a section without its end may hold anything


# --- unittest ---

_UNITTEST_SIGNS = compiled(
    (END, r"Ran (\d+) tests? in [\d.]+s$"),
    ("dots", r"[.FEsxu]+$"),
    # `test NAME ... ok` without brackets is a line of cargo.
    ("test", r"(?!test [^(])[^\W_].* \.\.\. (ok|expected failure|FAIL|ERROR|unexpected success|skipped .*)$"),
    ("red", r"(?:FAIL|ERROR): \w.*|UNEXPECTED SUCCESS: "),
)
_VERDICT = re.compile(r"(OK|FAILED|NO TESTS RAN)(?: \(([a-z =,0-9]*)\))?$")


def _unittest_unended(block: LogBlock) -> Run | None:
    if sum(") ... " in hit.match.string for hit in block.of("test")) < 2:
        return None
    return block.run(RunEnding.CUT, detail="tests without the summary of their run", line=0)


def _unittest_settle(block: LogBlock) -> Run:
    """Compare the line below `Ran` with the tests above the rule. Without the rule, no test above counts."""
    ran, verdict = number(block.hits[-1].match[1]), _VERDICT.match(block.line_after.text)
    if verdict is None:
        counts, missing = Counts(collected=ran), "the verdict below `Ran` is missing"
        return block.run(RunEnding.CUT, counts, missing, line=block.line_after.number)
    has_rule = re.match(r"-{20,}$", block.line_before) is not None
    dots = "".join(hit.match[0] for hit in block.of("dots") if has_rule)
    tests = [hit.match[1] for hit in block.of("test") if has_rule]
    is_bad = (has_rule and "red" in block.seen) or bool({*dots} & {*"FEu"})
    is_bad |= bool({*tests} & {"FAIL", "ERROR", "unexpected success"})
    said = _figures((count, word) for word, count in re.findall(r"([a-z ]+)=(\d+)", verdict[2] or ""))
    failed, errors = said["failures"] + said["unexpected successes"], said["errors"]
    skipped = said["skipped"] + said["expected failures"]
    counts = Counts(
        # A class skipped as a whole counts as skipped and not as run.
        collected=max(ran, failed + errors + skipped),
        passed=max(0, ran - failed - errors - skipped),
        failed=failed,
        errors=errors,
        skipped=skipped,
    )
    shown = len(dots) + len(tests)
    return block.settled(
        counts,
        (verdict[1] == "FAILED", RunEnding.RED, ""),
        (is_bad or failed or errors, RunEnding.TORN, "failures above, and the verdict is OK"),
        (counts.passed and not shown, RunEnding.CUT, _UNSHOWN),
        (shown > counts.collected, RunEnding.TORN, f"{shown} tests are shown, {ran} are counted"),
        line=block.line_after.number,
    )


# --- jest and vitest: a block of figures at the end ---

_JEST_SIGNS = compiled(
    (START, r" ?RUN +v\d+\.\d+\.\d+\S* "),
    (END, r"No test(?:s| files) found, exiting with code \d"),
    ("good suite", r" ?PASS +\S"),
    ("good", r" ?PASS (?:\S.*)?|\s*[✓✔√] +\S"),
    ("red", r" ?FAIL +\S| *⎯+ (?:Failed|Unhandled) |  ● Test suite failed to run"),
    ("suites", r"(?:Test Suites: +| {0,8}Test Files {2,})(\S.*)$"),
    ("tests", r"(?:Tests: +| {0,8}Tests {2,})(\S.*)$", "after suites"),
    ("red", r" {0,8}Errors {2,}(\d+) errors?", "after suites"),
    (END, r"(?:Time: +| {0,8}Duration {2,})[\d.]+ ?m?s\b", "after suites"),
    ("threshold", r"Jest: \S{1,80} coverage threshold for |ERROR: Coverage for \w+ "),
)
_NOT_RUN = ("skipped", "pending", "todo", "expected fail")


def _jest_figures(block: LogBlock, sign: str) -> Counter[str]:
    """Read `1 failed, 2 passed, 3 total` (jest, also `0 of 1 total`) or `2 passed | 1 todo (3)` (vitest)."""
    hit = block.last(sign)
    text = hit.match[1] if hit else ""
    figure = r"(\d+) (failed|passed|skipped|todo|pending|total|expected fail)"
    found = _figures(re.findall(figure, text))
    if whole := re.search(r"\((\d+)\)$", text):
        found["total"] = number(whole[1])
    return found


def _jest_counts(block: LogBlock) -> Counts:
    tests, suites = _jest_figures(block, "tests"), _jest_figures(block, "suites")
    failed, passed, skipped = tests["failed"], tests["passed"], sum(tests[word] for word in _NOT_RUN)
    return Counts(
        collected=tests.get("total", failed + passed + skipped),
        passed=passed,
        failed=failed,
        errors=0 if failed else suites["failed"],
        skipped=skipped,
    )


def _jest_named(block: LogBlock) -> LogBlock:
    """Name the runner: jest and vitest head their figures with different words."""
    suites = block.last("suites")
    is_vitest = START in block.seen if suites is None else not suites.match[0].startswith("Test Suites:")
    block.runner = "vitest" if is_vitest else "jest"
    return block


def _jest_unended(block: LogBlock) -> Run | None:
    if block.seen.isdisjoint({START, "good suite", "red", "suites"}):
        return None
    end = RunEnding.RED if block.seen & {"red", "threshold"} else RunEnding.CUT
    return _jest_named(block).run(end, _jest_counts(block), "a run without its summary", line=0)


def _jest_settle(block: LogBlock) -> Run:
    """Believe the figures when they are whole, add up, and stand below something that passed."""
    end = block.hits[-1].match[0]
    block = _jest_named(block)
    if end.startswith("No test"):
        return block.run(RunEnding.EMPTY, Counts(), block.hits[-1].match.string)
    counts = _jest_counts(block)
    if "tests" not in block.seen:
        return block.run(RunEnding.CUT, counts, "a summary without its tests")
    figures = [_jest_figures(block, sign) for sign in ("tests", "suites")]
    return block.settled(
        counts,
        (figures[1]["failed"] or counts.failed or block.seen & {"red", "threshold"}, RunEnding.RED, ""),
        (
            any("total" in each and each.total() != 2 * each["total"] for each in figures),
            RunEnding.TORN,
            "the figures of the summary do not add up",
        ),
        (counts.passed and block.seen.isdisjoint({"good", "good suite"}), RunEnding.CUT, _UNSHOWN),
    )


# --- node --test: TAP, and the form of the spec reporter ---

_NODE_FILE = r"(?:\S*[/\\]\S*|\S*[._-]test)\.[cm]?[jt]sx?"
_NODE_SIGNS = compiled(
    (START, r"TAP version 1[34]$"),
    (END, r"(?:#|ℹ) (duration_ms) (\d+)(?:\.\d+)?$", "after tests"),
    ("tests", r"(?:#|ℹ) (tests) (\d+)(?:\.\d+)?$"),
    ("figure", r"(?:#|ℹ) (suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d+)(?:\.\d+)?$"),
    # Node counts a file without any test as a test that passed.
    ("empty file", rf"(?:ok \d+ - |✔ ){_NODE_FILE}(?: \([\d.]+ms\))?$"),
    ("good", r" *(?:ok \d+ - |✔ )"),
    ("red", r" *(?:not ok \d+|✖ )(?!.*# (?:TODO|SKIP)\b)"),
)


def _node_unended(block: LogBlock) -> Run | None:
    if block.seen.isdisjoint({START, "tests", "figure"}):
        return None
    end = RunEnding.RED if {START, "red"} <= block.seen else RunEnding.CUT
    return block.run(end, detail="a run without its summary", line=0)


def _node_settle(block: LogBlock) -> Run:
    """Compare the figures with the tests above them, without the files that have no test."""
    said = {hit.match[1]: number(hit.match[2]) for hit in block.of("tests", "figure")}
    if not {"pass", "fail"} <= said.keys():
        return block.run(RunEnding.CUT, Counts(), "the summary is not whole")
    empty_files = block.count("empty file")
    failed = said["fail"] + said.get("cancelled", 0)
    skipped = said.get("skipped", 0) + said.get("todo", 0)
    passed = max(0, said["pass"] - empty_files)
    collected = max(0, said["tests"] - empty_files)
    counts = Counts(collected=collected, passed=passed, failed=failed, skipped=skipped)
    if failed:
        return block.run(RunEnding.RED, counts)
    is_torn = "red" in block.seen or said["tests"] != said["pass"] + failed + skipped
    return block.settled(
        counts,
        (is_torn, RunEnding.TORN, "the figures and the tests above do not go together"),
        (passed and "good" not in block.seen, RunEnding.CUT, _UNSHOWN),
        (empty_files and not passed, ended(counts), "only files without tests passed"),
    )


# --- go test: a line for each package, and nothing that sums these up ---

_GO_SIGNS = compiled(
    ("hollow", r"ok\s+\S+\s+(?:\(cached\)|[\d.]+s)\s.*\[no tests to run\]"),
    ("ok", r"ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(?:\s.*)?$"),
    ("no files", r"\?\s+\S+\s+\[no test files\]$"),
    ("done", r" *--- (PASS|FAIL|SKIP): "),
    ("started", r"=== RUN +\S"),
    ("failed", r"FAIL\s+\S+(?:\s+(?:[\d.]+s|\[(?:build|setup) failed\]))$"),
    ("red", r"FAIL$|panic: |--- FAIL: "),
)


def _go_unended(block: LogBlock) -> Run | None:
    """Count packages without -v and tests with it. A log cut between two packages looks whole.

    Without -v, the packages are the unit, with it the tests. So the counts and the ending depend on whether
    a test was seen to start.
    """
    done = Counter(hit.match[1] for hit in block.of("done"))
    ok, failed, started = block.count("ok"), block.count("failed"), block.count("started")
    if not (block.seen & {"ok", "hollow", "no files", "started", "failed"} or done["FAIL"]):
        return None
    if started:
        bad = max(done["FAIL"], min(failed, 1))
        counts = Counts(
            collected=max(started, done.total()), passed=done["PASS"], failed=bad, skipped=done["SKIP"]
        )
    else:
        counts = Counts(collected=ok + failed, passed=ok, failed=max(failed, done["FAIL"]))
    ends = block.of("ok", "hollow", "no files", "failed", "red")
    steps = block.of("started", "ok", "hollow", "failed", "red")
    unended = (steps and steps[-1].sign == "started") or started > done.total()
    run = block.settled(
        counts,
        (block.seen & {"failed", "red"} or done["FAIL"], RunEnding.RED, ""),
        (unended, RunEnding.CUT, "tests began whose end is not there"),
        (
            started and not block.seen & {"ok", "hollow"},
            RunEnding.CUT,
            "tests without the line of their package",
        ),
        line=ends[-1].line if ends else 0,
    )
    is_one_line = not started and run.end not in (RunEnding.RED, RunEnding.CUT)
    return replace(run, is_one_line=is_one_line)


# --- cargo test: each test binary has a block of its own ---

_CARGO_RESULT = (
    r"test result: (ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out"
    r"(?:; finished in [\d.]+s)?$"
)
_CARGO_SIGNS = compiled(
    ("binary", r" {2,}(?:Running \S.*\)|Doc-tests \S+)$"),
    ("running", r"running (\d+) tests?$"),
    ("result", _CARGO_RESULT),
    ("test", r"test .* \.\.\. (ok|FAILED|ignored.*|bench:.*)$"),
    ("red", r"error: (?:\d+ targets? failed|test failed|doctest failed)|error: could not compile .* test\)"),
)


def _cargo_unended(block: LogBlock) -> Run | None:
    """Add up the binaries. Each result must account for the tests that were announced and shown above it.

    cargo prints one block per test binary: `running N tests`, the tests, `test result`. The loop keeps the
    announced figure open until its result closes it.
    """
    if block.seen <= {"test"}:
        return None
    totals: Counter[str] = Counter()
    announced: int | None = None
    shown = 0
    is_torn = False
    is_red = "red" in block.seen or any(hit.match[1] == "FAILED" for hit in block.of("test", "result"))
    for hit in block.hits:
        if hit.sign == "running":
            is_torn |= announced is not None
            announced, shown = number(hit.match[1]), 0
        elif hit.sign == "test":
            shown += 1
        elif hit.sign == "result":
            figures = Counter(dict(zip(_CARGO_FIGURES, map(number, hit.match.groups()[1:]), strict=True)))
            ran = figures.total()
            is_torn |= announced != ran or shown > ran or (hit.match[1] == "ok") != (figures["failed"] == 0)
            announced = None
            totals += figures
    result = block.last("result")
    counts = Counts(
        collected=totals.total(),
        passed=totals["passed"] + totals["measured"],
        failed=totals["failed"],
        skipped=totals["ignored"],
    )
    is_open = announced is not None or block.count("binary") > block.count("running") or result is None
    is_torn |= block.count("running") != block.count("result")
    return block.settled(
        counts,
        (is_red, RunEnding.RED, ""),
        (is_open, RunEnding.CUT, "a test binary began whose result is not there"),
        (is_torn, RunEnding.TORN, "the results and the tests above do not go together"),
        line=result.line if result else 0,
    )


_CARGO_FIGURES = ("passed", "failed", "ignored", "measured")

RUNNERS = (
    LogRunner(
        "pytest",
        _PYTEST_SIGNS,
        _pytest_unended,
        _pytest_settle,
        below=("red", "pytest reports a failure below its summary"),
    ),
    LogRunner("unittest", _UNITTEST_SIGNS, _unittest_unended, _unittest_settle),
    LogRunner(
        "jest",
        _JEST_SIGNS,
        _jest_unended,
        _jest_settle,
        below=("threshold", "the coverage threshold is not met"),
    ),
    LogRunner("node --test", _NODE_SIGNS, _node_unended, _node_settle),
    LogRunner("go test", _GO_SIGNS, _go_unended),
    LogRunner("cargo test", _CARGO_SIGNS, _cargo_unended),
)
