"""Read the calls that assert: unittest's methods, `pytest.raises`, mocks, helpers of the file. Pure."""

import ast
import re

from signoff.core.test_integrity.python_asserts import (
    CLOSE,
    call_truth,
    compare,
    made,
    members,
    read_truth,
    tolerance,
)
from signoff.core.test_integrity.python_names import Names, last_name, name_of, source
from signoff.core.test_integrity.records import Assertion

_DOING = re.compile(r"_?(?:check|ensure|validate|require|must)(?:_|[A-Z]|$)")
_ASSERTING = re.compile(
    r"_?(?:assert|check|expect|verify|should|ensure|must|validate|require|fail)(?:_|[A-Z]|$)"
)
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
_RAISES = frozenset(
    ["raises", "RaisesGroup", "assertRaises", "assertRaisesRegex", "assert_raises", "assertRaisesRegexp"]
)
_WARNS = frozenset(
    [
        "warns",
        "deprecated_call",
        "assertWarns",
        "assertWarnsRegex",
        "assertLogs",
        "assertNoLogs",
    ]
)


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
        return [made(node, _MOCKS[last], node.func.value, shown if args or node.keywords else None, names)]
    if last in CLOSE and len(args) > 1:
        return [made(node, "approx", args[0], args[1], names, tolerance=tolerance(node))]
    if last.startswith(("assert", "fail")) and (known := _unittest(last, node, names)):
        return known
    is_own = not isinstance(node.func, ast.Attribute) or name_of(node.func).startswith(("self.", "cls."))
    # `folder.ensure_dir()` and `model.validate()` do something; `check_total(cart)` asserts.
    is_named = _ASSERTING.match(last) and (is_own or not _DOING.match(last))
    if last in helpers or (is_named and (is_statement or last.startswith("assert"))):
        return [made(node, "call", node.func, ast.Tuple(args, ast.Load()), names)]
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
        pairs = members(args[0], ops[last], args[1])
        return [compare(node, one, ops[last], other, names) for one, other in pairs]
    if last in ("assertCountEqual", "assertItemsEqual") and len(args) > 1:
        return [made(node, "equals-unordered", args[0], args[1], names)]
    if last == "assertIsInstance" and len(args) > 1:
        return [call_truth(ast.copy_location(ast.Call(ast.Name("isinstance"), args[:2], []), node), names)]
    if last in ("assertRegex", "assertRegexpMatches") and len(args) > 1:
        return [made(node, "matches", args[0], args[1], names)]
    return []


def read_raises(node: ast.Call, names: Names) -> Assertion:
    """Give the assertion that something is raised or warned about."""
    last, words = last_name(node.func), {word.arg: word.value for word in node.keywords}
    is_raises = last in _RAISES
    types = node.args[0] if node.args else words.get("expected_exception")
    listed = types.elts if isinstance(types, ast.Tuple) else [types] if types is not None else []
    if last == "RaisesGroup":
        listed = node.args
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
