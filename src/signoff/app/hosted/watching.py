"""Who watches a hosted cycle: nobody, unless the settings of the run say otherwise.

Observers are loaded only where hooks are switched on: the others pay nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.app.hosted.unwatched import Unwatched
from signoff.flows.hosted.view import HostedView

if TYPE_CHECKING:
    from signoff.app.kit import HostedKit
    from signoff.core.state import State
    from signoff.domain.ports import RunFolder


def watching(kit: HostedKit, folder: RunFolder, state: State, state_file: str, *, off: bool) -> Unwatched:
    """Give whoever watches this run, by the settings it is pinned to; `off` sends them away for one cycle."""
    settings = HostedView(state, folder.blobs.get).settings.hooks
    if not settings.enabled:
        return Unwatched()
    if off:
        kit.tell("hooks are switched off for this cycle (--no-hooks); the settings of the run have them on")
        return Unwatched()
    from signoff.app.hosted.hooks import Watch, registered

    observers = registered(settings, kit.run_program, kit.tell)
    return Watch(observers, folder.blobs.get, state_file, kit.tell)
