"""Which level a program runs under: never less than what was asked for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxOffer, SandboxRequest
from signoff.domain.run.confinement import Unavailable, agent_box, choose, require
from signoff.domain.work.settings import SandboxSettings

ALL = tuple(Level)
EVERYTHING = SandboxOffer(levels=ALL, offline=(Level.LANDLOCK, Level.BWRAP))
POOR = SandboxOffer(
    levels=ALL[:2], refused={Level.BWRAP: "bwrap is not installed", Level.LANDLOCK: "too old"}
)

REQUESTS = st.builds(
    SandboxRequest,
    choice=st.sampled_from(tuple(SandboxChoice)),
    minimum=st.sampled_from(ALL),
    network=st.booleans(),
)
OFFERS = st.builds(
    lambda landlock, bwrap, offline: SandboxOffer(
        levels=tuple(level for level in ALL if level not in {landlock, bwrap}),
        offline=tuple(level for level in ALL[2:] if level not in {landlock, bwrap, offline}),
    ),
    st.sampled_from((None, Level.LANDLOCK)),
    st.sampled_from((None, Level.BWRAP)),
    st.sampled_from((None, Level.LANDLOCK, Level.BWRAP)),
)


@given(REQUESTS, OFFERS)
def test_a_program_never_gets_less_than_what_was_asked_for(
    request: SandboxRequest, offer: SandboxOffer
) -> None:
    """Otherwise code that nobody trusts runs with its user's rights while the receipt says something else."""
    chosen = choose(request, offer)

    if isinstance(chosen, Level):
        assert chosen in offer.levels
        assert chosen.rank >= request.minimum.rank
        assert request.choice in (SandboxChoice.AUTO, chosen)
        assert request.network or chosen in offer.offline


@given(REQUESTS, OFFERS)
def test_what_can_be_had_is_not_refused(request: SandboxRequest, offer: SandboxOffer) -> None:
    fitting = [
        level
        for level in offer.levels
        if level.rank >= request.minimum.rank
        and request.choice in (SandboxChoice.AUTO, level)
        and (request.network or level in offer.offline)
    ]

    chosen = choose(request, offer)

    assert isinstance(chosen, Unavailable) if not fitting else chosen is fitting[-1]


def test_the_levels_are_ordered_as_they_are_written() -> None:
    assert [level.rank for level in (Level.NONE, Level.LIMITS, Level.LANDLOCK, Level.BWRAP)] == [0, 1, 2, 3]


def test_every_level_can_be_chosen() -> None:
    """A level that is not a choice could be demanded and never be set."""
    assert {*SandboxChoice} == {SandboxChoice.AUTO, *(SandboxChoice(level) for level in Level)}


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (SandboxRequest(choice=SandboxChoice.BWRAP), "bwrap is not available here: bwrap is not installed"),
        (SandboxRequest(minimum=Level.LANDLOCK), "the best here is limits; .* landlock .*: too old"),
        (
            SandboxRequest(choice=SandboxChoice.LIMITS, minimum=Level.BWRAP),
            "choose .* limits and demand at least bwrap",
        ),
        (SandboxRequest(network=False), "no sandbox level here can close the network"),
        (SandboxRequest(choice=SandboxChoice.LIMITS, network=False), "limits cannot close the network"),
    ],
)
def test_a_refusal_says_what_is_missing(request_: SandboxRequest, said: str) -> None:
    with pytest.raises(InfrastructureError) as caught:
        require(request_, POOR, "checks")

    assert caught.value.slug == "sandbox-unavailable"
    assert re.search(said, caught.value.why)


def test_what_the_settings_demand_and_the_machine_gives_is_no_error() -> None:
    assert require(SandboxRequest(minimum=Level.LANDLOCK), EVERYTHING, "checks") is Level.BWRAP


@pytest.mark.parametrize(
    ("settings", "works_in_a_box", "level"),
    [
        (SandboxSettings(), True, Level.BWRAP),
        (SandboxSettings(), False, Level.NONE),
        (SandboxSettings(agents=SandboxChoice.LANDLOCK), False, Level.LANDLOCK),
        (SandboxSettings(minimum=Level.LIMITS), True, Level.BWRAP),
    ],
)
def test_an_agent_is_boxed_where_it_works_in_one_or_the_settings_say_so(
    settings: SandboxSettings, works_in_a_box: bool, level: Level
) -> None:
    box = agent_box(settings, "/checkout", "/home", works_in_a_box=works_in_a_box)

    assert choose(box, EVERYTHING) is level
    assert (box.writable, box.home) == (("/checkout",), "/home")


def test_a_minimum_refuses_an_agent_that_does_not_work_in_a_box() -> None:
    """It would run with its user's rights although the settings say that nobody does."""
    box = agent_box(SandboxSettings(minimum=Level.LANDLOCK), "/c", "/h", works_in_a_box=False)

    assert isinstance(choose(box, EVERYTHING), Unavailable)
