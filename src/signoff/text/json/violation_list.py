"""Collect violations: JSON pointers, values quoted for a message, and a list that ends somewhere.

Pure, used by everything in this room that judges a file.
"""

import json
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from signoff.domain.base.violations import Severity, Violation

MAX_VIOLATIONS: Final = 1_000
"""How many errors, and how many warnings, are listed. A last one says how many more there are."""

MORE_VIOLATIONS: Final = "more-violations"


class Findings:
    """Violations in the order they were found, up to the cap. Every one of them is counted."""

    def __init__(self, found: Iterable[Violation] = ()) -> None:
        self._listed: list[Violation] = []
        self._counted: Counter[Severity] = Counter()
        self.extend(found)

    def add(self, violation: Violation) -> None:
        """Note one."""
        self._counted[violation.severity] += 1
        if self._counted[violation.severity] <= MAX_VIOLATIONS:
            self._listed.append(violation)

    def extend(self, found: Iterable[Violation]) -> None:
        """Note several."""
        for violation in found:
            self.add(violation)

    @property
    def has_errors(self) -> bool:
        """Whether anything stands in the way, warnings aside."""
        return self._counted[Severity.ERROR] > 0

    def all(self) -> tuple[Violation, ...]:
        """Return them, with a note in place of what is over the cap."""
        more = self._counted.total() - len(self._listed)
        if not more:
            return tuple(self._listed)
        severity = Severity.ERROR if self.has_errors else Severity.WARNING
        note = fault(
            MORE_VIOLATIONS,
            f"the list ends here; there are at least {more} more",
            fix="put these right first",
            severity=severity,
        )
        return (*self._listed, note)


def fault(
    code: str,
    message: str,
    path: str = "",
    *,
    line: int | None = None,
    fix: str = "",
    rule: int | None = None,
    severity: Severity = Severity.ERROR,
) -> Violation:
    """Build a violation. Most are errors, so that is the default."""
    return Violation(
        code=str(code), severity=severity, rule=rule, path=path, line=line, message=message, fix=fix
    )


class CodedRule(StrEnum):
    """A code with its rule: each member states its fix, and whether it is an error or a warning."""

    fix: str
    severity: Severity

    def __new__(cls, code: str, fix: str, severity: Severity = Severity.ERROR) -> "CodedRule":
        """Create a member whose value is the code, with the rest of its rule as attributes."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.fix, member.severity = fix, severity
        return member

    def found(
        self,
        message: str,
        path: str = "",
        *,
        fix: str = "",
        severity: Severity | None = None,
        rule: int | None = None,
    ) -> Violation:
        """Return a violation of this rule, with its own `fix` and `severity` unless others are given."""
        level = severity or self.severity
        return fault(self, message, path, fix=fix or self.fix, severity=level, rule=rule)


def below(path: str, *keys: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of what lies below `path`."""
    steps = (str(key).replace("~", "~0").replace("/", "~1") for key in keys)
    return printable("/".join((path, *steps)))


def shown(value: str | float | None, limit: int = 60) -> str:
    """Quote a plain value for a message: on one line, not long, and always encodable."""
    # Cut before quoting: a value may be megabytes and a message must not be.
    text = json.dumps(value[:limit] if isinstance(value, str) else value, ensure_ascii=False)
    return printable(text if len(text) <= limit else text[: limit - 1] + "…")


def printable(text: str) -> str:
    """Return the text with halves of surrogate pairs written out, so that it can be encoded."""
    return text.encode("utf-8", "backslashreplace").decode()
