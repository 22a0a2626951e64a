"""Looking over an agent's shoulder: from its growing file to what a person sees."""

import threading
from pathlib import Path

from signoff.agents.output_tail import Tail
from signoff.delivery.context.agent_activity import Doing
from signoff.delivery.context.agent_watch import DispatchesInFlight, InFlight
from signoff.domain.base.typed_ids import EffectKey, TaskId
from signoff.domain.machine.activity import Activity, Spoke, ToolStarted
from signoff.domain.run.agents import AgentReply, AgentRequest
from signoff.domain.run.directives import Directive, WorkRequest
from signoff.domain.work.contract import Task

KEY = EffectKey("implement/T1/attempt-1/dispatch-1")


def read(line: bytes) -> list[Activity]:
    return [Spoke(text=line.decode().strip())]


def test_only_what_is_new_is_read_and_a_torn_line_waits(tmp_path: Path) -> None:
    """Read again from its start, a file of 50 MB would cost a core for as long as the agent works."""
    path = tmp_path / "out"
    tail = Tail(str(path), read)

    assert list(tail.more()) == []
    path.write_bytes(b"one\ntw")
    assert list(tail.more()) == [Spoke(text="one")]
    path.write_bytes(b"one\ntwo\n")
    assert list(tail.more()) == [Spoke(text="two")]
    assert list(tail.more()) == []


class Quiet:
    name = "command"
    works_in_a_box = None

    def dispatch(self, request: AgentRequest) -> AgentReply:
        raise NotImplementedError

    def recover(self, request: AgentRequest) -> AgentReply | None:
        raise NotImplementedError

    def was_started(self, request: AgentRequest) -> bool:
        raise NotImplementedError


class Open(Quiet):
    name = "claude"
    works_in_a_box = None

    def follow(self, request: AgentRequest):  # type: ignore[no-untyped-def]
        """Give one tool call, once."""
        calls = [[ToolStarted(id="1", tool="Edit", about=f"{request.checkout}/src/a.py")]]
        return lambda: iter(calls.pop() if calls else [])


def request(folder: Path) -> AgentRequest:
    task = Task(id=TaskId("T1"), title="Greet", wave=1, verification=())
    directive = Directive(key=KEY, payload=WorkRequest(task=task, goal="Somebody is greeted"))
    return AgentRequest(directive=directive, checkout=str(folder), logs=str(folder / "log"), timeout_s=1)


def test_a_dispatch_is_seen_while_it_goes_on_and_names_files_as_the_checkout_does(tmp_path: Path) -> None:
    in_flight = DispatchesInFlight()

    with in_flight.working(KEY, Open(), request(tmp_path)):
        first, second = in_flight.look(), in_flight.look()

    assert first == second == {KEY: InFlight("claude", Doing(tool="Edit", about="src/a.py", tool_calls=1))}
    assert in_flight.look() == {}


def test_an_agent_that_cannot_be_read_is_seen_without_what_it_does(tmp_path: Path) -> None:
    in_flight = DispatchesInFlight()
    with in_flight.working(KEY, Quiet(), request(tmp_path)):
        assert in_flight.look() == {KEY: InFlight("command", None)}


def test_dispatches_come_and_go_while_somebody_looks(tmp_path: Path) -> None:
    """The view draws from a thread of its own; a changed dictionary would end it."""
    in_flight, asked = DispatchesInFlight(), request(tmp_path)

    def work(number: int) -> None:
        for turn in range(50):
            with in_flight.working(EffectKey(f"{number}/{turn}"), Open(), asked):
                pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        in_flight.look()

    assert in_flight.look() == {}
