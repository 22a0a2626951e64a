"""Read what Python's expressions insist on, in pytest's and unittest's ways of saying it. Pure.

An assertion that cannot fail is `vacuous`; comparing it with what stood there before is not done here.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from signoff.core.test_integrity.records import Assertion

LOSSY = frozenset(
    [
        "len",
        "type",
        "set",
        "frozenset",
        "sorted",
        "bool",
        "round",
        "int",
        "abs",
        "min",
        "max",
        "any",
        "all",
        "id",
        "hash",
        "sum",
        "next",
        "dir",
        "callable",
    ]
)
_ASSERTING = re.compile(
    r"_?(?:assert|check|expect|verify|should|ensure|must|validate|require|fail)(?:_|[A-Z]|$)"
)
_PARTIAL = frozenset({"startswith", "endswith", "match", "search", "fullmatch", "issubset", "issuperset"})
_CLOSE = frozenset(
    {
        "isclose",
        "allclose",
        "assert_allclose",
        "assert_almost_equal",
        "assertAlmostEqual",
        "assertAlmostEquals",
        "assert_array_almost_equal",
    }
)
_TOLERANCES = ("rel", "abs", "rel_tol", "abs_tol", "rtol", "atol", "delta", "rtol", "tolerance")
_MOCKS = {
    "assert_called_once_with": "mock-called-once-with",
    "assert_awaited_once_with": "mock-called-once-with",
    "assert_called_with": "mock-called-with",
    "assert_awaited_with": "mock-called-with",
    "assert_any_call": "mock-called-with",
    "assert_has_calls": "mock-called-with",
    "assert_called_once": "mock-called-once",
    "assert_awaited_once": "mock-called-once",
    "assert_called": "mock-called",
    "assert_awaited": "mock-called",
}
_EQUALS = frozenset(
    [
        "assertEqual",
        "assertEquals",
        "assertIs",
        "assertListEqual",
        "assertDictEqual",
        "assertTupleEqual",
        "assertSetEqual",
        "assertSequenceEqual",
        "assertMultiLineEqual",
        "assert_equal",
        "assert_array_equal",
        "assert_frame_equal",
        "assert_series_equal",
    ]
)
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assert_raises", "assertRaisesRegexp"})
_WARNS = frozenset(
    [
        "warns",
        "deprecated_call",
        "assertWarns",
        "assertWarnsRegex",
        "assertLogs",
        "assertNoLogs",
        "RaisesGroup",
    ]
)
_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "equals",
    ast.Is: "equals",
    ast.NotEq: "differs",
    ast.IsNot: "differs",
    ast.Lt: "strict-order",
    ast.Gt: "strict-order",
    ast.LtE: "order",
    ast.GtE: "order",
    ast.In: "contains",
    ast.NotIn: "excludes",
}
_NEGATED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_SIGNS: Mapping[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Names:
    """The local names of one function: which they are, and which of them stand for a constant."""

    def __init__(self, local: frozenset[str] = frozenset(), constant: frozenset[str] = frozenset()) -> None:
        self.local = local
        self.constant = constant

    def plain(self, node: ast.AST) -> str:
        """Give the text with local names blanked."""
        text = source(node)
        if not self.local:
            return text
        return _WORD.sub(lambda word: "_" if word[1] in self.local else word[0], text)


_WORD = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?<![\w.])([A-Za-z_]\w*)(?!\w|=(?!=))""")
"""Strings, which stay as they are, and names; not attributes, and not the names of keyword arguments."""


def source(node: ast.AST) -> str:
    """Give the normalised text of a node."""
    return ast.unparse(node)


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


def read_truth(node: ast.expr, names: Names, *, is_negated: bool = False) -> Iterator[Assertion]:
    """Give what `assert node` insists on; a conjunction is several assertions."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from read_truth(node.operand, names, is_negated=not is_negated)
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) is not is_negated:
        for part in node.values:
            yield from read_truth(part, names, is_negated=is_negated)
    elif isinstance(node, ast.BoolOp):
        yield _either(node, names)
    elif isinstance(node, ast.Compare):
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            kind = _NEGATED[type(op)] if is_negated else type(op)
            yield compare(node, left, kind, right, names)
            left = right
    elif _is_constant(node, names) or (isinstance(node, ast.Tuple) and node.elts):
        yield Assertion(node.lineno, source(node), "vacuous", source(node))
    elif isinstance(node, ast.Call) and not is_negated:
        yield _call_truth(node, names)
    else:
        yield _made(node, "falsy" if is_negated else "truthy", node, None, names)


def _made(
    node: ast.AST, op: str, subject: ast.AST, expected: ast.AST | None, names: Names, **more: object
) -> Assertion:
    text, line = source(node), getattr(node, "lineno", 1)
    return Assertion(
        line,
        text,
        op,
        source(subject),
        source(expected) if expected is not None else "",
        names.plain(subject),
        names.plain(expected) if expected is not None else "",
        wildcards=_wildcards(expected),
    )._replace(**more)  # type: ignore[arg-type]  # the caller names fields of the record


def _either(node: ast.BoolOp, names: Names) -> Assertion:
    if any(_is_constant(part, names) for part in node.values):
        return Assertion(node.lineno, source(node), "vacuous", source(node))
    members = tuple(sorted(names.plain(part) for part in node.values))
    first = next(read_truth(node.values[0], names))
    return _made(node, "any", node, None, names, members=members)._replace(
        subject=first.subject, plain_subject=first.plain_subject
    )


def compare(node: ast.AST, left: ast.expr, op: type[ast.cmpop], right: ast.expr, names: Names) -> Assertion:
    """Give the assertion of one comparison."""
    kind = _COMPARE[op]
    if kind == "equals" and isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        left, right = right, left
    if _is_trivial(left, op, right, names):
        return Assertion(getattr(node, "lineno", 1), source(node), "vacuous", source(node))
    if op in _SIGNS:
        bound = _number(right)
        if bound is None and (flipped := _number(left)) is not None:
            left, right, bound, op = right, left, flipped, _FLIPPED[op]
        assertion = _made(node, kind, left, right, names, bound=bound)
        sign = _SIGNS[op]
        return assertion._replace(
            expected=sign + assertion.expected, plain_expected=sign + assertion.plain_expected
        )
    if kind in ("contains", "excludes"):
        if kind == "contains" and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
            return _made(node, "choice", left, right, names, members=tuple(sorted(map(source, right.elts))))
        return _made(node, kind, right, left, names)
    if kind == "differs":
        is_none = isinstance(right, ast.Constant) and right.value is None
        return _made(node, "not-none" if is_none else "differs", left, right, names)
    for value in (left, right):
        if isinstance(value, ast.Call) and last_name(value.func) == "approx":
            other = right if value is left else left
            return _made(
                node,
                "approx",
                other,
                value.args[0] if value.args else value,
                names,
                tolerance=_tolerance(value),
            )
    is_part = isinstance(left, ast.Call) and name_of(left.func) in LOSSY
    return _made(node, "equals-part" if is_part else "equals", left, right, names)


_FLIPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
}


def _is_trivial(left: ast.expr, op: type[ast.cmpop], right: ast.expr, names: Names) -> bool:
    if _is_constant(left, names) and _is_constant(right, names):
        return True
    if op in (ast.Eq, ast.Is, ast.LtE, ast.GtE) and source(left) == source(right):
        return True
    if op is ast.Eq and last_name(right) == "ANY":
        return True
    if op is ast.In and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return source(left) in map(source, right.elts)
    is_size = isinstance(left, ast.Call) and name_of(left.func) == "len"
    return is_size and ((op is ast.GtE and _number(right) == 0) or (op is ast.Gt and _number(right) == -1))


def _is_constant(node: ast.expr, names: Names) -> bool:
    if isinstance(node, (ast.Constant, ast.JoinedStr, ast.Lambda)):
        return True
    if isinstance(node, ast.Name):
        return node.id in names.constant
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(_is_constant(part, names) for part in node.elts) and bool(node.elts)
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand, names)
    if isinstance(node, ast.BinOp):
        return _is_constant(node.left, names) and _is_constant(node.right, names)
    return isinstance(node, ast.Compare) and all(
        _is_constant(part, names) for part in (node.left, *node.comparators)
    )


def _call_truth(node: ast.Call, names: Names) -> Assertion:
    name, args = name_of(node.func), node.args
    last = name.rpartition(".")[2]
    if name == "bool" and args:
        return next(read_truth(args[0], names))
    if name in ("isinstance", "issubclass") and len(args) == 2:
        types = args[1].elts if isinstance(args[1], ast.Tuple) else [args[1]]
        if any(source(kind) == "object" for kind in types):
            return Assertion(node.lineno, source(node), "vacuous", source(node))
        return _made(node, "type", args[0], args[1], names, members=tuple(sorted(map(source, types))))
    if name in ("any", "all") and args:
        return _made(node, name, args[0], None, names)
    if last in _CLOSE and args:
        return _made(
            node, "approx", args[0], args[1] if len(args) > 1 else None, names, tolerance=_tolerance(node)
        )
    if last in _PARTIAL and isinstance(node.func, ast.Attribute) and args:
        is_module = name.startswith("re.") and len(args) > 1
        subject, expected = (args[1], args[0]) if is_module else (node.func.value, args[0])
        return _made(node, "matches", subject, expected, names)
    return _made(node, "truthy", node, None, names)


def read_call(
    node: ast.Call, names: Names, helpers: frozenset[str], *, is_statement: bool
) -> list[Assertion]:
    """Give what a call insists on, if it is one that asserts: by its name, or a helper that is known to.

    `check(x)` that stands alone asserts; `print(check(x))` and `y = check(x)` use an answer.
    """
    last, args = last_name(node.func), node.args
    if last in _RAISES or last in _WARNS:
        return [read_raises(node, names)]
    if last in _MOCKS and isinstance(node.func, ast.Attribute):
        shown = ast.Call(func=ast.Name("_"), args=node.args, keywords=node.keywords)
        return [_made(node, _MOCKS[last], node.func.value, shown if args or node.keywords else None, names)]
    if last in _CLOSE and len(args) > 1:
        return [_made(node, "approx", args[0], args[1], names, tolerance=_tolerance(node))]
    if last.startswith(("assert", "fail")) and (known := _unittest(last, node, names)):
        return known
    if last in helpers or (_ASSERTING.match(last) and (is_statement or last.startswith("assert"))):
        return [_made(node, "call", node.func, ast.Tuple(args, ast.Load()), names)]
    return []


def _unittest(last: str, node: ast.Call, names: Names) -> list[Assertion]:
    args = node.args
    if last in ("assertTrue", "assertFalse", "assert_") and args:
        found = read_truth(args[0], names, is_negated=last == "assertFalse")
        return [assertion._replace(text=source(node)) for assertion in found]
    single = {"assertIsNone": ast.Is, "assertIsNotNone": ast.IsNot}
    if last in single and args:
        return [compare(node, args[0], single[last], ast.Constant(None), names)]
    ops: dict[str, type[ast.cmpop]] = {
        "assertNotEqual": ast.NotEq,
        "assertIsNot": ast.IsNot,
        "assertIn": ast.In,
        "assertNotIn": ast.NotIn,
        "assertGreater": ast.Gt,
        "assertGreaterEqual": ast.GtE,
        "assertLess": ast.Lt,
        "assertLessEqual": ast.LtE,
        **dict.fromkeys(_EQUALS, ast.Eq),
    }
    if last in ops and len(args) > 1:
        return [compare(node, args[0], ops[last], args[1], names)]
    if last in ("assertCountEqual", "assertItemsEqual") and len(args) > 1:
        return [_made(node, "equals-part", args[0], args[1], names)]
    if last == "assertIsInstance" and len(args) > 1:
        return [_call_truth(ast.copy_location(ast.Call(ast.Name("isinstance"), args[:2], []), node), names)]
    if last in ("assertRegex", "assertRegexpMatches") and len(args) > 1:
        return [_made(node, "matches", args[0], args[1], names)]
    return []


def read_raises(node: ast.Call, names: Names) -> Assertion:
    """Give the assertion that something is raised or warned about."""
    last, words = last_name(node.func), {word.arg: word.value for word in node.keywords}
    is_raises = last in _RAISES
    types = node.args[0] if node.args else words.get("expected_exception")
    listed = types.elts if isinstance(types, ast.Tuple) else [types] if types is not None else []
    match = words.get("match")
    if last.endswith(("Regex", "Regexp")):
        match = node.args[1] if len(node.args) > 1 else words.get("expected_regex")
    expected = source(match) if match is not None else ""
    subject = "raised" if is_raises else f"warned by {last}"
    return Assertion(
        node.lineno,
        source(node),
        "raises" if is_raises else "warns",
        subject,
        expected,
        subject,
        names.plain(match) if match is not None else "",
        exceptions=tuple(sorted(source(kind) for kind in listed)),
    )


def _wildcards(node: ast.AST | None) -> int:
    if node is None:
        return 0
    return sum(
        (isinstance(part, ast.Name) and part.id == "ANY")
        or (isinstance(part, ast.Attribute) and part.attr == "ANY")
        for part in ast.walk(node)
    )


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return -inner if inner is not None else None
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        try:
            return float(node.value)
        except OverflowError:
            return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _number(node.left), _number(node.right)
        is_small = base is not None and power is not None and abs(base) <= 1000 and abs(power) <= 30
        return float(base**power) if is_small and base else None  # type: ignore[operator]
    return None


def _tolerance(node: ast.Call) -> float:
    """Give the widest of the named tolerances; a comparison in decimal places counts as its last place."""
    words = {word.arg: _number(word.value) for word in node.keywords}
    last, args = last_name(node.func), node.args
    places = words.get("places", words.get("decimal"))
    if places is None and last.startswith("assertAlmost") and len(args) > 2:
        places = _number(args[2])
    if places is not None:
        return float(10.0 ** -min(max(places, -300), 300))
    named = [value for name in _TOLERANCES if (value := words.get(name)) is not None]
    if last == "approx" and len(args) > 1:
        named += [value for arg in args[1:] if (value := _number(arg)) is not None]
    return max(named) if named else 1e-6
