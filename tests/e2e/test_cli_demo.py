"""The bundled demo, for real: pytest runs, an honest agent is signed off, a liar is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from clibench import Bench, Ran


@pytest.mark.slow
def test_the_demo_ends_signed_off_and_the_lie_refused(bench: Bench) -> None:
    kept = bench.root.parent / "shop"

    said = bench("demo", "--keep", kept, "--json")

    assert said.code == 0, said.err
    assert said.document["outcome"] == "signed-off"
    assert Path(said.document["certificate"]).is_relative_to(kept)
    assert Path(said.document["report"]).exists()
    assert said.document["lie"]["refused"] is True
    assert said.document["lie"]["why"]
    for number, step in enumerate(
        ("refine", "memory", "analyze", "plan", "implement", "test", "verify", "report"), start=1
    ):
        assert f"\n{number}. {step}\n" in said.err
    assert bench("report", said.document["run_id"], "--verify", "-C", kept).code == 0
    again = bench("demo", "--keep", kept, "--json")
    assert (again.code, again.document["error"]["slug"]) == (2, "keep-not-empty")


def test_without_pytest_the_demo_says_how_to_get_it(bench: Bench, tmp_path: Path) -> None:
    """Another interpreter is started in place of ours: one that has no pytest."""
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    start = "from signoff.__main__ import main; sys.exit(main(['demo', '--json']))"
    code = f"import sys; sys.executable = {str(bare)!r}; {start}"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(bare)
    env = {**bench.env, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}

    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)

    said = Ran(done.returncode, done.stdout, done.stderr)
    assert said.code == 5
    assert said.document["error"]["slug"] == "pytest-missing"
    assert "pip install 'signoff[demo]'" in said.err
