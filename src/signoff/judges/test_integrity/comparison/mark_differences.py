"""Find the marks of a test that let more pass than before: skips, expected failures, stand-ins. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from operator import attrgetter
from typing import NamedTuple

from signoff.domain.evidence.case_records import ReadCase, TestFile, WeakeningKind

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
    """One of its kind is there as before, about another version or under a name much like it."""


def surplus(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Return the texts that occur more often after than before, once each."""
    rest = Counter(before)
    found: list[str] = []
    for text in after:
        if rest[text]:
            rest[text] -= 1
        elif text not in found:
            found.append(text)
    return found


class MarkDifferences(NamedTuple):
    """The marks that hold for a test or for all tests of a file."""

    skips: tuple[str, ...]
    xfails: tuple[str, ...]
    mocks: tuple[str, ...]


def marks_of(*holders: ReadCase | TestFile) -> MarkDifferences:
    """Return the marks of a test together with those of its file."""
    return MarkDifferences(
        tuple(skip for each in holders for skip in each.skips),
        tuple(xfail for each in holders for xfail in each.xfails),
        tuple(mock for each in holders for mock in each.mocks),
    )


def more_skips(before: MarkDifferences, after: MarkDifferences) -> list[More]:
    """Return the skips that leave out more. One with a condition instead of one without leaves out less."""
    always = {_place(text) for text in before.skips if _is_bare(text)}
    new = [text for text in surplus(before.skips, after.skips) if _place(text) not in always]
    return _respelled(surplus(after.skips, before.skips), new)


def more_expected_failures(before: MarkDifferences, after: MarkDifferences) -> list[More]:
    """Return the marks that let more failures pass. `strict=True`, a type or a condition let fewer pass."""
    always = {_place(text) for text in (*before.xfails, *before.skips) if _is_bare(text)}
    known = set(before.xfails)
    new = []
    for text in surplus(before.xfails, after.xfails):
        laxer = {_STRICT.sub("", text), _RAISES.sub("", text), _STRICT.sub("", _RAISES.sub("", text))}
        was_laxer = known & {_EMPTY.sub("", one.replace("(, ", "(")) for one in laxer}
        if _place(text) not in always and not was_laxer:
            new.append(text)
    return _respelled(surplus(after.xfails, before.xfails), new)


def more_stand_ins(before: MarkDifferences, after: MarkDifferences) -> list[More]:
    """Return the subjects replaced in addition. A target whose module moved is the same one.

    One in place of another of much the same name, in the same module, follows the code it stands in for.
    """
    known, now = dict.fromkeys(before.mocks), dict.fromkeys(after.mocks)
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


class MarkKind(NamedTuple):
    """A kind of mark, and how a message names what it does to a test or to a whole file."""

    kind: WeakeningKind
    of: Callable[[ReadCase | TestFile | MarkDifferences], tuple[str, ...]]
    more: Callable[[MarkDifferences, MarkDifferences], list[More]]
    of_test: str
    of_file: str


MARK_KINDS = (
    MarkKind(
        WeakeningKind.SKIPPED,
        attrgetter("skips"),
        more_skips,
        "is skipped now",
        "the whole file is skipped now",
    ),
    MarkKind(
        WeakeningKind.EXPECTED_TO_FAIL,
        attrgetter("xfails"),
        more_expected_failures,
        "is expected to fail now",
        "the whole file is expected to fail now",
    ),
    MarkKind(
        WeakeningKind.SUBJECT_MOCKED,
        attrgetter("mocks"),
        more_stand_ins,
        "replaces what it tests",
        "what is tested is replaced for the whole file",
    ),
)


def _respelled(gone: Sequence[str], new: Sequence[str]) -> list[More]:
    is_one = len(gone) == 1 and len(new) == 1
    is_about_versions = is_one and all(
        _VERSIONS.search(text) and not _PLATFORM.search(text) and "(" in text for text in (*gone, *new)
    )
    is_renamed = is_one and _has_names_alike(gone[0], new[0])
    return [More(text, is_about_versions or is_renamed) for text in new]


def _has_names_alike(before: str, after: str) -> bool:
    """Check whether two conditions differ only in names that look alike: `have_http`, `have_http2`."""
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
    """Return the case of a parametrisation that a mark is for, empty for the whole test."""
    return text.rpartition(": ")[0]


def _is_bare(text: str) -> bool:
    """Check whether a mark holds without a condition."""
    mark = text.rpartition(": ")[2]
    return "(" not in mark and " " not in mark
