"""Read what stands around Python tests: marks, skips, parametrisation. Pure."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from signoff.domain.evidence.case_records import COMPUTED
from signoff.judges.test_integrity.python.syntax_names import (
    elements,
    integer,
    keywords,
    last_name,
    source,
    string,
)
from signoff.judges.test_integrity.python.tested_imports import ModuleNames, mock_target
from signoff.text.word_lists import words

_SKIPS = words("skip skipif skipIf skipUnless skipTest importorskip SkipTest Skip")
_XFAILS = frozenset({"xfail", "expectedFailure"})
_PARAMETRISED = words("parametrize expand parameterized parameterized_class data cases")
_RETRIES = frozenset({"flaky", "retry", "rerun", "repeat_on_failure"})
_LONGEST = 10_000
"""Cases of one parametrisation. More are counted as this many."""


class Marks(NamedTuple):
    """What decorators and marks say about a test."""

    skips: tuple[str, ...] = ()
    xfails: tuple[str, ...] = ()
    retries: int = 0
    parameters: tuple[tuple[str, tuple[str, ...]], ...] = ()
    mocks: tuple[str, ...] = ()
    strict_warnings: tuple[str, ...] = ()

    def joined(self, other: "Marks") -> "Marks":
        """Return these marks together with those of an outer scope."""
        return Marks(
            self.skips + other.skips,
            self.xfails + other.xfails,
            max(self.retries, other.retries),
            self.parameters + other.parameters,
            self.mocks + other.mocks,
            self.strict_warnings + other.strict_warnings,
        )


def read_marks(decorators: Iterable[ast.expr], module: ModuleNames) -> Marks:
    """Return what a list of decorators or marks says about a test."""
    found = Marks()
    for node in decorators:
        found = found.joined(_mark(node, module))
    return found


def _mark(node: ast.expr, module: ModuleNames) -> Marks:
    """Return what one mark says, by its name. A mark that the file gave a name is looked up first.

    One branch per family of marks: skips, expected failures, retries, cases, warnings. What is left over
    may still be a decorator that patches the subject.
    """
    if isinstance(node, ast.Name) and node.id in module.values:
        return _mark(module.values[node.id], module._replace(values={}))
    name = last_name(node)
    call = node if isinstance(node, ast.Call) else None
    if name in _SKIPS:
        return Marks(skips=(without_reason(node, module),)) if _may_apply(call) else Marks()
    if name in _XFAILS:
        return Marks(xfails=(without_reason(node, module),)) if _may_apply(call) else Marks()
    if name in _RETRIES:
        given = [*call.args, *keywords(call).values()] if call else []
        return Marks(retries=max((n for n in map(integer, given) if n is not None), default=1))
    if call is None:
        return Marks()
    if name in _PARAMETRISED:
        return _parametrised(name, call, module)
    if name == "example":
        return Marks(parameters=(("example", (source(call),)),))
    if name == "settings":
        count = integer(keywords(call).get("max_examples"))
        examples = ("an example",) * min(max(count or 0, 0), _LONGEST)
        return Marks(parameters=(("max_examples", examples),) if count is not None else ())
    if name == "filterwarnings":
        return Marks(strict_warnings=tuple(strict_warning(call)))
    target = mock_target(call, module)
    return Marks(mocks=(target,) if target else ())


def _may_apply(call: ast.Call | None) -> bool:
    """Check whether a mark with a condition can come true. `skipif(False)` cannot."""
    if call is None or not call.args or not isinstance(call.args[0], ast.Constant):
        return True
    value = call.args[0].value
    return isinstance(value, str) or bool(value) is not (last_name(call) == "skipUnless")


def strict_warning(call: ast.Call) -> Iterator[str]:
    """Yield what a warning filter lets fail the test, if it does: `filterwarnings("error::Kind")`."""
    action, _, rest = (string(call.args[0]) or "" if call.args else "").partition(":")
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


def without_reason(node: ast.expr, module: ModuleNames | None = None) -> str:
    """Return the text of a mark without the words that only explain it, its condition in one spelling.

    With the module, a condition that has a name there is written out.
    """
    text = source(node)
    if isinstance(node, ast.Call):
        name, args = last_name(node), list(node.args)
        if name in ("skip", "skipTest", "xfail", "SkipTest"):
            args = [arg for arg in args if not isinstance(arg, (ast.Constant, ast.JoinedStr))]
        elif name in ("skipIf", "skipUnless"):
            args = args[:1]
        kept = [word for word in node.keywords if word.arg not in ("reason", "allow_module_level")]
        known = module.values if module is not None else {}
        args = [known.get(arg.id, arg) if isinstance(arg, ast.Name) else arg for arg in args]
        text = source(ast.Call(node.func, args, kept) if args or kept else node.func)
    for pattern, same in _CONDITIONS:
        text = pattern.sub(same, text)
    return text


# --- parametrisation ---


def _parametrised(name: str, call: ast.Call, module: ModuleNames) -> Marks:
    given, key = keywords(call), name
    values = call.args[0] if call.args else None
    if name == "parametrize":
        names = call.args[0] if call.args else given.get("argnames")
        values = call.args[1] if len(call.args) > 1 else given.get("argvalues")
        key = ", ".join(argument_names(names)) if names is not None else ""
    elif name == "data":
        values = ast.List(call.args, ast.Load())
    cases = list(literal_cases(values, module)) if values is not None else []
    skips, xfails = _marked_cases(cases, module)
    return Marks(skips=skips, xfails=xfails, parameters=((key, tuple(map(_plain_case, cases))),))


def argument_names(node: ast.expr) -> list[str]:
    """Return the names of the arguments that a parametrisation is for."""
    if (text := string(node)) is not None:
        return [name.strip() for name in text.split(",")]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [name for name in map(string, node.elts) if name is not None]
    return [source(node)]


def literal_cases(node: ast.expr, module: ModuleNames) -> Iterator[ast.expr | str]:
    """Yield the cases of a literal list, or of what stands for one. Anything else is one computed case.

    `range`, `sorted`, `.items()` and the like are followed to the literal inside them.
    """
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            yield from node.elts
        case ast.Dict():
            for key, value in zip(node.keys, node.values, strict=True):
                yield f"{source(key) if key else '**'}: {source(value)}"
        case ast.Name() if node.id in module.values:
            yield from literal_cases(module.values[node.id], module._replace(values={}))
        case ast.BinOp(op=ast.Add()):
            yield from literal_cases(node.left, module)
            yield from literal_cases(node.right, module)
        case ast.Call(func=ast.Name(id="range")):
            numbers = [value for value in map(integer, node.args) if value is not None]
            if len(numbers) != len(node.args) or not numbers or numbers[2:] == [0]:
                yield COMPUTED + source(node)
            else:
                yield from map(str, range(*numbers[:3])[:_LONGEST])
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted" | "enumerate")):
            yield from literal_cases(node.args[0], module) if node.args else ()
        case ast.Call(func=ast.Attribute(attr="items" | "keys" | "values", value=inner)):
            yield from literal_cases(inner, module)
        case _:
            yield COMPUTED + source(node)


def _plain_case(case: ast.expr | str) -> str:
    if isinstance(case, str):
        return case
    if isinstance(case, ast.Call) and last_name(case) == "param":
        return source(case.args[0] if len(case.args) == 1 else ast.Tuple(case.args, ast.Load()))
    return source(case)


def _marked_cases(
    cases: Iterable[ast.expr | str], module: ModuleNames
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the skips and expected failures of single cases: `param(1, marks=skip)`."""
    skips, xfails = [], []
    for case in cases:
        for mark in elements(keywords(case).get("marks")) if isinstance(case, ast.Call) else ():
            said = f"{_plain_case(case)}: {without_reason(mark, module)}"
            if last_name(mark) in _SKIPS:
                skips.append(said)
            elif last_name(mark) in _XFAILS:
                xfails.append(said)
    return tuple(skips), tuple(xfails)
