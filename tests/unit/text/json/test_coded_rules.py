"""Codes that know their rule: what a violation takes from its code, and what it may replace."""

from signoff.domain.base.violations import Severity
from signoff.text.json.violation_list import CodedRule


class Rules(CodedRule):
    """Two rules, one of each severity."""

    TOO_LONG = "too-long", "shorten it"
    UNUSUAL = "unusual", "look again", Severity.WARNING


def test_a_violation_has_the_fix_and_the_severity_of_its_rule() -> None:
    """A rule that is a warning would stop a file if its severity were lost."""
    found = Rules.UNUSUAL.found("that is rare", "/name")

    assert (found.code, found.fix, found.severity, found.path) == (
        "unusual",
        "look again",
        Severity.WARNING,
        "/name",
    )
    assert Rules.TOO_LONG.found("12 characters").severity is Severity.ERROR


def test_a_violation_may_replace_fix_and_severity() -> None:
    """A rule that is an error in one list can be a warning in another."""
    found = Rules.TOO_LONG.found("12 characters", fix="drop 2", severity=Severity.WARNING)

    assert (found.fix, found.severity) == ("drop 2", Severity.WARNING)


def test_the_code_of_a_violation_is_plain_text() -> None:
    """A member in place of its code would take its rule into whatever writes the violation."""
    assert type(Rules.TOO_LONG.found("12 characters").code) is str
    assert {Rules.TOO_LONG, Rules.UNUSUAL} == {"too-long", "unusual"}
