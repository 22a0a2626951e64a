"""What a log must not be taken for, and what a report settles."""

import json
import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.judges.evidence import log_lines
from signoff.judges.evidence.claim_verdict import ClaimJudgement, Reason, judge
from signoff.judges.evidence.log_runs import Claim, LogStatus

LOGS = Path(__file__).parent / "logs"
B, T, L = Claim.BUILD, Claim.TEST, Claim.LINT
TEXTS = {
    T: (
        "pytest-pass.txt",
        "pytest-pass-q.txt",
        "pytest-pass-v.txt",
        "pytest-pass-ansi.txt",
        "pytest-pass-xdist.txt",
        "unittest-pass.txt",
        "unittest-pass-v.txt",
        "jest-pass.txt",
        "jest-pass-v.txt",
        "vitest-pass.txt",
        "vitest-pass-v.txt",
        "node-pass-tap.txt",
        "node-pass-spec.txt",
        "cargo-test-pass.txt",
        "cargo-test-pass-q.txt",
        "go-test-pass.txt",
        "go-test-pass-v.txt",
    ),
    B: ("cargo-build-pass.txt", "vite-pass.txt", "webpack-pass.txt", "next-pass.txt", "tsc-pass-watch.txt"),
    L: ("ruff-pass.txt", "mypy-pass.txt", "eslint-warn.txt", "ruff-format-pass.txt"),
}
GREEN = [(claim, name) for claim, names in TEXTS.items() for name in names]
ENDS = {
    # How the first complete result begins. Go and cargo have one per package or binary.
    "pytest": r"=+ \d+ passed|\d+ passed",
    "unittest": "OK",
    "jest": "Time: ",
    "vitest": r" +Duration ",
    "node": r"(#|ℹ) duration_ms ",
    "cargo-test": "test result: ",
    "cargo-build": " +Finished ",
    "go": "ok  ",
    "vite-": "✓ built in ",
    "webpack": "webpack ",
    "next": r"Route \(",
    "tsc": ".* Found 0 errors",
    "ruff-format": "1 file already",
    "ruff-pass": "All checks",
    "mypy": "Success",
    "eslint": "✖ 1 problem",
}
MARKS = (
    "FAILED tests/test_cart.py::test_total - assert 1 == 2",
    "ERROR tests/test_cart.py - ImportError",
    "FAIL src/cart.test.js",
    "npm ERR! code ELIFECYCLE",
    "npm error Lifecycle script `test` failed with error:",
    " ELIFECYCLE  Test failed. See above for more details.",
    "error Command failed with exit code 1.",
    "Error: Process completed with exit code 1.",
    "##[error]Process completed with exit code 2.",
    "make: *** [Makefile:4: test] Error 1",
    "Killed",
    "/bin/sh: line 1:  4242 Killed                  pytest",
    "Segmentation fault (core dumped)",
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "The job was cancelled because it timed out",
    "Command timed out after 600 seconds",
    "exit code: 1",
    "exit status 2",
    "Exited with code 137",
    "BUILD FAILED",
    "Out of memory",
    "sh: 1: pytest: command not found",
    "Command exited with non-zero status 1",
    'The command "pytest" exited with 1.',
    "[Process exited 1]",
    "EXIT_CODE=1",
    "PYTEST_EXIT_CODE=2",
    "returncode: 1",
    "rc=1",
)
STUBS = (
    "All tests pass!",
    "BUILD SUCCESS",
    "GREEN",
    "5 passed in 0.1s",
    "===== 5 passed in 0.1s =====",
    "Tests: 5 passed, 5 total",
    "Test Suites: 1 passed, 1 total\nTests:       5 passed, 5 total\nSnapshots:   0 total\nTime:        1 s",
    "OK",
    "Ran 5 tests in 0.001s\n\nOK",
    "-" * 70 + "\nRan 5 tests in 0.001s\n\nOK",
    "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "# tests 5\n# pass 5\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 5",
    "PASS",
    "Compiled successfully",
    "I ran the whole suite and everything passed: 5 passed in 0.1s.",
    "✓ all tests passed",
    "exit code: 0",
    "Found 0 errors.",
    "echo '5 passed in 0.1s'\n..... [100%]\n5 passed in 0.1s",
)


def read(name: str) -> bytes:
    return (LOGS / name).read_bytes()


def passed(claim: Claim, log: bytes | None, report: bytes | None = None) -> ClaimJudgement:
    return judge(claim, LogStatus.PASSED, log, report)


def junit(cases: str) -> bytes:
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>".encode()


GOOD_CASE = '<testcase classname="m" name="a"/>'
BAD_CASE = '<testcase classname="m" name="b"><failure/></testcase>'


# --- logs that show nothing ---


def test_a_log_that_is_missing_empty_or_no_text_shows_nothing() -> None:
    for claim, status in product(Claim, LogStatus):
        assert judge(claim, status, None).reason is Reason.MISSING
        for empty in (b"", b"\n\n", b" \r\n\t\n", b"\x1b[0m\n"):
            assert judge(claim, status, empty).reason is Reason.EMPTY, (claim, status, empty)
        assert judge(claim, status, b"\x7fELF\x00\x00").reason is Reason.NOT_READABLE


def test_a_log_over_the_limit_is_not_read_and_the_limit_is_said() -> None:
    judged = passed(T, b"x" * (log_lines.LARGEST + 1))

    assert judged.reason is Reason.NOT_READABLE
    assert "20,000,000" in judged.message
    assert "300,000 lines" in passed(T, b"x\n" * (log_lines.MOST_LINES + 1)).message


def test_words_and_bare_summaries_are_no_run() -> None:
    """Anybody can write a summary; it counts only with the run it sums up."""
    for claim, stub, ending in product(Claim, STUBS, ("", "\n")):
        assert not passed(claim, f"{stub}{ending}".encode()).ok, (claim, stub)


def test_an_unknown_runner_is_said_to_be_unjudged_and_a_report_is_asked_for() -> None:
    judged = passed(T, b"Rspec::Runner\n12 examples, 0 failures\n")

    assert judged.reason is Reason.UNKNOWN_RUNNER
    assert "could not be judged" in judged.message
    assert "report" in judged.message


def test_a_quoted_log_is_no_log() -> None:
    for claim, name in GREEN:
        text = read(name).decode()
        is_indented = claim is B and "cargo" in name  # cargo indents by itself

        assert not passed(claim, f"I ran it:\n\n```console\n{text}```\n\nAll green.\n".encode()).ok, name
        for prefix in ("> ", "    "):
            log = "".join(f"{prefix}{line}\n" for line in text.splitlines())
            assert not passed(claim, log.encode()).ok or (prefix == "    " and is_indented), name


def test_a_log_cut_before_its_end_is_never_green() -> None:
    for claim, name in GREEN:
        lines = read(name).decode().splitlines(keepends=True)
        end = re.compile(next(end for start, end in ENDS.items() if name.startswith(start)))
        plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
        last = next(n for n, line in enumerate(plain) if end.match(line))

        for n in range(last + 1):
            assert not green(claim, lines[:n]), (name, n)
            assert n == last or not green(claim, [*lines[:n], lines[n][: len(lines[n]) // 2]]), (name, n)


def green(claim: Claim, lines: list[str]) -> bool:
    return passed(claim, "".join(lines).encode()).ok


def test_a_failure_mark_anywhere_outweighs_a_green_summary() -> None:
    for (claim, name), mark in product(GREEN, MARKS):
        text = read(name)
        for log in (text + f"{mark}\n".encode(), f"{mark}\n".encode() + text):
            judged = passed(claim, log)
            assert judged.reason in (Reason.FAILURE_MARKED, Reason.CONTRADICTORY), (name, mark, judged)
            assert not judged.ok, (name, mark)


def test_a_log_that_says_parts_are_left_out_is_truncated() -> None:
    omissions = ("…truncated…", "[... 120 lines omitted ...]", "<truncated>", "... (output truncated)")
    for (claim, name), mark in product(GREEN, omissions):
        lines = read(name).decode().splitlines()
        middle = len(lines) // 2
        log = "\n".join([*lines[:middle], mark, *lines[middle:]])

        assert passed(claim, log.encode()).reason is Reason.TRUNCATED, (name, mark)


def test_a_traceback_below_the_summary_is_a_failure() -> None:
    for claim, name in GREEN:
        log = read(name) + b'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n'

        assert passed(claim, log).reason is Reason.FAILURE_MARKED, name


def test_a_wrapper_that_reports_no_failure_is_no_mark() -> None:
    for said in ("EXIT_CODE=0", "returncode: 0", 'The command "pytest" exited with 0.'):
        assert passed(T, read("pytest-pass.txt") + f"{said}\n".encode()).ok, said


# --- success in one line ---

PROSE = (
    "I ran it:",
    "CI summary from the pull request page:",
    "  3 required checks",
    "Types are fine.",
    "Ship it!",
    "> all good",
    "- ruff check",
    "note: it works",
    "✓ lint is clean",
    "Running the linter now",
    "ruff check passed",
    "ruff is happy.",
    "100% go for it",
    "# Result",
    "```\nmore\n```",
)
ONE_LINE = (
    (L, "All checks passed!"),
    (L, "Success: no issues found in 12 source files"),
    (B, "    Finished dev [unoptimized + debuginfo] target(s) in 0.50s"),
    (B, "webpack 5.91.0 compiled successfully in 1423 ms"),
    (T, "ok  \texample.com/shop\t0.003s"),
)
SURROUNDINGS = (
    "$ ruff check .",
    "> ruff check . && mypy src",
    "> shop@1.0.0 lint",
    "+ ruff check src tests",
    "++ cd /repo",
    "user@host:~/repo$ make lint",
    "ruff check src tests",
    ".venv/bin/mypy",
    "uv run mypy --strict src",
    "go test ./...",
    "##[group]Run ruff check .\nruff check .\nshell: /usr/bin/bash -e {0}\n##[endgroup]",
    "== ruff check ==",
    "Collecting ruff==0.6.9 (from -r requirements.txt (line 1))",
    "  Downloading ruff-0.6.9-py3-none-manylinux_2_17_x86_64.whl (10 MB)",
    "Successfully installed ruff-0.6.9",
    "Resolved 12 packages in 3ms",
    "npm warn deprecated glob@7.2.3",
    "go: downloading github.com/google/uuid v1.6.0",
    "    Updating crates.io index",
    "warning: `D203` and `D211` are incompatible. Ignoring `D203`.",
    "warning: unused: `x`\n --> src/lib.rs:1:9\n  |\n1 | let x = 1;\n  |     ^\n  |\n  = note: default",
    "shop/cart.py:3: note: By default the bodies of untyped functions are not checked",
    "exit code: 0",
    "real\t0m1.200s",
)


def test_success_in_one_line_is_not_believed_beside_prose() -> None:
    for (claim, line), prose in product(ONE_LINE, PROSE):
        for log in (f"{prose}\n{line}\n", f"{line}\n{prose}\n"):
            judged = passed(claim, log.encode())
            assert (judged.ok, judged.reason) == (False, Reason.UNKNOWN_RUNNER), log
            assert "report" in judged.message, log


def test_success_in_one_line_is_believed_among_lines_of_tools() -> None:
    for (claim, line), around in product(ONE_LINE, SURROUNDINGS):
        judged = passed(claim, f"{around}\n{line}\n".encode())

        assert judged.ok, f"{around}, {line}: {judged.message}"


def test_success_in_one_line_is_believed_beside_another_run() -> None:
    for name in ("pytest-pass.txt", "pytest-pass-q.txt", "pytest-pass-ra.txt"):
        judged = passed(L, read(name) + b"$ ruff check\n" + read("ruff-pass.txt"))
        assert judged.ok, judged.message


def test_a_verbose_go_run_may_print_what_it_likes() -> None:
    log = read("go-test-pass-v.txt").replace(b"--- PASS: TestAdd", b"listening on a port\n--- PASS: TestAdd")

    assert passed(T, log).ok


# --- what passing tests print ---

CAPTURED = """\
============================= test session starts ==============================
collected 1 item

test_pr.py .                                                             [100%]

==================================== PASSES ====================================
____________________________________ test_a ____________________________________
----------------------------- Captured stdout call -----------------------------
FAILED: 3 errors
exit code 1
[... 20 lines omitted ...]
----------------------------- Captured stderr call -----------------------------
Killed
=========================== short test summary info ============================
PASSED test_pr.py::test_a
============================== 1 passed in 0.65s ===============================
"""


def test_what_a_passing_test_printed_is_no_failure_where_pytest_marks_it() -> None:
    judged = passed(T, CAPTURED.encode())

    assert (judged.ok, judged.counts.passed) == (True, 1), judged.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("short test summary info", "short test summary info ===\nexit code 1\n==="),
        ("= PASSES =", "= OTHERS ="),
        ("1 passed in 0.65s ===", "1 passed in 0.65s ===\nexit code 1\n==="),
        ("test_pr.py .  ", "exit code 1\ntest_pr.py .  "),
    ],
)
def test_a_failure_outside_what_pytest_marks_still_counts(old: str, new: str) -> None:
    assert old in CAPTURED
    assert not passed(T, CAPTURED.replace(old, new).encode()).ok


def test_output_of_passing_tests_that_is_cut_off_hides_nothing() -> None:
    lines = CAPTURED.splitlines()
    for n in range(len(lines)):
        assert not passed(T, "\n".join([*lines[:n], "npm ERR! code 1"]).encode()).ok


@pytest.mark.parametrize(
    "said",
    [
        "(3 durations < 0.005s hidden.  Use -vv to show these durations.)",
        "(2 durations < 0.01s hidden.)",
        "0.05s call     test_names.py::test_p[... 20 lines omitted ...]",
        "PASSED test_names.py::test_p[... 20 lines omitted ...]",
        "PASSED test_names.py::test_p[exit code 1]",
    ],
)
def test_fast_tests_and_the_names_of_tests_leave_nothing_out(said: str) -> None:
    log = read("pytest-pass.txt")
    at = log.rindex(b"\n", 0, log.index(b"91 passed")) + 1

    judged = passed(T, log[:at] + f"{said}\n".encode() + log[at:])

    assert judged.ok, judged.message


# --- runs that contradict themselves ---


def test_a_green_run_beside_a_red_one_is_contradictory() -> None:
    log = read("pytest-fail.txt") + read("pytest-pass.txt")

    assert passed(T, log).reason is Reason.CONTRADICTORY
    assert judge(T, LogStatus.FAILED, log).ok


def test_two_green_runs_are_added_up() -> None:
    judged = passed(T, read("pytest-pass.txt") + read("jest-pass.txt"))

    assert judged.ok
    assert (judged.runner, judged.counts.passed) == ("pytest, jest", 93)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pytest-pass.txt", "91 passed, 1 skipped, 1 xfailed", "95 passed"),
        ("pytest-pass.txt", "collected 93 items", "collected 94 items"),
        ("pytest-pass.txt", "................................sx", "..............................FFsx"),
        ("pytest-pass-v.txt", "test_good.py::test_a PASSED", "test_good.py::test_a FAILED"),
        ("unittest-pass.txt", "..s", ".....s"),
        ("unittest-pass.txt", "..s", ".Fs"),
        ("jest-pass.txt", "2 passed, 4 total", "3 passed, 4 total"),
        ("node-pass-tap.txt", "# tests 4", "# tests 5"),
        ("node-pass-spec.txt", "✔ one", "✖ one"),
        ("cargo-test-pass.txt", "running 1 test\n", "running 7 tests\n"),
        ("mypy-pass.txt", "Success", "a.py:1: error: Bad  [misc]\nSuccess"),
        ("ruff-pass.txt", "All", "a.py:1:8: F401 `os` imported but unused\nAll"),
    ],
)
def test_figures_that_do_not_go_together_are_contradictory(name: str, old: str, new: str) -> None:
    text = read(name).decode()
    assert old in text
    claim = L if name.startswith(("mypy", "ruff")) else T

    assert passed(claim, text.replace(old, new).encode()).reason is Reason.CONTRADICTORY


def test_the_end_of_a_long_quiet_run_is_not_the_run() -> None:
    """`pytest -q | tail` shows a summary of tests that the log does not show."""
    tail = read("pytest-pass-q.txt").decode().splitlines()[-2:]

    assert passed(T, "\n".join(tail).encode()).reason is Reason.TRUNCATED


def test_missed_coverage_fails_a_green_run() -> None:
    pytest_log = read("pytest-pass.txt") + b"FAIL Required test coverage of 90% not reached. Total: 80%\n"
    jest_log = read("jest-pass.txt").replace(
        b"\nTest Suites", b'Jest: "global" coverage threshold for lines (80%) not met: 12%\nTest Suites'
    )

    for log in (pytest_log, jest_log):
        assert not passed(T, log).ok
        assert judge(T, LogStatus.FAILED, log).ok


# --- how logs come ---


def test_words_of_failure_in_the_names_of_good_tests_do_not_count() -> None:
    names = ("exits with exit code 1 when the command failed", "FAILED is shown", "process timed out")
    jest = read("jest-pass-v.txt").decode().replace("adds (", " (").splitlines()
    at = next(n for n, line in enumerate(jest) if "✓" in line)
    jest[at:at] = [f"    ✓ {name} (1 ms)" for name in names]

    assert passed(T, "\n".join(jest).encode()).ok


def test_colours_carriage_returns_and_utf16_change_nothing() -> None:
    text = read("pytest-pass.txt").decode()

    assert passed(T, text.encode("utf-16")).ok
    assert passed(T, ("\ufeff" + text).encode()).ok
    assert passed(T, text.replace("\n", "\r\n").encode()).ok
    assert passed(T, ("collecting 10%\rcollecting 50%\r\x1b[2K" + text).encode()).ok


def test_what_was_overwritten_on_the_terminal_still_counts() -> None:
    assert not passed(T, b"FAILED tests/a.py::b\r" + read("pytest-pass.txt")).ok


def test_interleaved_packages_are_taken_apart() -> None:
    one = [f"web:test: {line}" for line in read("jest-pass.txt").decode().splitlines() if line]
    two = [f"api:test: {line}" for line in read("pytest-pass.txt").decode().splitlines() if line]
    mixed = [line for pair in zip(one, two, strict=False) for line in pair]
    mixed += one[len(two) :] + two[len(one) :]

    judged = passed(T, "\n".join(mixed).encode())

    assert judged.ok, judged.message
    assert judged.runner == "pytest, jest"


def test_a_compose_prefix_and_a_job_log_prefix_are_taken_off() -> None:
    lines = read("pytest-pass.txt").decode().splitlines()

    assert passed(T, "\n".join(f"tests-1  | {line}" for line in lines).encode()).ok
    stamped = [f"unit\tRun tests\t2024-05-01T12:00:00.0000000Z {line}" for line in lines]
    assert passed(T, "\n".join(stamped).encode()).ok


# --- reports ---


def test_a_report_settles_what_a_log_cannot() -> None:
    for log in (b"", b"12 examples, 0 failures\n", read("pytest-cut.txt"), read("node-dot.txt")):
        judged = passed(T, log, junit(GOOD_CASE))
        assert (judged.ok, judged.source, judged.counts.passed) == (True, "report", 1)


def test_a_report_does_not_stand_in_for_a_log_that_is_missing() -> None:
    assert passed(T, None, junit(GOOD_CASE)).reason is Reason.MISSING


def test_a_report_and_a_log_that_disagree_bear_nothing_out() -> None:
    for status in LogStatus:
        red = judge(T, status, read("pytest-pass.txt"), junit(GOOD_CASE + BAD_CASE))
        green = judge(T, status, read("pytest-fail.txt"), junit(GOOD_CASE))
        assert (red.reason, green.reason) == (Reason.CONTRADICTORY, Reason.CONTRADICTORY)
    assert (
        passed(T, b"Process completed with exit code 1.\n", junit(GOOD_CASE)).reason is Reason.CONTRADICTORY
    )


@pytest.mark.parametrize(
    "report",
    [
        f'<testsuites><testsuite tests="5">{GOOD_CASE}</testsuite></testsuites>',
        f'<testsuites tests="5"><testsuite tests="1">{GOOD_CASE}</testsuite></testsuites>',
        f'<testsuite tests="2" failures="2">{GOOD_CASE}{BAD_CASE}</testsuite>',
    ],
)
def test_a_report_whose_counts_are_not_those_of_its_cases_is_contradictory(report: str) -> None:
    assert passed(T, b"some runner\n", report.encode()).reason is Reason.CONTRADICTORY
    assert passed(T, report.encode()).reason is Reason.CONTRADICTORY


def test_subtests_that_pytest_counts_and_does_not_list_are_no_contradiction_beside_its_log() -> None:
    log = b".. [100%]\n2 passed, 3 subtests passed in 0.10s\n"
    report = f'<testsuite name="pytest" tests="5">{GOOD_CASE * 2}</testsuite>'.encode()

    judged = passed(T, log, report)

    assert judged.ok, judged.message


def test_a_report_of_other_figures_than_the_log_is_contradictory() -> None:
    log = b"... [100%]\n3 passed in 0.10s\n"

    assert passed(T, log, junit(GOOD_CASE)).reason is Reason.CONTRADICTORY
    assert passed(T, log, junit(GOOD_CASE * 4)).reason is Reason.CONTRADICTORY
    assert passed(T, log, junit(GOOD_CASE * 3)).ok


def test_a_report_may_be_of_one_of_the_runs_in_the_log() -> None:
    log = b"... [100%]\n3 passed in 0.10s\n. [100%]\n1 passed in 0.10s\n"

    for count in (1, 3, 4):
        assert passed(T, log, junit(GOOD_CASE * count)).ok
    assert not passed(T, log, junit(GOOD_CASE * 2)).ok


def test_packages_of_go_are_not_compared_with_the_tests_of_a_report() -> None:
    assert passed(T, read("go-test-pass.txt"), junit(GOOD_CASE * 7)).ok


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ('status="failed"', (2, 1, 1, 0, 0)),
        ('result="failed"', (2, 1, 1, 0, 0)),
        ('status="Error"', (2, 1, 0, 1, 0)),
    ],
)
def test_a_case_that_says_it_failed_has_failed(said: str, counts: tuple[int, ...]) -> None:
    report = junit(f'{GOOD_CASE}<testcase name="b" {said}/>')

    judged = passed(T, b"some runner\n", report)

    found = judged.counts
    assert judged.reason is Reason.FAILURE_MARKED
    assert (found.collected, found.passed, found.failed, found.errors, found.skipped) == counts
    assert judge(T, LogStatus.FAILED, b"some runner\n", report).ok


def test_two_cases_of_one_name_are_two() -> None:
    judged = passed(T, b"some runner\n", junit(GOOD_CASE * 2))

    assert (judged.ok, judged.counts.collected, judged.counts.passed) == (True, 2, 2)


def test_a_report_of_a_failure_bears_the_failure_out() -> None:
    judged = judge(T, LogStatus.FAILED, b"some runner\n", junit(GOOD_CASE + BAD_CASE))

    assert judged.ok
    assert passed(T, b"some runner\n", junit(GOOD_CASE + BAD_CASE)).reason is Reason.FAILURE_MARKED


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"<testsuites>",
        b"{",
        b"[1]",
        b"null",
        b'{"a": 1}',
        b"\xff\xfe",
        b"<!DOCTYPE x><testsuites/>",
        b"a\nb",
    ],
)
def test_a_report_that_cannot_be_read_is_a_no_whatever_the_log_says(report: bytes) -> None:
    for status in LogStatus:
        judged = judge(T, status, read("pytest-pass.txt"), report)
        assert (judged.ok, judged.reason, judged.source) == (False, Reason.NOT_READABLE, "report")


def test_a_test_report_shows_nothing_about_a_build() -> None:
    for claim in (B, L):
        assert passed(claim, read("vite-pass.txt"), junit(GOOD_CASE)).reason is Reason.WRONG_KIND


def test_json_whose_figures_do_not_go_together_is_contradictory() -> None:
    for name, changes in (
        ("jest-pass.json", {"numPassedTests": 7}),
        ("jest-pass.json", {"testResults": []}),
        ("jest-fail.json", {"success": True}),
        ("pytest-json-fail.json", {"exitcode": 0}),
    ):
        told = json.loads(read(name)) | changes
        assert passed(T, b"x", json.dumps(told).encode()).reason is Reason.CONTRADICTORY


# --- whatever comes ---

SEEDS = [read(name) for _, name in GREEN] + [read(p.name) for p in LOGS.glob("*.json")]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=2_000), st.sampled_from(SEEDS), st.integers(0, 10_000), st.sampled_from([*Claim]))
@example(b"\x1b]", SEEDS[0], 0, T)
def test_any_bytes_get_a_judgement(junk: bytes, seed: bytes, at: int, claim: Claim) -> None:
    for status in LogStatus:
        for log in (junk, seed[: at % (len(seed) + 1)] + junk + seed[at % (len(seed) + 1) :]):
            assert judge(claim, status, log).message
            assert judge(claim, status, seed, log).message


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(GREEN), st.sampled_from(MARKS), st.integers(0, 10_000))
def test_a_failure_mark_between_any_two_lines_is_never_green(
    which: tuple[Claim, str], mark: str, at: int
) -> None:
    lines = read(which[1]).decode().splitlines()
    lines.insert(at % (len(lines) + 1), mark)

    assert not green(which[0], [line + "\n" for line in lines])
