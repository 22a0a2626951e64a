"""The journal checker starts without the slow imports."""

import subprocess
import sys
from pathlib import Path

import signoff


def test_the_checker_starts_without_the_slow_imports() -> None:
    source = str(Path(signoff.__file__).parents[1])
    script = (
        f"import sys; sys.path.insert(0, {source!r}); import signoff.judges.journal.journal_check; "
        "print(sorted({'typing', 'msgspec', 'dataclasses', 'inspect', 'subprocess'} & set(sys.modules)))"
    )

    loaded = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"
