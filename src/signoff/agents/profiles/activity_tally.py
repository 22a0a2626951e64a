"""Sum up what an agent did. Pure, and one pass, so that a long stream need not be held."""

from collections.abc import Iterable

from msgspec.structs import replace

from signoff.domain.machine.activity import (
    Activity,
    Began,
    Complained,
    Finished,
    Metered,
    Retried,
    Spoke,
    Tally,
    ToolEnded,
    ToolStarted,
    UsageBasis,
)

_MOST_COMPLAINTS = 20
_MOST_TOOLS = 100
_OTHERS = "others"
_FIGURES = ("input_tokens", "cached_tokens", "cache_write_tokens", "output_tokens", "cost_usd")


def tally(activities: Iterable[Activity]) -> Tally:
    """Return the sum of what one dispatch did.

    A figure for a whole session is this dispatch's own, because each dispatch begins a session.
    """
    sums = _Sums()
    for activity in activities:
        sums.add(activity)
    return replace(sums.so_far, metered=_metered(sums))


class _Sums:
    """What has been seen. A tool or a call counts once, however often it is reported."""

    def __init__(self) -> None:
        self.so_far = Tally()
        self.run: Metered | None = None
        self.session: Metered | None = None
        self.calls: dict[str, Metered] = {}
        self._tools: set[str] = set()
        self._denied: set[str] = set()

    def add(self, activity: Activity) -> None:
        # Texts replace earlier texts. Denials are kept by their id, so that one reported twice counts once.
        so_far = self.so_far
        match activity:
            case Began():
                self.so_far = replace(
                    so_far,
                    session=activity.session or so_far.session,
                    model=activity.model or so_far.model,
                    version=activity.version or so_far.version,
                )
            case Spoke(text=text):
                self.so_far = replace(so_far, text=text)
            case ToolStarted():
                self._start(activity)
            case ToolEnded(id=id_, denied=True):
                self._denied.add(id_)
                self.so_far = replace(so_far, denials=len(self._denied))
            case Retried():
                self.so_far = replace(so_far, retries=so_far.retries + 1)
            case Metered():
                self._meter(activity)
            case Complained():
                kept = (*so_far.complaints, activity)[-_MOST_COMPLAINTS:]
                self.so_far = replace(so_far, complaints=kept)
            case Finished():
                self.so_far = replace(so_far, finished=activity, text=activity.text or so_far.text)
            case _:
                pass

    def _start(self, started: ToolStarted) -> None:
        if started.id and started.id in self._tools:
            return
        self._tools.add(started.id)
        tools = self.so_far.tools
        name = started.tool if started.tool in tools or len(tools) < _MOST_TOOLS else _OTHERS
        self.so_far = replace(self.so_far, tools={**tools, name: tools.get(name, 0) + 1})

    def _meter(self, metered: Metered) -> None:
        match metered.basis:
            case UsageBasis.RUN:
                self.run = _filled(metered, self.run)
            case UsageBasis.SESSION:
                self.session = _filled(metered, self.session)
            case UsageBasis.LAST_CALL:
                self.calls[metered.call or f"#{len(self.calls)}"] = metered


def _metered(sums: _Sums) -> Metered | None:
    calls = _sum(list(sums.calls.values()))
    if sums.run is None and sums.session is None:
        return calls
    whole = _filled(sums.run or Metered(basis=UsageBasis.RUN), sums.session)
    if calls is not None and whole.input_tokens is None and whole.output_tokens is None:
        return _filled(calls, whole)  # a price for all of it, tokens for its last call alone
    return replace(whole, basis=UsageBasis.RUN, call="")


def _filled(later: Metered, earlier: Metered | None) -> Metered:
    """Return the later figures, with the earlier ones where it has none."""
    if earlier is None:
        return later
    known = {name: getattr(later, name) for name in _FIGURES if getattr(later, name) is not None}
    return replace(earlier, basis=later.basis, **known)


def _sum(calls: list[Metered]) -> Metered | None:
    """Add calls up. A figure that no call reported stays unknown, so the sum is a lower limit."""
    if not calls:
        return None
    sums: dict[str, float | None] = {}
    for name in _FIGURES:
        known = [getattr(call, name) for call in calls if getattr(call, name) is not None]
        sums[name] = sum(known) if known else None
    return replace(calls[0], call="", **sums)
