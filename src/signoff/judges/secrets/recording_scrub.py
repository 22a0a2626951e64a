"""Remove credentials from a recording so that it can still be played. Pure.

A patch has to apply afterwards: a line stays a line, and what the base holds already is left alone, since the
patch would not fit otherwise and the repository has it anyway. Binary changes are not looked into.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from signoff.text.formats.unified_diff import unquoted
from signoff.text.redaction import MARK, Redaction, redact, redaction

InBase = Callable[[str, bytes], bool]
"""Whether the base's file of that path holds these bytes."""

_SECTION = re.compile(rb"(?m)^(?=diff --git )")
_NAME = re.compile(rb"(?m)^(?:---|\+\+\+) (\"?[ab]/.*?)\t?$")
_IN_HUNK = (b"+", b"-", b" ")


class ScrubbedPatch(NamedTuple):
    """A patch without credentials, and the files from which one was taken."""

    text: str
    paths: tuple[str, ...]


def scrub_text(text: str, values: Iterable[str]) -> str:
    """Return a text without known values and without anything shaped like a provider's secret."""
    return redact(text.encode("utf-8", "surrogateescape"), values).decode("utf-8", "replace")


def scrub_json(data: bytes, values: Iterable[str]) -> bytes:
    """Return a JSON document with its strings scrubbed.

    It is the same byte for byte if there is nothing to scrub.
    """
    values = tuple(values)
    if redact(data, values) == data:
        return data
    return msgspec.json.encode(_scrubbed(msgspec.json.decode(data), values))


def _scrubbed(value: object, values: tuple[str, ...]) -> object:
    match value:
        case str():
            return scrub_text(value, values)
        case list():
            return [_scrubbed(each, values) for each in value]
        case dict():
            return {scrub_text(str(name), values): _scrubbed(each, values) for name, each in value.items()}
        case _:
            return value


def scrub_patch(patch: str, values: Iterable[str], in_base: InBase) -> ScrubbedPatch:
    """Return a patch that makes the same changes without the credentials, and still applies."""
    data = patch.encode("utf-8", "surrogateescape")
    rules = redaction(values)
    if not any(opening in data for opening, _ in rules.openings):
        return ScrubbedPatch(patch, ())
    parts: list[bytes] = []
    paths: list[str] = []
    for section in _SECTION.split(data):
        names = tuple(_names(section))
        cleaned = _scrub_section(section, rules, names, in_base)
        if cleaned != section:
            paths.append(names[-1] if names else "a file")
        parts.append(cleaned)
    return ScrubbedPatch(b"".join(parts).decode("utf-8", "surrogateescape"), tuple(paths))


def _names(section: bytes) -> Iterator[str]:
    """Yield the names of the file of a section, before and after."""
    head = section.partition(b"\n@@")[0]
    for found in _NAME.findall(head):
        yield unquoted(found.decode("utf-8", "surrogateescape"))[2:]


def _scrub_section(section: bytes, rules: Redaction, names: tuple[str, ...], in_base: InBase) -> bytes:
    head, mark, hunks = section.partition(b"\n@@")
    if b"\nGIT binary patch\n" in section or not mark:
        return section

    def replaced(found: re.Match[bytes]) -> bytes:
        first, *more = found[0].split(b"\n")
        said = b"\n".join((first, *(line[1:] for line in more)))
        if any(in_base(name, said) for name in names):
            return found[0]
        # As many lines as before, each with its sign: the numbers at the head of the hunk must stay true.
        rest = (line[:1] + MARK if line.startswith(_IN_HUNK) else line for line in more)
        return b"\n".join((MARK, *rest))

    return head + mark + re.sub(rules.pattern, replaced, hunks)
