"""Who may waive what: a person on a terminal, a clause that failed, of a run that was judged."""

from typing import cast

import pytest
from memory_kit import FakeRepository, JournaledWorld, as_driven, events_of, memory_kit
from world import contract, honest, task

from signoff.domain.base.errors import ConflictError, UsageError, WaitingError
from signoff.domain.base.typed_ids import RunId
from signoff.domain.evidence.receipts import Result
from signoff.domain.evidence.verdict import VerdictOutcome
from signoff.domain.run.effects import RunCheck
from signoff.domain.run.events import How, OverruleRefused, Waived
from signoff.domain.work.checks import Place
from signoff.runs.state.waiver import waive


def final_fails(effect: RunCheck) -> Result:
    """Green in the task's own tree and red in the result."""
    is_final = effect.place is Place.FINAL and effect.clause.startswith("T1/")
    return Result.FAIL if is_final else honest(effect)


def refused_world() -> JournaledWorld:
    return JournaledWorld(contract((task(1),)), final_fails).ended()


def failed_clause(world: JournaledWorld) -> str:
    verdict = world.survey().verdict
    assert verdict is not None
    return next(row.clause for row in verdict.clauses if row.clause.startswith("T1/"))


def test_a_failed_clause_that_a_person_waives_signs_the_run_off_and_publishes_it() -> None:
    kit, world = memory_kit(), refused_world()
    folder, clause = world.stored(kit), failed_clause(world)

    given = waive(kit, folder, clause, " known flaw ", "ada", How.TERMINAL)

    child = kit.store.open(given.run_id)
    recorded = [event for event in events_of(child) if isinstance(event, Waived)]  # type: ignore[arg-type]
    assert given.outcome is VerdictOutcome.SIGNED_OFF
    assert [(one.clause, one.reason) for one in recorded] == [(clause, "known flaw")]
    assert [name for name, _ in cast("FakeRepository", kit.repository).published] == ["R/final"]


def test_a_relayed_waiver_is_refused_and_the_attempt_stays_on_record() -> None:
    """An agent that waives what it failed would sign off its own work."""
    kit, world = memory_kit(), refused_world()
    folder = world.stored(kit)

    with pytest.raises(WaitingError) as refused:
        waive(kit, folder, failed_clause(world), "please", "an agent", How.RELAYED)

    children = [kit.store.open(one) for one in kit.store.list() if one != RunId("R")]
    attempts = [type(event) for child in children for event in events_of(child)]  # type: ignore[arg-type]
    assert refused.value.slug == "waiver-needs-terminal"
    assert OverruleRefused in attempts
    assert Waived not in attempts


def test_a_clause_that_is_proven_needs_no_waiver() -> None:
    kit, world = memory_kit(), JournaledWorld(contract((task(1),))).ended()
    folder = world.stored(kit)

    with pytest.raises(UsageError) as refused:
        waive(kit, folder, failed_clause(world), "to be safe", "ada", How.TERMINAL)

    assert refused.value.slug == "waiver-not-needed"


def test_nothing_is_waived_before_the_run_was_judged() -> None:
    """A waiver is for a tree that a person has seen judged, and a driver holds the lock until then."""
    kit = memory_kit()
    folder = as_driven(JournaledWorld(contract((task(1),))).stored(kit))

    with pytest.raises(ConflictError) as refused:
        waive(kit, folder, "T1/check-1", "in advance", "ada", How.TERMINAL)

    assert refused.value.slug == "waiver-too-early"
