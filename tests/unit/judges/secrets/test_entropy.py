"""How random a string looks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.judges.secrets.credential_rules import kinds, looks_drawn, shannon


def test_bits_per_character_are_those_of_shannon() -> None:
    assert shannon("") == 0
    assert shannon("aaaa") == 0
    assert shannon("abab") == 1
    assert shannon(b"0123456789abcdef") == 4


@given(st.text())
def test_bits_lie_between_none_and_those_of_all_different_characters(text: str) -> None:
    assert -1e-9 <= shannon(text) <= max(1, len(text)).bit_length()


def test_kinds_of_characters_are_counted() -> None:
    assert [kinds(text) for text in ("", "ab", "aB", "aB1", "aB1-", "é")] == [0, 1, 2, 3, 4, 1]


@pytest.mark.parametrize("value", ["S3cr3tP@ssw0rd!", "a8f5f167f44f4964e6c998dee827110c", "Zx9Kq2Lm8Vn4Bt7R"])
def test_a_drawn_value_is_recognised(value: str) -> None:
    assert looks_drawn(value)


@pytest.mark.parametrize(
    "value", ["", "short1", "authorization_code", "1111111111111111", "aaaaaaaab1", "password1"]
)
def test_a_word_or_filler_is_not(value: str) -> None:
    assert not looks_drawn(value)
