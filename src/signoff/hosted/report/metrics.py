"""Five figures about hosted runs, from facts of their journals. Pure.

A figure that cannot be computed is None, because a zero would claim that something was measured.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import RunId
from signoff.text.timestamps import elapsed_ms

WINDOW: Final = 20
"""How many of the latest runs the block rate covers."""
_WEEK_MS: Final = 7 * 24 * 60 * 60 * 1000
_DIGITS: Final = 4


class RunFacts(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The facts of one run that the figures are computed from."""

    run: RunId
    started_at: str
    """Of the record `run_start`."""
    ended_at: str = ""
    """Of the record `run_end`, empty while the run is open."""
    user: str = ""
    """Who drove it, empty if unknown."""
    parent: RunId | None = None
    """The run whose report was re-opened."""
    is_reported: bool = False
    """It reached its report."""
    is_verified: bool = False
    """It reached its report with a review. A skipped review does not count."""
    waited_for_person: bool = False
    """It halted for a person at least once. Halts for the host's agent do not count."""
    hits: int = 0
    """How much memory was found."""
    mattered: int = 0
    """How much of it changed an outcome."""


class Metrics(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The five figures, None for one that there is nothing to compute from."""

    time_to_verified_change_ms: int | None = None
    """The median time from start to end of the runs that were verified."""
    block_rate: float | None = None
    """The share of the last 20 runs, or of all if there are fewer, that ever halted for a person."""
    memory_decision_rate: float | None = None
    """The share of the runs with hits in which one of them mattered."""
    repeat_user_runs_per_week: float | None = None
    """Runs of people who had run before, per week from the first run to the last, and at least one week."""
    report_rejections: int | None = None
    """How many reports were re-opened by a later run."""


def metrics(runs: Iterable[RunFacts]) -> Metrics:
    """Return the figures. The order of the runs does not matter."""
    known = sorted({run.run: run for run in runs}.values(), key=lambda run: (run.started_at, run.run))
    remembered = [run for run in known if run.hits]
    reported = {run.run for run in known if run.is_reported}
    return Metrics(
        time_to_verified_change_ms=_time_to_verified(known),
        block_rate=_share([run.waited_for_person for run in known[-WINDOW:]]),
        memory_decision_rate=_share([run.mattered > 0 for run in remembered]),
        repeat_user_runs_per_week=_repeats(known),
        report_rejections=len(reported & {run.parent for run in known}) if reported else None,
    )


def _time_to_verified(runs: Iterable[RunFacts]) -> int | None:
    took = (elapsed_ms(run.started_at, run.ended_at) for run in runs if run.is_verified)
    times = sorted(time for time in took if time is not None)
    if not times:
        return None
    middle = len(times) // 2
    return times[middle] if len(times) % 2 else (times[middle - 1] + times[middle]) // 2


def _share(answers: Sequence[bool]) -> float | None:
    return round(sum(answers) / len(answers), _DIGITS) if answers else None


def _repeats(runs: Iterable[RunFacts]) -> float | None:
    named = [run for run in runs if run.user]
    if not named:
        return None
    span_ms = elapsed_ms(named[0].started_at, named[-1].started_at)
    if span_ms is None:
        return None
    repeated = len(named) - len({run.user for run in named})
    return round(repeated / max(1.0, span_ms / _WEEK_MS), _DIGITS)
