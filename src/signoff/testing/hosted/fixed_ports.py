"""Time and ids that are the same in every play, and the ports that a scenario has no use for."""

from datetime import datetime, timedelta
from typing import cast

from signoff.domain.ports import CheckRunner, Documents, Processes, Repository
from signoff.engine.run.kit import Agents, HostedKit, Kit, ProgramSearch

_START = datetime.fromisoformat("2026-01-01T09:00:00+00:00")
_STEP = timedelta(milliseconds=250)
_ULID_DIGITS = 26


class SteppingClock:
    """A clock that moves a quarter of a second whenever it is asked."""

    def __init__(self) -> None:
        self._asked = 0

    def now(self) -> str:
        """Return the next moment."""
        self._asked += 1
        moment = _START + self._asked * _STEP
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class NumberedIds:
    """Ids in the order in which they are drawn."""

    def __init__(self) -> None:
        self._drawn = 0

    def new(self) -> str:
        """Draw the next."""
        self._drawn += 1
        return str(self._drawn).zfill(_ULID_DIGITS)


class _Unused:
    """A port that a hosted run never uses. Using it is a bug, so it raises."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"a hosted run has no use for {name}")


def whole_kit(hosted: HostedKit) -> Kit:
    """Return the kit with which answers to halts are recorded, around the ports of a hosted run."""
    unused = _Unused()
    return Kit(
        root=hosted.root,
        clock=hosted.clock,
        ids=hosted.ids,
        processes=cast("Processes", unused),
        repository=cast("Repository", unused),
        checks=lambda: cast("CheckRunner", unused),
        store=hosted.store,
        memory=hosted.memory,
        documents=cast("Documents", unused),
        agents=cast("Agents", unused),
        machine=cast("ProgramSearch", unused),
        engine_version=hosted.engine_version,
        hosted=lambda: hosted,
    )
