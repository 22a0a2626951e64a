"""Whether a text says something that can be checked. Pure; whole words only, never substrings.

A false alarm costs a person an answer and a miss costs a delivery, so quoted text is let alone ("prints
`works correctly`"), and in a ticket's criterion "is correct" as a condition ("when the password is correct,
..."). The rules of contracts and sprints ask `vague_phrases`, the gate of tickets asks `why_vague`.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from signoff.core.lazy_patterns import pattern

MIN_LENGTH: Final = 10
WIDE: Final = 3
"""What a Chinese, Japanese or Korean character counts for: it says about as much as three letters."""

VAGUE_PHRASES: Final = (
    "works correctly",
    "works as expected",
    "looks good",
    "looks nice",
    "is reasonable",
    "behaves properly",
    "behaves correctly",
    "is correct",
    "appears correct",
    "as needed",
    "if appropriate",
)

_LOOKED_AT: Final = 1_000
"""How many characters of a criterion are judged: enough to tell, and no text is too long to be judged."""

QUOTED: Final = "\N{WHITE SQUARE}"
"""What stands in place of quoted text."""

# No quotation holds another's opening mark: so a text of nothing but opening marks is read once, not n times.
_QUOTES = pattern(r"""\"[^"]+\"|`[^`]+`|“[^“”]+”|«[^«»]+»|‘[^‘’]+’(?!\w)|「[^「」]+」|(?<!\w)'[^']+'(?!\w)""")
_PHRASES = pattern(rf"\b(?:{'|'.join(VAGUE_PHRASES)})\b")
_INFLECTED = pattern(
    r"""\b(?:
        work(?:s|ed|ing)?\ (?:correctly|as\ expected)
      | look(?:s|ed|ing)?\ (?:good|nice)
      | (?:is|are|was|were|be|been|being)\ (?:reasonable|correct)
      | behav(?:e|es|ed|ing)\ (?:properly|correctly)
      | appear(?:s|ed|ing)?\ correct
      | as\ needed
      | if\ appropriate
    )\b""",
    re.VERBOSE,
)
"""The same phrases with the verb in any form: another form of it promises nothing more."""

_WORDS_OF_PHRASES = """
work works worked working look looks looked looking is are was were be been being behave behaves behaved
behaving appear appears appeared appearing correctly as expected good nice reasonable correct properly
needed if appropriate
"""
_PHRASE_WORDS: Final = frozenset(_WORDS_OF_PHRASES.split())
_HYPHENS: Final = pattern("[-\u2010]")
# No part of a longer name: `src/looks-good.css` and `--is-correct` are names of things.
_HYPHENATED: Final = pattern(r"(?<![\w./`\u2010-])[^\W\d_]++(?:[-\u2010][^\W\d_]++)++(?![\w/`\u2010-]|\.\w)")
_EMPHASIS: Final = pattern(r"(?<!\w)[*_~]+(?=\S)|(?<=\S)[*_~]+(?!\w)")
"""The marks around what Markdown sets in another type."""

_ENDINGS: Final = frozenset(phrase.rpartition(" ")[2] for phrase in VAGUE_PHRASES)

_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
"""Joiners and fillers that are letters or marks to Unicode, and blank to a reader."""

_CONDITION = pattern(r"\b(?:if|when|whenever|whether|unless|once|until|while)\b[^.,;:]*$")
_PLACEHOLDER = pattern(
    r"\b(?:tbd|tba|tbc|to be (?:decided|determined)|lorem ipsum)\b|\?{3,}|^todo\s*(?:$|[:.!?–—-])"
)
_UNWRITTEN = pattern(
    r"""(?:todo|fixme|tbd|tba|tbc)\s*(?:$|[:.,;!?()–—-]|(?:after|as|by|later|once|soon|until|when|with)\b)
      | to\ be\ (?:decided|defined|determined|discussed|specified|written|filled\ in)\b
      | \?{3,}
      | .*\blorem\ ipsum\b""",
    re.VERBOSE,
)
_WORD = pattern(r"[^\W_]+(?:['’-][^\W_]+)*")

_UNTESTABLE_WORDS = """
acceptable adequate amazing appropriate appropriately attractive awesome beautiful best better clean clear
complete consistent convenient cool correct correctly decent easier easily easy effective efficient elegant
excellent fast faster fine flawless flexible friendly good great improved intuitive maintainable modern
neat nice nicely nicer optimal optimised optimized perfect perfectly performant pleasant polished pretty
proper properly quick quickly quicker readable reasonable reliable responsive robust satisfactory scalable
seamless seamlessly secure simple simpler slick smart smooth smoothly solid stable suitable usable useful
user-friendly well
"""
_FILLER_WORDS = """
a all also an and any app application are as at be becomes been being but by can code completely do does
done every everything extremely feature feel feels for fully has have in is it its just like look looks
make makes more most must nothing of ok okay on one or overall possible product quality quite really should
shall so software something still such system than that the then there they thing things this to too ui us
user users very was way we whole will with work working works would you
"""
_EMPTY_WORDS = frozenset((_UNTESTABLE_WORDS + _FILLER_WORDS).split())


def why_vague(criterion: str) -> str:
    """Say why nobody could tell whether this holds; empty when it says enough."""
    text = normalised(criterion[:_LOOKED_AT])
    if not text:
        return "is empty"
    spoken = without_quotes(text)
    folded = spoken.casefold()
    if _PLACEHOLDER.search(folded) or re.match(r"TODO\b", spoken) or _says_nothing(folded):
        return "is a placeholder"
    if weight(text) < MIN_LENGTH:
        return f"is shorter than {MIN_LENGTH} characters"
    plain = _as_read(spoken).casefold()
    for phrase in _PHRASES.finditer(plain):
        if phrase[0] != "is correct" or not _CONDITION.search(plain[: phrase.start()]):
            return f"says “{phrase[0]}”, which nothing can check"
    if QUOTED not in folded and _EMPTY_WORDS.issuperset(_WORD.findall(folded)):
        return "names no behaviour that can be checked"
    return ""


def vague_phrases(text: str, *, quoted_too: bool) -> tuple[str, ...]:
    """Give the phrases in it that nothing can check, each once.

    With `quoted_too` these are the phrases as they are listed, in quotation marks as well; without, quoted
    text is let alone and every form of their verbs counts. Emphasis, hyphens and full-width letters hide
    none of them.
    """
    if text.isascii() and not any(map(text.lower().__contains__, _ENDINGS)):
        return ()  # as in nearly every text
    found: dict[str, None] = {}
    for reading in _readings(text):
        seen = reading if quoted_too else without_quotes(reading)
        phrases = _PHRASES if quoted_too else _INFLECTED
        found |= dict.fromkeys(phrases.findall(_as_read(seen).casefold()))
    return tuple(found)


def is_unwritten(text: str) -> bool:
    """Say whether a text only keeps its place: `TBD`, `TODO:` or the like at its start, or lorem ipsum."""
    spoken = without_quotes(normalised(text[:_LOOKED_AT]))
    return _UNWRITTEN.match(_as_read(spoken).casefold()) is not None


def normalised(text: str) -> str:
    """Give the text composed, without invisible characters and with single spaces; twice is the same."""
    if text.isascii():
        return " ".join(text.split())
    # An invisible character between a letter and its accent keeps the two apart: so it goes first.
    visible = "".join(char for char in text if not _is_invisible(char))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def is_blank(text: str) -> bool:
    """Say whether there is nothing to read."""
    return not (text.strip() if text.isascii() else normalised(text))


def length(text: str) -> int:
    """Give how many characters there are to read."""
    return len(normalised(text))


def without_quotes(text: str) -> str:
    """Give the text with a mark in place of each quotation."""
    # A criterion that is nothing but a quotation is a criterion in quotation marks.
    whole = _QUOTES.fullmatch(text)
    return text[1:-1] if whole else _QUOTES.sub(f" {QUOTED} ", text)


def _readings(text: str) -> Iterator[str]:
    """Give the text as a reader may see it: an invisible character may stand where a space is meant."""
    yield normalised(text)
    if not text.isascii() and any(map(_is_invisible, text)):
        yield normalised("".join(" " if _is_invisible(char) else char for char in text))


def _as_read(text: str) -> str:
    """Give the words as a reader takes them: without emphasis, in plain letters, phrases without hyphens."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(_HYPHENATED.sub(_apart, _EMPHASIS.sub("", plain)).split())


def _apart(found: re.Match[str]) -> str:
    words = _HYPHENS.split(found[0])
    return " ".join(words) if _PHRASE_WORDS.issuperset(map(str.casefold, words)) else found[0]


def _is_invisible(char: str) -> bool:
    return (
        unicodedata.category(char) == "Cf"
        or char in _FILLERS
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
        or "\u180b" <= char <= "\u180f"
    )


def _says_nothing(folded: str) -> bool:
    """Question marks, dashes, or one letter over and over."""
    letters = {char for char in folded if char.isalnum() or char == QUOTED}
    return len(letters) < 2 and QUOTED not in letters


def weight(text: str) -> int:
    """Give how much there is to read: a character of a script without letters says more than one."""
    return sum(WIDE if _is_wide(char) else 1 for char in text)


def _is_wide(char: str) -> bool:
    return char.isalpha() and unicodedata.east_asian_width(char) in ("W", "F")
