"""The shell commands that planners write, translated into checks that need no shell. Pure.

The compiler asks `translate` for each block of a plan. Understood are one program with plain words, `test`,
`ls` and `grep`, with `!` before or `&& echo WORD` behind. A check never passes where the command would not
have shown what is expected. Everything else is a gap whose message says what to write instead.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from signoff.contracts.compile.expectations import (
    Expected,
    ExpectedOutcome,
    NotUnderstood,
    read_expected,
    unread_failure,
)
from signoff.contracts.compile.grep_idioms import grep_check, literal
from signoff.contracts.compile.shell_calls import (
    SELF_CONTRADICTION,
    ProgramCall,
    Translated,
    Untranslated,
    file_path,
    looks_like_file,
    plain_args,
)
from signoff.contracts.rules.vacuous_checks import matches_every_text, steady_exit
from signoff.domain.work.check_kinds import command_of, search_of
from signoff.domain.work.checks import CommandExit, ContractCheck, FileExists
from signoff.text import exit_code_trust
from signoff.text.shell.shell_words import Operator, PlainRedirection, ShellProblem, ShellWord, Token, split

__all__ = ["Expected", "Translated", "Untranslated", "translate"]

_SCRIPT: Final = "put it into a script file of the repository and run that"
_OPERATORS: Final[Mapping[str, str]] = {
    "|": "a pipe into `{next}` needs a shell: {pipe}",
    "|&": "a pipe of both streams needs a shell: " + _SCRIPT,
    "||": "what follows `||` decides the outcome: write the command alone",
    "&": "it runs something in the background, which needs a shell: " + _SCRIPT,
    ";": "it is several commands: write a check for each",
    ";;": "it is several commands: write a check for each",
    "\n": "it is several commands: write a check for each",
    "(": "parentheses need a shell: write the command alone",
    ")": "parentheses need a shell: write the command alone",
}
"""Why a command with this operator has no check, and what to write instead."""
_BEHIND_PIPES: Final[Mapping[str, str]] = {
    "grep": "let grep read the file (`grep PATTERN FILE`), or expect the exit code of the program",
    "wc": "write `grep -c PATTERN FILE` and `>= 1` or `0`",
    "head": "leave it out, and expect the exit code of the program",
    "tail": "leave it out, and expect the exit code of the program",
}
_NO_PROGRAMS: Final[tuple[tuple[frozenset[str], str], ...]] = (
    (exit_code_trust.KEYWORDS, "`{}` needs a shell: " + _SCRIPT),
    (frozenset({"cd"}), "`cd` needs a shell: write **Folder:**, or paths from the root of the repository"),
    (exit_code_trust.BUILTINS, "`{}` is a part of the shell, not a program: " + _SCRIPT),
    (exit_code_trust.RAISERS, "`{}` asks for rights that a check does not get: run it without"),
    (frozenset({"[["}), "`[[` is a part of the shell: write `test`"),
    (frozenset({"egrep", "fgrep", "rg", "ag", "ack"}), "`{}` is not read: write it with `grep`"),
    (
        frozenset(
            {"find", "wc", "cat", "head", "tail", "sort", "awk", "sed", "cut", "echo", "printf", "xargs"}
        ),
        "the exit code of `{}` says nothing about what it finds: write `test`, `ls`, `grep` or a script file",
    ),
)
"""Programs that no check runs, why, and what to write instead."""
_TESTS: Final = frozenset({"test", "["})
_OF_A_KIND: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "file-exists": (_TESTS | {"ls"}, "a file-exists check takes **Path:**, `test -f PATH` or `ls PATH`"),
    "grep-match": (
        frozenset({"grep"}),
        "a grep-match takes **Path:** and **Pattern:**, or `grep PATTERN PATH`",
    ),
}
"""The programs that say what a check of this type says."""


class _CommandLine(NamedTuple):
    """One program without what stands around it."""

    words: tuple[ShellWord, ...]
    is_negated: bool
    echoed: str
    """The word behind `&& echo`, printed when the program succeeds."""


def translate(command: str, expected: Expected, kind: str = "") -> Translated | Untranslated:
    """Return the check that asks for what the command was to show, or why there is none.

    `kind` is the type of check the planner named, or empty. The steps: split as a shell would, find the one
    program, parse what is expected, and ask the translation of that program.
    """
    tokens = split(command)
    if isinstance(tokens, ShellProblem):
        return Untranslated(tokens.why)
    line = _line(tokens)
    if isinstance(line, Untranslated):
        return line
    if why := _why_no_program(line.words):
        return Untranslated(why)
    name = line.words[0].text
    if kind in _OF_A_KIND and name not in _OF_A_KIND[kind][0]:
        return Untranslated(_OF_A_KIND[kind][1])
    paths = [word.text for word in line.words[1:]] if name in _TESTS | {"ls"} else []
    outcome = _outcome(expected.text, line.echoed, paths)
    if isinstance(outcome, NotUnderstood):
        return Untranslated(outcome.why)
    failure = read_expected(expected.fail_if)
    if isinstance(failure, NotUnderstood):
        failure = ExpectedOutcome()
    if failure == outcome != ExpectedOutcome():
        return Untranslated(SELF_CONTRADICTION)
    judge = _PROGRAMS.get(name, _program_check)
    found = judge(ProgramCall(line.words, outcome, failure, is_negated=line.is_negated))
    if isinstance(found, Untranslated):
        return found
    if why := _why_vacuous(found.check):
        return Untranslated(why)
    if found.note:
        return found
    return Translated(found.check, unread_failure(expected, command))


def _why_vacuous(check: ContractCheck) -> str:
    """Return why a check holds whatever was done, or an empty text. Such a check proves nothing."""
    if (ran := command_of(check)) and steady_exit((ran.command, *ran.args)) == ran.expected_exit:
        return f"`{ran.command}` ends with {ran.expected_exit} whatever was done"
    if (search := search_of(check)) and matches_every_text(search.pattern):
        return f"`{search.pattern}` is found in every text"
    return ""


def _line(tokens: Sequence[Token]) -> _CommandLine | Untranslated:
    """Take off what stands around one program: `!` before it and `&& echo WORD` behind it.

    Any other operator ends the translation, because only a shell gives it a meaning.
    """
    commands: list[list[ShellWord]] = [[]]
    for n, token in enumerate(tokens):
        match token:
            case ShellWord():
                commands[-1].append(token)
            case PlainRedirection(stream, operator, target):
                space = "" if operator.endswith("&") else " "
                return Untranslated(f"`{stream}{operator}{space}{target}` needs a shell: leave it out")
            case Operator("&&"):
                commands.append([])
            case Operator(text):
                words = [token.text for token in tokens[n + 1 :] if isinstance(token, ShellWord)]
                following = words[0] if words else ""
                if commands[0] and commands[0][0].text in exit_code_trust.KEYWORDS:
                    return Untranslated(_why_no_program(tuple(commands[0])))
                pipe = _BEHIND_PIPES.get(following, _SCRIPT)
                return Untranslated(_OPERATORS[text].format(next=following, pipe=pipe))
    if not all(commands):
        return Untranslated(
            "there is no command" if len(commands) == 1 else "a command is missing beside `&&`"
        )
    first, *rest = commands
    texts = [word.text for word in rest[-1]] if rest else []
    echoed = texts[1] if len(rest) == 1 and len(texts) == 2 and texts[0] == "echo" else ""
    if rest and first[0].text != "cd" and not re.fullmatch(r"[A-Za-z][\w -]*", echoed):
        return Untranslated("it is two commands: write two checks")
    is_negated = first[0].bare == "!"
    if is_negated:
        first = first[1:]
    return _CommandLine(tuple(first), is_negated, echoed) if first else Untranslated("there is no command")


def _outcome(text: str, echoed: str, paths: Sequence[str]) -> ExpectedOutcome | NotUnderstood:
    """Parse what is expected. The echoed word, or a path that is tested, stands for success."""
    bare = text.strip(" .`'\"")
    if bare and (bare == echoed or bare in paths):
        return ExpectedOutcome()
    outcome = read_expected(text)
    if isinstance(outcome, NotUnderstood) or not echoed:
        return outcome
    if outcome.is_silent:
        return NotUnderstood("nothing is to be printed by a command that prints when it succeeds")
    return outcome._replace(output=None) if outcome.output == echoed else outcome


def _why_no_program(words: Sequence[ShellWord]) -> str:
    """Return why words cannot be run without a shell, or an empty string when they can."""
    texts = [word.text for word in words]
    for text, following in pairwise(texts):
        name = text.rsplit("/", 1)[-1]
        if name in exit_code_trust.SHELLS and following.startswith("-") and "c" in following:
            return f"`{name} {following}` is a shell in disguise: put the commands into a script file"
    if words[0].is_assignment:
        return f"it sets a variable, which needs a shell: write `env {texts[0]}` and the program behind it"
    return next((why.format(texts[0]) for names, why in _NO_PROGRAMS if texts[0] in names), "")


# --- files ---


def _test_check(call: ProgramCall) -> Translated | Untranslated:
    """Translate a test. One of a file that must be there is a `file-exists`, any other runs `test`.

    A `!` inside the test and an expected failure each turn the result around; `_holds` combines the two. A
    test that must not hold is run, since no check says that a file is missing.
    """
    if call.program == "[" and call.words[-1].text != "]":
        return Untranslated("`[` is not closed by `]`")
    operands = call.args[:-1] if call.program == "[" else call.args
    if call.is_negated:
        return Untranslated("`!` before a test: write `test ! -e PATH`")
    is_inverted = operands[:1] != () and operands[0].text == "!"
    holds = _holds(call.outcome, is_inverted=is_inverted)
    if isinstance(holds, Untranslated):
        return holds
    texts = [word.text for word in operands]
    if holds and len(texts) == 2 and texts[0] in ("-f", "-e"):
        return _file_check(operands[1], is_file=texts[0] == "-f")
    args = plain_args(operands)
    if isinstance(args, Untranslated):
        return args
    if not args:
        return Untranslated("the test is empty: write `test -f PATH`")
    return Translated(CommandExit(command="test", args=args, expected_exit=0 if holds else 1))


def _ls_check(call: ProgramCall) -> Translated | Untranslated:
    """Translate `ls PATH`, which shows that something is there. An `ls` that is to fail is a gap.

    Options that only change how the list looks are passed over. With any other the call stays a gap.
    """
    paths = [word for word in call.args if not word.text.startswith("-")]
    options = {char for word in call.args if word.text.startswith("-") for char in word.text[1:]}
    if len(paths) != 1 or options - set("la1hAp"):
        return Untranslated("`ls` is read with one path alone: write a check for each")
    holds = _holds(call.outcome, is_inverted=False)
    if isinstance(holds, Untranslated):
        return holds
    if call.is_negated or not holds:
        return Untranslated(f"`ls` is expected to fail: write `test ! -e {paths[0].text}`")
    return _file_check(paths[0], is_file=False)


def _holds(outcome: ExpectedOutcome, *, is_inverted: bool) -> bool | Untranslated:
    """Return whether a test must succeed. `is_inverted` stands for `test ! …`, which asks for no file.

    What is said in words ("exists") and by an exit code must agree with each other and with the test.
    """
    is_unread = outcome._replace(exit_code=None, fails=False, is_there=None) != ExpectedOutcome()
    if is_unread or outcome.exit_code not in (None, 0, 1):
        return Untranslated(
            "what is expected of a file is not understood: write `exists` or `does not exist`"
        )
    said = (
        {not outcome.fails and outcome.exit_code == 0}
        if outcome.fails or outcome.exit_code is not None
        else set()
    )
    if outcome.is_there is not None:
        said.add(outcome.is_there != is_inverted)
    if len(said) > 1 or (is_inverted and outcome.is_there):
        return Untranslated("what is expected says two things, or not what is tested: write one of them")
    return said.pop() if said else True


def _file_check(word: ShellWord, *, is_file: bool) -> Translated | Untranslated:
    """Return a `file-exists` for the name of a regular file, and `test -e` for what may be a folder."""
    path = file_path(word)
    if isinstance(path, Untranslated):
        return path
    if path.endswith("/") or not (is_file or looks_like_file(path)):
        return Translated(CommandExit(command="test", args=("-e", word.text), expected_exit=0))
    return Translated(FileExists(path=path), "" if is_file else "a folder of that name would not do")


# --- other programs ---


def _program_check(call: ProgramCall) -> Translated | Untranslated:
    """Translate one program with its words. It must end with 0 unless another code is named.

    What a check cannot hold, a count above all, is refused before the check is built.
    """
    argv = plain_args(call.words)
    if isinstance(argv, Untranslated):
        return argv
    outcome = call.outcome
    refusals = (
        (call.is_negated or outcome.fails,
         "any exit code but 0 is asked for, and a check names one: write `exit 1`"),
        (outcome.is_zero or outcome.is_some,
         "a number is expected, and it is not clear of what: write `exit 0`, or quote the output"),
        (outcome.is_there is not None,
         "the program is to find something, or nothing: write `exit 0`, or quote the output"),
        (outcome.is_silent and outcome.output is not None,
         "what is expected says two things: write one of them"),
    )  # fmt: skip
    for is_refused, why in refusals:
        if is_refused:
            return Untranslated(why)
    pattern = None
    if (text := outcome.output) is not None:  # `3 passed` must not be found in `13 passed`
        before = r"(?<!\d)" if re.match(r"\d", text) else ""
        pattern = before + literal(text) + (r"(?!\d)" if re.search(r"\d\Z", text) else "")
    return Translated(
        CommandExit(
            command=argv[0],
            args=argv[1:],
            expected_exit=outcome.exit_code or 0,
            expect_stdout_match=r"\A\s*\Z" if outcome.is_silent else pattern,
        )
    )


_PROGRAMS: Final[Mapping[str, Callable[[ProgramCall], Translated | Untranslated]]] = {
    "grep": grep_check,
    "test": _test_check,
    "[": _test_check,
    "ls": _ls_check,
}
"""The programs whose calls say more than that they must end with 0."""
