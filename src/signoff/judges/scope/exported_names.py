"""The exports of a Python file, and the changes to them.

Pure; called by `judges.scope.non_goal_check` for non-goals such as "the public API of `src/x.py` stays as it
is". Python is read by its own grammar. A change to a file of any other language *could not be judged*, and is
named: a guess would call a broken promise kept. The same is true for names whose value the text does not show
(`from .impl import *`, the variable of a loop), once the words that bind them changed.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from signoff.domain.base.findings import Finding, shown
from signoff.domain.machine.trees import ChangeKind, PathChange
from signoff.judges.scope.change_scope import Reader, ScanResult
from signoff.judges.scope.loose_bindings import flattened, loose_bindings
from signoff.text.globs import matches_any

_PYTHON: Final = (".py", ".pyi")
_PROSE: Final = (".md", ".rst", ".txt")
_SILENT: Final = frozenset({"cache", "lru_cache", "wraps", "override", "final"})
"""Decorators that do not change how something is called. Any other may change it."""

Exports = Mapping[str, str]
"""Qualified name to how it is used: a signature, bases, an annotation."""


class ExportedNames(NamedTuple):
    """The exports of one file."""

    exports: Exports
    unclear: tuple[str, ...] = ()
    """The words that bind names without showing what these are, sorted."""


def export_findings(
    globs: Iterable[str], changes: Iterable[PathChange], before: Reader, after: Reader
) -> ScanResult:
    """Find removed, changed and added exports in the files of the globs.

    A file that cannot be parsed on both sides, or is not Python, is undecided and never counts as unchanged.
    """
    wanted = tuple(globs)
    findings: list[Finding] = []
    undecided: list[str] = []
    for change in changes:
        if not matches_any(change.path, wanted):
            continue
        why = _why_unreadable(change)
        old = ExportedNames({}) if change.kind is ChangeKind.ADDED else _read(before, change.path)
        new = ExportedNames({}) if change.kind is ChangeKind.DELETED else _read(after, change.path)
        if why or old is None or new is None:
            which = "before" if old is None else "after"
            undecided.append(f"{shown(change.path)} {why or f'cannot be parsed {which} the change'}")
            continue
        findings += _differences(change.path, old.exports, new.exports)
        if old.unclear != new.unclear:
            message = f"{shown(change.path)} binds names in other words, and what they are cannot be read"
            undecided.append(message)
    return ScanResult(tuple(findings), tuple(undecided))


def _read(read: Reader, path: str) -> ExportedNames | None:
    if path.endswith(_PROSE):
        return ExportedNames({})
    name = path.rpartition("/")[2].partition(".")[0]
    return python_exports(read(path) or b"", hands_on=name == "__init__")


def _why_unreadable(change: PathChange) -> str:
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


def python_exports(data: bytes, *, hands_on: bool = False) -> ExportedNames | None:
    """Return what a Python file exports, None if it does not parse.

    A name counts when it is public by its spelling or listed in `__all__`, in whatever branch of the file
    it is bound. An imported name counts if it is exported again: by `__all__`, or in a package's `__init__`.
    """
    try:
        with warnings.catch_warnings():  # no warnings about invalid escapes in the file
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        listed = _listed(tree)
        found: dict[str, list[str]] = {}
        unclear = [
            loose.text for loose in loose_bindings(tree) if loose.name in listed or _is_public(loose.name)
        ]
        for name, text in _bound(tree.body):
            is_foreign = text.startswith(_IMPORTED)
            if name == "*":  # it may stand in for any name above it
                unclear.append(f"{text} below {sorted(found)}")
            if name in listed or (_is_public(name) and (hands_on or not is_foreign)):
                found.setdefault(name, []).append(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return ExportedNames({name: "\n".join(texts) for name, texts in found.items()}, tuple(sorted(unclear)))


def _is_public(name: str) -> bool:
    first = name.partition(".")[0]
    return not first.startswith("_") or (first.startswith("__") and first.endswith("__"))


def _listed(tree: ast.Module) -> frozenset[str]:
    """Return the names in `__all__`, wherever it is assigned or extended, at any depth."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, _SIMPLE) and _mentions_all(node):
            texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
            found.update(text for text in texts if isinstance(text, str))
    return frozenset(found)


_SIMPLE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr
_IMPORTED = ("import ", "from ")
_TYPE_ALIAS: tuple[type[ast.stmt], ...] = tuple(
    kind for kind in (getattr(ast, "TypeAlias", None),) if kind is not None
)
"""`type X = ...`, which Python has since 3.12."""


def _mentions_all(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__all__" for part in ast.walk(node))


def _bound(body: Iterable[ast.stmt], owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield each name that statements bind, with how it is used. `owner` is a class and its dot.

    One case for each kind of statement that binds a name. All others are searched for statements inside them.
    """
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
                returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                head = f"{_decorators(node.decorator_list)}{kind}{_parameters(node)}"
                yield owner + node.name, f"{head}({ast.unparse(node.args)}){returns}"
            case ast.ClassDef():
                given = ", ".join(map(ast.unparse, (*node.bases, *node.keywords)))
                head = f"{_decorators(node.decorator_list)}class{_parameters(node)}"
                yield owner + node.name, f"{head}({given})"
                inner = _bound(node.body, f"{owner}{node.name}.")
                yield from ((name, text) for name, text in inner if _is_public(name.rpartition(".")[2]))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Delete():
                names = tuple(_targets(node))
                yield from ((owner + name, _value(name, node, owner)) for name in names)
                if "__all__" not in names and any(map(_mentions_all, _written(node))):
                    yield owner + "__all__", ast.unparse(node)
            case ast.Expr():
                if _mentions_all(node):
                    yield owner + "__all__", ast.unparse(node)
            case ast.Import() | ast.ImportFrom():
                yield from ((owner + name, text) for name, text in _imported(node))
            case _ if isinstance(node, _TYPE_ALIAS):
                yield owner + ast.unparse(getattr(node, "name")), ast.unparse(node)  # noqa: B009
            case _:
                # What a branch, a loop or a block binds is bound here.
                for name in ("body", "orelse", "finalbody"):
                    yield from _bound(getattr(node, name, ()), owner)
                for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    yield from _bound(part.body, owner)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.asname or alias.name.partition(".")[0], f"import {alias.name}"
        else:
            source = "." * node.level + (node.module or "")
            yield alias.asname or alias.name, f"from {source} import {alias.name}"


def _targets(node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete) -> Iterator[str]:
    yield from (target.id for target in flattened(_written(node)) if isinstance(target, ast.Name))


def _written(node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]


def _value(name: str, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete, owner: str) -> str:
    """Return the part of an assignment that other code depends on.

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


def _parameters(node: ast.AST) -> str:
    """Return the type parameters, which Python has since 3.12."""
    found = [ast.unparse(part) for part in getattr(node, "type_params", ())]
    return f"[{', '.join(found)}]" if found else ""


def _decorators(marks: Iterable[ast.expr]) -> str:
    texts = (ast.unparse(mark) for mark in marks)
    return "".join(f"@{t} " for t in texts if t.partition("(")[0].rpartition(".")[2] not in _SILENT)
