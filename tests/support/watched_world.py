"""A host in a folder of its own, with observers of the test's choosing; no process is started."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.domain.ports import RunFolder
from signoff.domain.run.events import Event
from signoff.domain.run.hooks import HookRecord, HookVeto, Observer
from signoff.domain.work.settings import HookPoint
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import WorkInput
from signoff.engine.run.run_log import records
from signoff.engine.run_state import State, fold
from signoff.hosted.cycle import Cycled, CycleRequest, cycle
from signoff.hosted.watch import watched_steps
from signoff.wiring import build_hosted

TICKET: dict[str, object] = {
    "id": "CALC-1",
    "title": "Multiply two numbers",
    "acceptance_criteria": ["multiply(2, 3) returns 6", "multiply(0, 5) returns 0"],
}
GIVEN = WorkInput(kind=InputKind.TICKET, data=TICKET)
ON = "[hooks]\nenabled = true\n"


class Watcher:
    """An observer that remembers what it was shown and says what the test tells it to say."""

    def __init__(self) -> None:
        self.seen: list[HookRecord] = []
        self.says: Callable[[HookRecord], None] = lambda _record: None

    def observer(self) -> Observer:
        return Observer("watcher", frozenset(HookPoint), self._look)

    def _look(self, record: HookRecord) -> None:
        self.seen.append(record)
        self.says(record)

    def vetoes(self, point: str, step: str = "") -> None:
        """Say no at one point from now on."""

        def say(record: HookRecord) -> None:
            if record.point == point and record.step == (step or record.step):
                raise HookVeto("not like this", ("second line",))

        self.says = say

    def agrees(self) -> None:
        """Let everything pass from now on."""
        self.says = lambda _record: None

    def asked(self) -> list[str]:
        """Give the points and steps it was asked about since it was last asked this."""
        said = [
            f"{r.point} {r.step}" if r.point in watched_steps.STEP_POINTS else str(r.point) for r in self.seen
        ]
        self.seen = []
        return said


class WatchedHost:
    """Drives cycles in a folder that is no repository."""

    def __init__(self, root: Path, settings: str = ON) -> None:
        self.root = root
        self.state_file = root / ".work-state.json"
        self.notes: list[str] = []
        (root / "signoff.toml").write_text(settings)
        (root / "calculator.py").write_text("def multiply(a, b):\n    return a * b\n")
        self.kit = build_hosted(str(root), self.notes.append)

    def call(
        self,
        slices: dict[str, object] | None = None,
        *,
        no_hooks: bool = False,
        given: WorkInput | None = None,
    ) -> Cycled:
        """Write slices into the state file and call once; the first call brings the ticket."""
        if slices:
            self.state_file.write_text(json.dumps({**self.state, **slices}))
        first = given or (None if self.state_file.exists() else GIVEN)
        return cycle(self.kit, CycleRequest(str(self.state_file), "ada", first, no_hooks=no_hooks))

    @property
    def state(self) -> Any:
        return json.loads(self.state_file.read_text())

    def runs(self) -> list[RunFolder]:
        return [self.kit.store.open(run_id) for run_id in self.kit.store.list()]

    def events(self) -> list[Event]:
        """The records of the only run."""
        (folder,) = self.runs()
        return [entry.event for entry in records(folder)]

    def folded(self) -> State:
        (folder,) = self.runs()
        return fold(records(folder))


def watched(root: Path, monkeypatch: pytest.MonkeyPatch, settings: str = ON) -> tuple[WatchedHost, Watcher]:
    """Give a host whose cycles a watcher looks at, beside the observers of the settings."""
    watcher = Watcher()
    whole = watched_steps.registered
    monkeypatch.setattr(watched_steps, "registered", lambda *words: (*whole(*words), watcher.observer()))
    return WatchedHost(root, settings), watcher
