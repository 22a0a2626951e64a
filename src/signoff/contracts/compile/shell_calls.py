"""One program of a planner's command, and the check it becomes. Pure, used by the idioms."""

from typing import Final, NamedTuple

from signoff.contracts.compile.expectations import ExpectedOutcome
from signoff.domain.work.checks import ContractCheck
from signoff.text.json.violation_list import shown
from signoff.text.repo_paths import plain, why_outside
from signoff.text.shell.shell_words import ShellWord

SELF_CONTRADICTION: Final = "`Fail if` names the very case that is expected: correct one of them"

_NULL_DEVICE: Final = "/dev/null"


class Translated(NamedTuple):
    """A check that asks for no less than the command did."""

    check: ContractCheck
    note: str = ""
    """Text of a warning, where the check asks for more than the command."""


class Untranslated(NamedTuple):
    """The reason why no check says the same as a command, and what to write instead."""

    why: str


class ProgramCall(NamedTuple):
    """A program with its words, and the outcome that is expected of it."""

    words: tuple[ShellWord, ...]
    outcome: ExpectedOutcome
    failure: ExpectedOutcome
    """The outcome that `Fail if` names, with every field at its default where that was not understood."""
    is_negated: bool

    @property
    def program(self) -> str:
        """The name of the program as written."""
        return self.words[0].text

    @property
    def args(self) -> tuple[ShellWord, ...]:
        """The words behind the name."""
        return self.words[1:]


def file_path(word: ShellWord) -> str | Untranslated:
    """Return the path below the root that a word names, with its trailing slash.

    Brackets stay as they are: `app/[id]/page.tsx` is a real path, and a shell leaves it alone too.
    """
    if word.is_home:
        return Untranslated(f"{shown(word.text)} leaves the repository: it lies in a home directory")
    if word.has_braces:
        return Untranslated(f"{shown(word.text)} stands for several files: write a check for each")
    if set(word.text) & set("*?"):
        return Untranslated(
            f"{shown(word.text)} has wildcards: write them behind **Path:**, or name the file"
        )
    if why := why_outside(word.text):
        why = f"leaves the repository: it {why}" if why == "is absolute" else why
        return Untranslated(f"{shown(word.text)} {why}")
    return plain(word.text) + ("/" if word.text.endswith("/") else "")


def looks_like_file(path: str) -> bool:
    """Check whether a name is that of a file: `a.ts`, `.env`, `Makefile`. Any other may be a folder's."""
    name = path.rsplit("/", 1)[-1]
    return "." in name or name[:1].isupper()


def plain_args(words: tuple[ShellWord, ...]) -> tuple[str, ...] | Untranslated:
    """Return the words as the program receives them.

    A word that needs a shell, or names a file outside of the repository, is a gap.
    """
    for word in words:
        if word.has_wildcard or word.has_brackets:
            return Untranslated(
                f"{shown(word.text)} has wildcards, which need a shell: quote it or name the files"
            )
        if word.has_braces:
            return Untranslated(f"{shown(word.text)} has braces, which need a shell: name the files")
        value = word.text.partition("=")[2] if word.text.startswith("-") else word.text
        is_outside = value != _NULL_DEVICE and (value.startswith("/") or ".." in value.split("/"))
        if word.is_home or is_outside:
            return Untranslated(f"{shown(word.text)} leaves the repository: name a path below its root")
    return tuple(word.text for word in words)
