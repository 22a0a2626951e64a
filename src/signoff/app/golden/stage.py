"""Where a scenario is played, and where its files lie, as Protocols; `signoff.testing.hosted` has them."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from signoff.app.kit import Kit
from signoff.domain.golden import Observations, Scenario


class Stage(Protocol):
    """A project that a host works in, with fixed time and fixed ids."""

    def enter(self, cycle: int) -> None:
        """Say that a cycle begins: the files are now as it will see them."""
        ...

    def kit(self) -> Kit:
        """Give the ports, built anew as for another process; `hosted` is there."""
        ...

    def edit(self, files: Mapping[str, str | None]) -> None:
        """Write files of the project; None removes one."""
        ...

    def observations(self) -> Observations:
        """Give what came from git and from running tests so far."""
        ...


LiveStage = Callable[[Scenario], AbstractContextManager[Stage]]
"""Lays a scenario out with real files, real git and real test runs."""
RecordedStage = Callable[[Scenario, Observations], Stage]
"""Plays one from what was observed: no file, no process."""


class Shelf(Protocol):
    """The folder that holds scenarios and packs."""

    def names(self) -> tuple[str, ...]:
        """List every file, relative and sorted."""
        ...

    def read(self, name: str) -> bytes | None:
        """Give a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Write a file; its folder is made."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...
