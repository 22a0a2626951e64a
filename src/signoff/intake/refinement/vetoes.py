"""Destructive intent, which stops a run whatever the score is. Pure.

A veto needs an order with a destructive verb and a protected thing as its object (a line of
`vocabulary.HARMS`). What is denied, quoted, or told of a program's behaviour is no intent. A command line
counts when it stands in the open, and as code when the reader is told to run it. Where a sentence can be read
both ways it is stopped: rewording a ticket costs less than a lost table.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from signoff.domain.work.refinement import Veto
from signoff.intake.refinement.text_words import MARK, SpokenText, TextWord, WordKind, ending, read_words
from signoff.intake.refinement.vocabulary import (
    CACHES,
    CODE_ENDINGS,
    CODE_HEADS,
    DESTRUCTIVE_VERBS,
    HARMLESS,
    HARMS,
    IN_LIVE,
    LIVE,
    LIVE_HEADS,
    ON_A_PAGE,
    OUT_OF_DATA,
    PHRASAL_VERBS,
    QUANTIFIERS,
    REMOVING_VERBS,
    STORES,
    TRAILING,
    WEAKENING_VERBS,
    Harm,
    VetoFault,
)
from signoff.intake.refinement.word_roles import (
    DETERMINERS,
    VerbRole,
    all_forms,
    denied,
    is_conditional,
    object_of,
    role,
)
from signoff.text.phrases import word_set

_MESSAGES: Final = {
    VetoFault.DATA_LOSS: "asks to destroy data that version control cannot bring back",
    VetoFault.FILES_LOSS: "asks to delete files without a way back",
    VetoFault.HISTORY_REWRITE: "asks to overwrite history that others rely on",
    VetoFault.SAFETY_OFF: "asks to switch off what keeps the work safe",
}

_VERBS: Final = f"{DESTRUCTIVE_VERBS} {REMOVING_VERBS} {WEAKENING_VERBS} rewrite overwrite"
_NOUNS_OF_LOSS: Final = word_set("deletion removal truncation destruction erasure")
_DOERS: Final = word_set("migration script job cron task query sql step")
"""What is written in order to be run: "a script that deletes" is as good as an order."""
_RUNNING: Final = "run execute issue perform launch"
_PASSIVE: Final = word_set("be get is are being was were")
_DUTIES: Final = word_set("must should shall will needs to")
_SUBJECT_ENDS: Final = word_set("that which and if where of from in on no none")
_PRONOUNS: Final = word_set("it them this these those both")
_PLACING: Final = word_set("from of in on inside")
_STARTS_OF_COMMANDS: Final = word_set(
    "rm git push kubectl terraform aws redis-cli dropdb drop delete truncate"
)
_PHRASE_WORDS: Final = 7
_COMMAND_WORDS: Final = 12


class _Deed(NamedTuple):
    """A verb with its object, as far as the tables ask about it."""

    verb: str
    names: frozenset[str]
    """What the object can be called: `test-suite`, `suite`."""
    said: frozenset[str]
    """What is said of it: `all`, `production`, and the marks of `vocabulary`."""
    is_definite: bool
    """A certain thing: "the table", and not "a table"."""


def vetoes(text: str) -> tuple[Veto, ...]:
    """Return every destructive intent in a text, in the order they are said, each phrase once.

    `git push --force` is found as a command and, by its last words, as a phrase: only the longer one counts.
    """
    spoken = read_words(text)
    found: dict[tuple[VetoFault, str], None] = {}
    places = tuple(dict.fromkeys(_found(spoken)))
    for code, first, last in sorted(places, key=lambda one: one[1:]):
        if any(
            code == other and start <= first and last <= end and (start, end) != (first, last)
            for other, start, end in places
        ):
            continue
        shown = [
            word.raw if word.text != MARK else f"`{' '.join(word.raw.split())[:60]}`"
            for word in spoken.words[first : last + 1]
        ]
        found[code, " ".join(shown[-_PHRASE_WORDS:])] = None
    return tuple(Veto(code=code, phrase=phrase, message=_MESSAGES[code]) for code, phrase in found)


def _found(spoken: SpokenText) -> Iterator[tuple[VetoFault, int, int]]:
    """Yield each destructive intent with the places of its first and last word.

    Every word is tried as the start of a command, as a verb, as a participle, and as a force push.
    """
    words = spoken.words
    not_meant = denied(spoken)
    for at, word in enumerate(words):
        if word.kind in (WordKind.CODE, WordKind.QUOTE):
            found = _commands().search(word.raw)
            if found and _is_to_run(words, at) and at - 1 not in not_meant:
                yield _code_of(found), max(0, at - 1), at
            continue
        if at in not_meant or word.kind is WordKind.NUMBER:
            continue
        if word.text in _STARTS_OF_COMMANDS and (command := _command_at(words, at)):
            yield command
        for judge in (_asked, _told_of_subject):
            if deed := judge(words, at):
                yield deed
        if (last := _force_push(words, at)) is not None:
            yield VetoFault.HISTORY_REWRITE, at, last


def _asked(words: tuple[TextWord, ...], at: int) -> tuple[VetoFault, int, int] | None:
    """Judge the active voice: `drop the users table`, `deletion of the users table`.

    Finds the verb (one word, a phrase such as "get rid of", or a noun), then its object, and asks the
    table. A pronoun as object counts when a store was named shortly before.
    """
    text, start = words[at].text, at
    for phrase, plain in PHRASAL_VERBS.items():
        if tuple(word.text for word in words[at : at + len(phrase)]) == phrase:
            verb, start = plain, at + len(phrase) - 1
            break
    else:
        verb = all_forms(_VERBS).get(text, "")
    is_noun = text in _NOUNS_OF_LOSS and _text(words, at + 1) == "of"
    if is_noun:
        verb, start = "delete", at + 1
    if not verb or (not is_noun and start == at and _is_description(words, at, verb)):
        return None
    thing = object_of(words, start)
    if not thing:
        return None
    is_order = not is_noun and (start > at or text == verb) and role(words, at) is VerbRole.ORDER
    if words[thing[0]].text in _PRONOUNS and {words[place].text for place in thing[1:]} <= TRAILING:
        is_meant = verb in DESTRUCTIVE_VERBS.split() and _speaks_of_data(words, at)
        is_data = is_meant or IN_LIVE in _marks_of_place(words, thing[-1])
        return (VetoFault.DATA_LOSS, at, thing[0]) if is_order and is_data else None
    harm = _harm(_deed(words, verb, thing), is_order=is_order)
    return (harm.code, at, thing[-1]) if harm else None


def _told_of_subject(words: tuple[TextWord, ...], at: int) -> tuple[VetoFault, int, int] | None:
    """Judge the passive: `the users table must be dropped`.

    The subject is collected backwards up to a word that starts another phrase. A duty about all of
    something is an order, a duty alone describes a feature.
    """
    verb = all_forms(DESTRUCTIVE_VERBS).get(words[at].text, "")
    if not verb or not words[at].text.endswith("ed") or _text(words, at - 1) not in _PASSIVE:
        return None
    subject: list[int] = []
    between: set[str] = set()
    for place in range(at - 2, max(-1, at - 10), -1):
        text = words[place].text
        if words[place].clause != words[at].clause or text in _SUBJECT_ENDS:
            break
        if text in _DUTIES or text in ("can", "has", "have", "then"):
            between.add(text)
        else:
            subject.insert(0, place)
    if not subject or is_conditional(words, at):
        return None
    # "all users must be deleted" is an order; "accounts must be deleted on request" describes a feature.
    deed = _deed(words, verb, subject)
    harm = _harm(deed, is_order=bool(between & _DUTIES and deed.said & QUANTIFIERS))
    return (harm.code, max(0, at - 4), at) if harm else None


def _is_description(words: tuple[TextWord, ...], at: int, verb: str) -> bool:
    """Check whether this tells what something does, rather than what is to be done."""
    text = words[at].text
    if text == verb:
        return False
    if is_conditional(words, at):
        return True
    if text.endswith("s"):
        before = {word.text for word in words[max(0, at - 6) : at] if word.sentence == words[at].sentence}
        return not before & _DOERS
    return not text.endswith(
        "ing"
    )  # "the dropped table": what happened; `_told_of_subject` reads the passive


def _harm(deed: _Deed, *, is_order: bool) -> Harm | None:
    """Return the first line of the table that fits a deed, or None for a harmless thing.

    An empty column of a line fits everything. A deed that is no order fits only lines that allow for it
    (`is_told`), and only if its thing is a definite one.
    """
    if HARMLESS & deed.said and IN_LIVE not in deed.said:
        return None
    for harm in HARMS:
        is_meant = is_order or (harm.is_told and deed.is_definite)
        is_said = not harm.said or harm.said & deed.said
        is_thing = not harm.things or harm.things & deed.names
        if is_meant and is_said and is_thing and deed.verb in harm.verbs:
            return harm
    return None


def _deed(words: tuple[TextWord, ...], verb: str, thing: list[int]) -> _Deed:
    """Describe a verb and its object as the table asks for them.

    The name of a store stands behind it in SQL ("drop table users") and before it in English. What is said
    of the object includes the place it is taken from.
    """
    named = [words[place] for place in thing]
    is_definite = named[0].text not in ("a", "an", "any")
    marks = _marks_of_place(words, thing[-1])
    plain = [word for word in named if word.text not in DETERMINERS]
    if len(plain) > 1 and plain[0].text in STORES | {"schema", "collection", "column"}:
        is_sql = verb in ("drop", "truncate") and named[0] is plain[0] and not _is_code(plain[1].text)
        if is_sql or plain[1].kind is not WordKind.PLAIN:
            return _Deed(verb, frozenset((plain[0].text,)), marks, is_definite)
    named = _without_trailing(named)
    names = {_tail(named[-1]), named[-1].text, "-".join(word.text for word in named[-2:])}
    return _Deed(verb, frozenset(names), marks | {word.text for word in named[:-1]}, is_definite)


def _without_trailing(named: list[TextWord]) -> list[TextWord]:
    """Return an object without the adverbs behind it: "the users table sometime next week"."""
    end = len(named)
    while end > 1 and (named[end - 1].text in TRAILING or named[end - 1].text.endswith("ly")):
        end -= 1
    if not _is_code(_tail(named[end - 1])):
        # What follows a store is no part of a program that we know.
        end = next((n + 1 for n in reversed(range(end)) if named[n].text in STORES), end)
    return named[:end]


def _tail(word: TextWord) -> str:
    """Return the last part of a joined name: `users-table`, `users_table`."""
    last = word.text.rpartition("-")[2]
    return last.rpartition("_")[2] if word.kind is WordKind.NAME and "." not in last else last


def _is_code(text: str) -> bool:
    return text in CODE_HEADS | CACHES or text.endswith("ing")


def _marks_of_place(words: tuple[TextWord, ...], last: int) -> frozenset[str]:
    """Return what the place behind a thing says of it.

    It is drawn on a page, stored in a table, or live. A page outweighs the others.
    """
    if _text(words, last + 1) not in _PLACING:
        return frozenset()
    places = [words[place] for place in object_of(words, last + 1)]
    texts = [place.text for place in places]
    if not places:
        return frozenset()
    if ON_A_PAGE.intersection(texts) or any(
        place.kind in (WordKind.NAME, WordKind.CODE) and ending(place.raw) in CODE_ENDINGS for place in places
    ):
        return frozenset(("on-a-page",))
    marks = {OUT_OF_DATA} if texts[-1] in STORES else set()
    if texts[-1] in LIVE or (texts[-1] in LIVE_HEADS and LIVE.intersection(texts)):
        marks.add(IN_LIVE)
    return frozenset(marks)


def _speaks_of_data(words: tuple[TextWord, ...], at: int) -> bool:
    """Check whether `it` may be a table: one was named in this sentence or the one before."""
    return any(
        words[at].sentence - words[place].sentence <= 1
        and words[place].text in STORES
        and words[place - 1].text not in HARMLESS
        and not _is_code(_text(words, place + 1))
        and "on-a-page" not in _marks_of_place(words, place)
        for place in range(max(0, at - 30), at)
    )


def _force_push(words: tuple[TextWord, ...], at: int) -> int | None:
    text = words[at].text
    is_pair = text == "force" and _text(words, at + 1) in ("push", "pushing")
    if not is_pair and text not in ("force-push", "force-pushing"):
        return None
    is_meant = text.endswith("ing") or role(words, at) in (VerbRole.ORDER, VerbRole.DUTY)
    return at + is_pair if is_meant else None


def _command_at(words: tuple[TextWord, ...], at: int) -> tuple[VetoFault, int, int] | None:
    """Judge a command line written in the open: `run rm -rf /srv`, `DELETE FROM users`."""
    rest = [word for word in words[at : at + _COMMAND_WORDS] if word.clause == words[at].clause]
    is_sql = words[at].text in ("drop", "delete", "truncate")
    if (
        is_sql
        and not (words[at].raw.isupper() and role(words, at) is VerbRole.ORDER)
        and not _is_to_run(words, at)
    ):
        return None
    found = _commands().match(" ".join(word.raw for word in rest))
    if not found:
        return None
    return _code_of(found), at, at + found[0].count(" ")


def _is_to_run(words: tuple[TextWord, ...], at: int) -> bool:
    """Check whether the reader is told to run what stands here: ``run `rm -rf /` ``."""
    running = all_forms(_RUNNING)
    for place in range(at - 1, max(-1, at - 5), -1):
        word = words[place]
        if word.sentence != words[at].sentence:
            return False
        if running.get(word.text) == word.text:
            return role(words, place) is VerbRole.ORDER
    return False


@cache
def _commands() -> re.Pattern[str]:
    return re.compile(
        r"""\b(?:
            (?P<files_loss>rm\s+-(?=\w*r)\w+|rm\s+-f\s+-r\w*|git\s+reset\s+--hard|git\s+clean\s+-\w*[fdx])
          | (?P<history_rewrite>(?:git\s+)?push\b[^\n;|&]*(?:\s-f\b|--force))
          | (?P<data_loss>(?:drop|truncate)\s+(?:table|database|schema|column)\b|delete\s+from\s+\w+
              |truncate\s+\w+\s*;|drop(?:db|Database)\b|kubectl\s+delete\s+\w+|terraform\s+destroy
              |aws\s+s3\s+(?:rm|rb)\b|redis-cli\s+flush\w+))""",
        re.VERBOSE | re.IGNORECASE,
    )


def _code_of(command: re.Match[str]) -> VetoFault:
    return VetoFault(command.lastgroup or VetoFault.DATA_LOSS)


def _text(words: tuple[TextWord, ...], at: int) -> str:
    return words[at].text if 0 <= at < len(words) else ""
