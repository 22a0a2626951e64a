"""Gather what is wrong with a log, up to a cap.

Pure; `journal_check` and the judges of single profiles add to one of these. Light to import, like the
checker: no typing, no msgspec.
"""

from signoff.core.journal_rules import CHAIN_BREAKS, RULES, Fault, JournalCode

MAX_VIOLATIONS = 1_000
"""How many are listed; a last one says how many more there are."""


class Faults:
    """Collects violations up to the cap, and remembers what the rest amounted to."""

    def __init__(self) -> None:
        self.listed: list[Fault] = []
        self.line: int | None = 0
        self.errors = 0
        self.more = 0
        self.chain_broken = False

    def add(self, code: JournalCode, message: str, path: str = "", fix: str = "") -> None:
        """Note a violation of the present line; `fix` where there is a better one than the rule's."""
        rule = RULES[code]
        self.errors += rule.severity == "error"
        self.chain_broken |= code in CHAIN_BREAKS
        if len(self.listed) >= MAX_VIOLATIONS:
            self.more += 1
        else:
            fault = Fault(code, rule.severity, rule.number, path, self.line, message, fix or rule.fix)
            self.listed.append(fault)

    def all(self) -> tuple[Fault, ...]:
        """Give them in the order of the log, with a note in place of what is over the cap."""
        if not self.more:
            return tuple(self.listed)
        code = JournalCode.MORE_VIOLATIONS
        severity = "error" if self.errors else "warning"
        return (*self.listed, Fault(code, severity, None, "", None, f"and {self.more} more", RULES[code].fix))
