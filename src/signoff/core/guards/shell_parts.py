"""The words and commands that a command line is made of. Pure records, used by all that reads shell text."""

from collections import namedtuple

HOLE = "\0"
"""Stands in a word for text that is known only when the command runs."""

NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
NAME = NAME_START | frozenset("0123456789")


class Unreadable(Exception):  # noqa: N818  # it says where reading ended; the guards make a finding of it
    """The text cannot be read as a shell would read it."""


class Word(namedtuple("Word", ("text", "mask", "inner"), defaults=("", ()))):
    """One word as the program would be given it."""

    __slots__ = ()
    text: str
    mask: str
    """For each character: `b` bare, `q` quoted, `s` a blank at which the shell splits a value."""
    inner: "tuple[Command, ...]"
    """The commands whose output goes into it."""

    @property
    def is_known(self) -> bool:
        """Whether nothing in it is left to the running shell."""
        return HOLE not in self.text

    @property
    def may_split(self) -> bool:
        """Whether the shell may make several words of it, or none."""
        return any(char == HOLE and kind == "b" for char, kind in zip(self.text, self.mask, strict=True))

    @property
    def has_wildcard(self) -> bool:
        """Whether the shell would look for files of this form."""
        return any(char in "*?[" and kind == "b" for char, kind in zip(self.text, self.mask, strict=True))

    @property
    def assigned(self) -> str:
        """The name of the variable it sets, standing before a command; empty if it sets none."""
        name, equals, _ = self.text.partition("=")
        name = name.removesuffix("+")
        bare = "q" not in self.mask[: len(name)]
        return name if equals and bare and name[:1] in NAME_START and set(name) <= NAME else ""


class Command(namedtuple("Command", ("words", "joint", "texts", "sources"))):
    """A simple command: its words, the operator before it, what it reads, and what is piped into it."""

    __slots__ = ()
    words: tuple[Word, ...]
    joint: str
    texts: list[str]
    """Here-documents and here-strings."""
    sources: "tuple[Command, ...]"
    """The commands whose output it reads: one, or those of a group."""
