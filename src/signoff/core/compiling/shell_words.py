"""Split a command into words and operators as a POSIX shell would, without ever running one. Pure.

Called by `idioms`. What only a running shell can know (variables, the output of other commands, text that
follows on later lines) is a `ShellProblem` that says so; nothing is guessed.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_COMMAND: Final = 4_000

_OPERATORS: Final = ("&&", "||", ";;", "|&", ";", "|", "&", "(", ")", "\n")
_REDIRECTION = re.compile(r"(\d*)(&>>|&>|<<<|<<|<>|<&|<|>>|>&|>\||>)")
_NAME_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_EXPANDS = re.compile(r"\$(?:[A-Za-z0-9_@*#?$!{('\"-])")
_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}")


class Word(NamedTuple):
    """One word as the program would be given it."""

    text: str
    bare: str = ""
    """The same word with a space for every character that was quoted: what the shell itself would act on."""

    @property
    def has_wildcard(self) -> bool:
        """Whether the shell would look for files of this form."""
        return "*" in self.bare or "?" in self.bare

    @property
    def has_brackets(self) -> bool:
        """Whether it holds a bracket expression; without such a file the shell leaves the word as it is."""
        return "[" in self.bare and "]" in self.bare

    @property
    def has_braces(self) -> bool:
        """Whether bash would make several words of it."""
        return bool(_BRACES.search(self.bare))

    @property
    def is_assignment(self) -> bool:
        """Whether it sets a variable, standing before a command."""
        return bool(_NAME_ASSIGNED.match(self.bare))

    @property
    def is_home(self) -> bool:
        """Whether the shell would put a home directory in its place."""
        return self.bare.startswith("~")


class Operator(NamedTuple):
    """What stands between commands: `&&`, `||`, `;`, `|`, `&`, a parenthesis or the end of a line."""

    text: str


class Redirection(NamedTuple):
    """Where a stream goes to or comes from."""

    stream: str
    operator: str
    target: str


class ShellProblem(NamedTuple):
    """Why the words cannot be known without running a shell."""

    why: str


Token = Word | Operator | Redirection


def split(command: str) -> tuple[Token, ...] | ShellProblem:
    """Give the words, operators and redirections of a command; comments are gone."""
    if len(command) > MAX_COMMAND:
        return ShellProblem(f"the command is longer than {MAX_COMMAND:,} characters")
    text = command.replace("\r\n", "\n").strip().replace("\\\n", "")
    try:
        return tuple(_tokens(text))
    except _Stuck as stuck:
        return ShellProblem(str(stuck))


class _Stuck(Exception):  # noqa: N818  # it says where reading ended, and never leaves this module
    pass


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
        elif text[at] == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif redirection := _REDIRECTION.match(text, at):
            token, at = _redirection(text, redirection)
            yield token
        elif operator := next((o for o in _OPERATORS if text.startswith(o, at)), ""):
            at += len(operator)
            yield Operator(operator)
        else:
            word, at = _word(text, at)
            yield word


def _redirection(text: str, found: re.Match[str]) -> tuple[Redirection, int]:
    stream, operator = found.groups()
    if operator in ("<<", "<<<"):
        raise _Stuck("it reads text written into the command, which needs a shell")
    at = found.end()
    while at < len(text) and text[at] in " \t":
        at += 1
    target, at = _word(text, at)
    if not target.text:
        raise _Stuck("a redirection leads nowhere")
    return Redirection(stream, operator, target.text), at


def _word(text: str, at: int) -> tuple[Word, int]:
    plain: list[str] = []
    bare: list[str] = []
    while at < len(text) and text[at] not in " \t\n;&|()<>":
        char = text[at]
        if char in "'\"":
            piece, at = (_single if char == "'" else _double)(text, at + 1)
            plain.append(piece)
            bare.append(" " * max(1, len(piece)))
        elif char == "\\":
            if at + 1 == len(text):
                raise _Stuck("it ends in a backslash")
            plain.append(text[at + 1])
            bare.append(" ")
            at += 2
        else:
            _refuse_expansion(text, at)
            plain.append(char)
            bare.append(char)
            at += 1
    return Word("".join(plain), "".join(bare)), at


def _single(text: str, at: int) -> tuple[str, int]:
    end = text.find("'", at)
    if end < 0:
        raise _Stuck("a quotation mark is never closed")
    return text[at:end], end + 1


def _double(text: str, at: int) -> tuple[str, int]:
    piece: list[str] = []
    while at < len(text) and text[at] != '"':
        # Inside double quotes a backslash escapes these four and is itself before anything else.
        if text[at] == "\\" and text[at + 1 : at + 2] in ("$", "`", '"', "\\"):
            at += 1
        else:
            _refuse_expansion(text, at, quoted=True)
        piece.append(text[at])
        at += 1
    if at >= len(text):
        raise _Stuck("a quotation mark is never closed")
    return "".join(piece), at + 1


def _refuse_expansion(text: str, at: int, *, quoted: bool = False) -> None:
    """Stop at what a shell would replace; a `$` before anything else is only a dollar sign."""
    if text[at] == "`":
        raise _Stuck("it takes the output of another command (backticks), which needs a shell")
    if text[at] != "$" or not (found := _EXPANDS.match(text, at)):
        return
    match found.group()[1]:
        case "(":
            raise _Stuck("it takes the output of another command, `$(…)`, which needs a shell")
        case "'" | '"':
            if quoted:  # "price$" ends a text; only outside quotes does $" begin one
                return
            raise _Stuck("it quotes with `$`, which needs a shell")
        case _:
            raise _Stuck("it uses a shell variable")
