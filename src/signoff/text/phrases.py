"""Find listed words and phrases in a text, the same way for every list of them.

Pure. Only whole words match. Invisible characters, line breaks, emphasis, full-width letters and hyphens hide
none of them, and a quotation can be replaced by one mark, since what is quoted is not said.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from signoff.text.lazy_patterns import pattern

WIDE: Final = 3
"""What a Chinese, Japanese or Korean character counts for: it says about as much as three letters."""
QUOTED: Final = "\N{WHITE SQUARE}"
"""What stands in place of quoted text."""
JUDGED_LENGTH: Final = 1_000
"""The number of characters that are judged: enough to tell, and no text is too long to be judged."""

# No quotation holds another's opening mark: so a text of nothing but opening marks is read once, not n times.
_QUOTES = pattern(r"""\"[^"]+\"|`[^`]+`|“[^“”]+”|«[^«»]+»|‘[^‘’]+’(?!\w)|「[^「」]+」|(?<!\w)'[^']+'(?!\w)""")
_HYPHENS: Final = pattern("[-\u2010]")
# No part of a longer name: `src/looks-good.css` and `--is-correct` are names of things.
_HYPHENATED: Final = pattern(r"(?<![\w./`\u2010-])[^\W\d_]++(?:[-\u2010][^\W\d_]++)++(?![\w/`\u2010-]|\.\w)")
_EMPHASIS: Final = pattern(r"(?<!\w)[*_~]+(?=\S)|(?<=\S)[*_~]+(?!\w)")
"""The marks around what Markdown sets in another type."""
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Joiners and fillers that are letters or marks to Unicode, and blank to a reader."""


def word_set(words: str) -> frozenset[str]:
    """Return a table of words that is written as one text."""
    return frozenset(words.split())


def phrase_set(phrases: str) -> tuple[tuple[str, ...], ...]:
    """Return a table of phrases that is written as one text with a comma between them."""
    return tuple(tuple(phrase.split()) for phrase in phrases.split(","))


def phrase_at(words: Sequence[str], at: int, phrases: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first listed phrase that begins at this place, or an empty one."""
    return next((phrase for phrase in phrases if tuple(words[at : at + len(phrase)]) == phrase), ())


def normalised(text: str) -> str:
    """Return the text composed, without invisible characters and with single spaces.

    Applying it twice changes nothing more.
    """
    if text.isascii():
        return " ".join(text.split())
    # An invisible character between a letter and its accent keeps the two apart: so it goes first.
    visible = "".join(char for char in text if not is_invisible(char))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def readings(text: str) -> tuple[str, ...]:
    """Return the text as a reader may see it: an invisible character may stand where a space is meant."""
    if text.isascii() or not any(map(is_invisible, text)):
        return (normalised(text),)
    return normalised(text), normalised("".join(" " if is_invisible(char) else char for char in text))


def is_blank(text: str) -> bool:
    """Check whether there is nothing to read."""
    return not (text.strip() if text.isascii() else normalised(text))


def length(text: str) -> int:
    """Return the number of characters there are to read."""
    return len(normalised(text))


def weight(text: str) -> int:
    """Return how much there is to read: a character of a script without letters says more than one."""
    return sum(
        WIDE if char.isalpha() and unicodedata.east_asian_width(char) in ("W", "F") else 1 for char in text
    )


def without_quotes(text: str) -> str:
    """Return the text with a mark in place of each quotation."""
    # A criterion that is nothing but a quotation is a criterion in quotation marks.
    whole = _QUOTES.fullmatch(text)
    return text[1:-1] if whole else _QUOTES.sub(f" {QUOTED} ", text)


def folded(text: str, unhyphenated: frozenset[str]) -> str:
    """Return the text in small plain letters, without emphasis, `is-correct` as two words.

    Only a hyphen between words of `unhyphenated` counts as a space: "up-to-date" stays one word.
    """

    def apart(found: re.Match[str]) -> str:
        words = _HYPHENS.split(found[0])
        return " ".join(words) if unhyphenated.issuperset(map(str.casefold, words)) else found[0]

    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(_HYPHENATED.sub(apart, _EMPHASIS.sub("", plain)).split()).casefold()


def is_invisible(char: str) -> bool:
    """Check whether a reader sees nothing of a character, although it is no space."""
    return (
        unicodedata.category(char) == "Cf"
        or char in _FILLERS
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or "\u180b" <= char <= "\u180f"
    )
