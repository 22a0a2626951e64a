"""Globs and patterns that hold whatever was done, or can never hold. Pure; part of the `strict` policy.

What a glob covers in a tree is seen when its check runs; here is only what no tree could change.
"""

import re
from collections.abc import Iterator
from typing import Final

from signoff.core.contract_codes import ContractCode
from signoff.core.contract_parts import Parts, Rule
from signoff.core.globs import is_glob
from signoff.core.patterns import why_no_regex
from signoff.core.violations import fault, shown
from signoff.domain.checks import FileExists
from signoff.domain.violations import Severity, Violation

_TOKEN: Final = re.compile(
    r"""(?P<flags>\(\?[aimsux]+\))
      | (?P<open>\((?:\?:|\?P<\w+>|(?!\?)))
      | (?P<strange>\(\?)
      | (?P<close>\))
      | (?P<either>\|)
      | (?P<optional>(?:[*?]|\{0?,\d*\}|\{0\})[?+]?)
      | (?P<repeated>(?:\+|\{\d+(?:,\d*)?\})[?+]?)
      | (?P<start>\^|\\A)
      | (?P<end>\$|\\Z)
      | (?P<atom>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.)""",
    re.VERBOSE | re.DOTALL,
)
_OPTIONAL: Final = re.compile(r"[*?|{]")
_WHOLE_LINES: Final = frozenset({"^.*$", "^.*?$", "^(.*)$", "^(?:.*)$"})


def non_goals_cover_something(parts: Parts) -> Iterator[Violation]:
    """A glob with an empty part covers no file: its non-goal would be kept by every change."""
    for glob, pointer in parts.non_goal_globs:
        segments = glob.removeprefix("./").rstrip("/").split("/")
        # Alone, it is the root or absolute, and refused as a path.
        if len(segments) > 1 and segments[0] and not {"", "."}.isdisjoint(segments):
            message = f"{shown(glob)} has an empty part, so it covers no file"
            fix = "write it without `//` and `/./`"
            yield fault(ContractCode.VACUOUS_GLOB, message, pointer, fix=fix)


def non_goals_leave_something(parts: Parts) -> Iterator[Violation]:
    """What leaves every file untouched cannot change anything."""
    for glob, pointer in parts.non_goal_globs:
        if "/untouched/" in pointer and "**" in glob and is_glob(glob) and not glob.strip("*?./"):
            message = f"{shown(glob)} covers every file, so no change could keep to it"
            fix = "name the files or folders that stay as they are"
            yield fault(ContractCode.VACUOUS_GLOB, message, pointer, fix=fix)


def patterns_ask_for_something(parts: Parts) -> Iterator[Violation]:
    """A pattern that every text matches shows nothing when it is wanted, and never holds when it is not."""
    for pattern, pointer in parts.patterns:
        if matches_every_text(pattern):
            yield _vacuous(pattern, pointer)
    for item, pointer in parts.evidence:
        if item.matcher is not None and matches_every_text(item.matcher):
            yield _vacuous(item.matcher, f"{pointer}/matcher")


def texts_ask_for_something(parts: Parts) -> Iterator[Violation]:
    """Every file holds the empty text."""
    for check, pointer in parts.checks:
        if isinstance(check, FileExists) and check.must_contain == "":
            yield fault(
                ContractCode.VACUOUS_PATTERN,
                "every file holds the empty text",
                f"{pointer}/must_contain",
                fix="write what the file must hold, or drop it",
                severity=Severity.WARNING,
            )


def matches_every_text(pattern: str) -> bool:
    """Say whether a regular expression is found in whatever it is looked for in.

    It is read and never run: even on an empty text, a hostile one can take for ever. One that asks for an
    empty line asks for something, and so does what this reader does not understand.
    """
    if len(pattern) > 2 and not _OPTIONAL.search(pattern):
        return False  # nothing in it can be left out; most are like this
    if why_no_regex(pattern):
        return False
    return pattern in _WHOLE_LINES or _can_be_empty(pattern)


class _Group:
    """A group as far as it is read: what of it can be empty."""

    def __init__(self) -> None:
        self.either = False
        self.this = True
        self.last = True

    def add(self, *, can_be_empty: bool) -> None:
        self.this = self.this and self.last
        self.last = can_be_empty

    def turn(self) -> None:
        """End one alternative and begin the next."""
        self.add(can_be_empty=True)
        self.either = self.either or self.this
        self.this = True

    def ended(self) -> bool:
        self.turn()
        return self.either


def _can_be_empty(pattern: str) -> bool:
    """Read a valid pattern; what stands in a lookaround or a condition asks for something."""
    groups = [_Group()]
    anchors = set()
    for token in _TOKEN.finditer(pattern):
        match kind := token.lastgroup:
            case "open":
                groups.append(_Group())
            case "close":
                inner = groups.pop()
                if not groups:
                    return False
                groups[-1].add(can_be_empty=inner.ended())
            case "either":
                groups[-1].turn()
            case "optional":
                groups[-1].last = True
            case "start" | "end":
                # Every text has a beginning and an end, but only the empty one has both in one place.
                anchors.add(kind)
                is_outermost = token.start() == 0 if kind == "start" else token.end() == len(pattern)
                groups[-1].add(can_be_empty=is_outermost)
            case "atom":
                groups[-1].add(can_be_empty=False)
            case "strange":
                return False
            case _:  # flags, and what is repeated at least once, leave it as it is
                pass
    return len(groups) == 1 and len(anchors) < 2 and groups[0].ended()


def _vacuous(pattern: str, pointer: str) -> Violation:
    message = f"{shown(pattern)} is found in every text, so it tells nothing"
    fix = "write a pattern that something must be there for"
    return fault(ContractCode.VACUOUS_PATTERN, message, pointer, fix=fix)


RULES: Final[tuple[Rule, ...]] = (
    non_goals_cover_something,
    non_goals_leave_something,
    patterns_ask_for_something,
    texts_ask_for_something,
)
