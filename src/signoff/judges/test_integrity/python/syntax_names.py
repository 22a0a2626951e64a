"""The names, literals and texts of Python's syntax trees. Pure."""

import ast
import re
from itertools import count
from string import Formatter


class Names:
    """The local names of one function, and those of them that stand for a constant."""

    def __init__(self, local: frozenset[str] = frozenset(), constant: frozenset[str] = frozenset()) -> None:
        self.local = local
        self.constant = constant

    def plain(self, node: ast.AST) -> str:
        """Return the text with local names blanked."""
        text = source(node)
        return _WORD.sub(lambda word: "_" if word[1] or word[2] in self.local else word[0], text)


_WORD = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])(?:(self\.\w+)(?![\w(])|([A-Za-z_]\w*)(?!\w|=(?!=)))"""
)
"""Matches strings, which stay as they are, and names, but no attributes and no names of keyword arguments.

What a class keeps for its tests (`self.cart`) is a name like a local one: a fixture may give it as well.
"""


def source(node: ast.AST) -> str:
    """Return the normalised text of a node."""
    try:
        return ast.unparse(node)
    except ValueError:  # before 3.12 an f-string has no way to hold a backslash that was put into it
        return ast.dump(node)


def every_part(node: ast.AST) -> list[ast.AST]:
    """Return a node and all below it, in the order of `ast.walk`, which takes three times as long.

    Whether a name is read or written is not a part of its own here.
    """
    found = [node]
    for one in found:  # it grows as it is gone through
        for name in one._fields:
            if name == "ctx":
                continue
            value = getattr(one, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif value.__class__ is list:
                found += [item for item in value if isinstance(item, ast.AST)]
    return found


def respell_formats(tree: ast.AST) -> None:
    """Replace `"{0}".format(x)` by the equal f-string, wherever that can be told."""
    for parent in every_part(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, ast.Call):
                setattr(parent, field, _as_f_string(value))
            elif isinstance(value, list):
                value[:] = [_as_f_string(item) if isinstance(item, ast.Call) else item for item in value]


def _as_f_string(call: ast.Call) -> ast.expr:
    """Return the f-string of a call of `str.format`, or the call itself if it cannot be told.

    The two spellings then compare as equal. Starred arguments, nested format specifications and missing
    fields cannot be told without running the call.
    """
    is_format = isinstance(call.func, ast.Attribute) and call.func.attr == "format"
    template = string(call.func.value) if is_format and isinstance(call.func, ast.Attribute) else None
    if template is None:
        return call
    given: dict[str, ast.expr] = {str(at): value for at, value in enumerate(call.args)}
    given |= {word.arg: word.value for word in call.keywords if word.arg}
    if len(given) < len(call.args) + len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return call
    parts: list[ast.expr] = []
    numbers = count()
    try:
        for literal, name, spec, conversion in Formatter().parse(template):
            if literal:
                parts.append(ast.Constant(literal))
            if name is None:
                continue
            value = given[name or str(next(numbers))]
            if spec and "{" in spec:
                return call
            inner = ast.JoinedStr([ast.Constant(spec)]) if spec else None
            parts.append(ast.FormattedValue(value, ord(conversion) if conversion else -1, inner))
    except (ValueError, KeyError):
        return call
    return ast.copy_location(ast.JoinedStr(parts), call)


def name_of(node: ast.AST) -> str:
    """Return `a.b.c` for a chain of names, `.b.c` for one behind another expression, else the empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join((node.id, *reversed(parts)))
    return ".".join(("", *reversed(parts))) if parts else ""


def last_name(node: ast.AST) -> str:
    """Return the last part of a dotted name: of what is called, if the node is a call."""
    return name_of(node.func if isinstance(node, ast.Call) else node).rpartition(".")[2]


def targets_of(node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete) -> list[ast.expr]:
    """Return what a statement assigns to or deletes."""
    return node.targets if isinstance(node, (ast.Assign, ast.Delete)) else [node.target]


def elements(node: ast.expr | None) -> list[ast.expr]:
    """Return what a literal list holds, or the expression itself as the only element."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return node.elts
    return [node] if node is not None else []


def keywords(call: ast.Call) -> dict[str | None, ast.expr]:
    """Return the keyword arguments of a call by their names."""
    return {word.arg: word.value for word in call.keywords}


def string(node: ast.AST | None) -> str | None:
    """Return the value of a string literal, None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def integer(node: ast.AST | None) -> int | None:
    """Return the value of an integer literal, None for anything else, `True` too."""
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def number(node: ast.expr) -> float | None:
    """Return the value of a number literal, also of a negative one or a power, None for anything else."""
    match node:
        case ast.UnaryOp(op=ast.USub()):
            inner = number(node.operand)
            return -inner if inner is not None else None
        case ast.Constant(value=int() | float() as value):
            try:
                return float(value)
            except OverflowError:
                return None
        case ast.BinOp(op=ast.Pow()):
            base, power = number(node.left), number(node.right)
            if not base or power is None or abs(base) > 1000 or abs(power) > 30:
                return None
            return float(base**power)
    return None
