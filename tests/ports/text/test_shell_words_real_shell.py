"""Words of a command line are those that a real shell gives a program."""

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signoff.text.shell.shell_words import ShellProblem, ShellWord, split


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab '\"\\#-=.$", max_size=6), min_size=1, max_size=4).map(" ".join))
def test_words_are_the_ones_a_shell_would_give_a_program(line: str) -> None:
    """The real shell is the judge of what its syntax means."""
    found = split(f"printf %s\\\\n {line}")
    if isinstance(found, ShellProblem) or not all(isinstance(token, ShellWord) for token in found):
        return
    words = [token.text for token in found if isinstance(token, ShellWord)][2:]
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "".join(f"{word}\n" for word in words) or (not words and ran.stdout == "\n")
