"""How far a run can be believed. Pure."""

from signoff.domain.events import Driver, RunStart


def level(start: RunStart) -> str:
    """Give the certificate's level.

    A cassette runs no agent at all, so nobody could have tampered; a boxed agent could touch its
    checkout only; any other agent had its user's rights while the engine watched.
    """
    if start.driver is Driver.RECORDED or (start.driver is Driver.AUTOPILOT and start.boxed):
        return "witnessed"
    return "observed"
