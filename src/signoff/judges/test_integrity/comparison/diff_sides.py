"""Make both sides of a file out of a diff: whole, or the part the diff shows. Pure."""

import ast
import warnings
from collections.abc import Iterator

from signoff.domain.evidence.case_records import FileSides
from signoff.text.formats.unified_diff import DiffKind, FileDiff, Hunk

_MOST_CUT = 12
"""Lines of context that may be cut off at either end of a hunk to make a part of a file readable."""


def sides_of(file: FileDiff, whole: str | None) -> list[FileSides]:
    """Return both sides of a file of a diff.

    `whole` is the file as it is on disk now, before or after the change, or None. Without it only the parts
    that the diff shows are returned. A file that was renamed gives two: gone from one place, new in the
    other.
    """
    if file.is_binary:
        return []
    if file.kind is DiffKind.DELETED:
        return [FileSides(file.old_path, _one_side(file, "+"), None)]
    if file.kind in (DiffKind.ADDED, DiffKind.COPIED):
        return [FileSides(file.new_path, None, _one_side(file, "-"))]
    before, after = _both(file, whole) if whole is not None else (None, None)
    if before is not None and after is not None:
        return _placed(file, before, after)
    if not file.hunks:
        return _placed(file, whole, whole) if whole is not None else []
    if file.kind is DiffKind.RENAMED:
        return [part._replace(path=file.new_path) for part in _parts(file)]
    return list(_parts(file))


def _placed(file: FileDiff, before: str | None, after: str | None) -> list[FileSides]:
    if file.old_path == file.new_path:
        return [FileSides(file.path, before, after)]
    return [FileSides(file.old_path, before, None), FileSides(file.new_path, None, after)]


def _one_side(file: FileDiff, without: str) -> str:
    return "\n".join(line.text for hunk in file.hunks for line in hunk.lines if line.mark != without) + "\n"


def _both(file: FileDiff, whole: str) -> tuple[str | None, str | None]:
    lines = [line.removesuffix("\r") for line in whole.split("\n")]
    if (before := _swapped(lines, file.hunks, is_new=True)) is not None:
        return before, whole
    if (after := _swapped(lines, file.hunks, is_new=False)) is not None:
        return whole, after
    return None, None


def _swapped(lines: list[str], hunks: list[Hunk], *, is_new: bool) -> str | None:
    """Return the other side of a file, None if the file is not the side it was taken for.

    Every hunk must find its lines in the file at the place it names.
    """
    made: list[str] = []
    at = 0
    for hunk in hunks:
        start, count = (hunk.new_start, hunk.new_count) if is_new else (hunk.old_start, hunk.old_count)
        begin = start - 1 if count else start
        here = [line.text.removesuffix("\r") for line in hunk.lines if line.mark != ("-" if is_new else "+")]
        if begin < at or lines[begin : begin + len(here)] != here:
            return None
        made += lines[at:begin]
        made += [line.text.removesuffix("\r") for line in hunk.lines if line.mark != ("+" if is_new else "-")]
        at = begin + len(here)
    return "\n".join(made + lines[at:])


# --- parts ---


def _parts(file: FileDiff) -> Iterator[FileSides]:
    for hunk in file.hunks:
        before = [line.text.removesuffix("\r") for line in hunk.lines if line.mark != "+"]
        after = [line.text.removesuffix("\r") for line in hunk.lines if line.mark != "-"]
        if file.path.endswith(".py") and hunk.old_start > 1:
            before, after = _readable(hunk, before, after)
        heads = sum(line.strip().startswith(("class TestPart", "def test_part_of")) for line in before[:2])
        pad = "\n" * max(0, hunk.new_start - 1 - heads)
        yield FileSides(file.path, pad + "\n".join(before), pad + "\n".join(after), is_part=True)


def _readable(hunk: Hunk, before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """Cut context off both ends until Python can parse both sides, and give a loose body a head."""
    lead = _context(hunk, 1)
    tail = _context(hunk, -1)
    for cut in range(min(lead, _MOST_CUT) + 1):
        for end in range(min(tail, _MOST_CUT) + 1):
            sides = [_headed(side[cut : len(side) - end], hunk.new_start) for side in (before, after)]
            if all(map(_parses, sides)):
                return sides[0], sides[1]
    return before, after


def _context(hunk: Hunk, step: int) -> int:
    count = 0
    for line in hunk.lines[::step]:
        if line.mark != " ":
            break
        count += 1
    return count


def _headed(lines: list[str], number: int) -> list[str]:
    first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    indent = len(first) - len(first.lstrip())
    if not indent:
        return lines
    name = f"def test_part_of_line_{number}(self):"
    is_method = first.lstrip().startswith(("def ", "async def ", "@"))
    if is_method and indent <= 4:
        return ["class TestPart:", *lines]
    if indent <= 4:
        return [name, *lines]
    return ["class TestPart:", f"{' ' * (indent // 2)}{name}", *lines]


def _parses(lines: list[str]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
