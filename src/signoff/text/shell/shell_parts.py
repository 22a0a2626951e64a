"""The records that shell text is read into: words, operators, redirections and commands."""

from collections import namedtuple

HOLE = "\0"
"""Stands in a word for text that is known only when the command runs."""

NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME = NAME_START | frozenset("0123456789")

VARIABLE, OUTPUT, BACKTICKS, DOLLAR_QUOTE, LAST_BACKSLASH = (
    "variable", "output", "backticks", "dollar-quote", "last-backslash",
)  # fmt: skip
"""What a word may need a running shell for, see `Word.needs`."""


class UnreadableShell(Exception):  # noqa: N818  # callers turn it into a finding or a gap
    """The text cannot be read as a shell would read it."""


class CommandWord(
    namedtuple("CommandWord", ("text", "mask", "inner", "source", "needs"), defaults=("", (), "", ()))
):
    """One word as the program would be given it."""

    __slots__ = ()
    text: str
    mask: str
    """For each character: `b` bare, `q` quoted, `s` a blank at which the shell splits a value."""
    inner: "tuple[ShellCommand, ...]"
    """The commands whose output goes into it."""
    source: str
    """The word as it is written, with its quotes."""
    needs: tuple[str, ...]
    """The constructs in it that only a running shell can replace, in the order of the text."""

    @property
    def is_known(self) -> bool:
        """Whether no part of the text is left to the running shell."""
        return HOLE not in self.text

    @property
    def may_split(self) -> bool:
        """Whether the shell may make no word of it, or several."""
        return any(char == HOLE and kind == "b" for char, kind in zip(self.text, self.mask, strict=True))

    @property
    def has_wildcard(self) -> bool:
        """Whether the shell would look for files of this form."""
        return any(char in "*?[" and kind == "b" for char, kind in zip(self.text, self.mask, strict=True))

    @property
    def assigned(self) -> str:
        """The name of the variable it sets when it stands before a command, else empty."""
        name = variable_set(self.text)
        return name if "q" not in self.mask[: len(name)] else ""


class Operator(namedtuple("Operator", ("text",))):
    """A separator of commands: an operator of the shell, a parenthesis, or the end of a line."""

    __slots__ = ()
    text: str


class Redirection(namedtuple("Redirection", ("stream", "operator", "target", "body"))):
    """Where a stream goes to or comes from."""

    __slots__ = ()
    stream: str
    operator: str
    target: CommandWord
    body: list[str]
    """The text of a here-document or here-string, else empty. Filled when its lines have been read."""


class ShellCommand(namedtuple("ShellCommand", ("words", "joint", "redirections", "sources"))):
    """A simple command: its words, the operator before it, its redirections, and what is piped into it."""

    __slots__ = ()
    words: tuple[CommandWord, ...]
    joint: str
    redirections: tuple[Redirection, ...]
    sources: "tuple[ShellCommand, ...]"
    """The commands whose output it reads: one, or those of a group."""

    @property
    def texts(self) -> list[str]:
        """The here-documents and here-strings that it reads."""
        return [text for redirection in self.redirections for text in redirection.body]


def variable_set(text: str) -> str:
    """Return the name of the variable that `NAME=value` or `NAME+=value` sets, empty for other text."""
    name, equals, _ = text.partition("=")
    name = name.removesuffix("+")
    return name if equals and name[:1] in NAME_START and name and set(name) <= NAME else ""
