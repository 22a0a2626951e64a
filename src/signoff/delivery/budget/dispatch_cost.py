"""Price of a dispatch in USD. Pure.

The price that the agent states counts. Otherwise it is tokens times the price of the model, if both are
known. What is not known stays unknown and is never guessed.
"""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec.structs import replace

from signoff.domain.machine.activity import UsageBasis
from signoff.domain.run.outcomes import Usage
from signoff.domain.work.budgets import Price, PriceList

_MILLION = 1_000_000


def priced(usage: Usage, model: str, own: Mapping[str, Price], listed: PriceList) -> Usage:
    """Return the usage with its price added, if it has none and one can be computed.

    `model` is the one that was asked for. It counts only if the agent does not state which one it used.
    """
    if usage.cost_usd is not None:
        return usage
    cost = cost_usd(usage, price_of(usage.model or model, own, listed))
    return usage if cost is None else replace(usage, cost_usd=cost, priced=True)


def price_of(model: str, own: Mapping[str, Price], listed: PriceList) -> Price | None:
    """Return the price of a model. The person's own entry wins, and an exact name wins over a pattern."""
    if not model:
        return None
    if name := _best(model, own):
        return own[name]
    by_name = {name: entry for entry in listed.prices for name in entry.models}
    found = by_name.get(_best(model, by_name) or "")
    if found is None:
        return None
    return Price(
        input=found.input, output=found.output, cache_read=found.cache_read, cache_write=found.cache_write
    )


def cost_usd(usage: Usage, price: Price | None) -> float | None:
    """Return tokens times price, None if a figure is missing or covers more than this dispatch."""
    if price is None or usage.basis is UsageBasis.SESSION:
        return None
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    parts = [usage.input_tokens * price.input, usage.output_tokens * price.output]
    for count, each in (
        (usage.cached_tokens, price.cache_read),
        (usage.cache_write_tokens, price.cache_write),
    ):
        if count and each is None:
            return None
        parts.append((count or 0) * (each or 0.0))
    return math.fsum(parts) / _MILLION


def _best(model: str, names: Iterable[str]) -> str | None:
    """Return the name that fits best: the model itself, else the longest pattern."""
    fitting = [name for name in names if _pattern(name).fullmatch(model)]
    return max(fitting, key=lambda name: (name == model, len(name), name), default=None)


@lru_cache(maxsize=256)
def _pattern(name: str) -> re.Pattern[str]:
    """Only `*` is special: names of models have brackets and dots in them."""
    return re.compile(".*".join(re.escape(part) for part in name.split("*")))
