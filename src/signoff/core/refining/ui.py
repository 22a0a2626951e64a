"""Which words of a text speak of what a person sees, and which of what is behind it. Pure."""

from collections.abc import Collection, Mapping
from functools import lru_cache

from signoff.core.refining.grammar import Role, is_left_out, role
from signoff.core.refining.vocabulary import (
    BACKEND_WORDS,
    NOT_BACKEND_AFTER,
    NOT_BACKEND_BEFORE,
    NOT_UI_AFTER,
    NOT_UI_BEFORE,
    UI_NOUNS,
    UI_PHRASES,
    UI_STYLES,
)
from signoff.core.refining.words import Kind, Spoken, read_words


@lru_cache(maxsize=16)
def ui_words(text: str) -> tuple[str, ...]:
    """Give the words that speak of a page or its looks, each once; not what is quoted or left out."""
    spoken = read_words(text)
    found: dict[str, None] = {}
    for at, word in enumerate(spoken.words):
        if word.kind is not Kind.PLAIN:
            continue
        phrase = _phrase_at(spoken, at)
        if phrase and not is_left_out(spoken, at):
            found[phrase] = None
        elif _is_ui(spoken, at) and not is_left_out(spoken, at):
            found[word.text] = None
    return tuple(found)


@lru_cache(maxsize=16)
def backend_words(text: str) -> tuple[str, ...]:
    """Give the words that speak of what is behind a page, each once."""
    spoken = read_words(text)
    found: dict[str, None] = {}
    for at, word in enumerate(spoken.words):
        is_listed = word.kind is Kind.PLAIN and word.text in BACKEND_WORDS
        is_other = _has_neighbour(spoken, at, word.text, NOT_BACKEND_BEFORE, NOT_BACKEND_AFTER)
        if is_listed and not is_other and not is_left_out(spoken, at):
            found[word.text] = None
    return tuple(found)


def _is_ui(spoken: Spoken, at: int) -> bool:
    word = spoken.words[at]
    text = word.text
    if text == "polish":
        # Polish is a language, too.
        return role(spoken.words, at) is Role.ORDER and (word.raw == "polish" or at == 0)
    if text == "prettier":
        return at > 0 and spoken.words[at - 1].text in ("look", "looks", "it", "them", "page")
    singular = _singular(text)
    if singular not in UI_NOUNS and text not in UI_STYLES:
        return False
    return not _has_neighbour(spoken, at, singular, NOT_UI_BEFORE, NOT_UI_AFTER)


def _singular(text: str) -> str:
    if text in UI_NOUNS:
        return text
    for plural, ending in (("xes", "x"), ("s", "")):
        if text.endswith(plural) and text[: -len(plural)] + ending in UI_NOUNS:
            return text[: -len(plural)] + ending
    return text


def _has_neighbour(
    spoken: Spoken,
    at: int,
    text: str,
    before: Mapping[str, Collection[str]],
    after: Mapping[str, Collection[str]],
) -> bool:
    words = spoken.words
    previous = words[at - 1] if at and words[at - 1].clause == words[at].clause else None
    following = words[at + 1] if at + 1 < len(words) and words[at + 1].part == words[at].part else None
    return bool(previous and previous.text in before.get(text, ())) or bool(
        following and following.text in after.get(text, ())
    )


def _phrase_at(spoken: Spoken, at: int) -> str:
    for phrase in UI_PHRASES:
        ahead = spoken.words[at : at + len(phrase)]
        if tuple(word.text for word in ahead) == phrase and ahead[0].part == ahead[-1].part:
            return " ".join(phrase)
    return ""
