"""The deliver flow as a pure function of state."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from world import BASE, World, contract, honest, task

from signoff.delivery.context.run_view import SEAL
from signoff.domain.base.findings import Finding
from signoff.domain.base.typed_ids import CommitId, EffectKey, HaltId
from signoff.domain.evidence.receipts import Result
from signoff.domain.evidence.verdict import Standing
from signoff.domain.machine.trees import CaptureProblem, ProblemKind
from signoff.domain.run.directives import WorkRequest
from signoff.domain.run.effects import Dispatch, Effect, RunCheck
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.halts import HaltCode
from signoff.domain.run.outcomes import AgentFailed, AgentFailure, Captured, Outcome, Sealed
from signoff.domain.run.surveys import StepStatus
from signoff.domain.work.checks import Place
from signoff.engine.run_state import State

TWO = (task(1), task(2))


def standings(world: World) -> dict[str, Standing]:
    verdict = world.survey().verdict
    assert verdict is not None
    return {row.clause: row.standing for row in verdict.clauses}


def test_an_honest_delivery_is_signed_off() -> None:
    world = World(contract(TWO))

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF
    assert set(standings(world).values()) == {Standing.PROVEN}


@given(data=st.data())
def test_every_completion_order_of_a_wave_ends_in_the_same_tree_and_verdict(data: st.DataObject) -> None:
    tasks = (task(1), task(2), task(3), task(4, 2, ("T1", "T3")))
    orderly, shuffled = World(contract(tasks)), World(contract(tasks))
    for world in (orderly, shuffled):
        world.asks.add("implement/T2/attempt-1/dispatch-1")

    def choose(running: int) -> int:
        return data.draw(st.integers(0, running - 1))

    orderly.run()
    orderly.answer(HaltId("implement/T2/attempt-1/dispatch-1"), "a")
    first = orderly.run()
    shuffled.run(choose)
    shuffled.answer(HaltId("implement/T2/attempt-1/dispatch-1"), "a")
    second = shuffled.run(choose)

    assert second.conclusion == first.conclusion
    assert second.verdict == first.verdict
    assert shuffled.state.done == orderly.state.done


def test_a_question_halts_its_own_task_and_no_other() -> None:
    world = World(contract(TWO))
    world.asks.add("implement/T1/attempt-1/dispatch-1")

    rest = world.run()

    assert [halt.code for halt in rest.halts] == [HaltCode.TASK_QUESTION]
    assert "implement/T2/attempt-1/check/T2/check-1" in world.state.done
    assert not any(key.endswith("/merge") for key in world.state.done)


def test_the_answer_reaches_the_agent_and_its_work_goes_on_from_where_it_was() -> None:
    world = World(contract(TWO))
    world.asks.add("implement/T1/attempt-1/dispatch-1")
    world.run()

    world.answer(HaltId("implement/T1/attempt-1/dispatch-1"), "b")
    (dispatch,) = world.survey().effects

    assert isinstance(dispatch, Dispatch)
    assert dispatch.start != BASE
    assert isinstance(dispatch.directive.payload, WorkRequest)
    assert dispatch.directive.payload.answers[0].answer == "b"


def test_a_task_that_fails_its_own_check_is_reworked_with_the_failure_quoted() -> None:
    def second_try(effect: RunCheck) -> Result:
        first = effect.key.startswith("implement/T2/attempt-1/")
        return Result.FAIL if first else honest(effect)

    world = World(contract(TWO), second_try)

    end = world.run().conclusion

    again = world.dispatched["implement/T2/attempt-2/dispatch-1"]
    assert isinstance(again, WorkRequest)
    assert again.failures[0].clause == "T2/check-1"
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_rework_ends_at_its_cap_and_the_run_is_refused() -> None:
    world = World(contract(TWO), lambda effect: Result.FAIL if "T2" in effect.clause else honest(effect))

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.REFUSED
    assert "implement/T2/attempt-4/dispatch-1" in world.state.done
    assert "implement/T2/attempt-5/dispatch-1" not in world.state.done


def test_a_failing_task_stops_its_dependants_only() -> None:
    tasks = (task(1), task(2), task(3, 2, ("T1",)), task(4, 2, ("T2",)))
    world = World(contract(tasks), lambda e: Result.FAIL if e.clause.startswith("T1/") else honest(e))

    world.run()

    assert "implement/T4/attempt-1/merge" in world.state.done
    assert not any(key.startswith("implement/T3/") for key in world.state.done)


def test_a_plan_whose_check_passes_on_the_base_is_sent_back_and_then_refused() -> None:
    world = World(contract(TWO), lambda _effect: Result.PASS)

    rest = world.run()

    assert rest.conclusion is not None
    assert rest.conclusion.status is RunStatus.REFUSED
    assert "vacuous" in rest.conclusion.why
    assert "plan/attempt-3/dispatch-1" in world.state.done
    assert not any(key.startswith("implement/") for key in world.state.done)
    assert rest.steps["implement"] is StepStatus.SKIPPED


def test_red_receipts_come_before_work_starts() -> None:
    world = World(contract(TWO))

    world.run()

    keys = list(world.state.done)
    red = max(i for i, key in enumerate(keys) if "/base/" in key)
    assert red < min(i for i, key in enumerate(keys) if key.startswith("implement/"))


def test_a_test_check_is_red_on_base_plus_tests_before_it_is_green() -> None:
    tested = {**task(1), "verification": [{"type": "tests", "select": ["tests/test_greet.py"]}]}
    world = World(contract((tested,)))

    world.run()

    keys = list(world.state.done)
    red, green = "verify/round-1/red/T1/check-1", "verify/round-1/final/T1/check-1"
    assert keys.index(EffectKey(red)) < keys.index(EffectKey(green))


def test_without_approval_by_policy_a_person_is_asked_before_the_seal() -> None:
    world = World(contract(TWO))
    world.state = _without_policy(world)

    rest = world.run()

    assert [halt.code for halt in rest.halts] == [HaltCode.PLAN_APPROVAL]
    assert world.survey().final is None


def test_only_an_approval_typed_on_a_terminal_is_a_persons() -> None:
    for how, approver in ((How.TERMINAL, "person"), (How.RELAYED, "nobody")):
        world = World(contract(TWO))
        world.state = _without_policy(world)
        world.run()
        world.answer(HaltId("plan/attempt-1/approval"), "approve", how)

        world.run()

        sealed = world.state.done[SEAL]
        assert isinstance(sealed, Sealed)
        assert sealed.approver == approver


def test_an_unclear_ticket_stops_before_anything_runs() -> None:
    world = World(contract(TWO))
    assert world.state.start is not None
    vague = world.put({"id": "X-1", "title": "Do it", "acceptance_criteria": ["TBD"]})
    world.state = replace(world.state, start=replace(world.state.start, ticket=vague))

    rest = world.run()

    assert [halt.code for halt in rest.halts] == [HaltCode.TICKET_UNCLEAR]
    assert not world.state.done


def test_a_gate_that_fails_after_the_merge_sends_the_last_task_back() -> None:
    def until_second_round(effect: RunCheck) -> Result:
        if effect.key == "test/round-1/final/gate/tests":
            return Result.FAIL
        return honest(effect)

    world = World(contract(TWO), until_second_round)

    end = world.run().conclusion

    assert "implement/T2/attempt-2/dispatch-1" in world.state.done
    assert "implement/T1/attempt-2/dispatch-1" not in world.state.done
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_what_could_not_be_judged_is_neither_signed_off_nor_refused() -> None:
    def unreadable(effect: RunCheck) -> Result:
        lost = effect.clause == "gate/tests" and effect.place is Place.FINAL
        return Result.PARTIAL if lost else honest(effect)

    world = World(contract(TWO), unreadable)

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.NOT_JUDGED


def test_no_agent_is_sent_back_for_a_gate_that_was_red_on_the_base() -> None:
    def red_before(effect: RunCheck) -> Result:
        return Result.FAIL if effect.clause == "gate/tests" else honest(effect)

    world = World(contract(TWO), red_before)

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.REFUSED
    assert "was red on the base already" in end.why
    assert not any("attempt-2" in key for key in world.state.done)


def test_no_policy_agrees_to_a_plan_that_asks_for_less_than_it_could() -> None:
    guard = {"type": "file-exists", "path": "file1.py", "guard": True}
    for plan in (
        contract(TWO, spec_changes=["tests/test_old.py::test_it"]),
        contract(TWO, guards=["*"]),
        contract(({**task(1), "verification": [guard]},)),
    ):
        world = World(plan)
        (halt,) = world.run().halts
        assert halt.code is HaltCode.PLAN_APPROVAL
        assert "asks for less than it could" in halt.question

        world.answer(halt.id, "approve", How.RELAYED)
        assert world.run().halts

        world.answer(halt.id, "approve", How.TERMINAL)
        assert not world.run().halts


def test_a_run_whose_task_broke_the_rules_is_refused_whatever_the_result_looks_like() -> None:
    class Meddler(World):
        def outcome(self, effect: Effect) -> Outcome:
            outcome = super().outcome(effect)
            if isinstance(outcome, Captured) and effect.key.startswith("implement/T1/"):
                return replace(outcome, findings=(Finding(code="state-touched", message="no"),))
            return outcome

    world = Meddler(contract(TWO))

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.REFUSED
    assert standings(world)["gate/conduct"] is Standing.FAILED


def test_the_next_attempt_does_not_build_on_work_that_broke_the_rules() -> None:
    """What was found in it would be delivered with the second attempt, which did nothing wrong."""

    class Clumsy(World):
        def __init__(self) -> None:
            super().__init__(contract((task(1),)))
            self.starts: list[CommitId] = []

        def outcome(self, effect: Effect) -> Outcome:
            outcome = super().outcome(effect)
            if isinstance(effect, Dispatch) and effect.key.startswith("implement/"):
                self.starts.append(effect.start)
            if isinstance(outcome, Captured) and "/attempt-1/" in effect.key:
                return replace(outcome, findings=(Finding(code="outside-write", message="no"),))
            return outcome

    world = Clumsy()

    end = world.run().conclusion

    assert world.starts == [BASE, BASE]
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_files_that_cannot_be_captured_leave_the_run_unjudged() -> None:
    class Broken(World):
        def outcome(self, effect: Effect) -> Outcome:
            outcome = super().outcome(effect)
            if isinstance(outcome, Captured):
                problem = CaptureProblem(kind=ProblemKind.SUBMODULE_DIRTY, path="lib")
                return replace(outcome, problems=(problem,))
            return outcome

    end = Broken(contract((task(1),)), lambda e: Result.PASS if "/base/" not in e.key else Result.FAIL)
    found = end.run()

    assert standings(end)["gate/conduct"] is Standing.NOT_JUDGED
    assert found.conclusion is not None


def test_a_relayed_answer_does_not_reset_the_retries() -> None:
    class Crashing(World):
        def outcome(self, effect: Effect) -> Outcome:
            if isinstance(effect, Dispatch) and effect.key.startswith("implement/"):
                return AgentFailed(failure=AgentFailure.CRASHED)
            return super().outcome(effect)

    world = Crashing(contract((task(1),)))
    (halt,) = world.run().halts

    world.answer(halt.id, "try again", How.RELAYED)
    assert [h.id for h in world.run().halts] == [halt.id]

    world.answer(halt.id, "try again", How.TERMINAL)
    assert [h.id for h in world.run().halts] != [halt.id]


def test_a_behavioral_check_is_seen_red_with_the_citations_that_show_the_result() -> None:
    behavioral = {
        "type": "behavioral",
        "description": "it greets",
        "evidence_required": [{"path": "file1.py", "description": "the greeting"}],
    }
    world = World(contract(({**task(1), "verification": [behavioral]},)))

    world.run()

    keys = list(world.state.done)
    assert not any(key.startswith("plan/attempt-1/base/") for key in keys)
    red, green = "verify/round-1/red/T1/check-1", "verify/round-1/final/T1/check-1"
    assert keys.index(EffectKey(red)) < keys.index(EffectKey(green))


def _without_policy(world: World) -> State:
    assert world.state.start is not None
    return replace(world.state, start=replace(world.state.start, approve_plan=False))
