"""Write long lists of words as text, so that a table of them stays short enough to read. Pure."""

from collections.abc import Mapping


def words(text: str) -> frozenset[str]:
    """Return the words of a text that spaces separate."""
    return frozenset(text.split())


def by_word(lists: Mapping[str, str]) -> dict[str, str]:
    """Return the key of each word, from the words of each key."""
    return {word: key for key, listed in lists.items() for word in listed.split()}
