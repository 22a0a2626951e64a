"""Parse with tree-sitter and read nodes: shared by the readers of all languages.

A file that is too large, too deeply nested or takes too long has a problem and no tests.
"""

import re
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from itertools import pairwise
from typing import TYPE_CHECKING

from signoff.domain.evidence.case_records import TOO_LONG, TestFile

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

LARGEST = 1_000_000
"""Bytes of a test file. A larger one is not read."""
TIMEOUT_S = 10.0
"""Seconds for parsing and reading one file. A megabyte of damaged input takes half of it."""
_CHUNK = 1024
"""Bytes that the parser gets between two looks at the clock."""
_PACE = 512
"""Nodes between two looks at the clock."""
_deadline: ContextVar[float] = ContextVar("_deadline", default=float("inf"))
"""When reading this file must end. Only `parsed` sets it, so that no reader has to pass it on."""
_WHOLE = frozenset({"string", "interpreted_string_literal", "raw_string_literal", "regex", "comment"})
"""Nodes whose parts are no tokens of their own."""
_IDENTIFIERS = frozenset(
    {"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"}
)
_TIGHT = frozenset("().[]{}!?,`")
"""Tokens without a space before them."""
_OPENING = frozenset("([.!{`")
"""Last characters of tokens without a space behind them."""


class _TooLongError(Exception):
    """The time for one file is over."""


def parsed(
    parser: "Parser", text: str, read: "Callable[[Node], TestFile]", timeout_s: float = TIMEOUT_S
) -> TestFile:
    """Parse a text and return the tests that `read` finds in its tree.

    A text that takes longer than `timeout_s` gives a problem, never a part of its tests.
    """
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
    the finished tree over unchanged. With the bytes at hand its nodes give their text faster.
    """
    deadline = _deadline.get()

    def piece(at: int, point: object) -> bytes:
        del point
        return data[at : at + _CHUNK] if time.monotonic() < deadline else b""

    tree = parser.parse(piece)
    _check_clock()
    return parser.parse(data, tree)


def _check_clock() -> None:
    if time.monotonic() >= _deadline.get():
        raise _TooLongError


# --- nodes ---


def walk(node: "Node | None", leaves: frozenset[str] = frozenset()) -> "Iterator[Node]":
    """Yield the node and everything below it, except what is inside nodes of the types in `leaves`."""
    stack = [node] if node is not None else []
    seen = 0
    while stack:
        here = stack.pop()
        if seen % _PACE == 0:
            _check_clock()
        seen += 1
        yield here
        if here.type not in leaves:
            stack.extend(reversed(here.children))


def field(node: "Node | None", name: str) -> "Node | None":
    """Return the child with this role in the grammar, None if the node or the child is missing."""
    return node.child_by_field_name(name) if node is not None else None


def line(node: "Node") -> int:
    """Return the line that the node starts in."""
    return int(node.start_point[0]) + 1


def arguments(call: "Node") -> "list[Node]":
    """Return the arguments of a call, without comments."""
    listed = field(call, "arguments")
    return [] if listed is None else [node for node in listed.named_children if node.type != "comment"]


# --- their text ---


def raw(node: "Node | None") -> str:
    """Return the text as it stands in the file, empty for None."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def word(node: "Node | None", name: str) -> str:
    """Return the text of the child with this role, empty if there is none."""
    return raw(field(node, name))


def number(node: "Node | None") -> float | None:
    """Return the value of a number literal, None for anything else."""
    digits = raw(node).replace("_", "")
    return float(digits) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?(?:e-?\d{1,2})?", digits) else None


def text(node: "Node | None", local: frozenset[str] = frozenset()) -> str:
    """Return the text with one kind of quotes, no trailing commas or semicolons, and local names blanked.

    Two spellings of one expression get one text, so that a formatter's change is no change. The rules work
    on single tokens, the last step puts the blanks between them.
    """
    words: list[str] = []
    for token in walk(node, _WHOLE):
        if token.type == "comment" or (token.children and token.type not in _WHOLE):
            continue
        word = raw(token)
        if token.type in _IDENTIFIERS and word in local:
            word = "_"
        elif token.type == "string" and '"' not in word[1:-1] and "'" not in word[1:-1]:
            word = f'"{word[1:-1]}"'
        if word in (")", "]", "}") and words and words[-1] == ",":
            words.pop()
        if word not in (";", ""):
            words.append(word)
    spaced = [
        word if word in _TIGHT or before[-1:] in _OPENING else f" {word}" for before, word in pairwise(words)
    ]
    return "".join((*words[:1], *spaced))
