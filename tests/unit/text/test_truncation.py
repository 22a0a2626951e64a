"""Text for journal records."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from signoff.text.truncation import short


@given(st.text(), st.integers(10, 200))
def test_short_text_fits_and_can_be_written(text: str, most: int) -> None:
    assert len(msgspec.json.encode(short(text, most))) - 2 <= most


@given(st.text(alphabet="abc é世", max_size=20))
def test_text_that_fits_is_only_put_on_one_line(text: str) -> None:
    assert short(text, 100) == " ".join(text.split())


def test_what_is_missing_is_marked() -> None:
    assert short("x" * 50, 20) == "x" * 17 + "…"
    assert short('"' * 50, 20).endswith("…")
