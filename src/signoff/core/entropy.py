"""How random a string looks. Pure; the generic rule of `core.secret_rules` asks it.

Shannon's measure over the characters of one string: it tells a drawn value from a word, but only together
with length and the kinds of characters, because no string of eight can reach what one of forty does.
"""

from collections import Counter
from math import log2


def shannon(value: bytes | str) -> float:
    """Give the bits per character; 0 for an empty string or one repeated character."""
    size = len(value)
    if size == 0:
        return 0.0
    return -sum(count / size * log2(count / size) for count in Counter(value).values())


def kinds(value: str) -> int:
    """Count which of lower case, upper case, digits and others a string has."""
    return (
        any("a" <= char <= "z" for char in value)
        + any("A" <= char <= "Z" for char in value)
        + any("0" <= char <= "9" for char in value)
        + any(not (char.isascii() and char.isalnum()) for char in value)
    )


def looks_drawn(value: str) -> bool:
    """Say whether a value could be drawn at random rather than written by a person as a word or a name.

    Precision first: a passphrase of plain words is not recognised.
    """
    if len(value) < 8 or not any(char.isdigit() for char in value):
        return False
    bits, has = shannon(value), kinds(value)
    if len(value) < 12:
        return has >= 3 and bits >= 2.75
    if len(value) < 20:
        return bits >= (2.75 if has >= 3 else 3.3)
    return bits >= (3.0 if has == 2 and _is_hex(value) else 3.5)


def _is_hex(value: str) -> bool:
    return all(char in "0123456789abcdefABCDEF" for char in value)
