"""Texts and exact values in Markdown, written so that they can be read back. Pure.

The page of a contract writes through here and the compiler reads through here, so one cannot learn a way of
quoting that the other does not know. A text keeps its Markdown as it was typed, code spans included. Only
backslash escapes and character references outside code spans are resolved. An exact value (a path, a
pattern) is the inside of a code span.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from signoff.text.lazy_patterns import pattern

EMPTY: Final = '""'
"""The form of an empty value. A text of two quotes is written with a backslash."""

MARKER: Final = "(id:"
"""The opening of what stands behind a criterion. In a text it is always escaped."""

_NOTHING: Final = frozenset({"", "none", "none.", "n/a", "-", "—", "nothing"})

_RUN = pattern("`+")
_RUN_OR_ESCAPE = pattern(r"\\.|`+", re.DOTALL)
_WRITTEN = pattern(r"\\([!-/:-@\[-`{-~])|&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PUNCTUATION = pattern(r"[!-/:-@\[-`{-~]")
_NUMBERED = pattern(r"([0-9]{1,9})([.)])")
_LAST_CODE_POINT: Final = 0x10FFFF


class Piece(NamedTuple):
    """A code span with its backticks, or what stands between two of them."""

    is_code: bool
    source: str


def pieces(source: str, *, escapes: bool = True) -> Iterator[Piece]:
    """Split at code spans. Without `escapes` a backslash before a backtick is only a backslash."""
    closers: dict[int, list[int]] = {}
    for run in _RUN.finditer(source):
        closers.setdefault(len(run[0]), []).append(run.start())
    begin = at = 0
    while mark := (_RUN_OR_ESCAPE if escapes else _RUN).search(source, at):
        at = mark.end()
        if mark[0].startswith("\\"):
            continue
        size = len(mark[0])
        starts = closers.get(size, [])
        closer = bisect_left(starts, at)
        if closer == len(starts):
            continue
        if begin < mark.start():
            yield Piece(is_code=False, source=source[begin : mark.start()])
        begin, at = mark.start(), starts[closer] + size
        yield Piece(is_code=True, source=source[begin:at])
        begin = at
    if begin < len(source):
        yield Piece(is_code=False, source=source[begin:])


def read_text(source: str) -> str:
    """Return the text that was written. The inverse of `written_text`."""
    if source == EMPTY:
        return ""
    return "".join(
        piece.source if piece.is_code else _WRITTEN.sub(_resolved, piece.source) for piece in pieces(source)
    )


def written_text(text: str) -> str:
    """Return a text as part of one line: no HTML, no link, nothing that opens a block, nothing lost.

    Characters that mean something anywhere are escaped first, then those that mean something only at the
    start or the end of a line.
    """
    parts = []
    for is_code, source in pieces(text, escapes=False):
        keeps = is_code and MARKER not in source and not any(is_odd(c) for c in source)
        parts.append(source if keeps else _escaped(source))
    line = "".join(parts)
    if line.endswith(" "):
        line = f"{line[:-1]}&#32;"
    if line.startswith(" "):
        line = f"&#32;{line[1:]}"
    elif line and says_nothing(line):
        line = f"&#{ord(line[0])};{line[1:]}"
    elif _PUNCTUATION.match(line) and line[0] not in "\\`&":
        line = f"\\{line}"
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if _NUMBERED.match(line) else line or EMPTY


def read_item(source: str) -> str:
    """Return an exact value: the inside of a code span, or a bare word. The inverse of `written_item`."""
    source = source.strip(" \t")
    found = list(pieces(source))
    return code_in(source) if len(found) == 1 and found[0].is_code else read_text(source)


def written_item(value: str) -> str:
    """Return an exact value as a code span, or as one escaped word where a span cannot hold it."""
    if not value.strip(" ") or MARKER in value or any(is_odd(c) for c in value):
        return "".join(_word(c) for c in value) or EMPTY
    ticks = "`" * (1 + max((len(run) for run in _RUN.findall(value)), default=0))
    pads = "`" in (value[0], value[-1]) or (value[0] == value[-1] == " ")
    pad = " " if pads else ""
    return f"{ticks}{pad}{value}{pad}{ticks}"


def says_nothing(source: str) -> bool:
    """Check whether a value says that there is nothing, such as `none`. A code span always is a value."""
    return source.strip(" \t").casefold() in _NOTHING


def is_odd(c: str) -> bool:
    """Check whether Markdown would drop, fold or break at this character, or a terminal obey it."""
    is_override = "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"
    return (c.isspace() and c != " ") or c < " " or "\x7f" <= c <= "\x9f" or is_override


def code_in(span: str) -> str:
    """Return what stands inside a code span, as CommonMark reads it."""
    size = len(span) - len(span.lstrip("`"))
    inside = span[size:-size].replace("\n", " ")
    if inside.strip(" ") and inside[0] == inside[-1] == " ":
        return inside[1:-1]
    return inside


def split(source: str, separator: str) -> list[str]:
    """Split at each separator outside code spans that is not escaped. Drop blank parts."""
    parts = [""]
    mark = re.compile(rf"\\.|&#[0-9]{{1,7}};|{re.escape(separator)}", re.DOTALL)
    for is_code, text in pieces(source):
        if is_code:
            parts[-1] += text
            continue
        begin = 0
        for found in mark.finditer(text):
            if found[0] == separator:
                parts[-1] += text[begin : found.start()]
                parts.append("")
                begin = found.end()
        parts[-1] += text[begin:]
    return [part for part in (part.strip(" \t") for part in parts) if part]


def _word(c: str) -> str:
    if c == " " or is_odd(c):
        return f"&#{ord(c)};"
    return f"\\{c}" if _PUNCTUATION.match(c) and c not in "/_" else c


def _escaped(text: str) -> str:
    text = re.sub(r"[\\`<\[]|&(?=[A-Za-z#])|(?:(?<= )|^)#|\((?=id:)", lambda found: f"\\{found[0]}", text)
    return "".join(f"&#{ord(c)};" if is_odd(c) else c for c in text)


def _resolved(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    name = found[2]
    if not name.startswith("#"):
        import html  # its table of names is large, and few texts hold one

        return html.unescape(found[0])
    number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    is_character = number <= _LAST_CODE_POINT and not 0xD800 <= number <= 0xDFFF
    return chr(number) if is_character else found[0]
