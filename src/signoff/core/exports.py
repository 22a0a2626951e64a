"""What a file offers to others, and whether a change touched that.

Pure; called by `app.predicates` for non-goals such as "the public API of `src/x.py` stays as it is". Python
is read by its own grammar. A change to a file of any other language *could not be judged*, and is named: a
reading that guesses would call a broken promise kept.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from signoff.core.globs import matches_any
from signoff.core.readings import Reading
from signoff.core.scope import Reader
from signoff.domain.findings import Finding, shown
from signoff.domain.trees import Change, ChangeKind

_PYTHON: Final = (".py", ".pyi")
_PROSE: Final = (".md", ".rst", ".txt")
_SILENT: Final = frozenset({"cache", "lru_cache", "wraps", "override", "final"})
"""Decorators that leave alone how something is called; any other may change it."""

Exports = Mapping[str, str]
"""Qualified name to how it is used: a signature, bases, an annotation."""


def export_findings(
    globs: Iterable[str], changes: Iterable[Change], before: Reader, after: Reader
) -> Reading:
    """Find removed, changed and added exports in the files of the globs; a file as it was holds."""
    wanted = tuple(globs)
    findings: list[Finding] = []
    undecided: list[str] = []
    for change in changes:
        if not matches_any(change.path, wanted):
            continue
        why = _why_unreadable(change)
        old = {} if change.kind is ChangeKind.ADDED else _read(before, change.path)
        new = {} if change.kind is ChangeKind.DELETED else _read(after, change.path)
        if why or old is None or new is None:
            which = "before" if old is None else "after"
            undecided.append(f"{shown(change.path)} {why or f'cannot be parsed {which} the change'}")
        else:
            findings += _differences(change.path, old, new)
    return Reading(tuple(findings), tuple(undecided))


def _read(read: Reader, path: str) -> Exports | None:
    if path.endswith(_PROSE):
        return {}
    name = path.rpartition("/")[2].partition(".")[0]
    return python_exports(read(path) or b"", hands_on=name == "__init__")


def _why_unreadable(change: Change) -> str:
    if change.kind is ChangeKind.RETYPED:
        return "is no longer the same kind of file"
    return (
        "" if change.path.endswith((*_PYTHON, *_PROSE)) else "is not Python, and its exports cannot be read"
    )


def _differences(path: str, old: Exports, new: Exports) -> Iterator[Finding]:
    for name in sorted({*old, *new}):
        if name not in new:
            yield _finding("export-changed", path, f"{name} is no longer exported")
        elif name not in old:
            yield _finding("export-changed", path, f"{name} is newly exported")
        elif old[name] != new[name]:
            yield _finding("export-changed", path, f"{name} is not what it was")


def _finding(code: str, path: str, message: str) -> Finding:
    return Finding(code=code, message=message, path=shown(path))


def python_exports(data: bytes, *, hands_on: bool = False) -> Exports | None:
    """Give what a Python file exports; None where it does not parse.

    A name counts when it is public by its spelling or listed in `__all__`, in whatever branch of the file
    it is bound. An imported one counts where it is handed on: by `__all__`, or in a package's `__init__`.
    """
    try:
        with warnings.catch_warnings():  # a dubious escape in somebody's string is not ours to talk about
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        listed = _listed(tree)
        found: dict[str, list[str]] = {}
        for name, text in _bound(tree.body):
            is_foreign = text.startswith(_IMPORTED)
            if name in listed or (_is_public(name) and (hands_on or not is_foreign)):
                found.setdefault(name, []).append(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {name: "\n".join(texts) for name, texts in found.items()}


def _is_public(name: str) -> bool:
    first = name.partition(".")[0]
    return not first.startswith("_") or (first.startswith("__") and first.endswith("__"))


def _listed(tree: ast.Module) -> frozenset[str]:
    """Give the names in `__all__`, wherever it is written or added to; those of classes go along."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, _SIMPLE) and _mentions_all(node):
            texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            found.update(text for text in texts if isinstance(text, str))
    return frozenset(found)


_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr
_IMPORTED = ("import ", "from ")


def _mentions_all(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__all__" for part in ast.walk(node))


def _bound(body: Iterable[ast.stmt], owner: str = "") -> Iterator[tuple[str, str]]:
    """Give each name that statements bind, with how it is used; `owner` is a class and its dot."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield owner + node.name, _signature(node)
            case ast.ClassDef():
                yield owner + node.name, _class(node)
                inner = _bound(node.body, f"{owner}{node.name}.")
                yield from ((name, text) for name, text in inner if _is_public(name.rpartition(".")[2]))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                yield from ((owner + name, _value(name, node, owner)) for name in _targets(node))
            case ast.Expr():
                if _mentions_all(node):
                    yield owner + "__all__", ast.unparse(node)
            case ast.Import() | ast.ImportFrom():
                yield from ((owner + name, text) for name, text in _imported(node))
            case _:
                yield from _bound(_inner(node), owner)


def _inner(node: ast.stmt) -> Iterator[ast.stmt]:
    """Give the statements of a branch, a loop or a block: what they bind is bound here."""
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from part.body


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.asname or alias.name.partition(".")[0], f"import {alias.name}"
        else:
            source = "." * node.level + (node.module or "")
            yield alias.asname or alias.name, f"from {source} import {alias.name}"


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete) -> Iterator[str]:
    waiting: list[ast.expr] = []
    waiting += node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts
        elif isinstance(target, ast.Starred):
            waiting.append(target.value)


def _value(name: str, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete, owner: str) -> str:
    """Give what of an assignment others rely on.

    A constant's value is free to change, its type is not. In a class it may be a default, and what is
    computed may be a type or a function under another name: there the whole of it counts.
    """
    value = getattr(node, "value", None)
    if name == "__all__" or owner or isinstance(node, ast.Delete):
        return ast.unparse(node)
    annotation = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
    return annotation + (f" = {_kind(value)}" if value is not None else "")


def _kind(value: ast.expr) -> str:
    match value:
        case ast.Constant():
            return type(value.value).__name__
        case ast.List() | ast.Tuple() | ast.Set() | ast.Dict() | ast.JoinedStr():
            return type(value).__name__
        case _:
            return ast.unparse(value)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Give decorators, parameters with defaults and annotations, and what is returned."""
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{_decorators(node.decorator_list)}{kind}({ast.unparse(node.args)}){returns}"


def _class(node: ast.ClassDef) -> str:
    parts = [ast.unparse(base) for base in node.bases]
    parts += [ast.unparse(keyword) for keyword in node.keywords]
    return f"{_decorators(node.decorator_list)}class({', '.join(parts)})"


def _decorators(marks: Iterable[ast.expr]) -> str:
    texts = (ast.unparse(mark) for mark in marks)
    return "".join(f"@{t} " for t in texts if t.partition("(")[0].rpartition(".")[2] not in _SILENT)
