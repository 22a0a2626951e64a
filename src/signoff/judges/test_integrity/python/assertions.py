"""Read what Python's expressions insist on, for pytest and unittest. Pure.

An assertion that cannot fail is `vacuous`. It is not compared here with what stood there before.
"""

import ast
from collections.abc import Iterator, Mapping

from signoff.domain.evidence.case_records import Assertion
from signoff.judges.test_integrity.python.syntax_names import (
    Names,
    elements,
    every_part,
    keywords,
    last_name,
    name_of,
    number,
    source,
)
from signoff.text.word_lists import words

LOSSY = words("len type bool round int abs min max any all id hash sum next dir callable")
_UNORDERED = frozenset({"set", "frozenset", "sorted"})
_PARTIAL = words("startswith endswith match search fullmatch issubset issuperset")
CLOSE = words(
    "isclose allclose assert_allclose assert_almost_equal assertAlmostEqual assertAlmostEquals "
    "assert_array_almost_equal"
)
_TOLERANCES = ("rel", "abs", "rel_tol", "abs_tol", "rtol", "atol", "delta", "rtol", "tolerance")
_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "equals", ast.Is: "equals", ast.NotEq: "differs", ast.IsNot: "differs",
    ast.Lt: "strict-order", ast.Gt: "strict-order", ast.LtE: "order", ast.GtE: "order",
    ast.In: "contains", ast.NotIn: "excludes",
}  # fmt: skip
_NEGATED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_SIGNS: Mapping[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_FLIPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE,
}  # fmt: skip


def read_truth(node: ast.expr, names: Names, *, is_negated: bool = False) -> Iterator[Assertion]:
    """Yield what `assert node` insists on. `a and b` is several claims, `a or b` is one weak claim.

    A `not` is pushed inwards by De Morgan's laws, so `not (a or b)` is two claims. Chains such as `a < b <
    c` are read pair by pair.
    """
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
            for one, other in members(left, kind, right):
                yield compare(node, one, kind, other, names)
            left = right
    elif (
        _is_constant(node, names)
        or isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Tuple) and node.elts)
    ):
        yield vacuous(node)
    elif isinstance(node, ast.Call) and not is_negated:
        yield call_truth(node, names)
    else:
        yield made(node, "falsy" if is_negated else "truthy", node, None, names)


def members(left: ast.expr, op: type[ast.cmpop], right: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the pairs that are compared: equality of two tuples is that of their members."""
    if op is ast.Eq and isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple):
        is_plain = not any(isinstance(part, ast.Starred) for part in (*left.elts, *right.elts))
        if is_plain and 0 < len(left.elts) == len(right.elts):
            return list(zip(left.elts, right.elts, strict=True))
    return [(left, right)]


def made(
    node: ast.AST, op: str, subject: ast.AST, expected: ast.AST | None, names: Names, **more: object
) -> Assertion:
    """Return the record of an assertion. `more` sets further fields of it."""
    text, line = source(node), getattr(node, "lineno", 1)
    parts = every_part(expected) if expected is not None else ()
    return Assertion(
        line,
        text,
        op,
        source(subject),
        source(expected) if expected is not None else "",
        names.plain(subject),
        names.plain(expected) if expected is not None else "",
        wildcards=sum(
            isinstance(one, (ast.Name, ast.Attribute)) and last_name(one) == "ANY" for one in parts
        ),
    )._replace(**more)  # type: ignore[arg-type]  # the caller names fields of the record


def vacuous(node: ast.AST) -> Assertion:
    """Return the record of an assertion that cannot fail."""
    return Assertion(getattr(node, "lineno", 1), source(node), "vacuous", source(node))


def _either(node: ast.BoolOp, names: Names) -> Assertion:
    if any(_is_constant(part, names) for part in node.values):
        return vacuous(node)
    members = tuple(sorted(names.plain(part) for part in node.values))
    first = next(read_truth(node.values[0], names))
    return made(node, "any", node, None, names, members=members)._replace(
        subject=first.subject, plain_subject=first.plain_subject
    )


def compare(node: ast.AST, left: ast.expr, op: type[ast.cmpop], right: ast.expr, names: Names) -> Assertion:
    """Return the assertion of one comparison.

    First come the comparisons that cannot fail. Then each operator reads its two sides in its own way: which
    of them is the subject, and what else of them counts.
    """
    kind = _COMPARE[op]
    if kind == "equals" and isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        left, right = right, left
    if _is_trivial(left, op, right, names):
        return vacuous(node)
    if kind == "equals" and source(left) == source(right):
        return made(node, "equals-itself", left, right, names)
    if op in _SIGNS:
        bound = number(right)
        if bound is None and (flipped := number(left)) is not None:
            left, right, bound, op = right, left, flipped, _FLIPPED[op]
        assertion, sign = made(node, kind, left, right, names, bound=bound), _SIGNS[op]
        plain = sign + assertion.plain_expected
        return assertion._replace(expected=sign + assertion.expected, plain_expected=plain)
    if kind == "contains" and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return made(node, "choice", left, right, names, members=tuple(sorted(map(source, right.elts))))
    if kind in ("contains", "excludes"):
        return made(node, kind, right, left, names)
    if kind == "differs":
        is_none = isinstance(right, ast.Constant) and right.value is None
        return made(node, "not-none" if is_none else "differs", left, right, names)
    for value, other in ((left, right), (right, left)):
        if isinstance(value, ast.Call) and last_name(value) == "approx":
            expected = value.args[0] if value.args else value
            return made(node, "approx", other, expected, names, tolerance=tolerance(value))
    around = name_of(left.func) if isinstance(left, ast.Call) else ""
    part = "equals-part" if around in LOSSY else "equals-unordered" if around in _UNORDERED else "equals"
    return made(node, part, left, right, names)


def _is_trivial(left: ast.expr, op: type[ast.cmpop], right: ast.expr, names: Names) -> bool:
    """Check whether a comparison cannot fail: two constants, a value with itself, `len(x) >= 0`."""
    if _is_constant(left, names) and _is_constant(right, names):
        return True
    if op in (ast.Eq, ast.Is, ast.LtE, ast.GtE) and source(left) == source(right):
        # Two calls need not give equal values: that they do is what tests of equality insist on.
        return op is not ast.Eq or not any(isinstance(part, ast.Call) for part in every_part(left))
    if op is ast.Eq and last_name(right) == "ANY":
        return True
    if op is ast.In and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return source(left) in map(source, right.elts)
    is_size = isinstance(left, ast.Call) and name_of(left.func) == "len"
    return is_size and ((op is ast.GtE and number(right) == 0) or (op is ast.Gt and number(right) == -1))


def _is_constant(node: ast.expr, names: Names) -> bool:
    """Check whether an expression always has the same value, so that asserting it proves nothing.

    An expression is constant if all its parts are, so each case only names the parts. Calls and attributes
    are never constant, and neither is an empty list or tuple.
    """
    match node:
        case ast.Constant() | ast.Lambda():
            return True
        case ast.Name():
            return node.id in names.constant
        case ast.JoinedStr():
            parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        case ast.Tuple() | ast.List() | ast.Set():
            parts = node.elts
            if not parts:
                return False
        case ast.UnaryOp():
            parts = [node.operand]
        case ast.BinOp():
            parts = [node.left, node.right]
        case ast.Compare():
            parts = [node.left, *node.comparators]
        case _:
            return False
    return all(_is_constant(part, names) for part in parts)


def call_truth(node: ast.Call, names: Names) -> Assertion:
    """Return what `assert f(x)` insists on, by the functions that say more than that something is true.

    `bool(x)` is read as `x`, `isinstance(x, object)` is true of everything. Whatever is not in the list of
    known functions is only `truthy`.
    """
    name, args = name_of(node.func), node.args
    last = name.rpartition(".")[2]
    if name == "bool" and args:
        return next(read_truth(args[0], names))
    if name in ("isinstance", "issubclass") and len(args) == 2:
        types = elements(args[1])
        if any(source(kind) == "object" for kind in types):
            return vacuous(node)
        return made(node, "type", args[0], args[1], names, members=tuple(sorted(map(source, types))))
    if name in ("any", "all") and args:
        return made(node, name, args[0], None, names)
    if last in CLOSE and args:
        expected = args[1] if len(args) > 1 else None
        return made(node, "approx", args[0], expected, names, tolerance=tolerance(node))
    if last in _PARTIAL and isinstance(node.func, ast.Attribute) and args:
        is_module = name.startswith("re.") and len(args) > 1
        subject, expected = (args[1], args[0]) if is_module else (node.func.value, args[0])
        return made(node, "matches", subject, expected, names)
    return made(node, "truthy", node, None, names)


def tolerance(node: ast.Call) -> float:
    """Return the widest of the named tolerances. A comparison in decimal places counts as its last place."""
    given = {name: number(value) for name, value in keywords(node).items()}
    last, args = last_name(node), node.args
    places = given.get("places", given.get("decimal"))
    if places is None and last.startswith("assertAlmost") and len(args) > 2:
        places = number(args[2])
    if places is not None:
        return float(10.0 ** -min(max(places, -300), 300))
    named = [given.get(name) for name in _TOLERANCES]
    named += map(number, args[1:]) if last == "approx" else []
    return max((value for value in named if value is not None), default=1e-6)
