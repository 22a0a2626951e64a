"""Parse with tree-sitter and read nodes: shared by the readers of the languages.

A file that is too large or too deeply nested has a problem and nothing else.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from signoff.core.test_integrity.records import TestFile

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LARGEST = 1_000_000
"""Bytes of a test file; more are not read."""
_IDENTIFIERS = frozenset(
    {"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"}
)


def parsed(parser: "Parser", text: str, read: "Callable[[Node], TestFile]") -> TestFile:
    """Parse a text and read its tree."""
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        return TestFile(problem=f"larger than {LARGEST} bytes")
    # No time limit: the progress callback of tree-sitter 0.26 crashes the process. The size bounds the time:
    # the slowest damaged input seen takes 5 s for each megabyte.
    tree = parser.parse(data)
    try:
        return read(tree.root_node)
    except RecursionError:
        return TestFile(problem="nested too deeply")


def line(node: "Node") -> int:
    """Give the line it starts at."""
    return int(node.start_point[0]) + 1


def raw(node: "Node | None") -> str:
    """Give the text as it stands there."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def leaves(node: "Node") -> "Iterator[Node]":
    """Give the tokens of a node in order, without comments."""
    stack = [node]
    while stack:
        here = stack.pop()
        if here.type == "comment":
            continue
        if not here.children or here.type in ("string", "interpreted_string_literal", "raw_string_literal"):
            yield here
        else:
            stack.extend(reversed(here.children))


def walk(node: "Node") -> "Iterator[Node]":
    """Give the node and everything below it."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children))


def text(node: "Node | None", local: frozenset[str] = frozenset()) -> str:
    """Give the normalised text: one kind of quotes, no trailing commas or semicolons, local names blanked."""
    if node is None:
        return ""
    words: list[str] = []
    for leaf in leaves(node):
        word = raw(leaf)
        if leaf.type in _IDENTIFIERS and word in local:
            word = "_"
        elif leaf.type == "string" and '"' not in word[1:-1] and "'" not in word[1:-1]:
            word = f'"{word[1:-1]}"'
        if word in (")", "]", "}") and words and words[-1] == ",":
            words.pop()
        if word not in (";", ""):
            words.append(word)
    return _joined(words)


_TIGHT = frozenset("().[]{}!?,`")


def _joined(words: list[str]) -> str:
    made: list[str] = []
    for word in words:
        if made and not (word in _TIGHT or made[-1][-1:] in "([.!{`"):
            made.append(" ")
        made.append(word)
    return "".join(made)
