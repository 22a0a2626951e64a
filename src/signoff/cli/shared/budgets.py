"""Read a budget from the command line."""

import math

from signoff.delivery.budget.budget_stage import Limits
from signoff.domain.base.errors import UsageError

_MOST_USD = 1e9
_MOST_TOKENS = 10**15


def limits(usd: str | None, tokens: str | None) -> Limits:
    """Return the limits that were named, or raise `budget-invalid` for one that is no number above zero."""
    return Limits(usd=None if usd is None else _usd(usd), tokens=None if tokens is None else _tokens(tokens))


def _usd(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1e-6 <= value <= _MOST_USD:
        raise _wrong("--budget-usd", text, "a number of US dollars above zero, such as 5 or 0.50")
    return value


def _tokens(text: str) -> int:
    value = int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(_MOST_TOKENS)) else 0
    if not 1 <= value <= _MOST_TOKENS:
        raise _wrong("--budget-tokens", text, "a whole number of tokens above zero, such as 2000000")
    return value


def _wrong(flag: str, text: str, expected: str) -> UsageError:
    return UsageError(f"{flag} {text!r} is not a budget", slug="budget-invalid", fix=f"use {expected}")
