"""The words of a command that needs no shell, for the idioms.

A thin layer over `shell_reader`: what only a running shell can know (variables, the output of other
commands, text on later lines) is a `ShellProblem` that says so. Nothing is guessed.
"""

import re
from typing import Final, NamedTuple

from signoff.text.shell import shell_parts, shell_reader
from signoff.text.shell.shell_parts import Operator, UnreadableShell

__all__ = ["MAX_COMMAND", "Operator", "PlainRedirection", "ShellProblem", "ShellWord", "Token", "split"]

MAX_COMMAND: Final = 4_000

_NAME_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_BRACES = re.compile(r"\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}")
_PROBLEMS: Final = {
    shell_parts.VARIABLE: "it uses a shell variable",
    shell_parts.OUTPUT: "it takes the output of another command, `$(…)`, which needs a shell",
    shell_parts.BACKTICKS: "it takes the output of another command (backticks), which needs a shell",
    shell_parts.DOLLAR_QUOTE: "it quotes with `$`, which needs a shell",
    shell_parts.LAST_BACKSLASH: "it ends in a backslash",
}


class ShellWord(NamedTuple):
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
        """Whether it holds a bracket expression. Without such a file the shell leaves the word as it is."""
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


class PlainRedirection(NamedTuple):
    """Where a stream goes to or comes from."""

    stream: str
    operator: str
    target: str


class ShellProblem(NamedTuple):
    """Why the words cannot be known without running a shell."""

    why: str


Token = ShellWord | Operator | PlainRedirection


def split(command: str) -> tuple[Token, ...] | ShellProblem:
    """Return the words, operators and redirections of a command, or the first construct that needs a shell.

    Raises nothing: text that no shell could read is a problem like any other.
    """
    if len(command) > MAX_COMMAND:
        return ShellProblem(f"the command is longer than {MAX_COMMAND:,} characters")
    found: list[Token] = []
    try:
        for token in shell_reader.tokens(command.strip()):
            word = token.target if isinstance(token, shell_parts.Redirection) else token
            if isinstance(word, shell_parts.CommandWord) and word.needs:
                return ShellProblem(_PROBLEMS[word.needs[0]])
            if isinstance(token, shell_parts.Redirection):
                if token.operator.startswith("<<"):
                    return ShellProblem("it reads text written into the command, which needs a shell")
                if not token.target.text:
                    return ShellProblem("a redirection leads nowhere")
                found.append(PlainRedirection(token.stream, token.operator, token.target.text))
            else:
                found.append(token if isinstance(token, Operator) else ShellWord(token.text, _bare(token)))
    except UnreadableShell as why:
        return ShellProblem(str(why))
    return tuple(found)


def _bare(word: shell_parts.CommandWord) -> str:
    bare = "".join(char if kind == "b" else " " for char, kind in zip(word.text, word.mask, strict=True))
    # An empty quotation leaves no character, but to the shell `''~` is no home and `A''=1` sets nothing.
    source = word.source.replace("\\\n", "")
    at = next((at for at, char in enumerate(bare) if source[at : at + 1] != char), len(bare))
    return bare if bare[at : at + 1] in ("", " ") else f"{bare[:at]} {bare[at:]}"
