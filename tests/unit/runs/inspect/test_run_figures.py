"""What figures are told of a hosted run, read from its journal."""

import pytest
from hosted_world import GREEN, PLAN, REVIEWED, SEEN, TICKET, HostedWorld
from msgspec.structs import replace

from signoff.domain.evidence.receipts import Result
from signoff.domain.run.events import Recorded, RunStart
from signoff.domain.run.surveys import DELIVER
from signoff.domain.work.memory import MemoryHit, MemoryKind
from signoff.domain.work.work_state import Persona
from signoff.hosted.flow.hosted_questions import OVERRIDE
from signoff.hosted.report.metrics import RunFacts
from signoff.runs.inspect.run_figures import run_facts


def facts(world: HostedWorld) -> RunFacts:
    found = run_facts(iter(world.records), world.blobs.__getitem__)
    assert found is not None
    return found


def test_a_run_that_was_verified_has_a_start_and_an_end() -> None:
    """The time to a verified change is the time between these two records."""
    world = HostedWorld(parent="RUN0")
    world.deliver()
    found = facts(world)

    assert (found.run, found.parent, found.user) == ("RUN1", "RUN0", "ada")
    assert (found.is_reported, found.is_verified, found.waited_for_person) == (True, True, False)
    assert found.started_at == world.records[1].ts
    assert found.ended_at == world.records[-1].ts


def test_a_plan_without_work_is_reported_and_not_verified() -> None:
    """A step that was skipped is not behind anybody."""
    world = HostedWorld(persona=Persona.ADVISORY)
    world.cycle(plan=PLAN)

    assert (facts(world).is_reported, facts(world).is_verified) == (True, False)


def test_halts_for_the_hosts_agent_are_no_blocks() -> None:
    """Four directives are what a good run looks like."""
    world = HostedWorld()
    world.cycle()
    world.cycle(plan=PLAN)

    assert not facts(world).waited_for_person
    assert facts(world).ended_at == ""


def test_a_question_to_a_person_counts_though_it_was_never_answered() -> None:
    """A host that puts it right by itself leaves no answer behind; the run had halted all the same."""
    world = HostedWorld()
    world.cycle(plan=PLAN, changes=[{"path": SEEN[0].path}], tests={"verdict": "failed"}, verify=REVIEWED)
    assert facts(world).waited_for_person
    world.cycle(tests=GREEN)

    assert facts(world).is_reported
    assert facts(world).waited_for_person
    assert not world.state.answers


def test_a_person_who_overruled_was_waited_for() -> None:
    """The directive led, and yet it took a person to go on."""
    world = HostedWorld()
    world.result = Result.FAIL
    world.deliver()
    (key,) = (key for key in world.state.done if key.startswith("test/"))
    assert not facts(world).waited_for_person
    world.answer(key.replace("/claim-", "/overrule-"), OVERRIDE)
    world.cycle()

    assert facts(world).is_verified
    assert facts(world).waited_for_person


def test_an_unclear_ticket_blocks() -> None:
    world = HostedWorld(TICKET | {"acceptance_criteria": []})
    world.cycle()

    assert facts(world).waited_for_person


@pytest.mark.parametrize(("plan", "mattered"), [(["see ADR-12"], 1), (["see nothing"], 0)])
def test_memory_is_counted_with_what_of_it_mattered(plan: list[str], mattered: int) -> None:
    world = HostedWorld()
    world.hits = (
        MemoryHit(
            id="ADR-12",
            type=MemoryKind.ARCHITECTURE_DECISIONS,
            source="repo",
            path="x.md",
            score=1.0,
            entry="Round half up.",
        ),
    )
    world.deliver(plan=plan)

    assert (facts(world).hits, facts(world).mattered) == (1, mattered)


def test_runs_of_another_flow_have_no_such_facts() -> None:
    """A delivery that the engine drives itself halts, reports and has parents in other ways."""
    world = HostedWorld()

    def elsewhere(recorded: Recorded) -> Recorded:
        event = recorded.event
        return (
            replace(recorded, event=replace(event, flow=DELIVER)) if isinstance(event, RunStart) else recorded
        )

    assert run_facts(map(elsewhere, world.records), world.blobs.__getitem__) is None
    assert run_facts(iter(()), world.blobs.__getitem__) is None
