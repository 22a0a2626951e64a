"""Agents in the open are watched, and told apart as far as that is possible."""

import msgspec

from signoff.delivery.context.outside_changes import (
    Lookout,
    OpenDispatch,
    findings_of,
    told_by,
    with_findings,
)
from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import Digest, EffectKey, TaskId
from signoff.domain.machine.surroundings import Fingerprint, Surroundings, Touched
from signoff.domain.run.agents import AgentReply
from signoff.domain.run.directives import Directive, Facts, PlanRequest, WorkRequest
from signoff.domain.run.events import Done
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, AgentFailure, Interrupted, Outcome, Usage
from signoff.domain.work.contract import Task
from signoff.domain.work.ticket import Ticket
from signoff.engine.run_state import State

KEY = EffectKey("implement/T1/attempt-1/dispatch-1")
OTHER = EffectKey("implement/T2/attempt-1/dispatch-1")
DONE = AgentAnswered(answer=Digest("sha256:0"), kind="done")
TASK = Task(id=TaskId("T1"), title="T", wave=1, verification=())
WORK = Directive(key=KEY, payload=WorkRequest(task=TASK, goal="g"))
PLAN = Directive(key=KEY, payload=PlanRequest(ticket=Ticket(title="t"), facts=Facts()))


class World:
    """Files that change when somebody says so."""

    def __init__(self) -> None:
        self.person: dict[str, Fingerprint] = {}
        self.engine: dict[str, Fingerprint] = {}

    def look(self) -> Surroundings:
        return Surroundings({**self.person}, {**self.engine}, {}, {})


def test_one_agent_alone_answers_for_what_only_an_agent_can_have_done() -> None:
    world = World()
    with Lookout().over(KEY, world.look) as watch:
        world.engine["stray"] = world.person["a.py"] = (1, 1, 1)

    certain, doubts = findings_of(watch)

    assert [(f.code, f.path) for f in certain] == [("outside-write", "stray")]
    assert [f.path for f in doubts] == ["a.py"]
    assert "it may have been you" in doubts[0].message


def test_agents_side_by_side_are_not_accused_of_each_others_doings() -> None:
    """Nobody can tell which of them it was, so a person is asked; who came later or earlier is not in it."""
    world, lookout = World(), Lookout()
    with lookout.over(EffectKey("implement/T0/attempt-1/dispatch-1"), world.look):
        pass
    with lookout.over(KEY, world.look) as one, lookout.over(OTHER, world.look) as other:
        world.engine["stray"] = (1, 1, 1)
    with lookout.over(EffectKey("implement/T3/attempt-1/dispatch-1"), world.look) as later:
        pass

    assert (one.beside, other.beside, later.beside) == ({OTHER}, {KEY}, set())
    assert later.touched == Touched()
    for watch in (one, other):
        certain, doubts = findings_of(watch)
        assert certain == ()
        assert [f.path for f in doubts] == ["stray"]
    assert "implement/T2" in findings_of(one)[1][0].message


def test_what_an_agent_did_is_in_its_outcome_and_a_planner_that_wrote_has_failed() -> None:
    watch = OpenDispatch(KEY)
    watch.touched = Touched(("stray",), ())

    worked = with_findings(DONE, AgentReply(outside=("/etc/x",)), WORK, watch)
    planned = with_findings(DONE, AgentReply(), PLAN, watch)

    assert isinstance(worked, AgentAnswered)
    assert [f.path for f in worked.outside] == ["stray", "/etc/x"]
    assert isinstance(planned, AgentFailed)
    assert (planned.retryable, planned.detail) == (False, "it wrote outside its checkout: stray")
    assert with_findings(DONE, AgentReply(), WORK, OpenDispatch(KEY)) == DONE
    assert with_findings(None, AgentReply(), WORK, watch) is None


def test_a_record_stays_small_however_much_was_touched() -> None:
    watch = OpenDispatch(KEY)
    watch.touched = Touched(tuple(f"{n:03}" + "é" * 500 for n in range(900)), ("b" * 500,) * 900)

    outcome = with_findings(DONE, AgentReply(outside=("/x" * 300,) * 20), WORK, watch)

    assert isinstance(outcome, AgentAnswered)
    assert len(str(outcome).encode()) < 3000
    assert outcome.outside[-1].message.endswith("and 897 more")


def test_the_longest_question_leaves_room_for_what_was_touched() -> None:
    """A record of the journal is below 4 KB, with its own head of some 300 bytes."""
    watch = OpenDispatch(KEY)
    watch.beside = {EffectKey(f"implement/T{n}/attempt-1/dispatch-1") for n in range(2, 40)}
    watch.touched = Touched((), tuple(f"{n:03}" + '"' * 500 for n in range(900)))
    usage = Usage(model="m" * 80, session="s" * 80, version="v" * 80, input_tokens=10**12, cost_usd=1 / 3)
    asked = AgentAnswered(
        answer=Digest("sha256:" + "0" * 64),
        kind="question",
        question="q" * 1000,
        options=("o" * 120,) * 9,
        usage=usage,
    )

    for reply in (AgentReply(), AgentReply(outside=tuple(f"/x{n}" * 80 for n in range(20)))):
        outcome = with_findings(asked, reply, WORK, watch)
        assert outcome is not None
        assert len(msgspec.json.encode(Done(key=KEY, outcome=outcome))) < 3800


def test_a_dispatch_that_failed_on_the_way_counts_for_its_attempt() -> None:
    """Writing elsewhere and then crashing would be a way around it."""
    wrote = (Finding(code="outside-write", message="m", path="stray"),)
    crashed = AgentFailed(failure=AgentFailure.CRASHED, outside=wrote, doubts=wrote)
    done: dict[EffectKey, Outcome] = {
        KEY: crashed,
        EffectKey("implement/T1/attempt-1/dispatch-2"): Interrupted(),
        EffectKey("implement/T1/attempt-1/dispatch-3"): DONE,
        EffectKey("implement/T1/attempt-2/dispatch-1"): DONE,
    }

    assert told_by(State(done=done), EffectKey("implement/T1/attempt-1/dispatch-3")) == (wrote, wrote)
    assert told_by(State(done=done), EffectKey("implement/T1/attempt-2/dispatch-1")) == ((), ())
