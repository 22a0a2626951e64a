"""The words of `journal`, read without argparse where they are plain."""

import pytest

from signoff.cli.judge.arguments.journal import plain


@pytest.mark.parametrize(
    "words", [["check", "f"], ["check", "f", "--json"], ["--json", "repair", "f"], ["check", "-"]]
)
def test_plain_words_are_read(words: list[str]) -> None:
    options = plain(words)

    assert options is not None
    assert options.json is ("--json" in words)
    assert options.file in ("f", "-")


@pytest.mark.parametrize(
    "words",
    [[], ["check"], ["--help"], ["check", "--help"], ["mend", "f"], ["check", "f", "g"], ["check", "-x"]],
)
def test_everything_else_is_left_to_argparse(words: list[str]) -> None:
    assert plain(words) is None
