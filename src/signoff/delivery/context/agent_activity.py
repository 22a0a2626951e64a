"""What an agent is doing right now, summed up from its activity for a live view. Pure.

Nothing decides by it: the figures that count are those of the dispatch's end.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from signoff.domain.base.record import Record
from signoff.domain.machine.activity import (
    Activity,
    Complained,
    Finished,
    Metered,
    Retried,
    Spoke,
    ToolEnded,
    ToolStarted,
    UsageBasis,
)
from signoff.domain.run.outcomes import AgentAnswered, AgentFailed, Interrupted, Outcome, Usage
from signoff.engine.run_summary import cost_of
from signoff.text.truncation import short

_LONGEST_TOOL = 60
_LONGEST_ABOUT = 200
_LONGEST_WORDS = 300


class Doing(Record, frozen=True, kw_only=True):
    """One agent at one moment."""

    tool: str = ""
    """The tool it uses, empty while it thinks."""
    about: str = ""
    """A path or a command."""
    words: str = ""
    """The last it said, or what it complained about."""
    tool_calls: int = 0
    tokens: int | None = None
    """Read and written, as far as it reported them, None if it reported none."""
    cost_usd: float | None = None
    retries: int = 0
    finished: bool = False


class Follower:
    """The sum of an agent's activity. A tool or a call counts once, however often it is reported."""

    def __init__(self) -> None:
        self.doing = Doing()
        self._tools: set[str] = set()
        self._using = ""
        self._whole: Metered | None = None
        self._calls: dict[str, Metered] = {}

    def add(self, activity: Activity) -> None:
        """Take note of one more thing that happened."""
        match activity:
            case Spoke(text=text) | Complained(message=text):
                self.doing = replace(self.doing, words=short(text, _LONGEST_WORDS) or self.doing.words)
            case ToolStarted():
                self._start(activity)
            case ToolEnded(id=id_) if id_ == self._using:
                self._using = ""
                self.doing = replace(self.doing, tool="", about="")
            case Retried(why=why):
                words = short(why, _LONGEST_WORDS) or self.doing.words
                self.doing = replace(self.doing, retries=self.doing.retries + 1, words=words)
            case Metered():
                self._meter(activity)
            case Finished():
                self.doing = replace(self.doing, tool="", about="", finished=True)
            case _:
                pass

    def _start(self, started: ToolStarted) -> None:
        if not started.id or started.id not in self._tools:
            self._tools.add(started.id)
            self.doing = replace(self.doing, tool_calls=self.doing.tool_calls + 1)
        self._using = started.id
        tool, about = short(started.tool, _LONGEST_TOOL), short(started.about, _LONGEST_ABOUT)
        self.doing = replace(self.doing, tool=tool, about=about)

    def _meter(self, metered: Metered) -> None:
        """Add up what was used. Figures of the whole dispatch replace those of its single calls."""
        # Calls without an id are told apart by a number of their own.
        if metered.basis is UsageBasis.LAST_CALL:
            self._calls[metered.call or f"#{len(self._calls)}"] = metered
        else:
            self._whole = metered
        told = [self._whole] if self._whole is not None else list(self._calls.values())
        costs = [one.cost_usd for one in told if one.cost_usd is not None]
        counts = [_tokens(one) for one in told]
        known = [count for count in counts if count is not None]
        self.doing = replace(
            self.doing, tokens=sum(known) if known else None, cost_usd=sum(costs) if costs else None
        )


def _tokens(metered: Metered) -> int | None:
    known = [count for count in _counts(metered) if count is not None]
    return sum(known) if known else None


class DispatchTotals(NamedTuple):
    """What the dispatches of a run that are over came to."""

    cost_usd: float | None
    tokens: int | None
    failures: int


def spent(outcomes: Iterable[Outcome]) -> DispatchTotals:
    """Return the sums of what dispatches reported, None for a figure that no dispatch reported.

    Figures of a whole session are left out of the tokens, because they repeat those of earlier dispatches.
    """
    ended = [one for one in outcomes if isinstance(one, AgentAnswered | AgentFailed | Interrupted)]
    usages = [one.usage for one in ended if not isinstance(one, Interrupted) and one.usage is not None]
    costs = [cost for one in ended if (cost := cost_of(one)) is not None]
    own = [usage for usage in usages if usage.basis is not UsageBasis.SESSION]
    counts = [count for usage in own for count in _counts(usage) if count is not None]
    return DispatchTotals(
        cost_usd=sum(costs) if costs else None,
        tokens=sum(counts) if counts else None,
        failures=sum(not isinstance(one, AgentAnswered) for one in ended),
    )


def _counts(told: Metered | Usage) -> tuple[int | None, ...]:
    return told.input_tokens, told.cached_tokens, told.cache_write_tokens, told.output_tokens
