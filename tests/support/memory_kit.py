"""Runs in memory for tests of use cases: a journal played by `World`, and the ports around it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from typing import cast

from world import BASE, BASE_TREE, World

from signoff.domain.base.errors import ConflictError
from signoff.domain.base.typed_ids import CommitId, RunId, TreeId
from signoff.domain.machine.trees import Base
from signoff.domain.ports import CheckRunner, Documents, Memory, Processes, Repository
from signoff.domain.run.events import Event
from signoff.engine.run.kit import Agents, Kit, ProgramSearch
from signoff.engine.run.run_log import RunLog, live_stamp, records
from signoff.testing.hosted.fixed_ports import NumberedIds, SteppingClock
from signoff.testing.hosted.memory_runs import MemoryFolder, MemoryStore


class FakeRepository:
    """One commit with one file; what is published is kept."""

    def __init__(self) -> None:
        self.published: list[tuple[str, CommitId]] = []
        self.laid_out: list[TreeId] = []

    def base(self, revision: str = "HEAD") -> Base:
        return Base(commit=BASE, tree=BASE_TREE, branch="main")

    def read(self, tree: TreeId, path: str) -> bytes | None:
        return b"A tiny repository\n" if path == "README.md" else None

    def publish(self, name: str, commit: CommitId) -> str:
        self.published.append((name, commit))
        return f"refs/signoff/{name}"

    @contextmanager
    def materialise(self, tree: TreeId, carry: tuple[str, ...] = ()) -> Iterator[str]:
        self.laid_out.append(tree)
        yield "/nowhere/tree"


class FakeAgents:
    """Every agent can be opened; which ones were asked for is kept."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def names(self) -> frozenset[str]:
        return frozenset()

    def open(self, name: str, *_: object) -> object:
        self.opened.append(name)
        return SimpleNamespace(name=name, works_in_a_box=None)


def memory_kit(store: MemoryStore | None = None, *, checks: object = None) -> Kit:
    return Kit(
        root="/nowhere",
        clock=SteppingClock(),
        ids=NumberedIds(),
        store=store or MemoryStore(),
        memory=cast("Memory", None),
        checks=lambda: cast("CheckRunner", checks),
        engine_version="0",
        processes=cast("Processes", SimpleNamespace(recover=lambda _slip: None)),
        repository=cast("Repository", FakeRepository()),
        documents=cast("Documents", None),
        agents=cast("Agents", FakeAgents()),
        machine=cast("ProgramSearch", None),
    )


class JournaledWorld(World):
    """A world that remembers its events, so that they can be put into a journal."""

    def _record(self, event: Event) -> None:
        self.__dict__.setdefault("events", []).append(event)
        super()._record(event)

    def ended(self) -> "JournaledWorld":
        """Run to the end, and record it."""
        conclusion = self.run().conclusion
        assert conclusion is not None
        self._record(conclusion)
        return self

    def stored(self, kit: Kit) -> MemoryFolder:
        """Write the events into the journal of a run in memory."""
        folder = cast("MemoryStore", kit.store).create(RunId("R"))
        for body in self.blobs.values():
            folder.blobs.put(body)
        with folder.writer() as journal:
            log = RunLog(journal, live_stamp(kit.clock))
            for event in self.__dict__["events"]:
                log.record(event)
        return folder


class DrivenFolder(MemoryFolder):
    """A run that a driver holds: it cannot be locked by anybody else."""

    def lock(self, wait_s: float = 0.0) -> AbstractContextManager[object]:
        raise ConflictError("run R is being driven", slug="run-locked")

    def is_locked(self) -> bool:
        return True


def as_driven(folder: MemoryFolder) -> DrivenFolder:
    """Return the same run as another process finds it while a driver holds it."""
    driven = DrivenFolder(folder.run_id)
    driven.__dict__.update(folder.__dict__)
    return driven


def events_of(folder: MemoryFolder) -> list[Event]:
    return [entry.event for entry in records(folder)]
