"""A minimum of confinement is looked at before anything begins."""

from typing import cast

import pytest

from signoff.app.confining import refuse_below_minimum
from signoff.domain.errors import InfrastructureError
from signoff.domain.ports import CheckRunner
from signoff.domain.sandbox import Choice, Level, Offer
from signoff.domain.settings import SandboxSettings


class Machine:
    """A check runner on a machine that gives no more than limits."""

    def offer(self) -> Offer:
        return Offer(levels=(Level.NONE, Level.LIMITS))


def poor() -> CheckRunner:
    return cast("CheckRunner", Machine())


def nobody() -> CheckRunner:
    raise AssertionError("without a minimum nothing is to be tried")


@pytest.mark.parametrize(
    "settings",
    [
        SandboxSettings(minimum=Level.LANDLOCK),
        SandboxSettings(minimum=Level.LIMITS, checks=Choice.NONE),
        SandboxSettings(minimum=Level.LIMITS, checks=Choice.BWRAP),
        SandboxSettings(minimum=Level.LIMITS, network_for_checks=False),
    ],
)
def test_what_cannot_be_met_is_refused(settings: SandboxSettings) -> None:
    with pytest.raises(InfrastructureError) as caught:
        refuse_below_minimum(settings, poor)

    assert caught.value.slug == "sandbox-unavailable"


def test_what_can_be_met_is_not_refused() -> None:
    refuse_below_minimum(SandboxSettings(minimum=Level.LIMITS), poor)


@pytest.mark.parametrize("choice", list(Choice))
def test_without_a_minimum_nothing_is_tried(choice: Choice) -> None:
    """A cycle of a host would wait for it every time."""
    refuse_below_minimum(SandboxSettings(checks=choice), nobody)
