"""Run a check: which function runs which kind.

Each function is imported when a check of its kind is first run, so that a command that runs no check stays
fast.
"""

from typing import assert_never

from signoff.checks.base import CheckJudgement, CheckTools
from signoff.domain.work.checks import (
    Behavioral,
    Check,
    CommandExit,
    DeclaredScope,
    DiffPredicate,
    FileExists,
    GrepMatch,
    ProtectedPaths,
    RedGreen,
    RunGate,
    RunTests,
    SecretScan,
    SomethingChanged,
    TestIntegrity,
)


def run(bench: CheckTools, check: Check) -> CheckJudgement:
    """Run one check and return what it concluded.

    The kinds that the engine compares by itself never get here: to ask for one is our bug.
    """
    match check:
        case FileExists():
            from signoff.checks.files import file_exists

            return file_exists(bench, check)
        case GrepMatch():
            from signoff.checks.files import grep_match

            return grep_match(bench, check)
        case CommandExit():
            from signoff.checks.command import command_exit

            return command_exit(bench, check)
        case Behavioral():
            from signoff.checks.behavioral import behavioral

            return behavioral(bench, check)
        case RunTests():
            from signoff.checks.tests import tests

            return tests(bench, check)
        case RunGate():
            from signoff.checks.gates import gate

            return gate(bench, check)
        case DiffPredicate():
            from signoff.checks.added_lines import added_lines

            return added_lines(bench, check)
        case (
            SomethingChanged()
            | DeclaredScope()
            | ProtectedPaths()
            | SecretScan()
            | TestIntegrity()
            | RedGreen()
        ):
            raise AssertionError(f"{type(check).__name__} is compared by the engine, not run")
        case _:
            assert_never(check)
