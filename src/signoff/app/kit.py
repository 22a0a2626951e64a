"""What every use case is given: the ports, bound to one repository."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from signoff.app.hosted.kit import HostedKit
from signoff.domain.budgets import PriceList
from signoff.domain.cassettes import Cassette
from signoff.domain.ports import (
    Agent,
    CheckRunner,
    Clock,
    Documents,
    Ids,
    Ledger,
    Memory,
    Processes,
    Repository,
    RunStore,
)
from signoff.domain.settings import Settings


class Agents(Protocol):
    """Opens agent backends by name."""

    def names(self) -> frozenset[str]:
        """Give the names of our own backends."""
        ...

    def open(self, name: str, settings: Settings, cassette: Cassette | None) -> Agent:
        """Give the backend; an unknown name or a missing program is an error a person can mend."""
        ...


class Machine(Protocol):
    """The programs on this machine."""

    def find(self, program: str) -> str | None:
        """Give where a program lies on PATH, or None."""
        ...

    def version_said(self, program: tuple[str, ...]) -> str:
        """Give the first line that a program says about its version; empty where it says none in time."""
        ...


class Kit(NamedTuple):
    """The ports of one repository."""

    root: str
    """Absolute path of the repository; used for relative paths in messages only."""
    clock: Clock
    ids: Ids
    processes: Processes
    repository: Repository
    checks: CheckRunner
    store: RunStore
    memory: Memory
    documents: Documents
    agents: Agents
    machine: Machine
    engine_version: str
    prompts: "Callable[[], Mapping[str, str]]" = dict
    """Gives the texts that agents are told, by name; none for backends that read the directive alone."""
    prices: "Callable[[], PriceList]" = PriceList
    """Gives what models cost."""
    credentials: "Callable[[tuple[str, ...]], tuple[str, ...]]" = lambda _names: ()
    """Gives the values of those of these environment variables that hold credentials, to keep them out."""
    run_program: "Callable[[tuple[str, ...], bytes, float], tuple[int, bytes]] | None" = None
    """Runs a short helper at the root with this input and time limit: its exit code and standard error."""
    hosted: "Callable[[], HostedKit] | None" = None
    """Gives the ports for runs that a host drives."""
    ledger: "Ledger | None" = None
    """Where dispatches are kept; None for runs that have none."""
