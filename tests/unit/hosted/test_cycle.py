"""A cycle of a hosted run, with every port in memory."""

import json

import pytest
from hosted_world import PLAN, TICKET
from memory_kit import events_of

from signoff.domain.base.errors import UsageError
from signoff.domain.run.events import CycleStarted, StateExported
from signoff.domain.run.golden import Observations, Scenario
from signoff.domain.run.halts import HaltKind
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import WorkInput
from signoff.engine.run.kit import HostedKit
from signoff.hosted.cycle import Cycled, CycleRequest, cycle
from signoff.testing.hosted.recorded import RecordedStage

FILE = "/golden/.work-state.json"
GIVEN = WorkInput(kind=InputKind.TICKET, data=TICKET)


@pytest.fixture
def kit() -> HostedKit:
    scenario = Scenario(id="one", description="one file", files={"a.py": "x = 1\n"}, git=False)
    stage = RecordedStage(scenario, Observations())
    hosted = stage.kit().hosted
    assert hosted is not None
    return hosted()


def exported(kit: HostedKit) -> dict[str, object]:
    data = kit.links.load(FILE)
    assert data is not None
    found: dict[str, object] = json.loads(data)
    return found


def run(kit: HostedKit, given: WorkInput | None = None) -> Cycled:
    return cycle(kit, CycleRequest(FILE, "ada", given))


def test_a_first_cycle_halts_for_the_plan_and_gives_the_state_file_out(kit: HostedKit) -> None:
    done = run(kit, GIVEN)

    (halt,) = done.survey.halts
    events = events_of(done.folder)  # type: ignore[arg-type]
    assert (halt.kind, halt.verb) == (HaltKind.AGENT, "create-plan")
    assert exported(kit)["input"] == {"kind": "ticket", "data": TICKET}
    assert [type(event) for event in events if isinstance(event, CycleStarted | StateExported)] == [
        CycleStarted,
        StateExported,
    ]


def test_a_plan_that_the_host_writes_moves_the_run_on_by_one_step(kit: HostedKit) -> None:
    run(kit, GIVEN)
    kit.links.save(FILE, json.dumps({**exported(kit), "plan": PLAN}).encode())

    done = run(kit)

    (halt,) = done.survey.halts
    assert (done.state.cycles, halt.verb) == (2, "apply-plan")


def test_a_cycle_without_a_state_file_and_without_input_begins_nothing(kit: HostedKit) -> None:
    with pytest.raises(UsageError) as refused:
        run(kit)

    assert refused.value.slug == "input-missing"
    assert kit.store.list() == ()
