"""Which marks of a test say more than before: skips, expected failures, stand-ins. Pure; `comparing` asks."""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_STRICT = re.compile(r"(?:, )?\bstrict=True")
_RAISES = re.compile(r"(?:, )?\braises=\w[\w.]*")
_EMPTY = re.compile(r"\((?:, )?\)$")
_VERSIONS = re.compile(r"(?i)version|\bpy_?\d|[a-z]_?py_?\d|pypy")
_PLATFORM = re.compile(r"(?i)platform|on_(?:windows|linux|macos)")


_WORDS = re.compile(r"(\w+)")
_NAME = re.compile(r"(?!not$|and$|or$|in$|is$|True$|False$|None$)[A-Za-z_]{2}\w{3,}")
_LIKE = 0.8
"""Likeness of two names from which one may be the other's new name."""


class More(NamedTuple):
    """A mark that was not there."""

    text: str
    is_respelled: bool = False
    """One of its kind stood there before and one does now: about versions, or under a name much like it."""


def surplus(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Give what is more often there after than before."""
    rest: dict[str, int] = {}
    for text in before:
        rest[text] = rest.get(text, 0) + 1
    found = []
    for text in after:
        if rest.get(text, 0):
            rest[text] -= 1
        elif text not in found:
            found.append(text)
    return found


def more_skips(before: Sequence[str], after: Sequence[str]) -> list[More]:
    """Give the skips that leave out more; one with a condition in place of one without leaves out less."""
    always = {_place(text) for text in before if _is_bare(text)}
    new = [text for text in surplus(before, after) if _place(text) not in always]
    return _respelled(surplus(after, before), new)


def more_expected_failures(before: Sequence[str], skips: Sequence[str], after: Sequence[str]) -> list[More]:
    """Give the marks that let more failures pass; `strict=True`, a type or a condition let pass less."""
    always = {_place(text) for text in (*before, *skips) if _is_bare(text)}
    known = set(before)
    new = [
        text
        for text in surplus(before, after)
        if _place(text) not in always and not known & _more_lenient(text)
    ]
    return _respelled(surplus(after, before), new)


def _more_lenient(text: str) -> set[str]:
    """Give marks that accept all that this one accepts."""
    lenient = {_STRICT.sub("", text), _RAISES.sub("", text), _STRICT.sub("", _RAISES.sub("", text))}
    return {_EMPTY.sub("", one.replace("(, ", "(")) for one in lenient}


def more_stand_ins(before: Sequence[str], after: Sequence[str]) -> list[More]:
    """Give the subjects replaced in addition; a target whose module moved is the same one.

    One in place of another of much the same name, in the same module, follows the code it stands in for.
    """
    known, now = dict.fromkeys(before), dict.fromkeys(after)
    gone = [text.rpartition(".")[2] for text in surplus(now, known)]
    modules = [text.rpartition(".")[0] for text in surplus(now, known)]
    found = []
    for text in surplus(known, now):
        module, _, last = text.rpartition(".")
        if last in gone:
            gone.remove(last)
        else:
            is_renamed = modules == [module] and bool(gone) and _is_like(last, gone[0])
            found.append(More(text, is_renamed))
    return found if len(found) == 1 else [one._replace(is_respelled=False) for one in found]


def _respelled(gone: Sequence[str], new: Sequence[str]) -> list[More]:
    is_one = len(gone) == 1 and len(new) == 1
    is_about_versions = is_one and all(
        _VERSIONS.search(text) and not _PLATFORM.search(text) and "(" in text for text in (*gone, *new)
    )
    is_renamed = is_one and _has_names_alike(gone[0], new[0])
    return [More(text, is_about_versions or is_renamed) for text in new]


def _has_names_alike(before: str, after: str) -> bool:
    """Say whether two conditions are the same but for names that look alike: `have_http`, `have_http2`."""
    first, second = _WORDS.split(before), _WORDS.split(after)
    if len(first) != len(second) or "(" not in after:
        return False
    differing = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
    return (
        len(differing) == 1 and all(_NAME.fullmatch(one) for one in differing[0]) and _is_like(*differing[0])
    )


def _is_like(first: str, second: str) -> bool:
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _LIKE


def _place(text: str) -> str:
    """Give the case of a parametrisation that a mark is for; empty for the whole test."""
    return text.rpartition(": ")[0]


def _is_bare(text: str) -> bool:
    """Say whether a mark holds whatever is the case."""
    mark = text.rpartition(": ")[2]
    return "(" not in mark and " " not in mark
