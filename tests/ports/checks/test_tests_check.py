"""`tests`: report and exit code together, with the real pytest and the real Node."""

import sys
from pathlib import Path

import pytest
from checkbench import EXECUTION_ERROR, FAIL, PARTIAL, PASS, Bench

from signoff.checks.base import Ran
from signoff.checks.report_options import TestRunner, recognise, reporting_argv
from signoff.checks.tests import judge_report
from signoff.domain.base.typed_ids import Digest
from signoff.domain.evidence.receipts import (
    CaseOutcome,
    Counts,
    FailureReason,
    ReportedTest,
    Result,
    TestReport,
)
from signoff.domain.machine.process_records import Ending, ProcessOutcome, Stream
from signoff.domain.ports import CheckSeen
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.work.checks import RunTests

PYTEST = ("python", "-m", "pytest")
TESTS_FAILED = FailureReason.TESTS_FAILED

OK = "def test_ok():\n    assert True\n"
BAD = "def test_bad():\n    assert False\n"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def order(bench: Bench, *select: str, command: tuple[str, ...] = PYTEST) -> CheckOrder:
    return bench.order(RunTests(select=select), test_command=command)


def ids(seen: CheckSeen) -> dict[str, str]:
    assert seen.report is not None
    return {case.id: str(case.outcome) for case in seen.report.cases}


# --- the truth table, without processes ---

GREEN = (("a::x", "passed"), ("a::y", "skipped"))
RED = (("a::x", "passed"), ("a::y", "failed"))
BROKEN = (("a::x", "passed"), ("a::y", "error"))
IDLE = (("a::x", "skipped"), ("a::y", "skipped"))


@pytest.mark.parametrize(
    ("code", "cases", "select", "result", "detail"),
    [
        (0, GREEN, (), PASS, "1 passed, 1 skipped"),
        (0, GREEN, ("a",), PASS, "1 passed"),
        (0, GREEN, ("a::x", "b"), FAIL, "no test was collected for b"),
        (0, (), (), FAIL, "no test was collected"),
        (5, (), (), FAIL, "no test was collected"),
        (5, GREEN, (), FAIL, "no test was collected"),
        (1, (), (), FAIL, "no test was collected"),
        (0, RED, (), FAIL, "disagree"),
        (0, BROKEN, (), FAIL, "disagree"),
        (1, RED, (), FAIL, "1 of 2 failed, first a::y"),
        (1, BROKEN, (), FAIL, "1 of 2 failed, first a::y"),
        (2, BROKEN, (), FAIL, "1 of 2 failed"),
        (3, RED, (), FAIL, "1 of 2 failed"),
        (4, RED, (), FAIL, "1 of 2 failed"),
        (1, GREEN, (), FAIL, "disagree"),
        (139, GREEN, (), FAIL, "disagree"),
        (0, IDLE, (), FAIL, "every one of 2 tests was skipped"),
    ],
)
def test_report_and_exit_code_must_agree(
    code: int, cases: tuple[tuple[str, str], ...], select: tuple[str, ...], result: str, detail: str
) -> None:
    report = TestReport(cases=tuple(ReportedTest(id=i, outcome=CaseOutcome(o)) for i, o in cases))

    judgement = judge_report(ended(code), report, select, is_pytest=True)

    assert judgement.result == result
    assert detail in judgement.detail
    assert judgement.reason is (TESTS_FAILED if result == FAIL else None)


def ended(code: int) -> Ran:
    stream = Stream(path="x", digest=Digest(""), size=0)
    outcome = ProcessOutcome(
        ending=Ending.EXITED,
        exit_code=code,
        started_at="",
        ended_at="",
        duration_ms=0,
        stdout=stream,
        stderr=stream,
    )
    return Ran(("pytest",), ".", outcome)


# --- pytest ---


def test_a_green_run_passes_with_its_counts_and_its_report(bench: Bench) -> None:
    bench.write("tests/test_a.py", OK + "import pytest\n@pytest.mark.skip\ndef test_left(): ...\n")

    seen = bench.run(order(bench))

    assert seen.receipt.observation.result is PASS
    assert seen.receipt.observation.counts == Counts(collected=2, passed=1, skipped=1)
    assert ids(seen) == {"tests.test_a::test_ok": "passed", "tests.test_a::test_left": "skipped"}
    assert seen.receipt.argv[:3] == (sys.executable, "-m", "pytest")
    assert f"--junitxml={bench.logs}.drop/report.xml" in seen.receipt.argv
    assert sorted(path.name for path in bench.folder.iterdir()) == ["tests"]


def test_a_module_that_cannot_be_imported_does_not_keep_the_others_out_of_the_report(bench: Bench) -> None:
    """Otherwise, on base+tests, one new module would hide whether the other new tests are red."""
    bench.write("setup.cfg", "[tool:pytest]\naddopts = -x\n")
    bench.write("tests/test_a.py", "import not_there\n")
    bench.write("tests/test_b.py", BAD + OK)

    seen = bench.run(order(bench))

    assert (seen.receipt.observation.result, seen.receipt.observation.failure_reason) == (FAIL, TESTS_FAILED)
    assert ids(seen) == {
        "::tests.test_a": "error",
        "tests.test_b::test_bad": "failed",
        "tests.test_b::test_ok": "passed",
    }


def test_nothing_collected_is_not_a_pass(bench: Bench) -> None:
    seen = bench.run(order(bench)).receipt.observation

    assert (seen.result, seen.detail, seen.exit_code) == (FAIL, "no test was collected", 5)


def test_a_run_that_talks_itself_green_is_found_out(bench: Bench) -> None:
    bench.write("tests/test_a.py", OK + BAD)
    bench.write("conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n")

    seen = bench.run(order(bench)).receipt.observation

    assert (seen.result, seen.exit_code) == (FAIL, 0)
    assert "disagree" in seen.detail


def test_a_run_that_leaves_before_its_report_is_written_is_undecided(bench: Bench) -> None:
    """The report of an earlier run must not speak for it."""
    bench.write("tests/test_a.py", OK)
    assert bench.run(order(bench)).receipt.observation.result is PASS
    bench.write("tests/test_a.py", "def test_ok():\n    import os; os._exit(0)\n")

    seen = bench.run(order(bench)).receipt.observation

    assert (seen.result, seen.failure_reason, seen.exit_code) == (PARTIAL, EXECUTION_ERROR, 0)


def test_a_selection_runs_what_it_names_and_no_more(bench: Bench) -> None:
    bench.write("tests/test_a.py", OK + BAD)
    bench.write("tests/test_b.py", BAD)

    seen = bench.run(order(bench, "tests/test_a.py::test_ok", command=(*PYTEST, "-q", "tests")))

    assert seen.receipt.observation.result is PASS
    assert ids(seen) == {"tests.test_a::test_ok": "passed"}


def test_a_selected_file_that_does_not_exist_is_a_fact_about_the_work(bench: Bench) -> None:
    bench.write("tests/test_a.py", OK)

    seen = bench.run(order(bench, "tests/test_a.py", "tests/test_new.py")).receipt.observation

    assert (seen.result, seen.failure_reason, seen.exit_code) == (FAIL, TESTS_FAILED, 4)


def test_a_selected_file_without_tests_is_not_covered_by_the_others(bench: Bench) -> None:
    bench.write("tests/test_a.py", OK)
    bench.write("tests/test_empty.py", "")

    seen = bench.run(order(bench, "tests/test_a.py", "tests/test_empty.py")).receipt.observation

    assert (seen.result, seen.detail) == (FAIL, "no test was collected for tests/test_empty.py")


@pytest.mark.parametrize("item", ["-k nothing", "--collect-only", "/etc", "../x", "", "a\0b"])
def test_a_selection_is_a_file_or_a_test_and_never_an_option(bench: Bench, item: str) -> None:
    assert bench.run(order(bench, item)).receipt.observation.result is PARTIAL


def test_a_conftest_that_cannot_be_imported_fails_and_says_where_to_look(bench: Bench) -> None:
    """What pytest says names the folder, which is another one in a replay."""
    bench.write("conftest.py", "import not_there\n")
    bench.write("test_a.py", OK)

    seen = bench.run(order(bench)).receipt.observation

    assert (seen.result, seen.failure_reason, seen.exit_code) == (FAIL, TESTS_FAILED, 4)
    assert seen.detail == "pytest could not begin, exit code 4; see check-1.out and check-1.err"
    assert "not_there" in Path(bench.logs + ".err").read_text()


def test_a_project_without_pytest_is_undecided(bench: Bench) -> None:
    bare = bench.write("../python", f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', executable=True)
    bench.python = str(bare.resolve())
    bench.write("test_a.py", OK)

    seen = bench.run(order(bench)).receipt.observation

    assert (seen.result, seen.failure_reason) == (PARTIAL, FailureReason.DEPENDENCY_MISSING)


def test_nothing_above_the_tree_has_a_say(bench: Bench) -> None:
    """The tree may be laid out below the person's own repository."""
    bench.folder.with_name("pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    bench.folder.with_name("conftest.py").write_text("raise RuntimeError\n")
    bench.write("pyproject.toml", "[project]\nname = 'x'\n")
    bench.write("tests/conftest.py", "import pytest\n@pytest.fixture\ndef one(): return 1\n")
    bench.write("tests/test_a.py", "def test_one(one):\n    assert one == 1\n")

    seen = bench.run(order(bench, "tests/test_a.py"))

    assert seen.receipt.observation.result is PASS
    assert ids(seen) == {"tests.test_a::test_one": "passed"}


def test_the_projects_own_options_about_the_cache_stay_known_options(bench: Bench) -> None:
    bench.write("pytest.ini", "[pytest]\naddopts = --strict-config --ff\ncache_dir = .x\n")
    bench.write("test_a.py", OK)

    assert bench.run(order(bench)).receipt.observation.result is PASS


def test_the_tree_is_tested_and_not_an_installed_copy(bench: Bench) -> None:
    installed = bench.folder.with_name("installed")
    installed.mkdir()
    (installed / "thing.py").write_text("VALUE = 'installed'\n")
    bench.env["PYTHONPATH"] = str(installed)
    bench.write("src/thing.py", "VALUE = 'tree'\n")
    bench.write("tests/test_a.py", "import thing\ndef test_it():\n    assert thing.VALUE == 'tree'\n")

    assert bench.run(order(bench)).receipt.observation.result is PASS


def test_a_finished_run_is_recovered_with_its_report_and_not_repeated(bench: Bench) -> None:
    bench.write("test_a.py", OK + "open('../runs', 'a').write('x')\n")
    seen = bench.run(order(bench))

    recovered = bench.runner().recover(order(bench))

    assert recovered == seen
    assert bench.folder.with_name("runs").read_text() == "x"

    Path(bench.logs + ".xml").write_bytes(b"<testsuites>")  # a power cut: the slip is durable, this is not
    assert bench.runner().recover(order(bench)) is None


def test_a_recovered_run_is_judged_in_the_folder_it_ran_in(bench: Bench, tmp_path: Path) -> None:
    """The tree has been laid out anew: neither the command nor the ids of the report may tell."""
    bench.write("test_a.py", OK)
    seen = bench.run(order(bench))
    absolute = (
        Path(bench.logs + ".xml").read_bytes().replace(b'"test_a"', f'"{bench.folder}/test_a"'.encode())
    )
    Path(bench.logs + ".xml").write_bytes(absolute)
    bench.folder = bench.folder.rename(tmp_path / "another")

    recovered = bench.runner().recover(order(bench))

    assert recovered == seen
    assert f"--rootdir={tmp_path / 'the trée'}" in seen.receipt.argv
    assert ids(seen) == {"test_a::test_ok": "passed"}


# --- secrets ---

SECRETS = ("sk-ant-api03-" + "Ab1_" * 8, "ghp_" + "a1B2" * 9)


def test_a_secret_in_a_runners_report_is_taken_out_of_the_file(bench: Bench) -> None:
    one, other = SECRETS
    bench.write(
        "test_a.py",
        f"import pytest\n@pytest.mark.parametrize('key', ['{one}'])\n"
        f"def test_key(key):\n    print('{other}')\n    assert key == '{other}'\n",
    )

    seen = bench.run(order(bench))
    report = Path(bench.logs + ".xml").read_text()

    assert ids(seen) == {"test_a::test_key[[redacted]]": "failed"}
    assert "[redacted]" in report
    assert not any(secret in report for secret in SECRETS)


def test_a_secret_in_a_report_is_taken_out_even_if_the_run_came_to_nothing(bench: Bench) -> None:
    bench.write(
        "test_a.py",
        "import os, signal, time\ndef test_slow():\n"
        "    signal.signal(signal.SIGINT, lambda *_: os._exit(1))\n"
        f"    with open({bench.logs + '.drop/report.xml'!r}, 'w') as file:\n"
        f"        file.write({SECRETS[0]!r})\n"
        "    time.sleep(60)\n",
    )

    seen = bench.run(bench.order(RunTests(), test_command=PYTEST, timeout_s=4))

    assert seen.receipt.observation.detail == "not finished after 4 s"
    assert Path(bench.logs + ".xml").read_text() == "[redacted]"


def test_a_key_that_begins_in_one_case_and_ends_in_another_hides_neither(bench: Bench) -> None:
    """Otherwise two lines of output would take a failure between them out of the report."""
    begin, end = (f"-----{word} PRIVATE KEY-----" for word in ("BEGIN", "END"))
    report = (
        f'<testsuite><testcase classname="a" name="x"><system-out>{begin}</system-out></testcase>'
        '<testcase classname="a" name="y"><failure/></testcase>'
        f'<testcase classname="a" name="z"><system-out>{SECRETS[1]} {end}</system-out></testcase></testsuite>'
    )

    seen = bench.run(other(bench, f"mkdir -p out && echo '{report}' > out/r.xml; exit 1"))

    assert ids(seen) == {"a::x": "passed", "a::y": "failed", "a::z": "passed"}
    kept = Path(bench.logs + ".xml").read_text()
    assert (begin in kept, SECRETS[1] in kept) == (False, False)


@pytest.mark.parametrize("report", [None, "r.xml"])
@pytest.mark.parametrize("words", [("no-such-runner",), ("no-such-runner", "run", "pytest")])
def test_a_program_that_the_machine_lacks_is_called_missing(
    bench: Bench, words: tuple[str, ...], report: str | None
) -> None:
    """To speak of its report would send a person looking in the wrong place."""
    seen = bench.run(bench.order(RunTests(), test_command=words, test_report=report)).receipt.observation

    assert seen.result is Result.PARTIAL
    assert seen.failure_reason is FailureReason.DEPENDENCY_MISSING
    assert seen.detail == "no-such-runner is not installed"


def test_a_program_named_by_an_absolute_path_is_refused_for_that(bench: Bench) -> None:
    """It could not be run wherever it left its report."""
    order = bench.order(RunTests(), test_command=("/usr/bin/env", "true"))
    seen = bench.run(order).receipt.observation

    assert seen.result is Result.PARTIAL
    assert seen.failure_reason is FailureReason.PRECONDITION_UNMET
    assert "'/usr/bin/env' is not a path inside the tree" in seen.detail


# --- runners we do not know ---

JUNIT = '<testsuites><testsuite tests="1"><testcase classname="a" name="x"/></testsuite></testsuites>'


def other(bench: Bench, script: str, *select: str, report: str | None = "out/r.xml") -> CheckOrder:
    bench.write("run.sh", f"#!/bin/sh\n{script}\n", executable=True)
    return bench.order(RunTests(select=select), test_command=("./run.sh",), test_report=report)


WRITES = f"mkdir -p out && echo '{JUNIT}' > out/r.xml"


def test_a_report_is_read_where_the_settings_say_it_is_left(bench: Bench) -> None:
    seen = bench.run(other(bench, WRITES))

    assert seen.receipt.observation.result is PASS
    assert ids(seen) == {"a::x": "passed"}


@pytest.mark.parametrize(
    ("script", "report", "detail"),
    [
        ("true", None, "gives no report we can read"),
        ("true", "out/r.xml", "no report was left"),
        ("exit 1", "out/r.xml", "no report was left"),
        ("mkdir -p out && echo '1 passed' > out/r.xml", "out/r.xml", "unparsable"),
        (WRITES, "../r.xml", "not a path inside the tree"),
    ],
)
def test_without_a_readable_report_nothing_is_guessed(
    bench: Bench, script: str, report: str | None, detail: str
) -> None:
    seen = bench.run(other(bench, script, report=report)).receipt.observation

    assert (seen.result, seen.failure_reason) == (PARTIAL, EXECUTION_ERROR)
    assert detail in seen.detail


def test_where_a_report_breaks_off_is_not_in_the_journal(bench: Bench) -> None:
    """It holds durations, so that the column is another one each time."""
    seen = bench.run(other(bench, "mkdir -p out && echo '<testsuite>' > out/r.xml")).receipt.observation

    assert seen.detail == "the report is unparsable"


def test_a_report_from_before_the_run_does_not_count(bench: Bench) -> None:
    bench.write("out/r.xml", JUNIT)

    assert bench.run(other(bench, "true")).receipt.observation.result is PARTIAL


def test_a_report_that_is_a_link_out_of_the_tree_does_not_count(bench: Bench) -> None:
    bench.folder.with_name("r.xml").write_text(JUNIT)
    script = "mkdir -p out && ln -s ../../r.xml out/r.xml"

    assert bench.run(other(bench, script)).receipt.observation.result is PARTIAL


def test_a_runner_we_do_not_know_cannot_be_narrowed(bench: Bench) -> None:
    assert bench.run(other(bench, WRITES, "tests/test_a.py")).receipt.observation.result is PARTIAL


def test_no_test_command_is_undecided(bench: Bench) -> None:
    assert bench.run(order(bench, command=())).receipt.observation.detail == "no test command is known"


def test_a_report_left_in_the_tree_is_kept_for_recovery(bench: Bench) -> None:
    """The tree is thrown away; a report that lies in the next copy of it is from nobody knows when."""
    made = other(bench, WRITES)
    seen = bench.run(made)
    (bench.folder / "out/r.xml").write_text("<testsuites/>")

    assert bench.runner().recover(made) == seen

    Path(made.logs + ".xml").unlink()
    assert bench.runner().recover(made) is None


# --- recognising runners ---


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", TestRunner.PYTEST),
        ("pytest -q tests", TestRunner.PYTEST),
        (".venv/bin/pytest", TestRunner.PYTEST),
        ("python -m pytest", TestRunner.PYTEST),
        ("python3.12 -m pytest -x", TestRunner.PYTEST),
        (".venv/bin/python -m pytest", TestRunner.PYTEST),
        ("uv run pytest", TestRunner.PYTEST),
        ("uv run --frozen --extra dev python -m pytest", TestRunner.PYTEST),
        ("poetry run pytest -q", TestRunner.PYTEST),
        ("coverage run -m pytest", TestRunner.PYTEST),
        ("python -m unittest", TestRunner.OTHER),
        ("npm run pytest", TestRunner.OTHER),
        ("make pytest", TestRunner.OTHER),
        ("node --test", TestRunner.NODE),
        ("node --import tsx --test test", TestRunner.NODE),
        ("node test.js", TestRunner.OTHER),
        ("npx --no-install vitest run", TestRunner.VITEST),
        ("node_modules/.bin/vitest run", TestRunner.VITEST),
        ("npm run --silent test", TestRunner.OTHER),
        ("", TestRunner.OTHER),
    ],
)
def test_a_runner_is_known_by_how_it_is_started(command: str, expected: TestRunner) -> None:
    assert recognise(tuple(command.split())) is expected


def test_vitest_is_told_where_to_report(tmp_path: Path) -> None:
    command = ("npx", "--no-install", "vitest", "run")

    argv = reporting_argv(TestRunner.VITEST, command, ("src/a.test.ts",), str(tmp_path), "/logs/x.xml")

    assert argv == (*command, "--reporter=junit", "--outputFile=/logs/x.xml", "src/a.test.ts")
