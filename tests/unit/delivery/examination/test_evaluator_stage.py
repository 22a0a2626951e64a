"""An evaluator can send green work back, and nothing else."""

import pytest
from world import World, contract, honest, task

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.base.typed_ids import HaltId, TreeId
from signoff.domain.evidence.receipts import Result
from signoff.domain.evidence.verdict import ClauseVerdict, Standing
from signoff.domain.run.directives import EvaluateRequest, Evaluation, EvaluatorFinding, WorkRequest
from signoff.domain.run.effects import CaptureTree, Effect, RunCheck
from signoff.domain.run.events import How, RunStatus
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, AgentFailure, Captured, Outcome
from signoff.domain.run.surveys import Survey
from signoff.domain.work.settings import EvaluateSettings, Settings

ONE = contract([task(1)])
ASKED = Settings(evaluate=EvaluateSettings(agent=True))
DEMANDED = Settings(evaluate=EvaluateSettings(required=True))
FIRST = "verify/round-1/evaluate/dispatch-1"
CRITERION = "T1/criterion-1"


def finding(clause: str = CRITERION, line: int = 2, snippet: str = "two lines") -> EvaluatorFinding:
    return EvaluatorFinding(clause=clause, path="file1.py", line=line, snippet=snippet, message="wrong")


def found(world: World, *findings: EvaluatorFinding) -> AgentAnswered:
    return AgentAnswered(answer=world.put(Evaluation(findings=findings)), kind="evaluation")


def row(end: Survey, clause: str) -> ClauseVerdict:
    assert end.verdict is not None
    return next(one for one in end.verdict.clauses if one.clause == clause)


def status(end: Survey) -> RunStatus:
    assert end.conclusion is not None
    return end.conclusion.status


def test_nobody_is_asked_unless_the_settings_say_so() -> None:
    world = World(ONE)
    world.run()

    assert not any(isinstance(asked, EvaluateRequest) for asked in world.dispatched.values())


def test_an_evaluator_is_asked_once_all_is_green_and_told_what_must_hold() -> None:
    world = World(ONE, settings=ASKED)
    end = world.run()

    asked = world.dispatched[FIRST]
    assert isinstance(asked, EvaluateRequest)
    assert CRITERION in [clause.id for clause in asked.clauses]
    assert asked.files == ("file1.py",)
    assert status(end) is RunStatus.SIGNED_OFF
    assert row(end, "gate/evaluation").standing is Standing.PROVEN


def test_no_evaluator_is_paid_while_something_is_red() -> None:
    """Its praise could change nothing, and its findings would come too early."""

    def red(effect: RunCheck) -> Result:
        return Result.FAIL if effect.place == "final" and effect.clause == "T1/check-1" else honest(effect)

    world = World(ONE, red, settings=ASKED)
    end = world.run()

    assert FIRST not in world.dispatched
    assert status(end) is RunStatus.REFUSED
    assert row(end, "T1/check-1").standing is Standing.FAILED


def test_a_finding_that_stands_sends_its_task_back_and_a_better_result_is_signed_off() -> None:
    world = World(ONE, settings=ASKED)
    world.evaluations[FIRST] = found(world, finding())
    end = world.run()

    again = world.dispatched["implement/T1/attempt-2/dispatch-1"]
    assert isinstance(again, WorkRequest)
    assert [failure.clause for failure in again.failures] == [CRITERION]
    assert "file1.py:2: wrong" in again.failures[0].detail
    assert "verify/round-2/evaluate/dispatch-1" in world.dispatched
    assert status(end) is RunStatus.SIGNED_OFF


@pytest.mark.parametrize("clause", [CRITERION, "", "gate/evaluation", "no-such-clause"])
def test_a_finding_that_nobody_mends_refuses_the_delivery(clause: str) -> None:
    world = World(ONE, settings=ASKED)
    for number in range(1, 6):
        world.evaluations[f"verify/round-{number}/evaluate/dispatch-1"] = found(world, finding(clause))
    end = world.run()

    blamed = clause if clause == CRITERION else "gate/evaluation"
    assert status(end) is RunStatus.REFUSED
    assert row(end, blamed).standing is Standing.FAILED
    assert len([key for key in world.dispatched if "/evaluate/" in key]) == 4


def test_an_invented_finding_changes_nothing_and_is_counted() -> None:
    world = World(ONE, settings=ASKED)
    world.evaluations[FIRST] = found(world, finding(snippet="not there"), finding(line=70))
    end = world.run()

    assert status(end) is RunStatus.SIGNED_OFF
    assert "implement/T1/attempt-2/dispatch-1" not in world.dispatched
    assert any("2 cited what is not there" in note for note in end.notes)


LOST = AgentFailed(failure=AgentFailure.NOT_STARTED, failure_class=FailureClass.AUTH, retryable=False)
CRASHED = AgentFailed(failure=AgentFailure.CRASHED)


@pytest.mark.parametrize("settings", [ASKED, DEMANDED])
@pytest.mark.parametrize("failure", [LOST, CRASHED, None])
def test_an_absent_evaluator_approves_nothing(settings: Settings, failure: Outcome | None) -> None:
    """It stops a delivery only where one was demanded, and no person is asked to wait for it."""
    world = World(ONE, settings=settings)
    blocked = AgentAnswered(
        answer=world.put({"kind": "blocked", "reason": "x"}), kind="blocked", question="x"
    )
    for number in range(1, 6):
        world.evaluations[f"verify/round-1/evaluate/dispatch-{number}"] = failure or blocked
    end = world.run()

    assert row(end, "gate/evaluation").standing is Standing.NOT_JUDGED
    assert any("nobody evaluated" in note for note in end.notes)
    expected = RunStatus.NOT_JUDGED if settings is DEMANDED else RunStatus.SIGNED_OFF
    assert status(end) is expected


class Stubborn(World):
    """Every attempt hands in the same files."""

    def outcome(self, effect: Effect) -> Outcome:
        seen = super().outcome(effect)
        if isinstance(effect, CaptureTree) and isinstance(seen, Captured):
            return Captured(commit=seen.commit, tree=TreeId("same"), files=1)
        return seen


def test_an_attempt_that_hands_in_the_same_files_is_the_last_one() -> None:
    """Another dispatch would pay for the same answer again."""

    def red(effect: RunCheck) -> Result:
        return Result.FAIL if effect.place == "task" else honest(effect)

    world = Stubborn(ONE, red)
    end = world.run()

    asked = [key for key in world.dispatched if key.startswith("implement/T1/")]
    assert asked == [f"implement/T1/attempt-{n}/dispatch-1" for n in (1, 2)]
    assert status(end) is RunStatus.REFUSED
    assert any("same files again" in note for note in end.notes)


class Blocked(World):
    """The agent is always blocked, in the same words."""

    def outcome(self, effect: Effect) -> Outcome:
        if effect.key.startswith("implement/") and "/dispatch-" in effect.key and "capture" not in effect.key:
            self.dispatched[effect.key] = getattr(effect, "directive").payload  # noqa: B009
            answer = self.put({"kind": "blocked", "reason": "no key"})
            return AgentAnswered(answer=answer, kind="blocked", question="no key")
        return super().outcome(effect)


@pytest.mark.parametrize(("answers", "dispatches"), [(("use A", "use A"), 2), (("use A", "use B"), 3)])
def test_a_blocked_answer_is_not_tried_again_on_the_same_answer(
    answers: tuple[str, ...], dispatches: int
) -> None:
    world = Blocked(ONE)
    for number, text in enumerate(answers, start=1):
        world.run()
        world.answer(HaltId(f"implement/T1/attempt-1/dispatch-{number}"), text, How.TERMINAL)
    world.run()

    assert len([key for key in world.dispatched if key.startswith("implement/")]) == dispatches
