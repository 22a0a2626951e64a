"""Which reader is for which ending; a language whose grammar is not installed is left out."""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Parser

    from signoff.core.test_integrity.records import Reader, TestFile

_ENDINGS = {
    "javascript": ("js", "jsx", "mjs", "cjs"),
    "typescript": ("ts", "mts", "cts"),
    "tsx": ("tsx",),
    "go": ("go",),
}


def readers() -> "dict[str, Reader]":
    """Give the readers by file ending; a grammar is loaded when its first file is read."""
    try:
        import tree_sitter
    except ImportError:
        return {}
    del tree_sitter
    found: dict[str, Reader] = {}
    for language, endings in _ENDINGS.items():
        if _grammar(language) is not None:
            found |= dict.fromkeys(endings, partial(_read, language))
    return found


@cache
def _grammar(language: str) -> Callable[[], Any] | None:
    try:
        match language:
            case "javascript":
                import tree_sitter_javascript

                return tree_sitter_javascript.language
            case "typescript":
                import tree_sitter_typescript

                return tree_sitter_typescript.language_typescript
            case "tsx":
                import tree_sitter_typescript

                return tree_sitter_typescript.language_tsx
            case _:
                import tree_sitter_go

                return tree_sitter_go.language
    except ImportError:
        return None


@cache
def _parser(language: str) -> "Parser":
    from tree_sitter import Language, Parser

    grammar = _grammar(language)
    assert grammar is not None, "readers() gives installed languages only"
    return Parser(Language(grammar()))


def _read(language: str, path: str, source: str, own: frozenset[str]) -> "TestFile":
    del path, own  # what is tested is told by relative imports and by the package
    from signoff.checks.test_trees.trees import parsed

    if language == "go":
        from signoff.checks.test_trees.go import read_go

        return parsed(_parser(language), source, lambda root: read_go(root, source))
    from signoff.checks.test_trees.javascript import read_javascript

    return parsed(_parser(language), source, read_javascript)
