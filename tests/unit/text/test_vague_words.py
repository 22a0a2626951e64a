"""Phrases that nothing can check: found whatever is put between their letters, and only as whole words."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.phrases import is_blank, length, normalised, without_quotes
from signoff.text.vague_words import VAGUE_PHRASES, is_unwritten, vague_phrases


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
        f"{first} *{second}*",
        f"It __{first}__ **{second}**, mostly",
        f"_{phrase}_ and ~~{first}~~ nothing",
        phrase.replace(" ", "-"),
        f"({first}-{second})",
        f"{first}\u2011{second}",
        "".join(chr(ord(char) + 0xFEE0) if char != " " else char for char in phrase),
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
        "works_correctly",
        "src/looks-good.css",
        "looks-good.css",
        "test-works-correctly",
        "has --is-correct",
        "has `works-correctly`",
        "2 * is_correct",
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


@pytest.mark.parametrize("text", ["works `correctly`", "**`works correctly`**", "has `works-correctly`"])
def test_code_in_backticks_is_let_alone_also_where_it_is_emphasised(text: str) -> None:
    assert vague_phrases(f"The page {text} in green", quoted_too=False) == ()


@pytest.mark.parametrize(
    "text",
    [
        "TODO: fill this in later on",
        "todo - somebody writes this",
        "TBD",
        "TBD by the whole team",
        "TBA \u2026 and then we will see",
        "**TBD**: what it is",
        "To be decided with the customer",
        "Lorem ipsum dolor sit amet",
        "\uff34\uff22\uff24.",
        "??? nobody knows yet",
    ],
)
def test_what_is_still_to_be_written_is_seen(text: str) -> None:
    assert is_unwritten(text)


@pytest.mark.parametrize(
    "text",
    [
        "TODO comments are gone from src/",
        "The todo list prints its total",
        "No cell of the table says TBD",
        "To be able to print, a basket has a total",
        "`TBD` is replaced by the total",
        "Tbilisi is on the map",
        "",
    ],
)
def test_a_text_about_placeholders_is_none(text: str) -> None:
    assert not is_unwritten(text)


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


@pytest.mark.parametrize("part", ["*", "_", "a-", "is-", "~a", "is correct*", "\uff57-"])
def test_nor_does_a_megabyte_of_emphasis(part: str) -> None:
    start = time.process_time()

    vague_phrases(part * (400_000 // len(part)) + " correct", quoted_too=True)
    is_unwritten(part * (400_000 // len(part)))

    assert time.process_time() - start < 2
