"""Completion scripts: what they offer is what the commands take."""

import shutil
import subprocess
from pathlib import Path

import pytest
from clibench import Bench

from signoff.commands import COMMANDS


def offered(bench: Bench, *words: str) -> list[str]:
    """Ask bash what it would offer for the last of these words."""
    script = bench("completion", "bash").out
    line = " ".join(f"'{word}'" for word in words)
    ask = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _signoff"
    ask += "; printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(
        ["bash", "--norc", "-c", ask], cwd=bench.root, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_every_command_is_offered(bench: Bench) -> None:
    """A command nobody is told of is a command nobody finds."""
    assert set(COMMANDS) <= set(offered(bench, "signoff", ""))


def test_the_options_and_words_of_a_command_are_offered(bench: Bench) -> None:
    """They come from the parser itself, so they cannot be old."""
    assert "--ticket-file" in offered(bench, "signoff", "work", "--ti")
    assert "integrity" in offered(bench, "signoff", "tests", "inte")


def test_runs_are_offered_where_a_run_is_meant(bench: Bench) -> None:
    """Nobody types twenty-six letters."""
    bench.start()
    assert offered(bench, "signoff", "status", "la") == ["latest"]
    (run,) = [each.name for each in (bench.root / ".signoff" / "runs").iterdir() if each.is_dir()]
    assert run in offered(bench, "signoff", "status", run[:4])


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_its_shell_can_read(bench: Bench, tmp_path: Path, shell: str) -> None:
    """A script with a mistake breaks every new terminal."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "script"
    path.write_text(bench("completion", shell).out)
    assert subprocess.run([shell, "-n", str(path)], check=False).returncode == 0


def test_another_shell_is_refused(bench: Bench) -> None:
    """Guessing would write a script into the wrong place."""
    assert bench("completion", "tcsh").code == 2
