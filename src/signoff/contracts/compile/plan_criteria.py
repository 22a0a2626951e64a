"""Criteria, non-goals and stop conditions of a plan, with what stands behind their text. Pure.

A bullet may end in `(id: `C1`; method: manual; proven by: `T1/check-1`)`. Then it becomes an object with
that id, otherwise a plain text. The plan reader calls it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from signoff.contracts.compile.plan_outline import Block, BlockKind, Part
from signoff.text.json.camel_case import JsonObject
from signoff.text.plan_prose import MARKER, pieces, read_item, read_text, says_nothing, split

_BOX = re.compile(r"\A\[[ xX]\](?:[ \t]+|$)")


class EntryReader(NamedTuple):
    """The field that a name behind a text fills, and how its value is read."""

    field: str
    read: Callable[[str], Any]


class _Entry(NamedTuple):
    """One thing said behind a text: its name, and its value as written."""

    name: str
    value: str


def items(parts: Iterable[Part]) -> tuple[Block, ...]:
    """Return the bullets without their boxes, or the paragraphs if there is no bullet. `none` is left out."""
    blocks = [block for part in parts for block in part.blocks if block.kind is not BlockKind.CODE]
    bullets = [block for block in blocks if block.kind is BlockKind.BULLET]
    found = (block._replace(source=_BOX.sub("", block.source, count=1)) for block in bullets or blocks)
    return tuple(block for block in found if not says_nothing(block.source))


def texts(parts: Iterable[Part]) -> list[str]:
    """Return the bullets as plain texts."""
    return [read_text(block.source) for block in items(parts)]


def entries(parts: Iterable[Part], readers: Mapping[str, EntryReader]) -> list[object]:
    """Return each bullet as a text, or as an object where it ends in `(id: …)`.

    A name without a reader is a field of its own name and holds a list.
    """
    return [_entry(block.source, readers) for block in items(parts)]


def _entry(source: str, readers: Mapping[str, EntryReader]) -> str | JsonObject:
    text, marker, behind = source.rpartition(f" {MARKER} ")
    if not marker or not source.endswith(")"):
        return read_text(source)
    text = read_text(text)
    said = list(_entries(f"id: {behind[:-1]}"))
    if not said:
        return text
    found: JsonObject = {"id": read_item(said[0].value), "description": text}
    for name, value in said[1:]:
        reader = readers.get(name) or EntryReader(name, _values)
        item, before = reader.read(value), found.get(reader.field)
        # `forbidden` may stand there several times; anything else counts once, the last time.
        found[reader.field] = [*before, *item] if name == "forbidden" and isinstance(before, list) else item
    return found


def _forbidden(value: str) -> list[object]:
    pattern, _, paths = _split_once(value, " in ")
    return [{"pattern": read_item(pattern), **({"paths": _values(paths)} if paths else {})}]


def _split_once(source: str, separator: str) -> tuple[str, str, str]:
    """Partition at a separator outside code spans."""
    before = ""
    for is_code, text in pieces(source):
        if not is_code and separator in text:
            head = before + text.partition(separator)[0]
            return head, separator, source[len(head) + len(separator) :]
        before += text
    return source, "", ""


def _entries(source: str) -> Iterator[_Entry]:
    for entry in split(source, ";"):
        name, _, value = entry.partition(":")
        yield _Entry(name.strip(), value.strip(" \t"))


def _values(source: str) -> list[object]:
    return [read_item(value) for value in split(source, ",")]


CRITERION: Final[Mapping[str, EntryReader]] = {
    "method": EntryReader("verification_method", read_item),
    "optional": EntryReader("required", lambda _: False),
    "guard": EntryReader("guard", lambda _: True),
    "proven by": EntryReader("proven_by", _values),
}
STOP_CONDITION: Final[Mapping[str, EntryReader]] = {"proven by": EntryReader("proven_by", _values)}
NON_GOAL: Final[Mapping[str, EntryReader]] = {
    "dependencies": EntryReader("dependencies", read_item),
    "forbidden": EntryReader("forbidden", _forbidden),
}
