"""Find the line of a JSON pointer in a text that is known to be JSON.

Pure. Called only when something is wrong, so a file that is right is not read once more.
"""

import json
import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from signoff.domain.base.violations import Violation
from signoff.text.json.violation_list import below

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)


def located(found: Iterable[Violation], text: str) -> list[Violation]:
    """Return the violations with the line their pointer leads to, or the line of what would hold it."""
    listed = list(found)
    lines = lines_of(text, {violation.path for violation in listed if violation.line is None})
    return [
        msgspec.structs.replace(violation, line=lines[violation.path])
        if violation.line is None
        else violation
        for violation in listed
    ]


def lines_of(text: str, pointers: set[str]) -> dict[str, int | None]:
    """Find the line of each pointer, counted from 1, in one pass. What is not there gets its parent's.

    Where a key came twice it is the last line, which is the one that counts. The whole document has none.
    """
    root = _PointerSought()
    for pointer in pointers:
        wanted = root
        for part in pointer.split("/")[1:]:
            wanted = wanted.children.setdefault(part, _PointerSought())
    if root.children:
        _mark(text, root)
    lines: dict[str, int | None] = {}
    for pointer in pointers:
        wanted, line = root, root.line
        for part in pointer.split("/")[1:]:
            wanted = wanted.children[part]
            line = wanted.line or line
        lines[pointer] = line if pointer else None
    return lines


class _PointerSought:
    """A pointer whose line is asked for, or one on the way to it."""

    __slots__ = ("children", "line")

    def __init__(self) -> None:
        self.children: dict[str, _PointerSought] = {}
        self.line: int | None = None


class _Inside:
    """The object or array the scan is in, and which of its members it has come to."""

    __slots__ = ("awaits_key", "index", "is_object", "member", "wanted")

    def __init__(self, is_object: bool, wanted: _PointerSought | None) -> None:
        self.is_object = self.awaits_key = is_object
        self.wanted = wanted
        self.index = 0
        self.member = self._child("0")

    def next(self) -> None:
        """Go to the next member."""
        self.index += 1
        self.awaits_key = self.is_object
        self.member = self._child(str(self.index))

    def name(self, key: str) -> None:
        """Take up the member of this key."""
        self.awaits_key = False
        self.member = self._child(below("", key)[1:])

    def _child(self, part: str) -> _PointerSought | None:
        return self.wanted.children.get(part) if self.wanted else None


class _At(NamedTuple):
    line: int
    position: int

    def forward(self, text: str, position: int) -> "_At":
        return _At(self.line + text.count("\n", self.position, position), position)


def _mark(text: str, root: _PointerSought) -> None:
    """Walk the words and note the line of every pointer that is asked for.

    A stack holds the objects and arrays around the current word. Strings are single words, so brackets
    inside of them count for nothing.
    """
    inside: list[_Inside] = []
    at = _At(1, 0)
    for match in _TOKEN.finditer(text):
        word = match[0]
        here = inside[-1] if inside else None
        if word in ("]", "}"):
            inside.pop()
        elif word == "," and here:
            here.next()
        elif word == ":":
            continue
        elif here and here.awaits_key:
            here.name(json.loads(word) if here.wanted else "")
            if here.member:
                at = at.forward(text, match.start())
                here.member.line = at.line
        else:
            member = here.member if here else root
            if member and not (here and here.is_object):
                at = at.forward(text, match.start())
                member.line = at.line
            if word in ("[", "{"):
                inside.append(_Inside(word == "{", member))
