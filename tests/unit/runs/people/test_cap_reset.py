"""A cap is reset by a person on a terminal, in a run that goes on, and on the record."""

import pytest
from memory_kit import JournaledWorld, events_of, memory_kit
from world import contract, task

from signoff.domain.base.errors import ConflictError, UsageError, WaitingError
from signoff.domain.run.events import CapReset, How, OverruleRefused
from signoff.runs.people.cap_reset import reset_cap


def test_a_reset_is_recorded_with_its_reason_and_its_author() -> None:
    kit = memory_kit()
    folder = JournaledWorld(contract((task(1),))).stored(kit)

    reset_cap(kit, folder, "retries", " the network was down ", "ada", How.TERMINAL)

    recorded = events_of(folder)[-1]
    assert recorded == CapReset(name="retries", reason="the network was down", by="ada", how=How.TERMINAL)


def test_a_relayed_reset_is_refused_and_the_attempt_stays_on_record() -> None:
    """An agent that resets its own cap could go on for ever."""
    kit = memory_kit()
    folder = JournaledWorld(contract((task(1),))).stored(kit)

    with pytest.raises(WaitingError) as refused:
        reset_cap(kit, folder, "budget", "please", "an agent", How.RELAYED)

    recorded = events_of(folder)[-1]
    assert refused.value.slug == "reset-needs-terminal"
    assert isinstance(recorded, OverruleRefused)
    assert recorded.clause == "cap/budget"


def test_a_cap_of_a_run_that_has_ended_cannot_be_reset() -> None:
    kit = memory_kit()
    folder = JournaledWorld(contract((task(1),))).ended().stored(kit)

    with pytest.raises(ConflictError) as refused:
        reset_cap(kit, folder, "rework", "because", "ada", How.TERMINAL)

    assert refused.value.slug == "run-ended"


def test_a_reset_without_a_reason_or_of_an_unknown_cap_is_refused() -> None:
    kit = memory_kit()
    folder = JournaledWorld(contract((task(1),))).stored(kit)
    before = events_of(folder)

    for name, reason, slug in (("rework", " ", "waiver-no-reason"), ("patience", "x", "cap-unknown")):
        with pytest.raises(UsageError) as refused:
            reset_cap(kit, folder, name, reason, "ada", How.TERMINAL)
        assert refused.value.slug == slug
    assert events_of(folder) == before
