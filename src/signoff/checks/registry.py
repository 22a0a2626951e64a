"""Which check is carried out by what: names to import paths, loaded when first asked for."""

import functools
from importlib import import_module

from signoff.checks.base import CheckFunction
from signoff.domain.checks import Check

CHECKS: dict[str, str] = {
    "file-exists": "signoff.checks.files:file_exists",
    "grep-match": "signoff.checks.files:grep_match",
    "command-exit": "signoff.checks.command:command_exit",
    "behavioral": "signoff.checks.behavioral:behavioral",
    "tests": "signoff.checks.tests:tests",
    "gate": "signoff.checks.gates:gate",
    "diff-predicate": "signoff.checks.added_lines:added_lines",
}
"""Every kind of check that needs files or processes; the engine computes the others from what it has."""

PROCESS_CHECKS = frozenset({"command-exit", "tests", "gate"})
"""Those whose outcome slip an earlier driver may have left behind."""


def name_of(check: Check) -> str:
    """Give the type name a check is written with."""
    return str(check.__struct_config__.tag)


@functools.cache
def load(name: str) -> CheckFunction:
    """Give the function behind a name; a name that is not listed is our own mistake."""
    module, _, attribute = CHECKS[name].partition(":")
    function: CheckFunction = getattr(import_module(module), attribute)
    return function
