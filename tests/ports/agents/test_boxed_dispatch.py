"""Real programs at each level this machine gives: nothing outside is damaged, nothing outlives a dispatch."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
from agentbench import AgentBench
from msgspec.structs import replace

import signoff
from signoff.agents.backend_tools import AgentTools
from signoff.agents.command import CommandAgent, open_command
from signoff.delivery.context.surroundings_comparison import compare
from signoff.domain.base.typed_ids import RunId
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxRequest
from signoff.domain.machine.surroundings import Surroundings, Touched
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.outcomes import AgentFailure
from signoff.domain.work.settings import AgentSettings, Settings
from signoff.host.processes import sandbox_launch
from signoff.host.processes.process_door import ProcessDoor

pytestmark = pytest.mark.slow

OFFER = sandbox_launch.offer()
DONE = 'echo \'{"kind": "done"}\''


def at(choice: SandboxChoice, *more: str) -> object:
    level = Level(choice)
    why = f"no {level} on this machine: {OFFER.refused.get(level, '')}"
    return pytest.param(choice, *more, marks=pytest.mark.skipif(level not in OFFER.levels, reason=why))


fenced = pytest.mark.parametrize("choice", [at(SandboxChoice.LANDLOCK), at(SandboxChoice.BWRAP)])
every_level = pytest.mark.parametrize(
    "choice", [SandboxChoice.NONE, at(SandboxChoice.LANDLOCK), at(SandboxChoice.BWRAP)]
)


class Scene:
    """The sample repository with a finished run in it, and another agent's checkout."""

    def __init__(self, tmp_path: Path) -> None:
        self.bench = AgentBench(tmp_path)
        self.root = self.bench.root
        self.sibling = Path(self.bench.request().checkout)
        self.journal = self.root / ".signoff/runs/01OLD/journal.jsonl"
        self.journal.parent.mkdir(parents=True)
        (tmp_path / "logs").mkdir()
        self.journal.write_text("{}\n")
        self.login = Path(self.bench.env["HOME"]) / ".tool/login"
        self.login.parent.mkdir()

    def request(self, choice: SandboxChoice, timeout_s: float = 30) -> AgentRequest:
        plain = self.bench.request(timeout_s=timeout_s)
        home = plain.logs + ".home"
        box = SandboxRequest(choice=choice, writable=(plain.checkout,), home=home)
        return replace(plain, home=home, sandbox=box)

    def agent(self, *argv: str, lent: tuple[str, ...] = (), door: ProcessDoor | None = None) -> CommandAgent:
        tools = AgentTools(door or ProcessDoor(), self.bench.repository, self.bench.env, "")
        return open_command(tools, Settings(agent=AgentSettings(command=argv, credentials=lent)), None)

    def look(self) -> Surroundings:
        return self.bench.repository.look_around(RunId("01RUN"), str(self.sibling), (str(self.sibling),))

    def shell(
        self, choice: SandboxChoice, script: str, lent: tuple[str, ...] = ()
    ) -> tuple[AgentRequest, AgentReply]:
        request = self.request(choice)
        return request, self.agent("/bin/sh", "-c", script, lent=lent).dispatch(request)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("scene"))


def ways_out(scene: Scene) -> dict[str, str]:
    """Where a liar may want to write, as shell words."""
    readme = next(path.name for path in scene.root.iterdir() if path.is_file())
    return {
        "beside its checkout": "echo x > ../outside",
        "the person's file": f"echo x > '{scene.root}/{readme}'",
        "the person's repository": f"echo x >> '{scene.root}/.git/config'",
        "a run": f"echo x >> '{scene.journal}'",
        "through a link": f"ln -s '{scene.root}' way; echo x > 'way/{readme}'; rm way",
        "another's checkout": f"echo x > '{scene.sibling}/{readme}'",
    }


@fenced
@pytest.mark.parametrize("number", range(6))
def test_a_boxed_agent_damages_nothing_but_its_own_work(
    scene: Scene, choice: SandboxChoice, number: int
) -> None:
    """Whatever it says afterwards: what it tried to change is as it was."""
    _, script = list(ways_out(scene).items())[number]
    request = scene.request(choice)
    before, journal = scene.look(), scene.journal.read_bytes()

    agent = scene.agent("/bin/sh", "-c", f"({script}) 2> tried; echo work > own; {DONE}")
    reply = agent.dispatch(request)

    after = scene.look()
    assert reply.answer is not None
    assert reply.sandbox is Level(choice)
    assert (Path(request.checkout) / "own").read_text() == "work\n"
    tried = (Path(request.checkout) / "tried").read_text()
    assert "Read-only file system" in tried or "Permission denied" in tried
    assert compare(before, after) == Touched()
    assert scene.journal.read_bytes() == journal


@every_level
def test_an_agent_has_a_home_and_a_temporary_folder_of_its_own(scene: Scene, choice: SandboxChoice) -> None:
    script = f'echo a > ~/a; echo b > "$TMPDIR/b"; cat "$TMPDIR/b"; git commit -qam x; {DONE}'

    request, reply = scene.shell(choice, script)

    assert reply.answer is not None
    assert (Path(request.home) / "a").read_text() == "a\n"
    assert not (Path(scene.bench.env["HOME"]) / "a").exists()


@every_level
@pytest.mark.parametrize("how", ["echo new > ~/.tool/login", "echo new > ~/n; mv ~/n ~/.tool/login"])
def test_a_lent_login_is_renewed_for_the_person_at_every_level(
    scene: Scene, choice: SandboxChoice, how: str
) -> None:
    """In place or as another file: a token that was used up would lock them out."""
    scene.login.write_text("old")
    scene.login.chmod(0o600)

    request, reply = scene.shell(choice, f"cat ~/.tool/login >&2; {how}; {DONE}", ("~/.tool/login",))

    assert reply.answer is not None
    assert Path(request.logs + ".err").read_text() == "old"
    assert scene.login.read_text() == "new\n"
    assert scene.login.stat().st_mode & 0o777 == 0o600
    assert not (Path(request.home) / ".tool/login").exists()


def test_a_login_that_another_dispatch_renewed_meanwhile_stays_renewed(scene: Scene) -> None:
    """The one that was lent earlier is the old one, and goes back to nobody."""
    scene.login.write_text("old")
    script = f"rm '{scene.login}'; echo newer > '{scene.login}'; {DONE}"

    scene.shell(SandboxChoice.NONE, script, ("~/.tool/login",))

    assert scene.login.read_text() == "newer\n"


# Starts a child in a session of its own; neither takes notice of being told to end.
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 3)
    open("ready", "w").close()
time.sleep(600)
"""


def left_of(request: AgentRequest) -> list[str]:
    """Find the processes that still have this dispatch's home in their environment."""
    mark = f"HOME={request.home}\0".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (place / "environ").read_bytes() + b"\0":
                found.append(place.name)
        except OSError:
            continue
    return found


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for them in")
@pytest.mark.parametrize(
    ("choice", "end"),
    [
        (SandboxChoice.NONE, "its time is up"),
        at(SandboxChoice.LANDLOCK, "somebody stops it"),
        at(SandboxChoice.BWRAP, "its time is up"),
        at(SandboxChoice.BWRAP, "somebody stops it"),
    ],
)
def test_nothing_of_an_agent_outlives_its_dispatch(scene: Scene, choice: SandboxChoice, end: str) -> None:
    """A grandchild in a session of its own would go on working in a checkout that is being judged."""
    is_late = end == "its time is up"
    request = scene.request(choice, timeout_s=0.7 if is_late else 60)
    door = ProcessDoor()
    agent = scene.agent(sys.executable, "-c", STUBBORN, door=door)
    seen: list[int] = []

    def watch() -> None:
        give_up = time.monotonic() + 20
        while not (Path(request.checkout) / "ready").exists() and time.monotonic() < give_up:
            time.sleep(0.01)
        seen.append(len(left_of(request)))
        if not is_late:
            door.stop_all()

    watcher = threading.Thread(target=watch)
    watcher.start()
    reply = agent.dispatch(request)
    watcher.join()

    assert left_of(request) == []
    assert reply.stopped != is_late
    assert reply.failure is (AgentFailure.TIMED_OUT if is_late else None)
    assert reply.sandbox is Level(choice)
    assert seen[0] >= 2 or is_late


# A driver of its own, to be killed while its agent works.
DRIVER = """
import sys, msgspec
from signoff.agents.command import CommandAgent
from signoff.domain.run.agents import AgentRequest
from signoff.host.processes.process_door import ProcessDoor
request = msgspec.json.decode(sys.stdin.read(), type=AgentRequest)
CommandAgent(ProcessDoor(), tuple(sys.argv[1:]), {}).dispatch(request)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no /proc to look for them in")
@fenced
def test_nothing_of_an_agent_outlives_a_driver_that_is_killed(scene: Scene, choice: SandboxChoice) -> None:
    """Nobody told it to end, and the next driver must know under which level it had been started."""
    request = scene.request(choice, timeout_s=60)
    driver = subprocess.Popen(
        (sys.executable, "-c", DRIVER, sys.executable, "-c", STUBBORN),
        stdin=subprocess.PIPE,
        env={"PYTHONPATH": str(Path(signoff.__file__).parents[1])},
    )
    assert driver.stdin is not None
    driver.stdin.write(msgspec.json.encode(request))
    driver.stdin.close()
    give_up = time.monotonic() + 30
    while not (Path(request.checkout) / "ready").exists():
        assert time.monotonic() < give_up
        time.sleep(0.01)

    driver.kill()
    driver.wait()
    reply = scene.agent(sys.executable, "-c", STUBBORN).recover(request)

    assert left_of(request) == []
    assert reply == AgentReply(stopped=True, sandbox=Level(choice))
