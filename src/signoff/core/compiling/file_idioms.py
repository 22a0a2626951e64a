"""Turn `test`, `[`, `ls`, `stat` and `cat` into a `file-exists`, or into `test` run without a shell. Pure.

Called by `idioms`. A `file-exists` asks for a regular file, so it stands for `-f`; where the command would
also accept a folder and the name does not look like a file, `test -e` itself is the check.
"""

from typing import Final

from signoff.core.compiling.calls import Call, file_path, looks_like_file, plain_args
from signoff.core.compiling.expectations import Wish, parts_of, read_text
from signoff.core.compiling.shell_words import Word
from signoff.core.compiling.translations import Translated, Untranslated
from signoff.domain.checks import CommandExit, FileExists

TESTS: Final = frozenset({"test", "[", "[["})
LISTERS: Final = frozenset({"ls", "stat"})

_FILE_FLAGS: Final = frozenset({"-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h"})
_NO_FOLDER: Final = "a folder of that name would not do"


def tested_check(call: Call) -> Translated | Untranslated:
    """Translate a test; one of a file that must be there is a `file-exists`."""
    words = _operands(call)
    if isinstance(words, Untranslated):
        return words
    is_inverted = call.is_negated
    if words and words[0].text == "!":
        words, is_inverted = words[1:], not is_inverted
    if len(words) != 2 or words[0].text not in _FILE_FLAGS:
        return _other_test(call, words, is_inverted=is_inverted)
    path = file_path(words[1], ".")
    if isinstance(path, Untranslated):
        return path
    holds = _holds(call, words[1].text, is_inverted=is_inverted)
    if isinstance(holds, Untranslated):
        return holds
    flag = words[0].text
    if holds and not is_inverted and flag in ("-f", "-e") and not path.endswith("/"):
        return _there(call, words[1], is_file=flag == "-f")
    args = (*("!",) * is_inverted, flag, words[1].text)
    return Translated(_run_test(call, args, 0 if holds else 1))


def listed_check(call: Call) -> Translated | Untranslated | None:
    """Translate `ls x` or `stat x`; None where more is asked for than that something is there."""
    options = [word.text for word in call.args if word.text.startswith("-")]
    names = [word for word in call.args if not word.text.startswith("-")]
    if len(names) != 1 or any(set(option) - set("-la1hAp") for option in options) or call.is_negated:
        return None
    if call.wish.silent or call.wish.output not in (None, names[0].text):
        return None
    holds = _holds(call, names[0].text, is_inverted=False)
    if isinstance(holds, Untranslated):
        return holds
    if not holds:
        return Untranslated(f"`{call.program}` is expected to fail: write `test ! -e {names[0].text}`")
    return _there(call, names[0], is_file=False)


def named_file(call: Call, word: Word) -> Translated | Untranslated:
    """Translate a block that asks for a file and names it, alone or behind `cat`."""
    path = file_path(word, call.cwd)
    if isinstance(path, Untranslated):
        return path
    if call.is_negated or call.wish.silent:
        return Untranslated("a file that is not to be read has no counterpart: write `test ! -e`")
    if call.wish.output is not None and call.wish.output != word.text:
        only = call.wish._replace(output=None)
        if only != Wish() or call.is_muted:
            return Untranslated("more is expected of the file than one text")
        return Translated(FileExists(path=path.rstrip("/"), must_contain=call.wish.output))
    holds = _holds(call, word.text, is_inverted=False)
    if isinstance(holds, Untranslated):
        return holds
    if not holds:
        return Translated(_run_test(call, ("!", "-e", word.text), 0))
    return _there(call, word, is_file=True)


def _operands(call: Call) -> tuple[Word, ...] | Untranslated:
    closing = {"test": "", "[": "]", "[[": "]]"}[call.program]
    if not closing:
        return call.args
    if call.words[-1].text != closing:
        return Untranslated(f"`{call.program}` is not closed by `{closing}`")
    return call.args[:-1]


def _other_test(call: Call, words: tuple[Word, ...], *, is_inverted: bool) -> Translated | Untranslated:
    if call.program == "[[":
        return Untranslated("`[[` is part of the shell")
    args = plain_args(words)
    if isinstance(args, Untranslated):
        return args
    if is_inverted or not args:
        return Untranslated("a test that is not of one file has no counterpart here")
    if call.wish._replace(exit_code=None, note="") != Wish():
        return Untranslated("what is expected of the test is not understood")
    return Translated(_run_test(call, args, call.wish.exit_code or 0), call.wish.note)


def _run_test(call: Call, args: tuple[str, ...], code: int) -> CommandExit:
    return CommandExit(command="test", args=args, cwd=call.cwd, expected_exit=code)


def _there(call: Call, word: Word, *, is_file: bool) -> Translated | Untranslated:
    path = file_path(word, call.cwd)
    if isinstance(path, Untranslated):
        return path
    if path.endswith("/") or not (is_file or looks_like_file(path) or call.kind == "file-exists"):
        return Translated(_run_test(call, ("-e", word.text), 0))
    return Translated(FileExists(path=path), call.wish.note or ("" if is_file else _NO_FOLDER))


def _holds(call: Call, name: str, *, is_inverted: bool) -> bool | Untranslated:
    """Say whether the test must hold; a path that is repeated as what is expected says nothing more."""
    wish = call.wish
    if wish.output == name or parts_of(call.expected.text) == [name]:
        wish = wish._replace(output=None)
    counts = (wish.number, wish.at_least, wish.matches, wish.exactly, wish.output)
    if wish.nonzero or any(item is not None for item in counts):
        return Untranslated("what is expected of a file that is there or not is not understood")
    if wish.exit_code not in (None, 0, 1):
        return Untranslated(f"a test ends with {wish.exit_code} when it could not be made")
    fails = wish.fails or wish.exit_code == 1
    if wish.there is None:
        return not fails
    holds = wish.there != is_inverted
    if (fails and holds) or (wish.exit_code == 0 and not holds):
        return Untranslated("what is expected says two things")
    if is_inverted and wish.there:
        return Untranslated("the command asks for no file, and the text for one")
    return holds


def names_only(text: str, name: str) -> bool:
    """Say whether an expectation is nothing but this name."""
    return parts_of(text) == [name] and not isinstance(read_text(text), Wish)
