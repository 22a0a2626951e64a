"""Split a ticket written in Markdown by its headings and lists.

Pure. Not a Markdown renderer: it knows frontmatter, headings, list items, fences and comments, which is what
tells a title, the acceptance criteria and the rest apart.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from signoff.text.lazy_patterns import pattern

_HEADING = pattern(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = pattern(r" {0,3}(=+|-{2,})[ \t]*")
_BOLD = pattern(r"(?:\*\*|__)(?=\S)([^*_]+)(?:\*\*|__)")
_RULE = pattern(r"\s*([-*_])(?:[ \t]*\1){2,}[ \t]*")
_ITEM = pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]*)?(.*)")
_FENCE = pattern(r"\s*(`{3,}|~{3,})")
_COMMENT = pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CRITERIA = pattern(r"\W*acceptance criteri(?:a|on)\b.{0,20}", re.IGNORECASE)
_LABELLED_ID = pattern(
    r"(?:\[([A-Z][A-Z0-9_]*-\d+|#\d+)\]|([A-Z][A-Z0-9_]*-\d+)(?=\s*:)|(#\d+)(?!\w))\s*:?\s*"
)
_FRONT_KEY = pattern(r"(id|title)[ \t]*:[ \t]*(.*)", re.IGNORECASE)

_LABEL: Final = 7
"""The level of a bold line or a line with a colon that does the work of a heading."""


_LONGEST_LABEL: Final = 40


class Page(NamedTuple):
    """A ticket in the parts its writer gave it."""

    id: str
    title: str
    body: str
    criteria: tuple[str, ...]


class _Kind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    TEXT = "text"
    BLANK = "blank"
    HIDDEN = "hidden"
    """Inside a comment: not seen by a reader of the page."""


class _TicketLine(NamedTuple):
    kind: _Kind
    raw: str
    text: str = ""
    level: int = 0


def read_page(text: str) -> Page:
    """Split a whole ticket into its parts."""
    front, lines = _frontmatter(_lines(text))
    marked = list(_marked(lines))
    title_at = None if front.get("title") else _title_at(marked)
    name, heading = _labelled(marked[title_at].text) if title_at is not None else ("", "")
    criteria, rest = _split([line for n, line in enumerate(marked) if n != title_at])
    return Page(front.get("id") or name, front.get("title") or heading, "\n".join(rest).strip(), criteria)


_BOX = pattern(r"[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+(\S.*)")


def take_criteria(text: str) -> tuple[tuple[str, ...], str]:
    """Return the acceptance criteria under their headings, and the text without those sections."""
    criteria, rest = _split(list(_marked(_lines(text))))
    return criteria or _ticked(text), "\n".join(rest).strip()


def _ticked(text: str) -> tuple[str, ...]:
    """Return the items of a task list.

    Boxes to be ticked are criteria, with a heading or without one.
    """
    found = (_BOX.match(line) for line in _lines(text))
    return tuple(" ".join(box[1].split()) for box in found if box is not None)


def read_items(text: str) -> tuple[str, ...]:
    """Split a list that was given as one text.

    Without any bullet, each paragraph is an item.
    """
    collected = _Items()
    for line in _marked(_lines(text)):
        collected.see(line)
    return collected.done()[0]


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _frontmatter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the fields between the first two `---`, and the lines after them."""
    if lines[0].rstrip() != "---":
        return {}, lines
    end = next((n for n, line in enumerate(lines[1:], start=1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return {}, lines
    found: dict[str, str] = {}
    for line in lines[1:end]:
        if match := _FRONT_KEY.fullmatch(line.rstrip()):
            value = match[2]
            closing = value.find(value[0], 1) if value[:1] in ('"', "'") else 0
            plain = value[1:closing] if closing > 0 else value.partition(" #")[0]
            found[match[1].lower()] = plain.strip()
    return found, lines[end + 1 :]


def _title_at(lines: list[_TicketLine]) -> int | None:
    """Find the first heading of level 1, or one of any level that opens the page."""
    headings = [n for n, line in enumerate(lines) if line.kind is _Kind.HEADING and line.level < _LABEL]
    for n in headings:
        is_first = all(line.kind in (_Kind.BLANK, _Kind.HIDDEN) for line in lines[:n])
        if (lines[n].level == 1 or is_first) and not _CRITERIA.fullmatch(lines[n].text):
            return n
    return None


def _labelled(heading: str) -> tuple[str, str]:
    """Split `ABC-12: Title` into id and title.

    A colon is needed: `UTF-8 is lost` is all title.
    """
    match = _LABELLED_ID.match(heading)
    if not match:
        return "", heading
    return match[1] or match[2] or match[3], heading[match.end() :]


def _split(lines: list[_TicketLine]) -> tuple[tuple[str, ...], list[str]]:
    """Return the items of every section of acceptance criteria, and all lines outside them.

    A section begins at a heading with a known name and ends at the next heading of its level or above. A
    label before its first item only introduces the items.
    """
    criteria: list[str] = []
    rest: list[str] = []
    section: _Items | None = None
    level = 0
    for line in (*lines, _TicketLine(_Kind.HEADING, "")):
        # "Criteria:" may be followed by "All of these must hold:", and only then by the items.
        is_intro = section is not None and line.level == _LABEL and not section.has_items
        if line.kind is _Kind.HEADING and section and line.level <= level and not is_intro:
            items, strays = section.done()
            criteria += items
            rest += strays
            section = None
        if line.kind is _Kind.HEADING and _CRITERIA.fullmatch(line.text):
            section, level = section or _Items(), line.level
        elif section and line.kind is not _Kind.HEADING:
            section.see(line)
        else:
            rest.append(line.raw)
    return tuple(criteria), rest


class _Items:
    """A collector of list items with the lines that continue them, and of the lines in between."""

    def __init__(self) -> None:
        self._items: list[list[str]] = []
        self._strays: list[str] = []
        self._is_open = False
        self._after_blank = False

    def see(self, line: _TicketLine) -> None:
        """Take one line."""
        match line.kind:
            case _Kind.ITEM:
                self._items.append([line.text])
                self._is_open = True
            case _Kind.BLANK:
                self._strays.append("")
            case _Kind.HIDDEN:
                pass
            case _Kind.TEXT if self._is_open and not (self._after_blank and line.raw[:1].strip()):
                self._items[-1].append(line.raw.strip())
            case _Kind.TEXT | _Kind.HEADING:
                self._is_open = False
                self._strays.append(line.raw)
        self._after_blank = line.kind is _Kind.BLANK

    @property
    def has_items(self) -> bool:
        """Whether an item has been seen."""
        return bool(self._items)

    def done(self) -> tuple[tuple[str, ...], list[str]]:
        """Return the items, and the lines that belong to no item."""
        items = tuple(filter(None, (_joined(item) for item in self._items)))
        strays = "\n".join(self._strays).strip("\n")
        if items:
            return items, strays.split("\n") if strays else []
        paragraphs = re.split(r"\n{2,}", strays)
        return tuple(filter(None, (_joined(part.split("\n")) for part in paragraphs))), []


def _joined(lines: list[str]) -> str:
    return " ".join(_COMMENT.sub(" ", " ".join(lines)).split())


def _marked(lines: list[str]) -> Iterator[_TicketLine]:
    """Yield each line with what it is: heading, item, text, or inside a fence or comment.

    Fences and comments are tracked first, because nothing inside one is a heading or an item.
    """
    fence = ""
    in_comment = False
    skip = False
    for n, raw in enumerate(lines):
        after = lines[n + 1] if n + 1 < len(lines) else ""
        opening = _FENCE.match(raw)
        if skip:
            skip = False
        elif in_comment:
            in_comment = "-->" not in raw
            yield _TicketLine(_Kind.HIDDEN, raw)
        elif fence:
            if opening and opening[1].startswith(fence) and not raw.strip().strip(fence[0]):
                fence = ""
            yield _TicketLine(_Kind.TEXT, raw)
        elif opening:
            fence = opening[1]
            yield _TicketLine(_Kind.TEXT, raw)
        elif raw.lstrip().startswith("<!--"):
            in_comment = "-->" not in raw
            yield _TicketLine(_Kind.HIDDEN, raw)
        else:
            line = _line(raw, after)
            skip = line.kind is _Kind.HEADING and line.level < _LABEL and not raw.lstrip().startswith("#")
            yield line


def _line(raw: str, after: str) -> _TicketLine:
    # A bold line, or a short one that ends in a colon, is a label: a heading below those of Markdown.
    words = raw.strip()
    label = words.rstrip(": ")
    if not words or _RULE.fullmatch(raw):
        return _TicketLine(_Kind.BLANK, raw)
    if match := _HEADING.match(raw):
        return _TicketLine(_Kind.HEADING, raw, _without_closing(raw[match.end() :].strip()), len(match[1]))
    if match := _ITEM.fullmatch(raw):
        return _TicketLine(_Kind.ITEM, raw, match[1])
    if (match := _UNDERLINE.fullmatch(after)) and raw[0].strip():
        return _TicketLine(_Kind.HEADING, raw, words, 1 if match[1][0] == "=" else 2)
    if match := _BOLD.fullmatch(label):
        return _TicketLine(_Kind.HEADING, raw, match[1].rstrip(": "), _LABEL)
    if words.endswith(":") and raw[0].strip() and len(label) <= _LONGEST_LABEL:
        return _TicketLine(_Kind.HEADING, raw, label, _LABEL)
    return _TicketLine(_Kind.TEXT, raw)


def _without_closing(heading: str) -> str:
    """Return a heading without the `#`s that may close it."""
    bare = heading.rstrip("#")
    return bare.rstrip() if not bare or bare[-1].isspace() else heading
