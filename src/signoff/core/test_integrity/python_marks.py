"""Read what stands around Python tests: marks, skips, parametrisation. Pure."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signoff.core.test_integrity.python_names import last_name, name_of, source
from signoff.core.test_integrity.python_subjects import Module, mock_target
from signoff.core.test_integrity.records import COMPUTED

_SKIPS = frozenset({"skip", "skipif", "skipIf", "skipUnless", "skipTest", "importorskip", "SkipTest", "Skip"})
_XFAILS = frozenset({"xfail", "expectedFailure"})
_RETRIES = frozenset({"flaky", "retry", "rerun", "repeat_on_failure"})
_LONGEST = 10_000
"""Cases of one parametrisation; more are counted as this many."""


class Marks(NamedTuple):
    """What decorators and marks say about a test."""

    skips: tuple[str, ...] = ()
    xfails: tuple[str, ...] = ()
    retries: int = 0
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    mocks: tuple[str, ...] = ()
    strict_warnings: tuple[str, ...] = ()

    def joined(self, other: "Marks") -> "Marks":
        """Add those of an outer scope."""
        return Marks(
            self.skips + other.skips,
            self.xfails + other.xfails,
            max(self.retries, other.retries),
            self.parameters + other.parameters,
            self.mocks + other.mocks,
            self.strict_warnings + other.strict_warnings,
        )


def read_marks(decorators: Iterable[ast.expr], module: Module) -> Marks:
    """Give what a list of decorators or marks says."""
    found = Marks()
    for node in decorators:
        found = found.joined(_mark(node, module))
    return found


def _mark(node: ast.expr, module: Module) -> Marks:
    name = last_name(node.func if isinstance(node, ast.Call) else node)
    call = node if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Name) and node.id in module.values:
        return _mark(module.values[node.id], module._replace(values={}))
    if name in _SKIPS:
        return Marks(skips=(without_reason(node, module),)) if _may_apply(call) else Marks()
    if name in _XFAILS:
        return Marks(xfails=(without_reason(node, module),)) if _may_apply(call) else Marks()
    if name in _RETRIES:
        return Marks(retries=_retries(call))
    if call is None:
        return Marks()
    if name in ("parametrize", "expand", "parameterized", "parameterized_class", "data", "cases"):
        return _parametrised(name, call, module)
    if name == "example":
        return Marks(parameters=(("example", (source(call),)),))
    if name == "settings":
        return Marks(parameters=_examples(call))
    if name == "filterwarnings":
        return Marks(strict_warnings=tuple(strict_warning(call)))
    target = mock_target(call, module)
    return Marks(mocks=(target,) if target else ())


def _may_apply(call: ast.Call | None) -> bool:
    """Say whether a mark with a condition can come true; `skipif(False)` cannot."""
    if call is None or not call.args or not isinstance(call.args[0], ast.Constant):
        return True
    name, value = last_name(call.func), call.args[0].value
    if isinstance(value, str):
        return True
    return not value if name == "skipUnless" else bool(value)


def strict_warning(call: ast.Call) -> Iterator[str]:
    """Give what a warning filter lets fail the test, if it does: `filterwarnings("error::Kind")`."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        action, _, rest = first.value.partition(":")
        if action == "error":
            yield ", ".join((f"warnings are errors{': ' if rest else ''}{rest}", *map(source, call.args[1:])))


_CONDITIONS = tuple(
    (re.compile("|".join(spellings)), same)
    for same, spellings in {
        "on_pypy": (
            r"platform\.python_implementation\(\) == 'PyPy'",
            r"sys\.implementation\.name == 'pypy'",
            r"hasattr\(sys, 'pypy_version_info'\)",
            r"'__pypy__' in sys\.builtin_module_names",
            r"(?<![.\w'])(?:IS_|ON_)?PYPY(?![\w'])",
        ),
        "on_windows": (
            r"sys\.platform == 'win32'",
            r"os\.name == 'nt'",
            r"platform\.system\(\) == 'Windows'",
            r"sys\.platform\.startswith\('win(?:32)?'\)",
            r"(?<![.\w'])(?:IS_|ON_)?WIN(?:DOWS|32)?(?![\w'])",
        ),
        "on_macos": (r"sys\.platform == 'darwin'", r"platform\.system\(\) == 'Darwin'"),
        "on_linux": (
            r"sys\.platform == 'linux'",
            r"platform\.system\(\) == 'Linux'",
            r"sys\.platform\.startswith\('linux'\)",
        ),
    }.items()
)
"""Spellings of one condition."""


def without_reason(node: ast.expr, module: Module | None = None) -> str:
    """Give the text of a mark without the words that only explain it, its condition in one spelling.

    With the module, a condition that has a name there is written out.
    """
    text = _without_reason(node, module)
    for pattern, same in _CONDITIONS:
        text = pattern.sub(same, text)
    return text


def _without_reason(node: ast.expr, module: Module | None) -> str:
    if not isinstance(node, ast.Call):
        return source(node)
    name, args = last_name(node.func), list(node.args)
    if name in ("skip", "skipTest", "xfail", "SkipTest"):
        args = [arg for arg in args if not isinstance(arg, (ast.Constant, ast.JoinedStr))]
    elif name in ("skipIf", "skipUnless"):
        args = args[:1]
    words = [word for word in node.keywords if word.arg not in ("reason", "allow_module_level")]
    if module is not None:
        known = module.values
        args = [known.get(arg.id, arg) if isinstance(arg, ast.Name) else arg for arg in args]
    if not args and not words:
        return source(node.func)
    return source(ast.Call(node.func, args, words))


def _retries(call: ast.Call | None) -> int:
    values = [*call.args, *(word.value for word in call.keywords)] if call else []
    numbers = [node.value for node in values if isinstance(node, ast.Constant) and type(node.value) is int]
    return max(numbers, default=1)


def _examples(call: ast.Call) -> tuple[tuple[str, tuple[str, ...]], ...]:
    for word in call.keywords:
        if (
            word.arg == "max_examples"
            and isinstance(word.value, ast.Constant)
            and type(word.value.value) is int
        ):
            count = min(max(word.value.value, 0), _LONGEST)
            return (("max_examples", ("an example",) * count),)
    return ()


def _parametrised(name: str, call: ast.Call, module: Module) -> Marks:
    words = {word.arg: word.value for word in call.keywords}
    if name == "parametrize":
        names = call.args[0] if call.args else words.get("argnames")
        values = call.args[1] if len(call.args) > 1 else words.get("argvalues")
        key = ", ".join(argument_names(names)) if names is not None else ""
    elif name == "data":
        key, values = "data", ast.List(call.args, ast.Load())
    else:
        key, values = name, call.args[0] if call.args else None
    cases = list(literal_cases(values, module)) if values is not None else []
    skips, xfails = _marked_cases(cases, module)
    return Marks(skips=skips, xfails=xfails, parameters=((key, tuple(_plain_case(case) for case in cases)),))


def argument_names(node: ast.expr) -> list[str]:
    """Give the names of the arguments that a parametrisation is for."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",")]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [
            part.value for part in node.elts if isinstance(part, ast.Constant) and type(part.value) is str
        ]
    return [source(node)]


def literal_cases(node: ast.expr, module: Module) -> Iterator[ast.expr | str]:
    """Give the cases of a literal list, or of what stands for one; anything else is one case."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        yield from node.elts
    elif isinstance(node, ast.Dict):
        yield from (
            f"{source(key) if key else '**'}: {source(value)}"
            for key, value in zip(node.keys, node.values, strict=True)
        )
    elif isinstance(node, ast.Name) and node.id in module.values:
        yield from literal_cases(module.values[node.id], module._replace(values={}))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from literal_cases(node.left, module)
        yield from literal_cases(node.right, module)
    elif isinstance(node, ast.Call) and name_of(node.func) in (
        "range",
        "list",
        "tuple",
        "sorted",
        "enumerate",
    ):
        yield from _of_call(node, module)
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr
        in (
            "items",
            "keys",
            "values",
        )
    ):
        yield from literal_cases(node.func.value, module)
    else:
        yield COMPUTED + source(node)


def _of_call(node: ast.Call, module: Module) -> Iterator[ast.expr | str]:
    if name_of(node.func) != "range":
        yield from literal_cases(node.args[0], module) if node.args else ()
        return
    numbers = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and type(arg.value) is int]
    if len(numbers) != len(node.args) or not numbers or numbers[2:] == [0]:
        yield COMPUTED + source(node)
        return
    yield from map(str, range(*numbers[:3])[:_LONGEST])


def _plain_case(case: ast.expr | str) -> str:
    if isinstance(case, str):
        return case
    if isinstance(case, ast.Call) and last_name(case.func) == "param":
        return source(case.args[0] if len(case.args) == 1 else ast.Tuple(case.args, ast.Load()))
    return source(case)


def _marked_cases(cases: Iterable[ast.expr | str], module: Module) -> tuple[tuple[str, ...], tuple[str, ...]]:
    skips, xfails = [], []
    for case in cases:
        if not isinstance(case, ast.Call):
            continue
        for word in case.keywords:
            listed = word.value.elts if isinstance(word.value, (ast.List, ast.Tuple)) else [word.value]
            for mark in listed if word.arg == "marks" else ():
                name = last_name(mark.func if isinstance(mark, ast.Call) else mark)
                said = f"{_plain_case(case)}: {without_reason(mark, module)}"
                if name in _SKIPS:
                    skips.append(said)
                elif name in _XFAILS:
                    xfails.append(said)
    return tuple(skips), tuple(xfails)
