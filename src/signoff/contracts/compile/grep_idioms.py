"""A call of grep as a `grep-match`. Pure, called by `shell_idioms`.

Only patterns that say the same to grep and to Python are translated: plain characters, `.`, `*` behind one
of them, escaped punctuation, `^` at the start and `$` at the end. A `grep-match` reads line by line, as grep
does. Everything else is a gap, because a pattern translated wrongly would let a broken change pass.
"""

import re
from typing import Final, NamedTuple

from signoff.contracts.compile.expectations import ExpectedOutcome
from signoff.contracts.compile.shell_calls import (
    SELF_CONTRADICTION,
    ProgramCall,
    Translated,
    Untranslated,
    file_path,
    looks_like_file,
)
from signoff.domain.work.checks import Expectation, GrepMatch
from signoff.text.shell.shell_words import ShellWord

_KNOWN_OPTIONS: Final = frozenset("qcnlhHrREFGi")
_LONG_OPTIONS: Final = {
    "--quiet": "q",
    "--count": "c",
    "--recursive": "r",
    "--fixed-strings": "F",
    "--extended-regexp": "E",
    "--ignore-case": "i",
}
_EXACT_LABELS: Final = "write **Path:**, **Pattern:** (a Python regular expression) and **Expect:**"

_SPECIAL: Final = frozenset(r"\.^$*+?{}[]|()")
# What a pattern may hold besides `*`: first the characters that stand for themselves, then what grep and
# Python read alike. An unescaped `(` or `+` is an operator to an extended pattern, not to a basic one.
_BASIC: Final = (r"[^\\.^$*\[\n]", r"\.|\\[.*^$\[\]\\]")
_EXTENDED: Final = (r"[^\\.^$*\[\](){}|+?\n]", r"\.|\\[.*^$\[\]\\(){}|+?]")


class _Request(NamedTuple):
    """What a command line of grep asks for."""

    options: frozenset[str]
    pattern: ShellWord
    paths: tuple[ShellWord, ...]
    include: str

    @property
    def is_recursive(self) -> bool:
        return bool(self.options & {"r", "R"})


def grep_check(call: ProgramCall) -> Translated | Untranslated:
    """Translate a call of grep, or say what stands in the way."""
    request = _parse(call.args)
    if isinstance(request, Untranslated):
        return request
    expect = _expectation(call, request)
    if isinstance(expect, Untranslated):
        return expect
    path = _path(request)
    if isinstance(path, Untranslated):
        return path
    pattern = _python_pattern(request)
    if isinstance(pattern, Untranslated):
        return pattern
    is_wide = expect is Expectation.ABSENT and request.is_recursive
    note = "binary files, and folders such as node_modules, are not read" if is_wide else ""
    return Translated(GrepMatch(path=path, pattern=pattern, expect=expect), note)


def literal(text: str) -> str:
    """Return the Python pattern that is found where exactly this text stands."""
    return "".join("\\" + char if char in _SPECIAL else char for char in text)


def _parse(args: tuple[ShellWord, ...]) -> _Request | Untranslated:
    """Sort the words into options, pattern and paths. Options may stand anywhere.

    An option that no check can express, and a pattern that a shell would expand, end the translation: a
    check must find what the command found.
    """
    options: set[str] = set()
    operands: list[ShellWord] = []
    include = ""
    for word in args:
        name, _, value = word.text.partition("=")
        if not word.text.startswith("-"):
            operands.append(word)
        elif name == "--include" and value and not include and not set(value) & set("[]{}/\\"):
            include = value
        elif word.text in _LONG_OPTIONS:
            options.add(_LONG_OPTIONS[word.text])
        elif word.text.startswith("--") or not word.text[1:] or not set(word.text[1:]) <= _KNOWN_OPTIONS:
            return Untranslated(
                f"the option `{word.text}` of grep has no counterpart in a check: {_EXACT_LABELS}"
            )
        else:
            options.update(word.text[1:])
    if len(options & set("EFG")) > 1:
        return Untranslated("two kinds of pattern are asked for at once: keep one of -E, -F and -G")
    if not operands:
        return Untranslated("`grep` has no pattern: write `grep PATTERN FILE`")
    pattern = operands[0]
    if pattern.has_wildcard or pattern.has_brackets or pattern.has_braces or pattern.is_home:
        return Untranslated(
            "the pattern is not quoted, and a shell would look for files of that name: quote it"
        )
    if include and not options & {"r", "R"}:
        return Untranslated("`--include` means nothing without -r: add it")
    return _Request(frozenset(options), pattern, tuple(operands[1:]), include)


def _path(request: _Request) -> str | Untranslated:
    """Return the path or glob that grep reads. Without -r a name that may be a folder's is a gap."""
    if len(request.paths) > 1:
        return Untranslated(
            "it reads several files, and a grep-match has one path or glob: write a check for each"
        )
    if not request.paths and not request.is_recursive:
        return Untranslated("`grep` is given no file: write `grep PATTERN FILE`")
    word = request.paths[0] if request.paths else ShellWord(".", ".")
    path = file_path(word)
    if isinstance(path, Untranslated):
        return path
    folder = path.rstrip("/")
    is_file = bool(folder) and not path.endswith("/") and looks_like_file(folder)
    if not request.is_recursive and not is_file:
        return Untranslated(f"`{word.text}` may be a folder, which grep reads with -r only: add it")
    if is_file and not request.include:
        return folder  # by its name a file; a check reads what is below it if it is a folder
    return "/".join(part for part in (folder, "**", request.include) if part)


def _python_pattern(request: _Request) -> str | Untranslated:
    """Return the pattern for Python's `re`. One that an empty line matches is refused.

    The end of every file is an empty line to a `grep-match`, so such a pattern would always be found.
    """
    text = request.pattern.text
    if "i" in request.options and not text.isascii():
        return Untranslated(f"letters beyond ASCII and -i depend on the machine's language: {_EXACT_LABELS}")
    if "F" in request.options:
        pattern = None if "\n" in text else literal(text)
    else:
        pattern = _same_regex(text, *(_EXTENDED if "E" in request.options else _BASIC))
    if pattern is None:
        return Untranslated(
            f"the pattern `{text}` may mean something else to a check: "
            f"search for a fixed text with -F, or {_EXACT_LABELS}"
        )
    if re.search(pattern, ""):
        return Untranslated("the pattern is found on an empty line, and so in every file: make it more exact")
    return f"(?i){pattern}" if "i" in request.options else pattern


def _same_regex(text: str, plain: str, alike: str) -> str | None:
    """Return the pattern if grep and Python read it alike, or None."""
    whole = re.fullmatch(rf"(\^?)((?:(?:{plain}|{alike})\*?)+)(\$?)", text)
    if whole is None:
        return None
    return (
        whole[1]
        + re.sub(f"({plain})|{alike}", lambda m: literal(m[1]) if m[1] else m[0], whole[2])
        + whole[3]
    )


def _expectation(call: ProgramCall, request: _Request) -> Expectation | Untranslated:
    """Return what everything that is said about the outcome agrees on."""
    reading = _expectations(call.outcome, request, is_negated=call.is_negated)
    if isinstance(reading, Untranslated):
        return reading
    found = reading or {Expectation.ABSENT if call.is_negated else Expectation.PRESENT}
    if len(found) > 1:
        return Untranslated("what is expected says two things: write one of them")
    failing = _expectations(call.failure, request, is_negated=call.is_negated)
    if isinstance(failing, set) and failing & found:
        return Untranslated(SELF_CONTRADICTION)
    if call.is_negated and call.outcome.is_there:
        return Untranslated("the command asks for the pattern to be absent, and the text for it to be there")
    return found.pop()


def _expectations(
    outcome: ExpectedOutcome, request: _Request, *, is_negated: bool
) -> set[Expectation] | Untranslated:
    """Return what each thing that is said asks for.

    First what grep could not show is refused. Then each field speaks alone: a bare 0 is a count only behind
    -c, and silence says something only of a grep that would print.
    """
    is_counted = "c" in request.options
    refusals = (
        (is_counted and request.is_recursive and outcome.is_some,
         "-c counts for every file of its own: leave it out and write `found`"),
        (outcome.exit_code not in (None, 0, 1),
         f"grep ends with {outcome.exit_code} when it could not look at all"),
        (outcome.is_zero and not is_counted,
         "0 may be an exit code or a count: write `exit 0` or `no matches`, or use -c"),
        (outcome.is_clean,
         "no errors: it is not clear whether grep is to find them: write `no matches`"),
        (outcome.is_silent and (is_counted or "q" in request.options),
         "the command prints the same whatever it finds: write `no matches`"),
        (outcome.output is not None,
         "what grep prints cannot be compared: write `found`, or put the text into the pattern"),
    )  # fmt: skip
    for is_refused, why in refusals:
        if is_refused:
            return Untranslated(why)
    found: set[Expectation] = set()
    if outcome.exit_code is not None or outcome.fails:
        succeeds = not outcome.fails and outcome.exit_code == 0
        found.add(Expectation.PRESENT if succeeds != is_negated else Expectation.ABSENT)
    if outcome.is_some or outcome.is_there:
        found.add(Expectation.PRESENT)
    if outcome.is_zero or outcome.is_silent or outcome.is_there is False:
        found.add(Expectation.ABSENT)
    return found
