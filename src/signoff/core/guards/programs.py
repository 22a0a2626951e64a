"""Find the programs that the commands of a line would start, through `env`, `sudo`, `xargs`, `sh -c`. Pure.

Called by `command_guard`. A wrapper is taken off with its own options; a script that a shell is given as an
argument, a here-document or through a pipe is read like the line itself.
"""

from collections import namedtuple
from collections.abc import Iterator

from signoff.core.guards.shell_commands import find_commands
from signoff.core.guards.shell_parts import HOLE, Command, Unreadable, Word

_DEEPEST = 12
_MOST_STEPS = 200
_DATA = frozenset(("for", "select", "case"))
"""What follows these are words of a list or a pattern, no command."""

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "su"))


class _Wrapper(namedtuple("_Wrapper", ("short", "long", "skipped"), defaults=("", (), 0))):
    """Options of a wrapper that take a value, and how many words stand before the program."""

    __slots__ = ()
    short: str
    long: tuple[str, ...]
    skipped: int


_WRAPPERS = {
    "env": _Wrapper("uC", ("unset", "chdir")),
    "sudo": _Wrapper("ugpCrtTUDRh", ("user", "group", "prompt", "chdir", "chroot", "role", "type", "host")),
    "doas": _Wrapper("uC"),
    "command": _Wrapper(),
    "builtin": _Wrapper(),
    "exec": _Wrapper("a"),
    "nohup": _Wrapper(),
    "setsid": _Wrapper(),
    "time": _Wrapper("fo", ("format", "output")),
    "nice": _Wrapper("n", ("adjustment",)),
    "ionice": _Wrapper("cn", ("class", "classdata")),
    "chrt": _Wrapper("", (), 1),
    "taskset": _Wrapper("", (), 1),
    "stdbuf": _Wrapper("ioe", ("input", "output", "error")),
    "timeout": _Wrapper("ks", ("kill-after", "signal"), 1),
    "gtimeout": _Wrapper("ks", ("kill-after", "signal"), 1),
    "xargs": _Wrapper(
        "IEdnPLsaR", ("max-args", "max-procs", "delimiter", "replace", "arg-file", "max-chars")
    ),
    "parallel": _Wrapper("jIn", ("jobs", "max-args")),
    "flock": _Wrapper("wE", ("timeout", "conflict-exit-code"), 1),
    "strace": _Wrapper("oeEpsu"),
    "unbuffer": _Wrapper(),
    "chronic": _Wrapper(),
    "caffeinate": _Wrapper("tw"),
    "winpty": _Wrapper(),
    "busybox": _Wrapper(),
    "toybox": _Wrapper(),
}
_FEEDS = frozenset(("xargs", "parallel"))
_SPLIT = ("-S", "--split-string")
_ANYTHING = Word(HOLE, "b")


class Program(namedtuple("Program", ("name", "words", "joint", "command"))):
    """A program and its words, its own name not among them."""

    __slots__ = ()
    name: str
    """Without its folder, in lower case; `HOLE` if only a running shell knows it."""
    words: tuple[Word, ...]
    joint: str
    """The operator before the command."""
    command: Command

    @property
    def text(self) -> str:
        """The program and its words, for a message."""
        return " ".join((self.name, *(word.text for word in self.words)))


def programs(text: str, depth: int = 0) -> Iterator[Program]:
    """Give every program of a script; `Unreadable` where it cannot be read."""
    if depth > _DEEPEST:
        raise Unreadable(f"scripts within scripts go more than {_DEEPEST} deep")
    for command in find_commands(text):
        yield from _of_words(list(command.words), command, command.joint, depth)


def _of_words(words: list[Word], command: Command, joint: str, depth: int) -> Iterator[Program]:
    if words and words[0].text in _DATA and "q" not in words[0].mask:
        return
    while words:
        if words[0].assigned:
            words = words[1:]
            continue
        name = program_name(words[0])
        if name == "command" and any(word.text in ("-v", "-V") for word in words[1:2]):
            return
        wrapper = _WRAPPERS.get(name)
        if wrapper is None:
            break
        if name == "env" and (script := _split_string(words)):
            yield from programs(script, depth + 1)
            return
        if name == "flock" and any(word.text == "-c" for word in words):
            words = [Word("sh", "bbb"), *words[next(i for i, w in enumerate(words) if w.text == "-c") :]]
            continue
        words = _unwrapped(words[1:], wrapper)
        if name in _FEEDS and words:
            words = [*words, _ANYTHING]
    if not words:
        return
    name = program_name(words[0])
    yield Program(name, tuple(words[1:]), joint, command)
    for script in _scripts(name, words[1:], command):
        yield from programs(script, depth + 1)
    if name == "find":
        for part in executed_by_find(words[1:]):
            yield from _of_words(part, command, joint, depth)


def program_name(word: Word) -> str:
    """Give the name of a program without folder and `.exe`; macOS finds it in any case of letters."""
    name = word.text.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    return HOLE if HOLE in name else name


def own_words(command: Command) -> list[Word]:
    """Give the words of a command without assignments and wrappers before them."""
    words = list(command.words)
    while words:
        wrapper = _WRAPPERS.get(program_name(words[0]))
        if words[0].assigned:
            words = words[1:]
        elif wrapper is not None:
            words = _unwrapped(words[1:], wrapper)
        else:
            break
    return words


def upstream(command: Command) -> Iterator[Command]:
    """Give every command whose output comes down the pipes to this one."""
    waiting, steps = list(command.sources), 0
    while waiting and steps < _MOST_STEPS:
        current = waiting.pop()
        yield current
        waiting += current.sources
        steps += 1


def executed_by_find(words: list[Word]) -> list[list[Word]]:
    """Give the commands behind `-exec` and its like."""
    parts: list[list[Word]] = []
    part: list[Word] | None = None
    for word in words:
        if part is not None and word.text in (";", "+"):
            part = None
        elif part is not None:
            part.append(word)
        elif word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            part = []
            parts.append(part)
    return [found for found in parts if found]


def _unwrapped(words: list[Word], wrapper: _Wrapper) -> list[Word]:
    """Take off the options of a wrapper, their values, and what it wants before the program."""
    at = 0
    while at < len(words):
        text = words[at].text
        if text == "--":
            at += 1
            break
        if text.startswith("--"):
            at += 2 if text[2:] in wrapper.long else 1
        elif text.startswith("-"):
            at += 2 if text[-1:] in wrapper.short and text[-1:] and _takes_next(text, wrapper) else 1
        elif words[at].assigned and not wrapper.skipped:
            at += 1
        else:
            break
    return words[at + wrapper.skipped :]


def _takes_next(cluster: str, wrapper: _Wrapper) -> bool:
    """Say whether the value of the last letter is the next word: no letter before it took the rest."""
    return not any(letter in wrapper.short for letter in cluster[1:-1])


def _split_string(words: list[Word]) -> str:
    for at, word in enumerate(words):
        if word.text in _SPLIT:
            return " ".join(other.text for other in words[at + 1 :])
        for option in ("--split-string=", "-S"):
            if word.text.startswith(option):
                return " ".join((word.text.removeprefix(option), *(w.text for w in words[at + 1 :])))
        if not word.text.startswith("-") and at and not word.assigned:
            break
    return ""


# --- scripts ---


def _scripts(name: str, words: list[Word], command: Command) -> Iterator[str]:
    """Give the texts that this program runs as a script."""
    if name in SHELLS:
        yield from _shell_scripts(words, command)
    elif name == "eval":
        yield from _script_of(words)
    elif name in (".", "source"):
        yield from (text for word in words[:1] for text in _spoken(word.inner))
    elif name == "trap":
        yield from _script_of([word for word in words if not word.text.startswith("-")][:1])
    elif name == "alias":
        yield from (word.text.partition("=")[2] for word in words if word.assigned)
    elif name == "watch":
        yield " ".join(word.text for word in words if not word.text.startswith("-"))


def _shell_scripts(words: list[Word], command: Command) -> Iterator[str]:
    at, has_script = 0, False
    while at < len(words) and words[at].text[:1] in ("-", "+") and words[at].text not in ("-", "--"):
        option = words[at].text
        has_script |= option == "--command" or (option[1:2] != "-" and "c" in option)
        at += (
            2 if option in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file", "-s") and option != "-s" else 1
        )
    rest = words[at:]
    if not has_script:  # su takes its -c behind the name of the user
        for place, word in enumerate(rest):
            if word.text in ("-c", "--command"):
                rest, has_script = rest[place + 1 :], True
                break
    if rest and rest[0].text in ("-", "--"):
        rest = rest[1:]
    if has_script:
        yield from _script_of(rest[:1])
    elif rest and not any(word.text == "-s" for word in words):
        yield from _spoken(rest[0].inner)
    else:
        yield from command.texts
        yield from _spoken(command.sources)


def _script_of(words: list[Word]) -> Iterator[str]:
    """Give the script that these words make; one that is nothing but a hole is what was echoed into it."""
    text = " ".join(word.text for word in words)
    inner = tuple(command for word in words for command in word.inner)
    if text.replace(HOLE, "").strip():
        yield text
    elif inner:
        yield from _spoken(inner)
    elif text.strip():
        raise Unreadable("it runs a script that is known only when it runs")


def _spoken(commands: tuple[Command, ...]) -> Iterator[str]:
    """Give the text that `echo`, `printf` or `cat` would write, as far as the line says it."""
    for command in commands:
        name = program_name(command.words[0]) if command.words else ""
        if name in ("echo", "printf"):
            said = [
                word.text for word in command.words[1:] if word.text not in ("-e", "-n", "-E", "-ne", "-en")
            ]
            yield " ".join(said).replace("\\n", "\n")
        elif name in ("cat", "tee", "sed", "tr", "base64"):
            yield from command.texts
