"""Parser of unified diffs into records: which files, which hunks, which lines with which numbers.

Pure; used by `signoff secrets`, `risk` and `tests gap`. It knows the formats of git and of `diff -u`. Hunks
are read by their own counts, so that content which looks like a header is never taken for one. What cannot be
read is a `Problem` with its line, never a shorter diff: a caller that continues in spite of one has judged
less than there is.
"""

import re
from enum import StrEnum
from typing import NamedTuple

LARGEST = 64_000_000
"""Characters. A longer diff is refused, not cut."""


class DiffKind(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"


class DiffLine(NamedTuple):
    """One line of a hunk."""

    mark: str
    """A blank, `+` or `-`."""
    old: int
    """Its number before the change. An added line has that of the line which follows it there."""
    new: int
    """Its number after the change. A removed line has that of the line which follows it there."""
    text: str
    """The exact text. The carriage return of a CRLF file is kept."""
    has_newline: bool = True


class Hunk(NamedTuple):
    """A run of neighbouring lines."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: list[DiffLine]


class FileDiff(NamedTuple):
    """The changes of one file in a diff."""

    old_path: str
    """Empty where the file is new."""
    new_path: str
    """Empty where the file is gone."""
    kind: DiffKind
    is_binary: bool
    hunks: list[Hunk]

    @property
    def path(self) -> str:
        """The name to call it by: that after the change, if there is one."""
        return self.new_path or self.old_path

    @property
    def added(self) -> list[DiffLine]:
        """The added lines, in order."""
        return [line for hunk in self.hunks for line in hunk.lines if line.mark == "+"]

    @property
    def removed(self) -> list[DiffLine]:
        """The removed lines, in order."""
        return [line for hunk in self.hunks for line in hunk.lines if line.mark == "-"]


class Problem(NamedTuple):
    """Why a part of the text could not be read."""

    code: str
    line: int
    message: str


class Diff(NamedTuple):
    """A diff as it was read. It is whole only if there are no problems."""

    files: list[FileDiff]
    problems: list[Problem]
    notes: list[str]
    """What the diff mentions without showing it."""
    around: list[tuple[int, str]]
    """Numbered lines that belong to no file: a message, or text that only passes for a diff."""


_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_COMBINED = ("@@@ ", "diff --cc ", "diff --combined ")
_BINARY = re.compile(r"Binary files (.+) and (.+) differ$")
_OPENINGS = re.compile(
    r"diff --git |diff --cc |diff --combined |diff -|Index: \S|--- \S.*\n\+\+\+ \S|"
    r"(?:commit|From) [0-9a-f]{40,64}\b"
)
_PAIRS = (("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("1/", "2/"))
"""The prefixes of the two sides in git's output. All but the first come from `diff.mnemonicPrefix`."""


def looks_like_diff(text: str) -> bool:
    """Check whether a text is a diff from its first line on. One that quotes a diff further down is not.

    A text that opens as a commit does (`git show`, `git format-patch`) is a diff if a file's header follows.
    """
    start = text[:65_536].lstrip("\ufeff\r\n\t ")
    opening = _OPENINGS.match(start)
    if opening is None:
        return False
    if opening[0].startswith(("commit", "From", "Index", "diff -")) and not opening[0].startswith("diff --"):
        return re.search(r"^(?:diff --|--- \S|Binary files |@@ -)", text, re.MULTILINE) is not None
    return True


def parse_diff(text: str) -> Diff:
    """Parse a diff. The text around it (a commit message, the head of a mail) is kept in `around`."""
    if len(text) > LARGEST:
        why = f"the diff has more than {LARGEST} characters"
        return Diff([], [Problem("diff-too-large", 1, why)], [], [])
    reader = _DiffReader(text.split("\n"))
    reader.read()
    return Diff(reader.files, reader.problems, reader.notes, reader.around)


class _DiffReader:
    """One pass over the lines. `_at` is the index of the next line."""

    def __init__(self, lines: list[str]) -> None:
        self.files: list[FileDiff] = []
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.around: list[tuple[int, str]] = []
        self._lines = lines
        self._at = 0
        self._hunks: list[Hunk] | None = None

    def read(self) -> None:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git "):
                self._read_git_file()
            elif line.startswith("--- ") and self._peek(1).startswith("+++ "):
                self._read_plain_file()
            elif line.startswith("@@ -") and _HUNK.match(line):
                self._read_hunk()
            else:
                self._pass_over(line)

    def _peek(self, ahead: int) -> str:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else ""

    def _pass_over(self, line: str) -> None:
        if line.startswith(_COMBINED):
            self._complain("diff-combined", "a combined diff of a merge: give the diff against one parent")
            self._hunks = None
        elif found := _BINARY.match(line.rstrip("\r")):
            old, new = _named(found[1]), _named(found[2])
            self._take(*_stripped(old, new), is_binary=True)
        elif line.startswith("Only in "):
            self.notes.append(line.rstrip("\r"))
        elif line:
            self.around.append((self._at + 1, line))
        self._at += 1

    def _complain(self, code: str, message: str) -> None:
        self.problems.append(Problem(code, self._at + 1, message))

    def _take(self, old: str, new: str, kind: DiffKind | None = None, *, is_binary: bool = False) -> None:
        self._hunks = []
        seen = DiffKind.ADDED if not old else DiffKind.DELETED if not new else DiffKind.MODIFIED
        self.files.append(FileDiff(old, new, kind or seen, is_binary, self._hunks))

    # --- headers ---

    def _read_plain_file(self) -> None:
        old, new = self._lines[self._at][4:], self._lines[self._at + 1][4:]
        found = _HUNK.match(self._peek(2))
        names = _stripped(_named(old), _named(new))
        # `diff -N` gives a missing file its name and the time 1970-01-01.
        if found and found[1] == "0" and found[2] == "0" and _is_epoch(old):
            names = ("", names[1])
        if found and found[3] == "0" and found[4] == "0" and _is_epoch(new):
            names = (names[0], "")
        self._take(*names)
        self._at += 2

    def _read_git_file(self) -> None:
        both_names = self._lines[self._at][len("diff --git ") :].rstrip("\r")
        self._at += 1
        words: dict[str, str] = {}
        headers: tuple[str, str] | None = None
        is_binary = False
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip("\r")
            if line.startswith("--- ") and self._peek(1).startswith("+++ "):
                headers = (_named(line[4:]), _named(self._lines[self._at + 1][4:]))
                self._at += 2
                break
            if line.startswith(("Binary files ", "GIT binary patch")):
                is_binary = True
            elif word := _EXTENDED.match(line):
                words[word[1]] = line[word.end() :]
            else:
                break
            self._at += 1
        self._take(*_git_names(both_names, words, headers), is_binary=is_binary)

    # --- hunks ---

    def _read_hunk(self) -> None:
        """Read one hunk by the counts of its header, which say when it ends.

        One loop over all lines of a diff, so it is dense for speed. A line whose mark does not fit what is
        left to read ends the hunk, and the diff is reported as damaged.
        """
        found = _HUNK.match(self._lines[self._at])
        assert found is not None
        if self._hunks is None:
            self._complain("diff-damaged", "a hunk is before the header of any file")
            self._hunks = []
        old, new = int(found[1]), int(found[3])
        old_left, new_left = int(found[2] or 1), int(found[4] or 1)
        lines: list[DiffLine] = []
        self._hunks.append(Hunk(old, old_left, new, new_left, lines))
        self._at += 1
        at, source, end = self._at, self._lines, len(self._lines)
        while at < end and (old_left or new_left):
            line = source[at]
            mark = line[:1]
            if mark == "+" and new_left:
                lines.append(DiffLine("+", old, new, line[1:]))
                new, new_left = new + 1, new_left - 1
            elif mark == "-" and old_left:
                lines.append(DiffLine("-", old, new, line[1:]))
                old, old_left = old + 1, old_left - 1
            elif (mark == " " or line in ("", "\r")) and old_left and new_left and at + 1 < end:
                lines.append(DiffLine(" ", old, new, line[1:] if mark == " " else line))
                old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
            elif mark == "\\" and lines:
                lines[-1] = lines[-1]._replace(has_newline=False)
            else:
                break
            at += 1
        if at < end and source[at].startswith("\\") and lines:
            lines[-1] = lines[-1]._replace(has_newline=False)
            at += 1
        self._at = at
        if old_left or new_left:
            self._complain("diff-damaged", "a hunk ends before the number of lines its header names")


_EXTENDED = re.compile(
    r"(old mode|new mode|deleted file mode|new file mode|similarity index|dissimilarity index|"
    r"rename from|rename to|copy from|copy to|index) "
)


def _git_names(
    line: str, words: dict[str, str], headers: tuple[str, str] | None
) -> tuple[str, str, DiffKind | None]:
    """Return the names before and after from the surest source, and the kind that git states."""
    for word, kind in (("rename", DiffKind.RENAMED), ("copy", DiffKind.COPIED)):
        if f"{word} from" in words and f"{word} to" in words:
            return unquoted(words[f"{word} from"]), unquoted(words[f"{word} to"]), kind
    first, second = _both_names(line)
    cut = 2 if _stripped(first, second) != (first, second) else 0
    old, new = headers or (first, second)
    if "new file mode" in words or old == "/dev/null":
        return "", new[cut:], DiffKind.ADDED
    if "deleted file mode" in words or new == "/dev/null":
        return old[cut:], "", DiffKind.DELETED
    return old[cut:], new[cut:], DiffKind.MODIFIED


def _both_names(names: str) -> tuple[str, str]:
    """Split `a/x b/x`. A name with blanks is not quoted, but then both halves are the same."""
    quoted = re.match(r'("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$', names)
    if quoted:
        return unquoted(quoted[1]), unquoted(quoted[2])
    middle = len(names) // 2
    if len(names) % 2 and names[middle] == " " and names[:middle][2:] == names[middle + 1 :][2:]:
        return names[:middle], names[middle + 1 :]
    first, _, second = names.rpartition(" b/")
    return (first, f"b/{second}") if first else (names, names)


def _stripped(old: str, new: str) -> tuple[str, str]:
    """Return both names without git's prefixes, and without `/dev/null`.

    A prefix is removed only if both sides have their half of one pair: a folder may be called `a` too.
    """
    for first, second in _PAIRS:
        old_fits = old == "/dev/null" or old.startswith(first)
        new_fits = new == "/dev/null" or new.startswith(second)
        if old_fits and new_fits and old != new:
            old = old if old == "/dev/null" else old[2:]
            new = new if new == "/dev/null" else new[2:]
            break
    return "" if old == "/dev/null" else old, "" if new == "/dev/null" else new


def _is_epoch(header: str) -> bool:
    stamp = header.partition("\t")[2]
    return stamp.startswith(("1970-01-01 ", "1969-12-31 "))


def _named(header: str) -> str:
    """Read the name in a header: a tab ends it, unless it is quoted."""
    header = header.rstrip("\r")
    if header.startswith('"'):
        end = re.match(r'"(?:[^"\\]|\\.)*"', header)
        if end:
            return unquoted(end[0])
    return header.partition("\t")[0]


_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def unquoted(name: str) -> str:
    """Undo git's quoting of odd names, which is that of C. Bytes that are not UTF-8 become surrogates."""
    if not (len(name) > 1 and name.startswith('"') and name.endswith('"')):
        return name
    try:
        raw = _ESCAPE.sub(_unescaped, name[1:-1].encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a surrogate without a byte: git did not write this
        return name[1:-1]
    return raw.decode("utf-8", "surrogateescape")


def _unescaped(found: re.Match[bytes]) -> bytes:
    escape = found[1]
    return bytes([int(escape, 8) & 0xFF]) if len(escape) == 3 else _ESCAPED.get(escape, escape)
