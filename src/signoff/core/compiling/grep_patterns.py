"""Say in Python's regular expressions what a pattern of grep says. Pure; called by `grep_idioms`.

A `grep-match` reads line by line, as grep does, so two patterns are the same when they are found on the same
lines. What a locale decides (is é a letter?) is read so that the check asks for more: narrowly where a
pattern must be present, widely where it must be absent. What has no faithful translation is refused.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

MAX_DEPTH: Final = 40
MAX_REPEAT: Final = 32_767  # RE_DUP_MAX of GNU grep

_SPECIAL: Final = frozenset(r"\.^$*+?{}[]|()")
_SPECIAL_IN_CLASS: Final = frozenset(r"\]^-[&~|")
_INTERVAL: Final = re.compile(r"(\d*)(,?)(\d*)")
_WIDE_SPACE: Final = " \\t\\r\\f\\v\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
_BEYOND: Final = "\\x80-\\U0010ffff"

_CLASSES: Final[dict[str, tuple[str, str]]] = {
    "alpha": ("A-Za-z", "A-Za-z" + _BEYOND),
    "digit": ("0-9", "0-9"),
    "alnum": ("A-Za-z0-9", "A-Za-z0-9" + _BEYOND),
    "upper": ("A-Z", "A-Z" + _BEYOND),
    "lower": ("a-z", "a-z" + _BEYOND),
    "space": (" \\t\\r\\f\\v", _WIDE_SPACE),
    "blank": (" \\t", _WIDE_SPACE),
    "punct": ("!-/:-@\\[-`{-~", "!-/:-@\\[-`{-~" + _BEYOND),
    "xdigit": ("0-9A-Fa-f", "0-9A-Fa-f"),
    "cntrl": ("\\x00-\\x1f\\x7f", "\\x00-\\x1f\\x7f" + _BEYOND),
    "print": (" -~", " -~" + _BEYOND),
    "graph": ("!-~", "!-~" + _BEYOND),
    "word": ("A-Za-z0-9_", "A-Za-z0-9_" + _BEYOND),
    "decimal": ("0-9", "\\d"),
}
"""What a class holds at least, and at most; the last two are `\\w` and `\\d`."""


class Dialect(StrEnum):
    """How a pattern is written."""

    BASIC = "basic"
    EXTENDED = "extended"
    FIXED = "fixed"
    PERL = "perl"
    RUST = "rust"
    """As `rg` reads it."""


class Matching(NamedTuple):
    """How the patterns of one command are to be found."""

    dialect: Dialect = Dialect.BASIC
    ignore_case: bool = False
    whole_words: bool = False
    whole_lines: bool = False
    wide: bool = False
    """Take what a locale decides as matching: right where the pattern must be absent."""


class NoPattern(NamedTuple):
    """Why there is no such Python pattern."""

    why: str


def to_python(patterns: Sequence[str], how: Matching) -> str | NoPattern:
    """Give one Python regular expression that is found on the lines any of these patterns is found on.

    A pattern that is found on an empty line is refused: the end of every file is one to a `grep-match`.
    """
    # grep takes each line of a pattern for a pattern of its own.
    lines = [line for pattern in patterns for line in pattern.split("\n")]
    try:
        parts = [_fixed(line) if how.dialect is Dialect.FIXED else _Reader(line, how).all() for line in lines]
    except _Refused as refused:
        return NoPattern(str(refused))
    if any(part.is_empty for part in parts):
        return NoPattern("the pattern is found on an empty line, and so in every file")
    joined = "|".join(part.text for part in parts)
    if how.whole_lines:
        joined = f"^(?:{joined})$"
    elif how.whole_words:
        joined = rf"(?<!\w)(?:{joined})(?!\w)"
    return ("(?i)" if how.ignore_case else "") + joined


class _Refused(Exception):  # noqa: N818  # it says what was met, and never leaves this module
    pass


class _Part(NamedTuple):
    """A piece of the Python pattern."""

    text: str
    is_empty: bool
    """Whether it can match nothing at all."""
    is_anchor: bool = False
    """It matches a place, which not every dialect can repeat."""


def literal(text: str) -> str:
    """Give the Python pattern that is found where exactly this text stands."""
    return "".join(map(_literal, text))


def _fixed(line: str) -> _Part:
    return _Part(literal(line), not line)


def _literal(char: str) -> str:
    return "\\" + char if char in _SPECIAL else char


class _Reader:
    """Reads one pattern from left to right."""

    def __init__(self, pattern: str, how: Matching) -> None:
        self.text = pattern
        self.at = 0
        self.depth = 0
        self.wide = how.wide
        self.dialect = how.dialect
        self.is_basic = how.dialect is Dialect.BASIC
        self.is_modern = how.dialect in (Dialect.PERL, Dialect.RUST)

    def all(self) -> _Part:
        part = self._alternatives()
        if self.at < len(self.text):
            raise _Refused("a parenthesis of the pattern is never opened")
        return part

    def _next_is(self, mark: str) -> bool:
        """Say whether an operator comes next; in a basic pattern it is written with a backslash."""
        return self.text.startswith("\\" + mark if self.is_basic else mark, self.at)

    def _take(self, mark: str) -> bool:
        found = self._next_is(mark)
        self.at += (len(mark) + self.is_basic) * found
        return found

    def _alternatives(self) -> _Part:
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        return _Part("|".join(b.text for b in branches), any(b.is_empty for b in branches))

    def _branch(self) -> _Part:
        parts: list[_Part] = []
        while self.at < len(self.text) and not self._next_is("|") and not self._next_is(")"):
            parts.append(self._repeated(self._atom(is_first=not parts)))
        return _Part("".join(p.text for p in parts), all(p.is_empty for p in parts))

    def _atom(self, *, is_first: bool) -> _Part:
        if self._take("("):
            return self._group()
        char = self.text[self.at]
        self.at += 1
        match char:
            case "\\":
                return self._escape()
            case "[":
                return self._brackets()
            case ".":
                return _Part(".", is_empty=False)
            case "^" if not self.is_basic or (is_first and self._may_anchor()):
                return _Part("^", is_empty=True, is_anchor=True)
            case "$" if not self.is_basic or self._branch_ends():
                return _Part("$", is_empty=True, is_anchor=True)
            case "*" if self.is_basic and is_first:
                return _Part(r"\*", is_empty=False)
            case "*" | "+" | "?" if char == "*" or not self.is_basic:
                raise _Refused(f"`{char}` in the pattern repeats nothing")
            case "{" if not self.is_basic and (self._interval() or self._is_strict_about_braces(is_first)):
                raise _Refused("`{` in the pattern repeats nothing")
            case _:
                return _Part(_literal(char), is_empty=False)

    def _is_strict_about_braces(self, is_first: bool) -> bool:
        """Say whether a brace that counts nothing is an error: grep loses its way at the start of a group."""
        is_inside = is_first and self.at > 1
        return self.dialect is Dialect.RUST or (self.dialect is Dialect.EXTENDED and is_inside)

    def _may_anchor(self) -> bool:
        before = self.text[: self.at - 1]
        return not before or before.endswith(("\\(", "\\|"))

    def _branch_ends(self) -> bool:
        return self.at == len(self.text) or self.text.startswith(("\\)", "\\|"), self.at)

    def _group(self) -> _Part:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Refused("the pattern has too many parentheses inside each other")
        opening, looks_around = "(?:", False
        if self.is_modern and self.text.startswith("?", self.at):
            mark = re.compile(r"\?(?::|=|!|<=|<!)").match(self.text, self.at)
            if mark is None or (self.dialect is Dialect.RUST and mark.group() != "?:"):
                raise _Refused("a group of the pattern begins with `(?`, which has no safe translation")
            opening, looks_around = "(" + mark.group(), mark.group() != "?:"
            self.at = mark.end()
        inner = self._alternatives()
        if not self._take(")"):
            raise _Refused("a parenthesis of the pattern is never closed")
        self.depth -= 1
        return _Part(f"{opening}{inner.text})", looks_around or inner.is_empty, looks_around)

    def _repeated(self, part: _Part) -> _Part:
        count = 0
        while mark := self._quantifier():
            if part.is_anchor:
                raise _Refused("the pattern repeats a place, which greps read differently")
            if count and self.is_modern:
                raise _Refused("the pattern repeats a repetition, which greps read differently")
            text = f"(?:{part.text})" if count else part.text
            part = _Part(text + mark.text, part.is_empty or mark.is_empty)
            count += 1
            if self.is_modern and self.text.startswith(("?", "+"), self.at):
                if self.text[self.at] == "+":
                    raise _Refused("a repetition of the pattern gives nothing back (`+` after it)")
                self.at += 1  # a lazy repetition is found on the same lines
        return part

    def _quantifier(self) -> _Part | None:
        if self.text.startswith("*", self.at):
            self.at += 1
            return _Part("*", is_empty=True)
        for mark in "+?":
            if self._take(mark):
                return _Part(mark, is_empty=mark == "?")
        if self._next_is("{"):
            self.at += 1 + self.is_basic
            if found := self._interval():
                self.at = found.end() + 1 + self.is_basic
                return self._bounds(found)
            is_bad = self.dialect is Dialect.EXTENDED and self.text.startswith("}", self.at)
            if is_bad or self.is_basic or self.dialect is Dialect.RUST:
                raise _Refused("a repetition in braces of the pattern is not complete")
            self.at -= 1  # no repetition: a brace like any other character
        return None

    def _interval(self) -> re.Match[str] | None:
        """Give the bounds that begin here, if a closing brace follows them."""
        found = _INTERVAL.match(self.text, self.at)
        closes = found and self.text.startswith("\\}" if self.is_basic else "}", found.end())
        return found if found and found.group() and closes else None

    def _bounds(self, found: re.Match[str]) -> _Part:
        low, comma, high = found.groups()
        if not low and (self.is_modern or not high):
            raise _Refused("a repetition of the pattern has no lower bound")
        if any(len(bound) > 5 or int(bound or 0) > MAX_REPEAT for bound in (low, high)):
            raise _Refused("a repetition of the pattern is too large")
        if high and int(low or 0) > int(high):
            raise _Refused("a repetition of the pattern ends below its beginning")
        return _Part(f"{{{low or 0}{comma}{high}}}", int(low or 0) == 0)

    def _escape(self) -> _Part:
        if self.at == len(self.text):
            raise _Refused("the pattern ends in a backslash")
        char = self.text[self.at]
        self.at += 1
        match char:
            case "w" | "W" | "s" | "S":
                return _Part(self._named("word" if char in "wW" else "space", char.isupper()), is_empty=False)
            case "d" | "D" if self.is_modern:
                return _Part(self._named("decimal", char.isupper()), is_empty=False)
            case "b" | "B":
                return _Part("\\" + char, is_empty=True, is_anchor=True)
            case "<" | ">" if self.dialect is not Dialect.PERL:
                return _Part(r"\b(?=\w)" if char == "<" else r"\b(?<=\w)", is_empty=True, is_anchor=True)
            case "t" if self.is_modern:
                return _Part("\\t", is_empty=False)
            case "+" | "?" | "{" | "}" if self.is_basic:
                raise _Refused(f"`\\{char}` in the pattern repeats nothing")
            case _ if char.isdigit():
                raise _Refused(f"the pattern refers back to a group (`\\{char}`)")
            case _ if char.isalnum() or char in "`'" or not (char.isascii() and char.isprintable()):
                raise _Refused(f"`\\{char}` in the pattern is not the same everywhere")
            case _:
                return _Part(_literal(char), is_empty=False)

    def _named(self, name: str, negated: bool) -> str:
        return f"[{'^' * negated}{_CLASSES[name][self.wide != negated]}]"

    def _brackets(self) -> _Part:
        negated = self._skip("^")
        wide = self.wide != negated
        if self.text.startswith(":", self.at) and re.compile(r":\w+:\]").match(self.text, self.at):
            raise _Refused("a class like `[:space:]` stands without its outer brackets")
        items: list[str] = []
        while not items or not self.text.startswith("]", self.at):
            items.append(self._item(wide=wide))
        self.at += 1
        return _Part(f"[{'^' * negated}{''.join(items)}]", is_empty=False)

    def _skip(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.at)
        self.at += found
        return found

    def _item(self, *, wide: bool) -> str:
        if self.text.startswith(("[.", "[="), self.at):
            raise _Refused("the pattern names a collating element")
        if self.text.startswith("[:", self.at):
            found = re.compile(r"\[:([a-z]+):\]").match(self.text, self.at)
            if found is None or found[1] not in _CLASSES or found[1] in ("word", "decimal"):
                raise _Refused("the pattern has a class in brackets that grep does not know")
            self.at = found.end()
            return self._no_range(_CLASSES[found[1]][wide])
        if self.is_modern and (item := self._escaped_class(wide=wide)):
            return self._no_range(item)
        first = self._bracket_char()
        if not self.text.startswith("-", self.at) or self.text.startswith("]", self.at + 1):
            return _in_class(first)
        self.at += 1
        if self.text.startswith("[", self.at):
            raise _Refused("a range of the pattern has no plain end")
        last = self._bracket_char()
        if first > last:
            raise _Refused("a range of the pattern ends before it begins")
        return f"{_in_class(first)}-{_in_class(last)}"

    def _no_range(self, item: str) -> str:
        if self.text.startswith("-", self.at) and not self.text.startswith("]", self.at + 1):
            raise _Refused("a range of the pattern has no plain end")
        return item

    def _escaped_class(self, *, wide: bool) -> str:
        found = re.compile(r"\\([wsdWSD])").match(self.text, self.at)
        if found is None:
            return ""
        if found[1].isupper():
            # What is not in a class cannot be listed narrowly; [\s\S] is what people mean by it.
            raise _Refused(f"`\\{found[1]}` stands in brackets")
        self.at = found.end()
        return _CLASSES[{"w": "word", "s": "space", "d": "decimal"}[found[1]]][wide]

    def _bracket_char(self) -> str:
        if self.at >= len(self.text):
            raise _Refused("a bracket of the pattern is never closed")
        char = self.text[self.at]
        self.at += 1
        if not self.is_modern:
            return char
        if self.dialect is Dialect.RUST and self.text.startswith(("[", "&&", "--", "~~"), self.at - 1):
            raise _Refused("brackets of the pattern hold a set operation")
        if char != "\\":
            return char
        if self.at >= len(self.text) or self.text[self.at].isalnum() or not self.text[self.at].isascii():
            raise _Refused("brackets of the pattern hold an escape that has no safe translation")
        self.at += 1
        return self.text[self.at - 1]


def _in_class(char: str) -> str:
    return "\\" + char if char in _SPECIAL_IN_CLASS else char
