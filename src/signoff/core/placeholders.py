"""Non-goals that forbid nothing, and stop conditions that nobody could see come true.

Pure; used by the rules of contracts and sprints. Decided by closed sets of words: a text says nothing when
every word of it is a filler or a word of its kind ("break", "done"), so one word that names something is
enough to be let alone. Text in quotes names something.
"""

import re
from typing import Final

from signoff.core.vagueness import QUOTED, normalised, without_quotes

_GENERATED: Final = re.compile(r"auto[\s-]?generated contract\b")
_WORD: Final = re.compile(r"[^\W_]+")
_LOOKED_AT: Final = 1_000
"""How many characters are judged: whoever wrote that many has named something."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What an apostrophe leaves behind ("don't", "it's", "we're") counts as a word.
_FILLER = _words(
    """
    a about again all also an and any anything are as at away be been being but by do does doing don
    done dont during else ever every everything existing for from has have if in into is it its just
    kind likely made make makes many may might more must my never no not nothing of on or other our out
    please possible re really s shall should so some something stuff such t that the their them then
    there these they thing things this those to too us ve was way we were what whatever while will with
    would you your
    """
)
_PLACEHOLDER = _words(
    """
    above applicable be below blank dash decide decided define defined determine determined dummy empty
    example fixme goal goals identified ipsum later lorem moment n na needed nil non none nope null
    pending placeholder required sample see specific specified tba tbc tbd this time todo unknown
    unspecified xxx yet
    """
)
_BREAKING = _words(
    """
    break breakage breakages breaking breaks broken bug bugs careful damage damaged defects destroy harm
    hurt mess regress regressed regressing regression regressions ruin spoil wrong
    """
)
_AT_LARGE = _words(
    """
    add app application avoid bad behavior behaviors behaviour behaviours cause code codebase components
    create current currently feature features functional functionalities functionality functions go goes
    introduce introducing keep new old part parts present previous product program project repo
    repository result site software stay still system systems up website work working works
    """
)
_FINISHING = _words(
    """
    acceptable accomplished achieved complete completed completely completes completing completion
    conclude concluded done end ended ending ends enough fine finish finished finishes finishing fully
    good great happy implemented nice ok okay over perfect ready satisfactory satisfied solved
    sufficient well working works
    """
)
_SPRINT_WORDS = _words(
    """
    after agent agents agreed am assignment believe believes builder code coding consider considered
    contract developer development feature features feel feeling feels generator get gets goal goals
    here i implementation implementing item items job left look looks me milestone nobody now once part
    parts phase project remain remaining remains requirement requirements say says seem seems somebody
    someone soon sprint sprints step steps stop stopped stops story task tasks team think thinks ticket
    till time until want wants when whenever work
    """
)
_SAYS_NOTHING = _FILLER | _PLACEHOLDER
_KEEPS_WHOLE = _FILLER | _BREAKING | _AT_LARGE
_IS_OVER = _FILLER | _FINISHING | _SPRINT_WORDS


def why_no_non_goal(text: str) -> str:
    """Say why this forbids nothing that a change could be asked about; empty when it does."""
    folded = _folded(text)
    if not folded:
        return "is empty"
    if _GENERATED.match(folded):
        return "is the filler of whatever generated it"
    words = _named(folded)
    if words <= _SAYS_NOTHING:
        return "is a placeholder"
    if words <= _KEEPS_WHOLE and not words.isdisjoint(_BREAKING):
        return "asks for nothing but that nothing breaks"
    return ""


def why_no_signal(text: str) -> str:
    """Say why nobody could see this come true; empty when somebody could."""
    folded = _folded(text)
    if not folded:
        return "is empty"
    words = _named(folded)
    if words <= _SAYS_NOTHING:
        return "is a placeholder"
    if words <= _IS_OVER:
        return "says that it is over when it is over"
    return ""


def _folded(text: str) -> str:
    return without_quotes(normalised(text[:_LOOKED_AT])).casefold()


def _named(folded: str) -> set[str]:
    found = set(_WORD.findall(folded))
    return found | {QUOTED} if QUOTED in folded else found
