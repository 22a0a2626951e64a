"""What a Python test is about, by its imports, and what replaces it. Pure."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from signoff.core.test_integrity.python_names import every_part, last_name, name_of, source
from signoff.core.word_lists import words

_OUTSIDE = words(
    "requests httpx aiohttp boto3 botocore redis psycopg psycopg2 pymongo sqlalchemy django flask celery "
    "numpy pandas pytest hypothesis mock responses freezegun click rich openai anthropic stripe urllib3 "
    "socket subprocess time datetime random os sys open print input sleep environ getenv builtins tests "
    "test conftest"
)


class Module(NamedTuple):
    """What the names of a module stand for."""

    imports: Mapping[str, str]
    """Local name to dotted name."""
    values: Mapping[str, ast.expr]
    own: frozenset[str]
    """The project's packages; empty if they are not known."""
    shared: frozenset[str] = frozenset()
    """Names that are imported for the whole module, not inside a function."""

    def resolved(self, node: ast.AST) -> str:
        """Give the dotted name of something imported, else the empty text."""
        first, dot, rest = name_of(node).partition(".")
        return self.imports[first] + dot + rest if first in self.imports else ""

    def is_subject(self, target: str) -> bool:
        """Say whether a dotted name belongs to what is tested, and not to something it only uses."""
        parts = target.split(".")
        if len(parts) < 2 and target not in self.own:
            return False
        # A package may have a module of its own called json; what a module imports stands one further in.
        inner = [part for part in parts[1:] if part in _OUTSIDE and part != "test"]
        inner += [part for part in parts[2:-1] if part in sys.stdlib_module_names]
        if inner or parts[0] in ("tests", "test", "conftest") or parts[0] in sys.stdlib_module_names:
            return parts[0] in self.own and not inner
        if self.own:
            return parts[0] in self.own
        return parts[0] not in _OUTSIDE


def read_module_names(tree: ast.Module, own: frozenset[str]) -> Module:
    """Collect imports anywhere in the file and what its top-level names are."""
    imports = dict(pair for node in every_part(tree) for pair in _imported(node))
    shared = frozenset(name for node in tree.body for name, _ in _imported(node))
    values = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return Module(imports, values, own, shared)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for name in node.names:
            first = name.name.partition(".")[0]
            yield (name.asname, name.name) if name.asname else (first, first)
    elif isinstance(node, ast.ImportFrom):
        root = node.module or ""
        for name in node.names:
            yield name.asname or name.name, f"{root}.{name.name}" if root else name.name


def mock_target(call: ast.Call, module: Module) -> str:
    """Give what a call replaces, if it is a part of what is tested; else the empty text."""
    name = name_of(call.func)
    parts = name.split(".")
    if (
        ("patch" in parts and parts[-1] in ("patch", "object", "multiple"))
        or (parts[-1] == "setattr" and "monkeypatch" in name.lower())
        or name == "setattr"
    ):
        target = _target(call, module)
    elif entry := _module_entry(name, call):
        target = entry
    elif parts[-1] in ("spy", "stub") and call.args:
        target = module.resolved(call.args[0])
    else:
        return ""
    return target if target and module.is_subject(target) else ""


def _target(call: ast.Call, module: Module) -> str:
    if not call.args:
        words = {word.arg: word.value for word in call.keywords}
        first = words.get("target")
    else:
        first = call.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    if first is None or not (base := module.resolved(first)):
        return ""
    second = call.args[1] if len(call.args) > 1 else None
    is_named = isinstance(second, ast.Constant) and isinstance(second.value, str)
    return f"{base}.{second.value}" if is_named else base  # type: ignore[union-attr]


def _module_entry(name: str, call: ast.Call) -> str:
    """Give the module that a call puts a stand-in for into `sys.modules`; else the empty text."""
    args, last = call.args, name.rpartition(".")[2]
    if name == "sys.modules.update" and args:
        entries: ast.expr | None = args[0]
    elif name in ("sys.modules.__setitem__", "sys.modules.setdefault") and args:
        entries = ast.Dict([args[0]], [args[0]])
    elif last in ("setitem", "delitem") and len(args) > 1 and source(args[0]) == "sys.modules":
        entries = ast.Dict([args[1]], [args[1]])
    elif name.endswith("patch.dict") and len(args) > 1 and source(args[0]).strip("'") == "sys.modules":
        entries = args[1]
    else:
        return ""
    keys = entries.keys if isinstance(entries, ast.Dict) else []
    return next((k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str)), "")


# --- shadowed names ---


def shadowed(node: ast.stmt, module: Module, hidden: frozenset[str], called: frozenset[str]) -> Iterator[str]:
    """Give the subjects whose names a statement gives to something else.

    `hidden` are the imported names that the statement can hide where it stands, `called` those that are
    called there: `url = "…"` beside an import of that name is no stand-in for what is tested.
    """
    names: list[str] = []
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = [] if is_fixture(node) else [node.name]
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if not isinstance(node.value, ast.Lambda):
            names = [name for name in names if name in called]
        # What is made of the subject itself still tests it: `Cart = Cart.with_tax`.
        if any(module.is_subject(module.resolved(part)) for part in every_part(node.value) if _is_name(part)):
            names = []
    for name in names:
        if name in hidden and module.is_subject(module.imports[name]):
            yield module.imports[name]


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute))


def imported_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Give the names that imports among the nodes bind."""
    return frozenset(
        name
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name, _ in _imported(node)
    )


def called_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Give the names that the nodes call."""
    return frozenset(
        node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )


def is_fixture(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Say whether it is decorated as a fixture; `usefixtures` asks for one and makes none."""
    return any(
        last_name(mark.func if isinstance(mark, ast.Call) else mark).endswith("fixture")
        for mark in node.decorator_list
    )
