"""Progress that moves on a terminal, and plain lines elsewhere."""

import sys
import threading
from types import TracebackType
from typing import Self

from signoff.cli.command import Say, visible
from signoff.core.state import State
from signoff.domain.events import (
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
from signoff.domain.outcomes import AgentAnswered, AgentFailed, Captured, Checked, MergeConflicted
from signoff.domain.receipts import Result
from signoff.domain.surveys import STEPS
from signoff.render.progress import describe_outcome
from signoff.wiring import is_lively

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_TICK_S = 0.1
_WIPE = "\r\x1b[2K"


class Progress:
    """Shows what a run does, one line per thing that came to an end; may be entered again."""

    def __init__(self, say: Say, *, headings: bool = False, quiet: bool = False) -> None:
        self._say = say
        self._lively = is_lively(sys.stderr)
        self._headings = headings
        self._quiet = quiet
        self._step = -1
        self._running: list[str] = []
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._ticker: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._end.clear()
        self._running.clear()
        if self._lively:
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        if self._ticker is not None:
            self._ticker.join()
            self._draw(_WIPE)

    def moved(self, entry: Recorded, state: State) -> None:
        """Take note of one more record."""
        del state
        event = entry.event
        with self._lock:
            if isinstance(event, Intended):
                self._running.append(event.key)
                self._head(event.key)
            elif isinstance(event, Done) and event.key in self._running:
                self._running.remove(event.key)
            line = _line(event)
            if line and not self._quiet:
                self._print(line)

    def _head(self, key: str) -> None:
        """Announce the steps up to the one this effect belongs to."""
        name = key.partition("/")[0]
        step = STEPS.index(name) if name in STEPS else -1
        while self._headings and self._step < step:
            self._step += 1
            self._print(f"\n{self._step + 1}. {STEPS[self._step]}")
            if STEPS[self._step] == "refine":
                self._print("✓ the ticket is clear enough to start")

    def _print(self, line: str) -> None:
        if self._lively:
            self._draw(_WIPE)
        self._say.note(line)

    def _tick(self) -> None:
        turn = 0
        while not self._end.wait(_TICK_S):
            turn += 1
            with self._lock:
                if self._running:
                    shown = visible(", ".join(self._running[:3])[:90])
                    self._draw(f"{_WIPE}{_SPINNER[turn % len(_SPINNER)]} {shown}")

    def _draw(self, text: str) -> None:
        print(text, end="", file=sys.stderr, flush=True)


def _line(event: Event) -> str:
    """Give one event as a line, empty for what a person need not see."""
    match event:
        case Done(outcome=Checked(observation=seen)) if (
            _is_red_first(event.key) and seen.result is Result.FAIL
        ):
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


def _is_red_first(key: str) -> bool:
    """Say whether a check is run where it must fail: what passes there already would prove nothing."""
    return "/red/" in key or (key.startswith("plan/") and "/base/" in key)


def _mark(event: Done) -> str:
    match event.outcome:
        case Checked(observation=seen):
            return {Result.PASS: "✓", Result.FAIL: "✗", Result.PARTIAL: "?"}[seen.result]
        case AgentFailed() | MergeConflicted():
            return "✗"
        case AgentAnswered(kind=kind):
            return "?" if kind in ("question", "blocked") else "✓"
        case Captured(findings=findings, problems=problems):
            return "✗" if findings or problems else "✓"
        case _:
            return "✓"
