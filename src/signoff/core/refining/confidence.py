"""How sure we are to have understood a prompt: five dimensions, summed, banded. Pure.

A point is earned, never given: whether a change touches data or can be taken back is only known of a prompt
that says what is wanted and where. So `stack_data` and `reversibility` count no more than goal and scope
allow (`_ceiling`), and a prompt that says little ends up low.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from signoff.core.refining.grammar import Role, all_forms, denied, is_determiner, is_left_out, object_of, role
from signoff.core.refining.ui import ui_words
from signoff.core.refining.vetoes import vetoes
from signoff.core.refining.vocabulary import (
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
from signoff.core.refining.words import Kind, Spoken, Word, is_name, read_words, word_set
from signoff.core.vagueness import normalised, why_vague
from signoff.domain.refining import Band, Confidence, Dimension

HIGH_FROM: Final = 0.8
MEDIUM_FROM: Final = 0.5

_FULL: Final = 10
_SHORTEST, _LONGEST = 4, 40
_ENOUGH_CRITERIA, _ENOUGH_ANCHORED = 3, 2
_DIGITS: Final = 4


class _Points(NamedTuple):
    points: int
    why: str


def score(raw: str, criteria: tuple[str, ...], *, anchors: tuple[str, ...] = ()) -> Confidence:
    """Score a prompt with the criteria that were reconstructed for it.

    `anchors` are the files that came with the want apart from its words, as with a diff. They bound its
    scope, and their criteria are then all there is to say what is wanted.
    """
    spoken = read_words(raw)
    goal = _only_anchored() if anchors and not spoken.words else _goal(raw, spoken)
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
    return Confidence(
        band=_band(total, points),
        score=total,
        dimensions=points,
        reasons=tuple(f"{dimension}: {one.points} - {one.why}" for dimension, one in found.items()),
        ui_intent=bool(ui_words(raw)),
    )


def weakest(confidence: Confidence) -> Dimension:
    """Give the dimension to ask about; of equals the first in order."""
    return min(Dimension, key=lambda dimension: confidence.dimensions[dimension])


def goal_verbs(spoken: Spoken) -> Iterator[tuple[int, str]]:
    """Give the places at which somebody is told to do something, with the verb."""
    known = all_forms(GOAL_VERBS)
    not_meant = denied(spoken)
    for at, word in enumerate(spoken.words):
        verb = known.get(word.text)
        if verb and word.kind is Kind.PLAIN and at not in not_meant and _is_said_to(spoken.words, at, verb):
            yield at, verb


def is_weak(criterion: str) -> str:
    """Say why a criterion proves little; empty when it can be checked."""
    if why := why_vague(criterion):
        return why
    spoken = read_words(criterion)
    # "answers fast" cannot be checked, "answers fast, within 200 ms" can.
    if any(word.kind in (Kind.NUMBER, Kind.CODE, Kind.QUOTE, Kind.NAME) for word in spoken.words):
        return ""
    empty = next((word.text for word in spoken.words if word.text in UNTESTABLE), "")
    return f"says “{empty}”, which nothing can check" if empty else ""


def is_anchored(criterion: str) -> bool:
    """Say whether a criterion ties a behaviour to a case, or to a value that can be seen."""
    words = read_words(criterion).words
    texts = {word.text for word in words}
    has_value = any(word.kind in (Kind.NUMBER, Kind.CODE, Kind.QUOTE) for word in words)
    return bool(texts & ANCHORS) or (has_value and bool(texts & OBSERVED))


def _is_said_to(words: tuple[Word, ...], at: int, verb: str) -> bool:
    place = role(words, at)
    if words[at].text == verb:
        return place in (Role.ORDER, Role.DUTY) and not _is_noun(words, at)
    return words[at].text.endswith("ing") and at > 0 and words[at - 1].text in ("mind", "about")


def _is_noun(words: tuple[Word, ...], at: int) -> bool:
    """Say whether `build`, `test`, `report` opens a statement: `Build is slow`."""
    after = words[at + 1].text if at + 1 < len(words) and words[at + 1].clause == words[at].clause else ""
    return after in ("is", "are", "was", "were", "has", "fails", "failed", "does", "doesn't", "isn't")


def _band(total: float, points: dict[Dimension, int]) -> Band:
    if total < MEDIUM_FROM:
        return Band.LOW
    # One blind spot is enough to be asked about, whatever the rest adds up to.
    return Band.HIGH if total >= HIGH_FROM and all(points.values()) else Band.MEDIUM


def _ceiling(goal: int, scope: int) -> int:
    """Give how far the absence of a danger is believed: as far as goal and scope are known."""
    if goal == 2 and scope:
        return 2
    return 1 if goal == 2 or (goal and scope) else 0


def _capped(found: _Points, most: int) -> _Points:
    if found.points <= most:
        return found
    return _Points(most, "cannot be told from a prompt that leaves open what is wanted, or where")


def _only_anchored() -> _Points:
    return _Points(1, "only the criteria say what is wanted")


def _goal(raw: str, spoken: Spoken) -> _Points:
    if not spoken.words:
        return _Points(0, "there is nothing to read")
    said = [at for at, _ in goal_verbs(spoken)]
    if not said:
        if _names_a_verb(spoken):
            return _Points(1, "names an action, but does not ask for it") if _has_object(spoken) else _EMPTY
        return _Points(0, "no verb says what to do")
    if not _has_object(spoken) or why_vague(raw):
        return _EMPTY
    texts = [word.text for word in spoken.words]
    if joiner := _joiner(spoken):
        return _Points(1, f"asks for more than one thing (“{joiner}”)")
    if not _SHORTEST <= len(texts) <= _LONGEST:
        return _Points(1, f"is {len(texts)} words long; {_SHORTEST} to {_LONGEST} say one thing well")
    return _Points(2, f"says what to do (“{spoken.words[said[0]].text}”)")


_EMPTY: Final = _Points(0, "a verb, but nothing it is to be done to")


def _joiner(spoken: Spoken) -> str:
    words = spoken.words
    for at in range(len(words)):
        for joiner in JOINERS:
            if tuple(word.text for word in words[at : at + len(joiner)]) != joiner:
                continue
            after = words[at + len(joiner)] if at + len(joiner) < len(words) else None
            # "users with plus signs" asks for one thing.
            if joiner != ("plus",) or (
                after and (is_determiner(after) or after.text in all_forms(GOAL_VERBS))
            ):
                return " ".join(joiner)
    return ""


def _names_a_verb(spoken: Spoken) -> bool:
    known = all_forms(f"{GOAL_VERBS} {CONCEPT_VERBS}")
    not_meant = denied(spoken)
    return any(
        word.text in known
        and word.kind is Kind.PLAIN
        and at not in not_meant
        and not (at and is_determiner(spoken.words[at - 1]))
        for at, word in enumerate(spoken.words)
    )


def _has_object(spoken: Spoken) -> bool:
    """Say whether anything is named besides the action: "improve things" names nothing."""
    verbs = all_forms(GOAL_VERBS)
    return any(
        word.kind is not Kind.PLAIN or (word.text not in NOTHING_SAID and word.text not in verbs)
        for word in spoken.words
    ) or _verb_as_object(spoken)


def _verb_as_object(spoken: Spoken) -> bool:
    """`Add an export`, `fix the import`: many a noun is a verb, too."""
    verbs = all_forms(GOAL_VERBS)
    return any(
        word.text in verbs and word.text not in NOTHING_SAID and is_determiner(before)
        for before, word in zip(spoken.words, spoken.words[1:], strict=False)
    )


def _scope(spoken: Spoken) -> _Points:
    for word in spoken.words:
        if word.kind is Kind.NAME or (word.kind is Kind.CODE and _names_a_place(word.raw)):
            return _Points(2, f"names {word.raw[:80]}")
    for word in spoken.words:
        if word.kind is Kind.PLAIN and word.text.rpartition("-")[2] in DOMAIN_NOUNS:
            return _Points(1, f"names an area (“{word.text}”) but no place in the code")
    for word in spoken.words:
        if word.kind is Kind.PLAIN and word.text in UI_NOUNS:
            return _Points(1, f"names an area (“{word.text}”) but no place in the code")
    return _Points(0, "names no place in the code")


def _names_a_place(code: str) -> bool:
    """Say whether a piece of code names something, rather than being prose in another type."""
    text = code.strip()
    return bool(text) and "\n" not in text and (len(text.split()) == 1 or any(map(is_name, text.split())))


def _evidence(criteria: tuple[str, ...]) -> _Points:
    distinct = {normalised(one).casefold(): one for one in criteria if normalised(one)}
    weak = [one for one in distinct.values() if is_weak(one)]
    good = [one for one in distinct.values() if not is_weak(one)]
    anchored = [one for one in good if is_anchored(one)]
    if not distinct:
        return _Points(0, "there are no criteria")
    if not good:
        return _Points(0, f"no criterion can be checked: it {is_weak(weak[0])}")
    if weak:
        return _Points(
            1, f"{len(weak)} of {len(distinct)} criteria cannot be checked: one {is_weak(weak[0])}"
        )
    if len(good) < _ENOUGH_CRITERIA:
        return _Points(1, f"{_counted(len(good))}; {_ENOUGH_CRITERIA} would show more")
    if len(anchored) < _ENOUGH_ANCHORED:
        return _Points(1, f"{_counted(len(good))}, {len(anchored)} of them tied to a case or a value")
    return _Points(2, f"{_counted(len(good))}, {len(anchored)} of them tied to a case or a value")


def _counted(number: int) -> str:
    return f"{number} {'criterion' if number == 1 else 'criteria'}"


def _stack(spoken: Spoken) -> _Points:
    word = _stack_word(spoken)
    if not word:
        return _Points(2, "touches no data and no dependency")
    if _has_target(spoken):
        return _Points(2, f"says which (“{word}”)")
    if word in STACK_PRODUCTS:
        return _Points(1, f"names {word}, but not what in it changes")
    return _Points(0, f"“{word}”, but not which")


def _stack_word(spoken: Spoken) -> str:
    words = spoken.words
    named = DATA_WORDS | STACK_PRODUCTS | CHANGE_WORDS
    found = ""
    for at, word in enumerate(words):
        texts = tuple(one.text for one in words[at : at + 2])
        if word.kind is Kind.PLAIN and word.text in named and not is_left_out(spoken, at):
            if word.text not in STACK_PRODUCTS:
                return word.text
            found = found or word.text
        if texts in STACK_PHRASES:
            return " ".join(texts)
    return found


def _has_target(spoken: Spoken) -> bool:
    words = spoken.words
    verbs = all_forms(GOAL_VERBS)
    for at, word in enumerate(words):
        if word.kind is not Kind.PLAIN or _base(word.text) not in TARGETED | {"upgrade"}:
            continue
        after = words[at + 1] if at + 1 < len(words) and words[at + 1].clause == word.clause else None
        before = words[at - 1] if at and words[at - 1].part == word.part else None
        if after and (after.kind in (Kind.NAME, Kind.CODE, Kind.QUOTE)):
            return True
        if before and before.kind in (Kind.NAME, Kind.CODE, Kind.QUOTE):
            return True
        is_owned = (
            before and not is_determiner(before) and before.text not in _LINKS | UNSPECIFIC | verbs.keys()
        )
        if is_owned and word.text not in CHANGE_WORDS:
            return True
        if after and word.text == "upgrade" and after.text not in DATA_WORDS and not is_determiner(after):
            return True
        # "the email column of the users table", "an index on orders"
        if after and after.text in ("on", "of", "in") and _is_specific(words, at + 2):
            return True
    # A file of the schema says which.
    return any(
        word.kind in (Kind.NAME, Kind.CODE) and ("." in word.raw or "/" in word.raw or "_" in word.raw)
        for word in words
    )


_LINKS: Final = word_set(
    """
    in on of for to with from by and or into as is are via per at no without
    """
)


def _is_specific(words: tuple[Word, ...], at: int) -> bool:
    named = [words[place] for place in object_of(words, at - 1) if not is_determiner(words[place])]
    known = DATA_WORDS | UNSPECIFIC | NOTHING_SAID
    return any(word.kind is not Kind.PLAIN or word.text not in known for word in named)


def _base(text: str) -> str:
    return {"indices": "index", "libraries": "library"}.get(
        text, text.removesuffix("s") if text[-2:] != "ss" else text
    )


def _reversibility(raw: str, spoken: Spoken) -> _Points:
    if found := vetoes(raw):
        return _Points(0, f"“{found[0].phrase}” {found[0].message}")
    if phrase := _irreversible(spoken):
        return _Points(0, f"“{phrase}” cannot be taken back")
    for at, word in enumerate(spoken.words):
        if word.kind is Kind.PLAIN and word.text in SENSITIVE | CAREFUL and not is_left_out(spoken, at):
            return _Points(1, f"“{word.text}” asks for care")
    if phrase := _uncertain_removal(spoken):
        return _Points(1, f"“{phrase}” takes something away that may not be code")
    return _Points(2, "version control can take it back")


def _irreversible(spoken: Spoken) -> str:
    words = spoken.words
    not_meant = denied(spoken)
    verbs = all_forms(f"{DESTRUCTIVE_VERBS} send broadcast")
    for at, word in enumerate(words):
        if word.kind is not Kind.PLAIN or at in not_meant:
            continue
        after = words[at + 1].text if at + 1 < len(words) else ""
        if word.text in LIVE and after in LIVE_HEADS and not is_left_out(spoken, at):
            return f"{word.text} {after}"
        verb = verbs.get(word.text)
        if not verb:
            continue
        thing = object_of(words, at)
        heads = {words[place].text for place in thing}
        sends = verb == "send" and heads & SENT_OUT
        broadcasts = verb == "broadcast" and role(words, at) is Role.ORDER
        destroys = (
            verb not in ("send", "broadcast", "truncate")
            and thing
            and words[thing[-1]].text in DATA_OWNERS | DATA_HEADS | {"column", "columns", "tables", "table"}
            and role(words, at) is Role.ORDER
        )
        if sends or broadcasts or destroys:
            return " ".join(words[place].raw for place in (at, *thing))
    return ""


def _uncertain_removal(spoken: Spoken) -> str:
    words = spoken.words
    not_meant = denied(spoken)
    verbs = all_forms(DESTRUCTIVE_VERBS)
    for at, word in enumerate(words):
        if verbs.get(word.text) != word.text or at in not_meant or role(words, at) is not Role.ORDER:
            continue
        thing = object_of(words, at)
        is_code = any(
            words[place].kind in (Kind.NAME, Kind.CODE) or words[place].text in CODE_HEADS for place in thing
        )
        if thing and not is_code:
            return " ".join(words[place].raw for place in (at, *thing))
    return ""
