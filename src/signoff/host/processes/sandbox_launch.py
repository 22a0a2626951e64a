"""Sandboxes for programs: which levels this machine gives, and how a program is started at one of them.

The levels are found by trying, once per process. A level that turns out broken later fails the
program that was to run in it, and never lets it run unconfined. `host.processes.process_door` is the caller.

    bwrap     everything read-only but its own folders; its own processes, /tmp, /run and /dev
    landlock  the kernel refuses writes elsewhere; reads, other processes and /tmp of others stay in sight
    limits    no more than caps on what one process may use up
"""

import contextlib
import functools
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import Level, SandboxOffer, SandboxRequest
from signoff.domain.run.confinement import Unavailable, choose
from signoff.host.files.scratch import Scratch
from signoff.host.processes import landlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signoff.host.processes.supervisor import Box

_SAFE_PATH = "/usr/bin:/bin:/usr/local/bin:/run/wrappers/bin:/run/current-system/sw/bin"
"""Where bwrap is looked for. The project's own PATH is never used."""
_PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - replaced by empty ones inside the box
_TMP = "/tmp/.signoff/tmp"  # noqa: S108 - not the top: names there may be taken by what is to be seen
_HOME = "/tmp/.signoff/home"  # noqa: S108
_PROBE_S = 10.0
_ROOT_KEEPS = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "NET_BIND_SERVICE")
"""What root may still do inside: to files and its own processes, nothing about mounts or devices."""
_ROOT_MUST_NOT_WRITE = ("/proc/sys", "/proc/sysrq-trigger")
"""Settings of the whole machine that belong to uid 0, with or without capabilities."""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx")
_DEVICE_FOLDERS = ("/dev/pts", "/dev/shm")  # noqa: S108 - semaphores live in the second
_LARGEST_FILE = 16 * 1024**3
_FOUND_AT_HOME = {
    "CARGO_HOME": ".cargo",
    "GIT_CONFIG_GLOBAL": ".gitconfig",
    "GOPATH": "go",
    "NVM_DIR": ".nvm",
    "PYENV_ROOT": ".pyenv",
    "PYTHONUSERBASE": ".local",
    "RUSTUP_HOME": ".rustup",
}
"""Tools that look for their files below HOME, and have to be told where they are when HOME changes."""
_COMPLAINT = re.compile(rb"bwrap: (?:execvp (.*): )?(.*)\n", re.DOTALL)


class Boxed(NamedTuple):
    """A program as it is to be started."""

    argv: tuple[str, ...]
    env: dict[str, str]
    box: "Box | None" = None
    """What the supervisor's child applies to itself before it becomes the program."""


# --- what this machine gives ---


@functools.cache
def offer() -> SandboxOffer:
    """Return the levels that work here."""
    levels, offline, refused = [Level.NONE, Level.LIMITS], [], {}
    kernel = _landlock_version()
    if kernel >= landlock.TRUNCATES:
        levels.append(Level.LANDLOCK)
        offline += [Level.LANDLOCK] if kernel >= landlock.CUTS_TCP else []
    else:
        refused[Level.LANDLOCK] = f"the kernel has Landlock version {kernel}, {landlock.TRUNCATES} is needed"
    problem = _try_bwrap(network=False)
    if not problem:
        offline.append(Level.BWRAP)
    elif find_bwrap():
        problem = _try_bwrap(network=True)
    if problem:
        refused[Level.BWRAP] = problem
    else:
        levels.append(Level.BWRAP)
    return SandboxOffer(levels=tuple(levels), offline=tuple(offline), refused=refused)


@functools.cache
def find_bwrap() -> str | None:
    """Return the path of bubblewrap, or None."""
    return shutil.which("bwrap", path=_SAFE_PATH) if sys.platform == "linux" else None


def _try_bwrap(*, network: bool) -> str:
    """Run `true` in a sandbox with all our flags, and return why that does not work, or ""."""
    program = find_bwrap()
    if program is None:
        return "bwrap is not installed"
    try:
        tried = subprocess.run(
            (program, *_flags(network), "--", "/bin/true"),
            capture_output=True,
            env={},
            cwd="/",
            timeout=_PROBE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if tried.returncode == 0:
        return ""
    said = tried.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return said or f"bwrap ended with {tried.returncode}"


def _landlock_version() -> int:
    """Return the version that keeps a thread from writing when tried, or 0.

    It is tried in a thread of its own, because a thread's rights end with the thread.
    """
    version = landlock.version() if sys.platform == "linux" else 0
    held: list[bool] = []
    trial = threading.Thread(target=lambda: held.append(_is_held(version)))
    if version:
        trial.start()
        trial.join()
    return version if held == [True] else 0


def _is_held(version: int) -> bool:
    try:
        landlock.confine({"version": version, "folders": [], "files": [], "network": True})
    except OSError:
        return False
    try:
        os.close(os.open(os.devnull, os.O_WRONLY))
    except PermissionError:
        return True
    return False


# --- one program ---


@contextlib.contextmanager
def boxed(request: ProcessRequest) -> Iterator[Boxed | Unavailable]:
    """Yield how to start the program in its sandbox. Its throwaway folders live as long as this."""
    wanted = request.sandbox
    if wanted is None:
        yield Boxed(request.argv, request.env)
        return
    level = choose(wanted, offer())
    match level:
        case Unavailable():
            yield level
        case Level.NONE:
            yield Boxed(request.argv, request.env)
        case Level.LIMITS:
            yield Boxed(request.argv, request.env, _box(level, request, None))
        case Level.LANDLOCK:
            with _throwaway() as folder:
                yield _behind_landlock(request, wanted, folder)
        case Level.BWRAP:
            yield _cannot_be_executed(request) or _inside_bwrap(request, wanted)


def _box(level: Level, request: ProcessRequest, rules: "landlock.Rules | None") -> "Box":
    seconds = int(request.timeout_s * (os.cpu_count() or 1)) + 5
    limits = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        # More than it can use before it is stopped; it stops a program whose supervisor was killed.
        (resource.RLIMIT_CPU, min(seconds, 10**9)),
    ]
    return {
        "level": level.value,
        "limits": limits,
        "landlock": rules,
        "code": os.path.dirname(landlock.__file__),
    }


def _at_home(env: Mapping[str, str], wanted: SandboxRequest, home: str, tmp: str) -> dict[str, str]:
    """Return the environment with a home and a temporary folder of the program's own.

    A caller that passes a home has put it into the environment, or leaves the person's own there to be read.
    """
    if wanted.home:
        return {"HOME": wanted.home, **env, "TMPDIR": tmp}
    changed = {**env, "TMPDIR": tmp, "HOME": home}
    if old := env.get("HOME"):
        for name, below in _FOUND_AT_HOME.items():
            path = os.path.join(old, below)
            if name not in env and os.path.exists(path):
                changed[name] = path
    return changed


# --- Landlock ---


def _behind_landlock(request: ProcessRequest, wanted: SandboxRequest, folder: str) -> Boxed:
    home, tmp = os.path.join(folder, "home"), os.path.join(folder, "tmp")
    os.mkdir(home)
    os.mkdir(tmp)
    own = (*wanted.writable, *filter(None, [wanted.home]), folder)
    shared = [path for path in _DEVICE_FOLDERS if os.path.isdir(path)]
    rules: landlock.Rules = {
        "version": landlock.version(),
        "folders": [os.fsencode(path) for path in (*own, *shared)],
        "files": [os.fsencode(path) for path in _DEVICES],
        "network": wanted.network,
    }
    return Boxed(request.argv, _at_home(request.env, wanted, home, tmp), _box(Level.LANDLOCK, request, rules))


def _throwaway() -> contextlib.AbstractContextManager[str]:
    """Return a folder that this driver removes, or the next one if this one dies.

    Not below the run: the path of a socket in it must stay shorter than 108 bytes.
    """
    parent = os.path.join(tempfile.gettempdir(), f"signoff-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(parent, 0o700)
    found = os.lstat(parent)
    is_ours = found.st_uid == os.getuid() and found.st_mode & 0o170077 == 0o040000
    # Somebody else's folder of that name: theirs to read and to swap.
    return _scratch(parent).folder() if is_ours else tempfile.TemporaryDirectory(prefix="signoff-")


@functools.cache
def _scratch(parent: str) -> Scratch:
    return Scratch(parent)


# --- bubblewrap ---


def _inside_bwrap(request: ProcessRequest, wanted: SandboxRequest) -> Boxed:
    """Return the program behind bwrap.

    bwrap applies its words in order and a later mount hides an earlier one. So first comes what is only
    read, then what may be written, then what is sealed, and last what may be written inside sealed folders.
    """
    program = find_bwrap()
    assert program is not None  # it was tried
    env = _at_home(request.env, wanted, _HOME, _TMP)
    writable = [*wanted.writable, *filter(None, [wanted.home])]
    words = [program, *_flags(wanted.network)]
    for path in _in_sight(request, env, writable):
        words += ["--ro-bind", path, path]
    if wanted.network and _top(resolver := os.path.realpath("/etc/resolv.conf")):
        words += ["--ro-bind-try", resolver, resolver]
    words += ["--dir", _TMP, "--dir", _HOME]
    # What may be written to can lie in what is sealed: a folder of the engine's for the report of the tests.
    inside = [path for path in writable if any(_lies_in(path, sealed) for sealed in wanted.sealed)]
    for path in (path for path in writable if path not in inside):
        words += ["--bind", path, os.path.realpath(path)]
    for path in wanted.sealed:
        words += ["--ro-bind-try", path, os.path.realpath(path)]
    for path in inside:
        words += ["--bind", path, os.path.realpath(path)]
    words += ["--chdir", os.path.realpath(request.cwd), "--", *request.argv]
    return Boxed(tuple(words), env, _box(Level.BWRAP, request, None))


def _lies_in(path: str, folder: str) -> bool:
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _flags(network: bool) -> list[str]:
    flags = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]
    flags += [] if network else ["--unshare-net"]
    flags += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for path in _PRIVATE:
        flags += ["--tmpfs", path] if os.path.isdir(path) and not os.path.islink(path) else []
    if os.geteuid() == 0:
        for name in _ROOT_KEEPS:
            flags += ["--cap-add", f"CAP_{name}"]
        for path in _ROOT_MUST_NOT_WRITE:
            flags += ["--ro-bind-try", path, path]
    return flags


def _in_sight(request: ProcessRequest, env: Mapping[str, str], writable: list[str]) -> list[str]:
    """Return the paths below the folders hidden by an empty one that the program needs all the same.

    Each is the whole of what lies there under one name: a tree needs the objects of the repository around it,
    an interpreter the rest of its environment.
    """
    named = [request.cwd, *writable, *(word for word in request.argv if os.path.isabs(word))]
    for name in ("PATH", "PYTHONPATH"):
        named += env.get(name, "").split(os.pathsep)
    named += [env[name] for name in (*_FOUND_AT_HOME, "SSL_CERT_FILE", "SSL_CERT_DIR") if name in env]
    named += [sys.prefix, sys.base_prefix, os.path.dirname(landlock.__file__)]
    tops = {_top(path) for path in {*named, *map(os.path.realpath, named)} if os.path.isabs(path)}
    return sorted(top for top in tops if top and os.path.exists(top))


def _top(path: str) -> str:
    """Return the folder directly below a hidden folder that this path lies under, or ""."""
    for place in _PRIVATE:
        if path.startswith(place + os.sep):
            return os.path.join(place, os.path.normpath(path)[len(place) + 1 :].split(os.sep)[0])
    return ""


def _cannot_be_executed(request: ProcessRequest) -> Unavailable | None:
    """Refuse a script that names no interpreter, as the system does. bwrap would run it in a shell."""
    word = request.argv[0] if request.argv else ""
    start = os.path.join(request.cwd, word)
    path = start if os.sep in word else shutil.which(word, path=request.env.get("PATH", os.defpath))
    try:
        with open(path or "", "rb") as file:
            head = file.read(256)
    except OSError:
        return None  # bwrap reports what is wrong with it
    if head.startswith((b"#!", b"\x7fELF")) or b"\0" in head or not os.access(path or "", os.X_OK):
        return None
    return Unavailable(f"Exec format error: {word}")


def as_it_was(outcome: ProcessOutcome) -> ProcessOutcome:
    """Turn the outcome of a sandbox that could not be made, or had nothing to run, into `not-started`.

    bwrap reports that with one line and exit code 1. A program that prints the same gains nothing by it:
    its work then counts as not judged.
    """
    if outcome.sandbox is not Level.BWRAP or outcome.exit_code != 1 or outcome.stderr.size > 4096:
        return outcome
    with contextlib.suppress(FileNotFoundError), open(outcome.stderr.path, "rb") as file:
        said = _COMPLAINT.fullmatch(file.read(4097))
        if said and b"\n" not in said[2]:
            program, problem = (os.fsdecode(part or b"") for part in said.groups())
            detail = f"{problem}: {program}" if program else f"the sandbox could not be made: {problem}"
            return replace(outcome, ending=Ending.NOT_STARTED, exit_code=None, detail=detail)
    return outcome
