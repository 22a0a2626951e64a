"""Shortcuts that make a cycle cheap must not change what anything comes to."""

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from signoff.intake.refinement import text_words
from signoff.text import digests
from signoff.text.digests import sha256_hex
from signoff.text.lazy_patterns import pattern

ASCII_TEXT = st.text(st.characters(codec="ascii"), max_size=80)
MARKED_TEXT = st.lists(st.sampled_from(list("\"'`<>!-~#()*,.;?\n ab1_/:")), max_size=60).map("".join)


@given(st.one_of(ASCII_TEXT, MARKED_TEXT))
def test_plain_letters_are_read_by_the_short_pattern_as_by_the_whole_one(text: str) -> None:
    """The pattern for ASCII leaves out what cannot stand there, and nothing else."""
    short, whole = text_words._tokens(is_ascii=True), text_words._tokens(is_ascii=False)
    assert [(m.lastgroup, m[0]) for m in short.finditer(text)] == [
        (m.lastgroup, m[0]) for m in whole.finditer(text)
    ]


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_a_digest_is_the_one_that_everybody_computes(pieces: list[bytes]) -> None:
    """Journals and blobs are checked by other programs too."""
    assert [sha256_hex(piece) for piece in pieces] == [hashlib.sha256(piece).hexdigest() for piece in pieces]


def test_the_digest_stays_the_same_when_openssl_takes_over() -> None:
    """A large body must not get another name than a small one of the same bytes."""
    hasher = digests._Sha256()
    for data in (b"a", b"a" * 600_000, b"a"):
        assert hasher(data) == hashlib.sha256(data).hexdigest()


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    """One that nobody uses costs nothing; one that is used does what `re` does."""
    assert pattern("(") is not None
    lazy, eager = pattern(r"(\d+)-x", re.IGNORECASE), re.compile(r"(\d+)-x", re.IGNORECASE)
    for text in ("12-X", "12", "a 1-x b"):
        assert lazy.findall(text) == eager.findall(text)
        assert (lazy.fullmatch(text) is None) == (eager.fullmatch(text) is None)
    assert lazy.pattern == eager.pattern
