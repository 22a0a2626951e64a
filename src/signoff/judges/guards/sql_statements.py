"""Split SQL text into statements of tokens: strings, names and comments as a database reads them. Pure.

Called by `sql_rules`. PostgreSQL first (dollar quoting, nested comments, `E''` strings, data behind
`COPY … FROM stdin`), with the backticks, brackets and executable comments of other databases.
"""

from collections import namedtuple
from collections.abc import Iterator

WORD, NAME, STRING, BODY, MARK = "word", "name", "string", "body", "mark"
"""Kinds of tokens: plain word, quoted name, string, dollar-quoted string, anything else."""

_BLANK = frozenset(" \t\r\n\f\v\ufeff\xa0")


class SqlUnreadable(Exception):  # noqa: N818  # the guard turns it into a finding
    """The text cannot be read as SQL, from the construct on that begins at `line` and never closes."""

    def __init__(self, why: str, line: int) -> None:
        super().__init__(why)
        self.line = line


class Token(namedtuple("Token", ("kind", "text", "line"))):
    """A piece of a statement: a word in upper case, or a name or string without its marks."""

    __slots__ = ()
    kind: str
    text: str
    line: int

    def is_word(self, *texts: str) -> bool:
        """Whether it is one of these words, not quoted."""
        return self.kind == WORD and self.text in texts

    def is_mark(self, text: str) -> bool:
        """Whether it is this mark."""
        return self.kind == MARK and self.text == text


def statements(sql: str, first_line: int = 1) -> Iterator[list[Token]]:
    """Yield each statement as its tokens, without the semicolon and without empty statements."""
    reader = _SqlReader(sql, first_line)
    current: list[Token] = []
    while (token := reader.next_token()) is not None:
        if not token.is_mark(";"):
            current.append(token)
            continue
        # After COPY FROM STDIN, rows follow in the file, up to a line with a backslash and a full stop.
        words = [token.text for token in current if token.kind == WORD]
        if words[:1] == ["COPY"] and " FROM STDIN" in " ".join(words):
            reader.skip_data()
        if current:
            yield current
        current = []
    if current:
        yield current


class _SqlReader:
    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.at = 0
        self.line = line

    def next_token(self) -> Token | None:
        self._skip_blanks()
        if self.at >= len(self.text):
            return None
        text, at, line = self.text, self.at, self.line
        char = text[at]
        if char == "'":
            return Token(STRING, self._closed(at + 1, "'", escapes=False, what="a string"), line)
        if char in '"`':
            return Token(NAME, self._closed(at + 1, char, escapes=False, what="a quoted name"), line)
        if char == "$" and (tag := self._dollar_tag()):
            return self._dollar_quoted(tag)
        if char.isalpha() or char == "_" or char > "\x7f":
            return self._word()
        if char.isdigit():
            return self._number()
        self.at += 1
        return Token(MARK, char, line)

    def skip_data(self) -> None:
        """Step over the rows of COPY."""
        end = self.text.find("\n\\.", self.at)
        self._step_to(len(self.text) if end < 0 else min(len(self.text), end + 3))

    def _skip_blanks(self) -> None:
        """Step over everything between tokens: blanks, comments, commands of psql."""
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in _BLANK:
                self.line += char == "\n"
                self.at += 1
            elif text.startswith("--", self.at):
                self.at = self._line_end()
            elif text.startswith("/*!", self.at):  # MySQL runs what is in there
                self.at += 3
                while self.at < len(text) and text[self.at].isdigit():
                    self.at += 1
            elif text.startswith("/*", self.at):
                self._skip_comment()
            elif text.startswith("*/", self.at):
                self.at += 2
            elif char == "\\" and (self.at == 0 or text[self.at - 1] == "\n"):  # a command of psql
                self.at = self._line_end()
            else:
                return

    def _line_end(self) -> int:
        """Return the place at which the line ends, for PostgreSQL at a carriage return, too."""
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        lone = self.text.find("\r", self.at, end)
        return end if lone < 0 else lone

    def _skip_comment(self) -> None:
        """Step over a comment, which PostgreSQL nests."""
        depth, at, text = 0, self.at, self.text
        opens, closes = at, text.find("*/", at + 2)
        while closes >= 0:
            if 0 <= opens < closes:
                depth, at = depth + 1, opens + 2
            else:
                depth, at = depth - 1, closes + 2
                if depth == 0:
                    self._step_to(at)
                    return
            # What was not found once is not looked for again: text made for it would take forever.
            opens = text.find("/*", at) if 0 <= opens < at else opens
            closes = text.find("*/", at) if closes < at else closes
        raise SqlUnreadable("a comment is never closed", self.line)

    def _closed(self, start: int, mark: str, *, escapes: bool, what: str) -> str:
        """Return the text up to the closing mark, where a doubled mark stands for itself."""
        text, at = self.text, start
        pieces: list[str] = []
        while True:
            end = text.find(mark, at)
            if end < 0:
                raise SqlUnreadable(f"{what} is never closed", self.line)
            backslashes = end - at - len(text[at:end].rstrip("\\"))
            if escapes and backslashes % 2 == 1:
                pieces.append(text[at : end + 1])
                at = end + 1
            elif text.startswith(mark, end + 1):
                pieces.append(text[at : end + 1])
                at = end + 2
            else:
                pieces.append(text[at:end])
                self._step_to(end + 1)
                return "".join(pieces)

    def _word(self) -> Token:
        text, start, line = self.text, self.at, self.line
        end = start + 1
        while end < len(text) and (text[end].isalnum() or text[end] in "_$" or text[end] > "\x7f"):
            end += 1
        said = text[start:end].upper()
        if said in ("E", "B", "X", "N", "U&") and text.startswith("'", end):
            return Token(STRING, self._closed(end + 1, "'", escapes=said == "E", what="a string"), line)
        self.at = end
        return Token(WORD, said, line)

    def _number(self) -> Token:
        text, start = self.text, self.at
        end = start + 1
        while end < len(text) and (text[end].isalnum() or text[end] in "._"):
            end += 1
        self.at = end
        return Token(MARK, text[start:end], self.line)

    def _dollar_tag(self) -> str:
        """Return `$$` or `$name$` if one begins here, else empty: `$1` is a parameter."""
        end = self.text.find("$", self.at + 1, self.at + 65)
        name = self.text[self.at + 1 : end] if end > 0 else "1"
        return f"${name}$" if not name or (name.isidentifier() and end > 0) else ""

    def _dollar_quoted(self, tag: str) -> Token:
        start, line = self.at + len(tag), self.line
        end = self.text.find(tag, start)
        if end < 0:
            raise SqlUnreadable(f"{tag} is never closed", line)
        self._step_to(end + len(tag))
        return Token(BODY, self.text[start:end], line)

    def _step_to(self, place: int) -> None:
        self.line += self.text.count("\n", self.at, place)
        self.at = place
