"""Edit Python test files by their syntax trees: what the operators on them are made of."""

import ast
from collections.abc import Callable, Iterator

Operator = Callable[[str], Iterator[str]]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class File:
    """A source and its tree, with replacing by node."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self._starts = [0]
        for line in source.encode().split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Give where a node begins and ends, in bytes."""
        begin = self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return begin, self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def replaced(self, node: ast.AST, text: str) -> str:
        """Give the source with another text for a node."""
        begin, end = self.span(node)
        data = self.source.encode()
        return (data[:begin] + text.encode() + data[end:]).decode()

    def before_line(self, number: int, text: str) -> str:
        """Give the source with one more line."""
        lines = self.source.split("\n")
        return "\n".join([*lines[: number - 1], text, *lines[number - 1 :]])

    def text(self, node: ast.AST) -> str:
        """Give the text of a node."""
        begin, end = self.span(node)
        return self.source.encode()[begin:end].decode()

    def tests(self) -> Iterator[Function]:
        """Give the tests at the top and in test classes; of two with one name, only the last is run."""
        for body in (self.tree.body, *(n.body for n in self.tree.body if is_class(n))):  # type: ignore[attr-defined]
            named = {n.name: n for n in body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
            yield from (n for n in named.values() if n.name.startswith("test") and not _marked(n))

    def asserts(self) -> Iterator[ast.Assert]:
        """Give the plain assertions of the tests, those that count: not in branches that may be dead."""
        for test in self.tests():
            for node in test.body:
                if isinstance(node, ast.Assert) and not _is_weak(node.test):
                    yield node
                elif isinstance(node, (ast.Return, ast.Raise)):
                    break

    def equalities(self) -> Iterator[tuple[ast.Assert, ast.Compare]]:
        """Give the assertions that compare with `==`."""
        for node in self.asserts():
            test = node.test
            if not isinstance(test, ast.Compare) or isinstance(test.left, ast.Constant):
                continue
            if len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
                yield node, test


def is_class(node: ast.AST) -> bool:
    """Say whether pytest collects the tests of a class."""
    if not isinstance(node, ast.ClassDef):
        return False
    return node.name.startswith("Test") and not any(getattr(b, "name", "") == "__init__" for b in node.body)


def _marked(test: Function) -> bool:
    return any("skip" in ast.unparse(d) or "fixture" in ast.unparse(d) for d in test.decorator_list)


def _is_weak(test: ast.expr) -> bool:
    return isinstance(test, (ast.Constant, ast.Tuple))


def on_tests(made: Callable[[File, Function], str | None]) -> Operator:
    """Make an operator that changes one test."""

    def operator(source: str) -> Iterator[str]:
        file = parsed(source)
        if file is not None:
            yield from (new for test in file.tests() if (new := made(file, test)) is not None)

    return operator


def on_asserts(made: Callable[[File, ast.Assert], str | None]) -> Operator:
    """Make an operator that changes one assertion."""

    def operator(source: str) -> Iterator[str]:
        file = parsed(source)
        if file is not None:
            yield from (new for node in file.asserts() if (new := made(file, node)) is not None)

    return operator


def on_equals(made: Callable[[File, ast.Compare], str | None]) -> Operator:
    """Make an operator that puts another claim in the place of an equality."""

    def operator(source: str) -> Iterator[str]:
        file = parsed(source)
        if file is not None:
            for node, compare in file.equalities():
                if (new := made(file, compare)) is not None:
                    yield file.replaced(node.test, new)

    return operator


def parsed(source: str) -> File | None:
    """Give a source with its tree; None if it has none."""
    try:
        return File(source)
    except (SyntaxError, ValueError):
        return None


def decorated(mark: str) -> Operator:
    """Make an operator that gives a test a mark."""

    def made(file: File, test: Function) -> str:
        first = min([test.lineno, *(d.lineno for d in test.decorator_list)])
        return file.before_line(first, f"{' ' * test.col_offset}@{mark}")

    return on_tests(made)


def first(statement: str) -> Operator:
    """Make an operator that puts a statement at the beginning of a test."""

    def made(file: File, test: Function) -> str | None:
        body = [n for n in test.body if not is_docstring(n)]
        if not body or body[0].lineno == test.lineno or not claims(test):
            return None
        line = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", []))])
        return file.before_line(line, f"{' ' * body[0].col_offset}{statement}")

    return on_tests(made)


def claims(test: Function) -> bool:
    """Say whether a test asserts anything by itself."""
    return any(isinstance(n, ast.Assert) for n in ast.walk(test)) and not isinstance(
        test.body[-1], ast.FunctionDef
    )


def is_docstring(node: ast.stmt) -> bool:
    """Say whether a statement only explains."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def on_parameters(made: Callable[[File, list[ast.expr]], str]) -> Operator:
    """Make an operator that changes the literal cases of a test."""

    def operator(source: str) -> Iterator[str]:
        file = parsed(source)
        for test in file.tests() if file else ():
            for mark in test.decorator_list:
                is_call = isinstance(mark, ast.Call) and len(mark.args) > 1
                if not is_call or not ast.unparse(mark.func).endswith(".parametrize"):  # type: ignore[attr-defined]
                    continue
                values = mark.args[1]  # type: ignore[attr-defined]
                if not file or not isinstance(values, (ast.List, ast.Tuple)) or len(values.elts) < 2:
                    continue
                if not any(isinstance(v, ast.Starred) for v in values.elts):
                    yield file.replaced(values, made(file, values.elts))

    return operator


def at_top(line: str) -> Operator:
    """Make an operator that puts a line at the top of a file."""

    def operator(source: str) -> Iterator[str]:
        file = parsed(source)
        if file and any(file.tests()):
            at = next((n.lineno for n in file.tree.body if not is_docstring(n)
                       and not (isinstance(n, ast.ImportFrom) and n.module == "__future__")), 1)  # fmt: skip
            yield file.before_line(at, line)

    return operator
