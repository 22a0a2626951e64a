"""Texts and exact values survive being written into a page."""

from hypothesis import given
from hypothesis import strategies as st

from signoff.text.plan_prose import read_item, read_text, split, written_item, written_text

AWKWARD = st.text(st.sampled_from("a1 `\\*<>&#[](),;:.-—@/\"'\n\t\0\u2028é|~="), max_size=12)


@given(AWKWARD | st.text())
def test_a_text_is_read_as_it_was_written(text: str) -> None:
    assert read_text(written_text(text)) == text


@given(AWKWARD | st.text())
def test_a_written_text_is_one_line_without_html(text: str) -> None:
    written = written_text(text)

    assert written == written.strip()
    assert "\n" not in written
    assert "<" not in "".join(part for part in written.replace("\\\\", "").split("`")[::2]).replace("\\<", "")


@given(AWKWARD | st.text())
def test_an_exact_value_is_read_as_it_was_written(value: str) -> None:
    assert read_item(written_item(value)) == value


@given(st.lists(AWKWARD, max_size=4))
def test_a_list_of_exact_values_is_split_where_it_was_joined(values: list[str]) -> None:
    for separator in ",;":
        assert (
            list(map(read_item, split(f"{separator} ".join(map(written_item, values)), separator))) == values
        )


def test_code_spans_are_kept_and_their_insides_not_resolved() -> None:
    assert read_text("`\\*` \\* &amp; &nope; \\d &#65; &#x41; &#0;") == "`\\*` * & &nope; \\d A A \0"
    assert read_item("`` a`b ``") == "a`b"
    assert split("`a, b`, c\\, d, , &#44;", ",") == ["`a, b`", "c\\, d", "&#44;"]
