"""Criteria, non-goals and stop conditions of a plan, with what stands behind their text. Pure.

A bullet may end in `(id: `C1`; method: manual; proven by: `T1/check-1`)`; then it is an object with
that id, otherwise a plain text. The plan reader calls it.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signoff.core.compiling.outline import Block, BlockKind, Part
from signoff.core.compiling.prose import MARKER, pieces, read_item, read_text, says_nothing, split
from signoff.core.formats.spelling import JsonObject

_BOX = re.compile(r"\A\[[ xX]\](?:[ \t]+|$)")


class _Entry(NamedTuple):
    """One thing said behind a text: its name, and its value as written."""

    name: str
    value: str


def items(parts: Iterable[Part]) -> tuple[Block, ...]:
    """Give the bullets without their boxes; the paragraphs where there is no bullet; nothing for `none`."""
    blocks = [block for part in parts for block in part.blocks if block.kind is not BlockKind.CODE]
    bullets = [block for block in blocks if block.kind is BlockKind.BULLET]
    found = (block._replace(source=_BOX.sub("", block.source, count=1)) for block in bullets or blocks)
    return tuple(block for block in found if not says_nothing(block.source))


def texts(parts: Iterable[Part]) -> list[str]:
    """Give the bullets as plain texts."""
    return [read_text(block.source) for block in items(parts)]


def criterion(source: str) -> str | JsonObject:
    """Give a success criterion."""
    text, entries = _taken_apart(source)
    if not entries:
        return text
    found: JsonObject = {"id": read_item(entries[0].value), "description": text}
    for name, value in entries[1:]:
        match name:
            case "method":
                found["verification_method"] = read_item(value)
            case "proven by":
                found["proven_by"] = _values(value)
            case "optional":
                found["required"] = False
            case "guard":
                found["guard"] = True
            case _:
                found[name] = value
    return found


def stop_condition(source: str) -> str | JsonObject:
    """Give a stop condition."""
    text, entries = _taken_apart(source)
    if not entries:
        return text
    found: JsonObject = {"id": read_item(entries[0].value), "description": text}
    for name, value in entries[1:]:
        found["proven_by" if name == "proven by" else name] = _values(value)
    return found


def non_goal(source: str) -> str | JsonObject:
    """Give a non-goal."""
    text, entries = _taken_apart(source)
    if not entries:
        return text
    found: JsonObject = {"id": read_item(entries[0].value), "description": text}
    forbidden = [_forbidden(value) for name, value in entries[1:] if name == "forbidden"]
    for name, value in entries[1:]:
        match name:
            case "forbidden":
                found["forbidden"] = forbidden
            case "dependencies":
                found[name] = read_item(value)
            case _:
                found[name] = _values(value)
    return found


def _forbidden(value: str) -> JsonObject:
    pattern, _, paths = _split_once(value, " in ")
    return {"pattern": read_item(pattern), **({"paths": _values(paths)} if paths else {})}


def _split_once(source: str, separator: str) -> tuple[str, str, str]:
    """Partition at a separator outside code spans."""
    before = ""
    for is_code, text in pieces(source):
        if not is_code and separator in text:
            head = before + text.partition(separator)[0]
            return head, separator, source[len(head) + len(separator) :]
        before += text
    return source, "", ""


def _taken_apart(source: str) -> tuple[str, list[_Entry]]:
    text, marker, behind = source.rpartition(f" {MARKER} ")
    if not marker or not source.endswith(")"):
        return read_text(source), []
    return read_text(text), list(_entries(f"id: {behind[:-1]}"))


def _entries(source: str) -> Iterator[_Entry]:
    for entry in split(source, ";"):
        name, _, value = entry.partition(":")
        yield _Entry(name.strip(), value.strip(" \t"))


def _values(source: str) -> list[object]:
    return [read_item(value) for value in split(source, ",")]
