"""Text from outside in a page: it is shown as it was written, and does nothing."""

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_view import HOSTILE, live, shape, steers

from signoff.text.markdown import bullets, cell, code, line, printed, table

PARTS = st.sampled_from((*HOSTILE, *"`|\\[]()<>!&#*_~:;-+=. ", "a", "1", "\n", "www.", "//"))
MADE = (
    st.lists(PARTS | st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=6)
    .map("".join)
    .filter(str.strip)
)
PAGE = "x {0}\n\n- {0}\n- {2}\n\n| a | b |\n|---|---|\n| {1} | {2} |\n"


def read(page: str) -> str:
    """Give what a person reads."""
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(page)
    return html.unescape(re.sub(r"<[^>]*>", "", made))


@pytest.mark.parametrize("text", HOSTILE)
def test_text_from_outside_opens_nothing(text: str) -> None:
    """A page is opened in viewers that fetch images and run what they are given."""
    page = f"{line(text)}\n\n{bullets([text, f'- {text}'])}\n\n{table(('a', 'b'), [(text, text)])}\n"

    assert shape(page) == shape(f"x\n\n{bullets(['x', 'x'])}\n\n{table(('a', 'b'), [('x', 'x')])}\n")
    assert live(page) == []
    assert steers(page) == []


@settings(max_examples=150, deadline=None)
@given(MADE)
def test_no_text_can_be_made_that_does_something(text: str) -> None:
    page = PAGE.format(line(text), cell(text), code(text))

    assert shape(page) == shape(PAGE.format("x", "x", "x"))
    assert steers(page) == []


@pytest.mark.parametrize(
    "text",
    ["src/*.py and tests/*.py", "__init__.py", "a_b_c", "&amp; & R&D", "a [b] (c)", "1. x", "C:\\d", "#1"],
)
def test_a_reader_sees_what_was_written(text: str) -> None:
    """Escaping that shows, or a mark that disappears, tells a reader something else."""
    assert read(line(text)).strip() == text
    assert read(f"x {line(text)}").strip() == f"x {text}"
    assert read(table(("h",), [(text,)])).split() == ["h", *text.split()]


@pytest.mark.parametrize("text", ["shop/*.py", "a_b", "T1/check-1", "`a_b` x", "5 * 3", "~ waived"])
def test_what_means_nothing_stays_as_it_is(text: str) -> None:
    """A page is also read as it lies there, and copied from."""
    assert line(text) == text


@pytest.mark.parametrize("text", ["see https://example.org/a", "see www.example.org"])
def test_a_bare_address_is_no_link_where_viewers_make_links_of_them(text: str) -> None:
    assert text not in line(text)
    assert text not in cell(text)
    assert read(line(text)).strip() == text


def test_what_a_program_printed_is_lines_without_anything_that_ends_one() -> None:
    said = printed("a\r# b\x0bc\x0cd\x85e\u2028f\ng\th\x1b[2J\n\n \n")

    assert said == ["a", "# b", "c", "d", "e", "f", "g\th\ufffd[2J"]
