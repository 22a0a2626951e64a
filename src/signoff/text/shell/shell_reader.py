"""Read shell text as a POSIX shell or bash would, without running one.

`tokens` returns words, operators and redirections in the order of the text. `find_commands` groups them into
simple commands. It builds no tree, because what counts is which commands may run: `if`, loops, subshells,
functions and substitutions all give their commands to one flat list. What only a running shell can know is a
hole in a word (`HOLE`), and each caller decides what a hole may hide.
"""

from collections import namedtuple

from signoff.text.shell.expansions import (
    Values,
    ansi_c_quoted,
    arithmetic_end,
    backticked,
    expand_braces,
    known_output,
    split_word,
)
from signoff.text.shell.shell_parts import (
    BACKTICKS,
    DOLLAR_QUOTE,
    HOLE,
    LAST_BACKSLASH,
    NAME,
    NAME_START,
    OUTPUT,
    VARIABLE,
    CommandWord,
    Operator,
    Redirection,
    ShellCommand,
    UnreadableShell,
)

MAX_COMMAND = 1_000_000
"""The largest number of characters that is read."""

_DEEPEST = 40
_MOST_WRITERS = 50
_ENDS_WORD = frozenset(" \t\n;&|()<>")
_DIGITS = frozenset("0123456789")
_SPECIAL = frozenset("@*#?$!-0123456789")
_OPERATORS = ("&&", "||", ";;", "|&", ";&", ";", "|", "&", "(", ")", "\n")
_REDIRECTIONS = ("<<<", "<<-", "<<", "<>", "<&", "<", ">>", ">&", ">|", ">", "&>>", "&>")
_HEREDOCS = ("<<", "<<-")
_PREFIXES = frozenset(("if", "then", "else", "elif", "while", "until", "do", "!", "{", "}"))
_RESERVED = _PREFIXES | {"fi", "done", "esac", "coproc"}


def find_commands(text: str) -> list[ShellCommand]:
    """Return every simple command of the text, in order.

    Raises `UnreadableShell` if quotes or parentheses do not close.
    """
    reader = _reader(text)
    reader.read_commands("")
    return reader.found


def tokens(text: str) -> list[CommandWord | Operator | Redirection]:
    """Return the words, operators and redirections of the text, comments left out.

    Words are as written: braces are not expanded and values not split. Raises `UnreadableShell` as above.
    """
    reader = _reader(text)
    found: list[CommandWord | Operator | Redirection] = []
    while (token := reader.next_token()) is not None:
        found.append(token)
        if token == Operator("\n"):
            reader.read_heredocs()
    reader.read_heredocs()
    return found


def _reader(text: str) -> "_ShellReader":
    if len(text) > MAX_COMMAND:
        raise UnreadableShell(f"it is longer than {MAX_COMMAND:,} characters")
    return _ShellReader(text.replace("\r\n", "\n"), 0, Values(text))


class _Heredoc(namedtuple("_Heredoc", ("end", "has_tabs", "expands", "body"))):
    __slots__ = ()


class _ShellReader:
    """A place in one text. Substitutions in it are read by the same methods, deeper."""

    def __init__(self, text: str, depth: int, values: Values) -> None:
        self.text = text
        self.at = 0
        self.depth = depth - 1
        self.values = values
        self.found: list[ShellCommand] = []
        self.heredocs: list[_Heredoc] = []
        self.needs: list[str] = []
        self._step_deeper()

    def _step_deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableShell(f"substitutions are nested more than {_DEEPEST} deep")

    # --- commands ---

    def read_commands(self, closer: str) -> None:
        """Read up to the closing parenthesis, or to the end of the text.

        Each operator ends the command before it. Parentheses are only counted, and those that end a pattern
        of `case` are told apart by the number of `case` that are open.
        """
        words: list[CommandWord] = []
        redirections: list[Redirection] = []
        joint, opened, cases = "", 0, 0
        # What a pipe would read from: the last command, or all commands of a group that has just ended.
        start = len(self.found)
        writers: tuple[ShellCommand, ...] = ()
        while True:
            token = self.next_token()
            if isinstance(token, CommandWord):
                words += [piece for whole in expand_braces(token) for piece in split_word(whole)]
                continue
            if isinstance(token, Redirection):
                redirections.append(token)
                continue
            cases += _case_steps(words)
            is_end = bool(words) and _ends_group(words[0])
            words = _without_reserved(words)
            if words or any(redirection.body for redirection in redirections):
                self.values.note(words)
                sources = writers if joint in ("|", "|&") else ()
                self.found.append(ShellCommand(tuple(words), joint, tuple(redirections), sources))
                writers = (self.found[-1],)
                joint = ""
            words, redirections = [], []
            mark = token.text if token is not None else ""
            if is_end or mark == ")":
                writers = tuple(self.found[max(start, len(self.found) - _MOST_WRITERS) :])
            if not mark:
                if closer:
                    raise UnreadableShell("a parenthesis is never closed")
                self.read_heredocs()
                return
            if mark == ")":
                if opened:
                    opened -= 1
                elif closer and cases <= 0:
                    return
            elif mark == "(":
                opened, joint = opened + 1, joint or "("
            elif mark == "\n":
                joint = joint if joint in ("&&", "||", "|", "|&") else "\n"
                self.read_heredocs()
            else:
                joint = mark

    def read_heredocs(self) -> None:
        """Read the bodies that begin on this line, and give each to the redirection it belongs to."""
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
            body = "\n".join(lines)
            if heredoc.expands and ("$" in body or "`" in body):
                reader = _ShellReader(body + '"', self.depth + 1, self.values)
                body = reader._double_quoted(keeps_quotes=True)[0]
                self.found += reader.found
            heredoc.body[0] = body

    # --- tokens ---

    def next_token(self) -> CommandWord | Operator | Redirection | None:
        """Return the next token, or None at the end of the text."""
        self._skip_blanks()
        if self.at >= len(self.text):
            return None
        if self.text[self.at] in "<>" or self.text.startswith("&>", self.at):
            return self._redirection("")
        if self.text[self.at] in _ENDS_WORD:
            operator = next(o for o in _OPERATORS if self.text.startswith(o, self.at))
            self.at += len(operator)
            return Operator(operator)
        word = self._word()
        if self.text[self.at : self.at + 1] in ("<", ">") and word.source and _DIGITS.issuperset(word.source):
            return self._redirection(word.source)
        return word

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

    def _redirection(self, stream: str) -> CommandWord | Redirection:
        """Read a redirection, or the word that `<(…)` is.

        Commands substituted into a target run all the same.
        """
        begin = self.at
        if self.text[self.at + 1 : self.at + 2] == "(" and self.text[self.at] in "<>":
            self.at += 2
            commands = self._substitution()
            return CommandWord(HOLE, "q", commands, self.text[begin : self.at], (OUTPUT,))
        operator = next(o for o in _REDIRECTIONS if self.text.startswith(o, self.at))
        self.at += len(operator)
        self._skip_blanks()
        target = self._word()
        body: list[str] = [target.text] if operator == "<<<" else []
        if operator in _HEREDOCS:
            body = [""]  # until its lines are read, behind the end of this one
            expands = not any(mark in target.source for mark in "'\"\\")
            self.heredocs.append(_Heredoc(target.text, operator == "<<-", expands, body))
        return Redirection(stream, operator, target, body)

    def _word(self) -> CommandWord:
        text: list[str] = []
        mask: list[str] = []
        begin, before, needed = self.at, len(self.found), len(self.needs)
        while self.at < len(self.text) and (char := self.text[self.at]) not in _ENDS_WORD:
            piece, kinds = self._piece(char)
            text.append(piece)
            mask.append(kinds)
        source, needs = self.text[begin : self.at], tuple(self.needs[needed:])
        return CommandWord("".join(text), "".join(mask), tuple(self.found[before:]), source, needs)

    def _piece(self, char: str) -> tuple[str, str]:
        if char == "'":
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise UnreadableShell("a quotation mark is never closed")
            piece, self.at = self.text[self.at + 1 : end], end + 1
            return piece, "q" * len(piece)
        if char == '"':
            self.at += 1
            return self._double_quoted()
        if char == "\\":
            piece = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            if not piece:
                self.needs.append(LAST_BACKSLASH)
            return ("", "") if piece == "\n" else (piece, "q" * len(piece))
        if char in "$`":
            return self._expansion(is_quoted=False)
        self.at += 1
        return char, "b"

    def _double_quoted(self, *, keeps_quotes: bool = False) -> tuple[str, str]:
        """Read up to the closing mark. In a here-document every mark but the last is plain text."""
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
        raise UnreadableShell("a quotation mark is never closed")

    # --- what a shell replaces ---

    def _expansion(self, *, is_quoted: bool) -> tuple[str, str]:
        """Read `$…` or backticks, and return the text it stands for if the line itself tells it.

        The character behind the dollar sign decides which of the shell's expansions it is. Before any other
        character a dollar sign is plain text.
        """
        hole = (HOLE, "q" if is_quoted else "b")
        if self.text[self.at] == "`":
            self.needs.append(BACKTICKS)
            script, self.at = backticked(self.text, self.at + 1)
            reader = _ShellReader(script, self.depth + 1, self.values)
            reader.read_commands("")
            self.found += reader.found
            return known_output(reader.found, hole)
        follows = self.text[self.at + 1 : self.at + 2]
        if follows == "(":
            return self._output(hole)
        if follows == "{":
            return self._parameter(hole, is_quoted=is_quoted)
        if follows == "'" and not is_quoted:
            self.needs.append(DOLLAR_QUOTE)
            piece, self.at = ansi_c_quoted(self.text, self.at + 2)
            return piece, "q" * len(piece)
        if follows == '"' and not is_quoted:
            self.needs.append(DOLLAR_QUOTE)
            self.at += 1
            return "", ""
        if follows and follows in NAME_START:
            self.needs.append(VARIABLE)
            end = self._name_end(self.at + 2)
            name, self.at = self.text[self.at + 1 : end], end
            return self.values.of(name, is_quoted=is_quoted) or hole
        if follows and follows in _SPECIAL:
            self.needs.append(VARIABLE)
            self.at += 2
            return hole
        self.at += 1
        return "$", "q" if is_quoted else "b"

    def _output(self, hole: tuple[str, str]) -> tuple[str, str]:
        """Read `$(…)` and `$((…))`, in which commands may be substituted as well."""
        self.needs.append(OUTPUT)
        end = arithmetic_end(self.text, self.at + 2)
        if not end:
            self.at += 2
            return known_output(self._substitution(), hole)
        inside = _ShellReader(self.text[self.at + 3 : end - 2] + '"', self.depth + 1, self.values)
        inside._double_quoted(keeps_quotes=True)
        self.found += inside.found
        self.at = end
        return hole

    def _substitution(self) -> tuple[ShellCommand, ...]:
        """Read the commands up to the closing parenthesis, which run before the command around them."""
        self._step_deeper()
        before, waiting, self.heredocs = len(self.found), self.heredocs, []
        self.read_commands(")")
        self.heredocs = waiting + self.heredocs
        self.depth -= 1
        return tuple(self.found[before:])

    def _parameter(self, hole: tuple[str, str], *, is_quoted: bool) -> tuple[str, str]:
        """Read `${…}`: a plain name has a value, anything else is a hole, with the commands inside it."""
        self.needs.append(VARIABLE)
        start = self.at + 2
        end = self._name_end(start)
        if self.text[end : end + 1] == "}" and end > start:
            self.at = end + 1
            return self.values.of(self.text[start:end], is_quoted=is_quoted) or hole
        self._step_deeper()
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
        raise UnreadableShell("a brace is never closed")

    def _name_end(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in NAME:
            at += 1
        return at


# --- grammar, as far as it can be told from words alone ---


def _without_reserved(words: list[CommandWord]) -> list[CommandWord]:
    """Take off the words of the grammar before a command, such as `then` and `{`."""
    at = 0
    while at < len(words) and "q" not in words[at].mask:
        if words[at].text == "function":
            at += 2
        elif words[at].text in _RESERVED:
            at += 1
        else:
            break
    return words[at:]


def _ends_group(word: CommandWord) -> bool:
    """Check whether the word ends a group of commands, whose output a pipe behind it would take."""
    return "q" not in word.mask and word.text in ("}", "fi", "done", "esac")


def _case_steps(words: list[CommandWord]) -> int:
    """Return 1 if this command opens a `case`, whose patterns end in a parenthesis, -1 if it closes one."""
    names = [word.text for word in words[:8] if word.mask.count("b") == len(word.text)]
    while names and names[0] in _PREFIXES:
        names = names[1:]
    return {"case": 1, "esac": -1}.get(names[0] if names else "", 0)
