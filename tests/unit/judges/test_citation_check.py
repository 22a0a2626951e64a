"""Citations of documents."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.judges.citation_check import MAX_LINES, CitationOutcome, Cited, Locator, cite, is_supported

DOCUMENT = """# Limits

## 4.1 Timeouts
A check ends after
sixty seconds.

## 4.2 Retries ##

At most three.

```
## 4.3 In a fence
```

Setext heading
--------------
below

## 4.2 Retries of others
### 4.2.1 Deep
deep text
"""


def run(text: str | bytes = DOCUMENT, *, is_markdown: bool = True, **locator: Any) -> CitationOutcome:
    data = text if isinstance(text, bytes) else text.encode()
    return cite(data, Locator(**locator), is_markdown=is_markdown)


def test_the_excerpt_runs_from_the_line_to_the_next_blank_one() -> None:
    found = run(line=4)
    assert (found.code, found.excerpt, found.line) == (Cited.OK, "A check ends after\nsixty seconds.", 4)


def test_the_excerpt_of_a_section_begins_with_its_heading() -> None:
    assert run(section="4.1 Timeouts").excerpt == "## 4.1 Timeouts\nA check ends after\nsixty seconds."
    assert run(section="## 4.1 Timeouts").line == 3
    assert run(section="4.1").line == 3
    assert run(section="Setext heading").line == 15


def test_a_heading_before_a_blank_line_stands_alone() -> None:
    assert run(section="4.2 Retries").excerpt == "## 4.2 Retries ##"


def test_no_more_than_ten_lines_are_given() -> None:
    found = run("\n".join(map(str, range(50))), line=1)
    assert found.excerpt is not None
    assert found.excerpt.count("\n") == MAX_LINES - 1


@pytest.mark.parametrize(
    ("locator", "code"),
    [
        ({}, "locator_missing"),
        ({"section": "  "}, "locator_missing"),
        ({"line": 0}, "locator_out_of_range"),
        ({"line": -1}, "locator_out_of_range"),
        ({"line": 22}, "locator_out_of_range"),
        ({"line": 2}, "blank_anchor"),
        ({"section": "5"}, "section_not_found"),
        ({"section": "4.3 In a fence"}, "section_not_found"),
        ({"section": "4.2"}, "section_ambiguous"),
        ({"sha256": "0" * 64, "line": 1}, "hash_mismatch"),
        ({"line": 4, "excerpt": "A check ends after"}, "excerpt_mismatch"),
        ({"line": 4, "excerpt": "A check ends after\nsixty  seconds."}, "excerpt_mismatch"),
        ({"line": 4, "excerpt": ""}, "excerpt_mismatch"),
        ({"line": 21}, "ok"),
        ({"line": 4, "excerpt": "A check ends after\nsixty seconds."}, "ok"),
        ({"line": 4, "excerpt": "A check ends after\r\nsixty seconds.\n"}, "ok"),
    ],
)
def test_each_way_to_be_wrong_has_its_code(locator: dict[str, Any], code: str) -> None:
    assert run(**locator).code == code


def test_a_mismatch_shows_what_the_document_says() -> None:
    assert run(line=9, excerpt="At most four.").excerpt == "At most three."


def test_the_digest_is_of_the_bytes_in_any_letters() -> None:
    digest = hashlib.sha256(DOCUMENT.encode()).hexdigest()
    for written in (digest, digest.upper(), "sha256:" + digest):
        assert run(line=1, sha256=written).code is Cited.OK


def test_bytes_that_are_no_text_are_refused_and_a_byte_order_mark_is_dropped() -> None:
    assert run(b"ok\n\xff\n", line=1).code is Cited.INVALID_UTF8
    assert run(b"\xef\xbb\xbffirst\r\nsecond\r\n", line=1).excerpt == "first\nsecond"


def test_only_a_newline_ends_a_line() -> None:
    assert run("one\u2028still one\x0cand here\ntwo", line=2).excerpt == "two"


def test_two_equal_headings_are_ambiguous() -> None:
    assert run("# A\n\n# A\n", section="A").code is Cited.SECTION_AMBIGUOUS


def test_plain_text_has_lines_that_begin_like_a_section() -> None:
    text = "INTRODUCTION\n\n4.2 Retries\nAt most three.\n\n4.20 Others\n"
    assert run(text, section="4.2", is_markdown=False).excerpt == "4.2 Retries\nAt most three."
    assert run("# A\n", section="A", is_markdown=False).code is Cited.SECTION_NOT_FOUND


def test_the_line_wins_over_the_section_and_says_so() -> None:
    agreed = run(line=5, section="4.1")
    assert (agreed.code, agreed.warnings) == (Cited.OK, ())
    split = run(line=9, section="4.1")
    assert (split.code, split.excerpt) == (Cited.OK, "At most three.")
    assert len(split.warnings) == 1
    assert len(run(line=9, section="nowhere").warnings) == 1


def test_an_empty_document_has_no_lines() -> None:
    assert run("", line=1).code is Cited.LOCATOR_OUT_OF_RANGE
    assert run("\n", line=1).code is Cited.BLANK_ANCHOR


@pytest.mark.parametrize(
    ("path", "is_one"), [("a.md", True), ("a.TXT", True), ("a.rst", False), ("md", False)]
)
def test_markdown_and_plain_text_can_be_cited(path: str, is_one: bool) -> None:
    assert is_supported(path) is is_one


@given(
    st.text(alphabet=st.sampled_from(list("# -=`a\n\r\t4.")), max_size=60),
    st.none() | st.integers(-2, 12),
    st.none() | st.text(alphabet=st.sampled_from(list("# a4.")), max_size=4),
    st.booleans(),
)
def test_what_is_cited_verifies_and_nothing_crashes(
    text: str, line: int | None, section: str | None, is_markdown: bool
) -> None:
    found = run(text, line=line, section=section, is_markdown=is_markdown)
    assert (found.excerpt is not None) is (found.code is Cited.OK)
    if found.excerpt is not None:
        again = run(text, line=found.line, excerpt=found.excerpt, is_markdown=is_markdown)
        assert (again.code, again.excerpt) == (Cited.OK, found.excerpt)
