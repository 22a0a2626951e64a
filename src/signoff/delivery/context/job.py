"""One run being driven: its ports, its folder and what it is pinned to."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from signoff.delivery.context.agent_watch import DispatchesInFlight
from signoff.delivery.context.outside_changes import Lookout
from signoff.domain.base.typed_ids import EffectKey, TreeId
from signoff.domain.ports import Agent, RunFolder
from signoff.domain.run.events import RunStart
from signoff.domain.work.settings import Settings
from signoff.domain.work.ticket import Ticket
from signoff.engine.run.kit import Kit
from signoff.engine.run_state import State


class DeliveryJob(NamedTuple):
    """What performing an effect needs. `state` returns the state of the moment."""

    kit: Kit
    folder: RunFolder
    agent: Agent
    start: RunStart
    settings: Settings
    ticket: Ticket
    state: Callable[[], State]
    is_replay: bool
    """A cassette is played: times are not real, so digests of what holds times stay out of the journal."""
    roles: Mapping[str, Agent] = MappingProxyType({})
    """Agents of single roles, where they are not `agent`."""
    in_flight: DispatchesInFlight | None = None
    """Where a live view looks at dispatches in flight, or None."""
    lookout: Lookout | None = None
    """Watches over agents without a box. None if no agents are dispatched."""

    @property
    def base_tree(self) -> TreeId:
        """The tree the run started from."""
        return self.start.base_tree

    def checkout_name(self, dispatch: EffectKey) -> str:
        """Name the checkout of one dispatch."""
        return f"{self.folder.run_id}/{dispatch}"
