"""Choose the reader for a file ending. A language whose grammar is not installed has none."""

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Parser

    from signoff.domain.evidence.case_records import Reader, TestFile

_GRAMMARS = (
    ("tree_sitter_javascript", "language", ("js", "jsx", "mjs", "cjs")),
    ("tree_sitter_typescript", "language_typescript", ("ts", "mts", "cts")),
    ("tree_sitter_typescript", "language_tsx", ("tsx",)),
    ("tree_sitter_go", "language", ("go",)),
)
"""A package, its function that gives the grammar, and the file endings that are read with it."""


def readers() -> "dict[str, Reader]":
    """Return the readers by file ending. A parser is made when the first file is read with it."""
    found: dict[str, Reader] = {}
    for package, function, endings in _GRAMMARS:
        if _grammar("tree_sitter", "Parser") and (grammar := _grammar(package, function)) is not None:
            found |= dict.fromkeys(endings, partial(_read, grammar, endings))
    return found


@cache
def _grammar(package: str, function: str) -> Callable[[], Any] | None:
    try:
        found: Callable[[], Any] = getattr(import_module(package), function)
    except ImportError:
        return None
    return found


@cache
def _parser(grammar: Callable[[], Any]) -> "Parser":
    from tree_sitter import Language, Parser

    return Parser(Language(grammar()))


def _read(
    grammar: Callable[[], Any], endings: tuple[str, ...], path: str, source: str, own: frozenset[str]
) -> "TestFile":
    del path, own  # what is tested is told by relative imports and by the package
    from signoff.checks.test_trees.trees import parsed

    if "go" in endings:
        from signoff.checks.test_trees.go import read_go

        return parsed(_parser(grammar), source, lambda root: read_go(root, source))
    from signoff.checks.test_trees.javascript import read_javascript

    return parsed(_parser(grammar), source, read_javascript)
