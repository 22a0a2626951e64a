"""How many columns text takes on a terminal, and how to make it fit. Pure.

Text comes from agents and tickets: what could steer a terminal is replaced, so that a line is as wide as it
looks and moves nothing.
"""

import unicodedata

_WIDE = ("W", "F")
_NO_WIDTH = ("Mn", "Me", "Cf")
_STEERING = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")


def plain(text: str) -> str:
    """Return the text on one line, without characters that have no shape of their own or steer a terminal."""
    flat = " ".join(text.split())
    if flat.isascii() and flat.isprintable():
        return flat
    return "".join(_shown(char) for char in flat)


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category in _STEERING:
        return "\ufffd"
    return "" if category == "Cf" else char


def width(text: str) -> int:
    """Return how many columns plain text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in _NO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def fit(text: str, columns: int) -> str:
    """Return plain text in at most so many columns, with `…` for what is missing at its end."""
    if columns <= 0:
        return ""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def fit_end(text: str, columns: int) -> str:
    """Return plain text in at most so many columns, with `…` for what is missing at its beginning."""
    if columns <= 0 or width(text) <= columns:
        return text if columns > 0 else ""
    kept, used = [], 0
    for char in reversed(text):
        used += _columns(char)
        if used > columns - 1:
            break
        kept.append(char)
    return "…" + "".join(reversed(kept)).lstrip()


def pad(text: str, columns: int) -> str:
    """Return plain text in exactly so many columns."""
    shown = fit(text, columns)
    return shown + " " * (columns - width(shown))
