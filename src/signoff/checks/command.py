"""`command-exit`: a program of the project, run without a shell, and what all checks share that run one."""

import os
import shutil

from signoff.checks.base import (
    CheckJudgement,
    CheckTools,
    Escape,
    Ran,
    beneath,
    could_not_run,
    failed,
    inside,
    passed,
)
from signoff.checks.regex import RegexProblem, search_files
from signoff.domain.evidence.receipts import FailureReason
from signoff.domain.machine.process_records import Ending, ProcessRequest
from signoff.domain.work.checks import CommandExit

_TAIL_BYTES = 4096


def command_exit(bench: CheckTools, check: CommandExit) -> CheckJudgement:
    """Check that the program ends with the expected code and prints what it must print."""
    ran = launch(bench, (check.command, *check.args), check.timeout_ms / 1000, cwd=check.cwd)
    if isinstance(ran, CheckJudgement):
        return ran
    if ran.outcome.exit_code != check.expected_exit:
        return failed(f"exit code {ran.outcome.exit_code}, expected {check.expected_exit}", ran=ran)
    if check.expect_stdout_match is None:
        return passed(f"exit code {check.expected_exit}", ran)
    return _judge_output(bench, ran, check.expect_stdout_match)


def _judge_output(bench: CheckTools, ran: Ran, pattern: str) -> CheckJudgement:
    seen = search_files(bench, pattern, [bench.log(".out")], by_line=False)
    if isinstance(seen, RegexProblem):
        return could_not_run(seen.error, ran=ran)
    if seen.hits:
        return passed(f"exit code {ran.outcome.exit_code}, stdout matches {pattern!r}", ran)
    if ran.outcome.stdout.truncated:
        return could_not_run(f"stdout was too long to keep, and what was kept lacks {pattern!r}", ran=ran)
    return failed(f"stdout does not match {pattern!r}", ran=ran)


def launch(
    bench: CheckTools,
    argv: tuple[str, ...],
    timeout_s: float,
    *,
    cwd: str = ".",
    stale: tuple[str, ...] = (),
    writable: tuple[str, ...] = (),
) -> Ran | CheckJudgement:
    """Run a program in a folder of the tree, to its own end. Any other end is a judgement already.

    What the tree itself lacks (the folder, a program named by a path) is a fact about the work; what the
    machine lacks is not.
    """
    folder = inside(bench.order.folder, cwd)
    if isinstance(folder, Escape):
        return failed(folder.detail, FailureReason.FILE_NOT_FOUND)
    if not os.path.isdir(folder):
        return failed(f"there is no folder {cwd}", FailureReason.FILE_NOT_FOUND)
    if problem := cannot_begin(folder, argv):
        return problem
    return run_words(bench, words_of(bench, argv), timeout_s, cwd=cwd, stale=stale, writable=writable)


def words_of(bench: CheckTools, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words with the project's own interpreter in place of the bare word `python`."""
    return (bench.python, *argv[1:]) if bench.python and argv[0] in ("python", "python3") else argv


def run_words(
    bench: CheckTools,
    words: tuple[str, ...],
    timeout_s: float,
    *,
    cwd: str = ".",
    stale: tuple[str, ...] = (),
    writable: tuple[str, ...] = (),
) -> Ran | CheckJudgement:
    """Run words that are known to be usable."""
    folder = os.path.join(bench.order.folder, cwd) if cwd != "." else bench.order.folder
    outcome = bench.execute(
        ProcessRequest(
            argv=words,
            cwd=folder,
            env=bench.env,
            timeout_s=timeout_s,
            stdout_path=bench.log(".out"),
            stderr_path=bench.log(".err"),
            slip_path=bench.log(".slip"),
            sandbox=bench.box(*writable),
        ),
        stale,
    )
    ran = Ran(bench.launched.argv if bench.launched else words, cwd, outcome)
    if outcome.ending is Ending.EXITED:
        return ran
    detail = f"not finished after {timeout_s:g} s" if outcome.ending is Ending.TIMED_OUT else outcome.detail
    return could_not_run(detail or outcome.ending, ran=ran)


def cannot_begin(folder: str, argv: tuple[str, ...]) -> CheckJudgement | None:
    """Return what is wrong with a command before it is run, or None."""
    if not argv or not argv[0] or any("\0" in word for word in argv):
        return could_not_run("there is no such command")
    if "/" not in argv[0]:
        return None
    program = beneath(folder, argv[0])
    if isinstance(program, Escape):
        return failed(program.detail, FailureReason.FILE_NOT_FOUND)
    if not os.path.isfile(program):
        return failed(f"{argv[0]} is not in the tree", FailureReason.FILE_NOT_FOUND)
    if not os.access(program, os.X_OK):
        return failed(f"{argv[0]} is not executable", FailureReason.FILE_NOT_FOUND)
    return None


def not_on_this_machine(bench: CheckTools, argv: tuple[str, ...]) -> CheckJudgement | None:
    """Return why no change to the project could let this command begin, or None if one might.

    A program of the tree may be what the work is about; one that the machine lacks is not.
    """
    program = words_of(bench, argv)[0]
    if bench.is_recovery or not argv[0] or "\0" in program:
        return None
    if argv[0].startswith("/"):
        said = f"{argv[0]!r} is not a path inside the tree; a program of the machine goes by its name alone"
        return could_not_run(said, FailureReason.PRECONDITION_UNMET)
    if "/" not in program and shutil.which(program, path=bench.env.get("PATH", os.defpath)) is None:
        return could_not_run(f"{program} is not installed", FailureReason.DEPENDENCY_MISSING)
    return None


def missing_module(bench: CheckTools, argv: tuple[str, ...]) -> str:
    """Return the module that `python -m` did not find, or an empty text if it failed for another reason."""
    module = argv[argv.index("-m") + 1] if "-m" in argv[:-1] else ""
    return module if module and _last_words(bench).endswith(f"No module named {module}") else ""


def where_to_look(bench: CheckTools) -> str:
    """Name the files that hold the program's output. The name comes from the check, so it never changes."""
    name = os.path.basename(bench.order.logs)
    return f"see {name}.out and {name}.err"


def _last_words(bench: CheckTools) -> str:
    """Return the last line that is not empty of the program's stderr, or else of its stdout.

    Never for a `detail`: programs name folders, times and pids, and a journal is replayed byte for byte.
    """
    for suffix in (".err", ".out"):
        lines = _tail(bench.log(suffix)).split("\n")
        if said := [line for line in lines if line.strip()]:
            return said[-1].strip()
    return ""


def _tail(path: str) -> str:
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TAIL_BYTES))
        return file.read().decode(errors="replace")
