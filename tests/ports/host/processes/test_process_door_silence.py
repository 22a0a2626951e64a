"""A program that says nothing for too long: noticed in time, and nothing is left of it."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sleepers import a_nap, sleepers, until

from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.host.processes.process_door import ProcessDoor, StartedRecord

pytestmark = pytest.mark.slow

PATH = os.environ["PATH"]

# A grandchild in a session of its own, which holds the output open and says nothing either.
RUNAWAY = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    os.execvp("sleep", ["sleep", sys.argv[1]])
print("begun", flush=True)
time.sleep(60)
"""


@pytest.fixture
def nap() -> Iterator[str]:
    yield from a_nap()


def run(folder: Path, *argv: str, **changes: object) -> ProcessOutcome:
    plain = ProcessRequest(
        argv=argv,
        cwd=str(folder),
        env={"PATH": PATH},
        timeout_s=30,
        stdout_path=str(folder / "a.out"),
        stderr_path=str(folder / "a.err"),
        slip_path=str(folder / "a.slip"),
        grace_s=0.2,
    )
    outcome = ProcessDoor().run(msgspec.structs.replace(plain, **changes))
    assert msgspec.json.decode((folder / "a.slip").read_bytes(), type=ProcessOutcome) == outcome
    return outcome


def test_a_program_that_says_nothing_is_ended_in_time_and_the_slip_says_so(tmp_path: Path) -> None:
    """Without this a frozen agent holds its place until the whole time-out is over."""
    outcome = run(tmp_path, "sleep", "60", idle_timeout_s=0.5)

    assert (outcome.ending, outcome.exit_code) == (Ending.SILENT, None)
    assert 450 <= outcome.duration_ms < 5000


def test_the_silence_is_counted_from_the_last_word(tmp_path: Path) -> None:
    """What goes quiet after a while is frozen too."""
    began = time.monotonic()
    outcome = run(tmp_path, "sh", "-c", "sleep 0.6; echo hello; exec sleep 60", idle_timeout_s=0.9)

    assert outcome.ending is Ending.SILENT
    assert (tmp_path / "a.out").read_bytes() == b"hello\n"
    assert time.monotonic() - began >= 1.5


@pytest.mark.parametrize("stream", ["", " >&2"])
def test_a_word_on_either_output_is_enough(tmp_path: Path, stream: str) -> None:
    """An agent may think aloud on stderr for a long time."""
    script = f"for i in 1 2 3 4 5 6; do sleep 0.25; echo $i{stream}; done"

    outcome = run(tmp_path, "sh", "-c", script, idle_timeout_s=1)

    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


def test_a_program_that_is_done_before_it_was_silent_too_long_has_ended_by_itself(tmp_path: Path) -> None:
    outcome = run(tmp_path, "sh", "-c", "exit 3", idle_timeout_s=5)

    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 3)


def test_the_whole_family_is_gone_with_it(tmp_path: Path, nap: str) -> None:
    """Tools run in sessions of their own, and one that survives goes on writing into a checkout."""
    outcome = run(tmp_path, sys.executable, "-c", RUNAWAY, nap, idle_timeout_s=1)

    assert outcome.ending is Ending.SILENT
    assert (tmp_path / "a.out").read_bytes() == b"begun\n"
    assert sleepers(nap) == []


def test_a_stopped_program_is_killed_in_the_end(tmp_path: Path) -> None:
    """A process that was frozen from outside hears neither INT nor TERM."""
    outcome = run(tmp_path, "sh", "-c", "kill -STOP $$; echo awake", idle_timeout_s=0.5)

    assert outcome.ending is Ending.SILENT
    assert (tmp_path / "a.out").read_bytes() == b""


def test_a_silent_program_may_clean_up_and_its_last_words_are_kept(tmp_path: Path) -> None:
    """They do not make it a program that was not silent."""
    script = "trap 'echo bye; exit 0' INT; while :; do sleep 0.02; done"

    outcome = run(tmp_path, "sh", "-c", script, idle_timeout_s=0.8)

    assert outcome.ending is Ending.SILENT
    assert (tmp_path / "a.out").read_bytes() == b"bye\n"


def test_what_it_said_while_the_supervisor_slept_was_no_silence(tmp_path: Path) -> None:
    """A busy machine can keep a supervisor waiting, and its program is not to be ended for that."""
    script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo $i; sleep 0.15; done"
    outcomes: list[ProcessOutcome] = []
    thread = threading.Thread(
        target=lambda: outcomes.append(run(tmp_path, "sh", "-c", script, idle_timeout_s=1))
    )
    thread.start()
    until(lambda: (tmp_path / "a.out").exists() and (tmp_path / "a.out").read_bytes())
    started = msgspec.json.decode((tmp_path / "a.slip.started").read_bytes(), type=StartedRecord)

    os.kill(started.supervisor.pid, signal.SIGSTOP)
    time.sleep(1.3)
    os.kill(started.supervisor.pid, signal.SIGCONT)
    thread.join(30)

    assert [outcome.ending for outcome in outcomes] == [Ending.EXITED]


def test_the_time_out_comes_first_where_it_is_shorter(tmp_path: Path) -> None:
    outcome = run(tmp_path, "sleep", "60", timeout_s=0.5, idle_timeout_s=20)

    assert outcome.ending is Ending.TIMED_OUT
