"""Whether a criterion says something that can be checked. Pure; whole words only, never substrings.

A false alarm costs a person an answer and a miss costs a delivery, so quoted text is let alone ("prints
`works correctly`") and so is "is correct" as a condition ("when the password is correct, ...").
"""

import re
import unicodedata
from typing import Final

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

_QUOTED = "\N{WHITE SQUARE}"
_QUOTES = re.compile(r"""\"[^"]+\"|`[^`]+`|“[^”]+”|«[^»]+»|‘[^’]+’(?!\w)|「[^」]+」|(?<!\w)'[^']+'(?!\w)""")
_PHRASES = re.compile(rf"\b(?:{'|'.join(VAGUE_PHRASES)})\b")
_CONDITION = re.compile(r"\b(?:if|when|whenever|whether|unless|once|until|while)\b[^.,;:]*$")
_PLACEHOLDER = re.compile(
    r"\b(?:tbd|tba|tbc|to be (?:decided|determined)|lorem ipsum)\b|\?{3,}|^todo\s*(?:$|[:.!?–—-])"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

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
    spoken = _without_quotes(text)
    folded = spoken.casefold()
    if _PLACEHOLDER.search(folded) or re.match(r"TODO\b", spoken) or _says_nothing(folded):
        return "is a placeholder"
    if _weight(text) < MIN_LENGTH:
        return f"is shorter than {MIN_LENGTH} characters"
    for phrase in _PHRASES.finditer(folded):
        if phrase[0] != "is correct" or not _CONDITION.search(folded[: phrase.start()]):
            return f"says “{phrase[0]}”, which nothing can check"
    if _QUOTED not in folded and _EMPTY_WORDS.issuperset(_WORD.findall(folded)):
        return "names no behaviour that can be checked"
    return ""


def normalised(text: str) -> str:
    """Give the text composed, without invisible characters and with single spaces."""
    visible = "".join(
        char for char in unicodedata.normalize("NFC", text) if unicodedata.category(char) != "Cf"
    )
    return " ".join(visible.split())


def _without_quotes(text: str) -> str:
    # A criterion that is nothing but a quotation is a criterion in quotation marks.
    whole = _QUOTES.fullmatch(text)
    return text[1:-1] if whole else _QUOTES.sub(f" {_QUOTED} ", text)


def _says_nothing(folded: str) -> bool:
    """Question marks, dashes, or one letter over and over."""
    letters = {char for char in folded if char.isalnum() or char == _QUOTED}
    return len(letters) < 2 and _QUOTED not in letters


def _weight(text: str) -> int:
    return sum(WIDE if _is_wide(char) else 1 for char in text)


def _is_wide(char: str) -> bool:
    return char.isalpha() and unicodedata.east_asian_width(char) in ("W", "F")
