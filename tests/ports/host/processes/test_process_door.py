"""The process door, with real programs and real kills: what runs, what is kept, and that nothing is left."""

import contextlib
import hashlib
import itertools
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.host.processes import process_door, supervisor
from signoff.host.processes.process_door import HelperAnswer, ProcessDoor, StartedRecord, ask
from signoff.text import redaction

pytestmark = pytest.mark.slow

PATH = os.environ["PATH"]
SOURCES = str(Path(process_door.__file__).parents[3])
TOKEN = "ghp_" + "a1B2" * 9
NAPS = itertools.count()

# A grandchild in a session of its own, and a daemon whose parents are gone; both keep stdout open.
RUNAWAYS = """
import os, sys, time
nap = sys.argv[1]
if os.fork() == 0:
    os.setsid()
    os.execvp("sleep", ["sleep", nap])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", nap])
    os._exit(0)
time.sleep(0.15)
print("off they go", flush=True)
"""

# A driver of its own: one run per slip named on its command line, all at the same time.
DRIVER = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored if the tests run in the background
from signoff.domain.machine.process_records import ProcessRequest
from signoff.host.processes.process_door import ProcessDoor
import msgspec
door = ProcessDoor()
requests = [msgspec.json.decode(line, type=ProcessRequest) for line in sys.stdin]
threads = [threading.Thread(target=door.run, args=(each,)) for each in requests[1:]]
for thread in threads:
    thread.start()
try:
    door.run(requests[0])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


class Asking(Protocol):
    """Builds a request in this test's folder."""

    def __call__(self, *argv: str, name: str = "a", **changes: object) -> ProcessRequest: ...


@pytest.fixture
def asking(tmp_path: Path) -> Asking:
    def build(*argv: str, name: str = "a", **changes: object) -> ProcessRequest:
        plain = ProcessRequest(
            argv=argv,
            cwd=str(tmp_path),
            env={"PATH": PATH},
            timeout_s=20,
            stdout_path=str(tmp_path / f"{name}.out"),
            stderr_path=str(tmp_path / f"{name}.err"),
            slip_path=str(tmp_path / f"{name}.slip"),
            grace_s=0.2,
        )
        return msgspec.structs.replace(plain, **changes)

    return build


@pytest.fixture
def door() -> ProcessDoor:
    return ProcessDoor()


@pytest.fixture
def nap() -> Iterator[str]:
    """Return a number of seconds that no other process sleeps, by which sleepers of a test are found."""
    seconds = f"3{os.getpid()}.{next(NAPS)}1"
    yield seconds
    for pid in sleepers(seconds):
        os.kill(pid, signal.SIGKILL)


def sleepers(nap: str) -> list[int]:
    listing = subprocess.run(
        ["ps", "-axww", "-o", "pid=", "-o", "stat=", "-o", "args="], capture_output=True, check=True
    )
    lines = [line.split(maxsplit=2) for line in listing.stdout.decode(errors="replace").splitlines()]
    return [int(pid) for pid, state, args in lines if args == f"sleep {nap}" and state[0] != "Z"]


def until(condition: Callable[[], object], limit_s: float = 8) -> None:
    give_up = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < give_up, "it did not come about"
        time.sleep(0.02)


def read(path: str) -> bytes:
    return Path(path).read_bytes()


def started(request: ProcessRequest) -> StartedRecord:
    return msgspec.json.decode(read(request.slip_path + ".started"), type=StartedRecord)


def slip(request: ProcessRequest) -> ProcessOutcome:
    return msgspec.json.decode(read(request.slip_path), type=ProcessOutcome)


@contextlib.contextmanager
def in_background(door: ProcessDoor, request: ProcessRequest) -> Iterator[list[ProcessOutcome]]:
    """Run it in a thread. Its result is in the list when the block has ended."""
    outcomes: list[ProcessOutcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(door.run(request)))
    thread.start()
    yield outcomes
    thread.join(20)
    assert not thread.is_alive(), "run hangs"


@contextlib.contextmanager
def driver(*requests: ProcessRequest) -> Iterator[subprocess.Popen[bytes]]:
    """Another driver that runs these, and that the test may kill."""
    other = subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": PATH, "PYTHONPATH": SOURCES},
        start_new_session=True,
    )
    with other:
        assert other.stdin
        other.stdin.write(b"\n".join(msgspec.json.encode(each) for each in requests))
        other.stdin.close()
        try:
            yield other
        finally:
            other.kill()


class Half:
    """A driver that stops half-way: a supervisor, and a lifeline that ends when we say so."""

    def __init__(self, request: ProcessRequest) -> None:
        self._running = process_door._Supervisor()
        self._request = request
        self.pid = self._running.process.pid

    def children(self) -> list[int]:
        return [each.pid for each in supervisor.table().values() if each.parent == self.pid]

    def send_only(self, size: int | None) -> None:
        if size is None:
            os.kill(self.pid, signal.SIGSTOP)
            self._running.send(process_door._job(self._request))
        else:
            os.write(self._running._lifeline, (1000).to_bytes(8, "big") + b"x" * size)

    def close(self) -> None:
        os.close(self._running._lifeline)
        os.kill(self.pid, signal.SIGCONT)

    def ended(self) -> int:
        assert self._running.process.stderr
        with self._running.process.stderr:
            return self._running.process.wait(5)


def is_gone(mark: process_door.ProcessMark) -> bool:
    known = supervisor.process(mark.pid)
    return known is None or known.start != mark.start


# --- what a program gets, and what is kept of it ---


def test_what_run_returns_is_what_lies_on_disk(door: ProcessDoor, asking: Asking) -> None:
    request = asking("sh", "-c", "echo out; echo err >&2; exit 3")

    outcome = door.run(request)

    assert (outcome.ending, outcome.exit_code, outcome.detail) == (Ending.EXITED, 3, "")
    assert read(request.stdout_path) == b"out\n"
    assert read(request.stderr_path) == b"err\n"
    assert outcome.stdout.path == request.stdout_path
    assert outcome.stdout.digest == "sha256:" + hashlib.sha256(b"out\n").hexdigest()
    assert outcome.stdout.size == 4
    assert not outcome.stdout.truncated
    assert outcome.started_at <= outcome.ended_at
    assert slip(request) == outcome


def test_a_signal_that_ends_the_program_is_an_exit_code_of_its_own(door: ProcessDoor, asking: Asking) -> None:
    outcome = door.run(asking("sh", "-c", "kill -SEGV $$"))

    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 128 + signal.SIGSEGV)


def test_the_program_gets_exactly_the_environment_asked_for(door: ProcessDoor, asking: Asking) -> None:
    """Even where a value is not text, and nothing of ours is added."""
    request = asking("env", env={"PATH": PATH, "ODD": "a\udcffb", "SPACED": "ü x"})

    door.run(request)

    expected = {b"PATH=" + PATH.encode(), b"ODD=a\xffb", "SPACED=ü x".encode()}
    assert set(read(request.stdout_path).splitlines()) == expected


def test_the_program_inherits_no_files_and_no_ignored_signals(door: ProcessDoor, asking: Asking) -> None:
    """Python ignores SIGPIPE, and a program that inherits this complains instead of ending in silence."""
    request = asking("sh", "-c", "ls /proc/self/fd | wc -l; yes | head -n 1; grep SigIgn /proc/self/status")

    door.run(request)

    # ls has one more file open: the folder that it reads.
    files, said, _, ignored = read(request.stdout_path).split()
    assert (files, said) == (b"4", b"y")
    assert int(ignored, 16) & 1 << (signal.SIGPIPE - 1) == 0
    assert read(request.stderr_path) == b""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no other way to see them here")
def test_the_program_inherits_no_signal_that_the_drivers_parent_ignored(
    door: ProcessDoor, asking: Asking
) -> None:
    """A shell's `&` ignores SIGINT, nohup SIGHUP: a program that inherits this is deaf to the ladder."""
    request = asking("grep", "SigIgn", "/proc/self/status")
    numbers = (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGRTMIN + 3)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        door.run(request)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

    ignored = int(read(request.stdout_path).split()[1], 16)
    # What the C library keeps for itself (32, 33 on Linux) nobody can set, so it is nobody's fault.
    assert [number for number in signal.valid_signals() if ignored >> (number - 1) & 1] == []


def test_paths_may_hold_blanks_quotes_and_other_alphabets(
    door: ProcessDoor, asking: Asking, tmp_path: Path
) -> None:
    odd = tmp_path / 'Grüße "an\\alle" 世界\n🎉'
    odd.mkdir()
    request = asking(
        "pwd", cwd=str(odd), stdout_path=str(odd / "o ut"), slip_path=str(odd / "new" / "slips" / "s")
    )

    outcome = door.run(request)

    assert outcome.exit_code == 0
    assert outcome.stdout.path == request.stdout_path
    assert read(request.stdout_path).decode() == f"{odd}\n"
    assert slip(request) == outcome


def test_a_long_stdin_is_fed_while_the_output_is_read(door: ProcessDoor, asking: Asking) -> None:
    """It reads little at a time and writes four times as much, so waiting for either side would deadlock."""
    echo = "import os\nwhile bite := os.read(0, 4096): os.write(1, bite * 4)"
    body = bytes(range(256)) * 4_000
    request = asking(sys.executable, "-c", echo, stdin=body)

    outcome = door.run(request)

    assert outcome.ending is Ending.EXITED
    assert len(read(request.stdout_path)) == len(body * 4)


def test_a_program_that_does_not_read_its_stdin_ends_all_the_same(door: ProcessDoor, asking: Asking) -> None:
    assert door.run(asking("true", stdin=b"x" * 1_000_000)).exit_code == 0


def test_a_program_without_stdin_sees_its_end_at_once(door: ProcessDoor, asking: Asking) -> None:
    assert door.run(asking("cat", timeout_s=5)).ending is Ending.EXITED


def test_output_beyond_the_limit_is_dropped_and_the_program_goes_on(
    door: ProcessDoor, asking: Asking
) -> None:
    request = asking("sh", "-c", "yes | head -c 3000000; echo done >&2", output_limit=1000)

    outcome = door.run(request)

    kept = b"y\n" * 500
    assert read(request.stdout_path) == kept
    assert outcome.stdout.truncated
    assert outcome.stdout.size == 1000
    assert outcome.stdout.digest == "sha256:" + hashlib.sha256(kept).hexdigest()
    assert read(request.stderr_path) == b"done\n"
    assert not outcome.stderr.truncated


def test_output_of_exactly_the_limit_is_not_truncated(door: ProcessDoor, asking: Asking) -> None:
    outcome = door.run(asking("printf", "12345", output_limit=5))

    assert (outcome.stdout.size, outcome.stdout.truncated) == (5, False)


# --- secrets ---


def test_a_secret_that_arrives_in_two_pieces_is_redacted(door: ProcessDoor, asking: Asking) -> None:
    script = (
        f"printf 'a hun'; sleep 0.1; echo 'ter2 b'; printf {TOKEN[:20]}; sleep 0.1; echo {TOKEN[20:]} >&1"
    )
    request = asking("sh", "-c", script, secrets=("hunter2",))

    outcome = door.run(request)

    assert read(request.stdout_path) == b"a [redacted] b\n[redacted]\n"
    assert outcome.stdout.digest == "sha256:" + hashlib.sha256(read(request.stdout_path)).hexdigest()


def test_a_secret_on_stderr_or_cut_off_by_the_limit_is_redacted_too(
    door: ProcessDoor, asking: Asking
) -> None:
    script = f"echo x{TOKEN} >&2; echo 12345{TOKEN}"
    request = asking("sh", "-c", script, output_limit=10)

    door.run(request)

    assert read(request.stderr_path) == b"x[redacted"
    assert read(request.stdout_path) == b"12345[reda"


def test_harmless_output_is_on_disk_while_the_program_still_runs(door: ProcessDoor, asking: Asking) -> None:
    """What is held back for a secret to be completed is no more than what could become one."""
    request = asking("sh", "-c", "echo working on it; sleep 60", secrets=("a secret",))

    with in_background(door, request):
        until(lambda: Path(request.stdout_path).exists() and read(request.stdout_path))
        assert read(request.stdout_path) == b"working on it\n"
        door.stop_all()


PIECES = [TOKEN, "sk-", "sk-ant-" + "x" * 30, "hunter2", "hunter", "hunter2-long", " task-", "a" * 40, "eyJ"]
PIECES += ["-----BEGIN", "-----BEGIN " + "RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "x" * 300]
PIECES += ["eyJ" + "a" * 12 + ".eyJ" + "b" * 12 + "." + "c" * 30, "AKIA" + "Q" * 16, r"\n", "\n", "2", "ü"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@settings(deadline=None)
@example("task-" + "0123456789abcdef" * 2, [1])
@given(TEXTS, st.lists(st.integers(1, 60), min_size=1, max_size=40))
def test_redacting_piece_by_piece_equals_redacting_the_whole(text: str, sizes: list[int]) -> None:
    known = ("hunter2", "hunter2-long", "ü\n")
    data, out = text.encode(), b""
    redactor = supervisor.Redactor(process_door._job(request_with(known)))

    for size in itertools.cycle(sizes):
        if not data:
            break
        out += redactor.feed(data[:size])
        data = data[size:]
    out += redactor.finish()

    assert out == redaction.redact(text.encode(), known)


def request_with(known: tuple[str, ...]) -> ProcessRequest:
    return ProcessRequest(
        argv=(), cwd="", env={}, timeout_s=1, stdout_path="", stderr_path="", slip_path="", secrets=known
    )


# --- what cannot start ---


@pytest.mark.parametrize(
    ("argv", "folder", "said"),
    [
        (("no-such-program",), ".", "No such file or directory: no-such-program"),
        (("./plain.txt",), ".", "Permission denied: ./plain.txt"),
        (("true",), "/no/such/folder", "No such file or directory: /no/such/folder"),
        (("true", "a\0b"), ".", "Invalid argument: true"),
        ((), ".", "Invalid argument: "),
    ],
)
def test_a_program_that_cannot_be_executed_is_named(
    argv: tuple[str, ...], folder: str, said: str, door: ProcessDoor, asking: Asking, tmp_path: Path
) -> None:
    (tmp_path / "plain.txt").write_text("no program")
    request = asking(*argv, cwd=str(tmp_path / folder))

    outcome = door.run(request)

    assert (outcome.ending, outcome.exit_code, outcome.detail) == (Ending.NOT_STARTED, None, said)
    assert slip(request) == outcome


# --- time-outs, stops, and what they leave ---


def test_a_program_that_takes_too_long_is_interrupted_and_may_clean_up(
    door: ProcessDoor, asking: Asking
) -> None:
    request = asking("sh", "-c", "trap 'echo bye; exit 0' INT; while :; do sleep 0.02; done", timeout_s=0.8)

    outcome = door.run(request)

    assert (outcome.ending, outcome.exit_code) == (Ending.TIMED_OUT, None)
    assert read(request.stdout_path) == b"bye\n"


def test_a_program_that_will_not_listen_is_terminated_then_killed(door: ProcessDoor, asking: Asking) -> None:
    script = "trap 'echo int' INT; trap 'echo term' TERM; while :; do sleep 0.02; done"
    request = asking("sh", "-c", script, timeout_s=0.8)

    outcome = door.run(request)

    assert outcome.ending is Ending.TIMED_OUT
    assert read(request.stdout_path) == b"int\nterm\n"
    assert 1150 <= outcome.duration_ms < 6000


def test_the_rest_of_the_group_has_time_to_clean_up_as_well(door: ProcessDoor, asking: Asking) -> None:
    """The leader dies of INT at once, while its helper (a shell's `&` ignores INT) listens to TERM."""
    helper = "trap 'sleep 0.1; echo tidy; exit' TERM; while :; do sleep 0.02; done"
    request = asking("sh", "-c", f'sh -c "{helper}" & wait', timeout_s=0.8, grace_s=0.4)

    door.run(request)

    assert read(request.stdout_path) == b"tidy\n"


@pytest.mark.parametrize("ends_itself", [True, False])
def test_no_descendant_survives_not_even_a_daemon(
    ends_itself: bool, door: ProcessDoor, asking: Asking, nap: str
) -> None:
    """They left the session, one has no parent any more, and both hold the program's stdout open."""
    script = RUNAWAYS + ("" if ends_itself else "time.sleep(60)")
    began = time.monotonic()
    request = asking(sys.executable, "-c", script, nap, timeout_s=20 if ends_itself else 1.5)

    outcome = door.run(request)

    assert outcome.ending is (Ending.EXITED if ends_itself else Ending.TIMED_OUT)
    assert read(request.stdout_path) == b"off they go\n"
    assert sleepers(nap) == []
    assert time.monotonic() - began < supervisor.SWEEP_S


def test_without_adoption_the_family_tree_is_followed(
    door: ProcessDoor, asking: Asking, nap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS, which has neither /proc nor subreapers."""
    script = tmp_path / "supervisor.py"
    source = Path(supervisor.__file__).read_text()
    for present, absent in ((".prctl(", ".no_prctl("), ('os.path.exists("/proc/self/stat")', "False")):
        assert source.count(present) == 1
        source = source.replace(present, absent)
    script.write_text(source)
    monkeypatch.setattr(process_door, "_script", lambda: str(script))

    outcome = door.run(asking("sh", "-c", f"setsid sleep {nap} & sleep {nap}", timeout_s=1.0))
    began = time.monotonic()
    leftover = door.run(asking("sh", "-c", f"sleep {nap} & exit 4"))

    assert time.monotonic() - began < supervisor.SWEEP_S
    assert outcome.ending is Ending.TIMED_OUT
    assert leftover.exit_code == 4
    assert sleepers(nap) == []


def test_ps_and_proc_tell_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = supervisor.process(os.getpid())
    monkeypatch.setattr(supervisor, "_has_proc", lambda: False)
    by_ps = supervisor.process(os.getpid())

    assert mine
    assert by_ps
    assert (by_ps.parent, by_ps.group) == (mine.parent, mine.group)
    assert 0 <= time.time() - by_ps.start + 1 < 24 * 3600
    assert os.getppid() in supervisor.table()


def test_stop_all_from_another_thread_stops_what_runs_and_starts_nothing_more(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    running, late = asking("sleep", nap), asking("touch", "trace", name="late")

    with in_background(door, running) as outcomes:
        until(lambda: sleepers(nap))
        door.stop_all()
        door.stop_all()

    Path(late.slip_path).write_bytes(b"an earlier attempt's")
    refused = door.run(late)
    assert read(late.slip_path) == b"an earlier attempt's"
    Path(late.slip_path).unlink()
    assert [each.ending for each in outcomes] == [Ending.STOPPED]
    assert slip(running).ending is Ending.STOPPED
    assert sleepers(nap) == []
    assert refused.ending is Ending.STOPPED
    assert not Path(late.cwd, "trace").exists()
    assert not door.was_started(late.slip_path)
    assert door.recover(late.slip_path) is None


def test_many_programs_at_once_keep_apart(door: ProcessDoor, asking: Asking) -> None:
    requests = [asking("sh", "-c", f"sleep 0.1; echo {n}; exit {n}", name=str(n)) for n in range(16)]

    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(door.run, requests))

    assert [each.exit_code for each in outcomes] == list(range(16))
    assert [read(each.stdout_path) for each in requests] == [b"%d\n" % n for n in range(16)]
    assert door._live == set()


def test_a_terminal_interrupt_does_not_reach_supervisor_or_program(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    """Ctrl-C goes to the foreground group of the session, and both live in sessions of their own."""
    request = asking("sleep", nap)

    with in_background(door, request):
        until(lambda: sleepers(nap))
        record = started(request)
        assert record.child
        sessions = {os.getsid(0), os.getsid(record.supervisor.pid), os.getsid(record.child.pid)}
        door.stop_all()

    assert len(sessions) == 3


# --- when a supervisor dies ---


def test_a_killed_supervisor_gives_a_named_outcome_and_its_program_is_ended(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    request = asking("sh", "-c", f"echo said; setsid sleep {nap} & sleep {nap}; true")

    with in_background(door, request) as outcomes:
        until(lambda: len(sleepers(nap)) == 2)
        os.kill(started(request).supervisor.pid, signal.SIGKILL)

    (outcome,) = outcomes
    assert (outcome.ending, outcome.exit_code) == (Ending.DRIVER_DIED, None)
    assert "supervisor ended without a slip (-9)" in outcome.detail
    assert outcome.stdout.size == len(read(request.stdout_path)) > 0
    assert slip(request) == outcome
    assert sleepers(nap) == []


def test_a_supervisor_killed_after_its_program_left_a_group_behind(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    """The group is ended although its leader, by whom it would be known, is gone."""
    request = asking("sh", "-c", f"trap '' INT TERM; sleep {nap} & exec sleep 0.4", grace_s=5)

    with in_background(door, request) as outcomes:
        until(lambda: sleepers(nap))
        record = started(request)
        assert record.child
        os.kill(record.supervisor.pid, signal.SIGSTOP)
        child = record.child
        until(lambda: is_gone(child))
        os.kill(record.supervisor.pid, signal.SIGKILL)

    assert [each.ending for each in outcomes] == [Ending.DRIVER_DIED]
    assert sleepers(nap) == []


def test_a_supervisor_that_hangs_is_given_up(
    door: ProcessDoor, asking: Asking, nap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_door, "SLACK_S", 0.1)
    monkeypatch.setattr(process_door, "HURRY_S", 0.1)
    request = asking("sleep", nap, timeout_s=1)

    with in_background(door, request) as outcomes:
        until(lambda: sleepers(nap))
        os.kill(started(request).supervisor.pid, signal.SIGSTOP)

    assert [(each.ending, each.detail) for each in outcomes] == [
        (Ending.DRIVER_DIED, "the supervisor was stuck")
    ]
    assert sleepers(nap) == []
    assert is_gone(started(request).supervisor)


def test_a_supervisor_that_never_reads_its_job_is_given_up_too(
    door: ProcessDoor, asking: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job is larger than a pipe holds, so that not even handing it over comes to an end."""
    monkeypatch.setattr(process_door, "SLACK_S", 0.1)
    (tmp_path / "stuck.py").write_text("import time; time.sleep(600)")
    monkeypatch.setattr(process_door, "_script", lambda: str(tmp_path / "stuck.py"))
    request = asking("true", stdin=b"x" * 1_000_000, timeout_s=0.1)

    with in_background(door, request) as outcomes:
        pass

    assert [each.detail for each in outcomes] == ["the supervisor was stuck"]
    assert is_gone(started(request).supervisor)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="no other way to fill the disk here")
def test_a_supervisor_that_cannot_write_ends_the_program_and_says_why(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    script = RUNAWAYS + "sys.stdin.readline(); print('x' * 100, flush=True); time.sleep(60)"
    request = asking("sh", "-c", 'tail -f trigger | "$@"', "sh", sys.executable, "-c", script, nap)
    trigger = Path(request.cwd, "trigger")
    trigger.touch()

    with in_background(door, request) as outcomes:
        until(lambda: len(sleepers(nap)) == 2)
        resource.prlimit(started(request).supervisor.pid, resource.RLIMIT_FSIZE, (20, 20))
        trigger.write_text("now\n")

    (outcome,) = outcomes
    assert outcome.ending is Ending.DRIVER_DIED
    assert "File too large" in outcome.detail
    assert sleepers(nap) == []


def test_an_old_slip_is_not_taken_for_the_new_one(door: ProcessDoor, asking: Asking, nap: str) -> None:
    door.run(asking("true"))
    request = asking("sleep", nap)

    with in_background(door, request) as outcomes:
        until(lambda: sleepers(nap))
        os.kill(started(request).supervisor.pid, signal.SIGKILL)

    assert [each.ending for each in outcomes] == [Ending.DRIVER_DIED]


# --- when the driver dies ---


def test_a_killed_driver_leaves_no_process_but_a_slip(door: ProcessDoor, asking: Asking, nap: str) -> None:
    """Runaways included, within about two graces. The record of the start stays."""
    request = asking(sys.executable, "-c", RUNAWAYS + "time.sleep(60)", nap)

    with driver(request) as other:
        until(lambda: len(sleepers(nap)) == 2)
        other.kill()
        other.wait()
        killed_at = time.monotonic()
        until(lambda: not sleepers(nap) and Path(request.slip_path).exists())

    assert time.monotonic() - killed_at < 3
    assert slip(request).ending is Ending.DRIVER_DIED
    assert door.recover(request.slip_path) is None
    assert door.was_started(request.slip_path)
    assert is_gone(started(request).supervisor)


def test_no_lifeline_is_inherited_by_a_sibling(asking: Asking, nap: str) -> None:
    """If one supervisor held the writing end of another's, neither would ever notice the driver's death."""
    requests = [asking("sleep", nap, name=str(n)) for n in range(6)]

    with driver(*requests) as other:
        until(lambda: len(sleepers(nap)) == 6)
        other.kill()
        until(lambda: not sleepers(nap))
        until(lambda: all(Path(each.slip_path).exists() for each in requests))

    assert {slip(each).ending for each in requests} == {Ending.DRIVER_DIED}


def test_recover_does_not_wait_for_the_ladder(
    door: ProcessDoor, asking: Asking, nap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_door, "HURRY_S", 20)
    request = asking("sh", "-c", f"trap '' INT TERM; sleep {nap} & exec sleep {nap}", grace_s=30)

    with driver(request) as other:
        until(lambda: len(sleepers(nap)) == 2)
        other.kill()
        other.wait()
        began = time.monotonic()
        outcome = door.recover(request.slip_path)

    assert outcome is None
    assert sleepers(nap) == []
    assert time.monotonic() - began < 10


def test_recover_ends_the_program_of_a_supervisor_that_was_killed_too(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    script = f"trap '' INT TERM; setsid sleep {nap} & sleep {nap} & sleep {nap}; true"
    request = asking("sh", "-c", script)

    with driver(request) as other:
        until(lambda: len(sleepers(nap)) == 3)
        os.killpg(other.pid, signal.SIGSTOP)
        os.kill(started(request).supervisor.pid, signal.SIGKILL)
        other.kill()
        other.wait()
        assert len(sleepers(nap)) == 3
        outcome = door.recover(request.slip_path)

    assert outcome is None
    assert sleepers(nap) == []


def test_an_interrupted_driver_ends_its_program_before_it_goes_on(asking: Asking, nap: str) -> None:
    request = asking("sleep", nap)

    with driver(request) as other:
        until(lambda: sleepers(nap))
        os.kill(other.pid, signal.SIGINT)
        assert other.stdout
        said = other.stdout.readline()

    assert said == b"interrupted\n"
    assert sleepers(nap) == []


def test_recover_gives_the_slip_of_what_had_finished(door: ProcessDoor, asking: Asking) -> None:
    request = asking("sh", "-c", "exit 5")
    outcome = door.run(request)

    assert ProcessDoor().recover(request.slip_path) == outcome
    assert ProcessDoor().was_started(request.slip_path)


def test_recover_finds_nothing_where_nothing_was_started(door: ProcessDoor, tmp_path: Path) -> None:
    assert door.recover(str(tmp_path / "none")) is None
    assert not door.was_started(str(tmp_path / "none"))


def test_the_supervisor_is_named_on_disk_before_it_can_act(
    door: ProcessDoor, asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver that dies at this very moment has started no program, but has left something to end."""
    request = asking("touch", "trace")
    was_started: list[bool] = []

    def die_instead(running: process_door._Supervisor, job: object) -> None:
        was_started.append(ProcessDoor().was_started(request.slip_path))
        assert started(request).supervisor.pid == running.process.pid
        ProcessDoor().recover(request.slip_path)

    monkeypatch.setattr(process_door._Supervisor, "send", die_instead)
    outcome = door.run(request)

    assert was_started == [False]
    assert outcome.ending is Ending.DRIVER_DIED
    assert is_gone(started(request).supervisor)
    assert not Path(request.cwd, "trace").exists()


def test_a_program_that_ended_before_its_driver_died_has_ended_by_itself(
    door: ProcessDoor, asking: Asking, tmp_path: Path
) -> None:
    """The supervisor learns of both at once, and finished work is adopted instead of repeated."""
    request = asking("sh", "-c", "echo here; until [ -e trigger ]; do sleep 0.01; done; exit 6")

    with driver(request) as other:
        until(lambda: Path(request.stdout_path).exists() and read(request.stdout_path))
        record = started(request)
        os.kill(record.supervisor.pid, signal.SIGSTOP)
        (tmp_path / "trigger").touch()
        until(lambda: record.child and is_gone(record.child))
        other.kill()
        other.wait()
        os.kill(record.supervisor.pid, signal.SIGCONT)
        until(lambda: is_gone(record.supervisor))

    outcome = door.recover(request.slip_path)
    assert outcome
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 6)


def test_a_signal_that_follows_on_the_drivers_death_does_not_make_it_a_wish(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    request = asking("sleep", nap)

    with driver(request) as other:
        until(lambda: sleepers(nap))
        pid = started(request).supervisor.pid
        os.kill(pid, signal.SIGSTOP)
        other.kill()
        other.wait()
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGCONT)
        until(lambda: Path(request.slip_path).exists())

    assert slip(request).ending is Ending.DRIVER_DIED


def test_a_supervisor_that_is_told_to_terminate_stops_its_program(
    door: ProcessDoor, asking: Asking, nap: str
) -> None:
    request = asking("sh", "-c", f"trap '' INT TERM; sleep {nap} & exec sleep {nap}", grace_s=30)

    with in_background(door, request) as outcomes:
        until(lambda: len(sleepers(nap)) == 2)
        os.kill(started(request).supervisor.pid, signal.SIGTERM)

    assert [each.ending for each in outcomes] == [Ending.STOPPED]
    assert sleepers(nap) == []


def test_a_program_still_at_the_gate_goes_when_its_supervisor_is_killed(
    asking: Asking, tmp_path: Path
) -> None:
    """After the fork and before the record only the gate itself can end it."""
    request = asking("touch", "trace")
    os.mkfifo(request.slip_path + ".started.tmp")  # writing the record blocks for ever

    with contextlib.closing(Half(request)) as half:
        half.send_only(None)
        os.kill(half.pid, signal.SIGCONT)
        until(half.children)
        (child,) = half.children()
        os.kill(half.pid, signal.SIGKILL)
        until(lambda: supervisor.process(child) is None)

    assert half.ended() == -signal.SIGKILL
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(("later", "boot"), [(1, ""), (0, "another boot")])
def test_recover_spares_a_stranger_who_has_the_pid_now(
    later: int, boot: str, door: ProcessDoor, asking: Asking, nap: str
) -> None:
    """Same pid, but another start time or another boot: not ours to kill."""
    request = asking("true")
    with subprocess.Popen(["sleep", nap], start_new_session=True) as stranger:
        known = supervisor.process(stranger.pid)
        assert known
        mark = (stranger.pid, known.start + later)
        record = supervisor.started_text(boot or process_door.boot_id(), mark, mark)
        Path(request.slip_path + ".started").write_bytes(record)

        door.recover(request.slip_path)
        survived = stranger.poll() is None
        stranger.kill()

    assert survived


def test_a_driver_that_dies_while_it_sends_the_job_has_started_nothing(
    asking: Asking, tmp_path: Path
) -> None:
    with contextlib.closing(Half(asking("touch", "trace"))) as half:
        half.send_only(40)

    assert half.ended() == 0
    assert list(tmp_path.iterdir()) == []


def test_a_driver_that_dies_before_the_program_runs_has_started_nothing(
    asking: Asking, tmp_path: Path
) -> None:
    """The supervisor has the whole job, but looks for its driver once more before it opens the gate."""
    request = asking("touch", "trace")
    with contextlib.closing(Half(request)) as half:
        half.send_only(None)

    assert half.ended() == 0
    assert not (tmp_path / "trace").exists()
    assert slip(request).ending is Ending.DRIVER_DIED


def test_a_slip_that_cannot_be_read_is_an_error_not_an_absence(door: ProcessDoor, asking: Asking) -> None:
    request = asking("true")
    Path(request.slip_path).write_bytes(b'{"ending":')

    with pytest.raises(InfrastructureError) as caught:
        door.recover(request.slip_path)

    assert caught.value.slug == "slip-unreadable"


# --- helpers ---


def test_a_helper_answers_with_whatever_it_says(tmp_path: Path) -> None:
    script = "cat; echo oops >&2; pwd; exit 7"

    answer = ask(("sh", "-c", script), cwd=str(tmp_path), env={"PATH": PATH}, stdin=b"in ")

    assert answer == HelperAnswer(7, b"in " + os.fsencode(tmp_path) + b"\n", b"oops\n")


def test_a_helper_ended_by_a_signal_has_a_code_too(tmp_path: Path) -> None:
    assert ask(("sh", "-c", "kill -9 $$"), cwd=str(tmp_path), env={"PATH": PATH}).exit_code == 137


@pytest.mark.parametrize(("tool", "folder"), [("no-such-tool", "."), ("true", "no-such-folder")])
def test_a_missing_helper_is_something_a_person_can_put_right(tool: str, folder: str, tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError) as caught:
        ask((tool,), cwd=str(tmp_path / folder), env={"PATH": PATH})

    assert caught.value.slug == "tool-missing"
    assert "no-such" in caught.value.why


def test_a_helper_that_does_not_answer_is_ended_with_its_children(tmp_path: Path, nap: str) -> None:
    with pytest.raises(InfrastructureError) as caught:
        ask(("sh", "-c", f"sleep {nap} & sleep {nap}"), cwd=str(tmp_path), env={"PATH": PATH}, timeout_s=0.3)

    assert caught.value.slug == "tool-timeout"
    until(lambda: not sleepers(nap))
