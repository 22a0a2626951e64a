"""New public names without a test, as `signoff tests gap` shows them. Pure.

Two ways to look at a change: both sides of each file as a whole (`gaps_between`), which is exact, or a diff
alone (`gaps_in_diff`). A name is tested if a test file mentions it, or if a test in it is named after it.
The name of the test file does not count: a file of any content could be called so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from signoff.judges.test_gap.public_symbols import Symbol, file_symbols, language_of, line_symbols
from signoff.judges.test_results.report_comparison import is_test_path
from signoff.judges.test_results.source_paths import is_source
from signoff.text.formats.unified_diff import DiffKind, FileDiff


class GapSeverity(StrEnum):
    """How much a missing test matters."""

    IMPORTANT = "important"
    SUGGESTION = "suggestion"


class MissingTest(NamedTuple):
    """A new public name without a test."""

    path: str
    line: int
    kind: str
    """`untested-` and what it is: view, composable, class, function, method."""
    symbol: str
    severity: GapSeverity
    message: str


class SourceSides(NamedTuple):
    """A source file before and after a change. A side is None if the file was not there or is not text."""

    path: str
    before: str | None
    after: str | None


_New = tuple[str, Symbol]
"""A new public name with its path."""

_IMPORTANT = {
    "view": "screens break where no unit test looks",
    "composable": "screens break where no unit test looks",
}

_NO_PRODUCT = re.compile(
    r"^(?:docs?|documentation|examples?|samples?|demos?|typing-examples|benchmarks?|bench|testing|downstream)/"
)
"""Folders that hold documentation, measurements or tests, by their name."""


def is_judged(path: str) -> bool:
    """Check whether new names in this file are judged at all."""
    return is_source(path) and language_of(path) != "" and not _NO_PRODUCT.match(path)


def gaps_between(changes: Iterable[SourceSides], tests: Mapping[str, str]) -> list[MissingTest]:
    """Return the gaps of a change with both sides of its files. `tests` are all test files after it, by path.

    A name is new if the file did not have it before, and not new to the project if another file lost it.
    """
    new: list[_New] = []
    gone: set[tuple[str, str]] = set()
    for side in changes:
        if not is_judged(side.path):
            continue
        old = file_symbols(side.path, side.before) if side.before is not None else ()
        now = file_symbols(side.path, side.after) if side.after is not None else ()
        known, kept = {symbol.full_name for symbol in old}, {symbol.full_name for symbol in now}
        new += [(side.path, symbol) for symbol in now if symbol.full_name not in known]
        gone |= {(language_of(side.path), name.full_name) for name in old if name.full_name not in kept}
    return _untested(new, gone, Tests(tests.values()))


def gaps_in_diff(files: Iterable[FileDiff], tests: Mapping[str, str]) -> list[MissingTest]:
    """Return the gaps that a diff shows. `tests` are other known test files, by path."""
    listed = list(files)
    new: list[_New] = []
    gone: set[tuple[str, str]] = set()
    for file in listed:
        if file.kind is DiffKind.DELETED or is_judged(file.path):
            removed, added = _declared(file, "-"), _declared(file, "+")
            old = {symbol.name for symbol in removed}
            new += [(file.path, symbol) for symbol in added if symbol.name not in old]
            kept = {symbol.name for symbol in added}
            gone |= {(language_of(file.path), name.full_name) for name in removed if name.name not in kept}
    return _untested(new, gone, Tests([*_left_over(listed, tests), *map(_shown, listed)]))


def _declared(file: FileDiff, mark: str) -> list[Symbol]:
    """Return the public names on the lines with this mark.

    The lines around them are read too, because a method needs the class it stands in.
    """
    seen = [line for hunk in file.hunks for line in hunk.lines if line.mark in (" ", mark)]
    numbered = [(line.new if mark == "+" else line.old, line) for line in seen]
    marked = {number for number, line in numbered if line.mark == mark}
    symbols = line_symbols(file.path, ((number, line.text) for number, line in numbered))
    return [symbol for symbol in symbols if symbol.line in marked]


def _shown(file: FileDiff) -> str:
    """Return the text that a diff shows of a test file. A file that only loses lines tests nothing new."""
    if not (is_test_path(file.path) and file.new_path and file.added):
        return ""
    return "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.mark != "-")


def _left_over(files: list[FileDiff], tests: Mapping[str, str]) -> list[str]:
    """Return the known test files without what a change removes, as they may be from before it."""
    changed = {file.old_path: file for file in files if file.kind is not DiffKind.COPIED}
    gone = {path for path, file in changed.items() if file.kind is DiffKind.DELETED}
    return [
        _without(text, changed[path]) if path in changed else text
        for path, text in tests.items()
        if path not in gone
    ]


def _without(text: str, file: FileDiff) -> str:
    taken = Counter(line.text for line in file.removed)
    kept: list[str] = []
    for line in text.split("\n"):
        if taken[line] > 0:
            taken[line] -= 1
        else:
            kept.append(line)
    return "\n".join(kept)


def _untested(new: list[_New], gone: set[tuple[str, str]], tests: "Tests") -> list[MissingTest]:
    found: list[MissingTest] = []
    reported: set[tuple[str, str]] = set()
    for path, symbol in new:
        if (language_of(path), symbol.full_name) in gone:  # it came from another file
            continue
        if symbol.name.startswith("test_"):
            continue  # a test, in whatever file
        if symbol.owner and (path, symbol.owner) in reported:
            continue  # the class is reported already
        if not tests.cover(symbol):
            reported.add((path, symbol.name))
            severity = GapSeverity.IMPORTANT if symbol.kind in _IMPORTANT else GapSeverity.SUGGESTION
            why = f": {_IMPORTANT[symbol.kind]}" if symbol.kind in _IMPORTANT else ""
            message = f"no test mentions the new {symbol.kind} {symbol.full_name}{why}"
            found.append(
                MissingTest(path, symbol.line, f"untested-{symbol.kind}", symbol.full_name, severity, message)
            )
    return sorted(set(found), key=lambda gap: (gap.path, gap.line, gap.symbol))


# --- what the tests are about ---

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_COMMENT = re.compile(r"^[ \t]*(?:#|//|\*|/\*).*$", re.MULTILINE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEST_NAME = re.compile(r"test|spec", re.IGNORECASE)


class Tests:
    """The names that test files mention, and what the tests in them are named after."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._subjects: set[str] = set()
        for text in texts:
            self._words.update(_NAME.findall(_COMMENT.sub("", text)))
        for word in self._words:
            if _TEST_NAME.search(word):
                # What a test may be about by its name: `test_add_twice` is about add and about
                # addtwice.
                parts = [part.lower() for part in _PARTS.findall(word)]
                kept = [part for part in parts if part not in ("test", "tests", "spec", "it", "should")]
                self._subjects.update("".join(kept[:count]) for count in range(1, len(kept) + 1))

    def cover(self, symbol: Symbol) -> bool:
        """Check whether some test is about this name."""
        return symbol.name in self._words or symbol.name.replace("_", "").lower() in self._subjects
