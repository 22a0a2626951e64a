"""The grammar of a shell as far as it can be told from words alone. Pure; used by `shell_commands`."""

from signoff.core.guards.shell_parts import Command, Unreadable, Word

_RESERVED = frozenset(
    ("if", "then", "else", "elif", "fi", "while", "until", "do", "done", "esac", "!", "{", "}", "coproc")
)


def without_reserved(words: list[Word]) -> list[Word]:
    """Take off the words of the grammar before a command, such as `then` and `{`."""
    at = 0
    while at < len(words) and "q" not in words[at].mask:
        if words[at].text == "function":
            at += 2
        elif words[at].text in _RESERVED:
            at += 1
        else:
            break
    return words[at:]


def ends_group(words: list[Word]) -> bool:
    """Say whether a group of commands ends here, whose output a pipe behind it would take."""
    return "q" not in words[0].mask and words[0].text in ("}", "fi", "done", "esac")


def case_steps(words: list[Word]) -> int:
    """Count how many `case` this command opens; below zero, closes. Its patterns end in a parenthesis."""
    names = [word.text for word in words[:8] if word.mask.count("b") == len(word.text)]
    while names and names[0] in ("if", "then", "else", "elif", "while", "until", "do", "!", "{", "}"):
        names = names[1:]
    return {"case": 1, "esac": -1}.get(names[0] if names else "", 0)


def split_word(word: Word) -> list[Word]:
    """Split a word where an unquoted value had blanks."""
    if "s" not in word.mask:
        return [word]
    pieces: list[Word] = []
    start = 0
    for at, kind in enumerate(word.mask + "s"):
        if kind == "s":
            if at > start:
                pieces.append(Word(word.text[start:at], word.mask[start:at], word.inner))
            start = at + 1
    return pieces


def known_output(commands: "list[Command] | tuple[Command, ...]", hole: tuple[str, str]) -> tuple[str, str]:
    """Give what is known without running: the current branch is `HEAD`, the folder `.`."""
    if len(commands) == 1:
        said = " ".join(word.text for word in commands[0].words)
        if said in _CURRENT_BRANCH:
            return "HEAD", "qqqq"
        if said in _KNOWN_FOLDERS:
            return _KNOWN_FOLDERS[said], "q" * len(_KNOWN_FOLDERS[said])
    return hole


_CURRENT_BRANCH = (
    "git branch --show-current",
    "git rev-parse --abbrev-ref HEAD",
    "git rev-parse --abbrev-ref @",
    "git symbolic-ref --short HEAD",
)


_KNOWN_FOLDERS = {
    "pwd": ".",
    "git rev-parse --show-toplevel": ".",
    "git rev-parse --git-dir": ".git",
    "git rev-parse --absolute-git-dir": ".git",
    "git rev-parse --git-common-dir": ".git",
}


def arithmetic_end(text: str, at: int) -> int:
    """Give the place behind `((…))`, or 0 if the two parentheses do not close together: a subshell."""
    if text[at : at + 1] != "(":
        return 0
    opened, place = 2, at + 1
    while place < len(text):
        if text[place] == "(":
            opened += 1
        elif text[place] == ")":
            opened -= 1
            if opened == 1 and text[place + 1 : place + 2] != ")":
                return 0
            if opened == 0:
                return place + 1
        place += 1
    raise Unreadable("a parenthesis is never closed")
