"""What the generators of the documentation share: the source read as a tree, and Markdown tables."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import signoff

SOURCE = Path(signoff.__file__).parent
NOTICE = "<!-- Written by `python docs/generate.py`; change the code it names instead. -->\n"


def modules(root: Path = SOURCE) -> Iterator[tuple[Path, ast.Module]]:
    """Return every module of the product, parsed; the bundled sample is somebody else's code."""
    for path in sorted(root.rglob("*.py")):
        if "sample" not in path.relative_to(root).parts:
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def words(node: ast.expr | None, known: Mapping[str, str]) -> str:
    """Return the text of a string expression, with `…` for what is filled in when it is said."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(words(part, known) for part in parts)
        case ast.Name(id=name):
            return known.get(name, "…")
        case ast.IfExp(body=one, orelse=other):
            return f"{words(one, known)}; or: {words(other, known)}"
        case None:
            return ""
        case _:
            return "…"


def assigned(function: ast.FunctionDef) -> Iterator[tuple[ast.Call, dict[str, str]]]:
    """Return each call in a function, with the strings that its local names stand for at that point."""
    known: dict[str, str] = {}
    steps = (node for node in ast.walk(function) if isinstance(node, ast.Assign | ast.NamedExpr | ast.Call))
    for node in sorted(steps, key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(node, ast.Call):
            yield node, dict(known)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = words(node.value, {})


def tabled(tree: ast.Module) -> Iterator[tuple[ast.Call, dict[str, str]]]:
    """Yield each call in the tables of a module, in the form of `assigned`."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from ((node, {}) for node in ast.walk(statement) if isinstance(node, ast.Call))


def callee(call: ast.Call) -> str:
    """Return the last part of the name that is called."""
    return ast.unparse(call.func).rpartition(".")[2]


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Return every function and method of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument."""
    return next((word.value for word in call.keywords if word.arg == name), None)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    names = tuple(head)
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
