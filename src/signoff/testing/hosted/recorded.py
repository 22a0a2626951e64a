"""A stage that plays from observations: no file is touched and no program is started.

The files follow from the scenario itself. What git and the tests showed is looked up by cycle and tree. A
test run that was not observed could not be judged, and its detail tells so.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from signoff import __version__
from signoff.domain.base.typed_ids import TreeId
from signoff.domain.evidence.receipts import Observation, Receipt, Result
from signoff.domain.machine.sandbox_records import Level, SandboxOffer
from signoff.domain.ports import CheckSeen, PinnedBase, Sight
from signoff.domain.run.check_orders import CheckOrder
from signoff.domain.run.golden import Observations, Scenario, SeenTests
from signoff.domain.work.memory import MemoryKind, Recollection
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import HostedKit, Kit
from signoff.golden.records.scenario_files import MEMORY
from signoff.memory.memory_entries import MemoryEntry, read_lines, read_note
from signoff.memory.recall import recall
from signoff.testing.hosted.fixed_ports import NumberedIds, SteppingClock, whole_kit
from signoff.testing.hosted.memory_runs import MemoryLinks, MemoryStore

ROOT = "/golden"
_MOST_ENTRIES = 2_000


def place_of_tests(tree: str, cycle: int) -> str:
    """Name what a test run was about: a tree, or the files of one cycle."""
    return tree or f"cycle-{cycle}"


class RecordedStage:
    """One play of one scenario."""

    def __init__(self, scenario: Scenario, seen: Observations) -> None:
        self._seen = seen
        self._place = RecordedPlace(scenario, seen)
        self._hosted = HostedKit(
            root=ROOT,
            clock=SteppingClock(),
            ids=NumberedIds(),
            store=MemoryStore(),
            links=MemoryLinks(),
            place=self._place,
            memory=RecordedMemory(self._place.now),
            checks=lambda: RecordedChecks(self._place, seen),
            engine_version=__version__,
            tell=lambda _text: None,
            run_program=_no_program,
        )

    def enter(self, cycle: int) -> None:
        """Note that a cycle begins."""
        self._place.cycle = cycle

    def kit(self) -> Kit:
        """Return the ports."""
        return whole_kit(self._hosted)

    def edit(self, files: Mapping[str, str | None]) -> None:
        """Write files of the project."""
        for path, text in files.items():
            if text is None:
                self._place.now.pop(path, None)
            else:
                self._place.now[path] = text

    def observations(self) -> Observations:
        """Return the observations it plays from."""
        return self._seen


class RecordedPlace:
    """The `Workplace` of a scenario."""

    def __init__(self, scenario: Scenario, seen: Observations) -> None:
        self.cycle = 0
        self.now = dict(scenario.files)
        self._base = dict(scenario.files)
        self._is_git = scenario.git
        self._seen = seen

    def pin(self) -> PinnedBase:
        """Return the base that was observed."""
        files = self._base if self._is_git else self.now
        settings = (_bytes(files.get(name)) for name in ("signoff.toml", "pyproject.toml"))
        return PinnedBase(self._seen.commit, self._seen.tree, *settings)

    def look(self, base: TreeId, exchanged: str) -> Sight:
        """Return what was observed in this cycle."""
        del base, exchanged
        found = next((one for one in self._seen.files if one.cycle == self.cycle), None)
        return Sight(None) if found is None else Sight(found.tree, found.changes, found.problems)

    def missing(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the paths that do not exist."""
        return tuple(path for path in paths if not self._is_there(path.rstrip("/")))

    def _is_there(self, path: str) -> bool:
        return path in self.now or any(other.startswith(f"{path}/") for other in self.now)

    def paths(self, base: TreeId) -> frozenset[str]:
        """List the files of the base, or outside a repository all files."""
        return frozenset(self._of(base))

    def read(self, base: TreeId, path: str) -> bytes | None:
        """Return the bytes of a file."""
        return _bytes(self._of(base).get(path))

    def _of(self, tree: TreeId) -> Mapping[str, str]:
        return self._base if tree and tree == self._seen.tree else self.now

    @contextmanager
    def standing(self, tree: TreeId, carry: tuple[str, ...]) -> Iterator[str]:
        """Yield a folder in which nothing is run."""
        del tree, carry
        yield ROOT


class RecordedChecks:
    """A `CheckRunner` that looks its results up."""

    def __init__(self, place: RecordedPlace, seen: Observations) -> None:
        self._place = place
        self._tests = {one.at: one for one in seen.tests}

    def run(self, order: CheckOrder) -> CheckSeen:
        """Return the result that was observed for these files."""
        at = place_of_tests(order.tree, self._place.cycle)
        unseen = SeenTests(at=at, result=Result.PARTIAL, detail="no run of these tests was observed")
        found = self._tests.get(at, unseen)
        observation = Observation(
            clause=order.clause,
            place=order.place,
            tree=order.tree,
            result=found.result,
            failure_reason=found.failure_reason,
            detail=found.detail,
            exit_code=found.exit_code,
            counts=found.counts,
        )
        return CheckSeen(Receipt(key=order.key, observation=observation, contract=order.contract))

    def offer(self) -> SandboxOffer:
        """Return no confinement: nothing runs, so nothing needs a sandbox."""
        return SandboxOffer(levels=(Level.NONE,))

    def was_started(self, order: CheckOrder) -> bool:
        """Return False: nothing is ever started."""
        del order
        return False

    def recover(self, order: CheckOrder) -> CheckSeen | None:
        """Return None: nothing is left behind."""
        del order
        return None


class RecordedMemory:
    """The curated memory that a scenario's files hold."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def recall(self, ticket: Ticket, files: tuple[str, ...] = ()) -> Recollection:
        """Return the entries that fit the ticket."""
        entries = tuple(self._entries())
        return recall(ticket, entries, files) if entries else Recollection()

    def _entries(self) -> Iterator[MemoryEntry]:
        for kind in MemoryKind:
            for path in sorted(self._files):
                if path == f"{MEMORY}{kind}.jsonl":
                    yield from read_lines(self._files[path].encode(), kind, path, _MOST_ENTRIES).entries
                elif path.startswith(f"{MEMORY}{kind}/") and path.endswith(".md"):
                    yield from read_note(self._files[path], kind, path).entries
        for path in sorted(self._files):
            if path.startswith(MEMORY) and path.endswith(".md") and "/" not in path.removeprefix(MEMORY):
                yield from read_note(self._files[path], MemoryKind.HISTORICAL_PATTERNS, path).entries


def _no_program(words: tuple[str, ...], stdin: bytes, timeout_s: float) -> tuple[int, bytes]:
    """Refuse: a replay starts nothing, and hooks are off."""
    del stdin, timeout_s
    raise AssertionError(f"a replay does not run {words[0]}")


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()
