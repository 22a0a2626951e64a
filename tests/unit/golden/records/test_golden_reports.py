"""Reports are compared without their words: first word, headings, bodies, standings, rows of the matrix."""

import pytest

from signoff.golden.records.report_outline import compare_reports, outline

REPORT = """observed: 2 changed files seen

There is no certificate.

## Plan

1. write it

## Tests

- **proven**: the engine ran them

## Clauses

| clause | standing | evidence |
|---|---|---|
| C1: a \\| b | claimed | the host's review |
| the tests pass | proven | none |
"""


def moved(after: str) -> list[str]:
    return [move.pointer for move in compare_reports(REPORT, after)]


def test_a_report_is_outlined() -> None:
    """Everything the comparison rests on, once."""
    assert outline(REPORT) == (
        "observed",
        ("## Plan", "## Tests", "## Clauses"),
        (True, True, True),
        ((), ("proven",), ()),
        ("claimed, shown", "proven, nothing shows it"),
    )


@pytest.mark.parametrize(
    ("old", "new", "pointer"),
    [
        ("observed:", "claimed:", "kind"),
        ("observed:", "wonderful:", "kind"),
        ("1. write it", "", "has_body"),
        ("## Plan", "## Plans", "headings"),
        ("**proven**", "**claimed**", "standings"),
        ("| claimed |", "| proven |", "clauses"),
        ("the host's review", "none", "clauses"),
        ("| the tests pass | proven | none |\n", "", "clauses"),
    ],
)
def test_what_a_reader_would_decide_by_counts(old: str, new: str, pointer: str) -> None:
    """Each of these tells a person something else about the delivery."""
    assert f"/report/{pointer}" in moved(REPORT.replace(old, new))


@pytest.mark.parametrize("old", ["2 changed files seen", "write it", "the engine ran them", "There is no"])
def test_words_may_drift(old: str) -> None:
    """Polishing a sentence must not need a new capture."""
    assert moved(REPORT.replace(old, "said otherwise")) == []


def test_a_page_that_is_no_report_has_an_outline_too() -> None:
    """A run that ended with an error has a stub."""
    assert outline("no report: cycle 1 ended with persona-unknown\n").kind == ""
