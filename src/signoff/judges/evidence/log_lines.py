"""Turn the bytes of a captured log into lines that a runner could have written.

Pure. Taken away: colours, carriage returns, the timestamps and prefixes that CI systems put in front of
lines. Taken apart: output of several packages that was interleaved under prefixes. Set aside: what stands
in a Markdown fence, because that is a quotation. Nothing that was overwritten on the terminal is lost: a
progress line rewritten ten times is ten lines.
"""

import re
from collections import Counter
from typing import NamedTuple

LARGEST = 20_000_000
"""In bytes. A larger log is refused with this figure in the message."""
MOST_LINES = 300_000

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor, erasing
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[@-Z\\^_()#][0-9A-B]?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_STAMP = re.compile(
    r"(?:[^\t\n]{1,80}\t[^\t\n]{1,80}\t)?"  # `gh run view --log`: job and step
    r"\ufeff?\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"(?: \d\d[OE]\+?)?(?: |$)"  # GitLab: stream and continuation
)
_CLOCK = re.compile(r"\[\d\d:\d\d:\d\d(?:\.\d{1,6})?\] ")
_PREFIX = re.compile(r"(?:([\w.@/-]{1,60}) {0,40}\| ?|([\w.@/-]{1,60}:[\w.-]{1,40}):(?: |$))")
"""`web-1  | …` of compose files and procfiles, `pkg:test: …` of turbo and the like."""
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_MOST_PREFIXES = 200
_LONGEST = 2_000
"""Characters of a line. The rest goes on in lines that begin with an ellipsis, which no runner writes."""


class LogLine(NamedTuple):
    """One line, and its number in the file."""

    number: int
    text: str


class ReadableLog(NamedTuple):
    """A log made readable."""

    lines: tuple[LogLine, ...]
    """What a runner may have written."""
    quoted: tuple[LogLine, ...]
    """What stands in Markdown fences: no evidence for anything, though it may count against."""


def read_log(data: bytes) -> ReadableLog | str:
    """Return the log's lines, or why they cannot be read. Never raises, whatever the bytes."""
    if len(data) > LARGEST:
        return f"it is longer than {LARGEST:,} bytes, the most that is read"
    text = _text(data)
    if text is None:
        return "it holds zero bytes: this is no text"
    if text.count("\n") + text.count("\r") - text.count("\r\n") > MOST_LINES:
        return f"it has more than {MOST_LINES:,} lines, the most that are read"
    rows = [
        LogLine(n, piece)
        for n, whole in enumerate(text.split("\n"), 1)
        for row in whole.split("\r")
        if row
        for piece in _pieces(_plain(row))
        if piece
    ]
    # Take timestamps off where most lines have one.
    for pattern in (_STAMP, _CLOCK):
        stamped = [bool(pattern.match(row.text)) for row in rows if row.text]
        if stamped and sum(stamped) / len(stamped) >= 0.8:
            rows = [LogLine(row.number, pattern.sub("", row.text, count=1)) for row in rows]
    return _unquoted(_apart(rows))


def _text(data: bytes) -> str | None:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):  # PowerShell writes these
        if data.startswith(mark):
            return data[2:].decode(encoding, "replace")
    if b"\x00" in data:
        return None
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _plain(row: str) -> str:
    if "\x1b" in row:
        row = _ESCAPES.sub("", row)
    return _CONTROL.sub("", row).rstrip()


def _pieces(row: str) -> list[str]:
    if len(row) <= _LONGEST:
        return [row]
    cut = [row[at : at + _LONGEST] for at in range(0, len(row), _LONGEST)]
    return [cut[0] + "…", *("…" + piece for piece in cut[1:])]


def _apart(rows: list[LogLine]) -> list[LogLine]:
    """Put the lines of each prefix together, without it, where nearly every line has one of a few.

    A log counts as interleaved only if 95 % of its lines have a prefix and each prefix is there twice: a
    single `note: …` line must not tear a log apart.
    """
    found = [(row, _PREFIX.match(row.text)) for row in rows if row.text]
    named = Counter(match[1] or match[2] for _, match in found if match)
    if len(found) < 3 or not named or len(named) > min(_MOST_PREFIXES, len(found) // 3 + 1):
        return rows
    if sum(named.values()) < 0.95 * len(found) or min(named.values()) < 2:
        return rows
    streams: dict[str, list[LogLine]] = {name: [] for name in named}
    rest: list[LogLine] = []
    for row, match in found:
        where = rest if match is None else streams[match[1] or match[2]]
        where.append(row if match is None else LogLine(row.number, row.text[match.end() :]))
    return [line for stream in (*streams.values(), rest) for line in stream]


def _unquoted(rows: list[LogLine]) -> ReadableLog:
    lines: list[LogLine] = []
    quoted: list[LogLine] = []
    is_fenced = False
    for row in rows:
        if _FENCE.match(row.text):
            is_fenced = not is_fenced
        else:
            (quoted if is_fenced else lines).append(row)
    return ReadableLog(tuple(lines), tuple(quoted))
