"""One matcher for every list of words: what it takes for a word, and what hides none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.phrases import (
    QUOTED,
    folded,
    normalised,
    phrase_at,
    phrase_set,
    readings,
    without_quotes,
    word_set,
)

PHRASES = phrase_set("as well as, as well")


@pytest.mark.parametrize(
    ("at", "found"), [(0, ()), (1, ("as", "well", "as")), (3, ("as", "well")), (4, ()), (9, ())]
)
def test_the_first_listed_phrase_at_a_place_is_found(at: int, found: tuple[str, ...]) -> None:
    """A longer phrase would be taken for a shorter one, or half a phrase for a whole one."""
    assert phrase_at(("a", "as", "well", "as", "well"), at, PHRASES) == found


@pytest.mark.parametrize(
    "text", ["is-correct", "**is** correct", "is\n correct", "\uff49\uff53 correct", "IS \u200bcorrect"]
)
def test_typography_hides_no_word(text: str) -> None:
    """A vague phrase in bold would pass."""
    assert folded(normalised(text), word_set("is correct")) == "is correct"


def test_a_hyphen_between_other_words_stays() -> None:
    """`up-to-date` would be three words."""
    assert folded("up-to-date src/is-correct.css", word_set("is correct")) == "up-to-date src/is-correct.css"


def test_an_invisible_character_may_stand_for_a_space() -> None:
    """Two words that only look apart would be read as one."""
    assert readings("is\u2060correct") == ("iscorrect", "is correct")


def test_a_quotation_is_one_mark_and_a_quoted_text_is_its_content() -> None:
    """What is quoted would be taken for what is said."""
    assert without_quotes("print `done` now").split() == ["print", QUOTED, "now"]
    assert without_quotes("`done`") == "done"


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    """A text would compare unequal to itself after a round trip."""
    assert normalised(normalised(text)) == normalised(text)
