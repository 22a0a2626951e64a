"""Print violations. Light, for commands that only judge a file."""

from collections.abc import Iterable
from typing import NamedTuple

from signoff.domain.base.violations import Severity, Violation


class Count(NamedTuple):
    """How many errors and warnings there are."""

    errors: int
    warnings: int

    def __str__(self) -> str:
        """Return the counts in words, empty when there are no violations."""
        named = ((self.errors, "error"), (self.warnings, "warning"))
        return ", ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in named if n)


def counted(violations: Iterable[Violation]) -> Count:
    """Count errors and warnings."""
    listed = [violation.severity for violation in violations]
    return Count(listed.count(Severity.ERROR), listed.count(Severity.WARNING))


def violation_text(violation: Violation) -> str:
    """Return one violation as a line."""
    place = f" (line {violation.line})" if violation.line else ""
    fix = f"; {violation.fix}" if violation.fix else ""
    return (
        f"  {violation.severity}[{violation.code}] {violation.path or '/'}{place}: {violation.message}{fix}"
    )


def listing(head: str, violations: Iterable[Violation]) -> str:
    """Return a headline with every violation below it."""
    return "\n".join((head, *(violation_text(violation) for violation in violations)))
