"""Read the calls that assert: unittest's methods, `pytest.raises`, mocks, helpers of the file. Pure."""

import ast
import re
from collections.abc import Mapping

from signoff.domain.evidence.case_records import Assertion
from signoff.judges.test_integrity.python.assertions import (
    CLOSE,
    call_truth,
    compare,
    made,
    members,
    read_truth,
    tolerance,
)
from signoff.judges.test_integrity.python.syntax_names import Names, keywords, last_name, name_of, source
from signoff.text.word_lists import by_word, words

_DOING = re.compile(r"_?(?:check|ensure|validate|require|must)(?:_|[A-Z]|$)")
_ASSERTING = re.compile(
    r"_?(?:assert|check|expect|verify|should|ensure|must|validate|require|fail)(?:_|[A-Z]|$)"
)
_MOCKS = by_word({
    "mock-called-once-with": "assert_called_once_with assert_awaited_once_with",
    "mock-called-with": "assert_called_with assert_awaited_with assert_any_call assert_has_calls",
    "mock-called-once": "assert_called_once assert_awaited_once",
    "mock-called": "assert_called assert_awaited",
})  # fmt: skip
_EQUALS = words(
    "assertEqual assertEquals assertIs assertListEqual assertDictEqual assertTupleEqual assertSetEqual "
    "assertSequenceEqual assertMultiLineEqual assert_equal assert_array_equal assert_frame_equal "
    "assert_series_equal"
)
_UNITTEST: Mapping[str, type[ast.cmpop]] = {
    **dict.fromkeys(_EQUALS, ast.Eq),
    "assertNotEqual": ast.NotEq, "assertIsNot": ast.IsNot, "assertIn": ast.In, "assertNotIn": ast.NotIn,
    "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE, "assertLess": ast.Lt, "assertLessEqual": ast.LtE,
}  # fmt: skip
_NONE: Mapping[str, type[ast.cmpop]] = {"assertIsNone": ast.Is, "assertIsNotNone": ast.IsNot}
_RAISES = words("raises RaisesGroup assertRaises assertRaisesRegex assert_raises assertRaisesRegexp")
_WARNS = words("warns deprecated_call assertWarns assertWarnsRegex assertLogs assertNoLogs")
CONTEXTS = (_RAISES | _WARNS) - {"assertNoLogs"}
"""Calls that make a `with` block a claim about what happens in it."""


def read_call(
    node: ast.Call, names: Names, helpers: frozenset[str], *, is_statement: bool
) -> list[Assertion]:
    """Return what a call insists on, nothing if it does not assert.

    It asserts by its name, or because it calls a helper that does. `check(x)` that stands alone asserts,
    while `print(check(x))` and `y = check(x)` use an answer.
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
    """Return what a method of unittest's test case insists on, nothing for an unknown one.

    Its name decides.
    """
    args = node.args
    if last in ("assertTrue", "assertFalse", "assert_") and args:
        found = read_truth(args[0], names, is_negated=last == "assertFalse")
        return [assertion._replace(text=source(node)) for assertion in found]
    if last in _NONE and args:
        return [compare(node, args[0], _NONE[last], ast.Constant(None), names)]
    if len(args) < 2:
        return []
    if op := _UNITTEST.get(last):
        return [compare(node, one, op, other, names) for one, other in members(args[0], op, args[1])]
    if last in ("assertCountEqual", "assertItemsEqual"):
        return [made(node, "equals-unordered", args[0], args[1], names)]
    if last == "assertIsInstance":
        return [call_truth(ast.copy_location(ast.Call(ast.Name("isinstance"), args[:2], []), node), names)]
    if last in ("assertRegex", "assertRegexpMatches"):
        return [made(node, "matches", args[0], args[1], names)]
    return []


def read_raises(node: ast.Call, names: Names) -> Assertion:
    """Return the assertion that something is raised or warned about.

    The libraries put the same facts in different places: pytest takes `match` by keyword, unittest a
    pattern as second argument, `RaisesGroup` several types in a row.
    """
    last, given = last_name(node), keywords(node)
    types = node.args[0] if node.args else given.get("expected_exception")
    listed = types.elts if isinstance(types, ast.Tuple) else [types] if types is not None else []
    if last == "RaisesGroup":
        listed = node.args
    match = given.get("match")
    if last.endswith(("Regex", "Regexp")):
        match = node.args[1] if len(node.args) > 1 else given.get("expected_regex")
    subject = "raised" if last in _RAISES else f"warned by {last}"
    return Assertion(
        node.lineno,
        source(node),
        "raises" if last in _RAISES else "warns",
        subject,
        source(match) if match is not None else "",
        subject,
        names.plain(match) if match is not None else "",
        exceptions=tuple(sorted(source(kind) for kind in listed)),
    )
