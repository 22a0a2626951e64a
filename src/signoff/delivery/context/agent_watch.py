"""Show what agents do while they work, for a live view. Nothing here decides anything.

A driver's threads register the dispatches they perform. The view asks from a thread of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from signoff.delivery.context.agent_activity import Doing, Follower
from signoff.domain.ports import Followed

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import EffectKey
    from signoff.domain.machine.activity import Activity
    from signoff.domain.ports import Agent
    from signoff.domain.run.agents import AgentRequest


class InFlight(NamedTuple):
    """A dispatch that an agent works on."""

    agent: str
    doing: Doing | None
    """None if the agent's activity cannot be read."""


class _WatchedDispatch:
    """One dispatch and what has been read of it."""

    def __init__(self, agent: str, more: Callable[[], Iterable[Activity]] | None, checkout: str) -> None:
        self.agent = agent
        self._checkout = checkout
        self._more = more
        self._follower = Follower()

    def look(self) -> InFlight:
        if self._more is None:
            return InFlight(self.agent, None)
        for activity in self._more():
            self._follower.add(activity)
        # Files are named relative to the checkout: its own path tells nothing, and is long.
        return InFlight(
            self.agent,
            replace(self._follower.doing, about=self._follower.doing.about.replace(f"{self._checkout}/", "")),
        )


class DispatchesInFlight:
    """The dispatches that are in flight."""

    def __init__(self) -> None:
        self._watched: dict[EffectKey, _WatchedDispatch] = {}
        self._lock = threading.Lock()

    @contextmanager
    def working(self, key: EffectKey, agent: Agent, request: AgentRequest) -> Iterator[None]:
        """Show a dispatch for as long as it goes on. Called from the pool's threads."""
        more = agent.follow(request) if isinstance(agent, Followed) else None
        dispatch = _WatchedDispatch(agent.name, more, request.checkout)
        with self._lock:
            self._watched[key] = dispatch
        try:
            yield
        finally:
            with self._lock:
                self._watched.pop(key, None)

    def look(self) -> dict[EffectKey, InFlight]:
        """Return the dispatches in flight, and what each agent has done so far. Ask from one thread only."""
        with self._lock:
            watched = dict(self._watched)
        return {key: dispatch.look() for key, dispatch in watched.items()}
