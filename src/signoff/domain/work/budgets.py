"""What models cost and what a run may spend. Pure records."""

from typing import Annotated

from msgspec import Meta

from signoff.domain.base.record import Record

_MOST = 1_000_000_000
Usd = Annotated[float, Meta(gt=0, le=_MOST)]
"""Not without end: TOML knows `inf`."""
Tokens = Annotated[int, Meta(ge=1, le=1_000_000 * _MOST)]
PerMillion = Annotated[float, Meta(ge=0, le=_MOST)]


class Price(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[prices."MODEL"]`: what a model costs, in USD per million tokens. `*` in its name is anything."""

    input: PerMillion
    """For tokens that come from no cache."""
    output: PerMillion
    """For tokens it writes."""
    cache_read: PerMillion | None = None
    """For tokens read from a cache. Without it, a dispatch that did so has no known price."""
    cache_write: PerMillion | None = None
    """For tokens written to a cache. Without it, a dispatch that did so has no known price."""


class ListedPrice(Record, frozen=True, kw_only=True):
    """One line of the built-in table."""

    models: tuple[str, ...]
    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


class PriceList(Record, frozen=True, kw_only=True):
    """The built-in table."""

    as_of: str = ""
    """When it was compared with what the providers say."""
    unit: str = ""
    prices: tuple[ListedPrice, ...] = ()


class Budget(Record, frozen=True, kw_only=True):
    """What a run may spend, as it was pinned when the run started."""

    usd: float | None = None
    tokens: int | None = None
    reserve_usd: float = 0.0
    """What a dispatch sets aside before it starts, and what it counts for if its cost is not known."""
    reserve_tokens: int = 0
    warn_at: float = 0.8
    """The share at which it is said that the end is near."""
