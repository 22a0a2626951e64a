"""Parse with tree-sitter and read nodes: shared by the readers of the languages.

A file that is too large, too deeply nested or takes too long has a problem and nothing else.
"""

import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from signoff.core.test_integrity.records import TOO_LONG, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

LARGEST = 1_000_000
"""Bytes of a test file; more are not read."""
_WHOLE = frozenset({"string", "interpreted_string_literal", "raw_string_literal", "regex"})
"""Nodes whose parts are no tokens of their own."""
TIMEOUT_S = 10.0
"""Seconds for one file: parsing and reading together. A megabyte of damaged input takes half of it."""
_CHUNK = 1024
"""Bytes the parser is given at a time; the clock is looked at in between."""
_PACE = 512
"""Nodes between two looks at the clock."""
_deadline: ContextVar[float] = ContextVar("_deadline", default=float("inf"))
"""When the reading of this file has to be over; only `parsed` sets it, so no reader has to carry it along."""
_IDENTIFIERS = frozenset(
    {"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"}
)


class _TooLongError(Exception):
    """The time for one file is over."""


def parsed(
    parser: "Parser", text: str, read: "Callable[[Node], TestFile]", timeout_s: float = TIMEOUT_S
) -> TestFile:
    """Parse a text and read its tree; what takes longer than `timeout_s` has a problem, never tests."""
    data = text.encode("utf-8", "replace")
    if len(data) > LARGEST:
        return TestFile(problem=f"larger than {LARGEST} bytes")
    token = _deadline.set(time.monotonic() + timeout_s)
    try:
        return read(_tree(parser, data).root_node)
    except _TooLongError:
        return TestFile(problem=TOO_LONG)
    except RecursionError:
        return TestFile(problem="nested too deeply")
    finally:
        _deadline.reset(token)


def _tree(parser: "Parser", data: bytes) -> "Tree":
    """Parse within the time.

    The progress callback of tree-sitter 0.26 crashes the process, and Python gets no signal while C runs. So
    the parser is fed piece by piece and is told that the text ends when the time does. The second call takes
    the finished tree over unchanged; with the bytes at hand its nodes give their text faster.
    """
    deadline = _deadline.get()

    def piece(at: int, point: object) -> bytes:
        del point
        return data[at : at + _CHUNK] if time.monotonic() < deadline else b""

    tree = parser.parse(piece)
    _look_at_clock()
    return parser.parse(data, tree)


def _look_at_clock() -> None:
    if time.monotonic() >= _deadline.get():
        raise _TooLongError


def line(node: "Node") -> int:
    """Give the line it starts at."""
    return int(node.start_point[0]) + 1


def raw(node: "Node | None") -> str:
    """Give the text as it stands there."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def leaves(node: "Node") -> "Iterator[Node]":
    """Give the tokens of a node in order, without comments."""
    stack = [node]
    seen = 0
    while stack:
        here = stack.pop()
        if seen % _PACE == 0:
            _look_at_clock()
        seen += 1
        if here.type == "comment":
            continue
        if not here.children or here.type in _WHOLE:
            yield here
        else:
            stack.extend(reversed(here.children))


def walk(node: "Node") -> "Iterator[Node]":
    """Give the node and everything below it."""
    stack = [node]
    seen = 0
    while stack:
        here = stack.pop()
        if seen % _PACE == 0:
            _look_at_clock()
        seen += 1
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
