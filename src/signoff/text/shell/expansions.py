"""What a shell replaces in a word, as far as the text itself tells: variables, escapes, braces, wildcards."""

from signoff.text.shell.shell_parts import HOLE, CommandWord, ShellCommand, UnreadableShell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_VARIABLES = 100
_LONGEST = 300
_MOST_BRACED = 64
_DECLARE = ("export", "local", "declare", "readonly", "typeset")
_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
_KNOWN_OUTPUT = {
    "git branch --show-current": "HEAD",
    "git rev-parse --abbrev-ref HEAD": "HEAD",
    "git rev-parse --abbrev-ref @": "HEAD",
    "git symbolic-ref --short HEAD": "HEAD",
    "pwd": ".",
    "git rev-parse --show-toplevel": ".",
    "git rev-parse --git-dir": ".git",
    "git rev-parse --absolute-git-dir": ".git",
    "git rev-parse --git-common-dir": ".git",
}


class Values:
    """Variables that the text sets exactly once, to words it spells out. All others are unknown."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[str, str | None] = {"PWD": ".", "HOME": "~"}

    def note(self, words: "list[CommandWord]") -> None:
        """Remember the variables that a command of nothing but assignments sets.

        A variable of a loop or of `read`, and one set twice, is unknown from then on.
        """
        first = words[0].text if words else ""
        if first in ("for", "select", "read") and len(words) > 1:
            for word in words[1:]:
                self._known[word.text] = None
            return
        for word in _assignments(words):
            name = word.assigned
            value = word.text.partition("=")[2]
            if name in self._known:
                self._known[name] = None
            elif len(self._known) < _MOST_VARIABLES:
                # A second assignment further on may run before a function that uses the variable.
                once = self._text.count(name + "=") == 1 and self._text.count(name + "+=") == 0
                self._known[name] = value if once and len(value) <= _LONGEST else None

    def of(self, name: str, *, is_quoted: bool) -> tuple[str, str] | None:
        """Return the value and its mask as in `Word.mask`, or None if it is not known."""
        value = self._known.get(name)
        if value is None:
            return None
        if is_quoted:
            return value, "q" * len(value)
        return value, "".join("s" if char in " \t\n" else "b" for char in value)


def _assignments(words: "list[CommandWord]") -> "Iterable[CommandWord]":
    rest = words[1:] if words and words[0].text in _DECLARE else words
    sets = [word for word in rest if word.assigned]
    return sets if len(sets) == len(rest) else ()


def known_output(
    commands: "list[ShellCommand] | tuple[ShellCommand, ...]", hole: tuple[str, str]
) -> tuple[str, str]:
    """Return the output that is known without running: the current branch is `HEAD`, the folder `.`."""
    if len(commands) == 1:
        output = _KNOWN_OUTPUT.get(" ".join(word.text for word in commands[0].words))
        if output is not None:
            return output, "q" * len(output)
    return hole


def split_word(word: CommandWord) -> list[CommandWord]:
    """Split a word at the blanks of an unquoted value."""
    if "s" not in word.mask:
        return [word]
    pieces: list[CommandWord] = []
    start = 0
    for at, kind in enumerate(word.mask + "s"):
        if kind == "s":
            if at > start:
                pieces.append(word._replace(text=word.text[start:at], mask=word.mask[start:at]))
            start = at + 1
    return pieces


# --- quotation ---


def backticked(text: str, at: int) -> tuple[str, int]:
    """Return the script between backticks and the place behind it."""
    script: list[str] = []
    while at < len(text):
        if text[at] == "`":
            return "".join(script), at + 1
        if text[at] == "\\" and text[at + 1 : at + 2] in ("`", "\\", "$"):
            at += 1
        script.append(text[at])
        at += 1
    raise UnreadableShell("a backtick is never closed")


def ansi_c_quoted(text: str, at: int) -> tuple[str, int]:
    r"""Return the text of `$'…'` with escapes such as `\n` and `\x67` replaced, and the place behind it."""
    pieces: list[str] = []
    while at < len(text):
        if text[at] == "'":
            return "".join(pieces), at + 1
        if text[at] != "\\":
            pieces.append(text[at])
            at += 1
            continue
        char = text[at + 1 : at + 2]
        width = {"x": 2, "u": 4, "U": 8}.get(char, 0)
        if width:
            digits = _digits(text[at + 2 : at + 2 + width], _HEX)
            pieces.append(_char(int(digits, 16)) if digits else "\\" + char)
            at += 2 + len(digits)
        elif char in _OCTAL:
            digits = _digits(text[at + 1 : at + 4], _OCTAL)
            pieces.append(_char(int(digits, 8)))
            at += 1 + len(digits)
        else:
            pieces.append(_ESCAPES.get(char, char))
            at += 2
    raise UnreadableShell("a quotation mark is never closed")


def _digits(text: str, allowed: frozenset[str]) -> str:
    return text[: next((at for at, char in enumerate(text) if char not in allowed), len(text))]


def _char(number: int) -> str:
    # NUL would end the word in a shell, and is a hole here; surrogates are no text.
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"


def arithmetic_end(text: str, at: int) -> int:
    """Return the place behind `((…))`, or 0 if the two parentheses do not close together: a subshell."""
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
    raise UnreadableShell("a parenthesis is never closed")


# --- braces ---


def expand_braces(word: CommandWord) -> list[CommandWord]:
    """Return the words that bash makes of `{a,b}`.

    Replaces one group after the other, the first that closes first. A range such as `{1..9}`, and what would
    become too many words, is one word with a hole.
    """
    if "{" not in word.text:
        return [word]
    if len(word.text) > _LONGEST:
        is_bare = any(char == "{" and kind == "b" for char, kind in zip(word.text, word.mask, strict=True))
        return [word._replace(text=HOLE, mask="b")] if is_bare and "," in word.text else [word]
    done: list[CommandWord] = []
    waiting = [(word, 0)]
    while waiting:
        current, start = waiting.pop()
        group = _brace_group(current, start)
        if group is None:
            done.append(current)
            continue
        if len(done) + len(waiting) > _MOST_BRACED:
            return [word._replace(text=HOLE, mask="b")]
        begin, commas, end = group
        if commas:
            marks = [begin, *commas, end]
            spans = [slice(left + 1, marks[at]) for at, left in enumerate(marks[:-1], 1)]
            choices = [(current.text[span], current.mask[span]) for span in spans]
            waiting += reversed([(_replaced(current, begin, end + 1, *choice), begin) for choice in choices])
        elif ".." in current.text[begin:end]:
            waiting.append((_replaced(current, begin, end + 1, HOLE, "b"), begin))
        else:
            waiting.append((current, begin + 1))
    return done


def _replaced(word: CommandWord, begin: int, end: int, text: str, mask: str) -> CommandWord:
    return word._replace(
        text=word.text[:begin] + text + word.text[end:], mask=word.mask[:begin] + mask + word.mask[end:]
    )


def _brace_group(word: CommandWord, start: int) -> tuple[int, list[int], int] | None:
    """Find the first bare brace that closes: where it opens, its own commas, where it closes.

    Inner groups close before the outer one, so the search goes on until no brace is open.
    """
    opened: list[tuple[int, list[int]]] = []
    found: tuple[int, list[int], int] | None = None
    for at in range(start, len(word.text)):
        char = word.text[at] if word.mask[at] == "b" else " "
        if char == "{":
            opened.append((at, []))
        elif char == "," and opened:
            opened[-1][1].append(at)
        elif char == "}" and opened:
            begin, commas = opened.pop()
            if found is None or begin < found[0]:
                found = (begin, commas, at)
            if not opened:
                break
    return found


# --- wildcards ---


def may_match(pattern: str, name: str) -> bool:
    """Check whether a pattern with holes and wildcards may stand for this name.

    Follows every place of the name that the pattern may have reached so far, character by character, so that
    no pattern takes more than quadratic time.
    """
    if not any(mark in pattern for mark in (HOLE, "*", "?", "[")):
        return pattern == name
    places = {0}
    at = 0
    while at < len(pattern) and places:
        char = pattern[at]
        if char in (HOLE, "*"):
            places = set(range(min(places), len(name) + 1))
        elif char == "[" and "]" in pattern[at + 2 : at + 66]:
            end = pattern.index("]", at + 2)
            inside = pattern[at + 1 : end]
            places = {p + 1 for p in places if p < len(name) and _in_brackets(inside, name[p])}
            at = end
        else:
            places = {p + 1 for p in places if p < len(name) and char in ("?", name[p])}
        at += 1
    return len(name) in places


def _in_brackets(inside: str, char: str) -> bool:
    """Check whether a bracket expression takes the character. A class such as `[:alpha:]` takes any."""
    if "[:" in inside:
        return True
    negated = inside[:1] in ("!", "^")
    body = inside[1:] if negated else inside
    taken = char in body
    for at in range(1, len(body) - 1):
        taken |= body[at] == "-" and body[at - 1] <= char <= body[at + 1]
    return taken != negated
