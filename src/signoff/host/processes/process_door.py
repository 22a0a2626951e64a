"""The process door: every foreign program runs through here.

`ProcessDoor` runs what may misbehave (agents, checks) under a supervisor of its own, which outlives the
driver and leaves an outcome slip. `ask` is for short helpers that we trust, such as git. Both are safe to
call from many threads at once, and no lifeline is ever inherited by another program.

    ProcessDoor.run ──▶ supervisor (own session) ──▶ program (own session) ──▶ its descendants
         └── lifeline: a byte = stop, end = the driver died
"""

import contextlib
import functools
import hashlib
import importlib.util
import marshal
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import Digest
from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest, Stream
from signoff.domain.machine.sandbox_records import Level, SandboxOffer
from signoff.domain.run.confinement import Unavailable
from signoff.host.files.durable_files import read_if_there
from signoff.host.processes import sandbox_launch as sandbox
from signoff.host.processes import supervisor
from signoff.text import redaction

if TYPE_CHECKING:
    from signoff.host.processes.supervisor import SupervisorJob

_Kind = TypeVar("_Kind", bound=Record)

SLACK_S = 30.0
"""How much longer than its own time limits a supervisor may take before it counts as stuck."""
HURRY_S = 3.0
"""How long a supervisor may take to kill everything itself before we do it."""
KILL_S = 5.0
"""How long killed processes are waited for."""


class HelperAnswer(NamedTuple):
    """Exit code and output of a helper."""

    exit_code: int
    stdout: bytes
    stderr: bytes


class ProcessMark(Record, frozen=True):
    """A process, identified so that a later one with the same pid is not taken for it."""

    pid: int
    start: int


class StartedRecord(Record, frozen=True):
    """The `.started` record: the processes to end when their driver is gone."""

    boot: str
    supervisor: ProcessMark
    child: ProcessMark | None = None
    """Absent until the program is about to run."""
    sandbox: Level | None = None
    """The confinement it gets before it runs a line of its own."""


class ProcessDoor:
    """The `Processes` port on this machine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live: set[_Supervisor] = set()
        self._is_stopping = False

    def run(self, request: ProcessRequest) -> ProcessOutcome:
        """Run to the end under a supervisor. The outcome slip is on disk before this returns.

        Only after `stop_all` there is no slip, because nothing has run. `driver-died` with a detail means
        that the supervisor itself was killed, so nothing is known about the work. A sandbox that cannot be
        had is `not-started`: a program is never run with more rights than it was given.
        """
        with sandbox.boxed(request) as box:
            if isinstance(box, Unavailable):
                return _refuse(request, box.detail)
            return self._run(request, box)

    def offer(self) -> SandboxOffer:
        """Return the levels of confinement that work on this machine."""
        return sandbox.offer()

    def _run(self, request: ProcessRequest, box: sandbox.Boxed) -> ProcessOutcome:
        with self._lock:
            if self._is_stopping:
                return _unwitnessed(request, Ending.STOPPED, time.time())
            running = _Supervisor()
            self._live.add(running)
        try:
            return _follow(running, request, box)
        finally:
            running.close(request.grace_s * 2 + SLACK_S)
            with self._lock:
                self._live.discard(running)

    def recover(self, slip_path: str) -> ProcessOutcome | None:
        """End what an earlier driver left running for this slip, then return the slip or None.

        A slip that only says that the driver died counts as missing.
        """
        started = _read_started(slip_path)
        if started and started.boot == boot_id():
            _end_survivors(started, groups=set())
        outcome = _read_slip(slip_path)
        return None if outcome is None or outcome.ending is Ending.DRIVER_DIED else outcome

    def was_started(self, slip_path: str) -> bool:
        """Check whether an earlier driver got as far as starting the program."""
        started = _read_started(slip_path)
        return started is not None and started.child is not None

    def held(self, slip_path: str) -> Level | None:
        """Return the confinement of a program that was started but left no slip, or None if it is unknown."""
        started = _read_started(slip_path)
        return started.sandbox if started and started.child else None

    def stop_all(self) -> None:
        """Stop every program now running, and start no more. May be called from any thread."""
        with self._lock:
            self._is_stopping = True
            live = list(self._live)
        for running in live:
            running.stop()


def ask(
    argv: tuple[str, ...], *, cwd: str, env: dict[str, str], stdin: bytes = b"", timeout_s: float = 60
) -> HelperAnswer:
    """Run a short trusted helper without a supervisor. Any exit code is an answer.

    It has no terminal, so a git that would like to ask for a password fails instead of waiting.
    """
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise _missing(argv, error) from error
    with process:
        try:
            stdout, stderr = process.communicate(stdin, timeout_s)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise _late(argv, timeout_s) from None
            raise
    code = process.returncode
    return HelperAnswer(code if code >= 0 else 128 - code, stdout, stderr)


def _missing(argv: tuple[str, ...], error: OSError) -> InfrastructureError:
    return InfrastructureError(
        f"cannot run {argv[0]}",
        slug="tool-missing",
        why=str(error),
        fix="see that it is installed and on PATH, and that the folder it is to run in exists",
    )


def _late(argv: tuple[str, ...], timeout_s: float) -> InfrastructureError:
    return InfrastructureError(
        f"{argv[0]} did not answer",
        slug="tool-timeout",
        why=f"`{' '.join(argv)}` took longer than {timeout_s:g} s and was stopped",
        fix="run it by hand to see what it waits for",
    )


# --- one supervisor, from this side ---


class _Supervisor:
    """A supervisor that this driver started, and its lifeline."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        read_end, self._lifeline = os.pipe()  # neither end is inheritable: only fd 0 of ours gets one
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-X", f"utf8={sys.flags.utf8_mode}", _script()],
                stdin=read_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._lifeline)
            raise _missing((sys.executable,), error) from error
        finally:
            os.close(read_end)
        self._is_open = True

    def send(self, job: "SupervisorJob") -> None:
        """Send the job. If the supervisor is dead already, the missing slip will tell."""
        body = marshal.dumps(dict(job))
        view = memoryview(len(body).to_bytes(8, "big") + body)
        with self._lock, contextlib.suppress(BrokenPipeError):
            os.set_blocking(self._lifeline, False)
            room = select.poll()
            room.register(self._lifeline, select.POLLOUT)
            # A supervisor that never reads is stuck, and `wait` finds that.
            while view and room.poll(SLACK_S * 1000):
                view = view[os.write(self._lifeline, view) :]

    def stop(self) -> None:
        """Ask the supervisor to end its child, politely first."""
        with self._lock, contextlib.suppress(BrokenPipeError):
            if self._is_open:
                os.write(self._lifeline, b"\n")

    def wait(self, limit_s: float) -> bytes | None:
        """Wait for its end and return what it wrote to stderr, or None if it is stuck."""
        try:
            return self.process.communicate(timeout=limit_s)[1]
        except subprocess.TimeoutExpired:
            return None

    def close(self, limit_s: float) -> None:
        """Close the lifeline. A supervisor that still lives (we were interrupted) then ends its child."""
        with self._lock:
            self._is_open = False
            os.close(self._lifeline)
        if self.process.returncode is None:
            self.wait(limit_s)


@functools.cache
def _script() -> str:
    """Return the compiled script if Python keeps a fresh one, because compiling costs each start 10 ms."""
    source = os.path.abspath(supervisor.__file__)
    compiled = importlib.util.cache_from_source(source)
    with contextlib.suppress(FileNotFoundError):
        if os.stat(compiled).st_mtime >= os.stat(source).st_mtime:
            return compiled
    return source


def _prepare(request: ProcessRequest) -> None:
    for path in (request.stdout_path, request.stderr_path, request.slip_path):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(request.slip_path)  # an earlier attempt's: it must not be taken for this one's


def _follow(running: _Supervisor, request: ProcessRequest, box: sandbox.Boxed) -> ProcessOutcome:
    _prepare(request)
    began = time.time()
    known = supervisor.process(running.process.pid)
    mark = (running.process.pid, known.start if known else 0)
    # On disk before the supervisor can act, so that there is no moment at which a driver's death leaves
    # something running that cannot be found. It need not survive a power cut: nothing else does then.
    _replace(request.slip_path + ".started", supervisor.started_text(boot_id(), mark, None))
    running.send(_job(request, box))
    said = running.wait(min(request.timeout_s + 2 * request.grace_s + SLACK_S, 2_000_000))
    outcome = _read_slip(request.slip_path) if said is not None else None
    return outcome or _without_slip(running, request, began, said)


def _replace(path: str, data: bytes) -> None:
    with open(path + ".tmp", "wb") as file:
        file.write(data)
    os.rename(path + ".tmp", path)


def _job(request: ProcessRequest, box: sandbox.Boxed | None = None) -> "SupervisorJob":
    box = box or sandbox.Boxed(request.argv, request.env)
    rules = redaction.redaction(request.secrets)
    return {
        "argv": [os.fsencode(word) for word in box.argv],
        "cwd": os.fsencode(request.cwd),
        "env": {os.fsencode(name): os.fsencode(value) for name, value in box.env.items()},
        "stdin": request.stdin,
        "timeout_s": request.timeout_s,
        "idle_timeout_s": request.idle_timeout_s,
        "grace_s": request.grace_s,
        "output_limit": request.output_limit,
        "stdout": request.stdout_path,
        "stderr": request.stderr_path,
        "slip": request.slip_path,
        "boot": boot_id(),
        "pattern": rules.pattern,
        "openings": rules.openings,
        "context": rules.context,
        "mark": rules.mark,
        "box": box.box,
    }


def _without_slip(
    running: _Supervisor, request: ProcessRequest, began: float, said: bytes | None
) -> ProcessOutcome:
    """Clean up after a supervisor that was killed or is stuck, and write the slip in its place."""
    started = _read_started(request.slip_path)
    if started:
        # Its child cannot have given its pid to a stranger in the moment since the supervisor died.
        _end_survivors(started, groups={started.child.pid} if started.child else set())
    if said is None:
        detail = "the supervisor was stuck"
    else:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        detail = f"the supervisor ended without a slip ({running.process.returncode}) {last}".strip()
    outcome = _unwitnessed(request, Ending.DRIVER_DIED, began, detail)
    supervisor.write_durably(request.slip_path, msgspec.json.encode(outcome) + b"\n")
    return outcome


def _refuse(request: ProcessRequest, detail: str) -> ProcessOutcome:
    """Write the slip of a program that is not run at all."""
    _prepare(request)
    for path in (request.stdout_path, request.stderr_path):
        open(path, "wb").close()
    outcome = _unwitnessed(request, Ending.NOT_STARTED, time.time(), detail)
    supervisor.write_durably(request.slip_path, msgspec.json.encode(outcome) + b"\n")
    return outcome


def _unwitnessed(request: ProcessRequest, ending: Ending, began: float, detail: str = "") -> ProcessOutcome:
    now = time.time()
    return ProcessOutcome(
        ending=ending,
        exit_code=None,
        started_at=supervisor.stamp(began),
        ended_at=supervisor.stamp(now),
        duration_ms=max(0, round((now - began) * 1000)),
        stdout=_as_it_lies(request.stdout_path),
        stderr=_as_it_lies(request.stderr_path),
        detail=detail,
    )


def _as_it_lies(path: str) -> Stream:
    data = read_if_there(path) or b""
    return Stream(path=path, digest=Digest("sha256:" + hashlib.sha256(data).hexdigest()), size=len(data))


# --- after a driver's or a supervisor's death ---


@functools.cache
def boot_id() -> str:
    """Return an id that changes when the machine starts again: pids of an earlier boot mean nothing."""
    with contextlib.suppress(FileNotFoundError), open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()
    return ask(("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"), cwd="/", env={}).stdout.decode().strip()


def _end_survivors(started: StartedRecord, groups: set[int]) -> None:
    """End the supervisor, its child and their descendants, and no other process.

    A process counts when pid and start time are those of the record, or by descent from one that does.
    A process group counts when its leader does, or when the caller vouches for it in `groups`.
    """
    heads = [head for head in (started.supervisor, started.child) if head]
    groups = groups | {head.pid for head in heads if _is_alive(head)}
    # The supervisor sees more of its family than we can (it adopts orphans), and it writes the slip.
    _signal_exactly(started.supervisor, signal.SIGTERM)
    give_up = time.monotonic() + HURRY_S
    while _is_alive(started.supervisor) and time.monotonic() < give_up:
        time.sleep(0.01)
    left = _kill_family(heads, groups)
    if left:
        raise InfrastructureError(
            f"processes of an earlier run do not end: {', '.join(map(str, left))}",
            slug="survivors",
            why="they were sent SIGKILL, which the system has not carried out",
            fix="end them by hand (another user's may need sudo), then resume",
        )


def _kill_family(heads: list[ProcessMark], groups: set[int]) -> list[int]:
    """Kill until no process is left, and return the pids of those that do not die."""
    give_up = time.monotonic() + KILL_S
    while True:
        people = supervisor.table()
        roots = {head.pid for head in heads if head.pid in people and people[head.pid].start == head.start}
        found = supervisor.family(people, roots, groups)
        if not found or time.monotonic() > give_up:
            return [each.pid for each in found]
        for each in found:
            _signal_exactly(ProcessMark(pid=each.pid, start=each.start), signal.SIGKILL)
        time.sleep(0.01)


def _is_alive(mark: ProcessMark) -> bool:
    known = supervisor.process(mark.pid)
    return known is not None and known.start == mark.start


def _signal_exactly(mark: ProcessMark, number: signal.Signals) -> None:
    """Signal this process, and never another one that has taken over its pid meanwhile."""
    # Gone by now, or another user's: the caller that waits for its end sees that it is still there.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if _is_alive(mark):
            os.kill(mark.pid, number)


# --- the files ---


def _read_started(slip_path: str) -> StartedRecord | None:
    return _read(slip_path + ".started", StartedRecord)


def _read_slip(slip_path: str) -> ProcessOutcome | None:
    outcome = _read(slip_path, ProcessOutcome)
    return outcome and sandbox.as_it_was(outcome)


def _read(path: str, kind: type[_Kind]) -> _Kind | None:
    """Return the record in that file, or None if there is no file. Raise if it is broken."""
    data = read_if_there(path)
    try:
        return None if data is None else msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise InfrastructureError(
            f"cannot read {path}",
            slug="slip-unreadable",
            why=str(error),
            fix="it was changed by hand or by a failing disk; move it away to have the work done again",
        ) from error
