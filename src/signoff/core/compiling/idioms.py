"""Translate the shell commands that planners write into checks that need no shell. Pure.

The compiler asks `translate` for each block of a plan. The shell syntax around one program is taken off
(`cd x &&`, `&& echo OK`, `2>&1`); what is left must be one program, or a pipe of a form that is known. A
check never passes where the command would not have shown what is expected; in doubt there is none, and why.
"""

import re
from typing import Final, NamedTuple

from signoff.core.compiling.calls import NULL_DEVICE, Call, file_path
from signoff.core.compiling.expectations import Unread, Wish, parts_of, read_text, unread_failure
from signoff.core.compiling.file_idioms import (
    LISTERS,
    TESTS,
    listed_check,
    named_file,
    names_only,
    tested_check,
)
from signoff.core.compiling.grep_idioms import GREPS, grep_check
from signoff.core.compiling.program_idioms import KEYWORDS, is_judge, program_check, why_no_program
from signoff.core.compiling.shell_words import Operator, Redirection, ShellProblem, Token, Word, split
from signoff.core.compiling.translations import Expected, Translated, Untranslated
from signoff.core.contract_rules import check_contract
from signoff.domain.checks import ContractCheck
from signoff.domain.contract import Contract, GeneratedBy, Task
from signoff.domain.ids import TaskId
from signoff.domain.violations import Severity

__all__ = ["Expected", "Translated", "Untranslated", "translate"]

_ECHO_CODE: Final = re.compile(r""";\s*echo\s+(?:"\$\?"|\$\?)\s*$""")
_TRIMMERS: Final = frozenset({"head", "tail"})
_ERROR_WORDS: Final = re.compile("error|fail", re.IGNORECASE)


class _Line(NamedTuple):
    """A command without what stands around it."""

    pipe: tuple[tuple[Word, ...], ...]
    cwd: str = "."
    good_word: str | None = None
    """What is echoed when it succeeds."""
    bad_word: str | None = None
    """What is echoed when it fails."""
    is_muted: bool = False
    joins_errors: bool = False
    is_negated: bool = False


def translate(command: str, expected: Expected, kind: str = "") -> Translated | Untranslated:
    """Give the check that asks for what the command was to show, or why there is none.

    `kind` is the type of check the planner named, or empty: in a `file-exists` a bare path is a command.
    """
    if not _is_encodable(command + expected.text + expected.fail_if):
        return Untranslated("it holds a character that cannot be written to a file")
    found = _translated(command, expected, kind)
    if isinstance(found, Untranslated):
        return found
    if why := _broken_rule(found.check):
        return Untranslated(why)
    return found if found.note else Translated(found.check, unread_failure(expected, command))


def _translated(command: str, expected: Expected, kind: str) -> Translated | Untranslated:
    bare = _ECHO_CODE.sub("", command)
    tokens = split(bare)
    if isinstance(tokens, ShellProblem):
        return Untranslated(tokens.why)
    line = _line(tokens)
    if isinstance(line, Untranslated):
        return line
    wish = _wish(line, expected, prints_code=bare != command)
    call = Call(
        words=line.pipe[0],
        wish=Wish() if isinstance(wish, Unread) else wish,
        expected=expected,
        kind=kind,
        cwd=line.cwd,
        is_negated=line.is_negated,
        is_muted=line.is_muted,
        joins_errors=line.joins_errors,
        has_alarm=line.bad_word is not None,
    )
    if isinstance(wish, Unread) and not _repeats_path(call):
        return Untranslated(wish.why)
    return _one(call) if len(line.pipe) == 1 else _piped(call, line.pipe)


def _one(call: Call) -> Translated | Untranslated:
    """Translate a single program by its name."""
    if call.words[0].is_assignment:
        return program_check(call)
    if call.program in TESTS:
        return tested_check(call)
    if call.program in GREPS:
        return grep_check(call)
    if call.program in LISTERS and (found := listed_check(call)):
        return found
    if call.kind == "file-exists":
        if call.program == "cat" and len(call.words) == 2 and not call.args[0].text.startswith("-"):
            return named_file(call, call.args[0])
        if len(call.words) == 1 and not why_no_program(call.words):
            return named_file(call, call.words[0])
    return program_check(call)


def _piped(call: Call, pipe: tuple[tuple[Word, ...], ...]) -> Translated | Untranslated:
    """Translate the pipes that say no more than a single program does."""
    texts = [[word.text for word in words] for words in pipe]
    is_counted = texts[-1] == ["wc", "-l"]
    is_trimmed = texts[-1][0] in _TRIMMERS and _only_trims(texts[-1])
    body = pipe[:-1] if is_counted or is_trimmed else pipe
    if len(body) == 1 and is_trimmed and is_judge(body[0]) and call.wish == Wish(note=call.wish.note):
        found = program_check(call._replace(words=body[0]))
        return _with_note(found, "the exit code of the program is asked for, not that of the pipe")
    if len(body) == 1 and body[0][0].text in GREPS:
        return grep_check(call._replace(words=body[0]), is_counted=is_counted, is_piped=True)
    if len(body) == 2 and body[1][0].text in GREPS:
        if texts[0][0] == "cat" and len(texts[0]) == 2:
            rest = call._replace(words=body[1])
            is_piped = is_counted or is_trimmed
            return grep_check(rest, piped_file=body[0][1], is_counted=is_counted, is_piped=is_piped)
        if is_judge(body[0]):
            return _judged(call, body, is_counted=is_counted, is_piped=is_counted or is_trimmed)
    return Untranslated(f"a pipe into `{texts[1][0]}` needs a shell")


def _judged(
    call: Call, body: tuple[tuple[Word, ...], ...], *, is_counted: bool, is_piped: bool
) -> Translated | Untranslated:
    """Translate a search for errors in what a compiler says into its exit code, which asks for more."""
    texts = [word.text for word in body[1]]
    patterns = [text for text in texts[1:] if not text.startswith("-")]
    options = "".join(text[1:] for text in texts[1:] if text.startswith("-"))
    if len(patterns) != 1 or not _ERROR_WORDS.search(patterns[0]) or set(options) - set("cqinEF"):
        return Untranslated("a pipe into `grep` needs a shell, and this one does not look for errors")
    is_counted = is_counted or "c" in options
    wish = call.wish
    none = Wish(note=wish.note)
    wants_none = (
        wish in (Wish(there=False), Wish(matches=0), Wish(exactly=0))
        or (wish == Wish(number=0) and is_counted)
        or (wish in (Wish(exit_code=1), Wish(fails=True)) and not call.is_negated and not is_piped)
        or (wish == Wish(silent=True) and not is_counted and "q" not in options)
        or (call.is_negated and not is_piped and wish in (none, Wish(exit_code=0)))
    )
    if not wants_none:
        return Untranslated("a pipe into `grep` needs a shell unless it is to find no error")
    plain = call._replace(words=body[0], wish=Wish(), is_negated=False, is_muted=False)
    note = f"exit code 0 is asked for, which is more than no line with {patterns[0]!r}"
    return _with_note(program_check(plain), note)


def _with_note(found: Translated | Untranslated, note: str) -> Translated | Untranslated:
    return Translated(found.check, note) if isinstance(found, Translated) else found


def _only_trims(words: list[str]) -> bool:
    return bool(re.fullmatch(r"(?:head|tail)(?: -n)?(?: ?-?\d+)?", " ".join(words)))


def _line(tokens: tuple[Token, ...]) -> _Line | Untranslated:
    """Take off redirections, parentheses, `cd` and what is echoed at the end."""
    while tokens and isinstance(tokens[-1], Operator) and tokens[-1].text in (";", "\n"):
        tokens = tokens[:-1]
    plain: list[Word | Operator] = []
    muted = joined = False
    for token in tokens:
        if not isinstance(token, Redirection):
            plain.append(token)
        elif token.operator == ">&" and token.target in ("1", "2"):
            joined = joined or (token.stream, token.target) == ("2", "1")
            muted = muted or (token.stream or "1", token.target) == ("1", "2")
        elif token.target == NULL_DEVICE and token.operator in (">", ">>", "&>", "&>>", "<"):
            muted = (
                muted
                or token.operator.startswith("&")
                or (token.operator != "<" and token.stream in ("", "1"))
            )
        else:
            return Untranslated(f"`{token.stream}{token.operator} {token.target}` needs a shell")
    if _is_op(plain[:1], "(") and _is_op(plain[-1:], ")"):
        plain = plain[1:-1]
    if plain and isinstance(plain[0], Word) and plain[0].text in KEYWORDS:
        return Untranslated(why_no_program((plain[0],)))
    split_up = _commands(plain)
    if isinstance(split_up, Untranslated):
        return split_up
    line = _unwrapped(*split_up)
    if isinstance(line, Untranslated):
        return line
    return line._replace(is_muted=muted, joins_errors=joined)


def _is_op(tokens: list[Word | Operator], text: str) -> bool:
    return len(tokens) == 1 and isinstance(tokens[0], Operator) and tokens[0].text == text


def _commands(tokens: list[Word | Operator]) -> tuple[list[list[Word]], list[str]] | Untranslated:
    """Give the simple commands and the operators between them."""
    commands: list[list[Word]] = [[]]
    operators: list[str] = []
    for token in tokens:
        if isinstance(token, Word):
            commands[-1].append(token)
            continue
        match token.text:
            case "&&" | "||" | "|":
                operators.append(token.text)
                commands.append([])
            case "&":
                return Untranslated("it runs something in the background, which needs a shell")
            case ";" | "\n" | ";;":
                return Untranslated("it is several commands: write a check for each, or a script file")
            case "|&":
                return Untranslated("a pipe of both streams needs a shell")
            case _:
                return Untranslated("parentheses need a shell")
    if not all(commands):
        return Untranslated(
            "there is no command" if len(commands) == 1 else "a command is missing beside an operator"
        )
    return commands, operators


def _unwrapped(commands: list[list[Word]], operators: list[str]) -> _Line | Untranslated:
    cwd = "."
    if commands[0][0].text == "cd" and operators[:1] == ["&&"]:
        folder = _folder(commands[0])
        if isinstance(folder, Untranslated):
            return folder
        cwd, commands, operators = folder, commands[1:], operators[1:]
    bad_word = good_word = None
    if operators[-1:] == ["||"]:
        bad_word = _says(commands[-1], "1")
        if bad_word is None:
            return Untranslated("what follows `||` decides the outcome: write the command alone")
        commands, operators = commands[:-1], operators[:-1]
    if operators[-1:] == ["&&"] and (good_word := _says(commands[-1], "0")) is not None:
        commands, operators = commands[:-1], operators[:-1]
    if any(operator != "|" for operator in operators):
        return Untranslated("it is two commands: write two checks")
    is_negated = commands[0][0].text == "!" and commands[0][0].bare == "!"
    if is_negated:
        commands = [commands[0][1:], *commands[1:]]
    if not commands[0]:
        return Untranslated("there is no command")
    pipe = tuple(map(tuple, commands))
    return _Line(pipe, cwd, good_word, bad_word, is_negated=is_negated)


def _folder(words: list[Word]) -> str | Untranslated:
    if len(words) != 2:
        return Untranslated("`cd` without one folder leaves the repository")
    path = file_path(words[1], ".")
    return path if isinstance(path, Untranslated) else path.rstrip("/") or "."


def _says(words: list[Word], code: str) -> str | None:
    """Give what an `echo` says, or nothing for an `exit` with this code; None for any other command."""
    texts = [word.text for word in words]
    if texts[0] == "echo" and not any(text.startswith("-") or "\\" in text for text in texts[1:]):
        return " ".join(texts[1:])
    return "" if texts == ["exit", code] else None


def _wish(line: _Line, expected: Expected, *, prints_code: bool) -> Wish | Unread:
    """Read what is expected; a word that is echoed at the end stands for how the command ended."""
    if prints_code:
        read = read_text(expected.text)
        if isinstance(read, Wish) and read.number is not None and read == Wish(number=read.number):
            return _possible(line, Wish(exit_code=read.number))
        return read if isinstance(read, Unread) else Unread("an exit code is printed, and none is expected")
    if not line.good_word and not line.bad_word:
        return _possible(line, read_text(expected.text))
    if line.good_word and line.bad_word and line.good_word.casefold() == line.bad_word.casefold():
        return Unread("the same word is printed whether it succeeds or fails")
    return _possible(line, _spoken(line.good_word or "", line.bad_word or "", expected.text))


def _possible(line: _Line, wish: Wish | Unread) -> Wish | Unread:
    """Refuse what the words around the program make impossible, or true whatever the program does."""
    if isinstance(wish, Unread):
        return wish
    # Behind `|| echo` a line ends with 0, behind `|| exit 1` with 0 or 1.
    codes = (None, 0) if line.bad_word else (None, 0, 1)
    if line.bad_word is not None and wish.exit_code not in codes:
        return Unread(f"the command never ends with {wish.exit_code}: what follows `||` decides")
    if line.good_word and wish.silent:
        return Unread("nothing is to be printed by a command that prints when it succeeds")
    return wish


def _spoken(good: str, bad: str, text: str) -> Wish | Unread:
    fails = False
    rest: list[str] = []
    said = {good.casefold(): False, bad.casefold(): True}
    said.pop("", None)
    for part in parts_of(text):
        words = re.sub(r"(?:prints|outputs|shows|output is|output:|echoes) [`\"']?", "", part).casefold()
        denied = re.fullmatch(r"(?:no|not|never|does not print|without) [`\"']?(.+)", words)
        if words in said:
            fails = fails or said[words]
        elif not (denied and said.get(denied[1])):
            rest.append(part)
    read = read_text(", ".join(rest))
    if isinstance(read, Unread) or not fails:
        return read
    return Wish(fails=True) if read == Wish() else Unread("what is expected says two things")


def _repeats_path(call: Call) -> bool:
    """Say whether what is expected is the path that the command names, which says that it is there."""
    is_about_file = call.program in TESTS | LISTERS or call.kind == "file-exists"
    return is_about_file and any(names_only(call.expected.text, word.text) for word in call.words)


def _broken_rule(check: ContractCheck) -> str:
    """Say which rule of contracts the check would break; empty when none."""
    task = Task(id=TaskId("T1"), title="t", wave=1, verification=(check,))
    contract = Contract(
        version=1,
        phase=1,
        goal="g",
        why="w",
        generated_at="",
        generated_by=GeneratedBy.COMPILE_PLAN,
        tasks=(task,),
        success_criteria=("c",),
    )
    found = (v for v in check_contract(contract) if v.severity is Severity.ERROR)
    return next((v.message for v in found if v.path.startswith("/tasks/0/verification/0")), "")


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" or char == "\0" for char in text)
