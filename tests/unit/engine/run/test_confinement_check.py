"""A minimum of confinement is looked at before anything begins."""

from typing import cast

import pytest

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxOffer
from signoff.domain.ports import Agent, CheckRunner, Processes
from signoff.domain.work.settings import SandboxSettings
from signoff.engine.run.confinement_check import are_fenced, refuse_below_minimum, refuse_open_agents


class Machine:
    """A check runner on a machine that gives no more than limits."""

    def offer(self) -> SandboxOffer:
        return SandboxOffer(levels=(Level.NONE, Level.LIMITS))


def poor() -> CheckRunner:
    return cast("CheckRunner", Machine())


def nobody() -> CheckRunner:
    raise AssertionError("without a minimum nothing is to be tried")


@pytest.mark.parametrize(
    "settings",
    [
        SandboxSettings(minimum=Level.LANDLOCK),
        SandboxSettings(minimum=Level.LIMITS, checks=SandboxChoice.NONE),
        SandboxSettings(minimum=Level.LIMITS, checks=SandboxChoice.BWRAP),
        SandboxSettings(minimum=Level.LIMITS, network_for_checks=False),
    ],
)
def test_what_cannot_be_met_is_refused(settings: SandboxSettings) -> None:
    with pytest.raises(InfrastructureError) as caught:
        refuse_below_minimum(settings, poor)

    assert caught.value.slug == "sandbox-unavailable"


def test_what_can_be_met_is_not_refused() -> None:
    """Whoever refuses raises."""
    refuse_below_minimum(SandboxSettings(minimum=Level.LIMITS), poor)


@pytest.mark.parametrize("choice", list(SandboxChoice))
def test_without_a_minimum_nothing_is_tried(choice: SandboxChoice) -> None:
    """A cycle of a host would wait for it every time."""
    refuse_below_minimum(SandboxSettings(checks=choice), nobody)


# --- agents ---


class SomeAgent:
    """An agent by its name, and whether it is known to work in a box."""

    def __init__(self, works_in_a_box: bool | None = True) -> None:
        self.name = "somebody"
        self.works_in_a_box = works_in_a_box


def agents(*tolerant: bool | None) -> list[Agent]:
    return [cast("Agent", SomeAgent(each)) for each in tolerant]


def machine(*levels: Level) -> Processes:
    class Fake:
        def offer(self) -> SandboxOffer:
            return SandboxOffer(levels=levels)

    return cast("Processes", Fake())


POOR = machine(Level.NONE, Level.LIMITS)
RICH = machine(*Level)


@pytest.mark.parametrize(
    ("settings", "tolerant", "where"),
    [
        (SandboxSettings(minimum=Level.LANDLOCK), True, POOR),
        (SandboxSettings(minimum=Level.LIMITS), False, RICH),
        (SandboxSettings(minimum=Level.LANDLOCK, agents=SandboxChoice.LIMITS), True, RICH),
        (SandboxSettings(agents=SandboxChoice.BWRAP), True, POOR),
    ],
)
def test_an_agent_that_cannot_be_held_as_demanded_is_refused(
    settings: SandboxSettings, tolerant: bool, where: Processes
) -> None:
    """It would be given its user's rights although somebody said that it must not be."""
    with pytest.raises(InfrastructureError) as caught:
        refuse_open_agents(settings, agents(True, tolerant), where)

    assert caught.value.slug == "sandbox-unavailable"
    assert "somebody" in caught.value.what


@pytest.mark.parametrize(
    ("settings", "tolerant", "where"),
    [
        (SandboxSettings(), False, POOR),
        (SandboxSettings(minimum=Level.LANDLOCK), True, RICH),
        (SandboxSettings(minimum=Level.BWRAP, agents=SandboxChoice.BWRAP), False, RICH),
        (SandboxSettings(minimum=Level.BWRAP), None, POOR),
    ],
)
def test_an_agent_that_is_held_well_enough_is_not_refused(
    settings: SandboxSettings, tolerant: bool | None, where: Processes
) -> None:
    """Those that start no program at all (a cassette, a host's own) have nothing to be held by."""
    refuse_open_agents(settings, agents(tolerant), where)


@pytest.mark.parametrize(
    ("settings", "tolerant", "where", "fenced"),
    [
        (SandboxSettings(), (True, True), RICH, True),
        (SandboxSettings(), (True, False), RICH, False),
        (SandboxSettings(), (True, None), RICH, False),
        (SandboxSettings(agents=SandboxChoice.LIMITS), (True,), RICH, False),
        (SandboxSettings(agents=SandboxChoice.LANDLOCK), (False,), RICH, True),
        (SandboxSettings(), (True,), POOR, False),
    ],
)
def test_a_run_says_that_its_agents_are_fenced_only_when_all_are(
    settings: SandboxSettings, tolerant: tuple[bool | None, ...], where: Processes, fenced: bool
) -> None:
    assert are_fenced(settings, agents(*tolerant), where) is fenced
