"""What every agent backend is made from. A backend is a factory from these to an `Agent`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from signoff.domain.ports import Agent, Processes, Repository
from signoff.domain.run.cassettes import Cassette
from signoff.domain.work.settings import Settings


class AgentTools(NamedTuple):
    """What a backend may use of the machine."""

    processes: Processes
    repository: Repository
    env: Mapping[str, str]
    """The person's environment. A backend passes on what an agent needs, and no more."""
    python: str
    """The interpreter in place of the bare word `python`. Empty leaves the word alone."""


Factory = Callable[[AgentTools, Settings, Cassette | None], Agent]
"""Makes a backend. What a person can put right is raised here, before a run has cost anything."""
