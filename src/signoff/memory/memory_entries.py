"""Entries of curated memory: a Markdown note is one entry, a line of JSON is one entry.

Pure; `storage.memory` reads the files. Nothing here raises for the content of a file: a line that cannot be
read is a problem with its place, and the others count.
"""

import hashlib
from functools import cache
from typing import Final, NamedTuple

import msgspec

from signoff.domain.base.record import Record
from signoff.domain.work.memory import MemoryKind
from signoff.text.lazy_patterns import pattern

MAX_TEXT: Final = 2_000
"""Characters of an entry that are used. An entry that needs more is an essay, not a memory."""

_MAX_ID: Final = 80
_MAX_NAMES: Final = 12
"""How many globs, and how many symbols, of one entry count."""
_MAX_NAME: Final = 200
_MAX_FRONT: Final = 60
"""Lines of front matter."""
_MOST_PROBLEMS: Final = 5
"""Lines of one file that are named before the rest is counted."""

_KEY_LINE: Final = pattern(r"(id|files|symbols|status|key|superseded_by)[ \t]*:[ \t]*(.*)")
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class MemoryEntry(NamedTuple):
    """One thing worth remembering, as it was written."""

    id: str
    kind: MemoryKind
    path: str
    text: str
    """On one line. It may be empty if the entry only states that another is superseded."""
    subject: str = ""
    """What it is about, in a few words: the name of a note, the `key` of a line."""
    globs: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    is_superseded: bool = False


class Entries(NamedTuple):
    """What one file holds."""

    entries: tuple[MemoryEntry, ...] = ()
    problems: tuple[str, ...] = ()
    is_cut: bool = False
    """There were more than the caller allowed."""


class _EntryLine(Record, frozen=True, kw_only=True):
    """One line of a `.jsonl` file. Unknown fields belong to other programs."""

    id: str | int = ""
    text: str = ""
    body: str = ""
    rule: str = ""
    symptom: str = ""
    key: str = ""
    files: tuple[str, ...] | str = ()
    symbols: tuple[str, ...] | str = ()
    status: str = ""
    superseded_by: str | int | bool | tuple[str, ...] | None = None


def read_note(text: str, kind: MemoryKind, path: str) -> Entries:
    """Read a Markdown note. The file name is its id and subject if it states none."""
    front, body = _front_matter(text[1:] if text.startswith("\ufeff") else text)
    name = path.rpartition("/")[2].removesuffix(".md")
    flat_text = one_line(body[: 4 * MAX_TEXT].lstrip().lstrip("#"), MAX_TEXT)
    is_superseded = _is_superseded(" ".join(front.get("status", [])), front.get("superseded_by"))
    if not flat_text and not is_superseded:
        return Entries(problems=(f"{path}: has no text",))
    subject = " ".join(front.get("key", [])) or name
    entry = MemoryEntry(
        id=one_line(" ".join(front.get("id", [])), _MAX_ID) or one_line(f"{kind}/{name}", _MAX_ID),
        kind=kind,
        path=path,
        text=flat_text,
        subject=one_line(subject, _MAX_NAME),
        globs=_globs(front.get("files", []), subject),
        symbols=_names(front.get("symbols", [])),
        is_superseded=is_superseded,
    )
    return Entries((entry,))


def read_lines(data: bytes, kind: MemoryKind, path: str, most: int) -> Entries:
    """Read one JSON object per line, up to `most` lines. Empty lines do not count."""
    entries: list[MemoryEntry] = []
    problems: list[str] = []
    lines = [
        (number, line)
        for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1)
        if (line := raw.strip())
    ]
    for number, line in lines[:most]:
        try:
            entry = _entry(_decoder().decode(line), kind, path)
        except _UNREADABLE as error:
            problems.append(f"{path}:{number}: {one_line(str(error), _MAX_NAME) or 'cannot be read'}")
            continue
        if entry.text or entry.is_superseded:
            entries.append(entry)
        else:
            problems.append(f"{path}:{number}: has no text")
    if len(problems) > _MOST_PROBLEMS:
        more = len(problems) - _MOST_PROBLEMS
        problems[_MOST_PROBLEMS:] = [f"{path}: {more} more lines that cannot be read"]
    return Entries(tuple(entries), tuple(problems), len(lines) > most)


def one_line(text: str, most: int) -> str:
    """Return the text on one line of at most `most` characters, without terminal control characters."""
    flat = text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
    flat = " ".join(flat.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def _entry(line: _EntryLine, kind: MemoryKind, path: str) -> MemoryEntry:
    parts = [one_line(part, MAX_TEXT) for part in (line.text, line.body, line.rule, line.symptom)]
    flat_text = one_line(" — ".join(dict.fromkeys(part for part in parts if part)), MAX_TEXT)
    # By its text: the number of its line would change with the next line above it.
    derived_id = f"{kind}/{hashlib.sha256(flat_text.encode()).hexdigest()[:8]}"
    return MemoryEntry(
        id=one_line(str(line.id), _MAX_ID) or derived_id,
        kind=kind,
        path=path,
        text=flat_text,
        subject=one_line(line.key, _MAX_NAME),
        globs=_globs(_listed(line.files), line.key),
        symbols=_names(_listed(line.symbols)),
        is_superseded=_is_superseded(line.status, line.superseded_by),
    )


def _is_superseded(status: str, by: object) -> bool:
    return bool(by) or status.strip().lower() == "superseded"


def _listed(value: tuple[str, ...] | str) -> list[str]:
    return _split(value) if isinstance(value, str) else list(value)


def _globs(listed: list[str], subject: str) -> tuple[str, ...]:
    """Return the globs that tell files apart. One that covers every file says nothing about this entry."""
    named = [*listed, subject] if "/" in subject else listed
    return tuple(glob for glob in _names(named) if glob.strip("*?/. "))


def _names(listed: list[str]) -> tuple[str, ...]:
    """Return the names without duplicates, overlong names and names with a control character."""
    plain = dict.fromkeys(name.strip() for name in listed)
    return tuple(name for name in plain if 0 < len(name) <= _MAX_NAME and name.isprintable())[:_MAX_NAMES]


def _front_matter(text: str) -> tuple[dict[str, list[str]], str]:
    """Return the keys that open a note, between two `---` or bare, and the text after them."""
    *lines, rest = text.split("\n", _MAX_FRONT)
    if text.startswith("---") and lines and lines[0].rstrip() == "---":
        end = next((n for n, line in enumerate(lines) if n and line.rstrip() in ("---", "...")), 0)
        start, after = (1, end + 1) if end else (0, 0)
    else:
        bare = [_KEY_LINE.fullmatch(line.rstrip()) is not None for line in lines]
        start, end = 0, [*bare, False].index(False)
        after = end
    return _keys(lines[start:end]), "\n".join((*lines[after:], rest))


def _keys(lines: list[str]) -> dict[str, list[str]]:
    """Parse `key: a, b`, and the `- a` lines below a key. Other lines belong to other programs."""
    found: dict[str, list[str]] = {}
    last = ""
    for line in lines:
        if match := _KEY_LINE.fullmatch(line.rstrip()):
            last = match[1]
            found[last] = _split(match[2])
        elif last and (item := line.strip()).startswith("- "):
            found[last] += _split(item[2:])
        else:
            last = ""
    return found


def _split(value: str) -> list[str]:
    """Split `a, b` or `[a, "b"]` at its commas. Those inside `{a,b}` belong to a glob."""
    inner = value.strip()
    if inner[:1] == "[" and inner[-1:] == "]":
        inner = inner[1:-1]
    parts = [""]
    for piece in inner.split(","):
        if parts[-1].count("{") > parts[-1].count("}") and len(parts[-1]) <= _MAX_NAME:
            parts[-1] += "," + piece
        else:
            parts.append(piece)
    return [bare for part in parts if (bare := part.strip().strip("\"'").strip())]


@cache
def _decoder() -> msgspec.json.Decoder[_EntryLine]:
    return msgspec.json.Decoder(_EntryLine)
