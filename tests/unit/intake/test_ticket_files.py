"""Tickets, read from what trackers and people write."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_shapes import ANY_JSON, as_json

from signoff.domain.work.ticket import Ticket
from signoff.intake.ticket_files import gate, parse_ticket

MARKDOWN = """\
# SHOP-12: Refund in full

Customers ask for it.

## Acceptance criteria

- [ ] A refund of the whole amount sets the order to `refunded`
- [x] A second refund is refused
  with status 409
1. The ledger has one entry

## Notes

Keep it small.
"""


def read(text: str, name: str = "ticket.md") -> Ticket:
    decoded = parse_ticket(text.encode(), name)
    assert decoded.violations == ()
    assert decoded.value is not None
    return decoded.value


def read_json(document: object) -> Ticket:
    return read(json.dumps(document), "ticket.json")


def criteria(text: str) -> tuple[str, ...]:
    return read(text).acceptance_criteria


def test_a_markdown_ticket_is_taken_apart() -> None:
    ticket = read(MARKDOWN)

    assert (ticket.id, ticket.title, ticket.source) == ("SHOP-12", "Refund in full", "ticket.md")
    assert ticket.acceptance_criteria == (
        "A refund of the whole amount sets the order to `refunded`",
        "A second refund is refused with status 409",
        "The ledger has one entry",
    )
    assert ticket.body == "Customers ask for it.\n\n## Notes\n\nKeep it small."


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(end: str) -> None:
    decoded = parse_ticket(b"\xef\xbb\xbf" + MARKDOWN.replace("\n", end).encode(), "ticket.md")

    assert decoded.value == read(MARKDOWN)
    assert [(v.code, v.severity) for v in decoded.violations] == [("byte-order-mark", "warning")]


@pytest.mark.parametrize(
    ("heading", "name", "title"),
    [
        ("ABC-123: Do it", "ABC-123", "Do it"),
        ("[ABC-123] Do it", "ABC-123", "Do it"),
        ("#12 Do it", "#12", "Do it"),
        ("#12: Do it", "#12", "Do it"),
        ("Do it ##", "", "Do it"),
        ("UTF-8 gets lost", "", "UTF-8 gets lost"),
        ("Do ABC-123: it", "", "Do ABC-123: it"),
        ("#12th thing", "", "#12th thing"),
    ],
)
def test_a_leading_label_of_the_title_is_the_id(heading: str, name: str, title: str) -> None:
    ticket = read(f"# {heading}\n")

    assert (ticket.id, ticket.title) == (name, title)


def test_an_underlined_heading_is_a_title_too() -> None:
    ticket = read("A-7: Title\n==========\n\nText.\n\nAcceptance criteria\n-----\n* one thing\n")

    assert (ticket.id, ticket.title, ticket.body) == ("A-7", "Title", "Text.")
    assert ticket.acceptance_criteria == ("one thing",)


def test_frontmatter_gives_id_and_title() -> None:
    ticket = read('---\nid: "X-1"  # ours\ntitle: From the front\nother: 1\n---\n# A heading\n\nText.\n')

    assert (ticket.id, ticket.title, ticket.body) == ("X-1", "From the front", "# A heading\n\nText.")


@pytest.mark.parametrize("line", ["id: X-1", "id: X-1 # ours", "ID:X-1", "id: 'X-1'", 'id: "X-1" # ours'])
def test_an_id_in_frontmatter_may_be_quoted_and_commented(line: str) -> None:
    assert read(f"---\n{line}\n---\n").id == "X-1"


def test_frontmatter_without_a_title_leaves_it_to_the_heading() -> None:
    ticket = read("---\nid: 17\n---\n# Y-2: A heading\n")

    assert (ticket.id, ticket.title) == ("17", "A heading")


def test_frontmatter_without_an_end_is_text() -> None:
    assert read("---\nid: X-1\n\n# Title\n").id == ""


def test_a_page_without_a_first_level_heading_is_titled_by_the_one_that_opens_it() -> None:
    assert read("\n### Title\n\n## Other\n").title == "Title"
    assert read("Text first.\n\n## Background\n").title == ""


@pytest.mark.parametrize(
    "heading",
    [
        "## Acceptance criteria",
        "# ACCEPTANCE CRITERIA",
        "###### acceptance Criteria:",
        "## ✅ Acceptance criteria (AC)",
        "**Acceptance criteria:**",
        "**Acceptance criteria**:",
        "__Acceptance Criteria__",
        "Acceptance criteria:",
    ],
)
def test_the_criteria_are_found_under_any_heading_of_that_name(heading: str) -> None:
    assert criteria(f"# T\n\n{heading}\n\n- one\n- two\n") == ("one", "two")


def test_only_a_heading_of_that_name_will_do() -> None:
    assert criteria("# T\n\n## Criteria\n- one\n\nacceptance criteria are missing\n- two\n") == ()


def test_the_section_ends_at_a_heading_of_its_own_level_and_not_below() -> None:
    text = "# T\n## Acceptance criteria\n- one\n### Details\n- two\n## Rest\n- three\n"

    assert criteria(text) == ("one", "two")
    assert read(text).body == "### Details\n## Rest\n- three"


def test_a_label_ends_at_the_next_label() -> None:
    assert criteria("Acceptance criteria:\n\nAll of these hold:\n- one\n- two\n\nNotes:\n- three\n") == (
        "one",
        "two",
    )


def test_several_sections_are_one_list() -> None:
    assert criteria("## Acceptance criteria\n- one\n## X\ntext\n## Acceptance criteria\n- two\n") == (
        "one",
        "two",
    )


def test_continuation_lines_are_joined_and_text_after_a_gap_is_not() -> None:
    text = "## Acceptance criteria\nIntro.\n\n- one\n  goes on\nlazily\n\n  and on\n\nBut not this.\n* two\n"

    assert criteria(text) == ("one goes on lazily and on", "two")
    assert "But not this." in read(text).body


def test_nested_items_are_items() -> None:
    assert criteria("## Acceptance criteria\n- one\n  - [ ] two\n    1) three\n+ four\n• five") == (
        "one",
        "two",
        "three",
        "four",
        "five",
    )


def test_nothing_in_a_fence_is_a_heading_or_an_item() -> None:
    fake = "```\n## Acceptance criteria\n- fake\n```\n"
    text = f"# T\n{fake}## Acceptance criteria\n- prints\n  ```\n  - x\n  ```\n- two\n"

    assert criteria(text) == ("prints ``` - x ```", "two")


def test_comments_of_a_template_are_no_criteria() -> None:
    hidden = "<!-- such as\n- example\n-->\n- <!-- one -->\n"
    text = f"## Acceptance criteria\n{hidden}- real <!-- really --> thing\n***\n"

    assert criteria(text) == ("real thing",)


def test_a_section_without_bullets_has_a_criterion_a_paragraph() -> None:
    text = "## Acceptance criteria\n\nGiven a cart\nwhen paid, it is empty\n\nGiven none, 404\n"

    assert criteria(text) == ("Given a cart when paid, it is empty", "Given none, 404")
    assert read(text).body == ""


def test_our_own_json_is_read_as_it_stands() -> None:
    ticket = read_json(
        {"id": "A-1", "title": " T ", "body": "B", "acceptance_criteria": ["one", "two\n  lines"]}
    )

    assert ticket == Ticket(
        id="A-1", title="T", body="B", acceptance_criteria=("one", "two lines"), source="ticket.json"
    )


@pytest.mark.parametrize(
    "given_as",
    ["- one\n- [ ] two\n  more", "1. one\n2. two more", "one\n\ntwo more", "Criteria:\n* one\n* two more"],
)
def test_criteria_may_come_as_one_bulleted_text(given_as: str) -> None:
    assert read_json({"acceptance_criteria": given_as}).acceptance_criteria == ("one", "two more")


def test_an_integer_is_an_id() -> None:
    assert read_json({"id": 12, "title": "T"}).id == "12"


def test_a_github_issue_is_known_by_its_number() -> None:
    body = "# Why\nBecause.\r\n\r\n## Acceptance Criteria\r\n- [ ] one\r\n"
    ticket = read_json(
        {"id": 987654, "number": 12, "title": "T", "body": body, "labels": [], "user": {"login": "x"}}
    )

    assert (ticket.id, ticket.body, ticket.acceptance_criteria) == ("#12", "# Why\nBecause.", ("one",))


def test_a_github_issue_without_a_body_is_read() -> None:
    assert read_json({"number": 12, "title": "T", "body": None}) == Ticket(
        id="#12", title="T", source="ticket.json"
    )


def test_a_jira_issue_is_read_from_its_wiki_text() -> None:
    text = "Text.\n\nh3. Acceptance Criteria\n* one\n* two\n\nh3. Notes\nx"
    ticket = read_json({"key": "ABC-1", "id": "10002", "fields": {"summary": "S", "description": text}})

    assert (ticket.id, ticket.title, ticket.acceptance_criteria) == ("ABC-1", "S", ("one", "two"))
    assert ticket.body == "Text.\n\n### Notes\nx"


def test_a_jira_issue_is_read_from_a_document() -> None:
    def node(kind: str, *content: object, **more: object) -> dict[str, object]:
        return {"type": kind, "content": content, **more}

    def text(words: str) -> dict[str, object]:
        return {"type": "text", "text": words}

    items = [node("listItem", node("paragraph", text(words))) for words in ("one", "two")]
    document = node(
        "doc",
        node("paragraph", text("Intro")),
        node("heading", text("Acceptance criteria"), attrs={"level": 2}),
        node("bulletList", *items),
        node("heading", text("Code"), attrs={"level": 2}),
        node("codeBlock", text("x = 1")),
    )
    ticket = read_json({"key": "ABC-1", "fields": {"summary": "S", "description": document}})

    assert ticket.acceptance_criteria == ("one", "two")
    assert ticket.body == "Intro\n\n## Code\n\n```\nx = 1\n```"


def test_a_clear_ticket_passes() -> None:
    assert gate(read(MARKDOWN)) == ()


def test_every_wrong_type_of_a_json_ticket_is_placed() -> None:
    decoded = parse_ticket(b'{"id": true,\n"title": 3,\n"acceptance_criteria": ["ok",\n4]}', "t.json")

    assert decoded.value is None
    assert [(v.code, v.path, v.line) for v in decoded.violations] == [
        ("wrong-type", "/id", 1),
        ("wrong-type", "/title", 2),
        ("wrong-type", "/acceptance_criteria/1", 4),
    ]


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"[]", "t.json", "wrong-type"),
        (b"{", "t.json", "syntax-error"),
        (b'{"acceptance_criteria": {}}', "t.json", "wrong-type"),
        (b'{"key": 1.5, "fields": {}}', "t.json", "wrong-type"),
        (b'{"title": "a", "title": "b"}', "-", "duplicate-key"),
        (b"# T \xff", "t.md", "not-utf8"),
        (b"x" * 10_000_001, "t.md", "too-large"),
    ],
)
def test_what_is_no_ticket_has_a_code(data: bytes, name: str, code: str) -> None:
    decoded = parse_ticket(data, name)

    assert decoded.value is None
    assert [v.code for v in decoded.violations] == [code]


def test_without_a_telling_name_the_first_character_tells() -> None:
    assert read('\n {"title": "J"}', "-").title == "J"
    assert read("# M", "-").title == "M"
    assert read('{"title": "J"}', "t.md").title == ""


@settings(deadline=None)
@given(st.text())
def test_no_text_makes_the_reader_stumble(text: str) -> None:
    for name in ("t.md", "t.json", "-"):
        decoded = parse_ticket(text.encode("utf-8", "surrogatepass"), name)
        if decoded.value is not None:
            gate(decoded.value)


MARKS = st.sampled_from(
    [
        "# T",
        "## Acceptance criteria",
        "**Acceptance criteria**",
        "- a",
        "  b",
        "",
        "```",
        "<!--",
        "-->",
        "---",
        "===",
        "x:",
    ]
)


@settings(deadline=None)
@given(st.lists(MARKS, max_size=12))
def test_no_page_makes_the_reader_stumble(lines: list[str]) -> None:
    ticket = read("\n".join(lines))

    assert all(item == " ".join(item.split()) != "" for item in ticket.acceptance_criteria)


@settings(deadline=None)
@given(
    ANY_JSON,
    st.sampled_from(["id", "number", "title", "body", "description", "acceptance_criteria", "fields"]),
)
def test_no_json_makes_the_reader_stumble(value: object, field: str) -> None:
    for document in ({field: value}, {"key": "A-1", "fields": {field: value}}):
        decoded = parse_ticket(as_json(document), "t.json")

        assert decoded.value is not None or decoded.violations


@pytest.mark.parametrize(
    "line", ["#" + " " * 99_999 + "x", "**a" + "**" * 50_000, "- " * 50_000, "‘" * 100_000, ": " * 50_000]
)
def test_no_line_takes_quadratic_time(line: str) -> None:
    start = time.process_time()

    gate(read(f"# T\n## Acceptance criteria\n- {line}\n{line}\n{line}:\n"))

    assert time.process_time() - start < 2
