"""What is wrong with a file that was judged: coded, placed, and with the way to put it right. Pure records.

Every `check` command gives a list of these. `judges.journal.journal_check` must start without msgspec, so it
gives its own light `Fault` with the same fields: `msgspec.convert(fault._asdict(), Violation)` makes one of
these.
"""

from enum import StrEnum

from signoff.domain.base.record import Record


class Severity(StrEnum):
    """Whether a violation makes a file invalid: errors do, warnings alone do not."""

    ERROR = "error"
    WARNING = "warning"


class Violation(Record, frozen=True, kw_only=True, omit_defaults=False):
    """One thing wrong with a file. Every key is written, also where it is null: scripts rely on them."""

    code: str
    """The documented name of the rule that was broken, in kebab-case."""
    severity: Severity
    rule: int | None = None
    """The rule's number in the format it belongs to, where it has one."""
    path: str = ""
    """JSON pointer into the document or the line. Empty means the whole of it."""
    line: int | None = None
    """Counted from 1. Null if it is about the file as a whole."""
    message: str
    fix: str = ""
