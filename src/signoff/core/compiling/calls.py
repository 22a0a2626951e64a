"""One program of a planner's command, taken out of the shell syntax around it. Pure; used by the idioms."""

from typing import Final, NamedTuple

from signoff.core.compiling.expectations import Wish
from signoff.core.compiling.shell_words import Word
from signoff.core.compiling.translations import Expected, Untranslated
from signoff.core.repo_paths import plain, why_outside
from signoff.core.violations import shown

NULL_DEVICE: Final = "/dev/null"


class Call(NamedTuple):
    """A program with its words, and what is expected of it."""

    words: tuple[Word, ...]
    wish: Wish
    expected: Expected
    kind: str = ""
    """The type of check the planner asked for; empty when none was."""
    cwd: str = "."
    is_negated: bool = False
    is_muted: bool = False
    """Its output goes to the null device."""
    joins_errors: bool = False
    """What it writes to stderr counts as its output."""
    has_alarm: bool = False
    """A word is printed when it fails."""

    @property
    def program(self) -> str:
        """The name of the program as written."""
        return self.words[0].text

    @property
    def args(self) -> tuple[Word, ...]:
        """Its words."""
        return self.words[1:]


def file_path(word: Word, cwd: str, *, may_match: bool = False) -> str | Untranslated:
    """Give the path below the root that a word names; wildcards only where the caller can use a glob.

    Brackets stay as they are: `app/[id]/page.tsx` is a real path, and a shell leaves it alone too.
    """
    if why := _why_no_path(word, may_match=may_match):
        return Untranslated(f"{shown(word.text)} {why}")
    if why := why_outside(word.text):
        return Untranslated(f"{shown(word.text)} {_leaving(why)}")
    return plain(f"{cwd}/{word.text}") + ("/" if word.text.endswith("/") else "")


def looks_like_file(path: str) -> bool:
    """Say whether a name is that of a file: `a.ts`, `.env`, `Makefile`; any other may be a folder's."""
    name = path.rsplit("/", 1)[-1]
    return "." in name or name[:1].isupper()


def _why_no_path(word: Word, *, may_match: bool) -> str:
    marks = sum(word.text.count(mark) for mark in "*?")
    bare = sum(word.bare.count(mark) for mark in "*?")
    if word.is_home:
        return "leaves the repository: it lies in a home directory"
    if word.has_braces:
        return "stands for several files, and a check names one"
    if marks and not may_match:
        return "has wildcards, which only a shell resolves here"
    return "has a wildcard in quotes" if marks != bare else ""


def plain_args(words: tuple[Word, ...]) -> tuple[str, ...] | Untranslated:
    """Give the words as a program is given them; none may need a shell or name a file elsewhere."""
    for word in words:
        if word.has_wildcard or word.has_brackets:
            return Untranslated(
                f"{shown(word.text)} has wildcards, which need a shell; quote it or name the files"
            )
        if word.has_braces:
            return Untranslated(f"{shown(word.text)} has braces, which need a shell")
        if word.is_home or _leaves(word.text):
            return Untranslated(f"{shown(word.text)} leaves the repository")
    return tuple(word.text for word in words)


def _leaves(text: str) -> bool:
    value = text.partition("=")[2] if text.startswith("-") else text
    return value != NULL_DEVICE and (value.startswith("/") or ".." in value.split("/"))


def _leaving(why: str) -> str:
    return f"leaves the repository: it {why}" if why == "is absolute" else why
