"""What use cases are given: the ports, bound to one repository or folder.

`Kit` is for everything that works on a repository, `HostedKit` for a cycle of a hosted run. What both hold
stands once, in `RunKit`. Annotations are never evaluated, so that a cycle loads no port it does not use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from signoff.domain.base.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from signoff.domain.evidence.case_records import Reader
    from signoff.domain.ports import (
        Agent,
        CheckRunner,
        Clock,
        Documents,
        Ids,
        Ledger,
        Links,
        Memory,
        Processes,
        Repository,
        RunStore,
        Workplace,
    )
    from signoff.domain.run.cassettes import Cassette
    from signoff.domain.work.budgets import PriceList
    from signoff.domain.work.settings import Settings


class Agents(Protocol):
    """Opens agent backends by name."""

    def names(self) -> frozenset[str]:
        """Return the names of our own backends."""
        ...

    def open(self, name: str, settings: Settings, cassette: Cassette | None) -> Agent:
        """Return the backend. An unknown name or a missing program is an error that a person can fix."""
        ...


class ProgramSearch(Protocol):
    """The programs on this machine."""

    def find(self, program: str) -> str | None:
        """Return where a program lies on PATH, or None."""
        ...

    def version_said(self, program: tuple[str, ...]) -> str:
        """Return the first line that a program prints about its version, "" if it prints none in time."""
        ...


def _no_programs(words: tuple[str, ...], stdin: bytes, timeout_s: float) -> tuple[int, bytes]:
    del stdin, timeout_s
    raise InfrastructureError(f"cannot run {words[0]}", slug="tool-missing", why="no programs are run here")


class RunKit(msgspec.Struct, frozen=True, kw_only=True):
    """The ports that runs of every flow need. Whatever runs programs is built when it is first needed."""

    root: str
    """Absolute path of the repository or folder. Used for relative paths only."""
    clock: Clock
    ids: Ids
    store: RunStore
    memory: Memory
    checks: Callable[[], CheckRunner]
    engine_version: str
    run_program: Callable[[tuple[str, ...], bytes, float], tuple[int, bytes]] = _no_programs
    """Runs a short program at the root: words, standard input, time limit. Exit code and standard error."""


class HostedKit(RunKit, frozen=True, kw_only=True):
    """The ports of one folder, for runs that a host drives."""

    links: Links
    place: Workplace
    test_readers: Callable[[], Mapping[str, Reader]] = dict
    """Returns the readers of test files in other languages than Python."""
    tell: Callable[[str], None] = lambda _text: None
    """Tells the person something that is no result: what hooks have to say."""


def _no_prices() -> PriceList:
    from signoff.domain.work.budgets import PriceList

    return PriceList()


class Kit(RunKit, frozen=True, kw_only=True):
    """The ports of one repository."""

    processes: Processes
    repository: Repository
    documents: Documents
    agents: Agents
    machine: ProgramSearch
    prompts: Callable[[], Mapping[str, str]] = dict
    """Returns the texts that agents are told, by name. Empty for backends that read the directive alone."""
    prices: Callable[[], PriceList] = _no_prices
    """Returns what models cost."""
    credentials: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda _names: ()
    """Returns the values of those of these environment variables that hold credentials, to keep them out."""
    hosted: Callable[[], HostedKit] | None = None
    """Returns the ports for runs that a host drives."""
    ledger: Ledger | None = None
    """Where dispatches are kept, or None."""
