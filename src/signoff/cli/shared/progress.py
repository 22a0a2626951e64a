"""Progress of a run: redrawn in place at a terminal, plain lines elsewhere."""

import sys
import threading
import time
from types import TracebackType
from typing import NamedTuple, Self

from signoff.cli.shared.command import Output
from signoff.cli.shared.screen import Screen, size
from signoff.delivery.budget.budget_state import crossed
from signoff.delivery.budget.budget_text import how_far, spent_of
from signoff.delivery.context.agent_activity import DispatchTotals, spent
from signoff.delivery.context.agent_watch import DispatchesInFlight
from signoff.delivery.report.live_view import LiveLine, Scene, Working, heartbeat, live_lines
from signoff.delivery.report.progress_page import describe_outcome
from signoff.domain.base.typed_ids import EffectKey
from signoff.domain.evidence.receipts import Result
from signoff.domain.run.events import (
    Answered,
    Claimed,
    Done,
    Event,
    Intended,
    Recorded,
    Resumed,
    RunEnd,
    StopRequested,
)
from signoff.domain.run.outcomes import (
    AgentAnswered,
    AgentFailed,
    Captured,
    Checked,
    MergeConflicted,
    MergePredicted,
)
from signoff.domain.run.surveys import STEPS
from signoff.engine.run_state import State
from signoff.wiring import is_lively, may_colour

_TICK_S = 0.2


class _Running(NamedTuple):
    """An effect under way. Its moments are those of a monotonic clock."""

    do: str
    began: float
    told: float
    """When a line last reported it."""


class Progress:
    """Progress of a run: a line for each thing that ended, and below them what is under way.

    At a terminal the lines below are redrawn a few times a second. Elsewhere, a line now and then reports
    what takes long. May be entered again.
    """

    def __init__(
        self, say: Output, *, headings: bool = False, quiet: bool = False, heartbeat_s: float = 30.0
    ) -> None:
        self.in_flight = DispatchesInFlight()
        self.title = ""
        self._say = say
        self._screen = Screen(colour=may_colour(sys.stderr)) if is_lively(sys.stderr) else None
        self._headings = headings
        self._quiet = quiet
        self._heartbeat_s = heartbeat_s
        self._step = -1
        self._running: dict[EffectKey, _Running] = {}
        self._spent = DispatchTotals(None, None, 0)
        self._began = time.monotonic()
        self._last_step = ""
        self._stopping = ""
        self._lines: tuple[LiveLine, ...] = ()
        self._held: list[str] | None = None
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._ticker: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._end.clear()
        self._running.clear()
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        if self._ticker is not None:
            self._ticker.join()
        self.release()
        with self._lock:
            self._wipe()

    def moved(self, entry: Recorded, state: State) -> None:
        """Show one more record of the journal."""
        event = entry.event
        with self._lock:
            if isinstance(event, Intended):
                now = time.monotonic()
                self._running[event.key] = _Running(event.do, now, now)
                self._head(event.key)
            elif isinstance(event, Done):
                self._running.pop(event.key, None)
                self._spent = spent(state.done.values())
            elif isinstance(event, StopRequested):
                self._stopping = "stopping"
            line = _line(event)
            if line and not self._quiet:
                self._print(line)
            if isinstance(event, Done) and (low := crossed(state, event.key)) is not None:
                self._print(f"! the budget is {how_far(low)}: {spent_of(low)}")

    def hold(self) -> None:
        """Clear the view and print nothing more until `release`, while the person is asked something."""
        with self._lock:
            self._wipe()
            self._held = [] if self._held is None else self._held

    def release(self, stopping: str = "") -> None:
        """Print what was held back, and go on."""
        with self._lock:
            held, self._held = self._held, None
            self._stopping = stopping or self._stopping
            for line in held or ():
                self._print(line)

    def _head(self, key: str) -> None:
        """Announce the steps up to the one this effect belongs to."""
        name = key.partition("/")[0]
        step = STEPS.index(name) if name in STEPS else -1
        self._last_step = name if step >= 0 else self._last_step
        while self._headings and self._step < step:
            self._step += 1
            self._print(f"\n{self._step + 1}. {STEPS[self._step]}")
            if STEPS[self._step] == "refine":
                self._print("✓ the ticket is clear enough to start")

    def _print(self, line: str) -> None:
        if self._held is not None:
            self._held.append(line)
            return
        if self._screen is not None:
            self._screen.wipe()
        self._say.note(line)
        if self._screen is not None and self._lines:
            self._screen.show(self._lines)

    def _wipe(self) -> None:
        self._lines = ()
        if self._screen is not None:
            self._screen.wipe()

    # --- the thread that draws ---

    def _tick(self) -> None:
        turn = 0
        while not self._end.wait(_TICK_S if self._screen is not None else min(1.0, self._heartbeat_s)):
            turn += 1
            working = self._working()
            with self._lock:
                if self._end.is_set() or self._held is not None:
                    continue
                if self._screen is not None:
                    self._draw(self._screen, working, turn)
                elif not self._quiet:
                    self._beat(working)

    def _working(self) -> tuple[Working, ...]:
        flights = self.in_flight.look()  # reads files, so the lock is not held meanwhile
        now = time.monotonic()
        with self._lock:
            running = dict(self._running)
        return tuple(
            Working(
                key=key,
                seconds=now - each.began,
                agent=flights[key].agent if key in flights else "",
                doing=flights[key].doing if key in flights else None,
                is_pause=each.do == "pause",
            )
            for key, each in running.items()
        )

    def _draw(self, screen: Screen, working: tuple[Working, ...], turn: int) -> None:
        scene = Scene(
            title=self.title,
            step=self._last_step,
            seconds=time.monotonic() - self._began,
            working=tuple(each for each in working if each.key in self._running),
            cost_usd=self._spent.cost_usd,
            tokens=self._spent.tokens,
            failures=self._spent.failures,
            stopping=self._stopping,
        )
        self._lines = live_lines(scene, *size(), turn)
        screen.show(self._lines)

    def _beat(self, working: tuple[Working, ...]) -> None:
        now = time.monotonic()
        for each in working:
            key = EffectKey(each.key)
            known = self._running.get(key)
            if known is not None and each.agent and now - known.told >= self._heartbeat_s:
                self._running[key] = known._replace(told=now)
                self._say.note(heartbeat(each))


def _line(event: Event) -> str:
    """Return one event as a line, empty for an event that is not shown.

    A check that fails on the base where it must fail is good news. It has a line of its own, because
    `_mark` would show it as a failure.
    """
    match event:
        case Done(outcome=Checked(observation=seen)) if (
            "/red/" in event.key or (event.key.startswith("plan/") and "/base/" in event.key)
        ) and seen.result is Result.FAIL:
            return f"✓ {event.key}: red on {seen.place}, as it must be" + (
                f" ({seen.detail})" if seen.detail else ""
            )
        case Done():
            return f"{_mark(event)} {event.key}: {describe_outcome(event.outcome)}"
        case Answered():
            return f"? {event.halt}: answered “{event.answer}” by {event.by}"
        case Claimed():
            return f"→ {event.key}: {event.by} handed in {event.kind}"
        case StopRequested():
            return f"■ stop requested by {event.by}"
        case Resumed():
            return "▶ the run goes on"
        case RunEnd():
            return f"■ {event.status}"
        case _:
            return ""


def _mark(event: Done) -> str:
    # `?` marks what is still open: a check that could not be judged, a question of an agent.
    match event.outcome:
        case Checked(observation=seen):
            return {Result.PASS: "✓", Result.FAIL: "✗", Result.PARTIAL: "?"}[seen.result]
        case AgentFailed() | MergeConflicted():
            return "✗"
        case MergePredicted(conflicts=conflicts):
            return "✗" if conflicts else "✓"
        case AgentAnswered(kind=kind):
            return "?" if kind in ("question", "blocked") else "✓"
        case Captured(findings=findings, problems=problems):
            return "✗" if findings or problems else "✓"
        case _:
            return "✓"
