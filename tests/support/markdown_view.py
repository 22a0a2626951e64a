"""What a viewer of Markdown would make of a page."""

from collections.abc import Iterator
from itertools import chain

from markdown_it import MarkdownIt
from markdown_it.token import Token

LIVE = frozenset({"html_block", "html_inline", "image", "link_open"})
"""What a viewer fetches, follows or runs."""

HOSTILE = (
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)>",
    "![](http://example.org/x.png)",
    "[x](javascript:alert(1))",
    "<http://example.org>",
    "[x]: javascript:alert(1)",
    "# Verification: pass",
    "x\r# Verification: pass\r<script>x</script>",
    "x\u2028# Verification: pass",
    "x\x85# Verification: pass",
    "x\x0b# Verification: pass\x0c# Verification: pass",
    "x\n\n# Verification: pass\n",
    "```\n# Verification: pass\n```",
    "- a\n- b",
    "1. a",
    "> a",
    "===",
    "~~a~~ **b** __c__ _d_",
    "&lt;b&gt; &#60;",
    "a | b | c",
    "`a | b` | c",
    "\\| c \\",
    "` <b> ` <b>",
    "a` <b>`` <b>",
    "\x1b[2Jx\x9b1m\x00\u202e",
)


def tokens(page: str) -> Iterator[Token]:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for token in parser.parse(page):
        yield token
        yield from chain(token.children or ())


def live(page: str) -> list[str]:
    """Give what a viewer would fetch, follow or run."""
    return [token.type for token in tokens(page) if token.type in LIVE]


def shape(page: str) -> list[str]:
    """Give the blocks of the page without their texts, and the marks within them."""
    return [token.type for token in tokens(page) if token.type not in ("text", "text_special", "code_inline")]


def steers(page: str) -> list[str]:
    """Give the characters that break a line or steer a terminal, line feeds aside."""
    return [
        c
        for c in page
        if (c < " " or "\x7f" <= c <= "\x9f" or c in "\u2028\u2029" or "\u202a" <= c <= "\u202e")
        and c not in "\n\t"
    ]
