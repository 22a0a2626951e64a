"""Turn the call of any other program into a `command-exit`. Pure; called by `idioms`."""

import re
from typing import Final

from signoff.core import programs
from signoff.core.compiling.calls import Call, plain_args
from signoff.core.compiling.expectations import Wish
from signoff.core.compiling.grep_patterns import literal
from signoff.core.compiling.shell_words import Word
from signoff.core.compiling.translations import Translated, Untranslated
from signoff.domain.checks import CommandExit

KEYWORDS: Final = programs.KEYWORDS
_JUDGES: Final = frozenset(
    {"tsc", "vue-tsc", "eslint", "mypy", "pyright", "ruff", "flake8", "pytest", "jest", "vitest"}
)
_SCRIPTS: Final = frozenset({"test", "t", "run", "run-script", "lint", "build", "typecheck", "exec"})
_JUDGING_WORDS: Final = {
    "npm": _SCRIPTS,
    "pnpm": _SCRIPTS,
    "yarn": _SCRIPTS | _JUDGES,
    "cargo": frozenset({"test", "build", "check", "clippy", "fmt"}),
    "go": frozenset({"test", "build", "vet"}),
}
_CARRIERS: Final = frozenset({"npx", "bunx"})
_PYTHONS: Final = frozenset({"python", "python3"})
_HTTP_CODE: Final = re.compile(r"%\{(?:http_code|response_code)\}(?:\\n)?")


def program_check(call: Call) -> Translated | Untranslated:
    """Translate one program with its words; it ends with 0 unless another code is named."""
    if why := why_no_program(call.words):
        return Untranslated(why)
    argv = plain_args(call.words)
    if isinstance(argv, Untranslated):
        return argv
    if call.is_negated:
        return Untranslated("`!` asks for any exit code but 0, and a check names one")
    asked = _asked(call)
    if isinstance(asked, Untranslated):
        return asked
    code, output = asked
    words = ("env", *argv) if call.words[0].is_assignment else argv
    check = CommandExit(
        command=words[0], args=words[1:], cwd=call.cwd, expected_exit=code, expect_stdout_match=output
    )
    note = "only standard output is read, not what goes to stderr" if output and call.joins_errors else ""
    return Translated(check, call.wish.note or note)


def is_judge(words: tuple[Word, ...]) -> bool:
    """Say whether a program is a compiler, linter or test runner whose exit code tells of any error."""
    texts = [word.text for word in words if not word.is_assignment]
    if texts[:1] and texts[0] in _CARRIERS:
        texts = [text for text in texts[1:] if not text.startswith("-")]
    elif texts[:1] and texts[0] in _PYTHONS and texts[1:2] == ["-m"]:
        texts = texts[2:]
    if not texts:
        return False
    name = texts[0].rsplit("/", 1)[-1]
    return name in _JUDGES or (len(texts) > 1 and texts[1] in _JUDGING_WORDS.get(name, ()))


def why_no_program(words: tuple[Word, ...]) -> str:
    """Say why words cannot be run without a shell; empty when they can."""
    texts = [word.text for word in words]
    names = [text.rsplit("/", 1)[-1] for text in texts]
    for name, following in zip(names, texts[1:], strict=False):
        if name in programs.SHELLS and following.startswith("-") and "c" in following:
            return f"`{name} {following}` is a shell in disguise: put the commands into a script file"
    first = next((word.text for word in words if not word.is_assignment), "")
    if not first:
        return "it sets a variable and runs nothing"
    if first in KEYWORDS:
        return f"`{first}` needs a shell: put it into a script file"
    if first in programs.BUILTINS:
        return f"`{first}` is a part of the shell, not a program"
    if first in programs.RAISERS:
        return f"`{first}` asks for rights that a check does not get"
    if first == "xargs":
        return "`xargs` reads a pipe, which needs a shell"
    return ""


def _asked(call: Call) -> tuple[int, str | None] | Untranslated:
    """Give the exit code and the pattern of the output that are asked for."""
    wish = call.wish
    if (code := _http_code(call)) is not None:
        return 0, f"^{code}$"
    if wish.fails or wish.nonzero:
        return Untranslated("any exit code but 0 is expected, and a check names one: write `exit 1`")
    if wish.number == 0 and is_judge(call.words):
        wish = wish._replace(number=None)
    if any(item is not None for item in (wish.number, wish.at_least, wish.matches, wish.exactly)):
        return Untranslated(
            "a number is expected, and it is not clear of what: write `exit 0`, or quote the output"
        )
    if wish.there is not None:
        return Untranslated(
            "the program is to find something, or nothing: write its exit code, or quote the output"
        )
    if (wish.silent or wish.output is not None) and call.is_muted:
        return Untranslated("output is expected of a command whose output is thrown away")
    if wish.silent and (call.joins_errors or wish.output is not None or call.has_alarm):
        return Untranslated("that nothing is printed, not even to stderr, is no check")
    output = _spoken(wish.output) if wish.output is not None else None
    return wish.exit_code or 0, r"\A\s*\Z" if wish.silent else output


def _spoken(text: str) -> str:
    """Give the pattern of a text in the output; `3 passed` is not in `13 passed`."""
    before = r"(?<!\d)" if text[:1].isdecimal() else ""
    return before + literal(text) + (r"(?!\d)" if text[-1:].isdecimal() else "")


def _http_code(call: Call) -> int | None:
    """Give the status that `curl -w '%{http_code}'` must print, where that is all it prints."""
    texts = [word.text for word in call.words]
    prints = any(_HTTP_CODE.fullmatch(text) for text in texts) and bool({"-w", "--write-out"} & set(texts))
    asks = call.wish.number is not None and call.wish == Wish(number=call.wish.number)
    hides = any(text in ("-o", "--output") for text in texts) or any(
        re.fullmatch(r"-[a-zA-Z]*o", text) for text in texts
    )
    return (
        call.wish.number
        if call.program == "curl" and prints and asks and hides and not call.is_muted
        else None
    )
