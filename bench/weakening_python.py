"""Operators on Python test files: ways to weaken one test, and edits that weaken nothing."""

# ruff: noqa: E501, SIM102 - operators are read as a table

import ast
import re
from collections.abc import Callable, Iterator

Operator = Callable[[str], Iterator[str]]
Function = ast.FunctionDef | ast.AsyncFunctionDef


class _File:
    """A source and its tree, with replacing by node."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self._starts = [0]
        for line in source.encode().split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        begin = self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        return begin, self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def replaced(self, node: ast.AST, text: str) -> str:
        begin, end = self.span(node)
        data = self.source.encode()
        return (data[:begin] + text.encode() + data[end:]).decode()

    def before_line(self, number: int, text: str) -> str:
        lines = self.source.split("\n")
        return "\n".join([*lines[: number - 1], text, *lines[number - 1 :]])

    def text(self, node: ast.AST) -> str:
        begin, end = self.span(node)
        return self.source.encode()[begin:end].decode()

    def tests(self) -> Iterator[Function]:
        """Give the tests at the top and in test classes; of two with one name, only the last is run."""
        for body in (self.tree.body, *(n.body for n in self.tree.body if _is_class(n))):  # type: ignore[attr-defined]
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
        for node in self.asserts():
            test = node.test
            if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
                if not isinstance(test.left, ast.Constant):
                    yield node, test


def _is_class(node: ast.AST) -> bool:
    if not isinstance(node, ast.ClassDef):
        return False
    return node.name.startswith("Test") and not any(getattr(b, "name", "") == "__init__" for b in node.body)


def _marked(test: Function) -> bool:
    return any("skip" in ast.unparse(d) or "fixture" in ast.unparse(d) for d in test.decorator_list)


def _is_weak(test: ast.expr) -> bool:
    return isinstance(test, (ast.Constant, ast.Tuple))


def _on_tests(made: Callable[[_File, Function], str | None]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = _parsed(source)
        if file is not None:
            yield from (new for test in file.tests() if (new := made(file, test)) is not None)

    return operator


def _on_asserts(made: Callable[[_File, ast.Assert], str | None]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = _parsed(source)
        if file is not None:
            yield from (new for node in file.asserts() if (new := made(file, node)) is not None)

    return operator


def _on_equals(made: Callable[[_File, ast.Compare], str | None]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = _parsed(source)
        if file is not None:
            for node, compare in file.equalities():
                if (new := made(file, compare)) is not None:
                    yield file.replaced(node.test, new)

    return operator


def _parsed(source: str) -> _File | None:
    try:
        return _File(source)
    except (SyntaxError, ValueError):
        return None


def _decorated(mark: str) -> Operator:
    def made(file: _File, test: Function) -> str:
        first = min([test.lineno, *(d.lineno for d in test.decorator_list)])
        return file.before_line(first, f"{' ' * test.col_offset}@{mark}")

    return _on_tests(made)


def _first(statement: str) -> Operator:
    def made(file: _File, test: Function) -> str | None:
        body = [n for n in test.body if not _is_docstring(n)]
        if not body or body[0].lineno == test.lineno or not _claims(test):
            return None
        line = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", []))])
        return file.before_line(line, f"{' ' * body[0].col_offset}{statement}")

    return _on_tests(made)


def _claims(test: Function) -> bool:
    return any(isinstance(n, ast.Assert) for n in ast.walk(test)) and not isinstance(
        test.body[-1], ast.FunctionDef
    )


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _deleted(file: _File, test: Function) -> str:
    lines = file.source.split("\n")
    first = min([test.lineno, *(d.lineno for d in test.decorator_list)])
    del lines[first - 1 : test.end_lineno]
    lines.insert(first - 1, " " * test.col_offset + "pass")
    return "\n".join(lines)


def _emptied(file: _File, test: Function) -> str | None:
    if (
        all(isinstance(n, ast.Pass) or _is_docstring(n) for n in test.body)
        or test.body[0].lineno == test.lineno
    ):
        return None
    lines = file.source.split("\n")
    lines[test.body[0].lineno - 1 : test.end_lineno] = [" " * test.body[0].col_offset + "pass"]
    return "\n".join(lines)


def _wrapped(head: str, tail: str = "") -> Operator:
    def made(file: _File, node: ast.Assert) -> str | None:
        if "\n" in file.text(node):
            return None
        pad = " " * node.col_offset
        text = f"{head.replace('SUBJECT', _subject(node))}\n{pad}    {file.text(node)}"
        return file.replaced(node, text + (f"\n{pad}{tail}" if tail else ""))

    return _on_asserts(made)


def _subject(node: ast.Assert) -> str:
    return ast.unparse(node.test.left if isinstance(node.test, ast.Compare) else node.test)


def _equal(form: str) -> Operator:
    def made(_: _File, compare: ast.Compare) -> str:
        left, right = ast.unparse(compare.left), ast.unparse(compare.comparators[0])
        return form.format(a=left, b=right)

    return _on_equals(made)


def _on_literal(form: str, kinds: tuple[type, ...]) -> Operator:
    def made(_: _File, compare: ast.Compare) -> str | None:
        right = compare.comparators[0]
        if not isinstance(right, ast.Constant) or type(right.value) not in kinds:
            return None
        return form.format(a=ast.unparse(compare.left), b=ast.unparse(right))

    return _on_equals(made)


def _on_collection(form: str) -> Operator:
    def made(_: _File, compare: ast.Compare) -> str | None:
        right = compare.comparators[0]
        if not isinstance(right, (ast.List, ast.Dict, ast.Tuple)) or isinstance(
            compare.left, (ast.List, ast.Tuple)
        ):
            return None
        return form.format(a=ast.unparse(compare.left), b=ast.unparse(right))

    return _on_equals(made)


def _raises(made: Callable[[ast.Call], str | None]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = _parsed(source)
        for test in file.tests() if file else ():
            for node in test.body:
                call = node.items[0].context_expr if isinstance(node, ast.With) else None
                is_raises = (
                    isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.raises" and call.args
                )
                if file and is_raises and (new := made(call)) is not None:  # type: ignore[arg-type]
                    yield file.replaced(call, new)  # type: ignore[arg-type]

    return operator


def _wider(call: ast.Call) -> str | None:
    if ast.unparse(call.args[0]) in ("Exception", "BaseException"):
        return None
    return ast.unparse(ast.Call(call.func, [ast.Name("Exception"), *call.args[1:]], call.keywords))


def _no_match(call: ast.Call) -> str | None:
    kept = [word for word in call.keywords if word.arg != "match"]
    return ast.unparse(ast.Call(call.func, call.args, kept)) if len(kept) < len(call.keywords) else None


def _one_more_type(call: ast.Call) -> str | None:
    if isinstance(call.args[0], ast.Tuple):
        return None
    return ast.unparse(ast.Call(call.func, [ast.Tuple([call.args[0], ast.Name("OSError")])], call.keywords))


def _parameters(made: Callable[[_File, list[ast.expr]], str]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = _parsed(source)
        for test in file.tests() if file else ():
            for mark in test.decorator_list:
                if (
                    isinstance(mark, ast.Call)
                    and ast.unparse(mark.func).endswith(".parametrize")
                    and len(mark.args) > 1
                ):
                    values = mark.args[1]
                    if file and isinstance(values, (ast.List, ast.Tuple)) and len(values.elts) > 1:
                        if not any(isinstance(v, ast.Starred) for v in values.elts):
                            yield file.replaced(values, made(file, values.elts))

    return operator


def _marked_last(file: _File, values: list[ast.expr]) -> str:
    last = values[-1]
    inner = ", ".join(file.text(v) for v in last.elts) if isinstance(last, ast.Tuple) else file.text(last)
    if isinstance(last, ast.Call):
        inner = "1"
    kept = ", ".join(file.text(v) for v in values[:-1])
    return f"[{kept}, pytest.param({inner}, marks=pytest.mark.skip)]"


def _mocked(file: _File, test: Function) -> str | None:
    own = next(
        (
            n
            for n in file.tree.body
            if isinstance(n, ast.ImportFrom) and n.module and "." in n.module and not n.level
        ),
        None,
    )
    own = own or next((n for n in file.tree.body if isinstance(n, ast.ImportFrom) and n.module in _OWN), None)
    if own is None or (own.module or "").split(".")[0] not in _OWN:
        return None
    first = min([test.lineno, *(d.lineno for d in test.decorator_list)])
    return file.before_line(first, f'{" " * test.col_offset}@mock.patch("{own.module}.{own.names[0].name}")')


_OWN = {"attr", "attrs", "click", "jinja2", "markupsafe", "itsdangerous", "packaging", "pluggy", "werkzeug", "flask",
        "tomlkit", "more_itertools"}  # fmt: skip


def _fewer_in_loop(source: str) -> Iterator[str]:
    file = _parsed(source)
    for test in file.tests() if file else ():
        for node in ast.walk(test):
            is_list = (
                isinstance(node, ast.For)
                and isinstance(node.iter, (ast.List, ast.Tuple))
                and len(node.iter.elts) > 2
            )
            if file and is_list and any(isinstance(n, ast.Assert) for n in ast.walk(node)):
                values = node.iter.elts  # type: ignore[attr-defined]
                yield file.replaced(node.iter, f"[{', '.join(file.text(v) for v in values[:-1])}]")  # type: ignore[attr-defined]


def _class_not_collected(source: str) -> Iterator[str]:
    file = _parsed(source)
    for node in file.tree.body if file else ():
        if file and isinstance(node, ast.ClassDef) and _is_class(node) and not node.bases:
            if any(getattr(n, "name", "").startswith("test") for n in node.body):
                yield re.sub(
                    rf"^class {node.name}\b", f"class Old{node.name}", source, count=1, flags=re.MULTILINE
                )


def _top(line: str) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = _parsed(source)
        if file and any(file.tests()):
            at = next((n.lineno for n in file.tree.body if not _is_docstring(n)
                       and not (isinstance(n, ast.ImportFrom) and n.module == "__future__")), 1)  # fmt: skip
            yield file.before_line(at, line)

    return operator


def _shadowed(file: _File, test: Function) -> str | None:
    return None if test.col_offset else f"{file.source}\n\ndef {test.name}():\n    pass\n"


def _shorter_text(source: str) -> Iterator[str]:
    file = _parsed(source)
    for node in file.asserts() if file else ():
        test = node.test
        if file and isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.In):
            value = test.left.value if isinstance(test.left, ast.Constant) else None
            if isinstance(value, str) and len(value) > 6 and "\n" not in value:
                yield file.replaced(test.left, repr(value[:3]))


WEAKENING: dict[str, Operator] = {
    "deleted": _on_tests(_deleted),
    "no-longer-named-test": _on_tests(
        lambda f, t: re.sub(rf"def {t.name}\(", f"def old_{t.name}(", f.source)
    ),
    "emptied": _on_tests(_emptied),
    "mark-skip": _decorated("pytest.mark.skip(reason='later')"),
    "mark-skipif-true": _decorated("pytest.mark.skipif(True, reason='later')"),
    "unittest-skip": _decorated("unittest.skip('later')"),
    "mark-xfail": _decorated("pytest.mark.xfail"),
    "mark-flaky": _decorated("pytest.mark.flaky(reruns=3)"),
    "skip-call": _first("pytest.skip('later')"),
    "xfail-call": _first("pytest.xfail('later')"),
    "importorskip": _first("pytest.importorskip('nothing')"),
    "return-first": _first("return"),
    "conditional-return": _first("if sys.platform: return"),
    "assertion-removed": _on_asserts(lambda f, n: f.replaced(n, "pass")),
    "assert-true": _on_asserts(lambda f, n: f.replaced(n.test, "True")),
    "assert-or-true": _on_asserts(lambda f, n: f.replaced(n.test, f"({f.text(n.test)}) or True")),
    "assert-tuple": _on_asserts(lambda f, n: f.replaced(n.test, f"({f.text(n.test)}, 'message')")),
    "printed-not-asserted": _on_asserts(lambda f, n: f.replaced(n, f"print({f.text(n.test)})")),
    "if-guard": _wrapped("if SUBJECT:"),
    "if-false": _wrapped("if False:"),
    "while-false": _wrapped("while 0:"),
    "for-nothing": _wrapped("for _ in []:"),
    "try-except-pass": _wrapped("try:", "except Exception: pass"),
    "try-except-assertion": _wrapped("try:", "except AssertionError: print('hm')"),
    "suppressed": _wrapped("with contextlib.suppress(AssertionError):"),
    "equal-to-truthy": _equal("{a}"),
    "equal-to-not-none": _equal("{a} is not None"),
    "equal-to-choice": _equal("{a} in ({b}, None)"),
    "equal-to-at-least": _equal("{a} >= {b}"),
    "equal-to-not-equal": _equal("{a} != 'never this'"),
    "equal-to-itself": _equal("{a} == {a}"),
    "equal-or": _equal("{a} == {b} or {a} is None"),
    "equal-to-type": _equal("isinstance({a}, type({b}))"),
    "equal-to-any": _equal("{a} == mock.ANY"),
    "equal-to-length": _on_collection("len({a}) == len({b})"),
    "number-to-approx": _on_literal("{a} == pytest.approx({b})", (int, float)),
    "text-to-contained": _on_literal("{b}[:3] in {a}", (str,)),
    "contained-text-shorter": _shorter_text,
    "raises-anything": _raises(_wider),
    "raises-one-more": _raises(_one_more_type),
    "raises-no-match": _raises(_no_match),
    "raises-suppressed": _raises(lambda c: f"contextlib.suppress({ast.unparse(c.args[0])})"),
    "parameters-fewer": _parameters(lambda f, v: f"[{', '.join(f.text(x) for x in v[:-1])}]"),
    "parameters-one": _parameters(lambda f, v: f"[{f.text(v[0])}]"),
    "parameters-last-skipped": _parameters(_marked_last),
    "loop-fewer": _fewer_in_loop,
    "subject-patched": _on_tests(_mocked),
    "class-not-collected": _class_not_collected,
    "module-skip-mark": _top("pytestmark = pytest.mark.skip"),
    "module-skip-call": _top("import pytest; pytest.skip('later', allow_module_level=True)"),
    "module-importorskip": _top("pytest.importorskip('nothing')"),
    "shadowed": _on_tests(_shadowed),
    "name-unbound": _on_tests(lambda f, t: None if t.col_offset else f"{f.source}\n\n{t.name} = None\n"),
}


# --- honest edits ---


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)


def _locals_renamed(source: str) -> Iterator[str]:
    file = _parsed(source)
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
    file = _parsed(source)
    imports = [n for n in file.tree.body if isinstance(n, ast.Import)] if file else []
    if file and len(imports) > 1:
        first, last = imports[0], imports[-1]
        lines = source.split("\n")
        if first.lineno == first.end_lineno and last.lineno == last.end_lineno:
            lines[first.lineno - 1], lines[last.lineno - 1] = lines[last.lineno - 1], lines[first.lineno - 1]
            yield "\n".join(lines)


def _helper_moved(source: str) -> Iterator[str]:
    file = _parsed(source)
    for node in file.tree.body if file else ():
        if file and isinstance(node, ast.FunctionDef) and not node.name.startswith("test"):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            lines = source.split("\n")
            block = lines[first - 1 : node.end_lineno]
            yield "\n".join([*lines[: first - 1], *lines[node.end_lineno :], "", "", *block, ""])


def _tests_moved(source: str) -> Iterator[str]:
    file = _parsed(source)
    for node in file.tree.body if file else ():
        if file and isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            lines = source.split("\n")
            if sum(getattr(n, "name", "") == node.name for n in file.tree.body) == 1:
                block = lines[first - 1 : node.end_lineno]
                yield "\n".join([*lines[: first - 1], *lines[node.end_lineno :], "", "", *block, ""])


def _tightened(source: str) -> Iterator[str]:
    file = _parsed(source)
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


def _named(file: _File, node: ast.Assert) -> str | None:
    test = node.test
    if not isinstance(test, ast.Compare) or "\n" in file.text(node) or not isinstance(test.left, ast.Call):
        return None
    pad = " " * node.col_offset
    rest = f"value {file.text(test)[len(file.text(test.left)) :].strip()}"
    return file.replaced(node, f"value = {file.text(test.left)}\n{pad}assert {rest}")


HONEST: dict[str, Operator] = {
    "reformatted": lambda s: iter([ast.unparse(f.tree)] if (f := _parsed(s)) else []),
    "locals-renamed": _locals_renamed,
    "comment": _first("# why this matters"),
    "print-added": _first("print('begins')"),
    "assertion-added": _on_asserts(lambda f, n: f.before_line(n.lineno, f"{' ' * n.col_offset}assert more() == 1")),
    "assertion-message": _on_asserts(lambda f, n: None if n.msg else f.replaced(n.test, f"({f.text(n.test)}), 'it fits'")),
    "value-named": _on_asserts(_named),
    "test-added": lambda s: iter([f"{s}\n\ndef test_one_more():\n    assert one() == 1\n"]),
    "helper-added": lambda s: iter([f"{s}\n\ndef make_one():\n    return 1\n"]),
    "imports-reordered": _imports_reordered,
    "import-added": _top("import textwrap"),
    "helper-moved": _helper_moved,
    "tests-reordered": _tests_moved,
    "tightened": _tightened,
    "parameter-added": _parameters(lambda f, v: f"[{', '.join(f.text(x) for x in v)}, {f.text(v[0])}]"),
    "mark-added": _decorated("pytest.mark.slow"),
    "docstring-added": _on_tests(
        lambda f, t: None if _is_docstring(t.body[0]) or t.body[0].lineno == t.lineno
        else f.before_line(t.body[0].lineno if not getattr(t.body[0], "decorator_list", []) else
                           t.body[0].decorator_list[0].lineno, f'{" " * t.body[0].col_offset}"""Says why."""')  # type: ignore[attr-defined]
    ),
    "setenv-added": _first("os.environ.get('HOME')"),
    "not-equal-none-to-is": _on_asserts(lambda f, n: f.replaced(n.test, f"({f.text(n.test)})")),
}  # fmt: skip
