"""Read what a Go test insists on: conditions that fail it, calls of testify, gocheck, gomega and others."""

import re
from typing import TYPE_CHECKING

from signoff.checks.test_trees.statements import NameScope, bounded, call_claim, claim
from signoff.checks.test_trees.trees import arguments, field, number, raw, text
from signoff.domain.evidence.case_records import Assertion
from signoff.text.word_lists import by_word

if TYPE_CHECKING:
    from tree_sitter import Node

FAILING = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"})
TESTS = frozenset({"t", "b", "f", "tb", "c", "s.T()", "suite.T()"})
"""What holds the running test, by custom."""
_TESTIFY = by_word({
    "equals": "Equal Exactly Same JSONEq YAMLEq Cmp Nil True False Empty Zero",
    "loosely-equals": "EqualValues EqualExportedValues",
    "not-none": "NotNil NotEmpty NotZero",
    "differs": "NotEqual NotSame NotEqualValues",
    "contains": "Contains Subset",
    "excludes": "NotContains NotSubset",
    "equals-part": "Len ElementsMatch",
    "strict-order": "Greater Less Positive Negative",
    "order": "GreaterOrEqual LessOrEqual",
    "approx": "InDelta InEpsilon WithinDuration",
    "raises": "ErrorIs ErrorAs EqualError ErrorContains PanicsWithValue PanicsWithError Panics",
    "truthy": "Error",
    "matches": "Regexp",
    "type": "IsType Implements",
    "call": "NoError Eventually Never FileExists DirExists NotPanics Fail FailNow Condition",
})  # fmt: skip
_NO_EXPECTED = {"Nil": "nil", "True": "true", "False": "false", "Empty": "Empty", "Zero": "Zero"}
"""Functions that name the expected value themselves, and that value."""
_WITH_T = frozenset({"assert", "require", "td", "is", "autogold"})
"""Packages whose functions take the test first."""
_METHODS = frozenset(
    {"s", "suite", "is", "a", "r", "s.Require()", "s.Assert()", "suite.Require()", "should", "must"}
)
"""Receivers that are bound to a test already, by custom. `Scope.bound` has the others."""
_CHECKERS = by_word({
    "equals": "Equals DeepEquals IsNil IsTrue IsFalse CmpEquals "
              "Equal BeNil BeTrue BeFalse BeEmpty BeZero BeIdenticalTo",
    "loosely-equals": "BeEquivalentTo",
    "not-none": "NotNil IsNotNil",
    "contains": "Contains ContainElement ContainElements ContainSubstring HaveKey",
    "matches": "Matches MatchRegexp HavePrefix HaveSuffix",
    "equals-part": "HasLen HaveLen ConsistOf",
    "raises": "ErrorMatches PanicMatches MatchError ErrorIs ErrorAs Panic",
    "type": "FitsTypeOf Implements BeAssignableToTypeOf",
    "order": "BeNumerically",
    "truthy": "HaveOccurred",
    "differs": "Not",
})  # fmt: skip
"""Of gocheck and quicktest (`c.Assert(got, Equals, want)`) and of gomega (`Expect(got).To(Equal(want))`)."""
_NEGATED = {"equals": "differs", "contains": "excludes", "matches": "excludes", "not-none": "equals",
            "truthy": "falsy", "loosely-equals": "differs", "order": "order"}  # fmt: skip
_COMPARE = {"!=": "equals", "==": "differs", "<": "order", ">": "order", "<=": "strict-order",
            ">=": "strict-order"}  # fmt: skip
"""By the operator of a condition that fails the test. The test insists on the opposite."""
_EQUAL_CALL = re.compile(
    r"(?:reflect\.DeepEqual|bytes\.Equal|cmp\.Equal|slices\.Equal|maps\.Equal|proto\.Equal|strings\.EqualFold)\("
)
_GOMEGA = re.compile(r"(?:\w+\.)?(?:Expect|Eventually|Ω)\(")


def failing_condition(node: "Node", condition: "Node", scope: NameScope) -> list[Assertion]:
    """Return what a test insists on that fails if a condition holds: the opposite of the condition.

    `a || b` is two claims. `a && b` is one, that one of the two is otherwise.
    """
    while condition.type == "parenthesized_expression":
        condition = condition.named_children[0]
    said = f"if {text(condition)} {{ fail }}"
    left, right = field(condition, "left"), field(condition, "right")
    if condition.type == "binary_expression" and left is not None and right is not None:
        sign = raw(field(condition, "operator"))
        if sign == "||":
            return [*failing_condition(node, left, scope), *failing_condition(node, right, scope)]
        if sign == "&&":
            op = "vacuous" if "false" in (raw(left), raw(right)) else "any"
            members = (text(left, scope.local), text(right, scope.local))
            return [claim(node, op, left, [], scope, said)._replace(members=members)]
        if sign in _COMPARE:
            op = "vacuous" if text(left) == text(right) else _COMPARE[sign]
            made = claim(node, op, left, [right], scope, said)
            is_order = op in ("order", "strict-order")
            return [bounded(made, "<" if sign in (">", ">=") else ">", right) if is_order else made]
    if condition.type == "unary_expression" and raw(condition).startswith("!"):
        return [_denied(node, said, condition.named_children[0], scope)]
    op = "vacuous" if raw(condition) == "false" else "falsy"
    return [claim(node, op, condition, [], scope, said)]


def _denied(node: "Node", said: str, inner: "Node", scope: NameScope) -> Assertion:
    """Return what `if !inner { fail }` insists on."""
    name, args = raw(inner), arguments(inner) if inner.type == "call_expression" else []
    if len(args) > 1:
        if _EQUAL_CALL.match(name):
            op = "vacuous" if text(args[0]) == text(args[1]) else "equals"
            return claim(node, op, args[0], args[1:2], scope, said)
        if name.startswith("strings.Contains("):
            return claim(node, "contains", args[0], args[1:2], scope, said)
        if name.startswith("errors.Is("):
            return claim(node, "raises", args[0], [], scope, said)._replace(exceptions=(text(args[1]),))
    return claim(node, "truthy", inner, [], scope, said)


# --- calls ---


def asserting_call(node: "Node", scope: NameScope) -> list[Assertion]:
    """Return what a call insists on, nothing if it does not assert.

    The receiver and the name tell which library is meant, and so which argument is the value and which the
    expectation.
    """
    name = raw(field(node, "function"))
    head, _, last = name.rpartition(".")
    args = arguments(node)
    if last in FAILING and head in TESTS:
        return [call_claim(node, name, [], scope)]
    plain = last.removesuffix("f")
    is_method = head in scope.bound or head in _METHODS
    if (head in _WITH_T or is_method) and plain in _TESTIFY:
        takes_test = not is_method or any(raw(arg) in TESTS - {"c"} for arg in args[:1])
        return [_testify(node, plain, args[1:] if takes_test else args, scope)]
    if last in ("Assert", "Check") and len(args) > 1:
        return [_checked(node, args[-3:] if raw(args[0]) == "t" else args, scope)]
    if last in ("To", "Should", "NotTo", "ToNot", "ShouldNot") and _GOMEGA.match(head):
        return [_expected(node, last, args, scope)]
    return [call_claim(node, name, args, scope)] if last in scope.helpers else []


def _checked(node: "Node", args: "list[Node]", scope: NameScope) -> Assertion:
    """Return the assertion of `c.Assert(got, Equals, want)`."""
    checker = raw(args[1]).partition("(")[0].rpartition(".")[2]
    made = claim(node, _CHECKERS.get(checker, "call"), args[0], args[2:3], scope)
    if len(args) > 2 and made.op == "equals" and text(args[0]) == text(args[2]):
        return made._replace(op="vacuous")
    expected, plain = (
        f"{text(args[1])} {made.expected}",
        f"{text(args[1], scope.local)} {made.plain_expected}",
    )
    return made._replace(expected=expected, plain_expected=plain)


def _expected(node: "Node", last: str, args: "list[Node]", scope: NameScope) -> Assertion:
    """Return the assertion of `Expect(got).To(Equal(want))`."""
    start = field(field(node, "function"), "operand")
    given = arguments(start) if start is not None else []
    if not given or not args:
        return call_claim(node, "Expect", [], scope)
    matcher = raw(args[0]).partition("(")[0].rpartition(".")[2]
    op = _CHECKERS.get(matcher, "call")
    if last in ("NotTo", "ToNot", "ShouldNot"):
        op = "not-none" if matcher == "BeNil" else _NEGATED.get(op, op)
    return claim(node, op, given[0], args[:1], scope)


def _testify(node: "Node", last: str, given: "list[Node]", scope: NameScope) -> Assertion:
    """Return the assertion of a testify function, by what its operation takes as its arguments.

    `given` are the arguments behind the test. Equality names the expected value first, and so does `IsType`.
    """
    op = _TESTIFY[last]
    if not given:
        return call_claim(node, last, [], scope)
    if last in _NO_EXPECTED:
        literal = _NO_EXPECTED[last]
        op = "vacuous" if raw(given[0]) == literal else "equals"
        return claim(node, op, given[0], [], scope)._replace(expected=literal, plain_expected=literal)
    first, rest = given[0], given[1:2]
    if op in ("equals", "loosely-equals", "differs", "approx", "type") and rest:
        first, rest = rest[0], [first]
    made = claim(node, op, first, rest if last != "Error" else [], scope)
    if not rest:
        return made
    if op in ("equals", "loosely-equals") and text(first) == text(rest[0]):
        return made._replace(op="vacuous")
    if op == "approx":
        return made._replace(tolerance=number(given[2]) if len(given) > 2 else None)
    if op == "raises":
        return made._replace(exceptions=(text(rest[0]),) if last in ("ErrorIs", "ErrorAs") else ())
    if op in ("order", "strict-order"):
        return bounded(made, "<" if last.startswith("Less") else ">", rest[0])
    return made
