"""Tell a question that needs an answer from a task that needs a change. Pure.

"Can you explain the cache?" asks for an answer, "can you add a cache?" for a change. One request makes a task
of everything around it. A text that only asks starts no run.
"""

from enum import Enum
from typing import Final

from signoff.domain.work.ticket import InputKind
from signoff.intake.refinement.requests import Want
from signoff.intake.refinement.text_words import SpokenText, TextWord, WordKind, read_words
from signoff.intake.refinement.vocabulary import CONCEPT_VERBS, GOAL_VERBS
from signoff.intake.refinement.word_roles import all_forms, goal_verbs
from signoff.text.phrases import phrase_at, phrase_set, word_set

_ASKING: Final = word_set("how what why where which who whose what's how's why's where's who's")
_LEADING: Final = word_set("please hi hello hey so and but just ok okay quick question also could you can")
_AUXILIARIES: Final = word_set("""
    is are was were do does did can could would should will has have had isn't aren't doesn't don't didn't
    can't couldn't wouldn't shouldn't won't may might shall
""")
_WONDERING: Final = phrase_set(
    "i wonder, i'm wondering, i am wondering, help me understand, walk me through, show me how, "
    "i'd like to know, i'd like to understand, i want to know, i want to understand, i don't understand, "
    "i do not understand, describe how, describe what, describe why, describe the difference, "
    "compare, any idea"
)
_PROPOSALS: Final = phrase_set("why don't we, why don't you, why not, how about, what about, what if we")
_TOGETHER: Final = phrase_set("can we, could we")
_POSSIBLE: Final = phrase_set("would it be possible")
_WRITTEN_DOWN: Final = word_set(
    "readme docs documentation comment comments docstring changelog guide page wiki"
)


class _Speech(Enum):
    REQUEST = "request"
    QUESTION = "question"
    STATEMENT = "statement"


def is_question(want: Want) -> bool:
    """Check whether an input only asks something.

    A ticket with acceptance criteria never does, nor a diff or a file.
    """
    if want.kind in (InputKind.DIFF, InputKind.FILE):
        return False
    if want.kind is InputKind.TICKET and want.ticket.acceptance_criteria:
        return False
    return asks_only(want.statement)


def asks_only(text: str) -> bool:
    """Check whether a text asks something and requests nothing."""
    spoken = read_words(text)
    told = {spoken.words[at].sentence for at, _ in goal_verbs(spoken)}
    sentences: dict[int, list[TextWord]] = {}
    for word in spoken.words:
        sentences.setdefault(word.sentence, []).append(word)
    kinds = {_speech(spoken, words, is_told=n in told) for n, words in sentences.items()}
    return _Speech.QUESTION in kinds and _Speech.REQUEST not in kinds


def _speech(spoken: SpokenText, words: list[TextWord], *, is_told: bool) -> _Speech:
    """Classify a sentence by how it opens.

    The openings are tried in order, because one that asks for an answer ("explain how to add") outweighs a
    goal verb later in the sentence. Each asking opening has one way to be a request after all.
    """
    texts = [word.text for word in words]
    opening = texts[next((n for n, text in enumerate(texts) if text not in _LEADING), len(texts)) :]
    first = opening[0] if opening else ""
    is_asked = words[0].sentence in spoken.asked
    is_joint = phrase_at(texts, 0, _TOGETHER)
    has_goal = not all_forms(GOAL_VERBS).keys().isdisjoint(texts)
    is_auxiliary = texts[0] in _AUXILIARIES and "you" not in texts[:3] and not is_joint
    if phrase_at(texts, 0, _PROPOSALS):
        is_request = has_goal
    elif phrase_at(opening, 0, _WONDERING) or phrase_at(texts, 0, _WONDERING):
        is_request = False
    elif first in all_forms(CONCEPT_VERBS):
        is_request = any(
            word.text in _WRITTEN_DOWN
            or (word.kind in (WordKind.NAME, WordKind.CODE) and word.raw.endswith(".md"))
            for word in words
        )
    elif first in _ASKING and (is_asked or _is_inverted(opening)):
        is_request = _is_requested_later(spoken, words)
    elif is_asked and (texts[0] in ("should", "shall") or is_auxiliary):
        is_request = bool(phrase_at(texts, 0, _POSSIBLE)) and has_goal
    elif is_told or (is_joint and has_goal):
        is_request = True
    else:
        return _Speech.QUESTION if is_asked else _Speech.STATEMENT
    return _Speech.REQUEST if is_request else _Speech.QUESTION


def _is_inverted(opening: list[str]) -> bool:
    """Check whether it is put as a question, with or without its mark: `how does it work`."""
    return "'s" in opening[0] or opening[1:2] == ["to"] or bool(_AUXILIARIES.intersection(opening[1:3]))


def _is_requested_later(spoken: SpokenText, words: list[TextWord]) -> bool:
    """Check for a request in a later part of the sentence: `why does it fail, please fix it`."""
    places = [at for at, _ in goal_verbs(spoken) if at and spoken.words[at].sentence == words[0].sentence]
    return any(
        spoken.words[at - 1].text == "please"
        or (spoken.words[at].part != words[0].part and spoken.words[at].part != spoken.words[at - 1].part)
        for at in places
    )
