"""Who is asked when an agent fails. Pure.

The chains are written out for every class when a run starts and pinned with its settings: what counts as a
failure that another agent may mend is decided then, and a later version cannot decide it otherwise.
"""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from signoff.domain.base.failure_classes import FailureClass
from signoff.domain.run.failure_policy import TREATMENT
from signoff.domain.run.outcomes import AgentFailed, AgentFailure
from signoff.domain.work.settings import FallbackFor, Settings

Chains = Mapping[FallbackFor, tuple[str, ...]]

_COARSE = {AgentFailure.CRASHED: FailureClass.CRASHED, AgentFailure.NOT_STARTED: FailureClass.NOT_STARTED}
"""The class of a failure that came without one. Other failures are of no use to another agent."""


def written_out(settings: Settings) -> Settings:
    """Return the settings with a chain for each class that `any` stands for."""
    chains = settings.agent.fallback
    whole = chains.get(FallbackFor.ANY)
    if whole is None:
        return settings
    each = {
        FallbackFor(kind): chains.get(FallbackFor(kind), whole)
        for kind, treatment in TREATMENT.items()
        if treatment.may_fall_back
    }
    return replace(settings, agent=replace(settings.agent, fallback=each))


def named_in(chains: Chains) -> tuple[str, ...]:
    """Return every agent that may be asked, once each."""
    return tuple(dict.fromkeys(name for chain in chains.values() for name in chain))


def next_agent(chains: Chains, failed: AgentFailed, asked: Collection[str]) -> str | None:
    """Return the next agent of the chain for this failure that was not asked yet, None if there is none."""
    kind = failed.failure_class or _COARSE.get(failed.failure)
    chain = next((names for key, names in chains.items() if kind is not None and key.value == kind.value), ())
    return next((name for name in chain if name not in asked), None)


def alone(settings: Settings) -> Settings:
    """Return the settings for an agent that is fallen back to.

    Model, effort, program and further words belong to the agent they were set for, so they are dropped.
    """
    own = replace(settings.agent, program=None, args=(), model="", effort="")
    return replace(settings, agent=own)
