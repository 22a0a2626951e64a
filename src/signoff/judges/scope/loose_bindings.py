"""Names that a Python file binds without showing what they are: loops, captures, `globals()`.

Pure; called by `judges.scope.exported_names`, which cannot tell what such a name is, only whether the words
that bind it are the same as before.
"""

import ast
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_REACHING: Final = frozenset({"exec", "globals", "locals", "vars", "setattr", "delattr"})
"""Functions that bind names which are not in the text, or change what a name is."""


class Loose(NamedTuple):
    """A name with the words that bind it. The name is empty if it could be any."""

    name: str
    text: str


def loose_bindings(tree: ast.Module) -> Iterator[Loose]:
    """Yield what is bound while the file is loaded, other than by definitions, assignments and imports."""
    for statement in tree.body:
        inner = tuple(_at_load(statement))
        if any(_reaches_out(node) for node in inner):
            yield Loose("", ast.unparse(statement))
        for node in inner:
            yield from _bound_by(node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from (Loose(name, f"global {name}") for name in node.names)


def _at_load(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield every node that runs when the file is loaded: of a function its defaults, but not its body."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                waiting += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
            case ast.Lambda():
                waiting.append(node.args)
            case _:
                waiting += ast.iter_child_nodes(node)


def _reaches_out(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _REACHING
        case ast.Attribute(value=ast.Name(id="sys"), attr="modules") | ast.Attribute(attr="__dict__"):
            return True
        case ast.For() | ast.While():
            return any(isinstance(part, ast.Name) and part.id == "__all__" for part in ast.walk(node))
        case _:
            return False


def _bound_by(node: ast.AST) -> Iterator[Loose]:
    """Yield the names that this node binds, one case for each kind of node that binds some.

    Loop targets, `with … as`, `:=`, patterns and `except … as` bind plain names. Assignments count here
    only where they set something on another object, plain ones are read elsewhere.
    """
    match node:
        case ast.For():
            text = f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
            yield from (Loose(name, text) for name in _names([node.target]))
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from (Loose(name, ast.unparse(node)) for name in _names([target]))
        case ast.NamedExpr():
            yield Loose(node.target.id, ast.unparse(node))
        case ast.match_case():
            text = ast.unparse(node.pattern)
            yield from (Loose(name, text) for name in _captured(node.pattern))
        case ast.ExceptHandler(name=str() as name):
            yield Loose(name, f"except {ast.unparse(node.type) if node.type else ''} as {name}")
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from _set_on_others(node, targets)
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            yield from _set_on_others(node, [target])
        case _:
            return


def _set_on_others(node: ast.AST, targets: Iterable[ast.expr]) -> Iterator[Loose]:
    """Yield what is set on an object from outside of it: `Basket.size = 3` after the class."""
    for target in flattened(targets):
        if isinstance(target, ast.Attribute):
            root: ast.expr = target
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            yield Loose(root.id if isinstance(root, ast.Name) else "", ast.unparse(node))


def _names(targets: Iterable[ast.expr]) -> Iterator[str]:
    yield from (target.id for target in flattened(targets) if isinstance(target, ast.Name))


def flattened(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Yield the single targets of an assignment, including those in brackets and after a star."""
    waiting = list(targets)
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts
        elif isinstance(target, ast.Starred):
            waiting.append(target.value)
        else:
            yield target


def _captured(pattern: ast.pattern) -> Iterator[str]:
    for part in ast.walk(pattern):
        match part:
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                yield name
            case ast.MatchMapping(rest=str() as name):
                yield name
            case _:
                pass
