"""What a guard found, and the decision that follows. Pure data for everything in this package."""

from collections import namedtuple
from collections.abc import Iterable

ALLOW = "allow"
BLOCK = "block"

UNREADABLE = "unreadable"
"""The code for text that could not be read to its end, so that its effect is unknown."""

_LONGEST_QUOTE = 80


class GuardFinding(namedtuple("GuardFinding", ("code", "message", "line", "subject"), defaults=(0, ""))):
    """One reason to block."""

    __slots__ = ()
    code: str
    message: str
    line: int
    """The line of the SQL text, 0 for a command line."""
    subject: str
    """The whole statement with single blanks: it tells an added finding from one that was there before."""


class GuardDecision(namedtuple("GuardDecision", ("decision", "reason", "findings"))):
    """The answer of a guard: `allow` or `block`, why, and every finding."""

    __slots__ = ()
    decision: str
    reason: str
    findings: tuple[GuardFinding, ...]

    @property
    def is_blocked(self) -> bool:
        """Whether the decision is to block."""
        return self.decision == BLOCK


def decide(found: Iterable[GuardFinding], allowed: Iterable[str] = (), otherwise: str = "") -> GuardDecision:
    """Return the decision to block if any finding is left once the allowed codes are taken away."""
    codes = frozenset(allowed)
    left = tuple(dict.fromkeys(finding for finding in found if finding.code not in codes))
    if not left:
        return GuardDecision(ALLOW, otherwise or "no rule of this guard applies", ())
    first = left[0]
    where = f"line {first.line}: " if first.line else ""
    more = f" (and {len(left) - 1} more)" if len(left) > 1 else ""
    return GuardDecision(BLOCK, f"{where}{first.message} [{first.code}]{more}", left)


def quoted(text: str) -> str:
    """Quote a piece of the judged text for a message, short and on one line."""
    flat = " ".join(text[: 4 * _LONGEST_QUOTE].replace("\0", "…").split())
    return f"`{flat if len(flat) <= _LONGEST_QUOTE else flat[: _LONGEST_QUOTE - 1] + '…'}`"
