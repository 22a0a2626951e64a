"""The judges of audit journals start without the slow imports."""

import subprocess
import sys
from pathlib import Path

import signoff


def test_the_judges_start_without_the_slow_imports() -> None:
    source = str(Path(signoff.__file__).parents[1])
    script = (
        f"import sys; sys.path.insert(0, {source!r}); "
        "import signoff.judges.journal.audit_order, signoff.judges.journal.cycle_events; "
        "import signoff.audits.bug_headings; "
        "print(sorted({'typing', 'msgspec', 'dataclasses', 'decimal', 'inspect'} & set(sys.modules)))"
    )

    loaded = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"
