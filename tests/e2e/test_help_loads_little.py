"""What `signoff COMMAND --help` loads: the arguments of that command, and no records."""

import os
import subprocess
import sys

import pytest

from signoff.commands import COMMANDS

NEVER = ("msgspec", "signoff.domain", "signoff.engine", "signoff.judges", "signoff.runs", "signoff.wiring")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_loads_no_records(name: str) -> None:
    """One import at the top of the wrong module would make everyone who asks for help wait."""
    code = (
        "import sys; from signoff.cli.shared.command import run_command\n"
        "try: run_command(sys.argv[1], ['--help'])\n"
        "finally: print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run(
        (sys.executable, "-S", "-c", code, name),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.startswith(f"usage: signoff {name}")
    assert set(ran.stderr.split()) & {*NEVER} == set()
