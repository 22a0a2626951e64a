"""Refuse to begin if the settings demand a confinement that this machine does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.machine.sandbox_records import Level, SandboxChoice, SandboxRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from signoff.domain.ports import Agent, CheckRunner, Processes
    from signoff.domain.work.settings import SandboxSettings

# The rules are loaded when they are needed: a cycle of a host that demands nothing does not wait for them.


def refuse_below_minimum(settings: SandboxSettings, checks: Callable[[], CheckRunner]) -> None:
    """Raise before anything has begun if checks cannot be confined as the settings demand.

    Without a minimum nothing is tried: each check records how it was confined.
    """
    if settings.minimum is Level.NONE:
        return
    from signoff.domain.run.confinement import require

    wanted = SandboxRequest(
        choice=settings.checks, minimum=settings.minimum, network=settings.network_for_checks
    )
    require(wanted, checks().offer(), "checks")


def refuse_open_agents(settings: SandboxSettings, agents: Iterable[Agent], processes: Processes) -> None:
    """Raise before a token is spent if an agent would get more rights than the settings allow.

    A level by name is a demand, just as a minimum is. An agent that does not tolerate a box meets neither.
    """
    if settings.minimum is Level.NONE and settings.agents in (SandboxChoice.AUTO, SandboxChoice.NONE):
        return
    from signoff.domain.run.confinement import require

    for agent in agents:
        box = box_of(agent, settings, "", "")
        if box is not None:
            require(box, processes.offer(), f"the agent {agent.name}")


def are_fenced(settings: SandboxSettings, agents: Iterable[Agent], processes: Processes) -> bool:
    """Check whether each agent can write to its own folders only. One without a program has no box."""
    from signoff.domain.run.confinement import is_fenced

    boxes = [box_of(agent, settings, "", "") for agent in agents]
    return all(box is not None and is_fenced(box, processes.offer) for box in boxes)


def box_of(agent: Agent, settings: SandboxSettings, checkout: str, home: str) -> SandboxRequest | None:
    """Return the box that an agent works in, or None if it starts no program."""
    from signoff.domain.run.confinement import agent_box

    if agent.works_in_a_box is None:
        return None
    return agent_box(settings, checkout, home, works_in_a_box=agent.works_in_a_box)
