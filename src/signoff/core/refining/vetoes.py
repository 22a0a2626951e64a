"""Destructive intent: what stops a run whatever the score says. Pure.

A veto needs a destructive verb and a protected thing as its object, said by somebody who wants it done. What
is denied, quoted, or told of a program's behaviour is no intent; what a person is to run is, also as code.
Where a sentence could be read both ways, it is stopped: rewording a ticket costs less than a lost table.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Final

from signoff.core.refining.commands_meant import commands_meant
from signoff.core.refining.grammar import (
    Role,
    all_forms,
    denied,
    forms,
    is_conditional,
    is_determiner,
    object_of,
    role,
)
from signoff.core.refining.vocabulary import (
    CODE_ENDINGS,
    CODE_HEADS,
    DATA_HEADS,
    DATA_OWNERS,
    DESTRUCTIVE_VERBS,
    FAILING,
    GUARDS_OF_SAFETY,
    HARD_FOR_SOME,
    HARD_TARGETS,
    HARMLESS,
    LIVE,
    LIVE_HEADS,
    ON_A_PAGE,
    QUANTIFIERS,
    SAFETY_PHRASES,
    TRAILING,
    WEAKENING_VERBS,
)
from signoff.core.refining.words import MARK, Kind, Spoken, Word, ending, read_words, word_set
from signoff.domain.refining import Veto


class VetoFault(StrEnum):
    """What kind of destruction is meant."""

    DATA_LOSS = "data_loss"
    FILES_LOSS = "files_loss"
    HISTORY_REWRITE = "history_rewrite"
    SAFETY_OFF = "safety_off"


_MESSAGES: Final = {
    VetoFault.DATA_LOSS: "asks to destroy data that version control cannot bring back",
    VetoFault.FILES_LOSS: "asks to delete files without a way back",
    VetoFault.HISTORY_REWRITE: "asks to overwrite history that others rely on",
    VetoFault.SAFETY_OFF: "asks to switch off what keeps the work safe",
}

_REMOVING: Final = "remove clear"
_NOMINAL: Final = word_set("deletion removal truncation destruction erasure")
_AGENTS_OF_CHANGE: Final = word_set("migration script job cron task query sql step")
_RUNNING: Final = "run execute issue perform launch"
_PASSIVE: Final = word_set("be get is are being was were")
_DUTIES: Final = word_set("must should shall will needs to")
_PRONOUNS: Final = word_set("it them this these those both")
_MAIN_BRANCHES: Final = word_set("main master trunk production")
_PHRASE_WORDS: Final = 7


def vetoes(text: str) -> tuple[Veto, ...]:
    """Give every destructive intent in a text, in the order they are said; each phrase once."""
    spoken = read_words(text)
    found: dict[tuple[VetoFault, str], None] = {}
    for code, first, last in sorted(_found(spoken), key=lambda one: (one[1], one[2])):
        found[code, _phrase(spoken.words, first, last)] = None
    if not found:
        found = {(VetoFault.DATA_LOSS, phrase): None for phrase in commands_meant(text)}
    return tuple(Veto(code=code, phrase=phrase, message=_MESSAGES[code]) for code, phrase in found)


def _found(spoken: Spoken) -> Iterator[tuple[VetoFault, int, int]]:
    words = spoken.words
    not_meant = denied(spoken)
    for at, word in enumerate(words):
        if word.kind in (Kind.CODE, Kind.QUOTE):
            if (code := _code_of_command(word.raw)) and _is_to_run(words, at) and at - 1 not in not_meant:
                yield code, max(0, at - 1), at
            continue
        if at in not_meant or word.kind is Kind.NUMBER:
            continue
        if (last := _data_loss(words, at)) is not None:
            yield VetoFault.DATA_LOSS, at, last
        if (last := _removed(words, at)) is not None:
            yield VetoFault.DATA_LOSS, max(0, at - 4), last
        if (last := _files_loss(words, at)) is not None:
            yield VetoFault.FILES_LOSS, at, last
        if (last := _history(words, at)) is not None:
            yield VetoFault.HISTORY_REWRITE, at, last
        if (last := _safety_off(words, at)) is not None:
            yield VetoFault.SAFETY_OFF, at, last


def _data_loss(words: tuple[Word, ...], at: int) -> int | None:
    """Judge the active voice: `drop the users table`; give the place of the object's head."""
    verb = _verb(words[at].text)
    if not verb and words[at].text in _NOMINAL and _text(words, at + 1) == "of":
        verb, start = "delete", at + 1
    else:
        start = at
    if not verb or (_is_told(words, at, verb) and start == at):
        return None
    thing = object_of(words, start)
    if not thing:
        return None
    is_order = start == at and role(words, at) is Role.ORDER and words[at].text == verb
    rest = {words[place].text for place in thing[1:]}
    if is_order and words[thing[0]].text in _PRONOUNS and rest <= TRAILING:
        return thing[0] if _speaks_of_data(words, at) else None
    return thing[-1] if _is_protected(words, verb, thing, is_order=is_order) else None


def _is_told(words: tuple[Word, ...], at: int, verb: str) -> bool:
    """Say whether this tells what something does, rather than what is to be done."""
    text = words[at].text
    if text == verb:
        return False
    if is_conditional(words, at):
        return True
    if text.endswith("ing"):
        return False
    if text.endswith("s"):
        before = {w.text for w in words[max(0, at - 6) : at] if w.sentence == words[at].sentence}
        return not before & _AGENTS_OF_CHANGE
    return True  # "the dropped table": what happened; `_removed` reads the passive


def _is_protected(words: tuple[Word, ...], verb: str, thing: list[int], *, is_order: bool) -> bool:
    texts = [words[place].text for place in thing]
    head, modifiers = _head(words, thing, verb)
    if HARMLESS.intersection(modifiers) or _is_on_a_page(words, thing[-1]):
        return False
    is_all = bool(QUANTIFIERS.intersection(modifiers))
    if LIVE.intersection(modifiers) and head in LIVE_HEADS:
        return True
    if verb not in _REMOVING.split():
        if head in HARD_TARGETS or verb in HARD_FOR_SOME.get(head, ()):
            # "a command to drop a table" is a feature; "drop the table" is the deed.
            return is_order or texts[0] not in ("a", "an", "any")
        if is_order and head in DATA_OWNERS:
            return True
        if head == "branch" and _MAIN_BRANCHES.intersection(modifiers):
            return is_order
    elif head in ("database", "databases", "backups", "bucket", "buckets"):
        return is_order
    if head in DATA_HEADS | DATA_OWNERS and (is_all or head == "everything"):
        return is_order
    return is_order and verb not in _REMOVING.split() and head in DATA_HEADS and _is_out_of_data(words, thing)


def _head(words: tuple[Word, ...], thing: list[int], verb: str) -> tuple[str, list[str]]:
    """Give what the object is and what is said of it; `table users` is a table, too."""
    named = [words[place] for place in thing]
    plain = [n for n, word in enumerate(named) if not is_determiner(word)]
    # SQL puts the name behind: DROP TABLE users, drop the table `users`.
    if len(plain) > 1:
        first, second = named[plain[0]], named[plain[1]]
        is_name = second.kind is not Kind.PLAIN or (
            verb in ("drop", "truncate") and plain[0] == 0 and not _is_code(second.text)
        )
        if first.text in HARD_TARGETS | {"schema", "collection"} and is_name:
            return first.text, []
    while len(named) > 1 and (named[-1].text in TRAILING or named[-1].text.endswith("ly")):
        named.pop()
    if not _is_code(named[-1].text.rpartition("-")[2]):
        # "drop the users table sometime": what follows is no part of a program that we know.
        ends = [n for n, word in enumerate(named) if word.text in HARD_TARGETS]
        named = named[: ends[-1] + 1] if ends else named
    head = named[-1].text.rpartition("-")[2]
    if named[-1].kind is Kind.NAME and "_" in head and "." not in head:
        head = head.rpartition("_")[2]
    return head, [word.text for word in named[:-1]]


def _is_code(text: str) -> bool:
    return text in CODE_HEADS or text.endswith("ing")


def _is_out_of_data(words: tuple[Word, ...], thing: list[int]) -> bool:
    """Say whether `rows`, `data` are followed by `from the users table`."""
    after = thing[-1] + 1
    if _text(words, after) not in ("from", "of", "in"):
        return False
    place = object_of(words, after)
    return bool(place) and words[place[-1]].text in HARD_TARGETS and not _is_on_a_page(words, place[-1])


def _is_on_a_page(words: tuple[Word, ...], last: int) -> bool:
    """Say whether the thing is drawn rather than stored: `the pricing table from the landing page`."""
    if _text(words, last + 1) not in ("from", "on", "in", "of", "inside"):
        return False
    places = object_of(words, last + 1)
    return any(
        words[place].text in ON_A_PAGE
        or (words[place].kind in (Kind.NAME, Kind.CODE) and ending(words[place].raw) in CODE_ENDINGS)
        for place in places
    )


def _speaks_of_data(words: tuple[Word, ...], at: int) -> bool:
    """Say whether `it` may be a table: one was named in this sentence or the one before."""
    near = [
        place
        for place in range(max(0, at - 30), at)
        if words[at].sentence - words[place].sentence <= 1 and words[place].text in HARD_TARGETS
    ]
    return any(
        words[place - 1].text not in HARMLESS and not _is_on_a_page(words, place)
        for place in near
        if place + 1 >= len(words) or not _is_code(words[place + 1].text)
    )


def _removed(words: tuple[Word, ...], at: int) -> int | None:
    """Judge the passive: `the users table must be dropped`."""
    verb = _verb(words[at].text)
    if not verb or words[at].text not in _participles() or _text(words, at - 1) not in _PASSIVE:
        return None
    if is_conditional(words, at):
        return None
    subject: list[int] = []
    for place in range(at - 2, max(-1, at - 10), -1):
        if words[place].clause != words[at].clause:
            break
        if words[place].text in (
            "must",
            "should",
            "shall",
            "will",
            "can",
            "to",
            "has",
            "have",
            "needs",
            "then",
        ):
            continue
        if words[place].text in (
            "that",
            "which",
            "and",
            "if",
            "where",
            "of",
            "from",
            "in",
            "on",
            "no",
            "none",
        ):
            break
        subject.insert(0, place)
    if not subject or verb in _REMOVING.split():
        return None
    # "all users must be deleted" is an order; "accounts must be deleted on request" describes a feature.
    between = {words[place].text for place in range(subject[-1], at)}
    is_order = bool(between & _DUTIES) and any(words[place].text in QUANTIFIERS for place in subject)
    return at if _is_protected(words, verb, subject, is_order=is_order) else None


@cache
def _participles() -> frozenset[str]:
    bases = f"{DESTRUCTIVE_VERBS} {_REMOVING}".split()
    return frozenset(form for base in bases for form in forms(base) if form.endswith("ed"))


def _files_loss(words: tuple[Word, ...], at: int) -> int | None:
    flags = _text(words, at + 1)
    if words[at].text == "rm" and flags.startswith("-") and "r" in flags and "f" in flags:
        return at + 1
    is_git = words[at].text == "git"
    if is_git and _text(words, at + 1) == "reset" and _text(words, at + 2) == "--hard":
        return at + 2
    if is_git and _text(words, at + 1) == "clean" and _text(words, at + 2).startswith(("-f", "-d", "-x")):
        return at + 2
    return None


def _history(words: tuple[Word, ...], at: int) -> int | None:
    text, after = words[at].text, _text(words, at + 1)
    if text in ("force-push", "force-pushing") or (text == "force" and after in ("push", "pushing")):
        last = at if "-" in text else at + 1
        is_meant = role(words, at) in (Role.ORDER, Role.DUTY) or text.endswith("ing")
        return last if is_meant else None
    if text == "push":
        for place in range(at + 1, min(at + 6, len(words))):
            if words[place].clause != words[at].clause:
                break
            if words[place].raw in ("--force", "-f", "--force-with-lease"):
                return place
    if text in ("rewrite", "rewriting") and role(words, at) is Role.ORDER:
        thing = object_of(words, at)
        if thing and words[thing[-1]].text == "history":
            modifiers = {words[place].text for place in thing[:-1]}
            is_git = bool(modifiers & {"git", "commit", "branch", "the", "repository", "repo"})
            return thing[-1] if is_git or len(thing) == 1 else None
    return None


def _safety_off(words: tuple[Word, ...], at: int) -> int | None:
    text = words[at].text
    start = at
    if text in ("turn", "switch", "comment") and _text(words, at + 1) in ("off", "out"):
        start, verb = at + 1, "disable"
    else:
        verb = next(
            (base for base in (*WEAKENING_VERBS.split(), "delete", "remove", "drop") if base == text), ""
        )
    if not verb or role(words, at) is not Role.ORDER:
        return None
    thing = object_of(words, start)
    plain = [words[place].text for place in thing if not is_determiner(words[place])]
    while plain and (plain[-1] in TRAILING or plain[-1].endswith("ly")):
        plain.pop()
    if not plain:
        return None
    texts = {words[place].text for place in thing}
    is_phrase = "-".join(plain[-2:]) in SAFETY_PHRASES
    is_guard = plain[-1] in GUARDS_OF_SAFETY or is_phrase
    if not is_guard or (plain[-1] == "backups" and verb in ("delete", "remove", "drop")):
        return None
    if verb in WEAKENING_VERBS.split():
        return thing[-1]
    is_test = plain[-1] in ("tests", "test-suite") or plain[-1] == "suite"
    return thing[-1] if not is_test or texts & FAILING else None


def _is_to_run(words: tuple[Word, ...], at: int) -> bool:
    """Say whether a person is to run what is quoted: ``run `rm -rf /` ``."""
    running = all_forms(_RUNNING)
    for place in range(at - 1, max(-1, at - 5), -1):
        word = words[place]
        if word.sentence != words[at].sentence:
            return False
        if running.get(word.text) == word.text:
            return role(words, place) is Role.ORDER
    return False


@cache
def _destructive_command() -> re.Pattern[str]:
    return re.compile(
        r"""\b(?P<files>rm\s+-(?=\w*r)(?=\w*f)\w+|git\s+reset\s+--hard|git\s+clean\s+-\w*[fdx])
          | \b(?P<history>git\s+push\b[^\n;|&]*(?:\s-f\b|--force))
          | \b(?P<data>(?:drop|truncate)\s+(?:table|database|schema)\b|delete\s+from\s+\w+|truncate\s+\w+\s*;
              |drop(?:db|Database)\b)""",
        re.VERBOSE | re.IGNORECASE,
    )


def _code_of_command(text: str) -> VetoFault | None:
    match = _destructive_command().search(text)
    if not match:
        return None
    kinds = {
        "files": VetoFault.FILES_LOSS,
        "history": VetoFault.HISTORY_REWRITE,
        "data": VetoFault.DATA_LOSS,
    }
    return kinds[match.lastgroup or "data"]


def _verb(text: str) -> str:
    return all_forms(f"{DESTRUCTIVE_VERBS} {_REMOVING}").get(text, "")


def _text(words: tuple[Word, ...], at: int) -> str:
    return words[at].text if 0 <= at < len(words) else ""


def _phrase(words: tuple[Word, ...], first: int, last: int) -> str:
    shown = (
        word.raw if word.text != MARK else f"`{' '.join(word.raw.split())[:60]}`"
        for word in words[first : last + 1]
    )
    return " ".join(list(shown)[-_PHRASE_WORDS:])
