"""The confidence in a prompt: five dimensions of 0 to 2, summed, banded. Pure.

A point is earned, never given: only a prompt that names a task and a place can show that a change touches no
data, or can be taken back. So `stack_data` and `reversibility` count no more than goal and scope allow
(`_ceiling`), and a prompt that says little ends up low.
"""

from typing import Final, NamedTuple

from signoff.domain.work.refinement import Band, Confidence, Dimension
from signoff.intake.refinement.route import ui_words
from signoff.intake.refinement.text_words import SpokenText, WordKind, is_name, read_words
from signoff.intake.refinement.vetoes import vetoes
from signoff.intake.refinement.vocabulary import (
    ANCHORS,
    CAREFUL,
    CHANGE_WORDS,
    CODE_HEADS,
    CONCEPT_VERBS,
    DATA_HEADS,
    DATA_OWNERS,
    DATA_WORDS,
    DESTRUCTIVE_VERBS,
    DOMAIN_NOUNS,
    GOAL_VERBS,
    JOINERS,
    LINKS,
    LIVE,
    LIVE_HEADS,
    NOTHING_SAID,
    OBSERVED,
    SENSITIVE,
    SENT_OUT,
    STACK_PHRASES,
    STACK_PRODUCTS,
    TARGETED,
    UI_NOUNS,
    UNSPECIFIC,
    UNTESTABLE,
)
from signoff.intake.refinement.word_roles import (
    DETERMINERS,
    VerbRole,
    all_forms,
    denied,
    goal_verbs,
    left_out,
    object_of,
    role,
)
from signoff.text.phrases import normalised, phrase_at
from signoff.text.vague_words import why_vague

HIGH_FROM: Final = 0.8
MEDIUM_FROM: Final = 0.5

_FULL: Final = 10
_SHORTEST, _LONGEST = 4, 40
_ENOUGH_CRITERIA, _ENOUGH_ANCHORED = 3, 2
_DIGITS: Final = 4
_SHOWN = (WordKind.NAME, WordKind.CODE, WordKind.QUOTE)


_STORED: Final = DATA_OWNERS | DATA_HEADS | {"column", "columns", "table", "tables"}


class _Points(NamedTuple):
    points: int
    why: str


_NO_OBJECT: Final = _Points(0, "a verb, but nothing it is to be done to")
_ONLY_ANCHORED: Final = _Points(1, "only the criteria say what is wanted")


def score(raw: str, criteria: tuple[str, ...], *, anchors: tuple[str, ...] = ()) -> Confidence:
    """Score a prompt with the criteria that were reconstructed for it.

    `anchors` are the files that came along apart from the words, as with a diff. They bound the scope, and
    without a word beside them only the criteria name a goal.
    """
    spoken = read_words(raw)
    goal = _ONLY_ANCHORED if anchors and not spoken.words else _goal(raw, spoken)
    scope = _Points(2, f"names {anchors[0][:80]}") if anchors else _scope(spoken)
    most = _ceiling(goal.points, scope.points)
    found = {
        Dimension.GOAL_CLARITY: goal,
        Dimension.SCOPE_BOUNDARY: scope,
        Dimension.AC_EVIDENCE: _evidence(criteria),
        Dimension.STACK_DATA: _capped(_stack(spoken), most),
        Dimension.REVERSIBILITY: _capped(_reversibility(raw, spoken), most),
    }
    points = {dimension: one.points for dimension, one in found.items()}
    total = round(sum(points.values()) / _FULL, _DIGITS)
    # One blind spot is enough to be asked about, whatever the rest adds up to.
    band = Band.HIGH if total >= HIGH_FROM and all(points.values()) else Band.MEDIUM
    return Confidence(
        band=Band.LOW if total < MEDIUM_FROM else band,
        score=total,
        dimensions=points,
        reasons=tuple(f"{dimension}: {one.points} - {one.why}" for dimension, one in found.items()),
        ui_intent=bool(ui_words(raw)),
    )


def weakest(confidence: Confidence) -> Dimension:
    """Return the dimension to ask about: the lowest, and of equal ones the first in order."""
    return min(Dimension, key=lambda dimension: confidence.dimensions[dimension])


def is_weak(criterion: str) -> str:
    """Return why a criterion proves little, or an empty text when it can be checked."""
    if why := why_vague(criterion):
        return why
    spoken = read_words(criterion)
    # "answers fast" cannot be checked, "answers fast, within 200 ms" can.
    if any(word.kind is not WordKind.PLAIN for word in spoken.words):
        return ""
    empty = next((word.text for word in spoken.words if word.text in UNTESTABLE), "")
    return f"says “{empty}”, which nothing can check" if empty else ""


def is_anchored(criterion: str) -> bool:
    """Check whether a criterion ties a behaviour to a case, or to a value that can be seen."""
    words = read_words(criterion).words
    texts = {word.text for word in words}
    has_value = any(word.kind in (WordKind.NUMBER, WordKind.CODE, WordKind.QUOTE) for word in words)
    return bool(texts & ANCHORS) or (has_value and bool(texts & OBSERVED))


def _ceiling(goal: int, scope: int) -> int:
    """Return how far the absence of a danger is believed: as far as goal and scope are known."""
    if goal == 2 and scope:
        return 2
    return 1 if goal == 2 or (goal and scope) else 0


def _capped(found: _Points, most: int) -> _Points:
    if found.points <= most:
        return found
    return _Points(most, "cannot be told from a prompt that leaves open what is wanted, or where")


def _goal(raw: str, spoken: SpokenText) -> _Points:
    """Score the goal: 2 for one order with an object, in 4 to 40 words.

    Each way to miss it returns at once, from no words at all to two goals in one prompt.
    """
    if not spoken.words:
        return _Points(0, "there is nothing to read")
    told = next((spoken.words[at].text for at, _ in goal_verbs(spoken)), "")
    if not told and not _names_a_verb(spoken):
        return _Points(0, "no verb says what to do")
    if not _has_object(spoken) or (told and why_vague(raw)):
        return _NO_OBJECT
    if not told:
        return _Points(1, "names an action, but does not ask for it")
    if joiner := _joiner(spoken):
        return _Points(1, f"asks for more than one thing (“{joiner}”)")
    if not _SHORTEST <= len(spoken.words) <= _LONGEST:
        return _Points(1, f"is {len(spoken.words)} words long; {_SHORTEST} to {_LONGEST} say one thing well")
    return _Points(2, f"says what to do (“{told}”)")


def _joiner(spoken: SpokenText) -> str:
    for at in range(len(spoken.words)):
        joiner = phrase_at(spoken.texts, at, JOINERS)
        after = spoken.words[at + len(joiner)] if at + len(joiner) < len(spoken.words) else None
        # "users with plus signs" asks for one thing.
        is_goal = after and (after.text in DETERMINERS or after.text in all_forms(GOAL_VERBS))
        if joiner and (joiner != ("plus",) or is_goal):
            return " ".join(joiner)
    return ""


def _names_a_verb(spoken: SpokenText) -> bool:
    known = all_forms(f"{GOAL_VERBS} {CONCEPT_VERBS}")
    not_meant = denied(spoken)
    return any(
        word.text in known
        and word.kind is WordKind.PLAIN
        and at not in not_meant
        and not (at and spoken.words[at - 1].text in DETERMINERS)
        for at, word in enumerate(spoken.words)
    )


def _has_object(spoken: SpokenText) -> bool:
    """Check whether anything is named besides the action: "improve things" names nothing."""
    verbs = all_forms(GOAL_VERBS)
    return any(
        word.kind is not WordKind.PLAIN
        or (
            word.text not in NOTHING_SAID
            # "add an export", "fix the import": many a noun is a verb, too
            and (word.text not in verbs or (at and spoken.words[at - 1].text in DETERMINERS))
        )
        for at, word in enumerate(spoken.words)
    )


def _scope(spoken: SpokenText) -> _Points:
    """Score the scope: 2 for the name of a place in the code, 1 for an area of the product.

    The first name that is found decides, wherever it stands. Areas are asked only if there is none: nouns of
    the domain before nouns of the interface.
    """
    for word in spoken.words:
        if word.kind is WordKind.NAME or (word.kind is WordKind.CODE and _names_a_place(word.raw)):
            return _Points(2, f"names {word.raw[:80]}")
    plain = [word.text for word in spoken.words if word.kind is WordKind.PLAIN]
    areas = [text for text in plain if text.rpartition("-")[2] in DOMAIN_NOUNS]
    for area in (*areas, *(text for text in plain if text in UI_NOUNS)):
        return _Points(1, f"names an area (“{area}”) but no place in the code")
    return _Points(0, "names no place in the code")


def _names_a_place(code: str) -> bool:
    """Check whether a piece of code names something, rather than being prose in another type."""
    text = code.strip()
    return bool(text) and "\n" not in text and (len(text.split()) == 1 or any(map(is_name, text.split())))


def _evidence(criteria: tuple[str, ...]) -> _Points:
    """Score the criteria: 2 for three that can be checked, two of them tied to a case or a value.

    One that cannot be checked keeps the score at 1. Equal criteria count once.
    """
    distinct = {normalised(one).casefold(): one for one in criteria if normalised(one)}
    weak = [why for one in distinct.values() if (why := is_weak(one))]
    good = [one for one in distinct.values() if not is_weak(one)]
    if not distinct:
        return _Points(0, "there are no criteria")
    if not good:
        return _Points(0, f"no criterion can be checked: it {weak[0]}")
    if weak:
        return _Points(1, f"{len(weak)} of {len(distinct)} criteria cannot be checked: one {weak[0]}")
    counted = f"{len(good)} {'criterion' if len(good) == 1 else 'criteria'}"
    if len(good) < _ENOUGH_CRITERIA:
        return _Points(1, f"{counted}; {_ENOUGH_CRITERIA} would show more")
    anchored = sum(map(is_anchored, good))
    points = 2 if anchored >= _ENOUGH_ANCHORED else 1
    return _Points(points, f"{counted}, {anchored} of them tied to a case or a value")


def _stack(spoken: SpokenText) -> _Points:
    word = _stack_word(spoken)
    if not word:
        return _Points(2, "touches no data and no dependency")
    if _has_target(spoken):
        return _Points(2, f"says which (“{word}”)")
    if word in STACK_PRODUCTS:
        return _Points(1, f"names {word}, but not what in it changes")
    return _Points(0, f"“{word}”, but not which")


def _stack_word(spoken: SpokenText) -> str:
    """Return the first word of data or dependencies, or an empty text.

    The name of a product counts only when no other word is found.
    """
    found = ""
    for at, word in enumerate(spoken.words):
        if phrase := phrase_at(spoken.texts, at, STACK_PHRASES):
            return " ".join(phrase)
        if word.kind is not WordKind.PLAIN or at in left_out(spoken):
            continue
        if word.text in DATA_WORDS | CHANGE_WORDS:
            return word.text
        if word.text in STACK_PRODUCTS:
            found = found or word.text
    return found


def _has_target(spoken: SpokenText) -> bool:
    """Check whether it is said which table, column or package is meant.

    Either a file of the schema is named, or a word of data has a name beside it: right before it ("the email
    column"), right behind it, or behind a preposition ("an index on orders"). "New" and "the" are no names.
    """
    words = spoken.words
    no_name = LINKS | UNSPECIFIC | DATA_WORDS | NOTHING_SAID
    no_owner = no_name | all_forms(GOAL_VERBS).keys()
    for at, word in enumerate(words):
        if word.kind in (WordKind.NAME, WordKind.CODE) and not {".", "/", "_"}.isdisjoint(word.raw):
            return True
        if word.text not in TARGETED | {"upgrade"}:
            continue
        owner = [one for one in words[max(0, at - 1) : at] if one.part == word.part]
        behind = [one for one in words[at + 1 : at + 5] if one.clause == word.clause]
        is_linked = word.text == "upgrade" or (behind and behind[0].text in ("on", "of", "in"))
        names = [one.text for one in behind[: 1 if word.text == "upgrade" else None] if is_linked]
        owners = [one.text for one in owner if word.text != "upgrade"]
        if (
            any(one.kind in _SHOWN for one in (*owner, *behind[:1]))
            or not no_owner.union(DETERMINERS).issuperset(owners)
            or not no_name.union(DETERMINERS).issuperset(names)
        ):
            return True
    return False


def _reversibility(raw: str, spoken: SpokenText) -> _Points:
    """Score how safely it can be taken back: 0 for what cannot, 1 for what needs care, 2 for plain code.

    The dangers are asked from the worst down, and the first that is found decides: a veto, a live system or
    a final removal, a sensitive word, then a removal that may not be of code.
    """
    if found := vetoes(raw):
        return _Points(0, f"“{found[0].phrase}” {found[0].message}")
    removals = list(_removals(spoken))
    if phrase := _live_thing(spoken) or next((text for text, is_final in removals if is_final), ""):
        return _Points(0, f"“{phrase}” cannot be taken back")
    for at, word in enumerate(spoken.words):
        if word.kind is WordKind.PLAIN and word.text in SENSITIVE | CAREFUL and at not in left_out(spoken):
            return _Points(1, f"“{word.text}” asks for care")
    for phrase, _ in removals:
        return _Points(1, f"“{phrase}” takes something away that may not be code")
    return _Points(2, "version control can take it back")


def _live_thing(spoken: SpokenText) -> str:
    aside = denied(spoken) | left_out(spoken)
    for at, (word, after) in enumerate(zip(spoken.words, spoken.words[1:], strict=False)):
        if word.text in LIVE and after.text in LIVE_HEADS and at not in aside:
            return f"{word.text} {after.text}"
    return ""


def _removals(spoken: SpokenText) -> list[tuple[str, bool]]:
    """Return what is sent out or taken away beside code, each with whether it is gone for good.

    What is sent cannot be called back. What is removed is gone when its head noun is stored data, and
    uncertain when no word of it names code.
    """
    words = spoken.words
    verbs = all_forms(f"{DESTRUCTIVE_VERBS} send broadcast")
    found: list[tuple[str, bool]] = []
    for at, word in enumerate(words):
        verb = verbs.get(word.text)
        if not verb or word.kind is not WordKind.PLAIN or at in denied(spoken):
            continue
        thing = [words[place] for place in object_of(words, at)]
        heads = {one.text for one in thing}
        is_order = role(words, at) is VerbRole.ORDER
        is_code = bool(heads & CODE_HEADS) or any(one.kind in _SHOWN[:2] for one in thing)
        is_final = bool(heads & SENT_OUT) if verb == "send" else is_order
        if verb not in ("send", "broadcast"):
            is_final = is_order and verb != "truncate" and bool(thing) and thing[-1].text in _STORED
        is_unsure = is_order and bool(thing) and word.text == verb and not is_code and verb != "send"
        if is_final or is_unsure:
            found.append((" ".join(one.raw for one in (word, *thing)), is_final))
    return found
