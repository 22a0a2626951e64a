"""A page taken apart: what is a heading, a label, a bullet, and on which line."""

import pytest

from signoff.contracts.compile.plan_outline import Block, BlockKind, FrontmatterField, Part, Section, outline

TEXT, BULLET, CODE = BlockKind.TEXT, BlockKind.BULLET, BlockKind.CODE


def section(text: str) -> Section:
    """Give the only section of a page without frontmatter."""
    found = outline(text)
    assert found.fields == {}
    [only] = found.sections
    return only


def test_headings_labels_and_bullets_know_their_lines() -> None:
    page = (
        "---\nphase: 1\n---\n# A `b`\n\n**One:** x\ny\n**Two (z):**\n\n- p\n- q\n  r\n\n"
        "## C ##\n```\n# no\n```\n"
    )

    assert outline(page).sections == (
        Section(0, "", 1, ()),
        Section(
            1,
            "A `b`",
            4,
            (
                Part("one", 6, (Block(TEXT, 6, "x y"),)),
                Part("two", 8, (Block(BULLET, 10, "p"), Block(BULLET, 11, "q r"))),
            ),
        ),
        Section(2, "C", 14, (Part("", 15, (Block(CODE, 15, "# no"),)),)),
    )


@pytest.mark.parametrize(
    "page",
    [
        "```\n# h\n**A:** b\n```",
        "~~~md\n## h\n~~~",
        "<!--\n# h\n**A:** b\n-->",
        "    # h\n    **A:** b",
        "> # h\n> **A:** b",
        "- # h\n- **A:** b",
        "`**A:** b`",
        "x **A:** b",
    ],
)
def test_what_is_quoted_is_neither_heading_nor_label(page: str) -> None:
    assert [part.label for part in section(page).parts] in ([], [""])


def test_a_rule_below_labelled_lines_makes_no_heading_of_them() -> None:
    assert section("**A:** b\n**C:** d\n---\ne").parts == (
        Part("a", 1, (Block(TEXT, 1, "b"),)),
        Part("c", 2, (Block(TEXT, 2, "d"),)),
        Part("", 3, (Block(TEXT, 4, "e"),)),
    )


def test_a_label_right_below_a_list_is_not_part_of_it() -> None:
    assert section("**A:**\n- b\n  - c\n**D:** e\nf\n**G:**\n- h").parts == (
        Part("a", 1, (Block(BULLET, 2, "b\n- c"),)),
        Part("d", 4, (Block(TEXT, 4, "e f"),)),
        Part("g", 6, (Block(BULLET, 7, "h"),)),
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('goal: "a: \\"b\\""', {"goal": FrontmatterField(2, 'a: "b"')}),
        ('goal: "a\\q"', {"goal": FrontmatterField(2, "a\\q")}),
        ("goal: 'it''s'", {"goal": FrontmatterField(2, "it's")}),
        ("goal: a # b", {"goal": FrontmatterField(2, "a # b")}),
        (
            "goal: >\n  a\n  b\nphase: 1",
            {"goal": FrontmatterField(2, "a b"), "phase": FrontmatterField(5, "1")},
        ),
        ("goal: |\n  a\n  b", {"goal": FrontmatterField(2, "a\nb")}),
        ("Ambiguity-Score:  3 \nnothing", {"ambiguity_score": FrontmatterField(2, "3")}),
        ("goal:\ngoal: b", {"goal": FrontmatterField(2, "")}),
    ],
)
def test_the_frontmatter_is_read_with_its_lines(lines: str, expected: dict[str, FrontmatterField]) -> None:
    assert outline(f"---\n{lines}\n---\n# h").fields == expected


@pytest.mark.parametrize(
    "page", ["---\n# h\n\n---\n", "---\n\n**A:** b\n\n---", "---\nphase: 1\n", "\n---\nphase: 1\n---"]
)
def test_two_rules_are_no_frontmatter(page: str) -> None:
    assert outline(page).fields == {}
