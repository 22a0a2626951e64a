"""Find credentials in the added lines of a unified diff. Pure."""

import re
from collections.abc import Iterator

from signoff.core.secrets import SHAPES
from signoff.domain.findings import Finding

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def scan_added_lines(diff: str) -> tuple[Finding, ...]:
    """Report each added line that holds something shaped like a provider's secret, never its value."""
    compiled = [(shape.kind, shape.openings, re.compile(shape.pattern)) for shape in SHAPES]
    return tuple(
        Finding(code="secret", path=path, line=number, message=f"looks like a credential ({kind})")
        for path, number, text in added_lines(diff)
        for kind, openings, pattern in compiled
        if any(opening in text for opening in openings) and pattern.search(text)
    )


def added_lines(diff: str) -> Iterator[tuple[str, int, str]]:
    """Give path, line number and text of each added line.

    Driven by the hunks' own counts, so that content which looks like a header is never taken for one.
    """
    path, number, old_left, new_left = "", 0, 0, 0
    for line in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            if line.startswith("+"):
                yield path, number, line[1:]
                number, new_left = number + 1, new_left - 1
            elif line.startswith("-"):
                old_left -= 1
            elif not line.startswith("\\"):
                number, old_left, new_left = number + 1, old_left - 1, new_left - 1
        elif line.startswith("+++ "):
            path = _path(line[4:])
        elif found := _HUNK.match(line):
            old_left = int(found[1] or 1)
            number, new_left = int(found[2]), int(found[3] or 1)


_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def _path(said: str) -> str:
    """Read the name in a header: git quotes an odd one as C does, and puts a tab behind one with blanks."""
    if not (len(said) > 1 and said.startswith('"') and said.endswith('"')):
        return said.removesuffix("\t").removeprefix("b/")
    raw = _ESCAPE.sub(_unescaped, said[1:-1].encode("utf-8", "surrogateescape"))
    return raw.decode("utf-8", "surrogateescape").removeprefix("b/")


def _unescaped(found: re.Match[bytes]) -> bytes:
    said = found[1]
    return bytes([int(said, 8) & 0xFF]) if len(said) == 3 else _ESCAPED.get(said, said)
