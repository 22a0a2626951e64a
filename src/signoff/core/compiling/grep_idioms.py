"""Turn a call of grep or rg into a `grep-match`. Pure; called by `idioms`.

A `grep-match` knows present and absent. A count of exactly 1 is left to grep itself, run without a shell.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from signoff.core.compiling.calls import Call, file_path, looks_like_file
from signoff.core.compiling.expectations import (
    Wish,
    fails_on_nothing,
    fails_on_something,
)
from signoff.core.compiling.grep_patterns import Dialect, Matching, NoPattern, to_python
from signoff.core.compiling.shell_words import Word
from signoff.core.compiling.translations import Translated, Untranslated
from signoff.core.globs import is_glob
from signoff.domain.checks import CommandExit, Expectation, GrepMatch

GREPS: Final = frozenset({"grep", "egrep", "fgrep", "rg"})

_LONG: Final = {
    "quiet": "q",
    "silent": "q",
    "count": "c",
    "line-number": "n",
    "files-with-matches": "l",
    "recursive": "r",
    "dereference-recursive": "R",
    "extended-regexp": "E",
    "fixed-strings": "F",
    "basic-regexp": "G",
    "perl-regexp": "P",
    "ignore-case": "i",
    "word-regexp": "w",
    "line-regexp": "x",
    "no-messages": "s",
    "only-matching": "o",
    "color": "h",
    "colour": "h",
    "no-filename": "h",
    "with-filename": "H",
}
_KNOWN: Final = {"grep": frozenset("qcnlrREFGPiwxsohH"), "rg": frozenset("qcnlFiwxoH")}
_DIALECTS: Final = {"E": Dialect.EXTENDED, "F": Dialect.FIXED, "G": Dialect.BASIC, "P": Dialect.PERL}
_NEVER_READ: Final = frozenset({"node_modules", ".git", ".venv", "venv", "__pycache__"})
"""Folders that a wildcard of a check does not reach into anyway."""


class GrepCall(NamedTuple):
    """What a command line of grep asks for."""

    patterns: tuple[Word, ...]
    paths: tuple[Word, ...]
    options: frozenset[str]
    include: str = ""

    @property
    def is_recursive(self) -> bool:
        """Whether it reads the files of a folder."""
        return bool(self.options & {"r", "R"})


class _Exactly(NamedTuple):
    number: int


def grep_check(
    call: Call, *, piped_file: Word | None = None, is_counted: bool = False, is_piped: bool = False
) -> Translated | Untranslated:
    """Translate a call of grep; `is_counted` where `wc -l` follows, `is_piped` where anything does."""
    read = _parse(call)
    if isinstance(read, Untranslated):
        return read
    if piped_file is not None:
        if read.paths or read.is_recursive:
            return Untranslated("grep reads files and a pipe at once")
        read = read._replace(paths=(piped_file,))
    wanted = _wanted(call, read, is_counted=is_counted or "c" in read.options, is_piped=is_piped)
    if isinstance(wanted, Untranslated):
        return wanted
    path = _path(call, read)
    if isinstance(path, Untranslated):
        return path
    if isinstance(wanted, _Exactly):
        return _counting(call, read, path)
    return _match(call, read, path, wanted)


def _match(call: Call, read: GrepCall, path: str, wanted: Expectation) -> Translated | Untranslated:
    is_absent = wanted is Expectation.ABSENT
    is_rg = call.program == "rg"
    is_wide = read.is_recursive or is_glob(path) or (is_rg and not looks_like_file(path))
    if is_rg and is_wide and not is_absent:
        return Untranslated(
            "`rg` leaves hidden and ignored files aside, which a check does not: name one file"
        )
    pattern = to_python([word.text for word in read.patterns], _matching(call.program, read, wide=is_absent))
    if isinstance(pattern, NoPattern):
        return Untranslated(pattern.why)
    check = GrepMatch(path=path, pattern=pattern, expect=wanted)
    note = "binary files, and folders such as node_modules, are not read" if is_absent and is_wide else ""
    if any(word.has_wildcard for word in read.paths):
        note = "the wildcards cover hidden files too, and `**` any depth"
    return Translated(check, call.wish.note or note)


def _matching(program: str, read: GrepCall, *, wide: bool) -> Matching:
    dialect = {"egrep": Dialect.EXTENDED, "fgrep": Dialect.FIXED, "rg": Dialect.RUST}.get(
        program, Dialect.BASIC
    )
    for option in read.options & _DIALECTS.keys():
        dialect = _DIALECTS[option]
    return Matching(
        dialect=dialect,
        ignore_case="i" in read.options,
        whole_words="w" in read.options,
        whole_lines="x" in read.options,
        wide=wide,
    )


def _parse(call: Call) -> GrepCall | Untranslated:
    """Sort the words into options, patterns and files; options may stand anywhere before `--`."""
    options: set[str] = set()
    patterns: list[Word] = []
    operands: list[Word] = []
    include: list[str] = []
    rest = list(call.args)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.text.partition("=")
        if word.text == "--":
            operands += rest
            break
        if not word.text.startswith("-") or word.text == "-":
            operands.append(word)
        elif name in ("--include", "--regexp"):
            if not equals and not rest:
                return Untranslated(f"`{name}` has no value")
            taken = Word(value, word.bare[len(name) + 1 :]) if equals else rest.pop(0)
            if name == "--regexp":
                patterns.append(taken)
            elif taken.has_braces or set(taken.text) & set("[]{}/\\"):
                return Untranslated(f"`--include` names more than one kind of file: `{taken.text}`")
            else:
                include.append(taken.text)
        elif name == "--exclude-dir" and value in _NEVER_READ:
            continue
        elif word.text.startswith("--"):
            if name[2:] not in _LONG or (equals and name not in ("--color", "--colour")):
                return Untranslated(f"the option `{name}` of {call.program} has no counterpart in a check")
            options.add(_LONG[name[2:]])
        else:
            flags, has_pattern, attached = word.text[1:].partition("e")
            options.update(flags)
            if has_pattern and not attached and not rest:
                return Untranslated("`-e` has no pattern")
            if has_pattern:
                patterns.append(Word(attached, word.bare[-len(attached) :]) if attached else rest.pop(0))
    return _sorted(call.program, options, patterns, operands, include)


def _sorted(
    program: str, options: set[str], patterns: list[Word], operands: list[Word], include: list[str]
) -> GrepCall | Untranslated:
    known = _KNOWN["rg" if program == "rg" else "grep"]
    if unknown := sorted(options - known):
        return Untranslated(f"the option `-{unknown[0]}` of {program} has no counterpart in a check")
    if len(options & _DIALECTS.keys()) > 1 or (program in ("egrep", "fgrep") and options & _DIALECTS.keys()):
        return Untranslated("two kinds of pattern are asked for at once")
    if len(include) > 1:
        return Untranslated("several `--include` need several checks")
    if not patterns and not operands:
        return Untranslated(f"`{program}` has no pattern")
    if not patterns:
        patterns.append(operands.pop(0))
    if any(word.has_wildcard or word.has_brackets or word.has_braces or word.is_home for word in patterns):
        return Untranslated("the pattern is not quoted, and a shell would look for files of that name")
    if include and not options & {"r", "R"}:
        return Untranslated("`--include` means nothing without -r")
    return GrepCall(tuple(patterns), tuple(operands), frozenset(options), "".join(include))


def _path(call: Call, read: GrepCall) -> str | Untranslated:
    if len(read.paths) > 1:
        return Untranslated(
            "it reads several files, and a grep-match has one path or glob: write a check for each"
        )
    if not read.paths and not read.is_recursive:
        return Untranslated(f"`{call.program}` is given no file")
    word = read.paths[0] if read.paths else Word(".", ".")
    path = file_path(word, call.cwd, may_match=True)
    if isinstance(path, Untranslated):
        return path
    folder = path.rstrip("/")
    if call.program == "rg":
        return folder or "**"
    if not read.is_recursive:
        if not folder or path.endswith("/"):
            return Untranslated(f"`{word.text}` is a folder, which grep reads with -r only")
        if not looks_like_file(folder):
            return Untranslated(f"`{word.text}` may be a folder, which grep reads with -r only")
        return folder
    if is_glob(folder):
        return Untranslated("a wildcard among the folders of -r needs a shell")
    if looks_like_file(folder) and not path.endswith("/") and not read.include:
        return folder  # by its name a file; a check reads what is below it if it is a folder
    return "/".join(part for part in (folder, "**", read.include) if part)


def _counting(call: Call, read: GrepCall, path: str) -> Translated | Untranslated:
    """Let grep count one file itself, where exactly one line is asked for."""
    is_plain = call.program == "grep" and not read.is_recursive and not is_glob(path)
    if (
        not is_plain
        or call.is_muted
        or read.options & {"q", "l", "o"}
        or call.args[-1:] != read.paths
        or "[" in path
    ):
        return Untranslated("a count of exactly 1 is more than present or absent")
    args = tuple(word.text for word in call.args)
    check = CommandExit(
        command="grep",
        args=args if "c" in read.options else ("-c", *args),
        cwd=call.cwd,
        expected_exit=0,
        expect_stdout_match="^1$",
    )
    return Translated(check, "exactly 1 is taken at its word: grep counts; write `>= 1` for present")


def _wanted(
    call: Call, read: GrepCall, *, is_counted: bool, is_piped: bool
) -> Expectation | _Exactly | Untranslated:
    """Give what all that is said of the outcome comes to."""
    found = list(dict.fromkeys(_readings(call, read, is_counted=is_counted, is_piped=is_piped)))
    if not found:
        if is_piped:
            return Untranslated(
                "nothing is expected of the output, and a pipe ends with 0 whatever grep finds"
            )
        found = [Expectation.ABSENT if call.is_negated else Expectation.PRESENT]
    for reading in found:
        if isinstance(reading, Untranslated):
            return reading
    if len(found) > 1:
        return Untranslated("what is expected says two things")
    (wanted,) = found
    contradicts = fails_on_nothing if wanted is Expectation.ABSENT else fails_on_something
    if not isinstance(wanted, _Exactly) and contradicts(call.expected):
        return Untranslated("`Fail if` names the very case that is expected")
    assert not isinstance(wanted, Untranslated)
    return wanted


def _readings(
    call: Call, read: GrepCall, *, is_counted: bool, is_piped: bool
) -> Iterator[Expectation | _Exactly | Untranslated]:
    """Give what each thing that is said asks for; one that cannot be asked for comes with its reason."""
    wish = call.wish
    is_quiet = call.is_muted or "q" in read.options
    if wish.exit_code is not None or wish.fails or wish.note:
        yield _by_exit(wish, is_negated=call.is_negated, is_piped=is_piped)
    for number in (wish.number, wish.matches, wish.exactly):
        if number is not None:
            yield _by_count(call, number)
    if wish.number is not None and not is_counted:
        yield Untranslated(
            f"{wish.number} may be an exit code or a count: write `exit {wish.number}` or use -c"
        )
    if wish.at_least is not None:
        is_one = wish.at_least == 1
        yield (
            Expectation.PRESENT
            if is_one
            else Untranslated(f"a count of at least {wish.at_least} is no check")
        )
    if wish.nonzero:
        yield Expectation.PRESENT if is_counted else Untranslated("non-zero may be an exit code or a count")
    if wish.there is not None:
        yield Expectation.PRESENT if wish.there else Expectation.ABSENT
    if wish.silent:
        yield _by_silence(call, is_quiet=is_quiet, is_counted=is_counted)
    if wish.output is not None:
        yield _by_output(call, read, wish.output, is_quiet=is_quiet or is_counted)
    is_many = read.is_recursive or any(word.has_wildcard for word in read.paths)
    if "c" in read.options and is_many and any((wish.number, wish.matches, wish.at_least, wish.nonzero)):
        yield Untranslated("-c counts for every file of its own")
    if call.is_negated and wish.there is True:
        yield Untranslated("the command asks for the pattern to be absent, and the text for it to be there")


def _by_exit(wish: Wish, *, is_negated: bool, is_piped: bool) -> Expectation | Untranslated:
    if is_piped:
        return Untranslated("a pipe ends with the exit code of its last command, not with that of grep")
    if wish.exit_code not in (None, 0, 1):
        return Untranslated(f"grep ends with {wish.exit_code} when it could not look at all")
    succeeds = not wish.fails and wish.exit_code in (None, 0)
    return Expectation.PRESENT if succeeds != is_negated else Expectation.ABSENT


def _by_count(call: Call, number: int) -> Expectation | _Exactly | Untranslated:
    if number == 0:
        return Expectation.ABSENT
    if number == 1 and call.wish.exactly is None and fails_on_nothing(call.expected):
        return Expectation.PRESENT
    if number == 1 and not call.is_negated:
        return _Exactly(1)
    return Untranslated(f"a count of exactly {number} is more than present or absent")


def _by_silence(call: Call, *, is_quiet: bool, is_counted: bool) -> Expectation | Untranslated:
    if call.has_alarm and is_quiet:
        return Expectation.ABSENT if call.is_negated else Expectation.PRESENT
    if is_quiet or is_counted or call.has_alarm:
        return Untranslated("the command prints the same whatever it finds")
    return Expectation.ABSENT


def _by_output(call: Call, read: GrepCall, output: str, *, is_quiet: bool) -> Expectation | Untranslated:
    """Take a text for a sign of a match where it is the pattern, word for word."""
    is_pattern = len(read.patterns) == 1 and output == read.patterns[0].text
    if (
        is_pattern
        and not is_quiet
        and not call.is_negated
        and output.replace(" ", "").replace("_", "").isalnum()
    ):
        return Expectation.PRESENT
    return Untranslated(
        "what grep prints cannot be compared: ask for a match, or put the text into the pattern"
    )
