"""Operators on Python test files: edits that weaken nothing."""

# ruff: noqa: E501 - operators are read as a table

import ast
from collections.abc import Iterator
from typing import NamedTuple

from bench.python_edits import (
    File,
    Operator,
    at_top,
    claims,
    decorated,
    first,
    is_class,
    is_docstring,
    on_asserts,
    on_parameters,
    on_tests,
    parsed,
)


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _locals_renamed(source: str) -> Iterator[str]:
    file = parsed(source)
    if file is None:
        return
    for test in file.tests():
        has_inner = any(isinstance(n, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Nonlocal, ast.Global)) and n is not test
                        for n in ast.walk(test))  # fmt: skip
        stored = {n.id for n in ast.walk(test) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        if has_inner or not stored:
            continue
        names = {name: f"my_{name}" for name in stored}
        lines = [
            ast.unparse(_Renamed(names).visit(n))
            for n in ast.parse(file.text(test).replace("\n" + " " * test.col_offset, "\n")).body
        ]
        pad = " " * test.col_offset
        yield file.replaced(test, ("\n".join(lines)).replace("\n", f"\n{pad}"))


def _imports_reordered(source: str) -> Iterator[str]:
    file = parsed(source)
    imports = [n for n in file.tree.body if isinstance(n, ast.Import)] if file else []
    if file and len(imports) > 1:
        first, last = imports[0], imports[-1]
        lines = source.split("\n")
        if first.lineno == first.end_lineno and last.lineno == last.end_lineno:
            lines[first.lineno - 1], lines[last.lineno - 1] = lines[last.lineno - 1], lines[first.lineno - 1]
            yield "\n".join(lines)


def _helper_moved(source: str) -> Iterator[str]:
    file = parsed(source)
    for node in file.tree.body if file else ():
        if file and isinstance(node, ast.FunctionDef) and not node.name.startswith("test"):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            lines = source.split("\n")
            block = lines[first - 1 : node.end_lineno]
            yield "\n".join([*lines[: first - 1], *lines[node.end_lineno :], "", "", *block, ""])


def _tests_moved(source: str) -> Iterator[str]:
    file = parsed(source)
    for node in file.tree.body if file else ():
        if file and isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            lines = source.split("\n")
            if sum(getattr(n, "name", "") == node.name for n in file.tree.body) == 1:
                block = lines[first - 1 : node.end_lineno]
                yield "\n".join([*lines[: first - 1], *lines[node.end_lineno :], "", "", *block, ""])


def _tightened(source: str) -> Iterator[str]:
    file = parsed(source)
    for node in file.asserts() if file else ():
        test = node.test
        if (
            file
            and isinstance(test, (ast.Name, ast.Attribute, ast.Call))
            and "isinstance" not in ast.unparse(test)
        ):
            yield file.replaced(test, f"{file.text(test)} == 'exactly this'")
        elif file and isinstance(test, ast.Compare) and len(test.ops) == 1:
            if isinstance(test.ops[0], ast.In) and isinstance(test.left, ast.Constant):
                yield file.replaced(test, f"{file.text(test.comparators[0])} == {ast.unparse(test.left)}")
            elif isinstance(test.ops[0], ast.IsNot):
                yield file.replaced(test, f"{file.text(test.left)} == 'exactly this'")


def _named(file: File, node: ast.Assert) -> str | None:
    test = node.test
    if not isinstance(test, ast.Compare) or "\n" in file.text(node) or not isinstance(test.left, ast.Call):
        return None
    pad = " " * node.col_offset
    rest = f"value_named_here {file.text(test)[len(file.text(test.left)) :].strip()}"
    return file.replaced(node, f"value_named_here = {file.text(test.left)}\n{pad}assert {rest}")


def _with_message(file: File, node: ast.Assert) -> str | None:
    return None if node.msg else file.replaced(node, f"assert {ast.unparse(node.test)}, 'it fits'")


def _helper_extracted(file: File, node: ast.Assert) -> str | None:
    """Put an assertion into a function of its own, with the names it needs as arguments."""
    test = next((t for t in file.tests() if t.lineno <= node.lineno <= (t.end_lineno or 0)), None)
    inner = any(
        isinstance(n, (ast.Lambda, ast.comprehension, ast.NamedExpr, ast.Await)) for n in ast.walk(node)
    )
    if test is None or inner or node.msg:
        return None
    local = {n.id for n in ast.walk(test) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    local |= {n.arg for n in ast.walk(test) if isinstance(n, ast.arg)}
    local |= {getattr(n, "name", None) or "" for n in ast.walk(test) if n is not test}
    local |= {
        a.asname or a.name.split(".")[0]
        for n in ast.walk(test)
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for a in n.names
    }
    needed = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in local})
    listed = ", ".join(needed)
    changed = file.replaced(node, f"check_what_was_asserted({listed})")
    return f"{changed}\n\ndef check_what_was_asserted({listed}):\n    assert {ast.unparse(node.test)}\n"


def _cases_in_loop(source: str) -> Iterator[str]:
    """Turn the parameters of a test into a loop over the same cases."""
    file = parsed(source)
    for test in file.tests() if file else ():
        mark = test.decorator_list[0] if len(test.decorator_list) == 1 else None
        if (
            not isinstance(mark, ast.Call)
            or not ast.unparse(mark.func).endswith(".parametrize")
            or len(mark.args) != 2
        ):
            continue
        names, values = mark.args
        if not isinstance(names, ast.Constant) or not isinstance(values, (ast.List, ast.Tuple)):
            continue
        is_short = 1 < len(values.elts) < 20
        if not is_short or any(isinstance(v, (ast.Starred, ast.Call)) for v in values.elts):
            continue
        is_loopable = not any(isinstance(n, (ast.Return, ast.Nonlocal, ast.Global)) for n in ast.walk(test))
        if not is_loopable or not claims(test):
            continue
        made = ast.parse(ast.unparse(test)).body[0]
        wanted = [name.strip() for name in str(names.value).split(",")]
        made.decorator_list = []  # type: ignore[attr-defined]
        made.args.args = [arg for arg in made.args.args if arg.arg not in wanted]  # type: ignore[attr-defined]
        body = [n for n in made.body if not is_docstring(n)]  # type: ignore[attr-defined]
        target = ast.parse(f"for {', '.join(wanted)} in x: pass").body[0].target  # type: ignore[attr-defined]
        made.body = [ast.For(target, ast.List(list(values.elts)), body, [], lineno=1)]  # type: ignore[attr-defined]
        lines = source.split("\n")
        pad = " " * test.col_offset
        text = "\n".join(pad + line for line in ast.unparse(ast.fix_missing_locations(made)).split("\n"))
        lines[mark.lineno - 1 : test.end_lineno] = [text]
        yield "\n".join(lines)


def _out_of_class(source: str) -> Iterator[str]:
    """Make functions of the methods of a test class that need nothing of it."""
    file = parsed(source)
    taken = {getattr(n, "name", "") for n in file.tree.body} if file else set()
    for node in file.tree.body if file else ():
        if not is_class(node) or node.bases or node.decorator_list:  # type: ignore[attr-defined]
            continue
        body = [n for n in node.body if not is_docstring(n)]  # type: ignore[attr-defined]
        is_free = all(
            isinstance(n, ast.FunctionDef) and n.name.startswith("test") and not _uses_self(n) for n in body
        )
        if is_free and body and not taken & {n.name for n in body}:
            text = []
            for method in ast.parse(ast.unparse(node)).body[0].body:  # type: ignore[attr-defined]
                if isinstance(method, ast.FunctionDef):
                    method.args.args = method.args.args[1:]
                    text.append(ast.unparse(method))
            lines = source.split("\n")
            lines[node.lineno - 1 : node.end_lineno] = ["\n\n\n".join(text)]
            yield "\n".join(lines)


def _uses_self(method: ast.FunctionDef) -> bool:
    is_static = not method.args.args or method.args.args[0].arg != "self"
    return is_static or any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(method))


def _xfail_strict(source: str) -> Iterator[str]:
    if "@pytest.mark.xfail\n" in source:
        yield source.replace("@pytest.mark.xfail\n", "@pytest.mark.xfail(strict=True)\n")


class Moved(NamedTuple):
    """A file after a test of it went to a new one."""

    here: str
    there: str


def moved(source: str) -> Iterator[Moved]:
    """Move a test to a new file, with the imports and helpers it may need."""
    file = parsed(source)
    for test in file.tests() if file else ():
        if file is None or test.col_offset:
            continue
        begin = min([test.lineno, *(d.lineno for d in test.decorator_list)])
        lines = source.split("\n")
        tests = {t.name for t in file.tests()}
        needed = [n for n in file.tree.body if getattr(n, "name", "") not in tests and not is_class(n)]
        head = "\n".join(ast.unparse(n) for n in needed)
        block = "\n".join(lines[begin - 1 : test.end_lineno])
        yield Moved("\n".join(lines[: begin - 1] + lines[test.end_lineno :]), f"{head}\n\n\n{block}\n")


HONEST: dict[str, Operator] = {
    "reformatted": lambda s: iter([ast.unparse(f.tree)] if (f := parsed(s)) else []),
    "locals-renamed": _locals_renamed,
    "comment": first("# why this matters"),
    "print-added": first("print('begins')"),
    "assertion-added": on_asserts(lambda f, n: f.before_line(n.lineno, f"{' ' * n.col_offset}assert more() == 1")),
"assertion-message": on_asserts(_with_message),
    "value-named": on_asserts(_named),
    "helper-extracted": on_asserts(_helper_extracted),
    "parameters-in-a-loop": _cases_in_loop,
    "out-of-class": _out_of_class,
    "xfail-strict": _xfail_strict,
    "test-added": lambda s: iter([f"{s}\n\ndef test_one_more():\n    assert one() == 1\n"]),
    "helper-added": lambda s: iter([f"{s}\n\ndef make_one():\n    return 1\n"]),
    "imports-reordered": _imports_reordered,
    "import-added": at_top("import textwrap"),
    "helper-moved": _helper_moved,
    "tests-reordered": _tests_moved,
    "tightened": _tightened,
    "parameter-added": on_parameters(lambda f, v: f"[{', '.join(f.text(x) for x in v)}, {f.text(v[0])}]"),
    "mark-added": decorated("pytest.mark.slow"),
    "docstring-added": on_tests(
        lambda f, t: None if is_docstring(t.body[0]) or t.body[0].lineno == t.lineno
        else f.before_line(t.body[0].lineno if not getattr(t.body[0], "decorator_list", []) else
                           t.body[0].decorator_list[0].lineno, f'{" " * t.body[0].col_offset}"""Says why."""')  # type: ignore[attr-defined]
    ),
    "setenv-added": first("os.environ.get('HOME')"),
    "not-equal-none-to-is": on_asserts(lambda f, n: f.replaced(n.test, f"({f.text(n.test)})")),
}  # fmt: skip
CONFTEST_HONEST: dict[str, Operator] = {
    "conftest-fixture": lambda s: iter([f"{s}\n\n@pytest.fixture\ndef one():\n    return 1\n"]),
    "conftest-order": lambda s: iter([f"{s}\n\ndef pytest_collection_modifyitems(items):\n    items.sort(key=str)\n"]),
    "conftest-mark": lambda s: iter([f"{s}\n\ndef pytest_itemcollected(item):\n    item.add_marker('unit')\n"]),
}  # fmt: skip
