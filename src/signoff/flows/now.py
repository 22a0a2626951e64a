"""What one stage of a flow has to say. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from signoff.domain.effects import Effect
    from signoff.domain.halts import Halt


class Now(msgspec.Struct, frozen=True):
    """What one stage of a flow has to say: what may run, what waits, and whether it is behind us."""

    effects: tuple[Effect, ...] = ()
    halts: tuple[Halt, ...] = ()
    complete: bool = False


COMPLETE = Now(complete=True)
