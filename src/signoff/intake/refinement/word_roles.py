"""The part a word plays in its sentence: an order, denied, left out, the object of a verb.

Pure. Tables of the words around it decide, not a parser. Where they cannot tell, the answer is the one that
stops more work: a "not" reaches no further than it surely does.
"""

from collections.abc import Iterator
from enum import Enum
from functools import cache, lru_cache
from typing import Final

from signoff.intake.refinement.text_words import SpokenText, TextWord, WordKind
from signoff.intake.refinement.vocabulary import DOUBLED, GOAL_VERBS, IRREGULAR
from signoff.text.phrases import word_set


class VerbRole(Enum):
    """The use of a verb."""

    ORDER = "order"
    """The reader is told to do it: `drop it`, `could you drop it`, `we need to drop it`."""
    DUTY = "duty"
    """The program is to do it: `the page must show it`."""
    OTHER = "other"
    """Anything else, such as a purpose: `a button to show it`."""


DETERMINERS: Final = word_set("""
    the a an this that these those my our your its their his her all every each any some both
""")
_ADVERBS: Final = word_set("""
    also already completely directly either ever finally first fully immediately just kindly next now
    permanently please quickly safely silently simply then therefore
""")
_MODALS: Final = word_set("must should shall will can could would may might cannot")
_PEOPLE: Final = word_set("i we you i'd we'd i'll we'll you'll let's us")
_WISHES: Final = word_set("need needs want wants have has like love going wish plan required supposed ought")
_URGES: Final = word_set("forget hesitate neglect remember try sure mind possible")
_JOINERS: Final = word_set("and or then but")
_SUBORDINATE: Final = word_set("""
    that which who whose can may so where to let lets allow allows enable enables
""")
_CONDITIONS: Final = word_set("if when whenever whether unless once until while after before in-case")
_BOUNDARIES: Final = word_set("""
    about across after against and as at because before between but by during for from if in inside into
    is of off on once onto or out over per since so than that then through to under unless until via was were
    when where which while who whose with within without are be must should shall will would can could
    may
""")
"""The words that end the object of a verb."""
_PREPOSITIONS: Final = word_set("in on at for inside within for from under")

_NEGATORS: Final = word_set("not never nor neither nobody nothing none cannot no without dont")
_REFUSING: Final = """
avoid block deny detect disallow forbid forget guard hesitate neglect prevent protect refuse reject skip stop
warn
"""
_NO_DENIAL: Final = word_set("only just needed used required necessary relevant sure done yet kidding")
"""After one of these, "not" denies nothing: "not only drop the table"."""
_SCOPE_ENDS: Final = word_set("and then but also plus so")
_LISTED: Final = "drop delete truncate purge wipe destroy erase remove disable skip bypass"
"""Verbs that a denial reaches across commas: "never drop, truncate or wipe it"."""
_REACH: Final = 6
"""How many words after a denial are denied."""

_TOUCHING: Final = """
add affect alter break build change create edit implement include introduce involve modify move need
redesign require restyle rework touch update use
"""
_EXCEPTIONS: Final = word_set("without except excluding")
_LET_ALONE: Final = word_set("unchanged untouched unaffected alone as-is intact")
_INSTEAD: Final = (("instead", "of"), ("rather", "than"))
_TELLING: Final = word_set(
    "does did is are was were has have had can could with shows there's doesn't didn't isn't can't won't"
)
"""A negation after or in one of these describes the program instead of bounding the work."""
_STATES: Final = word_set("is are was were has fails failed does doesn't isn't")
_LOOKED_BACK: Final = 40


@cache
def forms(base: str) -> frozenset[str]:
    """Return a regular verb in all its forms."""
    if base in IRREGULAR:
        return frozenset((base, *IRREGULAR[base].split()))
    stem = base + base[-1] if base in DOUBLED else base.removesuffix("e")
    if base.endswith("y") and base[-2] not in "aeou":
        return frozenset((base, base[:-1] + "ies", base[:-1] + "ied", base + "ing"))
    third = base + ("es" if base.endswith(("s", "x", "sh", "ch", "z")) else "s")
    return frozenset((base, third, stem + "ed", stem + "ing"))


@cache
def all_forms(bases: str) -> dict[str, str]:
    """Return each form of the listed verbs with its plain form."""
    return {form: base for base in bases.split() for form in forms(base)}


def role(words: tuple[TextWord, ...], at: int) -> VerbRole:
    """Return the use of the verb at this place.

    The last words before it in the same part of the sentence decide; adverbs in between do not count. No
    word at all, "and", "let's" or "you should" make an order, "the page must" a duty.
    """
    clause = [word.text for word in _before(words, at)]
    before = [word.text for word in _before(words, at, same_part=True)]
    while before and before[-1] in _ADVERBS:
        before.pop()
        clause.pop()
    earlier = clause[:-1]
    match before:
        case []:
            return VerbRole.ORDER
        case [*_, joiner] if joiner in _JOINERS:
            return VerbRole.OTHER if _SUBORDINATE.intersection(earlier) else VerbRole.ORDER
        case [*_, "let's" | "us" | "i'll" | "we'll"]:
            return VerbRole.ORDER
        case [*_, "you" | "we" | "i"]:
            return VerbRole.ORDER if len(before) > 1 and before[-2] in _MODALS else VerbRole.OTHER
        case [*_, modal] if modal in _MODALS:
            return VerbRole.ORDER if not earlier or _PEOPLE.intersection(earlier) else VerbRole.DUTY
        case [*_, "to"] if earlier:
            return _role_after_to(earlier)
        case _:
            last = words[at - 1]
            is_placed = last.kind in (WordKind.NAME, WordKind.CODE) and clause[0] in _PREPOSITIONS
            return VerbRole.ORDER if is_placed else VerbRole.OTHER


def _role_after_to(earlier: list[str]) -> VerbRole:
    """Tell "we need to drop it" from "the app needs to drop it" and "a button to drop it"."""
    if earlier[-1] in _WISHES:
        return VerbRole.ORDER if len(earlier) == 1 or _PEOPLE.intersection(earlier) else VerbRole.DUTY
    is_wished = earlier[-1] in ("you", "us") and _WISHES.intersection(earlier)
    return VerbRole.ORDER if earlier[-1] in _URGES or is_wished else VerbRole.OTHER


def goal_verbs(spoken: SpokenText) -> Iterator[tuple[int, str]]:
    """Yield the places at which the reader is told to do something, with the plain verb."""
    known = all_forms(GOAL_VERBS)
    not_meant = denied(spoken)
    for at, word in enumerate(spoken.words):
        verb = known.get(word.text)
        if not verb or word.kind is not WordKind.PLAIN or at in not_meant:
            continue
        following = spoken.words[at + 1 : at + 2]
        # "Build is slow" opens a statement with a noun.
        is_noun = any(one.clause == word.clause and one.text in _STATES for one in following)
        is_plain = word.text == verb and role(spoken.words, at) is not VerbRole.OTHER and not is_noun
        is_asked = word.text.endswith("ing") and at and spoken.words[at - 1].text in ("mind", "about")
        if is_plain or is_asked:
            yield at, verb


def object_of(words: tuple[TextWord, ...], at: int, most: int = 8) -> list[int]:
    """Return the places of the words a verb acts on, with the head noun last.

    The object ends at the next preposition, comma or clause.
    """
    start = at + 1
    # "drop and recreate the table", "drop, truncate or wipe the table": one object for all of them.
    while start + 1 < len(words) and words[start].clause == words[at].clause:
        if words[start].text in ("and", "or"):
            start += 2
        elif words[start].part != words[start - 1].part and start == at + 1:
            start += 1
        else:
            break
    found: list[int] = []
    for place in range(start, min(start + most, len(words))):
        word = words[place]
        if word.clause != words[at].clause or (found and word.part != words[place - 1].part):
            break
        if word.text in _BOUNDARIES:
            break
        found.append(place)
    return found


def is_conditional(words: tuple[TextWord, ...], at: int) -> bool:
    """Check whether this part of the sentence is about a case: `when the table is dropped`."""
    return any(word.text in _CONDITIONS for word in _before(words, at, same_part=True))


@lru_cache(maxsize=16)
def denied(spoken: SpokenText) -> frozenset[int]:
    """Return the places that a `not`, `without` or `avoid` reaches.

    A double denial cancels itself: "do not forget to drop" is an order.
    """
    flips = [0] * len(spoken.words)
    for at in range(len(spoken.words)):
        if _denies(spoken.words, at):
            for place in _reach(spoken.words, at):
                flips[place] += 1
    return frozenset(place for place, count in enumerate(flips) if count % 2)


@lru_cache(maxsize=16)
def left_out(spoken: SpokenText) -> frozenset[int]:
    """Return the places of things that are named as no part of the work: `do not touch the layout`.

    They stand behind "no", "without", "instead of" or a denied verb of change, or before "unchanged". What
    only must not happen ("prevent the form from submitting twice") is a part of the work.
    """
    words = spoken.words
    found: set[int] = set()
    for at, word in enumerate(words):
        before = words[at - 1].text if at else ""
        after = [one.text for one in words[at + 1 : at + 4]]
        is_not = word.text in ("not", "never") or (word.text.endswith("n't") and word.text not in _TELLING)
        is_meant = (is_not and not all_forms(_TOUCHING).keys().isdisjoint(after)) or word.text == "no"
        is_exception = word.text in _EXCEPTIONS or (word.text, *after[:1]) in _INSTEAD
        if is_exception or (is_meant and before not in _TELLING):
            found.update(_reach(words, at))
        if word.text in _LET_ALONE:
            found.update(place for place in range(max(0, at - 4), at) if words[place].clause == word.clause)
    return frozenset(found)


def _denies(words: tuple[TextWord, ...], at: int) -> bool:
    text = words[at].text
    after = words[at + 1].text if at + 1 < len(words) else ""
    if text in all_forms(_REFUSING) or (text, after) in _INSTEAD:
        return True
    if text not in _NEGATORS and not text.endswith("n't"):
        return False
    return after not in _NO_DENIAL and not (at and words[at - 1].text in _CONDITIONS)


def _reach(words: tuple[TextWord, ...], at: int) -> Iterator[int]:
    # "do not, under any circumstances, drop": what stands between two commas is stepped over.
    commas = 2 if at + 1 < len(words) and words[at + 1].part != words[at].part else 0
    for place in range(at + 1, min(at + _REACH + 1, len(words))):
        word, before = words[place], words[place - 1]
        if word.clause != words[at].clause or word.text in _SCOPE_ENDS:
            return
        if word.part != before.part and before.text not in all_forms(_LISTED):
            if commas == 0:
                return
            commas -= 1
        yield place


def _before(words: tuple[TextWord, ...], at: int, *, same_part: bool = False) -> list[TextWord]:
    """Return the words before this place in its clause, or only those since the last comma."""
    start = at
    while start and at - start < _LOOKED_BACK and words[start - 1].clause == words[at].clause:
        start -= 1
    return [word for word in words[start:at] if not same_part or word.part == words[at].part]
