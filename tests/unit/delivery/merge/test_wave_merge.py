"""A wave comes together the same way whoever finishes first, and a conflict is sent back, not swallowed."""

from hypothesis import given, settings
from hypothesis import strategies as st
from world import BASE, World, contract, honest, task

from signoff.domain.base.caps import Cap
from signoff.domain.base.typed_ids import CommitId, EffectKey, TaskId
from signoff.domain.evidence.receipts import Result
from signoff.domain.run.directives import WorkRequest
from signoff.domain.run.effects import Dispatch, MergeTask, PredictMerge, RunCheck
from signoff.domain.run.events import CapReset, How, RunStatus
from signoff.domain.run.outcomes import Captured, Merged, MergePredicted
from signoff.domain.work.settings import LimitSettings, Settings

PREDICTED = EffectKey("implement/round-1/wave-1/predict-1")


def dispatch_of(name: str, attempt: int = 1) -> str:
    return f"implement/{name}/attempt-{attempt}/dispatch-1"


def start_of(world: World, key: str) -> CommitId:
    """Give what a dispatch starts from; the world must be about to ask for it."""
    return next(e.start for e in world.survey().effects if isinstance(e, Dispatch) and e.key == key)


def run_to(world: World, key: str) -> None:
    """Carry everything out until the flow asks for `key`."""
    for _ in range(200):
        effects = world.survey().effects
        if any(effect.key == key for effect in effects):
            return
        world.intend(effects[0])
        world.finish(effects[0])
    raise AssertionError(f"{key} was never asked for")


def test_all_conflicts_of_a_wave_are_known_before_anything_is_merged() -> None:
    world = World(contract((task(1), task(2), task(3))))
    world.clashes = {(dispatch_of("T1"), dispatch_of("T2")), (dispatch_of("T1"), dispatch_of("T3"))}
    run_to(world, PREDICTED)

    (predict,) = world.survey().effects
    world.intend(predict)
    world.finish(predict)

    outcome = world.state.done[PREDICTED]
    assert isinstance(outcome, MergePredicted)
    assert outcome.conflicts == ("T2", "T3")
    assert not any(isinstance(done, Merged) for done in world.state.done.values())


def test_the_later_task_is_sent_back_to_the_merged_tip_with_the_files_named() -> None:
    """Otherwise two honest agents who met in one file would end the delivery."""
    world = World(contract((task(1), task(2))))
    world.clashes = {(dispatch_of("T1"), dispatch_of("T2"))}
    run_to(world, dispatch_of("T2", 2))
    merged = world.state.done[EffectKey("implement/T1/attempt-1/merge")]
    assert isinstance(merged, Merged)

    start = start_of(world, dispatch_of("T2", 2))
    end = world.run().conclusion

    assert start == merged.commit
    again = world.dispatched[dispatch_of("T2", 2)]
    assert isinstance(again, WorkRequest)
    assert [failure.clause for failure in again.failures] == ["merge-conflict"]
    assert "shared.py" in again.failures[0].detail
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_three_that_meet_in_one_file_take_turns_until_each_is_merged() -> None:
    names = ("T1", "T2", "T3")
    world = World(contract((task(1), task(2), task(3))))
    world.clashes = {
        (dispatch_of(a, n), dispatch_of(b, n)) for n in range(1, 5) for a in names for b in names if a < b
    }

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF
    merges = [key for key in world.state.done if key.endswith("/merge")]
    assert merges == [f"implement/T{n}/attempt-{n}/merge" for n in (1, 2, 3)]


def test_attempts_that_are_used_up_by_conflicts_leave_the_task_unsettled_by_name() -> None:
    names = tuple(f"T{n}" for n in range(1, 7))
    world = World(contract([task(n) for n in range(1, 7)]))
    world.clashes = {
        (dispatch_of(a, n), dispatch_of(b, n)) for n in range(1, 5) for a in names for b in names if a < b
    }

    rest = world.run()

    assert rest.conclusion is not None
    assert rest.conclusion.status is RunStatus.REFUSED
    assert [note.partition(" ")[0] for note in rest.notes] == ["T5", "T6"]
    assert "shared.py" in rest.notes[0]
    assert "4 attempts are used up" in rest.notes[0]


def test_work_that_would_not_merge_is_not_built_upon() -> None:
    """T2's checks failed once; its next attempt would carry a conflict along with it."""

    def second_try(effect: RunCheck) -> Result:
        return Result.FAIL if effect.key.startswith("implement/T2/attempt-1/") else honest(effect)

    world = World(contract((task(1), task(2))), second_try)
    world.clashes = {(dispatch_of("T1"), dispatch_of("T2"))}
    run_to(world, dispatch_of("T2", 2))

    assert start_of(world, dispatch_of("T2", 2)) == BASE
    world.run()
    again = world.dispatched[dispatch_of("T2", 2)]
    assert isinstance(again, WorkRequest)
    assert [failure.clause for failure in again.failures] == ["T2/check-1", "merge-conflict"]


def test_work_that_merges_is_built_upon_and_the_first_task_waits_for_nobody() -> None:
    def second_try(effect: RunCheck) -> Result:
        return Result.FAIL if "/attempt-1/" in effect.key else honest(effect)

    world = World(contract((task(1), task(2))), second_try)
    run_to(world, dispatch_of("T2", 2))

    captured = world.state.done[EffectKey(dispatch_of("T2") + "/capture")]
    assert isinstance(captured, Captured)
    assert start_of(world, dispatch_of("T2", 2)) == captured.commit
    assert "implement/T1/attempt-2/predict" not in world.state.done


def test_a_lone_task_needs_no_prediction() -> None:
    world = World(contract((task(1), task(2, 2, ("T1",)))))

    world.run()

    assert not any(isinstance(outcome, MergePredicted) for outcome in world.state.done.values())


def test_a_run_from_before_predictions_goes_on_without_them() -> None:
    """Its journal would not replay otherwise."""
    world = World(contract((task(1), task(2))), predicts_merges=False)
    world.clashes = {(dispatch_of("T1"), dispatch_of("T2"))}

    end = world.run().conclusion

    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF
    assert PREDICTED not in world.state.done


@settings(max_examples=30)
@given(data=st.data())
def test_clashes_and_failures_end_alike_in_every_order_of_completion(data: st.DataObject) -> None:
    """A prediction that looked at whoever is done already would send back another task in every run."""
    names = [f"T{n}" for n in range(1, 4)]
    tasks = [task(n) for n in range(1, 4)] + [task(4, 2, ("T2",))]
    attempts = st.integers(1, 2)
    pairs = st.tuples(st.sampled_from(names), attempts, st.sampled_from(names), attempts)
    clashes = {
        (dispatch_of(a, i), dispatch_of(b, j))
        for a, i, b, j in data.draw(st.sets(pairs, max_size=8))
        if a != b
    }
    failing = data.draw(st.sets(st.sampled_from(names), max_size=2))
    blocked = data.draw(st.booleans())

    def judging(effect: RunCheck) -> Result:
        if blocked and effect.clause.startswith("T2/"):
            return Result.FAIL
        is_first = any(effect.key.startswith(f"implement/{name}/attempt-1/") for name in failing)
        return Result.FAIL if is_first else honest(effect)

    orderly, shuffled = World(contract(tasks), judging), World(contract(tasks), judging)
    orderly.clashes = shuffled.clashes = clashes

    first = orderly.run()
    second = shuffled.run(lambda running: data.draw(st.integers(0, running - 1)))

    assert second.conclusion == first.conclusion
    assert second.verdict == first.verdict
    assert shuffled.state.done == orderly.state.done
    assert {key: intent.effect for key, intent in shuffled.state.intents.items()} == {
        key: intent.effect for key, intent in orderly.state.intents.items()
    }


def test_predictions_name_the_wave_in_the_contracts_order() -> None:
    world = World(contract((task(2), task(1), task(3))))
    run_to(world, PREDICTED)

    (predict,) = world.survey().effects

    assert isinstance(predict, PredictMerge)
    assert [one.task for one in predict.theirs] == [TaskId("T2"), TaskId("T1"), TaskId("T3")]
    assert predict.ours == BASE


def test_a_conflict_is_sent_back_as_often_as_a_reset_allows() -> None:
    """The cap of attempts is one number, for failed checks and for conflicts alike."""
    world = World(contract((task(1), task(2), task(3))), settings=Settings(limits=LimitSettings(rework=1)))
    world.clashes = {
        (dispatch_of("T1"), dispatch_of("T2")),
        (dispatch_of("T1"), dispatch_of("T3")),
        (dispatch_of("T2", 2), dispatch_of("T3", 2)),
    }
    run_to(world, "implement/round-1/wave-1/predict-2")
    world._record(CapReset(name=Cap.REWORK, reason="because", by="ada", how=How.TERMINAL))

    end = world.run().conclusion

    assert EffectKey(dispatch_of("T3", 3)) in world.state.done
    assert end is not None
    assert end.status is RunStatus.SIGNED_OFF


def test_who_is_accepted_after_a_reset_is_merged_on_top_of_what_is_there() -> None:
    """Merged beside it, the work would be missing from the result, and its task would count as done."""
    bad = [True]
    world = World(
        contract((task(1), task(2))),
        lambda e: Result.FAIL if bad[0] and e.key.startswith("implement/T1/") else honest(e),
        settings=Settings(limits=LimitSettings(rework=1)),
    )
    late = EffectKey("implement/T1/attempt-3/merge")
    run_to(world, "implement/T2/attempt-1/merge")
    (first,) = world.survey().effects
    world.intend(first)
    world.finish(first)
    world._record(CapReset(name=Cap.REWORK, reason="because", by="ada", how=How.TERMINAL))
    bad[0] = False

    run_to(world, late)

    there = world.state.done[EffectKey("implement/T2/attempt-1/merge")]
    (merge,) = world.survey().effects
    assert isinstance(there, Merged)
    assert isinstance(merge, MergeTask)
    assert (merge.key, merge.ours) == (late, there.commit)
