"""Write a Python test out: helpers of its file and literal cases put in place, as they would run. Pure.

Three assertions, a loop over three cases, a test with three parameters and a helper called three times insist
on the same. Written out they are the same assertions, so that turning one form into another is no loss.
"""

import ast
import copy
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from signoff.judges.test_integrity.python.case_marks import argument_names, literal_cases
from signoff.judges.test_integrity.python.syntax_names import every_part, last_name, name_of
from signoff.judges.test_integrity.python.tested_imports import ModuleNames

Function = ast.FunctionDef | ast.AsyncFunctionDef
_MOST = 400
"""Statements of one test written out. A longer one stays as it is."""
_DEEPEST = 3
"""Helpers that call helpers."""


class _TooMuchError(Exception):
    """The test cannot be written out, or not within bounds."""


def written_out(function: Function, module: ModuleNames, helpers: Mapping[str, Function]) -> Function | None:
    """Return the test with helpers and literal cases written out, None if that is impossible or too long."""
    try:
        cases = _cases_of(function, module)
        body = _Writer(module, helpers).all(function.body)
        size = sum(isinstance(node, ast.stmt) for part in body for node in every_part(part))
        if size * len(cases) > _MOST:
            return None
        written = [part for case in cases for part in _substituted(body, case)]
    except _TooMuchError:
        return None
    made = copy.copy(function)
    made.body = written
    return made


def _cases_of(function: Function, module: ModuleNames) -> list[dict[str, ast.expr]]:
    """Return the arguments of each case of a parametrised test, one dictionary per case.

    Several `parametrize` marks multiply. The size of the product is computed first, so that a huge table is
    refused before it is built.
    """
    tables: list[list[dict[str, ast.expr]]] = []
    for mark in function.decorator_list:
        if not isinstance(mark, ast.Call) or last_name(mark.func) != "parametrize" or len(mark.args) < 2:
            continue
        names = argument_names(mark.args[0])
        tables.append([_bound(names, case) for case in literal_cases(mark.args[1], module)])
    count = 1
    for table in tables:
        count *= max(len(table), 1)
    if count > _MOST:
        raise _TooMuchError
    return [{name: value for part in parts for name, value in part.items()} for parts in product(*tables)]


def _bound(names: Sequence[str], case: ast.expr | str) -> dict[str, ast.expr]:
    """Return the value of each name in one case."""
    node = _parsed(case) if isinstance(case, str) else case
    if isinstance(node, ast.Call) and last_name(node.func) == "param":
        values: list[ast.expr] = node.args
    elif len(names) == 1:
        values = [node]
    elif isinstance(node, (ast.Tuple, ast.List)):
        values = node.elts
    else:
        raise _TooMuchError
    if len(values) != len(names) or any(isinstance(value, ast.Starred) for value in values):
        raise _TooMuchError
    return dict(zip(names, values, strict=True))


def _parsed(case: str) -> ast.expr:
    try:
        return ast.parse(case, mode="eval").body
    except SyntaxError as error:
        raise _TooMuchError from error


class _Writer:
    def __init__(self, module: ModuleNames, helpers: Mapping[str, Function], depth: int = 0) -> None:
        self._module = module
        self._helpers = helpers
        self._depth = depth
        self._count = 0

    def all(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        return [made for statement in statements for made in self._one(statement)]

    def _one(self, node: ast.stmt) -> list[ast.stmt]:
        self._count += 1
        if self._count > _MOST:
            raise _TooMuchError
        if isinstance(node, ast.Expr) and (inner := self._helper(node.value)) is not None:
            return inner
        if isinstance(node, ast.Assign) and (inner := self._helper(node.value)) is not None:
            return [*inner, node]
        if isinstance(node, ast.For) and (inner := self._loop(node)) is not None:
            return inner
        made = copy.copy(node)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(listed := getattr(node, field, None), list):
                setattr(made, field, self.all(listed))
        return [made]

    def _helper(self, node: ast.expr) -> list[ast.stmt] | None:
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call):
            return None
        helper = self._helpers.get(last_name(call.func))
        is_here = name_of(call.func).count(".") == 0 or name_of(call.func).startswith(("self.", "cls."))
        if helper is None or not is_here or self._depth >= _DEEPEST:
            return None
        bound = _arguments(call, helper)
        if bound is None:
            return None
        body = helper.body
        if isinstance(body[-1], ast.Return):  # behind it nothing would be reached
            value = body[-1].value or ast.Constant(None)
            body = [*body[:-1], ast.copy_location(ast.Expr(value), body[-1])]
        inner = _Writer(self._module, self._helpers, self._depth + 1)
        return inner.all(_substituted(body, bound))

    def _loop(self, node: ast.For) -> list[ast.stmt] | None:
        """Return the body of a loop written out once per case, or None if that cannot be done faithfully.

        It can for a literal list of known length: `break`, `continue`, `else` and computed cases change
        what runs.
        """
        names = [name_of(part) for part in _parts(node.target)]
        cases = list(literal_cases(node.iter, self._module))
        is_dict = isinstance(node.iter, (ast.Call, ast.Dict))
        leaves = any(isinstance(part, (ast.Break, ast.Continue)) for part in every_part(node))
        if not all(names) or node.orelse or is_dict or leaves or not cases or len(cases) > _MOST:
            return None
        if any(isinstance(case, str) for case in cases):
            return None
        body = self.all(node.body)
        written = [part for case in cases for part in _substituted(body, _bound(names, case))]
        self._count += len(written)
        return written


def _parts(target: ast.expr) -> list[ast.expr]:
    return target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _arguments(call: ast.Call, helper: Function) -> dict[str, ast.expr] | None:
    """Return what a call passes for each argument of a helper, None if that cannot be told.

    Defaults come first, so that what the call passes replaces them.
    """
    names = [arg.arg for arg in (*helper.args.posonlyargs, *helper.args.args)]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    if len(call.args) > len(names) or helper.args.vararg or helper.args.kwarg:
        return None
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(w.arg is None for w in call.keywords):
        return None
    defaults = helper.args.defaults
    bound = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) if defaults else {}
    for arg, default in zip(helper.args.kwonlyargs, helper.args.kw_defaults, strict=True):
        if default is not None:
            bound[arg.arg] = default
    bound |= dict(zip(names, call.args, strict=False))
    return bound | {word.arg: word.value for word in call.keywords if word.arg}


class _Substitution(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._values:
            return self._values[node.id]
        return node


def _substituted(statements: Sequence[ast.stmt], values: Mapping[str, ast.expr]) -> list[ast.stmt]:
    stored = {
        node.id
        for statement in statements
        for node in every_part(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    kept = {name: value for name, value in values.items() if name not in stored}
    if not kept:
        return list(statements)
    return [_Substitution(kept).visit(copy.deepcopy(statement)) for statement in statements]
