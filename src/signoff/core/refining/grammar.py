"""What part a word plays in its sentence: an order, its object, denied. Pure; a handful of rules, no parser.

Where the rules cannot tell, they say what stops more: a "not" reaches no further than it surely does.
"""

from collections.abc import Iterator
from enum import Enum
from functools import cache, lru_cache
from typing import Final

from signoff.core.refining.vocabulary import DOUBLED, IRREGULAR
from signoff.core.refining.words import Kind, Spoken, Word, word_set


class Role(Enum):
    """What a verb is there for."""

    ORDER = "order"
    """Somebody is told to do it: `drop it`, `could you drop it`, `we need to drop it`."""
    DUTY = "duty"
    """Something is to do it: `the page must show it`."""
    PURPOSE = "purpose"
    """Something is for it: `a button to show it`."""
    OTHER = "other"


_DETERMINERS: Final = word_set(
    """
    the a an this that these those my our your its their his her all every each any some both
    """
)
_ADVERBS: Final = word_set(
    """
    also already completely directly either ever finally first fully immediately just kindly next now
    permanently please quickly safely silently simply then therefore
    """
)
_MODALS: Final = word_set("must should shall will can could would may might cannot")
_PEOPLE: Final = word_set("i we you i'd we'd i'll we'll you'll let's us")
_WISHES: Final = word_set(
    """
    need needs want wants have has like love going wish plan required supposed ought
    """
)
_URGES: Final = word_set("forget hesitate neglect remember try sure mind possible")
_JOINERS: Final = word_set("and or then but")
_SUBORDINATE: Final = word_set(
    """
    that which who whose can may so where to let lets allow allows enable enables
    """
)
_CONDITIONS: Final = word_set("if when whenever whether unless once until while after before in-case")
_BOUNDARIES: Final = word_set(
    """
    about across after against and as at because before between but by during for from if in inside into is
    of off on once onto or out over per since so that then through to under unless until via was were when
    where which while who whose with within without are be must should shall will would can could may
    """
)
_PREPOSITIONS: Final = word_set("in on at for inside within for from under")

_NEGATORS: Final = word_set("not never nor neither nobody nothing none cannot no without dont")
_REFUSING: Final = """
avoid block deny detect disallow forbid forget guard hesitate neglect prevent protect refuse reject skip stop
warn
"""
_NO_DENIAL: Final = word_set(
    """
    only just needed used required necessary relevant sure done yet kidding
    """
)
_SCOPE_ENDS: Final = word_set("and then but also plus so")
_REACH: Final = 5
"""How many words may stand between a denial and the verb that is denied."""

_TOUCHING: Final = word_set(
    """
    add adding adds affect affecting alter altering break breaking build building change changes changing
    create creating edit editing implement implementing include including introduce introducing involve
    modify modifying move moving need needing redesign redesigning require requiring restyle restyling
    rework touch touching update updating use using
    """
)
_LET_ALONE: Final = word_set("unchanged untouched unaffected alone as-is intact")
_EXCEPTIONS: Final = word_set("without except excluding")
_HAVING: Final = word_set("is are was were has have had with shows there's")


@cache
def forms(base: str) -> frozenset[str]:
    """Give a regular verb in all its forms."""
    if base in IRREGULAR:
        return frozenset((base, *IRREGULAR[base].split()))
    stem = base + base[-1] if base in DOUBLED else base.removesuffix("e")
    if base.endswith("y") and base[-2] not in "aeou":
        return frozenset((base, base[:-1] + "ies", base[:-1] + "ied", base + "ing"))
    third = base + ("es" if base.endswith(("s", "x", "sh", "ch", "z")) else "s")
    return frozenset((base, third, stem + "ed", stem + "ing"))


@cache
def all_forms(bases: str) -> dict[str, str]:
    """Give each form of the verbs in a list with the verb it belongs to."""
    return {form: base for base in bases.split() for form in forms(base)}


def role(words: tuple[Word, ...], at: int) -> Role:
    """Say what the verb at this place is there for."""
    before = at - 1
    while before >= 0 and _joined(words, before, at) and words[before].text in _ADVERBS:
        before -= 1
    if before < 0 or not _joined(words, before, at):
        return Role.ORDER
    word = words[before]
    if word.text in _JOINERS:
        earlier = {w.text for w in _clause_before(words, before)}
        return Role.OTHER if earlier & _SUBORDINATE else Role.ORDER
    if word.text in ("you", "we", "i", "let's", "us", "i'll", "we'll"):
        return _of_person(words, before)
    if word.text in _MODALS:
        is_ours = any(w.text in _PEOPLE for w in _clause_before(words, before)) or before == 0
        return Role.ORDER if is_ours else Role.DUTY
    if word.text == "to":
        return _of_infinitive(words, before)
    is_placed = word.kind in (Kind.NAME, Kind.CODE) and _clause(words, before)[0].text in _PREPOSITIONS
    return Role.ORDER if is_placed else Role.OTHER


def _of_person(words: tuple[Word, ...], at: int) -> Role:
    if words[at].text in ("let's", "us", "i'll", "we'll"):
        return Role.ORDER
    before = words[at - 1].text if at and _joined(words, at - 1, at) else ""
    return Role.ORDER if before in _MODALS else Role.OTHER


def _of_infinitive(words: tuple[Word, ...], at: int) -> Role:
    before = [w.text for w in _clause_before(words, at)]
    if not before:
        return Role.PURPOSE
    if before[-1] in _WISHES:
        return Role.ORDER if _PEOPLE.intersection(before) or len(before) == 1 else Role.DUTY
    if before[-1] in _URGES or (before[-1] in ("you", "us") and _WISHES.intersection(before)):
        return Role.ORDER
    return Role.PURPOSE


def object_of(words: tuple[Word, ...], at: int, most: int = 8) -> list[int]:
    """Give the places of the words a verb acts on, up to the next preposition; the last is the head."""
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


def is_determiner(word: Word) -> bool:
    """Say whether a word only points at what follows."""
    return word.text in _DETERMINERS


def is_conditional(words: tuple[Word, ...], at: int) -> bool:
    """Say whether the part of the sentence is about a case: `when the table is dropped`."""
    return any(w.text in _CONDITIONS for w in _part_before(words, at))


@lru_cache(maxsize=16)
def denied(spoken: Spoken) -> frozenset[int]:
    """Give the places that a `not`, `never`, `without` or `avoid` reaches; denied twice is not denied."""
    words = spoken.words
    flips = [0] * len(words)
    for at in range(len(words)):
        if _denies(words, at):
            for place in _reach(words, at):
                flips[place] += 1
    return frozenset(place for place, count in enumerate(flips) if count % 2)


def is_left_out(spoken: Spoken, at: int) -> bool:
    """Say whether a thing is named to say that it is not part of the work: `do not touch the layout`."""
    words = spoken.words
    part = list(_part_before(words, at))[-7:]
    texts = [w.text for w in part]
    for n, text in enumerate(texts):
        rest = texts[n + 1 :]
        if {"but", "and", "then"} & set(rest):
            continue
        if text in _EXCEPTIONS or (text, *rest[:1]) in (("instead", "of"), ("rather", "than")):
            return True
        if text == "no" and not (n and texts[n - 1] in _HAVING):
            return True
        is_not = text in ("not", "never") or text.endswith("n't")
        if is_not and (_TOUCHING.intersection(rest) or (len(rest) <= 1 and text == "not")):
            return text not in ("doesn't", "didn't", "isn't", "can't", "won't")
    after = (w for w in words[at + 1 : at + 5] if w.clause == words[at].clause)
    return any(w.text in _LET_ALONE for w in after)


def _denies(words: tuple[Word, ...], at: int) -> bool:
    text = words[at].text
    after = words[at + 1].text if at + 1 < len(words) else ""
    before = words[at - 1].text if at else ""
    if text in all_forms(_REFUSING) or (text, after) in (("instead", "of"), ("rather", "than")):
        return True
    if text not in _NEGATORS and not text.endswith("n't"):
        return False
    return after not in _NO_DENIAL and before not in _CONDITIONS


def _reach(words: tuple[Word, ...], at: int) -> Iterator[int]:
    # "do not, under any circumstances, drop": what stands between two commas is stepped over.
    commas = 2 if at + 1 < len(words) and words[at + 1].part != words[at].part else 0
    for place in range(at + 1, min(at + _REACH + 2, len(words))):
        word, before = words[place], words[place - 1]
        if word.clause != words[at].clause or word.text in _SCOPE_ENDS:
            return
        if word.part != before.part:
            is_list = before.text in all_forms(_LISTED)
            if not is_list and commas == 0:
                return
            commas -= not is_list
        yield place


_LISTED: Final = "drop delete truncate purge wipe destroy erase remove disable skip bypass"


def _joined(words: tuple[Word, ...], before: int, at: int) -> bool:
    return words[before].clause == words[at].clause and words[before].part == words[at].part


def _clause(words: tuple[Word, ...], at: int) -> list[Word]:
    return [*_clause_before(words, at), words[at]]


def _clause_before(words: tuple[Word, ...], at: int) -> list[Word]:
    start = at
    while start and at - start < 40 and words[start - 1].clause == words[at].clause:
        start -= 1
    return list(words[start:at])


def _part_before(words: tuple[Word, ...], at: int) -> Iterator[Word]:
    return (w for w in _clause_before(words, at) if w.part == words[at].part)
