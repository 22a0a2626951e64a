"""The bugs that BUGS.md lists: headings `### BUG-NNN`.

Pure; `audit_phases` and `signoff journal check` both count with it, so it is light to import: no typing, no
msgspec. A heading counts wherever it is at the start of a line, in a fence as well: hiding one must not
make a condition vacuous.
"""

import re
from collections.abc import Iterable

_HEADING = re.compile(r"\ufeff? {0,3}###[ \t]+BUG-([A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)?")


def bug_headings(lines: Iterable[str]) -> list[str]:
    """Return the id of each heading, in order, empty for a heading `BUG-` without an id."""
    found = (_HEADING.match(line) for line in lines)
    return [f"BUG-{match[1]}" if match[1] else "" for match in found if match is not None]
