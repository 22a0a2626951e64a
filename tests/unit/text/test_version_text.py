"""Versions as programs print them, held against the ones that were tested."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.version_text import is_as_tested, untested, version_in


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("2.1.325 (Claude Code)", "2.1.325"),
        ("codex-cli 0.166.0", "0.166.0"),
        ("goose v1.52.0", "1.52.0"),
        ("1.18", "1.18"),
        ("GitHub Copilot CLI 1.0.102, commit abc1.2", "1.0.102"),
        ("it prints no version", ""),
        ("7", ""),
        ("", ""),
    ],
)
def test_the_version_is_found_in_the_line(line: str, version: str) -> None:
    """Every program words it differently."""
    assert version_in(line) == version


@pytest.mark.parametrize(
    ("version", "is_fine"),
    [
        ("2.1.325", True),
        ("2.1.400", True),
        ("2.1.1", False),
        ("2.2.0", False),
        ("3.1.325", False),
        ("2.1", False),
    ],
)
def test_a_later_one_of_the_same_series_is_as_good_as_the_tested_one(version: str, is_fine: bool) -> None:
    """A note about every daily release would be read by nobody."""
    assert is_as_tested(version, "2.1.325") is is_fine
    assert bool(untested("Claude Code", version, "2.1.325")) is not is_fine


def test_one_that_does_not_say_its_version_is_told_and_one_nobody_tested_is_not() -> None:
    """There is nothing to hold it against."""
    assert "does not say" in untested("Codex", "", "0.166.0")
    assert untested("My agent", "1.0", "") == ""


@given(st.text())
def test_no_line_is_too_strange(line: str) -> None:
    """It comes from outside."""
    untested("Agent", version_in(line), "1.2.3")
