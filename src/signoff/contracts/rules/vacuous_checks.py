"""Globs, patterns and commands that hold whatever was done, or can never hold.

Pure, part of the `strict` policy. What a glob covers in a tree is seen when its check runs. Here is only
what no tree could change.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from signoff.contracts.rules.contract_codes import ContractCode
from signoff.contracts.rules.contract_parts import Parts, Rule, TextAt
from signoff.domain.base.violations import Severity, Violation
from signoff.domain.work.check_kinds import command_of, required_file
from signoff.text.exit_code_trust import SHELLS, program_name
from signoff.text.globs import alternatives
from signoff.text.json.violation_list import shown
from signoff.text.pattern_syntax import why_no_regex

_TOKEN: Final = re.compile(
    r"""(?P<flags>\(\?[aimsux]+\))
      | (?P<open>\((?:\?:|\?P<\w+>|(?!\?)))
      | (?P<never>\(\?!\))
      | (?P<strange>\(\?)
      | (?P<close>\))
      | (?P<either>\|)
      | (?P<optional>(?:[*?]|\{0*,\d*\}|\{0+\})[?+]?)
      | (?P<repeated>(?:\+|\{\d+(?:,\d*)?\})[?+]?)
      | (?P<start>\^|\\A)
      | (?P<end>\$|\\Z)
      | (?P<atom>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.)""",
    re.VERBOSE | re.DOTALL,
)
_OPTIONAL: Final = re.compile(r"[*?|{]")
_WHOLE_LINES: Final = frozenset({"^.*$", "^.*?$", "^(.*)$", "^(?:.*)$"})
_PERHAPS_NEVER: Final = re.compile(r"\\[nr]|[\n\r]|\(\?!\)|\$\^|\[\^\\")
_NO_CHARACTER: Final = re.compile(r"\[\^\\([dsw])\\(?!\1)(?i:\1)\]|\[\^\\([DSW])\\(?!\2)(?i:\2)\]")
_LINE_BREAK: Final = re.compile(r"\\[nr]|[\n\r]|\[(?:\\[nr]|[\n\r])+\]")

_STEADY: Final = frozenset(
    {":", "clear", "date", "echo", "hostname", "printf", "pwd", "sleep", "true", "uname", "uptime", "whoami"}
)
"""Programs that end with 0, whatever they are given and wherever they run."""
_STEADY_ALONE: Final = frozenset({"cal", "df", "dir", "id", "ls", "printenv", "ps", "tree", "who"})
"""The same, as long as they are given nothing but options."""
_PLAIN_SCRIPT: Final = re.compile(r"[\w \t.,:=+@%/-]*")


def non_goals_cover_something(parts: Parts) -> Iterator[Violation]:
    """A glob with an empty part covers no file: its non-goal would be kept by every change."""
    for glob, pointer in parts.non_goal_globs:
        segments = glob.removeprefix("./").rstrip("/").split("/")
        # Alone, it is the root or absolute, and refused as a path.
        if len(segments) > 1 and segments[0] and not {"", "."}.isdisjoint(segments):
            message = f"{shown(glob)} has an empty part, so it covers no file"
            yield ContractCode.VACUOUS_GLOB.found(message, pointer)


def non_goals_leave_something(parts: Parts) -> Iterator[Violation]:
    """What leaves every file untouched cannot change anything."""
    for glob, pointer in parts.non_goal_globs:
        if "/untouched/" in pointer and any(
            "**" in one and not one.strip("*?./") for one in alternatives(glob)
        ):
            message = f"{shown(glob)} covers every file, so no change could keep to it"
            yield ContractCode.VACUOUS_GLOB.found(
                message, pointer, fix="name the files or folders that stay as they are"
            )


def patterns_ask_for_something(parts: Parts) -> Iterator[Violation]:
    """A pattern found in every text, or in none, tells nothing, whether it is to be present or absent."""
    if parts.has_too_many_patterns:
        return
    matchers = (
        TextAt(item.matcher, f"{pointer}/matcher")
        for item, pointer in parts.evidence
        if item.matcher is not None
    )
    for pattern, pointer in (*parts.patterns, *matchers):
        if matches_every_text(pattern):
            message = f"{shown(pattern)} is found in every text, so it tells nothing"
            fix = "write a pattern that something must be there for"
        elif matches_nothing(pattern):
            message = f"{shown(pattern)} is found in no text that says anything"
            fix = "write a pattern that something could match"
        elif not pointer.endswith("/expect_stdout_match") and matches_no_line(pattern):
            message = f"{shown(pattern)} asks for the end of a line, and each line is searched without it"
            fix = "write what one line holds"
        else:
            continue
        yield ContractCode.VACUOUS_PATTERN.found(message, pointer, fix=fix)


def commands_can_fail(parts: Parts) -> Iterator[Violation]:
    """A command that ends as expected whatever was done shows nothing."""
    for check, pointer in parts.checks:
        ran = command_of(check)
        if ran is None or ran.expect_stdout_match is not None:
            continue
        if steady_exit((ran.command, *ran.args)) == ran.expected_exit:
            message = f"{shown(ran.command)} ends with {ran.expected_exit} whatever was done"
            yield ContractCode.VACUOUS_COMMAND.found(message, f"{pointer}/command")


def texts_ask_for_something(parts: Parts) -> Iterator[Violation]:
    """Every file holds the empty text."""
    for check, pointer in parts.checks:
        if (file := required_file(check)) and file.must_contain == "":
            yield ContractCode.VACUOUS_PATTERN.found(
                "every file holds the empty text", f"{pointer}/must_contain", severity=Severity.WARNING
            )


def matches_every_text(pattern: str) -> bool:
    """Check whether a regular expression is found in every text.

    It is read and never run: even on an empty text, a hostile one can take for ever. One that asks for an
    empty line asks for something, and so does what this reader does not understand.
    """
    if len(pattern) > 2 and not _OPTIONAL.search(pattern):
        return False  # nothing in it can be left out; most are like this
    if why_no_regex(pattern):
        return False
    return pattern in _WHOLE_LINES or _can_be_empty(pattern)


def matches_nothing(pattern: str) -> bool:
    """Check whether a regular expression is found in no text at all, or like `$^` in the empty one only."""
    return _never_matches(pattern, _NO_CHARACTER)


def matches_no_line(pattern: str) -> bool:
    """Check whether it is found in no text without line breaks. If it is not understood the answer is no."""
    return matches_nothing(pattern) or _never_matches(pattern, _LINE_BREAK)


def steady_exit(argv: Sequence[str]) -> int | None:
    """Return the exit code that a command has whatever was done, or None if that depends on the work.

    Only programs of the system with nothing to look at are known here. A program in the project's own folder
    may do anything, and so may an unknown one.
    """
    folder, _, _ = argv[0].rpartition("/")
    if folder not in ("", "/bin", "/usr/bin"):
        return None  # the project's own
    name, args = program_name(argv[0]), argv[1:]
    if name == "false":
        return 1
    if name in _STEADY or (name in _STEADY_ALONE and all(word.startswith("-") for word in args)):
        return 0
    if name in SHELLS and len(args) > 1 and args[0] == "-c" and _PLAIN_SCRIPT.fullmatch(args[1]):
        words = args[1].split()
        return 0 if words in ([], ["exit"], ["exit", "0"]) else steady_exit(words)
    return None


class _Group:
    """A group as far as it is read: it can be, if all parts of one of its alternatives can."""

    def __init__(self) -> None:
        self.either = False
        self.this = True
        self.last = True

    def add(self, *, can: bool) -> None:
        self.this = self.this and self.last
        self.last = can

    def turn(self) -> None:
        """End one alternative and begin the next."""
        self.add(can=True)
        self.either = self.either or self.this
        self.this = True

    def ended(self) -> bool:
        self.turn()
        return self.either


def _can_be_empty(pattern: str) -> bool:
    """Check whether a valid pattern matches the empty text. Lookarounds and conditions ask for something."""

    def can(token: re.Match[str]) -> bool:
        # Every text has a beginning and an end, but only the empty one has both in one place.
        is_first = token.lastgroup == "start" and token.start() == 0
        return is_first or (token.lastgroup == "end" and token.end() == len(pattern))

    anchors = {token.lastgroup for token in _TOKEN.finditer(pattern)} & {"start", "end"}
    return len(anchors) < 2 and _can_match(pattern, can) is True


def _never_matches(pattern: str, impossible: re.Pattern[str]) -> bool:
    if not _PERHAPS_NEVER.search(pattern) or why_no_regex(pattern):
        return False
    tokens = _TOKEN.finditer(pattern)
    if any(token.lastgroup == "flags" and "x" in token[0] for token in tokens):
        return False  # a line break in it may be there for the eye

    def can(token: re.Match[str]) -> bool:
        return token.lastgroup != "never" and not impossible.fullmatch(token[0])

    return pattern == "$^" or _can_match(pattern, can) is False


def _can_match(pattern: str, can: Callable[[re.Match[str]], bool]) -> bool | None:
    """Return whether a whole pattern can match, given what `can` says of each anchor and atom.

    None means that the pattern is too strange to be read. What may be left out always can. A group can if all
    parts of one of its alternatives can, so one pass with a stack of groups is enough.
    """
    groups = [_Group()]
    for token in _TOKEN.finditer(pattern):
        match token.lastgroup:
            case "open":
                groups.append(_Group())
            case "close":
                inner = groups.pop()
                if not groups:
                    return None
                groups[-1].add(can=inner.ended())
            case "either":
                groups[-1].turn()
            case "optional":
                groups[-1].last = True
            case "start" | "end" | "atom" | "never":
                groups[-1].add(can=can(token))
            case "strange":
                return None
            case _:  # flags, and what is repeated at least once, leave it as it is
                pass
    return groups[0].ended() if len(groups) == 1 else None


RULES: Final[tuple[Rule, ...]] = (
    non_goals_cover_something,
    non_goals_leave_something,
    patterns_ask_for_something,
    texts_ask_for_something,
    commands_can_fail,
)
