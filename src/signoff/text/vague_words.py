"""The vague phrases, and the words that name nothing: whether a text says something that can be checked.

Pure. A false alarm costs a person an answer and a miss costs a delivery, so quoted text is let alone ("prints
`works correctly`"), and in a ticket's criterion "is correct" as a condition ("when the password is correct,
..."). The rules of contracts and sprints ask `vague_phrases`, `why_no_non_goal` and `why_no_signal`, the gate
of tickets asks `why_vague`. A text says nothing when every word of it is in the tables of its kind, so one
word that names something is enough to be let alone.
"""

import re
from typing import Final

from signoff.text.lazy_patterns import pattern
from signoff.text.phrases import (
    JUDGED_LENGTH,
    QUOTED,
    folded,
    normalised,
    readings,
    weight,
    without_quotes,
    word_set,
)

MIN_LENGTH: Final = 10

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
_FORMS: Final = {
    "works": "work(?:s|ed|ing)?",
    "looks": "look(?:s|ed|ing)?",
    "is": "(?:is|are|was|were|be|been|being)",
    "behaves": "behav(?:e|es|ed|ing)",
    "appears": "appear(?:s|ed|ing)?",
}
"""The verbs of the phrases in any form: another form of it promises nothing more."""
_HYPHENATED_WORDS: Final = word_set("""
    work works worked working look looks looked looking is are was were be been being behave behaves
    behaved behaving appear appears appeared appearing correctly as expected good nice reasonable
    correct properly needed if appropriate
""")
_ENDINGS: Final = frozenset(phrase.rpartition(" ")[2] for phrase in VAGUE_PHRASES)


_PHRASES = pattern(rf"\b(?:{'|'.join(VAGUE_PHRASES)})\b")
_IN_ANY_FORM = (" ".join(_FORMS.get(word, word) for word in phrase.split()) for phrase in VAGUE_PHRASES)
_INFLECTED = pattern(rf"\b(?:{'|'.join(_IN_ANY_FORM)})\b")
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
_GENERATED: Final = pattern(r"auto[\s-]?generated contract\b")
_WORD_OF_CRITERION = pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
# What an apostrophe leaves behind ("don't", "it's", "we're") counts as a word.
_WORD = pattern(r"[^\W_]+")

_EMPTY_WORDS: Final = word_set("""
    acceptable adequate amazing appropriate appropriately attractive awesome beautiful best better clean
    clear complete consistent convenient cool correct correctly decent easier easily easy effective
    efficient elegant excellent fast faster fine flawless flexible friendly good great improved
    intuitive maintainable modern neat nice nicely nicer optimal optimised optimized perfect perfectly
    performant pleasant polished pretty proper properly quick quickly quicker readable reasonable
    reliable responsive robust satisfactory scalable seamless seamlessly secure simple simpler slick
    smart smooth smoothly solid stable suitable usable useful user-friendly well

    a all also an and any app application are as at be becomes been being but by can code completely do
    does done every everything extremely feature feel feels for fully has have in is it its just like
    look looks make makes more most must nothing of ok okay on one or overall possible product quality
    quite really should shall so software something still such system than that the then there they
    thing things this to too ui us user users very was way we whole will with work working works would
    you
""")
"""A criterion of nothing but praise and fillers names no behaviour."""

_FILLERS: Final = word_set("""
    a about again all also an and any anything are as at away be been being but by do does doing don
    done dont during else ever every everything existing for from has have if in into is it its just
    kind likely made make makes many may might more must my never no not nothing of on or other our out
    please possible re really s shall should so some something stuff such t that the their them then
    there these they thing things this those to too us ve was way we were what whatever while will with
    would you your
""")
_PLACEHOLDERS: Final = word_set("""
    above applicable be below blank dash decide decided define defined determine determined dummy empty
    example fixme goal goals identified ipsum later lorem moment n na needed nil non none nope null
    pending placeholder required sample see specific specified tba tbc tbd this time todo unknown
    unspecified xxx yet
""")
_BREAKING: Final = word_set("""
    break breakage breakages breaking breaks broken bug bugs careful damage damaged defects destroy harm
    hurt mess regress regressed regressing regression regressions ruin spoil wrong
""")
_AT_LARGE: Final = word_set("""
    add app application avoid bad behavior behaviors behaviour behaviours cause code codebase components
    create current currently feature features functional functionalities functionality functions go goes
    introduce introducing keep new old part parts present previous product program project repo
    repository result site software stay still system systems up website work working works
""")
_FINISHING: Final = word_set("""
    acceptable accomplished achieved complete completed completely completes completing completion
    conclude concluded done end ended ending ends enough fine finish finished finishes finishing fully
    good great happy implemented nice ok okay over perfect ready satisfactory satisfied solved
    sufficient well working works
""")
_SPRINT_WORDS: Final = word_set("""
    after agent agents agreed am assignment believe believes builder code coding consider considered
    contract developer development feature features feel feeling feels generator get gets goal goals
    here i implementation implementing item items job left look looks me milestone nobody now once part
    parts phase project remain remaining remains requirement requirements say says seem seems somebody
    someone soon sprint sprints step steps stop stopped stops story task tasks team think thinks ticket
    till time until want wants when whenever work
""")
_SAYS_NOTHING: Final = _FILLERS | _PLACEHOLDERS
_KEEPS_WHOLE: Final = _FILLERS | _BREAKING | _AT_LARGE
_IS_OVER: Final = _FILLERS | _FINISHING | _SPRINT_WORDS


def why_vague(criterion: str) -> str:
    """Return why a criterion cannot be checked, or an empty text when it says enough.

    The tests go from the emptiest text to the most specific: nothing, a placeholder, too short, a listed
    phrase, and at last a sentence of fillers and praise.
    """
    text = normalised(criterion[:JUDGED_LENGTH])
    if not text:
        return "is empty"
    spoken = without_quotes(text)
    lower = spoken.casefold()
    letters = {char for char in lower if char.isalnum() or char == QUOTED}
    # Question marks, dashes, or one letter over and over.
    is_noise = len(letters) < 2 and QUOTED not in letters
    if is_noise or _PLACEHOLDER.search(lower) or re.match(r"TODO\b", spoken):
        return "is a placeholder"
    if weight(text) < MIN_LENGTH:
        return f"is shorter than {MIN_LENGTH} characters"
    plain = folded(spoken, _HYPHENATED_WORDS)
    for phrase in _PHRASES.finditer(plain):
        if phrase[0] != "is correct" or not _CONDITION.search(plain[: phrase.start()]):
            return f"says “{phrase[0]}”, which nothing can check"
    if QUOTED not in lower and _EMPTY_WORDS.issuperset(_WORD_OF_CRITERION.findall(lower)):
        return "names no behaviour that can be checked"
    return ""


def vague_phrases(text: str, *, quoted_too: bool) -> tuple[str, ...]:
    """Return the phrases in it that nothing can check, each once.

    With `quoted_too` these are the phrases as they are listed, in quotation marks as well. Without, quoted
    text is let alone and every form of their verbs counts.
    """
    if text.isascii() and not any(map(text.lower().__contains__, _ENDINGS)):
        return ()  # as in nearly every text
    found: dict[str, None] = {}
    for reading in readings(text):
        seen = reading if quoted_too else without_quotes(reading)
        phrases = _PHRASES if quoted_too else _INFLECTED
        found |= dict.fromkeys(phrases.findall(folded(seen, _HYPHENATED_WORDS)))
    return tuple(found)


def is_unwritten(text: str) -> bool:
    """Check whether a text only keeps its place: `TBD`, `TODO:` or the like at its start, or lorem ipsum."""
    spoken = without_quotes(normalised(text[:JUDGED_LENGTH]))
    return _UNWRITTEN.match(folded(spoken, _HYPHENATED_WORDS)) is not None


def why_no_non_goal(text: str) -> str:
    """Return why this forbids nothing that a change could be asked about, or an empty text when it does."""
    said = _said(text)
    words = _words_of(said)
    if _GENERATED.match(said):
        return "is the filler of whatever generated it"
    if why := _why_empty(said):
        return why
    if words <= _KEEPS_WHOLE and not words.isdisjoint(_BREAKING):
        return "asks for nothing but that nothing breaks"
    return ""


def why_no_signal(text: str) -> str:
    """Return why no reader could see this come true, or an empty text when one could."""
    said = _said(text)
    if why := _why_empty(said):
        return why
    return "says that it is over when it is over" if _words_of(said) <= _IS_OVER else ""


def _why_empty(said: str) -> str:
    if not said:
        return "is empty"
    return "is a placeholder" if _words_of(said) <= _SAYS_NOTHING else ""


def _said(text: str) -> str:
    return without_quotes(normalised(text[:JUDGED_LENGTH])).casefold()


def _words_of(said: str) -> frozenset[str]:
    """Return the words of a text. A quotation counts as a word that names something."""
    return frozenset((*_WORD.findall(said), *((QUOTED,) if QUOTED in said else ())))
