"""Phrases that nothing can check: found whatever is put between their letters, and only as whole words."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.core.vagueness import VAGUE_PHRASES, is_blank, length, normalised, vague_phrases, without_quotes


@pytest.mark.parametrize("phrase", VAGUE_PHRASES)
@pytest.mark.parametrize("quoted_too", [True, False])
def test_each_phrase_is_found_in_any_spelling(phrase: str, quoted_too: bool) -> None:
    first, second = phrase.split(" ", 1)
    for text in (
        f"It {phrase}.",
        phrase.upper(),
        f"{first}\n\t {second}",
        f"{first}\u00a0{second}",
        f"{first}\u200b{second}",
        f"{first[0]}\u200b{first[1:]} {second}",
        f"{first} {second[:2]}\ufe0f{second[2:]}",
    ):
        assert vague_phrases(text, quoted_too=quoted_too) == (phrase,), text


@pytest.mark.parametrize(
    "text",
    [
        "what was needed",
        "this correction",
        "networks correctly",
        "unreasonable",
        "if appropriately",
        "works correctlyish",
        "it works; correctly",
    ],
)
@pytest.mark.parametrize("quoted_too", [True, False])
def test_a_part_of_a_word_is_no_phrase(text: str, quoted_too: bool) -> None:
    assert vague_phrases(text, quoted_too=quoted_too) == ()


@pytest.mark.parametrize(
    "text", ["says `looks good`", 'says "looks good"', "says “looks good”", "says 'looks good'"]
)
def test_quoted_text_counts_only_where_it_is_asked_for(text: str) -> None:
    assert vague_phrases(text, quoted_too=False) == ()
    assert vague_phrases(text, quoted_too=True) == ("looks good",)


def test_a_text_that_is_all_quotation_is_a_text_in_quotation_marks() -> None:
    assert vague_phrases('"The page looks good"', quoted_too=False) == ("looks good",)


@pytest.mark.parametrize(
    "phrase",
    [
        "working correctly",
        "work as expected",
        "look good",
        "looking nice",
        "are correct",
        "be reasonable",
        "behaving properly",
        "behaved correctly",
        "appear correct",
    ],
)
def test_another_form_of_the_verb_promises_nothing_more(phrase: str) -> None:
    assert vague_phrases(f"The pages {phrase}", quoted_too=False) == (phrase,)
    assert vague_phrases(f"The pages {phrase}", quoted_too=True) == ()


def test_a_condition_is_no_excuse() -> None:
    assert vague_phrases("When the password is correct, it opens", quoted_too=False) == ("is correct",)


def test_each_phrase_is_named_once() -> None:
    text = "It works correctly, looks good, and works correctly"

    assert vague_phrases(text, quoted_too=True) == ("works correctly", "looks good")


@given(st.text())
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalised(text)

    assert normalised(once) == once
    assert length(once) == length(text) == len(once)
    assert is_blank(text) == (once == "")


@given(st.text("a\u0301\u200b\u034f\u1160\ufe0f \u2003\u1100\u1161\u115f\u0958\u212b"))
def test_so_it_is_with_marks_joiners_and_fillers(text: str) -> None:
    """An invisible character between a letter and its accent must not keep the two apart."""
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    "invisible", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\ufe0f", "\u034f", "\u3164", "\u115f"]
)
def test_what_nobody_sees_is_nothing(invisible: str) -> None:
    assert normalised(f"a{invisible}b {invisible}") == "ab"
    assert is_blank(invisible * 30)


@pytest.mark.parametrize("mark", ['"', "`", "“", "«", "‘", "「", "'", "“‘"])
def test_a_megabyte_of_quotation_marks_takes_no_time(mark: str) -> None:
    start = time.process_time()

    without_quotes(mark * 200_000 + "a")

    assert time.process_time() - start < 1
