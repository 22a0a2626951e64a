"""A short question to a short program, without `subprocess`."""

import os
import sys
from pathlib import Path

import pytest

from signoff.host.processes.quick_process import answer_of

PATH = {"PATH": os.environ["PATH"]}


def test_what_a_program_reads_and_says_comes_through() -> None:
    """Both streams and the exit code decide about what git said."""
    code = "read word; echo got $word; echo wrong >&2; exit 3"
    assert answer_of(("sh", "-c", code), b"it\n", PATH, 10) == (3, b"got it\n", b"wrong\n")


def test_more_than_a_pipe_holds_on_both_streams_does_not_block() -> None:
    """A long warning of git must not stop its answer, nor the other way round."""
    code = "import sys; sys.stderr.write('e' * 300_000); sys.stdout.write('o' * 300_000)"
    said = answer_of((sys.executable, "-c", code), b"", PATH, 20)
    assert (said.exit_code, len(said.stdout), len(said.stderr)) == (0, 300_000, 300_000)


def test_a_program_that_does_not_listen_is_no_error_of_ours() -> None:
    """git may refuse before it reads what it is asked."""
    assert answer_of(("sh", "-c", "exec <&-; exit 128"), b"x\n" * 100, PATH, 10).exit_code == 128


def test_a_program_that_takes_too_long_is_killed() -> None:
    """A host must not wait for ever for a repository on a dead network drive."""
    assert answer_of(("sleep", "60"), b"", PATH, 0.1).exit_code < 0


def test_a_program_that_is_nowhere_is_not_found(tmp_path: Path) -> None:
    """The PATH of the passed environment counts, and a folder of that name is not a program."""
    (tmp_path / "git").mkdir()
    with pytest.raises(FileNotFoundError):
        answer_of(("git", "version"), b"", {"PATH": str(tmp_path)}, 10)


def test_nothing_is_left_open() -> None:
    """A handle that is left over would keep locks and pipes alive."""
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    answer_of(("true",), b"", PATH, 10)
    assert not before or len(os.listdir("/proc/self/fd")) == len(before)


def test_closed_standard_streams_are_no_obstacle() -> None:
    """Hosts close them, and the pipes then get the numbers of the standard streams."""
    code = (
        "import os; os.close(0); os.close(2)\n"
        "from signoff.host.processes.quick_process import answer_of\n"
        f"print(answer_of(('cat',), b'heard', {PATH!r}, 10))"
    )
    said = answer_of((sys.executable, "-c", code), b"", dict(os.environ), 20)
    assert said.stdout == b"ProgramAnswer(exit_code=0, stdout=b'heard', stderr=b'')\n"
