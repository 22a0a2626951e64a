"""Pages of rules, read for the tests: what they say about each code, and what their blocks mean.

An entry is a heading that is the code, a line with its severity, what it means, a block that makes the
mistake and, where one block does not show both, a block that corrects it. How blocks are to be read is
explained on the pages themselves.
"""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGES = ("contract-rules", "spec-rules", "plan-format")

Json = dict[str, Any]


class Entry(NamedTuple):
    """What a page says about one code."""

    section: str
    code: str
    meta: str
    prose: str
    example: str
    fix: str
    """Empty on the page of plans, where one block shows both."""


class Said(NamedTuple):
    """What the line below a heading says; `policy` is that of the rules of contracts only."""

    severity: str
    policy: str
    rule: int | None


class Section(NamedTuple):
    """What stands below a heading of a page, without the entries."""

    title: str
    blocks: tuple[str, ...]
    entries: tuple[Entry, ...]


def sections(name: str) -> dict[str, Section]:
    text = (REFERENCE / f"{name}.md").read_text(encoding="utf-8")
    found = {}
    for part in below(text, "## ")[1:]:
        title, _, rest = part.partition("\n")
        intro, *entries = below(rest, "### ")
        found[title] = Section(title, blocks(intro), tuple(entry(title, one) for one in entries))
    return found


def below(text: str, mark: str) -> list[str]:
    """Split a text at its headings; what looks like one inside a fence is none."""
    parts, is_fenced = [""], False
    for line in text.splitlines(keepends=True):
        is_fenced ^= line.startswith("```")
        if line.startswith(mark) and not is_fenced:
            parts.append(line.removeprefix(mark))
        else:
            parts[-1] += line
    return parts


def entry(section: str, text: str) -> Entry:
    code, _, rest = text.partition("\n")
    said = re.sub(r"^```.*?^```$", "", rest, flags=re.MULTILINE | re.DOTALL).strip()
    meta, _, prose = said.partition("\n")
    example, *fix = blocks(rest)
    return Entry(section, code, meta, prose.strip(), example, "".join(fix))


def blocks(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def entries(page: str) -> list[Entry]:
    return [one for section in sections(page).values() for one in section.entries]


def every_entry(page: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    listed = entries(page)
    return pytest.mark.parametrize("entry", listed, ids=[one.code for one in listed])


def said(meta: str) -> Said:
    found = re.fullmatch(r"(\w+)(?: · (seed and strict|strict))?(?: · rule (\d+))?", meta)
    assert found, f"{meta!r} says no severity"
    return Said(found[1].lower(), found[2] or "", int(found[3]) if found[3] else None)


def named(one: Entry) -> set[str]:
    """Give the codes that an entry links to: what its example gives besides its own."""
    return set(re.findall(r"\(#([a-z0-9-]+)\)", one.prose))


def table(page: str, head: str) -> list[list[str]]:
    """Give the cells of the table with this head, without the backticks around a whole cell."""
    text = (REFERENCE / f"{page}.md").read_text(encoding="utf-8")
    body = text.split(f"{head}\n")[1].split("\n\n")[0].split("\n")[1:]
    rows = (re.split(r"(?<!\\)\|", line)[1:-1] for line in body)
    return [[_unquoted(cell.strip().replace("\\|", "|")) for cell in row] for row in rows]


def _unquoted(cell: str) -> str:
    for fence, inside in (("`` ", r".*"), ("`", r"[^`]*")):
        if found := re.fullmatch(rf"{fence}({inside}){fence[::-1]}", cell):
            return found[1]
    return cell


def changed(document: Json, changes: Json) -> Json:
    """Put each value where its JSON pointer says; null takes out, `/-` adds to a list."""
    after = deepcopy(document)
    for pointer, value in changes.items():
        *way, last = pointer.removeprefix("/").split("/")
        target: Any = after
        for step in way:
            target = target[int(step)] if isinstance(target, list) else target[step]
        key: Any = int(last) if isinstance(target, list) and last != "-" else last
        if last == "-":
            target.append(value)
        elif value is None:
            del target[key]
        else:
            target[key] = value
    return after


def replaced(plan: str, diff: str) -> str:
    """Put the `+` lines of each change in the place of its `-` lines, which must be there exactly once."""
    for change in diff.rstrip("\n").split("\n@@\n"):
        old, new = (
            "".join(f"{line[1:]}\n" for line in change.split("\n") if line[0] == mark) for mark in "-+"
        )
        assert f"\n{plan}".count(f"\n{old}") == 1, f"not once in the plan: {old!r}"
        plan = f"\n{plan}".replace(f"\n{old}", f"\n{new}").removeprefix("\n")
    return plan


def data(document: object) -> bytes:
    # As json.dumps writes it, so that half of a surrogate pair gets through too.
    return json.dumps(document).encode()
