"""A folder, a backend and one dispatch, with everything that may happen to it on the way."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from signoff.delivery.dispatch.dispatch_effect import parse_answer
from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.typed_ids import EffectKey, TaskId
from signoff.domain.machine.sandbox_records import SandboxChoice, SandboxRequest
from signoff.domain.ports import Agent
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.directives import Directive, Facts, PlanRequest, WorkRequest
from signoff.domain.work.contract import Task
from signoff.domain.work.ticket import Ticket
from signoff.host.processes.process_door import ProcessDoor, ask
from signoff.testing.conformance.cases import ANSWERED, FILE, NEW, Case

NOWHERE = "http://127.0.0.1:9"
"""The discard port: nothing listens there."""
_START_S = 60.0
_GRACE_S = 15.0
"""From our clock's end to the end of the last process."""


class DispatchSite(NamedTuple):
    """Where a dispatch takes place."""

    origin: str
    path: str
    """Path of the scenario below `origin`, with its leading slash."""
    folder: Path
    """The checkout."""
    home: Path
    door: ProcessDoor

    @property
    def base(self) -> str:
        """The scenario's whole address."""
        return self.origin + self.path


class BackendSubject(NamedTuple):
    """A backend under test."""

    name: str
    open: Callable[[DispatchSite], Agent]
    is_program: Callable[[int], bool]
    """Tells the agent's own process from its tools, by the number."""
    model: str = "scripted"
    brief_s: float = 12.0
    """For what never ends: long enough for the program to start and to work a little."""
    tool_s: float = 1.5
    """From a tool's call to the tool at work."""
    box: SandboxChoice = SandboxChoice.AUTO
    """What it is to work in: by itself, the best that the machine gives."""


class Model(Protocol):
    """A model on loopback that plays the scenarios which the cases name."""

    @property
    def origin(self) -> str:
        """Scheme, host and port."""

    def path(self, scenario: str, label: str = "", *, is_blind: bool = False) -> str:
        """Return the path that plays a scenario, or with `is_blind` one that does not name it."""

    def has_reached(self, scenario: str, label: str) -> bool:
        """Check whether a run is in its scenario's last tool or waits for an answer that never comes."""


class ConformanceBench:
    """One case on one subject."""

    def __init__(self, case: Case, model: Model, place: Path, label: str, subject: BackendSubject) -> None:
        self._case, self._model, self._label, self._subject = case, model, label, subject
        self._place = place
        self.folder = place / "work"
        home, logs = place / "home", place / "logs"
        lay_out(self.folder)
        logs.mkdir()
        path = model.path(case.scenario, label, is_blind=True)
        origin = NOWHERE if case.has_no_server else model.origin
        self.site = DispatchSite(origin, path, self.folder, home, ProcessDoor())
        self.timeout_s = subject.brief_s if case.never_ends else case.timeout_s
        checkout = str(self.folder / "gone" if case.has_no_checkout else self.folder)
        self.request = AgentRequest(
            directive=_directive(is_planning=case.is_planning),
            checkout=checkout,
            sandbox=SandboxRequest(choice=subject.box, writable=(checkout,), home=str(home)),
            logs=str(logs / "dispatch"),
            home=str(home),
            timeout_s=self.timeout_s,
            silence_s=subject.brief_s if case.is_silent else None,
            budget_usd=case.budget_usd,
            output_limit=case.output_limit,
            model=subject.model,
        )

    def dispatch(self) -> AgentReply:
        """Run the case, with every interruption it asks for, and return the reply."""
        agent = self._subject.open(self.site)
        if self._case.is_stopped:
            self._later(self.site.door.stop_all)
        if self._case.hit_by is not None:
            self._later(self._hit)
        reply = agent.dispatch(self.request)
        if self._case.is_recovered:
            recovered = self._subject.open(self.site).recover(self.request)
            assert recovered == reply, "another driver must read the same reply from what is left"
        return reply

    def left_over(self) -> list[int]:
        """Return the processes that still run for this dispatch."""
        mark = str(self._place).encode()
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (each / "environ").read_bytes() and int(each.name) != os.getpid():
                    found.append(int(each.name))
        return found

    def clear(self) -> None:
        """Kill what is left."""
        for process in self.left_over():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)

    def _later(self, what: Callable[[], None]) -> None:
        def run() -> None:
            give_up = time.monotonic() + _START_S
            while time.monotonic() < give_up:
                if self._model.has_reached(self._case.scenario, self._label):
                    break
                time.sleep(0.02)
            time.sleep(self._subject.tool_s)
            what()

        threading.Thread(target=run, daemon=True).start()

    def _hit(self) -> None:
        for process in self.left_over():
            # It may end at any time.
            with contextlib.suppress(OSError):
                if self._subject.is_program(process):
                    os.kill(process, self._case.hit_by or signal.SIGKILL)


def problems(case: Case, reply: AgentReply, bench: ConformanceBench) -> tuple[str, ...]:
    """Return everything that a backend reported or did wrong, empty if it conforms."""
    if case.is_stopped:
        return () if reply.stopped else (f"it was stopped and reports something else: {reply}",)
    return (*_of_the_reply(case, reply, bench), *_of_the_files(case, reply, bench))


def _of_the_reply(case: Case, reply: AgentReply, bench: ConformanceBench) -> tuple[str, ...]:
    """Return the problem of the reply, if any: a wrong class of failure, or a wrong answer."""
    failure, said = reply.failure_class, reply.answer or b""
    if reply.answer is not None and isinstance(parse_answer(bench.request.directive, said), str):
        failure = FailureClass.MALFORMED_ANSWER  # as the engine reads it
    if failure is None and reply.answer is None:
        return (f"neither an answer nor a class of failure: {reply}",)
    if failure is not None:
        if failure not in case.fails:
            return (f"{failure} is not among {sorted(case.fails)}: {reply}",)
        return () if reply.answer is not None or reply.detail else ("a failure without a detail",)
    if case.fails != ANSWERED and not case.may_answer:
        return (f"an answer where there can be none: {reply}",)
    given = msgspec.json.decode(said, type=dict[str, object])
    expected = msgspec.json.decode(case.answer, type=dict[str, object])
    is_expected = all(given.get(name) == value for name, value in expected.items())
    return () if is_expected else (f"it answered {said!r}, not {case.answer!r}",)


def _of_the_files(case: Case, reply: AgentReply, bench: ConformanceBench) -> tuple[str, ...]:
    is_edited = NEW in (bench.folder / FILE).read_text()
    found = []
    if case.edited not in (None, is_edited):
        found.append(f"{FILE} is {'' if is_edited else 'not '}edited: {reply}")
    if case.may_answer and reply.answer is not None and not is_edited:
        found.append(f"it answers and has not done the work: {reply}")
    found += [f"{name} is missing: {reply}" for name in case.made if not (bench.folder / name).exists()]
    found += [f"{name} is there: {reply}" for name in case.absent if (bench.folder / name).exists()]
    return tuple(found)


def lay_out(folder: Path) -> None:
    """Make the folder that the scenarios speak of."""
    folder.mkdir(parents=True)
    (folder / FILE).write_text('GREETING = "hello"\n\n\ndef greet():\n    return GREETING\n')
    env = {"PATH": os.defpath + ":/usr/local/bin", "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "first")):
        ran = ask(("git", *words), cwd=str(folder), env=env)
        assert ran.exit_code == 0, ran.stderr


def _directive(*, is_planning: bool) -> Directive:
    key = EffectKey("implement/T1/attempt-1/dispatch-1")
    if is_planning:
        return Directive(
            key=key, payload=PlanRequest(ticket=Ticket(title="Change the greeting"), facts=Facts())
        )
    task = Task(id=TaskId("T1"), title="Change the greeting", wave=1, verification=())
    return Directive(key=key, payload=WorkRequest(task=task, goal="Change the greeting"))


def time_allowed(bench: ConformanceBench) -> float:
    """Return the seconds after which a dispatch must have come back, whatever happened."""
    return bench.timeout_s + _GRACE_S


Subjects = Mapping[str, BackendSubject]
