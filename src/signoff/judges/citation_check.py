"""Verification of a citation: whether a document has an excerpt at a line or in a section.

Pure; `signoff cite` reads the document and calls it. The excerpt is the text from the anchor to the next
blank line, ten lines at most. It is compared byte for byte with the expected one.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

MAX_LINES: Final = 10
EXTENSIONS: Final = (".md", ".txt")

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|\Z)")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Cited(StrEnum):
    """The outcomes of a citation."""

    OK = "ok"
    LOCATOR_MISSING = "locator_missing"
    LOCATOR_OUT_OF_RANGE = "locator_out_of_range"
    BLANK_ANCHOR = "blank_anchor"
    SECTION_NOT_FOUND = "section_not_found"
    SECTION_AMBIGUOUS = "section_ambiguous"
    INVALID_UTF8 = "invalid_utf8"
    UNSUPPORTED_EXTENSION = "unsupported_extension"
    HASH_MISMATCH = "hash_mismatch"
    DOCUMENT_NOT_FOUND = "document_not_found"
    DOCUMENT_OUT_OF_ROOT = "document_out_of_root"
    EXCERPT_MISMATCH = "excerpt_mismatch"


class Locator(NamedTuple):
    """A place in a document and what is expected there. None means not stated."""

    line: int | None = None
    section: str | None = None
    sha256: str | None = None
    excerpt: str | None = None


class CitationOutcome(NamedTuple):
    """The outcome. The excerpt is the text of the document, also if another one was expected."""

    code: Cited
    excerpt: str | None = None
    line: int | None = None
    """The anchor, counted from 1."""
    warnings: tuple[str, ...] = ()
    sha256: str | None = None
    """Of the document as it is."""


class _Section(NamedTuple):
    """A heading, or a plain line that begins like one."""

    start: int
    level: int
    text: str


def is_supported(path: str) -> bool:
    """Check whether this is a kind of document that can be cited."""
    return path.lower().endswith(EXTENSIONS)


def cite(data: bytes, locator: Locator, *, is_markdown: bool) -> CitationOutcome:
    """Verify one citation of a document, without raising on any bytes. The code is the first thing wrong."""
    digest = hashlib.sha256(data).hexdigest()
    if locator.sha256 is not None and locator.sha256.strip().lower().removeprefix("sha256:") != digest:
        return CitationOutcome(Cited.HASH_MISMATCH, sha256=digest)
    try:
        text = data.removeprefix(_BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError:
        return CitationOutcome(Cited.INVALID_UTF8, sha256=digest)
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
    found = _anchored(lines, locator, is_markdown=is_markdown)._replace(sha256=digest)
    # Compare every byte except line ends and one final newline, which a shell may change.
    if (
        found.code is Cited.OK
        and locator.excerpt is not None
        and locator.excerpt.replace("\r\n", "\n").removesuffix("\n") != found.excerpt
    ):
        return found._replace(code=Cited.EXCERPT_MISMATCH)
    return found


def _anchored(lines: Sequence[str], locator: Locator, *, is_markdown: bool) -> CitationOutcome:
    # A section as headings are compared: without its marks and with single blanks.
    section = " ".join((locator.section or "").strip().lstrip("#").split())
    if locator.line is None and not section:
        return CitationOutcome(Cited.LOCATOR_MISSING)
    if locator.line is None:
        found = _find(lines, section, is_markdown=is_markdown)
        return found if isinstance(found, CitationOutcome) else _excerpt(lines, found.start)
    if not 1 <= locator.line <= len(lines):
        return CitationOutcome(Cited.LOCATOR_OUT_OF_RANGE)
    warnings = _disagreement(lines, locator.line, section, is_markdown=is_markdown) if section else ()
    return _excerpt(lines, locator.line)._replace(warnings=warnings)


def _excerpt(lines: Sequence[str], anchor: int) -> CitationOutcome:
    if not lines[anchor - 1].strip():
        return CitationOutcome(Cited.BLANK_ANCHOR, line=anchor)
    taken: list[str] = []
    for line in lines[anchor - 1 : anchor - 1 + MAX_LINES]:
        if not line.strip():
            break
        taken.append(line)
    return CitationOutcome(Cited.OK, "\n".join(taken), anchor)


def _disagreement(lines: Sequence[str], line: int, section: str, *, is_markdown: bool) -> tuple[str, ...]:
    """Return a warning if the line is not in the section. The line wins."""
    found = _find(lines, section, is_markdown=is_markdown)
    if isinstance(found, CitationOutcome):
        return (f"{found.code}: the line was used",)
    if found.start <= line < _end(lines, found):
        return ()
    return (f"line {line} is not in that section, which begins at line {found.start}; the line was used",)


# --- sections ---


def _find(lines: Sequence[str], section: str, *, is_markdown: bool) -> _Section | CitationOutcome:
    """Find the one place that is meant, or return why there is none.

    An exact heading wins over a heading that begins with the section, and that over a plain line. Two places
    of the same rank are ambiguous.
    """
    headings = list(_headings(lines)) if is_markdown else []
    plain = (
        _Section(n, 7, " ".join(line.split())) for n, line in _outside_fences(lines, is_markdown=is_markdown)
    )
    for candidates in (
        [one for one in headings if one.text == section],
        [one for one in headings if _begins(one.text, section)],
        [one for one in plain if _begins(one.text, section)],
    ):
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            return CitationOutcome(Cited.SECTION_AMBIGUOUS)
    return CitationOutcome(Cited.SECTION_NOT_FOUND)


def _begins(text: str, section: str) -> bool:
    return text == section or text.startswith(section + " ")


def _end(lines: Sequence[str], section: _Section) -> int:
    """Return the line after a section: the next heading that is not below it, or the next blank line."""
    if section.level <= 6:
        after = (
            one.start for one in _headings(lines) if one.start > section.start and one.level <= section.level
        )
        return next(after, len(lines) + 1)
    blank = (n for n in range(section.start + 1, len(lines) + 1) if not lines[n - 1].strip())
    return next(blank, len(lines) + 1)


def _headings(lines: Sequence[str]) -> Iterator[_Section]:
    before = (0, "")
    for n, line in _outside_fences(lines, is_markdown=True):
        if found := _HEADING.match(line):
            text = " ".join(line[found.end() :].split())
            yield _Section(n, len(found[1]), re.sub(r"(?:^|\s)#+\Z", "", text).strip())
        elif (under := _UNDERLINE.fullmatch(line)) and before[0] == n - 1 and before[1].strip():
            yield _Section(n - 1, 1 if under[1][0] == "=" else 2, " ".join(before[1].split()))
        before = (n, "" if found else line)


def _outside_fences(lines: Sequence[str], *, is_markdown: bool) -> Iterator[tuple[int, str]]:
    fence = ""
    for n, line in enumerate(lines, 1):
        found = _FENCE.match(line) if is_markdown else None
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
        elif found:
            fence = found[1]
        else:
            yield n, line
