"""What an agent's program sees of the person's environment, and where it is found."""

import os
import re
import shutil
from collections.abc import Mapping

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.machine.process_records import Ending, ProcessOutcome
from signoff.domain.machine.sandbox_records import Level

_ORDINARY = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM", "SSL_CERT_FILE")
_CREDENTIAL = re.compile(r"(?i)(?:^|_)(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)(?:_|$)")
_SHORTEST_SECRET = 8
"""Shorter values are words: replacing them would garble answers and hide nothing."""


def passed_on(env: Mapping[str, str], named: tuple[str, ...]) -> dict[str, str]:
    """Return a handful of ordinary variables and those that the settings name."""
    return {name: value for name, value in env.items() if _is_ordinary(name) or name in named}


def secrets_in(env: Mapping[str, str], named: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of named variables that are credentials by their name, to be kept out of the logs."""
    return tuple(
        value
        for name, value in env.items()
        if name in named and _CREDENTIAL.search(name) and len(value) >= _SHORTEST_SECRET
    )


def find_program(argv: tuple[str, ...], env: Mapping[str, str], setting: str) -> tuple[str, ...]:
    """Return the words to run, with the path of the program unless it is below the checkout.

    A missing program is reported before the run has cost anything.
    """
    program = argv[0]
    if "/" in program and not os.path.isabs(program):
        return argv
    path = env.get("PATH", "")
    found = shutil.which(program, path=path)
    if found is None:
        raise InfrastructureError(
            f"the agent {program} was not found",
            slug="agent-not-found",
            why="nothing there can be executed" if "/" in program else f"it is not on PATH ({path})",
            fix=f"install it, or correct [agent] {setting} and commit",
        )
    return (found, *argv[1:])


def held(outcome: ProcessOutcome) -> Level | None:
    """Return the confinement that held while the program ran, or None if it did not run at all."""
    return None if outcome.ending is Ending.NOT_STARTED else outcome.sandbox


def _is_ordinary(name: str) -> bool:
    return name in _ORDINARY or name.startswith("LC_")
