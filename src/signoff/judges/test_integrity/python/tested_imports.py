"""Find what a Python test is about, by its imports, and what replaces it. Pure."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from signoff.judges.test_integrity.python.syntax_names import (
    every_part,
    keywords,
    last_name,
    name_of,
    source,
    string,
    targets_of,
)
from signoff.text.word_lists import words

_OUTSIDE = words(
    "requests httpx aiohttp boto3 botocore redis psycopg psycopg2 pymongo sqlalchemy django flask celery "
    "numpy pandas pytest hypothesis mock responses freezegun click rich openai anthropic stripe urllib3 "
    "socket subprocess time datetime random os sys open print input sleep environ getenv builtins tests "
    "test conftest"
)


class ModuleNames(NamedTuple):
    """What the names of a module stand for."""

    imports: Mapping[str, str]
    """Local name to dotted name."""
    values: Mapping[str, ast.expr]
    own: frozenset[str]
    """The project's packages, empty if they are not known."""
    shared: frozenset[str] = frozenset()
    """Names that are imported for the whole module, not inside a function."""

    def resolved(self, node: ast.AST) -> str:
        """Return the dotted name of something imported, else the empty text."""
        first, dot, rest = name_of(node).partition(".")
        return self.imports[first] + dot + rest if first in self.imports else ""

    def is_subject(self, target: str) -> bool:
        """Check whether a dotted name belongs to what is tested, and not to something it only uses.

        The first part names the package. Further parts count because a module may import what it uses.
        """
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


def read_module_names(tree: ast.Module, own: frozenset[str]) -> ModuleNames:
    """Return the imports anywhere in the file and the values of its top-level names."""
    imports = dict(pair for node in every_part(tree) for pair in _imported(node))
    shared = frozenset(name for node in tree.body for name, _ in _imported(node))
    values = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return ModuleNames(imports, values, own, shared)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for name in node.names:
            first = name.name.partition(".")[0]
            yield (name.asname, name.name) if name.asname else (first, first)
    elif isinstance(node, ast.ImportFrom):
        root = node.module or ""
        for name in node.names:
            yield name.asname or name.name, f"{root}.{name.name}" if root else name.name


def mock_target(call: ast.Call, module: ModuleNames) -> str:
    """Return what a call replaces, if it is a part of what is tested, else the empty text.

    Three families replace something: `patch` with `setattr`, entries of `sys.modules`, and spies or stubs.
    Names of the test itself or of other libraries are no part of the subject.
    """
    name = name_of(call.func)
    parts = name.split(".")
    is_patch = "patch" in parts and parts[-1] in ("patch", "object", "multiple")
    if is_patch or name == "setattr" or (parts[-1] == "setattr" and "monkeypatch" in name.lower()):
        target = _target(call, module)
    elif entry := _module_entry(name, call):
        target = entry
    elif parts[-1] in ("spy", "stub") and call.args:
        target = module.resolved(call.args[0])
    else:
        return ""
    return target if target and module.is_subject(target) else ""


def _target(call: ast.Call, module: ModuleNames) -> str:
    """Return the dotted name that a call of `patch` or `setattr` is given, in one text or in two parts."""
    first = call.args[0] if call.args else keywords(call).get("target")
    if (text := string(first)) is not None:
        return text
    base = module.resolved(first) if first is not None else ""
    attribute = string(call.args[1]) if len(call.args) > 1 else None
    return f"{base}.{attribute}" if base and attribute is not None else base


def _module_entry(name: str, call: ast.Call) -> str:
    """Return the module that a call puts a stand-in for into `sys.modules`, else the empty text.

    A dictionary can be written to in several ways, directly and through pytest or mock. One branch per way
    finds the keys, and the first literal key counts.
    """
    args, last = call.args, name.rpartition(".")[2]
    keys: list[ast.expr | None] = []
    if name in ("sys.modules.__setitem__", "sys.modules.setdefault"):
        keys = [*args[:1]]
    elif last in ("setitem", "delitem") and len(args) > 1 and source(args[0]) == "sys.modules":
        keys = [args[1]]
    elif name == "sys.modules.update" and args and isinstance(args[0], ast.Dict):
        keys = args[0].keys
    elif name.endswith("patch.dict") and len(args) > 1 and source(args[0]).strip("'") == "sys.modules":
        keys = args[1].keys if isinstance(args[1], ast.Dict) else []
    return next((module for module in map(string, keys) if module is not None), "")


# --- shadowed names ---


def shadowed(
    node: ast.stmt, module: ModuleNames, hidden: frozenset[str], called: frozenset[str]
) -> Iterator[str]:
    """Yield the subjects whose names a statement binds to something else.

    `hidden` are the imported names that the statement can hide where it stands, `called` those that are
    called there: `url = "…"` beside an import of that name is no stand-in for what is tested.
    """
    names: list[str] = []
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        names = [] if is_fixture(node) else [node.name]
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        names = [target.id for target in targets_of(node) if isinstance(target, ast.Name)]
        if not isinstance(node.value, ast.Lambda):
            names = [name for name in names if name in called]
        # What is made of the subject itself still tests it: `Cart = Cart.with_tax`.
        used = [part for part in every_part(node.value) if isinstance(part, (ast.Name, ast.Attribute))]
        if any(module.is_subject(module.resolved(part)) for part in used):
            names = []
    yield from (module.imports[n] for n in names if n in hidden and module.is_subject(module.imports[n]))


def imported_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that imports among the nodes bind."""
    return frozenset(
        name
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name, _ in _imported(node)
    )


def called_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that the nodes call."""
    return frozenset(
        node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )


def is_fixture(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Check whether it is decorated as a fixture. `usefixtures` asks for one and makes none."""
    return any(last_name(mark).endswith("fixture") for mark in node.decorator_list)
