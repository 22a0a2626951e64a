"""Boxes with real programs: what they may do, what they may not, and that nothing of them is left."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sleepers import a_nap, sleepers, until

from signoff.domain.machine.process_records import Ending, ProcessOutcome, ProcessRequest
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxOffer, SandboxRequest
from signoff.host.processes import landlock, process_door, sandbox_launch
from signoff.host.processes.process_door import ProcessDoor

pytestmark = pytest.mark.slow

PATH = os.environ["PATH"]
SOURCES = str(Path(process_door.__file__).parents[3])


def needs(level: Level) -> pytest.MarkDecorator:
    offer = sandbox_launch.offer()
    why = offer.refused.get(level, "")
    return pytest.mark.skipif(level not in offer.levels, reason=f"no {level} on this machine: {why}")


LANDLOCK = pytest.param(SandboxChoice.LANDLOCK, marks=needs(Level.LANDLOCK))
BWRAP = pytest.param(SandboxChoice.BWRAP, marks=needs(Level.BWRAP))
fenced = pytest.mark.parametrize("choice", [LANDLOCK, BWRAP])
confined = pytest.mark.parametrize("choice", [SandboxChoice.LIMITS, LANDLOCK, BWRAP])


class Place:
    """A tree of its own for the program, something outside of it, and a door."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree = root / "the trée"
        self.tree.mkdir()
        self.home = root / "home"
        self.home.mkdir()
        self.precious = root / "precious"
        self.precious.write_text("keep me")
        self.door = ProcessDoor()

    def request(
        self, choice: SandboxChoice, *argv: str, timeout_s: float = 30, **wanted: object
    ) -> ProcessRequest:
        box = SandboxRequest(choice=choice, writable=(str(self.tree),))
        return ProcessRequest(
            argv=argv,
            cwd=str(self.tree),
            env={"PATH": PATH, "HOME": str(self.home)},
            timeout_s=timeout_s,
            grace_s=0.2,
            stdout_path=str(self.root / "a.out"),
            stderr_path=str(self.root / "a.err"),
            slip_path=str(self.root / "a.slip"),
            sandbox=msgspec.structs.replace(box, **wanted),
        )

    def run(
        self, choice: SandboxChoice, *argv: str, timeout_s: float = 30, **wanted: object
    ) -> ProcessOutcome:
        return self.door.run(self.request(choice, *argv, timeout_s=timeout_s, **wanted))

    def python(
        self, choice: SandboxChoice, code: str, *words: str, timeout_s: float = 30, **wanted: object
    ) -> ProcessOutcome:
        return self.run(choice, sys.executable, "-c", code, *words, timeout_s=timeout_s, **wanted)

    @property
    def said(self) -> str:
        return (self.root / "a.out").read_text() + (self.root / "a.err").read_text()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- what it may not do ---


WAYS_OUT = {
    "a new file": "open(out + '/new', 'w')",
    "an old file": "open(out + '/precious', 'a')",
    "emptying": "import os; os.truncate(out + '/precious', 0)",
    "removing": "import os; os.unlink(out + '/precious')",
    "renaming": "import os; os.rename(out + '/precious', out + '/new')",
    "a folder": "import os; os.mkdir(out + '/new')",
    "a link": "import os; os.symlink('x', out + '/new')",
    "through a link": "import os; os.symlink(out, 'way'); open('way/new', 'w')",
    "a hard link": "import os; os.link(out + '/precious', 'mine'); open('mine', 'w')",
    "from a child": "import subprocess; subprocess.run(['touch', out + '/new'], check=True)",
    "its logs": "open(out + '/a.out', 'w')",
    "home": "import os; open(os.path.dirname(out) + '/new', 'w')",
}


@fenced
@pytest.mark.parametrize("way", WAYS_OUT)
def test_nothing_outside_its_folders_is_changed(place: Place, choice: SandboxChoice, way: str) -> None:
    """A check runs code that an agent wrote: it must not reach the person's files, logs and receipts."""
    before = sorted(os.listdir(place.root))

    outcome = place.python(choice, f"import sys; out = sys.argv[1]; {WAYS_OUT[way]}", str(place.root))

    assert outcome.ending is Ending.EXITED
    assert outcome.exit_code == 1, place.said
    assert "Read-only file system" in place.said or "Permission denied" in place.said or "link" in way
    assert place.precious.read_text() == "keep me"
    assert {*os.listdir(place.root)} - {*before} <= {"a.out", "a.err", "a.slip", "a.slip.started"}


@fenced
def test_nothing_far_from_its_folders_is_changed(place: Place, choice: SandboxChoice) -> None:
    """Not only what lies in temporary folders, which a box may have replaced anyway."""
    trace = Path(SOURCES, "signoff", f"trace-{os.getpid()}")
    try:
        outcome = place.run(choice, "touch", str(trace))

        assert outcome.exit_code == 1, place.said
        assert not trace.exists()
    finally:
        trace.unlink(missing_ok=True)


@fenced
def test_what_it_writes_into_its_folders_is_there_afterwards(place: Place, choice: SandboxChoice) -> None:
    other = place.root / "other"
    other.mkdir()

    outcome = place.run(
        choice, "sh", "-c", 'echo a > a; echo b > "$0/b"', str(other), writable=(str(place.tree), str(other))
    )

    assert outcome.exit_code == 0, place.said
    assert (place.tree / "a").read_text() == "a\n"
    assert (other / "b").read_text() == "b\n"


@needs(Level.BWRAP)
def test_what_is_sealed_stays_as_it_is_inside_a_folder_that_may_be_written(place: Place) -> None:
    """A check that runs in the person's own folder must not rewrite history, or our records."""
    for name in (".git", ".signoff"):
        (place.tree / name).mkdir()
    sealed = tuple(str(place.tree / name) for name in (".git", ".signoff", ".not-there"))

    outcome = place.run(
        SandboxChoice.BWRAP, "sh", "-c", "touch .git/x .signoff/x; touch beside", sealed=sealed
    )

    assert outcome.exit_code == 0
    assert sorted(os.listdir(place.tree)) == [".git", ".signoff", "beside"]
    assert os.listdir(place.tree / ".git") == os.listdir(place.tree / ".signoff") == []


@needs(Level.BWRAP)
def test_root_in_a_box_cannot_change_the_machine(place: Place) -> None:
    """Settings of the kernel belong to uid 0 and not to a capability: a box must close them by itself."""
    paths = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/kernel/mm/ksm/run")
    code = "import os, sys\nfor path in sys.argv[1:]:\n    assert not os.access(path, os.W_OK), path"

    outcome = place.python(SandboxChoice.BWRAP, code, *paths)

    assert outcome.exit_code == 0, place.said


@needs(Level.BWRAP)
def test_a_box_cannot_be_mounted_over_again(place: Place) -> None:
    outcome = place.run(SandboxChoice.BWRAP, "mount", "-o", "remount,rw", "/")

    assert outcome.exit_code not in (0, None)


@needs(Level.BWRAP)
def test_a_box_sees_neither_the_processes_nor_the_temporary_files_of_others(place: Place) -> None:
    code = "import os; print(sorted(p for p in os.listdir('/proc') if p.isdigit()), os.listdir('/run'))"

    place.python(SandboxChoice.BWRAP, code)

    pids, _, rest = place.said.partition("]")
    assert str(os.getpid()) not in pids
    assert "dbus" not in rest


@needs(Level.LANDLOCK)
@pytest.mark.skipif(landlock.version() < 6, reason="this kernel's Landlock does not keep signals apart")
def test_a_program_behind_landlock_cannot_signal_its_supervisor(place: Place) -> None:
    """Killing the supervisor would leave the program alone with a clock that no process watches."""
    outcome = place.python(SandboxChoice.LANDLOCK, "import os; os.kill(os.getppid(), 9)")

    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 1)
    assert "Operation not permitted" in place.said


# --- the network ---


@pytest.fixture
def server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


CALL = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)"


def cannot_close(level: Level) -> bool:
    return level in sandbox_launch.offer().levels and level not in sandbox_launch.offer().offline


@fenced
def test_the_network_is_there_unless_it_was_closed(place: Place, choice: SandboxChoice, server: int) -> None:
    if cannot_close(Level(choice)):
        pytest.skip(f"{choice} cannot close the network on this machine")

    assert place.python(choice, CALL, str(server)).exit_code == 0, place.said
    assert place.python(choice, CALL, str(server), network=False).exit_code == 1


@needs(Level.BWRAP)
def test_a_closed_network_still_has_its_own_loopback(place: Place) -> None:
    """Tests that start a server of their own must go on working."""
    if cannot_close(Level.BWRAP):
        pytest.skip("bwrap cannot close the network on this machine")
    code = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    )

    assert place.python(SandboxChoice.BWRAP, code, network=False).exit_code == 0, place.said


def test_a_level_that_cannot_close_the_network_runs_nothing_when_it_is_to_be_closed(place: Place) -> None:
    outcome = place.run(SandboxChoice.LIMITS, "touch", "trace", network=False)

    assert (outcome.ending, outcome.sandbox) == (Ending.NOT_STARTED, Level.NONE)
    assert "cannot close the network" in outcome.detail
    assert os.listdir(place.tree) == []


# --- what must go on working ---


@confined
def test_it_has_a_home_a_temporary_folder_devices_and_semaphores(place: Place, choice: SandboxChoice) -> None:
    code = (
        "import multiprocessing, os, pathlib, tempfile\n"
        "home = pathlib.Path.home(); (home / 'x').write_text('x')\n"
        "pathlib.Path(tempfile.mkdtemp(), 'x').write_text('x')\n"
        "multiprocessing.Lock(); open('/dev/null', 'w').write('x'); open('/dev/stdout', 'w').write('said')\n"
        "os.close(os.openpty()[0]); open('caf\\xe9', 'w')\n"
    )

    outcome = place.python(choice, code)

    assert outcome.exit_code == 0, place.said
    assert "said" in place.said
    if choice is not SandboxChoice.LIMITS:
        assert os.listdir(place.home) == []


@fenced
def test_a_home_that_was_given_outlives_it(place: Place, choice: SandboxChoice) -> None:
    given = place.root / "given"
    given.mkdir()

    request = place.request(choice, "sh", "-c", "echo x > ~/x", home=str(given))
    outcome = place.door.run(msgspec.structs.replace(request, env={"PATH": PATH, "HOME": str(given)}))

    assert outcome.exit_code == 0, place.said
    assert (given / "x").read_text() == "x\n"


@fenced
def test_git_works_in_the_tree(place: Place, choice: SandboxChoice) -> None:
    """The person's name is found although their home is another folder now."""
    (place.home / ".gitconfig").write_text("[user]\n name = P\n email = p@example.org\n")
    script = "git init -q . && touch a && git add a && git commit -q -m m && git log --format=%an"

    outcome = place.run(choice, "sh", "-c", script)

    assert outcome.exit_code == 0, place.said
    assert place.said == "P\n"


@confined
def test_pytest_runs_inside(place: Place, choice: SandboxChoice) -> None:
    (place.tree / "test_a.py").write_text(
        "import subprocess, sys\n"
        "def test_tmp(tmp_path): (tmp_path / 'x').write_text('x')\n"
        "def test_child(): assert subprocess.run([sys.executable, '-c', 'pass']).returncode == 0\n"
    )

    outcome = place.run(choice, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")

    assert outcome.exit_code == 0, place.said
    assert "2 passed" in place.said


@fenced
def test_an_environment_that_lies_in_a_temporary_folder_is_found(place: Place, choice: SandboxChoice) -> None:
    """Trees and environments of CI machines often lie where the box has an empty folder of its own."""
    beside = place.root / "bin"
    beside.mkdir()
    (beside / "tool").write_text('#!/bin/sh\ncat "$(dirname "$0")/../precious"\n')
    (beside / "tool").chmod(0o755)
    request = place.request(choice, "tool")

    outcome = place.door.run(msgspec.structs.replace(request, env={"PATH": f"{beside}:{PATH}"}))

    assert outcome.exit_code == 0, place.said
    assert place.said == "keep me"


@confined
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("no-such-program", "No such file or directory: no-such-program"),
        ("./plain", "Permission denied: ./plain"),
        ("./no-shebang", "Exec format error: ./no-shebang"),
    ],
)
def test_a_program_that_cannot_be_executed_is_named_at_every_level(
    place: Place, choice: SandboxChoice, word: str, said: str
) -> None:
    """A missing tool is not a failed check, whether a box stands in between or not."""
    (place.tree / "plain").write_text("x")
    (place.tree / "no-shebang").write_text("touch trace\n")
    (place.tree / "no-shebang").chmod(0o755)

    outcome = place.run(choice, word)

    assert (outcome.ending, outcome.exit_code, outcome.detail) == (Ending.NOT_STARTED, None, said)
    assert not (place.tree / "trace").exists()
    assert place.door.recover(str(place.root / "a.slip")) == outcome


@confined
def test_the_exit_code_is_the_programs_own(place: Place, choice: SandboxChoice) -> None:
    assert place.run(choice, "sh", "-c", "exit 7").exit_code == 7
    assert place.run(choice, "sh", "-c", "kill -SEGV $$").exit_code == 128 + signal.SIGSEGV
    assert place.run(choice, "sh", "-c", "echo bwrap: no >&2; echo x >&2; exit 1").exit_code == 1


@confined
def test_the_level_that_held_is_in_the_slip(place: Place, choice: SandboxChoice) -> None:
    outcome = place.run(choice, "true")

    assert outcome.sandbox is Level(choice)
    assert place.door.recover(str(place.root / "a.slip")) == outcome


@confined
def test_no_core_is_dumped_and_no_file_grows_without_end(place: Place, choice: SandboxChoice) -> None:
    code = "import resource as r; print(r.getrlimit(r.RLIMIT_CORE)[0], r.getrlimit(r.RLIMIT_FSIZE)[1])"

    place.python(choice, code)

    assert place.said == f"0 {16 * 1024**3}\n"


# --- ends ---


RUNAWAY = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", sys.argv[1]])
    os._exit(0)
open("up", "w")
time.sleep(60)
"""


@pytest.fixture
def nap() -> Iterator[str]:
    yield from a_nap()


@confined
def test_nobody_is_left_after_a_time_out(place: Place, choice: SandboxChoice, nap: str) -> None:
    """Not even a grandchild in a session of its own."""
    outcome = place.python(choice, RUNAWAY, nap, timeout_s=1.5)

    assert (outcome.ending, outcome.sandbox) == (Ending.TIMED_OUT, Level(choice))
    assert (place.tree / "up").exists()
    assert sleepers(nap) == []


@confined
def test_nobody_is_left_after_a_stop(place: Place, choice: SandboxChoice, nap: str) -> None:
    request = place.request(choice, sys.executable, "-c", RUNAWAY, nap)
    outcomes: list[ProcessOutcome] = []
    thread = threading.Thread(target=lambda: outcomes.append(place.door.run(request)))
    thread.start()
    until(lambda: sleepers(nap))

    place.door.stop_all()
    thread.join(20)

    assert [outcome.ending for outcome in outcomes] == [Ending.STOPPED]
    assert sleepers(nap) == []


DRIVER = """
import sys, msgspec
from signoff.domain.machine.process_records import ProcessRequest
from signoff.host.processes.process_door import ProcessDoor
ProcessDoor().run(msgspec.json.decode(sys.stdin.buffer.read(), type=ProcessRequest))
"""


@confined
@pytest.mark.parametrize("victim", ["driver", "supervisor and driver"])
def test_nobody_is_left_when_the_driver_was_killed(
    place: Place, choice: SandboxChoice, nap: str, victim: str
) -> None:
    """With the supervisor gone too, the next driver finds the box by the record of its start."""
    request = place.request(choice, sys.executable, "-c", RUNAWAY, nap)
    env = {"PATH": PATH, "PYTHONPATH": SOURCES}
    with subprocess.Popen([sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, env=env) as driver:
        assert driver.stdin
        driver.stdin.write(msgspec.json.encode(request))
        driver.stdin.close()
        until(lambda: sleepers(nap))
        if victim != "driver":
            started = msgspec.json.decode(
                Path(request.slip_path + ".started").read_bytes(), type=process_door.StartedRecord
            )
            os.kill(started.supervisor.pid, signal.SIGSTOP)
            os.kill(started.supervisor.pid, signal.SIGKILL)
        driver.kill()

    assert place.door.recover(request.slip_path) is None
    if choice is SandboxChoice.BWRAP or victim == "driver":
        until(lambda: not sleepers(nap))


# --- what this machine gives ---


def test_limits_can_be_had_everywhere() -> None:
    assert sandbox_launch.offer().levels[:2] == (Level.NONE, Level.LIMITS)


@pytest.mark.skipif(landlock.version() < landlock.TRUNCATES, reason="this kernel has no Landlock that does")
def test_a_kernel_that_has_landlock_gives_that_level() -> None:
    """If it were missed, every test of it would be skipped unnoticed."""
    assert Level.LANDLOCK in sandbox_launch.offer().levels


def test_every_level_is_either_there_or_has_a_reason() -> None:
    offer = sandbox_launch.offer()

    assert {*offer.levels} | {*offer.refused} == {*Level}
    assert all(offer.refused.values())
    assert {*offer.offline} <= {*offer.levels}


def test_trying_landlock_confines_nobody_else(tmp_path: Path) -> None:
    """It is tried in a thread that ends. In the main thread, the engine could write no more."""
    sandbox_launch._landlock_version()

    (tmp_path / "x").write_text("x")


@pytest.mark.parametrize("level", [SandboxChoice.LANDLOCK, SandboxChoice.BWRAP])
def test_a_level_that_is_not_there_runs_nothing(
    place: Place, level: SandboxChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    poor = SandboxOffer(levels=(Level.NONE, Level.LIMITS), refused={Level(level): "not on this machine"})
    monkeypatch.setattr(sandbox_launch, "offer", lambda: poor)

    outcome = place.run(level, "touch", "trace")

    assert (outcome.ending, outcome.exit_code, outcome.sandbox) == (Ending.NOT_STARTED, None, Level.NONE)
    assert outcome.detail == f"the sandbox level {level} is not available here: not on this machine"
    assert os.listdir(place.tree) == []
    assert place.door.recover(str(place.root / "a.slip")) == outcome


@needs(Level.BWRAP)
def test_a_box_that_cannot_be_made_runs_nothing(place: Place) -> None:
    """What worked when it was tried may be refused later: namespaces run out."""
    missing = str(place.root / "not-there")

    outcome = place.run(SandboxChoice.BWRAP, "touch", "trace", writable=(str(place.tree), missing))

    assert (outcome.ending, outcome.exit_code) == (Ending.NOT_STARTED, None)
    assert outcome.detail.startswith("the sandbox could not be made: ")
    assert os.listdir(place.tree) == []


@needs(Level.LANDLOCK)
def test_a_fence_that_cannot_be_made_runs_nothing(place: Place) -> None:
    missing = str(place.root / "not-there")

    outcome = place.run(SandboxChoice.LANDLOCK, "touch", "trace", writable=(str(place.tree), missing))

    assert (outcome.ending, outcome.exit_code) == (Ending.NOT_STARTED, None)
    assert outcome.detail == "No such file or directory: the sandbox"
    assert os.listdir(place.tree) == []


@needs(Level.LANDLOCK)
def test_a_throwaway_folder_is_gone_afterwards(place: Place) -> None:
    place.run(SandboxChoice.LANDLOCK, "sh", "-c", 'echo "$HOME"; mkdir -p "$HOME/a" && chmod 0 "$HOME/a"')

    assert place.said.endswith("/home\n")
    assert not Path(place.said.strip()).parent.exists()


@needs(Level.LANDLOCK)
def test_a_temporary_folder_that_is_not_ours_is_not_used(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The user who made it before us could swap its content."""
    theirs = tmp_path / "tmp" / f"signoff-{os.getuid()}"
    theirs.mkdir(parents=True)
    theirs.chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    place.run(SandboxChoice.LANDLOCK, "sh", "-c", 'echo "$HOME"')

    assert not place.said.startswith(f"{theirs}/")
    assert place.said.startswith(str(tmp_path / "tmp"))
