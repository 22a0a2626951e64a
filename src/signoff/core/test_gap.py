"""Which new public names come without a test. Pure; `signoff tests gap` shows it.

Two ways to look at a change: both sides of each file as a whole (`gaps_between`), which is exact, or a diff
alone (`gaps_in_diff`). A name is tested if a test file mentions it, or if a test or a test file is named
after it. A diff shows test files only in part; there a changed one that is named after the source file counts
too.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from signoff.core.diffs import DiffKind, FileDiff
from signoff.core.public_symbols import Symbol, file_symbols, language_of, line_symbols
from signoff.core.source_paths import is_paired, is_source, subject
from signoff.core.test_reports import is_test_path


class GapSeverity(StrEnum):
    """How much a missing test matters."""

    IMPORTANT = "important"
    SUGGESTION = "suggestion"


class Gap(NamedTuple):
    """A new public name without a test."""

    path: str
    line: int
    kind: str
    """`untested-` and what it is: view, composable, class, function, method."""
    symbol: str
    severity: GapSeverity
    message: str


class Sides(NamedTuple):
    """A source file before and after a change; None where it was not there, or is no text."""

    path: str
    before: str | None
    after: str | None


class _New(NamedTuple):
    path: str
    symbol: Symbol


_IMPORTANT = {
    "view": "screens break where no unit test looks",
    "composable": "screens break where no unit test looks",
}


def is_judged(path: str) -> bool:
    """Say whether new names in this file are looked for at all."""
    return is_source(path) and language_of(path) != ""


def gaps_between(changes: Iterable[Sides], tests: Mapping[str, str]) -> list[Gap]:
    """Give the gaps of a change whose files are at hand; `tests` are all test files after it, by path."""
    new: list[_New] = []
    gone: set[tuple[str, str]] = set()
    for side in changes:
        if not is_judged(side.path):
            continue
        old = file_symbols(side.path, side.before) if side.before is not None else ()
        now = file_symbols(side.path, side.after) if side.after is not None else ()
        known, kept = {symbol.full_name for symbol in old}, {symbol.full_name for symbol in now}
        new += [_New(side.path, symbol) for symbol in now if symbol.full_name not in known]
        gone |= {(language_of(side.path), name.full_name) for name in old if name.full_name not in kept}
    return _untested(new, gone, Tests(tests))


def gaps_in_diff(files: Iterable[FileDiff], tests: Mapping[str, str]) -> list[Gap]:
    """Give the gaps that a diff shows; `tests` are test files known besides, by path."""
    listed = list(files)
    new: list[_New] = []
    gone: set[tuple[str, str]] = set()
    for file in listed:
        if file.kind is DiffKind.DELETED or is_judged(file.path):
            removed = line_symbols(file.path, ((line.old, line.text) for line in file.removed))
            added = line_symbols(file.path, ((line.new, line.text) for line in file.added))
            old = {symbol.name for symbol in removed}
            new += [_New(file.path, symbol) for symbol in added if symbol.name not in old]
            kept = {symbol.name for symbol in added}
            gone |= {(language_of(file.path), name.full_name) for name in removed if name.name not in kept}
    gone_tests = {file.old_path for file in listed if file.kind is DiffKind.DELETED}
    kept_tests = {path: text for path, text in tests.items() if path not in gone_tests}
    shown = {file.path: _shown(file) for file in listed if is_test_path(file.path) and file.new_path}
    return _untested(new, gone, Tests({**kept_tests, **_merged(kept_tests, shown)}, in_part=frozenset(shown)))


def _shown(file: FileDiff) -> str:
    return "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.mark != "-")


def _merged(known: Mapping[str, str], shown: Mapping[str, str]) -> dict[str, str]:
    return {path: f"{known.get(path, '')}\n{text}" for path, text in shown.items()}


def _untested(new: list[_New], gone: set[tuple[str, str]], tests: "Tests") -> list[Gap]:
    found: list[Gap] = []
    reported: set[tuple[str, str]] = set()
    for path, symbol in new:
        if (language_of(path), symbol.full_name) in gone:  # it came from another file
            continue
        if symbol.owner and (path, symbol.owner) in reported:
            continue  # the class is reported already
        if not tests.cover(path, symbol):
            reported.add((path, symbol.name))
            found.append(_gap(path, symbol))
    return sorted(set(found), key=lambda gap: (gap.path, gap.line, gap.symbol))


def _gap(path: str, symbol: Symbol) -> Gap:
    severity = GapSeverity.IMPORTANT if symbol.kind in _IMPORTANT else GapSeverity.SUGGESTION
    why = f": {_IMPORTANT[symbol.kind]}" if symbol.kind in _IMPORTANT else ""
    message = f"no test mentions the new {symbol.kind} {symbol.full_name}{why}"
    return Gap(path, symbol.line, f"untested-{symbol.kind}", symbol.full_name, severity, message)


# --- what the tests are about ---

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_COMMENT = re.compile(r"^[ \t]*(?:#|//|\*|/\*).*$", re.MULTILINE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TEST_NAME = re.compile(r"test|spec", re.IGNORECASE)


class Tests:
    """The names that test files mention, and what tests and test files are named after."""

    def __init__(self, texts: Mapping[str, str], in_part: frozenset[str] = frozenset()) -> None:
        self._words: set[str] = set()
        self._subjects: set[str] = {subject(path) for path in texts}
        self._changed = frozenset(subject(path) for path in in_part)
        for text in texts.values():
            self._words.update(_NAME.findall(_COMMENT.sub("", text)))
        for word in self._words:
            if _TEST_NAME.search(word):
                self._subjects.update(_named_after(word))

    def cover(self, path: str, symbol: Symbol) -> bool:
        """Say whether some test is about this name."""
        plain = symbol.name.replace("_", "").lower()
        return symbol.name in self._words or plain in self._subjects or is_paired(path, self._changed)


def _named_after(word: str) -> Iterable[str]:
    """Give what a test's name may be about: `test_add_twice` is about add and about addtwice."""
    parts = [part.lower() for part in _PARTS.findall(word)]
    kept = [part for part in parts if part not in ("test", "tests", "spec", "it", "should")]
    return ("".join(kept[:count]) for count in range(1, len(kept) + 1))
