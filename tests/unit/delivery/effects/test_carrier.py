"""A check effect: the check runs on a materialised tree, and its receipt is kept."""

from typing import cast

import msgspec
from memory_kit import FakeRepository, JournaledWorld, memory_kit
from world import TICKET, contract, task

from signoff.delivery.context.job import DeliveryJob
from signoff.delivery.effects.carrier import JobCarrier
from signoff.domain.base.typed_ids import ClauseId, Digest, EffectKey, TreeId
from signoff.domain.evidence.receipts import Observation, Receipt, Result
from signoff.domain.ports import Agent, CheckSeen
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.effects import RunCheck
from signoff.domain.run.outcomes import Checked
from signoff.domain.work.checks import FileExists, Place
from signoff.domain.work.settings import Settings
from signoff.engine.run_state import OpenIntent

EFFECT = RunCheck(
    key=EffectKey("test/T1/check-1"),
    clause=ClauseId("T1/check-1"),
    check=FileExists(path="a.py"),
    place=Place.FINAL,
    tree=TreeId("final-tree"),
    base=TreeId("base-tree"),
)
INTENT = OpenIntent(seq=1, ts="2026-01-01T09:00:00Z", sum="", do="check", effect=Digest(""))


class FakeChecks:
    """Checks that end as told; None is a run that was stopped meanwhile."""

    def __init__(self, result: Result | None) -> None:
        self.result = result
        self.orders: list[CheckOrder] = []

    def run(self, order: CheckOrder) -> CheckSeen | None:
        self.orders.append(order)
        if self.result is None:
            return None
        seen = Observation(clause=order.clause, place=order.place, tree=order.tree, result=self.result)
        return CheckSeen(Receipt(key=order.key, observation=seen, contract=order.contract))


def job_with(checks: FakeChecks) -> DeliveryJob:
    kit, world = memory_kit(checks=checks), JournaledWorld(contract((task(1),)))
    assert world.state.start is not None
    return DeliveryJob(
        kit=kit,
        folder=world.stored(kit),
        agent=cast("Agent", None),
        start=world.state.start,
        settings=Settings(),
        ticket=TICKET,
        state=lambda: world.state,
        is_replay=False,
    )


def test_a_check_runs_on_the_materialised_tree_and_its_receipt_is_kept() -> None:
    checks = FakeChecks(Result.FAIL)
    job = job_with(checks)

    outcome = JobCarrier(job).perform(EFFECT, INTENT)

    assert isinstance(outcome, Checked)
    assert (outcome.observation.result, outcome.observation.tree) == (Result.FAIL, "final-tree")
    assert cast("FakeRepository", job.kit.repository).laid_out == ["final-tree"]
    assert [order.clause for order in checks.orders] == ["T1/check-1"]
    kept = [body for name, body in job.folder._files.items() if name.startswith("receipts/")]  # type: ignore[attr-defined]
    assert [msgspec.json.decode(body, type=Receipt).observation for body in kept] == [outcome.observation]


def test_a_check_of_a_run_that_was_stopped_meanwhile_has_no_outcome_and_no_receipt() -> None:
    """A check that was cut short has proved nothing, neither good nor bad."""
    job = job_with(FakeChecks(None))

    assert JobCarrier(job).perform(EFFECT, INTENT) is None
    assert job.folder._files == {}  # type: ignore[attr-defined]
