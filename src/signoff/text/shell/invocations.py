"""The programs that a line would start, through `env`, `sudo`, `xargs`, `sh -c` and other wrappers.

A wrapper is taken off with its own options. A script that a shell is given as an argument, a here-document
or through a pipe is read like the line itself.
"""

from collections import namedtuple
from collections.abc import Iterator

from signoff.text.shell import wrappers
from signoff.text.shell.shell_parts import HOLE, CommandWord, ShellCommand, UnreadableShell
from signoff.text.shell.shell_reader import find_commands

_DEEPEST = 12
_MOST_STEPS = 200
_DATA = frozenset(("for", "select", "case"))
"""What follows these are words of a list or a pattern, no command."""
_SHELLS = wrappers.SHELLS | {"su"}
_FEEDS = frozenset(("xargs", "parallel"))
_SPLITS = ("--split-string", "-S")
_ANYTHING = CommandWord(HOLE, "b")


class Program(namedtuple("Program", ("name", "words", "joint", "command"))):
    """A program and its words, its own name not among them."""

    __slots__ = ()
    name: str
    """Without its folder, in lower case, or `HOLE` if only a running shell knows it."""
    words: tuple[CommandWord, ...]
    joint: str
    """The operator before the command."""
    command: ShellCommand

    @property
    def text(self) -> str:
        """The program and its words, for a message."""
        return " ".join((self.name, *(word.text for word in self.words)))


def programs(text: str, depth: int = 0) -> Iterator[Program]:
    """Yield every program of a script.

    Raises `UnreadableShell` where it cannot be read.
    """
    if depth > _DEEPEST:
        raise UnreadableShell(f"scripts within scripts go more than {_DEEPEST} deep")
    for command in find_commands(text):
        yield from _started(list(command.words), command, depth)


def _started(words: list[CommandWord], command: ShellCommand, depth: int) -> Iterator[Program]:
    """Yield the program of a simple command and those that it starts in turn.

    Assignments and wrappers are taken off one by one until a word is left that is neither. `env -S` and
    `flock -c` hold a script instead of a program.
    """
    if words and words[0].text in _DATA and "q" not in words[0].mask:
        return
    while words:
        name = program_name(words[0])
        if words[0].assigned:
            words = words[1:]
            continue
        if name == "command" and any(word.text in ("-v", "-V") for word in words[1:2]):
            return
        if name == "env" and (script := _split_string(words)):
            yield from programs(script, depth + 1)
            return
        if name == "flock" and any(word.text == "-c" for word in words):
            words = [
                CommandWord("sh", "bbb"),
                *words[next(i for i, w in enumerate(words) if w.text == "-c") :],
            ]
            continue
        start = inner_start(words)
        if not start:
            break
        words = words[start:]
        if name in _FEEDS and words:
            words = [*words, _ANYTHING]
    if not words:
        return
    name = program_name(words[0])
    yield Program(name, tuple(words[1:]), command.joint, command)
    for script in _scripts(name, words[1:], command):
        yield from programs(script, depth + 1)
    if name == "find":
        for part in executed_by_find(words[1:]):
            yield from _started(part, command, depth)


def program_name(word: CommandWord) -> str:
    """Return the name of the program, as `wrappers.program_name` does."""
    return wrappers.program_name(word.text)


def inner_start(words: list[CommandWord]) -> int:
    """Return where the program begins that a wrapper starts, as `wrappers.inner_start` does."""
    return wrappers.inner_start([word.text for word in words])


def own_words(command: ShellCommand) -> list[CommandWord]:
    """Return the words of a command without assignments and wrappers before them."""
    words = list(command.words)
    while words and (start := 1 if words[0].assigned else inner_start(words)):
        words = words[start:]
    return words


def upstream(command: ShellCommand) -> Iterator[ShellCommand]:
    """Yield every command whose output comes down the pipes to this one."""
    waiting, steps = list(command.sources), 0
    while waiting and steps < _MOST_STEPS:
        current = waiting.pop()
        yield current
        waiting += current.sources
        steps += 1


def executed_by_find(words: list[CommandWord]) -> list[list[CommandWord]]:
    """Return the commands behind `-exec` and its like."""
    parts: list[list[CommandWord]] = []
    part: list[CommandWord] | None = None
    for word in words:
        if part is not None and word.text in (";", "+"):
            part = None
        elif part is not None:
            part.append(word)
        elif word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            part = []
            parts.append(part)
    return [found for found in parts if found]


# --- scripts ---


def _split_string(words: list[CommandWord]) -> str:
    """Return the text that `env -S` splits into a command, empty without that option."""
    for at, word in enumerate(words):
        rest = [other.text for other in words[at + 1 :]]
        if word.text in _SPLITS:
            return " ".join(rest)
        for option in _SPLITS:
            if word.text.startswith(option):
                return " ".join((word.text.removeprefix(option).removeprefix("="), *rest))
        if not word.text.startswith("-") and at and not word.assigned:
            break
    return ""


def _scripts(name: str, words: list[CommandWord], command: ShellCommand) -> Iterator[str]:
    """Yield the texts that this program runs as a script, by the place where each program expects them.

    Each branch is one program's own convention. `trap` takes one script before the names of signals,
    `watch` joins its words, and an alias holds its script behind `=`.
    """
    if name in _SHELLS:
        yield from _shell_scripts(words, command)
    elif name == "eval":
        yield from _script_of(words)
    elif name in (".", "source"):
        yield from (text for word in words[:1] for text in _written(word.inner))
    elif name == "trap":
        yield from _script_of([word for word in words if not word.text.startswith("-")][:1])
    elif name == "alias":
        yield from (word.text.partition("=")[2] for word in words if word.assigned)
    elif name == "watch":
        yield " ".join(word.text for word in words if not word.text.startswith("-"))


def _shell_scripts(words: list[CommandWord], command: ShellCommand) -> Iterator[str]:
    """Yield the script of `sh -c`, of a file that is written on the spot, or of standard input.

    Options stand before the script, except for `su`, which takes its `-c` behind the name of the user.
    """
    at, has_script = 0, False
    while at < len(words) and words[at].text[:1] in ("-", "+") and words[at].text not in ("-", "--"):
        option = words[at].text
        has_script |= option == "--command" or (option[1:2] != "-" and "c" in option)
        at += 2 if option in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file") else 1
    rest = words[at:]
    if not has_script:
        for place, word in enumerate(rest):
            if word.text in ("-c", "--command"):
                rest, has_script = rest[place + 1 :], True
                break
    if rest and rest[0].text in ("-", "--"):
        rest = rest[1:]
    if has_script:
        yield from _script_of(rest[:1])
    elif rest and not any(word.text == "-s" for word in words):
        yield from _written(rest[0].inner)
    else:
        yield from command.texts
        yield from _written(command.sources)


def _script_of(words: list[CommandWord]) -> Iterator[str]:
    """Yield the script that these words make, or what was echoed into it if it is nothing but a hole."""
    text = " ".join(word.text for word in words)
    inner = tuple(command for word in words for command in word.inner)
    if text.replace(HOLE, "").strip():
        yield text
    elif inner:
        yield from _written(inner)
    elif text.strip():
        raise UnreadableShell("it runs a script that is known only when it runs")


def _written(commands: tuple[ShellCommand, ...]) -> Iterator[str]:
    """Yield the text that `echo`, `printf` or `cat` would write, as far as the line tells."""
    for command in commands:
        name = program_name(command.words[0]) if command.words else ""
        if name in ("echo", "printf"):
            texts = [
                word.text for word in command.words[1:] if word.text not in ("-e", "-n", "-E", "-ne", "-en")
            ]
            yield " ".join(texts).replace("\\n", "\n")
        elif name in ("cat", "tee", "sed", "tr", "base64"):
            yield from command.texts
