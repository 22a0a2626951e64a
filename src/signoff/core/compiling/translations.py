"""What goes into the translation of a planner's command, and what comes out of it. Pure records."""

from typing import NamedTuple

from signoff.domain.checks import ContractCheck


class Expected(NamedTuple):
    """What the planner says a command must show."""

    text: str
    """As written; may be empty."""
    fail_if: str = ""
    """What would be a failure, as written."""


class Translated(NamedTuple):
    """A check that asks for no less than the command did."""

    check: ContractCheck
    note: str = ""
    """What is worth a warning: where the check asks for more, or how an unclear idiom was read."""


class Untranslated(NamedTuple):
    """No check says the same as this command."""

    why: str
    """One plain sentence for a gap."""
