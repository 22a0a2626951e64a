"""What observers of a hosted cycle are shown, and what they may say. Pure records.

Loaded only where hooks are switched on. An observer passes by returning, fails by `HookError` (a warning)
and stops by `HookVeto`. It cannot answer, change or skip anything: it is shown text and numbers.
"""

from collections.abc import Callable
from typing import NamedTuple

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import HaltId, RunId
from signoff.domain.run.halts import HaltCode, HaltKind
from signoff.domain.work.settings import HookPoint
from signoff.domain.work.work_state import DirectiveSet


class HookRecord(Record, frozen=True, kw_only=True):
    """One point of one cycle. A field that does not exist at a point is at its default, and not written."""

    point: HookPoint
    run: RunId
    cycle: int
    """The cycle this is about. Before it has begun, the one that is to begin."""
    state_file: str
    set: DirectiveSet
    """The directive set as the journal decided it."""
    step: str = ""
    outcome: str = ""
    """`success`, `skipped`, `blocked` or `partial`."""
    halt: HaltId | None = None
    code: HaltCode | None = None
    kind: HaltKind | None = None
    verb: str = ""
    """What the host's agent is asked to do."""
    lines: tuple[str, ...] = ()
    """The halt, line by line, as it goes out."""
    options: tuple[str, ...] = ()
    wrote: tuple[str, ...] = ()
    """At after_load: the slices that the host wrote since the last cycle."""
    exported: str = ""
    """At before_save and after_save: the state file, whole."""
    error: str = ""
    """At on_error: what was raised."""


class HookError(Exception):
    """An observer could not do its work, and the run goes on without its word."""


class HookVeto(Exception):  # noqa: N818 - a word of an observer, no error of ours
    """An observer says no."""

    def __init__(self, reason: str, lines: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.lines = lines


class Observer(NamedTuple):
    """A program or plugin that looks at some of the points."""

    name: str
    points: frozenset[HookPoint]
    look: Callable[[HookRecord], None]


RunProgram = Callable[[tuple[str, ...], bytes, float], tuple[int, bytes]]
"""Runs a program with these words, this input and time limit. Returns exit code and standard error."""
