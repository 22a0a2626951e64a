"""Protocols of the place where a scenario is played and of its files: see `signoff.testing.hosted`."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from signoff.domain.run.golden import Observations, Scenario
from signoff.engine.run.kit import Kit


class ScenarioStage(Protocol):
    """A project that a host works in, with fixed time and fixed ids."""

    def enter(self, cycle: int) -> None:
        """Note that a cycle begins: the files are now as it will see them."""
        ...

    def kit(self) -> Kit:
        """Return the ports, as if for another process. `hosted` is always set."""
        ...

    def edit(self, files: Mapping[str, str | None]) -> None:
        """Write files of the project. None removes one."""
        ...

    def observations(self) -> Observations:
        """Return what git and the test runs showed so far."""
        ...


LiveStage = Callable[[Scenario], AbstractContextManager[ScenarioStage]]
"""Lays a scenario out with real files, real git and real test runs."""
RecordedStage = Callable[[Scenario, Observations], ScenarioStage]
"""Plays one from what was observed: no file, no process."""


class Shelf(Protocol):
    """The folder that holds scenarios and packs."""

    def names(self) -> tuple[str, ...]:
        """List every file, relative and sorted."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, or None where there is none."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Write a file, and make its folder."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...
