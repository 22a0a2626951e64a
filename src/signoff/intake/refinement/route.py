"""The route of an input: the steps for pages, those for the backend, or both. Pure.

The ladder: words of a page in a small change that adds nothing are `ui-trivial`, words of both sides are
`mixed`, words of a page alone are `ui-improve` or `ui-build`, and everything else is `backend-coding`.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final

from signoff.domain.work.refinement import Route
from signoff.domain.work.ticket import InputKind
from signoff.domain.work.work_state import DirectiveSet, Intent
from signoff.intake.refinement.requests import Want
from signoff.intake.refinement.text_words import SpokenText, WordKind, ending, read_words
from signoff.intake.refinement.vocabulary import (
    ADDING,
    BACKEND_WORDS,
    BUILD_VERBS,
    FRESH,
    IMPROVE_VERBS,
    NOT_BACKEND_AFTER,
    NOT_BACKEND_BEFORE,
    NOT_UI_AFTER,
    NOT_UI_BEFORE,
    PLACES,
    PRESENT,
    TRIVIAL_SETTERS,
    TRIVIAL_THINGS,
    TRIVIAL_VERBS,
    UI_ENDINGS,
    UI_NOUNS,
    UI_PHRASES,
    UI_STYLES,
    WEAK_UI_NOUNS,
)
from signoff.intake.refinement.word_roles import VerbRole, all_forms, denied, left_out, role
from signoff.text.phrases import phrase_at

SET_OF: Final = {
    Intent.BACKEND_CODING: DirectiveSet.BACKEND,
    Intent.UI_BUILD: DirectiveSet.UI,
    Intent.UI_IMPROVE: DirectiveSet.UI,
    Intent.UI_TRIVIAL: DirectiveSet.UI_TRIVIAL,
    Intent.MIXED: DirectiveSet.MIXED,
}

_ALTERNATIVES: Final = {
    Intent.BACKEND_CODING: (),
    Intent.UI_BUILD: (DirectiveSet.BACKEND,),
    Intent.UI_IMPROVE: (DirectiveSet.BACKEND,),
    Intent.UI_TRIVIAL: (DirectiveSet.UI,),
    Intent.MIXED: (DirectiveSet.UI, DirectiveSet.BACKEND),
}

_MOST_TRIVIAL_WORDS: Final = 14
_MOST_TRIVIAL_CRITERIA: Final = 3
_MOST_SIGNALS: Final = 20
_FAR: Final = 8
"""How many words may stand between `change` and `colour`."""


def classify(want: Want) -> Route:
    """Decide about the route, and name the words or file endings that decided it."""
    match want.kind:
        case InputKind.DIFF:
            is_new = bool(want.files) and all(file.is_new for file in want.files)
            return _by_files(tuple(file.path for file in want.files), is_new=is_new)
        case InputKind.FILE:
            return _by_files((want.path,), is_new=False)
        case _:
            return _by_words(want)


@lru_cache(maxsize=16)
def ui_words(text: str) -> tuple[str, ...]:
    """Return the words that speak of a page or its looks, each once.

    Quoted words do not count, nor things the text leaves out ("do not touch the layout").
    """
    spoken = read_words(text)
    found: dict[str, None] = {}
    for at, word in enumerate(spoken.words):
        if word.kind is not WordKind.PLAIN:
            continue
        phrase = " ".join(phrase_at(spoken.texts, at, UI_PHRASES))
        if phrase and at not in left_out(spoken):
            found[phrase] = None
        elif _is_ui(spoken, at) and at not in left_out(spoken):
            found[word.text] = None
    return tuple(found)


@lru_cache(maxsize=16)
def backend_words(text: str) -> tuple[str, ...]:
    """Return the words that speak of what is behind a page, each once."""
    spoken = read_words(text)
    found: dict[str, None] = {}
    for at, word in enumerate(spoken.words):
        is_listed = word.kind is WordKind.PLAIN and word.text in BACKEND_WORDS
        is_other = _has_neighbour(spoken, at, word.text, NOT_BACKEND_BEFORE, NOT_BACKEND_AFTER)
        if is_listed and not is_other and at not in left_out(spoken):
            found[word.text] = None
    return tuple(found)


def _is_ui(spoken: SpokenText, at: int) -> bool:
    word = spoken.words[at]
    text = word.text
    if text == "polish":
        # Polish is a language, too.
        return role(spoken.words, at) is VerbRole.ORDER and (word.raw == "polish" or at == 0)
    if text == "prettier":
        return at > 0 and spoken.words[at - 1].text in ("look", "looks", "it", "them", "page")
    singular = _singular(text)
    if singular not in UI_NOUNS and text not in UI_STYLES:
        return False
    return not _has_neighbour(spoken, at, singular, NOT_UI_BEFORE, NOT_UI_AFTER)


def _singular(text: str) -> str:
    if text in UI_NOUNS:
        return text
    for plural, last in (("xes", "x"), ("s", "")):
        if text.endswith(plural) and text[: -len(plural)] + last in UI_NOUNS:
            return text[: -len(plural)] + last
    return text


def _has_neighbour(
    spoken: SpokenText,
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


def _by_words(want: Want) -> Route:
    # What a prompt is about stands in the prompt; its criteria are the agent's own words.
    text = want.statement if want.kind is InputKind.PROMPT else want.text
    seen, behind = ui_words(text), backend_words(text)
    if not seen or (len(seen) == 1 and seen[0] in WEAK_UI_NOUNS):
        return _route(Intent.BACKEND_CODING, behind)
    if not behind and (why := _trivial(want)):
        return _route(Intent.UI_TRIVIAL, (*seen, *why))
    if behind:
        return _route(Intent.MIXED, (*seen, *behind))
    spoken = read_words(want.text)
    if why := tuple(_improving(spoken)):
        return _route(Intent.UI_IMPROVE, (*seen, *why))
    verb = _first_verb(spoken)
    built = (verb,) if verb in BUILD_VERBS.split() else ()
    if why := (*built, *_places(spoken, FRESH)):
        return _route(Intent.UI_BUILD, (*seen, *why))
    return _route(Intent.UI_IMPROVE, seen)


def _by_files(paths: tuple[str, ...], *, is_new: bool) -> Route:
    endings = tuple(dict.fromkeys(f".{ending(path)}" for path in paths if ending(path)))
    on_page = [path for path in paths if ending(path) in UI_ENDINGS]
    if not on_page:
        return _route(Intent.BACKEND_CODING, endings)
    if len(on_page) < len(paths):
        return _route(Intent.MIXED, endings)
    return _route(Intent.UI_BUILD if is_new else Intent.UI_IMPROVE, endings)


def _trivial(want: Want) -> tuple[str, ...]:
    """Return the words that make it one small change.

    Empty when it is more than that, or adds something.
    """
    spoken = read_words(want.statement)
    everything = {word.text for word in read_words(want.text).words if word.kind is WordKind.PLAIN}
    if len(spoken.words) > _MOST_TRIVIAL_WORDS or len(want.criteria) > _MOST_TRIVIAL_CRITERIA:
        return ()
    if everything & ADDING:
        return ()
    return tuple(dict.fromkeys(_small_changes(spoken)))


def _small_changes(spoken: SpokenText) -> Iterator[str]:
    setters, verbs = all_forms(TRIVIAL_SETTERS), all_forms(TRIVIAL_VERBS)
    not_meant = denied(spoken)
    words = spoken.words
    for at, word in enumerate(words):
        if word.kind is not WordKind.PLAIN or at in not_meant:
            continue
        if word.text in verbs:
            yield word.text
        if word.text in setters:
            near = (one for one in words[at + 1 : at + 1 + _FAR] if one.sentence == word.sentence)
            yield from (f"{word.text} {one.text}" for one in near if one.text in TRIVIAL_THINGS)


def _improving(spoken: SpokenText) -> Iterator[str]:
    # "Add a form to the page" builds: what is there already only says where.
    verb = _first_verb(spoken)
    if verb in IMPROVE_VERBS.split():
        yield verb
    elif verb not in BUILD_VERBS.split():
        yield from _places(spoken, PRESENT)


def _first_verb(spoken: SpokenText) -> str:
    known = all_forms(f"{IMPROVE_VERBS} {BUILD_VERBS}")
    not_meant = denied(spoken)
    found = (
        known[word.text]
        for at, word in enumerate(spoken.words)
        if word.kind is WordKind.PLAIN and word.text in known and at not in not_meant
    )
    return next(found, "")


def _places(spoken: SpokenText, before: frozenset[str]) -> Iterator[str]:
    for first, second in zip(spoken.words, spoken.words[1:], strict=False):
        if first.text in before and second.text in PLACES:
            yield f"{first.text} {second.text}"


def _route(intent: Intent, signals: tuple[str, ...]) -> Route:
    return Route(
        intent=intent,
        directive_set=SET_OF[intent],
        signals=tuple(dict.fromkeys(signals))[:_MOST_SIGNALS],
        alternatives=_ALTERNATIVES[intent],
    )
