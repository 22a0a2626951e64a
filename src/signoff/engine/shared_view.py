"""What the views of all flows share: state, settings, and the bodies that the records name.

Pure. Bodies are content-addressed, so looking one up is a function of the digest alone. Each is parsed once
and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import msgspec

from signoff.domain.base.typed_ids import Digest
from signoff.domain.work.settings import Settings

if TYPE_CHECKING:
    from signoff.domain.base.typed_ids import HaltId
    from signoff.domain.run.events import Answered, RunStart
    from signoff.engine.run_state import State

T = TypeVar("T")
Bodies = Callable[[Digest], bytes]

_CACHE: dict[tuple[Digest, type], object] = {}
"""Parsed bodies of every run of this process. A digest names one body for ever, so no entry can be stale."""
_MOST_CACHED = 256


class RunView:
    """A read-only look at one run, whichever flow it follows."""

    def __init__(self, state: State, bodies: Bodies) -> None:
        self.state = state
        self._bodies = bodies

    @property
    def start(self) -> RunStart:
        """What the run is pinned to."""
        assert self.state.start is not None, "a run is driven only after run_start"
        return self.state.start

    @property
    def settings(self) -> Settings:
        """The settings as they were when the run started."""
        return self.body(self.start.settings, Settings)

    def raw(self, digest: Digest) -> bytes:
        """Return a blob's bytes."""
        return self._bodies(digest)

    def body(self, digest: Digest, kind: type[T]) -> T:
        """Return a blob as a record. It was validated when it was stored."""
        found = _CACHE.get((digest, kind))
        if isinstance(found, kind):
            return found
        value = msgspec.json.decode(self._bodies(digest), type=kind)
        if len(_CACHE) > _MOST_CACHED:
            _CACHE.clear()
        _CACHE[digest, kind] = value
        return value

    def answer(self, halt: HaltId) -> Answered | None:
        """Return a person's answer to a halt, or None while it is open."""
        return self.state.answers.get(halt)
