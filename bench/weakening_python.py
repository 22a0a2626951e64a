"""Operators on Python test files: ways to weaken one test.

`bench.honest_python` has those that weaken nothing.
"""

import ast
import re
from collections.abc import Callable, Iterator

from bench.python_edits import (
    File,
    Function,
    Operator,
    at_top,
    decorated,
    first,
    is_class,
    is_docstring,
    on_asserts,
    on_equals,
    on_parameters,
    on_tests,
    parsed,
)


def _deleted(file: File, test: Function) -> str:
    lines = file.source.split("\n")
    first = min([test.lineno, *(d.lineno for d in test.decorator_list)])
    del lines[first - 1 : test.end_lineno]
    lines.insert(first - 1, " " * test.col_offset + "pass")
    return "\n".join(lines)


def _emptied(file: File, test: Function) -> str | None:
    if (
        all(isinstance(n, ast.Pass) or is_docstring(n) for n in test.body)
        or test.body[0].lineno == test.lineno
    ):
        return None
    lines = file.source.split("\n")
    lines[test.body[0].lineno - 1 : test.end_lineno] = [" " * test.body[0].col_offset + "pass"]
    return "\n".join(lines)


def _wrapped(head: str, tail: str = "") -> Operator:
    def made(file: File, node: ast.Assert) -> str | None:
        if "\n" in file.text(node):
            return None
        pad = " " * node.col_offset
        text = f"{head.replace('SUBJECT', _subject(node))}\n{pad}    {file.text(node)}"
        is_certain = "SUBJECT" in head and isinstance(_subject_node(node), ast.Constant)
        # `if "text": assert …` is reached in any case: nothing weaker.
        return None if is_certain else file.replaced(node, text + (f"\n{pad}{tail}" if tail else ""))

    return on_asserts(made)


def _subject_node(node: ast.Assert) -> ast.expr:
    return node.test.left if isinstance(node.test, ast.Compare) else node.test


def _subject(node: ast.Assert) -> str:
    return ast.unparse(_subject_node(node))


def _whole(node: ast.expr) -> str:
    """Give the text of an operand so that it stays one: `a in b` within a comparison needs brackets."""
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.IfExp)) else text


def _equal(form: str) -> Operator:
    def made(_: File, compare: ast.Compare) -> str | None:
        left, right = _whole(compare.left), _whole(compare.comparators[0])
        made = form.format(a=left, b=right)
        return None if made == f"{left} == {right}" else made  # it compares a thing with itself already

    return on_equals(made)


def _on_literal(form: str, kinds: tuple[type, ...]) -> Operator:
    def made(_: File, compare: ast.Compare) -> str | None:
        right = compare.comparators[0]
        if not isinstance(right, ast.Constant) or type(right.value) not in kinds:
            return None
        return form.format(a=ast.unparse(compare.left), b=ast.unparse(right))

    return on_equals(made)


def _on_collection(form: str) -> Operator:
    def made(_: File, compare: ast.Compare) -> str | None:
        right = compare.comparators[0]
        if not isinstance(right, (ast.List, ast.Dict, ast.Tuple)) or isinstance(
            compare.left, (ast.List, ast.Tuple)
        ):
            return None
        return form.format(a=ast.unparse(compare.left), b=ast.unparse(right))

    return on_equals(made)


def _raises(made: Callable[[ast.Call], str | None]) -> Operator:
    def operator(source: str) -> Iterator[str]:
        file = parsed(source)
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


def _marked_last(file: File, values: list[ast.expr]) -> str:
    last = values[-1]
    inner = ", ".join(file.text(v) for v in last.elts) if isinstance(last, ast.Tuple) else file.text(last)
    if isinstance(last, ast.Call):
        inner = "1"
    kept = ", ".join(file.text(v) for v in values[:-1])
    return f"[{kept}, pytest.param({inner}, marks=pytest.mark.skip)]"


# --- stand-ins ---


def _subjects(file: File, own: frozenset[str]) -> dict[str, str]:
    """Give the names that a file imports from the project itself, with where each comes from."""
    return {
        name.asname or name.name: f"{node.module}.{name.name}"
        for node in file.tree.body
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] in own
        for name in node.names
        if name.name != "*"
    }


def _called_subject(file: File, test: Function, own: frozenset[str]) -> str | None:
    """Give an imported name of the project that a test calls and does not bind itself."""
    bound = {arg.arg for arg in ast.walk(test) if isinstance(arg, ast.arg)}
    bound |= {n.id for n in ast.walk(test) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    called = [n.func.id for n in ast.walk(test) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    known = _subjects(file, own)
    return next((name for name in called if name in known and name not in bound), None)


def _stand_in(own: frozenset[str], form: str) -> Operator:
    """Make an operator that gives the name of a subject to something else at the beginning of a test."""

    def made(file: File, test: Function) -> str | None:
        name = _called_subject(file, test, own)
        body = [n for n in test.body if not is_docstring(n)]
        if name is None or not body or body[0].lineno == test.lineno:
            return None
        line = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", []))])
        text = form.format(name=name, target=_subjects(file, own)[name])
        return file.before_line(line, f"{' ' * body[0].col_offset}{text}")

    return on_tests(made)


def _stand_in_above(own: frozenset[str], form: str) -> Operator:
    """Make an operator that replaces a subject for the whole file, right above the test that calls it."""

    def made(file: File, test: Function) -> str | None:
        name = _called_subject(file, test, own)
        if name is None or test.col_offset:
            return None
        first_line = min([test.lineno, *(d.lineno for d in test.decorator_list)])
        return file.before_line(first_line, form.format(name=name))

    return on_tests(made)


def _patched(own: frozenset[str]) -> Operator:
    def made(file: File, test: Function) -> str | None:
        target = next(iter(_subjects(file, own).values()), None)
        if target is None:
            return None
        first_line = min([test.lineno, *(d.lineno for d in test.decorator_list)])
        return file.before_line(first_line, f'{" " * test.col_offset}@mock.patch("{target}")')

    return on_tests(made)


def _raising_itself(source: str) -> Iterator[str]:
    file = parsed(source)
    for test in file.tests() if file else ():
        for node in test.body:
            call = node.items[0].context_expr if isinstance(node, ast.With) and len(node.items) == 1 else None
            is_raises = isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.raises" and call.args
            has_own = any(isinstance(part, ast.Raise) for part in getattr(node, "body", []))
            if file and is_raises and not has_own and node.body[0].lineno > node.lineno:  # type: ignore[attr-defined]
                kind = ast.unparse(call.args[0])  # type: ignore[union-attr]
                pad = " " * node.body[0].col_offset  # type: ignore[attr-defined]
                yield file.before_line(node.body[0].lineno, f"{pad}raise {kind}")  # type: ignore[attr-defined]


def _fewer_in_loop(source: str) -> Iterator[str]:
    file = parsed(source)
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
    file = parsed(source)
    for node in file.tree.body if file else ():
        if not isinstance(node, ast.ClassDef) or not is_class(node) or node.bases:
            continue
        if any(getattr(n, "name", "").startswith("test") for n in node.body):
            hidden = f"class Old{node.name}"
            yield re.sub(rf"^class {node.name}\b", hidden, source, count=1, flags=re.MULTILINE)


def _shadowed(file: File, test: Function) -> str | None:
    return None if test.col_offset else f"{file.source}\n\ndef {test.name}():\n    pass\n"


def _shorter_text(source: str) -> Iterator[str]:
    file = parsed(source)
    for node in file.asserts() if file else ():
        test = node.test
        if file and isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.In):
            value = test.left.value if isinstance(test.left, ast.Constant) else None
            if isinstance(value, str) and len(value) > 6 and "\n" not in value:
                yield file.replaced(test.left, repr(value[:3]))


WEAKENING: dict[str, Operator] = {
    "deleted": on_tests(_deleted),
    "no-longer-named-test": on_tests(lambda f, t: re.sub(rf"def {t.name}\(", f"def old_{t.name}(", f.source)),
    "emptied": on_tests(_emptied),
    "mark-skip": decorated("pytest.mark.skip(reason='later')"),
    "mark-skipif-true": decorated("pytest.mark.skipif(True, reason='later')"),
    "unittest-skip": decorated("unittest.skip('later')"),
    "mark-xfail": decorated("pytest.mark.xfail"),
    "mark-flaky": decorated("pytest.mark.flaky(reruns=3)"),
    "skip-call": first("pytest.skip('later')"),
    "xfail-call": first("pytest.xfail('later')"),
    "importorskip": first("pytest.importorskip('nothing')"),
    "return-first": first("return"),
    "conditional-return": first("if sys.platform: return"),
    "assertion-removed": on_asserts(lambda f, n: f.replaced(n, "pass")),
    "assert-true": on_asserts(lambda f, n: f.replaced(n.test, "True")),
    "assert-or-true": on_asserts(lambda f, n: f.replaced(n.test, f"({f.text(n.test)}) or True")),
    "assert-tuple": on_asserts(lambda f, n: f.replaced(n.test, f"({f.text(n.test)}, 'message')")),
    "printed-not-asserted": on_asserts(lambda f, n: f.replaced(n, f"print({f.text(n.test)})")),
    "if-guard": _wrapped("if SUBJECT:"),
    "if-false": _wrapped("if False:"),
    "while-false": _wrapped("while 0:"),
    "for-nothing": _wrapped("for _ in []:"),
    "try-except-pass": _wrapped("try:", "except Exception: pass"),
    "try-except-assertion": _wrapped("try:", "except AssertionError: print('hm')"),
    "suppressed": _wrapped("with contextlib.suppress(AssertionError):"),
    "expected-to-be-wrong": _wrapped("with pytest.raises(AssertionError):"),
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
    "raises-by-itself": _raising_itself,
    "raises-suppressed": _raises(lambda c: f"contextlib.suppress({ast.unparse(c.args[0])})"),
    "parameters-fewer": on_parameters(lambda f, v: f"[{', '.join(f.text(x) for x in v[:-1])}]"),
    "parameters-one": on_parameters(lambda f, v: f"[{f.text(v[0])}]"),
    "parameters-last-skipped": on_parameters(_marked_last),
    "loop-fewer": _fewer_in_loop,
    "class-not-collected": _class_not_collected,
    "module-skip-mark": at_top("pytestmark = pytest.mark.skip"),
    "module-skip-call": at_top("import pytest; pytest.skip('later', allow_module_level=True)"),
    "module-importorskip": at_top("pytest.importorskip('nothing')"),
    "shadowed": on_tests(_shadowed),
    "name-unbound": on_tests(lambda f, t: None if t.col_offset else f"{f.source}\n\n{t.name} = None\n"),
}


def weakening(own: frozenset[str]) -> dict[str, Operator]:
    """Give every operator, with those that need to know which packages are the project's own."""
    return {
        **WEAKENING,
        "subject-patched": _patched(own),
        "subject-is-lambda": _stand_in(own, "{name} = lambda *_, **__: None"),
        "subject-is-mock": _stand_in(own, "{name} = mock.Mock()"),
        "subject-redefined": _stand_in(own, "def {name}(*_, **__): return None"),
        "subject-module-replaced": _stand_in(own, "sys.modules['{target}'] = mock.Mock()"),
        "subject-lambda-for-all": _stand_in_above(own, "{name} = lambda *_, **__: None"),
        "subject-redefined-for-all": _stand_in_above(own, "def {name}(*_, **__): return None"),
    }


def _appended(text: str) -> Operator:
    return lambda source: iter([f"{source}\n\n{text}"] if parsed(source) else [])


_HOOK = "def pytest_collection_modifyitems(config, items):\n    {}\n"
CONFTEST_WEAKENING: dict[str, Operator] = {
    "conftest-autouse-skip": _appended(
        "@pytest.fixture(autouse=True)\ndef _not_now():\n    pytest.skip('later')\n"
    ),
    "conftest-deselects": _appended(_HOOK.format("items[:] = items[:1]")),
    "conftest-marks-skipped": _appended(
        _HOOK.format("for item in items:\n        item.add_marker(pytest.mark.skip)")
    ),
    "conftest-setup-skips": _appended("def pytest_runtest_setup(item):\n    pytest.skip('later')\n"),
    "conftest-result-changed": _appended(
        "def pytest_runtest_logreport(report):\n    report.outcome = 'passed'\n"
    ),
    "conftest-ignores": _appended("collect_ignore_glob = ['test_*.py']\n"),
}
