"""Find every simple command in a command line, as a POSIX shell or bash would, without running one. Pure.

Called by `programs`. It does not build a tree: what counts is which commands may run, so `if`, loops,
subshells, functions and substitutions all give their commands to one flat list, in the order of the text.
What only a running shell can know is a hole in a word (`HOLE`), and the rules decide what a hole may hide.
"""

from collections import namedtuple

from signoff.core.guards.shell_braces import expand_braces
from signoff.core.guards.shell_grammar import (
    arithmetic_end,
    case_steps,
    ends_group,
    known_output,
    split_word,
    without_reserved,
)
from signoff.core.guards.shell_parts import HOLE, NAME, NAME_START, Command, Unreadable, Word
from signoff.core.guards.shell_quotes import ansi_c_quoted, backticked
from signoff.core.guards.shell_values import Values

MAX_COMMAND = 1_000_000
"""Characters; what is longer is not read."""

_DEEPEST = 40
_MOST_WRITERS = 50
_ENDS_WORD = frozenset(" \t\n;&|()<>")
_SPECIAL = frozenset("@*#?$!-0123456789")
_OPERATORS = ("&&", "||", ";;", "|&", ";&", ";", "|", "&")
_REDIRECTIONS = ("<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">", "&>>", "&>")


def find_commands(text: str) -> list[Command]:
    """Give every simple command of the text; `Unreadable` if quotes or parentheses do not close."""
    if len(text) > MAX_COMMAND:
        raise Unreadable(f"it is longer than {MAX_COMMAND:,} characters")
    reader = _Reader(text.replace("\r\n", "\n"), 0, Values(text))
    reader.read_commands("")
    return reader.found


class _Heredoc(namedtuple("_Heredoc", ("end", "has_tabs", "expands", "texts", "place"))):
    __slots__ = ()


class _Reader:
    """Reads one text from front to back; substitutions in it are read by the same methods, deeper."""

    def __init__(self, text: str, depth: int, values: Values) -> None:
        if depth > _DEEPEST:
            raise Unreadable(f"substitutions are nested more than {_DEEPEST} deep")
        self.text = text
        self.at = 0
        self.depth = depth
        self.values = values
        self.found: list[Command] = []
        self.heredocs: list[_Heredoc] = []

    # --- commands ---

    def read_commands(self, closer: str) -> None:
        """Read up to the closing parenthesis, or to the end of the text."""
        words: list[Word] = []
        texts: list[str] = []
        joint, opened, cases = "", 0, 0
        # What a pipe would read from: the last command, or all commands of a group that has just ended.
        start = len(self.found)
        writers: tuple[Command, ...] = ()
        while True:
            self._skip_blanks()
            char = self.text[self.at : self.at + 1]
            if char and char not in _ENDS_WORD:
                words += self._words()
                continue
            if char in ("<", ">") or self.text.startswith("&>", self.at):
                words += self._redirection(texts)
                continue
            # A command ends here.
            cases += case_steps(words)
            is_end = bool(words) and ends_group(words)
            words = without_reserved(words)
            if words or texts:
                self.values.note(words)
                sources = writers if joint in ("|", "|&") else ()
                self.found.append(Command(tuple(words), joint, texts, sources))
                writers = (self.found[-1],)
                words, texts = [], []
                joint = ""
            if is_end:
                writers = tuple(self.found[max(start, len(self.found) - _MOST_WRITERS) :])
            if not char:
                if closer:
                    raise Unreadable("a parenthesis is never closed")
                self._read_heredocs()
                return
            if char == ")":
                self.at += 1
                writers = tuple(self.found[max(start, len(self.found) - _MOST_WRITERS) :])
                if opened:
                    opened -= 1
                elif closer and cases <= 0:
                    return
                continue
            if char == "(":
                opened, joint = opened + 1, joint or "("
                self.at += 1
                continue
            if char == "\n":
                self.at += 1
                joint = joint if joint in ("&&", "||", "|", "|&") else "\n"
                self._read_heredocs()
                continue
            joint = next(o for o in _OPERATORS if self.text.startswith(o, self.at))
            self.at += len(joint)

    def _skip_blanks(self) -> None:
        text, at = self.text, self.at
        while at < len(text):
            if text[at] in " \t":
                at += 1
            elif text.startswith("\\\n", at):
                at += 2
            elif text[at] == "#":
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            else:
                break
        self.at = at

    def _redirection(self, texts: list[str]) -> list[Word]:
        """Step over a redirection; `<(…)` is a word, and text given to the command is kept."""
        if self.text[self.at + 1 : self.at + 2] == "(" and self.text[self.at] in "<>":
            self.at += 2
            return [Word(HOLE, "q", self._substitution())]
        operator = next(o for o in _REDIRECTIONS if self.text.startswith(o, self.at))
        self.at += len(operator)
        self._skip_blanks()
        start = self.at
        target = self._raw_word()
        if operator in ("<<", "<<-"):
            expands = not any(mark in self.text[start : self.at] for mark in "'\"\\")
            self.heredocs.append(_Heredoc(target.text, operator == "<<-", expands, texts, len(texts)))
            texts.append("")  # until its body is read, behind the end of the line
        elif operator == "<<<":
            texts.append(target.text)
        # What is substituted into a target runs all the same; its commands are in the list already.
        return []

    def _read_heredocs(self) -> None:
        """Read the bodies that begin on this line, and give each to the command it belongs to."""
        waiting, self.heredocs = self.heredocs, []
        for heredoc in waiting:
            lines = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                line = line.lstrip("\t") if heredoc.has_tabs else line
                if line == heredoc.end:
                    break
                lines.append(line)
            self.at = min(self.at, len(self.text))
            self._keep_body("\n".join(lines), heredoc)

    def _keep_body(self, body: str, heredoc: _Heredoc) -> None:
        if heredoc.expands and ("$" in body or "`" in body):
            reader = _Reader(body + '"', self.depth + 1, self.values)
            body = reader.double_quoted(keeps_quotes=True)[0]
            self.found += reader.found
        heredoc.texts[heredoc.place] = body

    # --- words ---

    def _words(self) -> list[Word]:
        word = self._raw_word()
        follows = self.text[self.at : self.at + 1]
        if follows in ("<", ">") and word.text.isdigit():
            return []  # the number of a stream
        return [piece for whole in expand_braces(word, HOLE) for piece in split_word(whole)]

    def _raw_word(self) -> Word:
        text: list[str] = []
        mask: list[str] = []
        before = len(self.found)
        while self.at < len(self.text) and (char := self.text[self.at]) not in _ENDS_WORD:
            piece, kinds = self._piece(char)
            text.append(piece)
            mask.append(kinds)
        return Word("".join(text), "".join(mask), tuple(self.found[before:]))

    def _piece(self, char: str) -> tuple[str, str]:
        if char == "'":
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise Unreadable("a quotation mark is never closed")
            piece, self.at = self.text[self.at + 1 : end], end + 1
            return piece, "q" * len(piece)
        if char == '"':
            self.at += 1
            return self.double_quoted()
        if char == "\\":
            piece = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            return ("", "") if piece == "\n" else (piece, "q" * len(piece))
        if char in "$`":
            return self._expansion(is_quoted=False)
        self.at += 1
        return char, "b"

    def double_quoted(self, *, keeps_quotes: bool = False) -> tuple[str, str]:
        """Read up to the closing mark; in a here-document every mark but the last is plain text."""
        pieces: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"' and not (keeps_quotes and self.at + 1 < len(self.text)):
                self.at += 1
                text = "".join(pieces)
                return text, "q" * len(text)
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in ("$", "`", '"', "\\", "\n"):
                pieces.append(self.text[self.at + 1].replace("\n", ""))
                self.at += 2
            elif char in "$`":
                pieces.append(self._expansion(is_quoted=True)[0])
            else:
                pieces.append(char)
                self.at += 1
        raise Unreadable("a quotation mark is never closed")

    # --- what a shell replaces ---

    def _expansion(self, *, is_quoted: bool) -> tuple[str, str]:
        """Read `$…` or backticks; give the text it stands for if the line itself says it."""
        hole = (HOLE, "q" if is_quoted else "b")
        if self.text[self.at] == "`":
            script, end = backticked(self.text, self.at + 1)
            if end < 0:
                raise Unreadable("a backtick is never closed")
            self.at = end
            reader = _Reader(script, self.depth + 1, self.values)
            reader.read_commands("")
            self.found += reader.found
            return known_output(reader.found, hole)
        follows = self.text[self.at + 1 : self.at + 2]
        if follows == "(":
            end = arithmetic_end(self.text, self.at + 2)
            if end:
                inside = _Reader(self.text[self.at + 3 : end - 2] + '"', self.depth + 1, self.values)
                inside.double_quoted(keeps_quotes=True)
                self.found += inside.found
                self.at = end
                return hole
            self.at += 2
            return known_output(self._substitution(), hole)
        if follows == "{":
            return self._parameter(hole, is_quoted=is_quoted)
        if follows == "'" and not is_quoted:
            piece, end = ansi_c_quoted(self.text, self.at + 2)
            if end < 0:
                raise Unreadable("a quotation mark is never closed")
            self.at = end
            return piece, "q" * len(piece)
        if follows == '"' and not is_quoted:
            self.at += 1
            return "", ""
        if follows and follows in NAME_START:
            end = self.at + 2
            while end < len(self.text) and self.text[end] in NAME:
                end += 1
            name, self.at = self.text[self.at + 1 : end], end
            return self.values.of(name, is_quoted=is_quoted) or hole
        if follows and follows in _SPECIAL:
            self.at += 2
            return hole
        self.at += 1
        return "$", "q" if is_quoted else "b"

    def _substitution(self) -> tuple[Command, ...]:
        """Read the commands up to the closing parenthesis; they run before the command around them."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unreadable(f"substitutions are nested more than {_DEEPEST} deep")
        before, waiting, self.heredocs = len(self.found), self.heredocs, []
        self.read_commands(")")
        self.heredocs = waiting + self.heredocs
        self.depth -= 1
        return tuple(self.found[before:])

    def _parameter(self, hole: tuple[str, str], *, is_quoted: bool) -> tuple[str, str]:
        """Read `${…}`: a plain name has a value, anything else is a hole, with the commands inside it."""
        end = start = self.at + 2
        while end < len(self.text) and self.text[end] in NAME:
            end += 1
        if self.text[end : end + 1] == "}" and end > start:
            self.at = end + 1
            return self.values.of(self.text[start:end], is_quoted=is_quoted) or hole
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unreadable(f"substitutions are nested more than {_DEEPEST} deep")
        self.at = start
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "}":
                self.at += 1
                self.depth -= 1
                return hole
            if char == '"' or char in "\\$`" or (char == "'" and not is_quoted):
                self._piece(char)
            else:
                self.at += 1
        raise Unreadable("a brace is never closed")
