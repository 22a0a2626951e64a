"""Run one foreign program to its end, and leave nothing of it behind.

A script of its own: the process door starts it with `python -I -S` in a session of its own, so that no
Ctrl-C at the terminal and no death of the driver ends it before it has ended its child. The driver sends
one `SupervisorJob` down the supervisor's stdin and keeps that pipe open as a *lifeline*: one more byte asks
for a stop, its end means that the driver is gone.

Standard library only, and little of that: `json`, `re` and `typing` would take longer to load than the
interpreter itself. One file for the same reason: there is no search path. `host.processes.process_door`
imports it as a module too, for the process table and the durable write. Nothing happens at import.
"""

import errno
import marshal
import os
import select
import signal
import time
from functools import partial

TYPE_CHECKING = False  # a type checker takes it for typing's, which is not to be loaded here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import NoReturn, TypedDict

    from signoff.host.processes.landlock import Rules

    class Box(TypedDict):
        """What the child applies to itself before it becomes the program."""

        level: str
        limits: list[tuple[int, int]]
        landlock: Rules | None
        code: str

    class SupervisorJob(TypedDict):
        """A process request as it goes down the pipe. Everything that the system sees is bytes."""

        argv: list[bytes]
        cwd: bytes
        env: dict[bytes, bytes]
        stdin: bytes
        timeout_s: float
        idle_timeout_s: float | None
        grace_s: float
        output_limit: int
        stdout: str
        stderr: str
        slip: str
        boot: str
        pattern: bytes
        openings: tuple[tuple[bytes, int], ...]
        context: int
        mark: bytes
        box: Box | None


LIFELINE = 0
CHUNK = 65_536
SWEEP_S = 5.0
"""How long to wait for processes that survive SIGKILL (asleep in the kernel, another user's)."""
DRAIN_S = 1.0
"""How long an output is still read when an unknown process holds its other end open."""


# --- the process table ---


class Process:
    """A live process, which its pid and start time identify until the next boot."""

    __slots__ = ("group", "parent", "pid", "session", "start")

    def __init__(self, pid: int, parent: int, group: int, session: int, start: int) -> None:
        self.pid = pid
        self.parent = parent
        self.group = group
        self.session = session
        self.start = start


def process(pid: int) -> Process | None:
    """Return the process of that pid, or None if there is none or only its zombie."""
    if not _has_proc():
        return _ps().get(pid)
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field is the program's name in brackets and may itself hold blanks and brackets.
    fields = text[text.rindex(b")") + 2 :].split()
    if fields[0] in (b"Z", b"X"):
        return None
    return Process(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def table() -> dict[int, Process]:
    """Return every live process by its pid."""
    if not _has_proc():
        return _ps()
    found = (process(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {each.pid: each for each in found if each}


def family(people: dict[int, Process], roots: set[int], groups: set[int]) -> list[Process]:
    """Return the processes in `roots`, those in a group or session of `groups`, and all their descendants."""
    children: dict[int, list[Process]] = {}
    for each in people.values():
        children.setdefault(each.parent, []).append(each)
    found: dict[int, Process] = {}
    queue = [p for p in people.values() if p.pid in roots or p.group in groups or p.session in groups]
    while queue:
        each = queue.pop()
        if each.pid not in found:
            found[each.pid] = each
            queue += children.get(each.pid, [])
    return list(found.values())


def _has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def _ps() -> dict[int, Process]:
    """Ask `ps` on a system without /proc (macOS). It knows no sessions, so the group stands in."""
    found = {}
    asked, output = _run_ps()
    for line in output.splitlines():
        pid, parent, group, state, *born = line.split()
        if not state.startswith(b"Z"):
            start = int(time.mktime(time.strptime(b" ".join(born).decode())))
            found[int(pid)] = Process(int(pid), int(parent), int(group), int(group), start)
    found.pop(asked, None)  # it has ended by now, and would look like a child of ours that has not
    return found


def _run_ps() -> tuple[int, bytes]:
    read_end, write_end = os.pipe()
    columns = [word for name in ("pid", "ppid", "pgid", "stat", "lstart") for word in ("-o", f"{name}=")]
    actions = [(os.POSIX_SPAWN_DUP2, write_end, 1)]
    pid = os.posix_spawn("/bin/ps", ["ps", "-ax", *columns], {"LC_ALL": "C"}, file_actions=actions)
    os.close(write_end)
    with open(read_end, "rb") as file:
        output = file.read()
    os.waitpid(pid, 0)
    return pid, output


# --- the files ---


def write_durably(path: str, data: bytes) -> None:
    """Write a file whole or not at all, so that it survives a power cut."""
    temporary = path + ".tmp"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    _write_all(file, data)
    os.fsync(file)
    os.close(file)
    os.rename(temporary, path)
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def started_text(
    boot: str, supervisor: tuple[int, int], child: tuple[int, int] | None, level: str = ""
) -> bytes:
    """Return the content of a `.started` record: the processes to end if this driver can no longer do it."""
    text = f'{{"boot":{_quoted(boot)},"supervisor":{_mark(supervisor)}'
    text += f',"child":{_mark(child)}' if child else ""
    text += f',"sandbox":{_quoted(level)}' if level else ""
    return (text + "}\n").encode()


def stamp(seconds: float) -> str:
    """Format a moment as ISO 8601, UTC, with milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03d}Z"


def _mark(who: tuple[int, int]) -> str:
    return f'{{"pid":{who[0]},"start":{who[1]}}}'


def _quoted(text: str) -> str:
    """Write a JSON string. Loading `json` for the few strings of a slip would cost 6 ms."""
    return '"' + text.translate({code: f"\\u{code:04x}" for code in (*range(32), 34, 92)}) + '"'


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


# --- the output of the child ---


class Redactor:
    """Apply the redaction rules of `text.redaction` to bytes that arrive in pieces.

    The output is, byte for byte, what `text.redaction.redact` makes of the whole: bytes are held back
    while later ones could still make a secret of them.
    """

    def __init__(self, job: "SupervisorJob") -> None:
        self._openings = job["openings"]
        self._source = job["pattern"]
        self._mark = job["mark"]
        self._context = job["context"]
        self._held = b""
        self._passed = 0  # bytes at the front of `_held` that are out already, kept for look-behind

    def feed(self, chunk: bytes) -> bytes:
        """Take more bytes, and return those that are decided."""
        self._held += chunk
        # Where the first match could begin that later bytes may still complete, lengthen or refuse.
        end = len(self._held)
        return self._release(min((self._first_open(*each) for each in self._openings), default=end))

    def finish(self) -> bytes:
        """Return the bytes that were held back, at the end of the input."""
        return self._release(len(self._held))

    def _first_open(self, opening: bytes, reach: int) -> int:
        end = len(self._held)
        complete = self._held.find(opening, max(self._passed, end - reach + 1))
        if complete >= 0:
            return complete
        at = self._held.find(opening[:1], max(self._passed, end - len(opening) + 1))
        while at >= 0 and not opening.startswith(self._held[at:]):
            at = self._held.find(opening[:1], at + 1)
        return at if at >= 0 else end

    def _release(self, until: int) -> bytes:
        done, pieces = self._passed, []
        for start, end in self._matches():
            if start >= until:
                break
            pieces += [self._held[done:start], self._mark]
            done = end
        pieces.append(self._held[done:until])
        done = max(done, until)
        self._passed = min(done, self._context)
        self._held = self._held[done - self._passed :]
        return b"".join(pieces)

    def _matches(self) -> "Iterable[tuple[int, int]]":
        if not any(opening in self._held for opening, _ in self._openings):
            return ()
        import re  # most programs never print anything that makes this necessary

        found = re.compile(self._source).finditer(self._held, self._passed)
        return (match.span() for match in found)


class Sink:
    """One output of the child on its way to the disk: redacted, capped, digested."""

    def __init__(self, file: int, path: str, limit: int, redactor: Redactor) -> None:
        from hashlib import sha256  # loads OpenSSL: by now the child runs and need not wait for it

        self._file = file
        self._path = path
        self._limit = limit
        self._redactor = redactor
        self._digest = sha256()
        self._size = 0
        self._truncated = False

    def feed(self, chunk: bytes) -> None:
        """Take output of the child. Beyond the limit it is dropped, but read, so that the child goes on."""
        if not self._truncated:
            self._keep(self._redactor.feed(chunk))

    def finish(self) -> str:
        """Make the file durable and return its part of the slip."""
        if not self._truncated:
            self._keep(self._redactor.finish())
        os.fsync(self._file)
        os.close(self._file)
        return (
            f'{{"path":{_quoted(self._path)},"digest":"sha256:{self._digest.hexdigest()}",'
            f'"size":{self._size},"truncated":{"true" if self._truncated else "false"}}}'
        )

    def _keep(self, data: bytes) -> None:
        room = self._limit - self._size
        self._truncated = len(data) > room
        kept = data[:room]
        _write_all(self._file, kept)
        self._digest.update(kept)
        self._size += len(kept)


# --- the child ---


class Child:
    """The forked program, waiting at the gate, and our ends of its pipes."""

    def __init__(self, job: "SupervisorJob") -> None:
        stdin, self.stdin = os.pipe() if job["stdin"] else (os.open(os.devnull, os.O_RDONLY), -1)
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        gate, self._gate = os.pipe()
        self._report, report = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._gate)  # or the gate would not fall shut when the supervisor dies
            _become(job, (stdin, stdout, stderr), gate, report)
        for theirs in (stdin, stdout, stderr, gate, report):
            os.close(theirs)
        known = process(self.pid)
        self.start = known.start if known else 0

    def release(self) -> str:
        """Let the program begin. Return "" if it runs, else the system's error message."""
        try:
            os.write(self._gate, b".")
        except BrokenPipeError:  # it was killed while it waited, and the watch will see how it ended
            return ""
        said = b""
        while more := os.read(self._report, CHUNK):
            said += more
        os.close(self._report)
        if not said:
            return ""
        code, _, subject = said.partition(b" ")
        return f"{os.strerror(int(code))}: {subject.decode(errors='replace')}"

    def dismiss(self) -> None:
        """Let the child end without having run a line of the program."""
        os.close(self._gate)


def _become(job: "SupervisorJob", stdio: tuple[int, int, int], gate: int, report: int) -> "NoReturn":
    """In the forked child: turn into the program, or report why not. Never returns into our own code."""
    code, subject = errno.EINVAL, job["cwd"]
    try:
        os.setsid()
        for target, source in enumerate(stdio):
            os.dup2(source, target)
        _default_signals()
        if not os.read(gate, 1):
            os._exit(126)
        os.chdir(job["cwd"])
        if job["box"]:
            subject = b"the sandbox"
            _confine(job["box"])
        subject = b"".join(job["argv"][:1])
        os.execvpe(subject, job["argv"], job["env"])  # noqa: S606 - no shell is the point
    except OSError as error:
        code = error.errno or code
    finally:
        os.write(report, b"%d %s" % (code, subject))
        os._exit(127)


def _confine(box: "Box") -> None:
    """Apply the caps and the Landlock rules of the sandbox, for good. After an error nothing must run."""
    from resource import getrlimit, setrlimit

    for which, most in box["limits"]:
        hard = getrlimit(which)[1]
        limit = most if hard < 0 else min(most, hard)
        setrlimit(which, (limit, limit))
    if box["landlock"]:
        _landlock(box).confine(box["landlock"])


def _landlock(box: "Box") -> "ModuleType":
    """Import the script beside this one, although there is no search path."""
    import sys

    sys.path.insert(0, box["code"])
    return __import__("landlock")


def _default_signals() -> None:
    """Reset the signals that Python (SIGPIPE) and the driver's parent (nohup, a shell's `&`) had ignored."""
    # All of them, named or not: `getsignal` only knows what held when Python started.
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _adopt_orphans() -> bool:
    """Become the parent of every descendant whose own parent dies, so that a daemon cannot slip away.

    Return whether the system can do that.
    """
    try:
        from ctypes import CDLL

        return bool(CDLL(None).prctl(36, 1, 0, 0, 0) == 0)  # PR_SET_CHILD_SUBREAPER
    except (ImportError, AttributeError):  # a Python without libffi; a system without prctl (macOS)
        return False


# --- watching it ---


class ChildWatch:
    """The event loop around one child: writes its input, reads its outputs, ends it when it must end."""

    def __init__(self, job: "SupervisorJob", child: Child, adopts: bool) -> None:
        self.cause = ""
        """Why it was ended, or "" when it ended by itself."""
        self.status: int | None = None
        self.ended = 0.0
        self._job = job
        self._child = child
        self._adopts = adopts
        self._childless = False
        self._rungs = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
        self._deadline = time.monotonic() + job["timeout_s"]
        self._heard = time.monotonic()  # when the child last wrote anything
        self._known: dict[int, int] = {}
        self._input = memoryview(job["stdin"])
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._sources: set[int] = set()
        self._watch(LIFELINE, self._heed)
        self._wake = _wake_pipe()
        self._watch(self._wake, self._hurry)

    def listen(self, stdout: Sink, stderr: Sink) -> None:
        """Watch the child's pipes from now on."""
        self._heard = time.monotonic()
        for source, sink in ((self._child.stdout, stdout), (self._child.stderr, stderr)):
            self._sources.add(source)
            self._watch(source, partial(self._read, source, sink))
        if self._child.stdin >= 0:
            os.set_blocking(self._child.stdin, False)
            self._watch(self._child.stdin, self._feed, select.POLLOUT)

    def is_wanted(self) -> bool:
        """Check whether the driver still lives and has not asked for a stop."""
        self._serve(0)
        return not self.cause

    def follow(self) -> None:
        """Return when the child has ended by itself, or every signal of the ladder was sent."""
        while True:
            self._reap()
            if self._is_over():
                return
            if time.monotonic() >= self._deadline:
                self.cause = self.cause or "timed-out"
                self._members()  # while the child lives: without adoption, its tree cannot be seen later
                _signal_to(os.killpg, self._child.pid, self._rungs.pop(0))
                self._deadline = time.monotonic() + self._job["grace_s"]
            elif self._is_silent():
                self._end("silent")
            else:
                longest = (
                    600.0 if self.status is None else 0.1
                )  # a group that empties does not always tell us
                left = max(0.0, self._deadline - time.monotonic())
                self._serve(min(longest, left, self._silence_left_s()))

    def sweep(self) -> list[int]:
        """Kill every descendant that is left, and return the pids of those that do not die."""
        give_up = time.monotonic() + SWEEP_S
        while True:
            self._reap()
            if self._adopts and self._childless:
                return []
            members = self._members()
            if not members and not self._adopts:
                return []
            if time.monotonic() > give_up:
                return sorted(each.pid for each in members)
            for each in members:
                _signal_to(os.kill, each.pid, signal.SIGKILL)
            self._serve(0.02)

    def drain(self) -> None:
        """Read what is still in the pipes."""
        give_up = time.monotonic() + DRAIN_S
        while self._sources and time.monotonic() < give_up:
            self._serve(0.05)

    # --- the ladder ---

    def _end(self, cause: str) -> None:
        self._reap()  # it may have ended by itself a moment ago, and that is then the truth
        if self.status is None and not self.cause:
            self.cause = cause
            self._deadline = time.monotonic()

    def _is_over(self) -> bool:
        if not self._rungs:
            return True
        if self.status is None:
            return False
        # When it was told to end, the rest of its group gets the same time to clean up.
        return not self.cause or not _signal_to(os.killpg, self._child.pid, 0)

    def _is_silent(self) -> bool:
        if self._silence_left_s() > 0:
            return False
        self._serve(0)  # what it wrote while this process could not run was no silence
        return self._silence_left_s() <= 0

    def _silence_left_s(self) -> float:
        """Return for how long the child may still write nothing. No limit holds once it was told to end."""
        limit = self._job["idle_timeout_s"]
        if limit is None or self.cause or self.status is not None:
            return float("inf")
        return max(0.0, self._heard + limit - time.monotonic())

    def _reap(self) -> None:
        while not self._childless:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._childless = True
                return
            if pid == 0:
                return
            if pid == self._child.pid:
                self.status, self.ended = status, time.monotonic()

    def _members(self) -> list[Process]:
        """Return the live descendants, and remember them with their start time, as pids are used again."""
        people, me = table(), os.getpid()
        roots = {pid for pid, start in self._known.items() if pid in people and people[pid].start == start}
        # Who adopts finds everybody by descent; only others must also go by the group's number, which a
        # stranger could bear once the group has died out.
        groups = set() if self._adopts else {self._child.pid}
        found = [each for each in family(people, {*roots, me}, groups) if each.pid != me]
        self._known.update((each.pid, each.start) for each in found)
        return found

    # --- the pipes ---

    def _watch(self, file: int, handler: "Callable[[], None]", events: int = select.POLLIN) -> None:
        self._handlers[file] = handler
        self._poll.register(file, events)

    def _drop(self, file: int) -> None:
        self._poll.unregister(file)
        del self._handlers[file]
        self._sources.discard(file)
        os.close(file)

    def _serve(self, patience_s: float) -> None:
        # The lifeline has the lowest number and so goes first: a signal that follows on the driver's
        # death (from `recover`) must not make the death look like a request to stop.
        for file, _ in sorted(self._poll.poll(int(patience_s * 1000) + (patience_s > 0))):
            if file in self._handlers:
                self._handlers[file]()

    def _heed(self) -> None:
        if os.read(LIFELINE, CHUNK):
            self._end("stopped")
        else:
            self._drop(LIFELINE)
            self._end("driver-died")

    def _hurry(self) -> None:
        """Handle signals: a child ended, or we are to end ourselves and have no time for the ladder."""
        numbers = os.read(self._wake, CHUNK)
        if any(number != signal.SIGCHLD for number in numbers):
            self._end("stopped")
            self._rungs = [signal.SIGKILL]
            self._deadline = time.monotonic()

    def _read(self, source: int, sink: Sink) -> None:
        chunk = os.read(source, CHUNK)
        if chunk:
            self._heard = time.monotonic()
            sink.feed(chunk)
        else:
            self._drop(source)

    def _feed(self) -> None:
        try:
            self._input = self._input[os.write(self._child.stdin, self._input[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it does not care for the rest
            self._input = self._input[:0]
        if not self._input:
            self._drop(self._child.stdin)


def _wake_pipe() -> int:
    """Return a pipe in which signals arrive as bytes, so that `poll` sees them."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return read_end


def _signal_to(send: "Callable[[int, int], None]", target: int, number: int) -> bool:
    """Send a signal, and return whether a process of ours was there to get it."""
    try:
        send(target, number)
    except (ProcessLookupError, PermissionError):  # gone meanwhile, or another user's: not ours to end
        return False
    return True


# --- from the request to the slip ---


def main() -> None:
    """Read the job, run it to its end, write the slip. An error here ends the child too."""
    job = _receive()
    if job is None:
        return
    outputs = [_create(job["stdout"]), _create(job["stderr"])]
    if job["box"] and job["box"]["landlock"]:
        _landlock(job["box"])  # before there are two of us: what it loads takes longer than all the rest
    child = Child(job)
    watch = ChildWatch(job, child, _adopt_orphans())
    try:
        _attend(job, child, watch, outputs)
    except BaseException:
        watch.sweep()
        raise


def _receive() -> "SupervisorJob | None":
    """Read the job. Return None if the driver died before it had sent the whole of it."""
    size = _read_exactly(8)
    body = _read_exactly(int.from_bytes(size, "big"))
    if not body:
        return None
    job: SupervisorJob = marshal.loads(body)  # noqa: S302 - from our own driver, by the same interpreter
    return job


def _read_exactly(size: int) -> bytes:
    parts = []
    while size:
        part = os.read(LIFELINE, min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _create(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def _attend(job: "SupervisorJob", child: Child, watch: ChildWatch, outputs: list[int]) -> None:
    # Named on disk before it runs a line of code, and only then is the driver looked for once more: a
    # driver that died earlier starts nothing, one that dies later leaves a record to clean up by.
    me = process(os.getpid())
    supervisor = (os.getpid(), me.start if me else 0)
    named = started_text(job["boot"], supervisor, (child.pid, child.start), _level(job))
    write_durably(job["slip"] + ".started", named)
    began, began_at = time.monotonic(), time.time()
    refusal = ""
    if watch.is_wanted():
        refusal = child.release()
    else:
        child.dismiss()
    stdout, stderr = (
        Sink(file, path, job["output_limit"], Redactor(job))
        for file, path in zip(outputs, (job["stdout"], job["stderr"]), strict=True)
    )
    watch.listen(stdout, stderr)
    watch.follow()
    left = watch.sweep()
    watch.drain()
    took = (watch.ended or time.monotonic()) - began
    write_durably(
        job["slip"],
        (
            f'{{"ending":"{_ending(watch, refusal)}","exit_code":{_exit_code(watch, refusal)},'
            f'"started_at":"{stamp(began_at)}","ended_at":"{stamp(began_at + took)}",'
            f'"duration_ms":{round(took * 1000)},"stdout":{stdout.finish()},"stderr":{stderr.finish()},'
            f'"detail":{_quoted(refusal or _complaint(left))},"sandbox":"{_level(job)}"}}\n'
        ).encode(errors="replace"),
    )


def _level(job: "SupervisorJob") -> str:
    return job["box"]["level"] if job["box"] else "none"


def _ending(watch: ChildWatch, refusal: str) -> str:
    return "not-started" if refusal else watch.cause or "exited"


def _exit_code(watch: ChildWatch, refusal: str) -> str:
    if refusal or watch.cause or watch.status is None:
        return "null"
    code = os.waitstatus_to_exitcode(watch.status)
    return str(code if code >= 0 else 128 - code)


def _complaint(left: list[int]) -> str:
    return f"did not die when killed: {', '.join(map(str, left))}" if left else ""


if __name__ == "__main__":
    main()
    os._exit(0)  # everything is on disk; the interpreter's own tidying up would cost 3 ms
