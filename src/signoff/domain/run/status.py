"""Where a run stands, in one small record: the content of `state.json`. Pure."""

from signoff.domain.base.record import Record
from signoff.domain.base.typed_ids import RunId
from signoff.domain.run.halts import Halt


class Status(Record, frozen=True, kw_only=True):
    """A view of a run as of one record of its journal, rebuilt at will."""

    run_id: RunId
    seq: int
    offset: int
    """Size of the journal when this was written. A larger journal has news."""
    head: str
    """Sum of the record with that number."""
    ts: str
    step: str
    outcome: str
    """`running`, `waiting`, `stopped`, `signed-off`, `refused` or `could-not-be-judged`."""
    finished: bool
    parent: RunId | None = None
    """The run that this one speaks of: it holds a waiver."""
    ticket: str = ""
    title: str = ""
    halts: tuple[Halt, ...] = ()
    why: str = ""
    cost_usd: float | None = None
    """Sum of the known costs of dispatches, or None if no cost is known."""
    cost_at_least: bool = False
    """It is known of some dispatches only, so that all together cost more."""
    dispatches: int = 0
    checks: int = 0
