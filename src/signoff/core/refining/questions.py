"""Is this a question to be answered, or a task to be done? Pure.

"Can you explain the cache?" wants an answer, "can you add a cache?" a change. One request makes a task of
everything around it; a text that only asks starts no run.
"""

from enum import Enum
from typing import Final

from signoff.core.phrases import word_set
from signoff.core.refining.grammar import all_forms, goal_verbs
from signoff.core.refining.vocabulary import CONCEPT_VERBS, GOAL_VERBS
from signoff.core.refining.wants import Want
from signoff.core.refining.words import Kind, Spoken, Word, read_words
from signoff.domain.ticket import InputKind

_ASKING: Final = word_set("how what why where which who whose what's how's why's where's who's")
_LEADING: Final = word_set("please hi hello hey so and but just ok okay quick question also could you can")
_AUXILIARIES: Final = word_set(
    """
    is are was were do does did can could would should will has have had isn't aren't doesn't don't didn't
    can't couldn't wouldn't shouldn't won't may might shall
    """
)
_WONDERING: Final = (
    ("i", "wonder"),
    ("i'm", "wondering"),
    ("i", "am", "wondering"),
    ("help", "me", "understand"),
    ("walk", "me", "through"),
    ("show", "me", "how"),
    ("i'd", "like", "to", "know"),
    ("i'd", "like", "to", "understand"),
    ("i", "want", "to", "know"),
    ("i", "want", "to", "understand"),
    ("i", "don't", "understand"),
    ("i", "do", "not", "understand"),
    ("describe", "how"),
    ("describe", "what"),
    ("describe", "why"),
    ("describe", "the", "difference"),
    ("compare",),
    ("any", "idea"),
)
_PROPOSALS: Final = (
    ("why", "don't", "we"),
    ("why", "don't", "you"),
    ("why", "not"),
    ("how", "about"),
    ("what", "about"),
    ("what", "if", "we"),
)
_WRITTEN_DOWN: Final = word_set(
    "readme docs documentation comment comments docstring changelog guide page wiki"
)
_OPINIONS: Final = word_set("should shall")


class _Speech(Enum):
    REQUEST = "request"
    QUESTION = "question"
    STATEMENT = "statement"


def is_question(want: Want) -> bool:
    """Say whether a want only asks something; a ticket with acceptance criteria never does."""
    if want.kind in (InputKind.DIFF, InputKind.FILE):
        return False
    if want.kind is InputKind.TICKET and want.ticket.acceptance_criteria:
        return False
    return asks_only(want.statement)


def asks_only(text: str) -> bool:
    """Say whether a text asks something and requests nothing."""
    spoken = read_words(text)
    told = {spoken.words[at].sentence for at, _ in goal_verbs(spoken)}
    kinds = {_speech(spoken, sentence, told) for sentence in {word.sentence for word in spoken.words}}
    return _Speech.QUESTION in kinds and _Speech.REQUEST not in kinds


def _speech(spoken: Spoken, sentence: int, told: set[int]) -> _Speech:
    words = [word for word in spoken.words if word.sentence == sentence]
    texts = [word.text for word in words]
    start = next((n for n, text in enumerate(texts) if text not in _LEADING), len(texts))
    opening = texts[start:]
    is_asked = sentence in spoken.asked
    if any(_begins(texts, phrase) for phrase in _PROPOSALS):
        return _Speech.REQUEST if _has_goal(opening) else _Speech.QUESTION
    if any(_begins(opening, phrase) or _begins(texts, phrase) for phrase in _WONDERING):
        return _Speech.QUESTION
    if opening and opening[0] in all_forms(CONCEPT_VERBS):
        return _Speech.REQUEST if _is_written_down(words) else _Speech.QUESTION
    if opening and opening[0] in _ASKING and (is_asked or _is_inverted(opening)):
        return _Speech.REQUEST if _is_requested_later(spoken, words) else _Speech.QUESTION
    if is_asked and texts[0] in _OPINIONS:
        return _Speech.QUESTION
    if is_asked and texts[0] in _AUXILIARIES and "you" not in texts[:3] and texts[:2] not in _TOGETHER:
        is_possible = texts[:4] == ["would", "it", "be", "possible"]
        return _Speech.REQUEST if is_possible and _has_goal(texts) else _Speech.QUESTION
    if sentence in told or (texts[:2] in _TOGETHER and _has_goal(texts)):
        return _Speech.REQUEST
    return _Speech.QUESTION if is_asked else _Speech.STATEMENT


_TOGETHER: Final = (["can", "we"], ["could", "we"])


def _is_inverted(opening: list[str]) -> bool:
    """Say whether it is put as a question, with or without its mark: `how does it work`."""
    return "'s" in opening[0] or opening[1:2] == ["to"] or bool(_AUXILIARIES.intersection(opening[1:3]))


def _is_requested_later(spoken: Spoken, words: list[Word]) -> bool:
    """`Why does it fail, please fix it`: a request in a later part of the sentence."""
    places = [at for at, _ in goal_verbs(spoken) if spoken.words[at].sentence == words[0].sentence]
    return any(
        spoken.words[at - 1].text == "please"
        or (spoken.words[at].part != words[0].part and spoken.words[at].part != spoken.words[at - 1].part)
        for at in places
        if at
    )


def _is_written_down(words: list[Word]) -> bool:
    return any(
        word.text in _WRITTEN_DOWN or (word.kind in (Kind.NAME, Kind.CODE) and word.raw.endswith(".md"))
        for word in words
    )


def _has_goal(texts: list[str]) -> bool:
    known = all_forms(GOAL_VERBS)
    return any(text in known for text in texts)


def _begins(texts: list[str], phrase: tuple[str, ...]) -> bool:
    return tuple(texts[: len(phrase)]) == phrase
