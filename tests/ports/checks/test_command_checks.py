"""`command-exit` and `gate` with real programs."""

import os
import sys
from pathlib import Path

import pytest
from checkbench import EXECUTION_ERROR, FAIL, PARTIAL, PASS, UNMET, Bench, WatchedDoor
from msgspec.structs import replace

from signoff.domain.evidence.receipts import FailureReason, Receipt
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.domain.work.checks import CommandExit, RunGate


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def command(*words: str, expect: int = 0, **more: object) -> CommandExit:
    check = CommandExit(command=words[0], args=words[1:], expected_exit=expect)
    return replace(check, **more)


def python(code: str, expect: int = 0, **more: object) -> CommandExit:
    return command("python", "-c", code, expect=expect, **more)


@pytest.mark.parametrize(
    ("code", "expected", "result"), [(0, 0, PASS), (3, 3, PASS), (1, 0, FAIL), (0, 1, FAIL)]
)
def test_the_exit_code_must_be_the_expected_one(bench: Bench, code: int, expected: int, result: str) -> None:
    seen = bench.see(python(f"raise SystemExit({code})", expected))

    assert (seen.result, seen.exit_code) == (result, code)
    assert seen.failure_reason is (UNMET if result == FAIL else None)


@pytest.mark.parametrize(
    ("printed", "pattern", "result"),
    [
        ("built 3 files", r"built \d+ files", PASS),
        ("built no files", r"built \d+ files", FAIL),
        ("a\nb", r"a\nb", PASS),
        ("ok", r"^ok$", PASS),
        ("ok", r"(", PARTIAL),
        ("", r"x", FAIL),
    ],
)
def test_what_is_printed_must_match_where_asked_for(
    bench: Bench, printed: str, pattern: str, result: str
) -> None:
    seen = bench.see(python(f"print({printed!r})", expect_stdout_match=pattern))

    assert seen.result == result


def test_a_right_text_does_not_make_up_for_a_wrong_code(bench: Bench) -> None:
    assert bench.see(python("print('ok'); raise SystemExit(1)", expect_stdout_match="ok")).result is FAIL


def test_output_that_was_cut_off_cannot_be_said_to_lack_anything(bench: Bench) -> None:
    def cut(request: ProcessRequest, outcome: ProcessOutcome) -> ProcessOutcome:
        return replace(outcome, stdout=replace(outcome.stdout, truncated=True))

    bench.door = WatchedDoor(bench.door, cut)

    assert bench.see(python("print('a')", expect_stdout_match="a")).result is PASS
    assert bench.see(python("print('a')", expect_stdout_match="b")).result is PARTIAL


def test_there_is_no_shell(bench: Bench) -> None:
    seen = bench.run(
        bench.order(command("echo", "$HOME", "&&", "false", expect_stdout_match=r"^\$HOME && false$"))
    )

    assert seen.receipt.observation.result is PASS


def test_a_program_of_the_tree_that_is_missing_is_a_fact_about_the_work(bench: Bench) -> None:
    seen = bench.see(command("scripts/check.sh"))

    assert (seen.result, seen.failure_reason) == (FAIL, FailureReason.FILE_NOT_FOUND)


def test_a_program_that_the_machine_lacks_says_nothing_about_the_work(bench: Bench) -> None:
    seen = bench.see(command("no-such-program-anywhere"))

    assert (seen.result, seen.failure_reason) == (PARTIAL, EXECUTION_ERROR)
    assert "No such file" in seen.detail


def test_a_program_of_the_tree_is_run_from_the_folder_asked_for(bench: Bench) -> None:
    bench.write("pkg/bin/check", "#!/bin/sh\npwd\n", executable=True)
    bench.write("pkg/bin/plain", "#!/bin/sh\n")

    seen = bench.run(bench.order(command("bin/check", cwd="pkg", expect_stdout_match="/pkg$")))

    assert seen.receipt.observation.result is PASS
    assert (seen.receipt.argv, seen.receipt.cwd) == (("bin/check",), "pkg")
    assert "not executable" in bench.see(command("pkg/bin/plain")).detail


@pytest.mark.parametrize(
    ("check", "result"),
    [
        (command("/bin/true"), FAIL),
        (command("../check"), FAIL),
        (command("true", cwd=".."), FAIL),
        (command("true", cwd="/tmp"), FAIL),
        (command("true", cwd="out"), FAIL),
        (command("true", cwd="gone"), FAIL),
        (command("true", "a\0b"), PARTIAL),
        (command(""), PARTIAL),
    ],
)
def test_nothing_outside_the_tree_is_used(bench: Bench, check: CommandExit, result: str) -> None:
    bench.write("../check", "#!/bin/sh\n", executable=True)
    (bench.folder / "out").symlink_to("..")

    seen = bench.see(check)

    assert seen.result == result
    assert seen.exit_code is None


def test_a_program_that_does_not_end_is_stopped_and_undecided(bench: Bench) -> None:
    seen = bench.see(python("import time; time.sleep(60)", timeout_ms=300))

    assert (seen.result, seen.failure_reason, seen.exit_code) == (PARTIAL, EXECUTION_ERROR, None)
    assert seen.detail == "not finished after 0.3 s"


def test_a_driver_that_saw_nothing_concludes_nothing(bench: Bench) -> None:
    bench.door = WatchedDoor(
        bench.door, lambda _, outcome: replace(outcome, ending=Ending.DRIVER_DIED, exit_code=None, detail="")
    )

    assert bench.see(python("pass")).result is PARTIAL


def test_the_bare_word_python_is_the_projects_interpreter(bench: Bench) -> None:
    bench.env["PATH"] = "/nowhere"
    code = "import sys; print(sys.executable)"

    for word in ("python", "python3"):
        receipt = bench.run(bench.order(command(word, "-c", code))).receipt
        assert receipt.observation.result is PASS
        assert receipt.argv == (sys.executable, "-c", code)

    bench.python = ""
    assert bench.see(command("python", "-c", code)).result is PARTIAL


def test_the_tree_is_first_on_the_path_and_nothing_else_is_inherited(bench: Bench) -> None:
    """An editable install of the person's working tree must not be tested in place of the tree."""
    bench.env["PYTHONPATH"] = "/installed"
    bench.write("src/x.py", "")
    code = "import os; print(*(f'{k}={v}' for k, v in sorted(os.environ.items())), sep='\\n')"
    os.environ["SIGNOFF_PLANTED"] = "1"
    try:
        bench.see(python(code))
    finally:
        del os.environ["SIGNOFF_PLANTED"]

    printed = dict(line.split("=", 1) for line in Path(bench.logs + ".out").read_text().splitlines())

    assert printed["PYTHONPATH"] == f"{bench.folder}/src:{bench.folder}:/installed"
    assert (printed["CI"], printed["PYTHONDONTWRITEBYTECODE"]) == ("true", "1")
    assert printed["HOME"] == bench.env["HOME"]
    assert "SIGNOFF_PLANTED" not in printed


# --- gates ---


def gate(bench: Bench, clause: str, *argv: str) -> Receipt:
    return bench.run(bench.order(RunGate(argv=argv), clause=clause)).receipt


def test_a_gate_passes_with_zero_and_fails_by_the_name_of_what_it_is(bench: Bench) -> None:
    fails = ("python", "-c", "raise SystemExit(2)")

    assert gate(bench, "gate/lint", "true").observation.result is PASS
    assert gate(bench, "gate/lint", *fails).observation.failure_reason is FailureReason.LINT_FAILED
    assert gate(bench, "gate/build", *fails).observation.failure_reason is FailureReason.BUILD_FAILED
    assert gate(bench, "gate/other", *fails).observation.failure_reason is UNMET
    assert gate(bench, "gate/build", *fails, "tsc").observation.failure_reason is FailureReason.TSC_FAILED


def test_what_a_failed_gate_said_is_in_its_log_and_not_in_the_journal(bench: Bench) -> None:
    """Programs name folders, times and pids: a replay would not be the same, byte for byte."""
    seen = gate(bench, "gate/lint", "sh", "-c", "echo $$ at $(pwd), $(date +%T.%N) >&2; exit 1")

    assert seen.observation.detail == "exit code 1; see check-1.out and check-1.err"
    assert str(bench.folder) in Path(bench.logs + ".err").read_text()


def test_no_detail_names_the_folder_of_a_tree_or_of_a_run(bench: Bench) -> None:
    """Where the system or another of our programs words the problem, the path is taken off."""

    def complains(request: ProcessRequest, outcome: ProcessOutcome) -> ProcessOutcome:
        detail = f"Permission denied: {request.cwd}; {request.cwd}/a; {request.stdout_path}"
        return replace(outcome, ending=Ending.NOT_STARTED, exit_code=None, detail=detail)

    bench.door = WatchedDoor(bench.door, complains)

    assert bench.see(command("true")).detail == "Permission denied: .; a; check-1.out"


def test_a_linter_that_is_not_installed_says_nothing_about_the_work(bench: Bench) -> None:
    seen = gate(bench, "gate/lint", "python", "-m", "no_such_linter", ".").observation

    assert (seen.result, seen.failure_reason) == (PARTIAL, FailureReason.DEPENDENCY_MISSING)


def test_a_gate_has_the_time_limit_of_the_order(bench: Bench) -> None:
    order = bench.order(RunGate(argv=("sleep", "60")), timeout_s=0.3)

    assert bench.run(order).receipt.observation.result is PARTIAL
