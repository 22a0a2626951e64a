"""The names and texts of Python's syntax trees: what is called, and how an expression reads. Pure."""

import ast
import re
from itertools import count
from string import Formatter


class Names:
    """The local names of one function: which they are, and which of them stand for a constant."""

    def __init__(self, local: frozenset[str] = frozenset(), constant: frozenset[str] = frozenset()) -> None:
        self.local = local
        self.constant = constant

    def plain(self, node: ast.AST) -> str:
        """Give the text with local names blanked."""
        text = source(node)
        return _WORD.sub(lambda word: "_" if word[1] or word[2] in self.local else word[0], text)


_WORD = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])(?:(self\.\w+)(?![\w(])|([A-Za-z_]\w*)(?!\w|=(?!=)))"""
)
"""Strings, which stay as they are, and names; not attributes, and not the names of keyword arguments.

What a class keeps for its tests (`self.cart`) is a name like a local one: a fixture may give it as well.
"""


def source(node: ast.AST) -> str:
    """Give the normalised text of a node."""
    try:
        return ast.unparse(node)
    except ValueError:  # before 3.12 an f-string has no way to hold a backslash that was put into it
        return ast.dump(node)


def every_part(node: ast.AST) -> list[ast.AST]:
    """Give a node and all below it, in the order of `ast.walk`, which takes three times as long.

    Whether a name is read or written is no part of its own here.
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
    """Turn `"{0}".format(x)` into the f-string that says the same, wherever that can be told."""
    for parent in every_part(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, ast.Call):
                setattr(parent, field, _as_f_string(value))
            elif isinstance(value, list):
                value[:] = [_as_f_string(item) if isinstance(item, ast.Call) else item for item in value]


def _as_f_string(call: ast.Call) -> ast.expr:
    template = (
        call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "format" else None
    )
    if not isinstance(template, ast.Constant) or not isinstance(template.value, str):
        return call
    given: dict[str, ast.expr] = {str(at): value for at, value in enumerate(call.args)}
    given |= {word.arg: word.value for word in call.keywords if word.arg}
    if len(given) < len(call.args) + len(call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return call
    parts: list[ast.expr] = []
    numbers = count()
    try:
        for literal, name, spec, conversion in Formatter().parse(template.value):
            if literal:
                parts.append(ast.Constant(literal))
            if name is None:
                continue
            wanted = given[name or str(next(numbers))]
            if spec and "{" in spec:
                return call
            inner = ast.JoinedStr([ast.Constant(spec)]) if spec else None
            parts.append(ast.FormattedValue(wanted, ord(conversion) if conversion else -1, inner))
    except (ValueError, KeyError):
        return call
    return ast.copy_location(ast.JoinedStr(parts), call)


def name_of(node: ast.AST) -> str:
    """Give `a.b.c` for such a chain, else the empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        return ".".join((node.id, *reversed(parts)))
    return ".".join(("", *reversed(parts))) if parts else ""


def last_name(node: ast.AST) -> str:
    """Give the last part of what is called."""
    return name_of(node).rpartition(".")[2]


def number(node: ast.expr) -> float | None:
    """Give the number a literal stands for, also a negative one or a power; else None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return -inner if inner is not None else None
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        try:
            return float(node.value)
        except OverflowError:
            return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = number(node.left), number(node.right)
        is_small = base is not None and power is not None and abs(base) <= 1000 and abs(power) <= 30
        return float(base**power) if is_small and base else None  # type: ignore[operator]
    return None
