"""Workflow commands of GitHub Actions."""

from gate_reports import report

from signoff.gates.github_annotations import annotations


def commands() -> list[str]:
    return annotations(report()).partition("::stop-commands::")[0].strip().split("\n")


def test_each_new_finding_is_a_command_with_its_place() -> None:
    assert commands()[0] == (
        "::error file=a b/ü.py,line=3,title=signoff secrets%3A github-token::looks like a credential"
    )


def test_nothing_from_outside_can_give_a_command() -> None:
    assert commands()[1] == (
        "::notice file=b.py,line=9,title=signoff test-gap%3A untested-function::"
        "50%25 a,b:c%0A::error::made up"
    )


def test_known_findings_and_advice_are_no_commands_and_what_was_not_judged_is_an_error() -> None:
    assert len(commands()) == 3
    assert (
        commands()[2] == "::error title=signoff protected-paths::could not be judged: settings are unreadable"
    )


def test_the_text_stands_where_commands_are_off() -> None:
    _, _, rest = annotations(report()).partition("::stop-commands::")
    token, _, text = rest.partition("\n")

    assert text.endswith(f"\n::{token}::")
    assert "gate: FAILED" in text
