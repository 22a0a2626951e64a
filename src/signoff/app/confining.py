"""Refuse to begin where the settings demand a confinement that this machine does not give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.domain.sandbox import Level, SandboxRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from signoff.domain.ports import CheckRunner
    from signoff.domain.settings import SandboxSettings


def refuse_below_minimum(settings: SandboxSettings, checks: Callable[[], CheckRunner]) -> None:
    """Stop before anything has begun; without a minimum nothing is tried, and each check says for itself."""
    if settings.minimum is Level.NONE:
        return
    from signoff.core.sandboxing import require  # a cycle of a host that demands nothing does not wait for it

    wanted = SandboxRequest(
        choice=settings.checks, minimum=settings.minimum, network=settings.network_for_checks
    )
    require(wanted, checks().offer(), "checks")
