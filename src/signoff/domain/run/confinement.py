"""Which level of confinement a program runs under, given what is asked for and what the machine gives. Pure.

Nothing ever falls below what was asked for: what cannot be had is said, and the program is not run.
"""

from collections.abc import Callable
from typing import NamedTuple

from signoff.domain.base.errors import InfrastructureError
from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxOffer, SandboxRequest
from signoff.domain.work.settings import SandboxSettings


class Unavailable(NamedTuple):
    """Why there is no box as it was asked for."""

    detail: str


def choose(request: SandboxRequest, offer: SandboxOffer) -> Level | Unavailable:
    """Return the level the program runs under. `auto` is the best one that fits the request."""
    fitting = offer.levels if request.network else offer.offline
    if request.choice is SandboxChoice.AUTO:
        level = max(fitting, key=lambda each: each.rank, default=None)
        if level is None:
            return Unavailable("no sandbox level here can close the network")
    else:
        level = Level(request.choice)
        if level not in offer.levels:
            return _missing(level, offer)
        if level not in fitting:
            return Unavailable(f"the sandbox level {level} cannot close the network here")
    if level.rank < request.minimum.rank:
        if request.choice is not SandboxChoice.AUTO:
            said = f"the settings choose the sandbox level {level} and demand at least {request.minimum}"
            return Unavailable(said)
        missing = _missing(request.minimum, offer).detail
        return Unavailable(f"at least {request.minimum} is demanded, the best here is {level}; {missing}")
    return level


def require(request: SandboxRequest, offer: SandboxOffer, whom: str) -> Level:
    """Return the level that `whom` will run under, or raise before anything has begun."""
    chosen = choose(request, offer)
    if isinstance(chosen, Unavailable):
        raise InfrastructureError(
            f"{whom} cannot be confined as the settings demand",
            slug="sandbox-unavailable",
            why=chosen.detail,
            fix="install bubblewrap, use a kernel with Landlock, or lower [sandbox] and commit",
        )
    return chosen


def is_fenced(request: SandboxRequest, offer: Callable[[], SandboxOffer]) -> bool:
    """Check whether a program in this box can write to its own folders alone.

    An untried level is no fence.
    """
    if request.choice in (SandboxChoice.NONE, SandboxChoice.LIMITS):
        return False
    level = choose(request, offer())
    return isinstance(level, Level) and level.is_fence


def agent_box(settings: SandboxSettings, checkout: str, home: str, *, works_in_a_box: bool) -> SandboxRequest:
    """Return the box for an agent, which may write to its checkout and its own home.

    `auto` boxes only the agents that are known to work in a box. A minimum then refuses the others.
    """
    choice = settings.agents
    if choice is SandboxChoice.AUTO and not works_in_a_box:
        choice = SandboxChoice.NONE
    return SandboxRequest(choice=choice, minimum=settings.minimum, writable=(checkout,), home=home)


def _missing(level: Level, offer: SandboxOffer) -> Unavailable:
    why = offer.refused.get(level, "")
    return Unavailable(f"the sandbox level {level} is not available here" + (f": {why}" if why else ""))
